"""Where all that goes wrong for the configuration of a layer becomes an error that names the layer."""

import contextlib
import re
from typing import Callable, Iterator, Optional

from ...errors import KerasBackendError, LayerConfigError
from ..structure import Layer
from ..structure.foreign_errors import OF_DATA, in_short, is_framed
from .parameters import with_inner

_MOST_ENTRIES = 3


@contextlib.contextmanager
def border(layer: Layer, of_user: Callable[[Layer], bool], verb: str = 'computed') -> Iterator[None]:
    """Let what a layer of a file makes go wrong end in LayerConfigError.

    of_user: whether a layer is code of the user, whose errors pass. verb: what cannot be done. Errors of ours pass, and
    where a library has put its words around one, the one inside comes out.
    """
    try:
        yield
    except (KerasBackendError, *OF_DATA) as error:
        own = _of_ours(error)
        if own is error:
            raise
        if own is not None:
            raise own from None
        if any(map(of_user, with_inner(layer))):
            raise
        raise LayerConfigError(
            f'The layer {layer.name} ({layer.kind}) cannot be {verb} as it is configured{_entries(layer, error)}: '
            f'{in_short(error)}',
            layer.name,
        ) from error


def _of_ours(error: BaseException) -> Optional[KerasBackendError]:
    """The error of ours that an error is, or that it has come from: Keras makes another one around it."""
    inner: Optional[BaseException] = error
    while inner is not None:
        if isinstance(inner, KerasBackendError) and not is_framed(inner):
            return inner
        inner = inner.__cause__ or inner.__context__
    return None


def _entries(layer: Layer, error: BaseException) -> str:
    """The entries of the configuration that the error speaks of."""
    words = set(re.findall(r'\w+', str(error)))
    spoken = [f'{key}={repr(value)[:60]}' for key, value in layer.config.items() if key in words and key != 'name']
    return f' ({", ".join(spoken[:_MOST_ENTRIES])})' if spoken else ''

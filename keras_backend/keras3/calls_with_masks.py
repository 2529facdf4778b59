"""Masks that layers of a program are given: None where no input has one."""

import functools
import inspect
from typing import Any, Callable

from .classes_of_programs import prepare_classes


def masks_of_several_inputs(keras: Any) -> str:
    """Give a layer of a program `mask=None` where none of its inputs has a mask. Keras 3 gives it a list of None."""
    prepare_classes(keras.layers.Layer, _prepare)
    return 'Layer.call, Layer.compute_mask'


def _prepare(made: Any) -> None:
    for name in ('call', 'compute_mask'):
        if name in vars(made) and _takes_mask(vars(made)[name]):
            setattr(made, name, _with_none(vars(made)[name]))


def _takes_mask(method: Any) -> bool:
    try:
        return 'mask' in inspect.signature(method).parameters
    except (TypeError, ValueError):
        return False


def _with_none(original: Callable[..., Any]) -> Callable[..., Any]:
    at = list(inspect.signature(original).parameters).index('mask')

    @functools.wraps(original)
    def method(*args: Any, **kwargs: Any) -> Any:
        if len(args) > at and _is_empty(args[at]):
            args = (*args[:at], None, *args[at + 1 :])
        elif _is_empty(kwargs.get('mask')):
            kwargs['mask'] = None
        return original(*args, **kwargs)

    return method


def _is_empty(mask: Any) -> bool:
    return isinstance(mask, (list, tuple)) and all([each is None for each in mask])

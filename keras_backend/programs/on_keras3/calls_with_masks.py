"""Masks that layers are given: None where no input has one, and the mask of the first input beside other tensors.

Keras 3 passes the argument `mask` where a call has one tensor. With a second one, such as `initial_state`, the mask is
dropped without a word, and a recurrent layer runs through the steps that are masked.
"""

import functools
import inspect
from typing import Any, Callable, Optional

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
    except (TypeError, ValueError):  # a function of C may have no signature
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


def masks_beside_other_tensors(keras: Any) -> str:
    """Give a layer the mask of its first input where its call has other tensors, such as `initial_state`, too."""
    from ...engines.keras3_backend.vendor import mask_of

    made = keras.layers.Layer
    original = made.__call__

    @functools.wraps(original)
    def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:
        if 'mask' not in kwargs and (len(args) > 1 or kwargs) and _has_others(keras, args, kwargs):
            at = _place_of_mask(layer.__class__)
            if args and at is not None and len(args) <= at:
                mask = keras.tree.map_structure(mask_of, args[0])
                if any(each is not None for each in keras.tree.flatten(mask)):
                    kwargs['mask'] = mask
        return original(layer, *args, **kwargs)

    made.__call__ = __call__
    return 'Layer.__call__'


def _has_others(keras: Any, args: Any, kwargs: Any) -> bool:
    others = [*args[1:], *kwargs.values()]
    return any(isinstance(each, keras.KerasTensor) or keras.ops.is_tensor(each) for each in keras.tree.flatten(others))


@functools.lru_cache(maxsize=None)
def _place_of_mask(made: Any) -> Optional[int]:
    """Where `call` of a class has the argument `mask`, beside itself; None if it has none, or one for each input."""
    try:
        names = list(inspect.signature(made.call).parameters)[1:]
    except (TypeError, ValueError):  # a function of C may have no signature
        return None
    return names.index('mask') if 'mask' in names and names[0] + '_mask' not in names else None

"""The masks of layers that merge several inputs, such as `Concatenate` and `Add`.

tf.keras keeps a step where each of the inputs that have a mask keeps it. Keras 3 keeps it where one of the inputs does,
or drops the mask as soon as one input has none. Losses, metrics and the next layers then count steps that are masked.
"""

import functools
from typing import Any, Callable, List, Optional

_OF_ONE_SHAPE = 'Add', 'Subtract', 'Multiply', 'Average', 'Maximum', 'Minimum'
# Where all inputs have masks, Keras 3 leaves masked numbers out of these, and gives the result its own mask.
_OF_MASKED_NUMBERS = 'Multiply', 'Maximum', 'Minimum'


def masks_of_merges(keras: Any) -> str:
    """Let layers of several inputs keep the steps that each masked input keeps, as in tf.keras."""
    for name in _OF_ONE_SHAPE:
        made = getattr(keras.layers, name)
        made.compute_mask = _with_each(made.compute_mask)
    for name in _OF_MASKED_NUMBERS:
        made = getattr(keras.layers, name)
        made.call = _of_all_numbers(made.call, getattr(keras.ops, name.lower()))
    made = keras.layers.Concatenate
    made.compute_mask = _with_ones(made.compute_mask)
    return ', '.join(f'{name}.compute_mask' for name in (*_OF_ONE_SHAPE, 'Concatenate'))


def _with_each(original: Callable[..., Any]) -> Callable[..., Any]:
    from keras import ops

    @functools.wraps(original)
    def compute_mask(self: Any, inputs: Any, mask: Any = None) -> Any:
        if not isinstance(mask, (list, tuple)):
            return original(self, inputs, mask)
        masks = [each for each in mask if each is not None]
        return functools.reduce(ops.logical_and, masks) if masks else None

    return compute_mask


def _of_all_numbers(original: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    from ...engines.keras3_backend.vendor import mask_of

    @functools.wraps(original)
    def call(self: Any, inputs: Any) -> Any:
        if len({len(x.shape) for x in inputs}) == 1 and all(mask_of(x) is not None for x in inputs):
            return functools.reduce(function, inputs)
        return original(self, inputs)

    return call


def _with_ones(original: Callable[..., Any]) -> Callable[..., Any]:
    from keras import ops

    @functools.wraps(original)
    def compute_mask(self: Any, inputs: Any, mask: Any = None) -> Any:
        if not isinstance(mask, (list, tuple)) or all(each is None for each in mask):
            return original(self, inputs, mask)
        masks = _of_full_rank(inputs, mask, self.axis)
        if masks is None:
            return original(self, inputs, mask)
        return ops.all(ops.concatenate(masks, axis=self.axis), axis=-1)

    return compute_mask


def _of_full_rank(inputs: Any, masks: Any, axis: int) -> Optional[List[Any]]:
    """The masks with the axes of the inputs, ones where there is none; None where tf.keras cannot join them."""
    from keras import ops

    rank, found = len(inputs[0].shape), []
    is_last = axis % rank == rank - 1
    for x, mask in zip(inputs, masks):
        if mask is None:
            mask = ops.ones_like(x if is_last else x[..., :1], dtype='bool')
        elif len(mask.shape) == rank - 1:
            mask = ops.expand_dims(mask, -1)
        if len(mask.shape) != rank or (not is_last and mask.shape[-1] != 1):
            return None
        found.append(ops.cast(mask, 'bool'))
    return found

"""Masks on Keras 3: in calls of layers, layers of several inputs, losses, metrics and training steps."""

import functools
import inspect
import threading
import weakref
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..launcher.check import years
from ..launcher.cures import around, being_true
from .names import prepare_classes, put_around

# -- calls of layers ---------------------------------------------------------------------------------------------------
# Masks that layers are given: None where no input has one, and the mask of the first input beside other tensors.
#
# Keras 3 passes the argument `mask` where a call has one tensor. With a second one, such as `initial_state`, the mask
# is dropped without a word, and a recurrent layer runs through the steps that are masked.


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
    return isinstance(mask, (list, tuple)) and all([single is None for single in mask])


def masks_beside_other_tensors(keras: Any) -> str:
    """Give a layer the mask of its first input where its call has other tensors, such as `initial_state`, too."""
    from ...engines.keras3_backend.vendor import mask_of

    layer_class = keras.layers.Layer
    original = layer_class.__call__

    @functools.wraps(original)
    def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:
        if 'mask' not in kwargs and (len(args) > 1 or kwargs) and _has_others(keras, args, kwargs):
            at = _place_of_mask(layer.__class__)
            if args and at is not None and len(args) <= at:
                mask = keras.tree.map_structure(mask_of, args[0])
                if any(leaf is not None for leaf in keras.tree.flatten(mask)):
                    kwargs['mask'] = mask
        return original(layer, *args, **kwargs)

    layer_class.__call__ = __call__
    return 'Layer.__call__'


def _has_others(keras: Any, args: Any, kwargs: Any) -> bool:
    others = [*args[1:], *kwargs.values()]
    return any(isinstance(leaf, keras.KerasTensor) or keras.ops.is_tensor(leaf) for leaf in keras.tree.flatten(others))


@functools.lru_cache(maxsize=None)
def _place_of_mask(made: Any) -> Optional[int]:
    """Where `call` of a class has the argument `mask`, beside itself; None if it has none, or one for each input."""
    try:
        names = list(inspect.signature(made.call).parameters)[1:]
    except (TypeError, ValueError):  # a function of C may have no signature
        return None
    return names.index('mask') if 'mask' in names and names[0] + '_mask' not in names else None


# -- layers of several inputs ------------------------------------------------------------------------------------------
# The masks of layers that merge several inputs, such as `Concatenate` and `Add`.
#
# tf.keras keeps a step where each of the inputs that have a mask keeps it. Keras 3 keeps it where one of the inputs
# does, or drops the mask as soon as one input has none. Losses, metrics and the next layers then count steps that are
# masked.


_OF_ONE_SHAPE = 'Add', 'Subtract', 'Multiply', 'Average', 'Maximum', 'Minimum'
# Where all inputs have masks, Keras 3 leaves masked numbers out of these, and gives the result its own mask.
_OF_MASKED_NUMBERS = 'Multiply', 'Maximum', 'Minimum'


def masks_of_merges(keras: Any) -> str:
    """Let layers of several inputs keep the steps that each masked input keeps, as in tf.keras."""
    for name in _OF_ONE_SHAPE:
        layer_class = getattr(keras.layers, name)
        layer_class.compute_mask = _with_each(layer_class.compute_mask)
    for name in _OF_MASKED_NUMBERS:
        layer_class = getattr(keras.layers, name)
        layer_class.call = _of_all_numbers(layer_class.call, getattr(keras.ops, name.lower()))
    layer_class = keras.layers.Concatenate
    layer_class.compute_mask = _with_ones(layer_class.compute_mask)
    return ', '.join(f'{name}.compute_mask' for name in (*_OF_ONE_SHAPE, 'Concatenate'))


@around
def _with_each(original: Any, self: Any, inputs: Any, mask: Any = None) -> Any:
    from keras import ops

    if not isinstance(mask, (list, tuple)):
        return original(self, inputs, mask)
    masks = [single for single in mask if single is not None]
    return functools.reduce(ops.logical_and, masks) if masks else None


@around
def _of_all_numbers(original: Any, function: Callable[..., Any], self: Any, inputs: Any) -> Any:
    from ...engines.keras3_backend.vendor import mask_of

    if len({len(x.shape) for x in inputs}) == 1 and all(mask_of(x) is not None for x in inputs):
        return functools.reduce(function, inputs)
    return original(self, inputs)


@around
def _with_ones(original: Any, self: Any, inputs: Any, mask: Any = None) -> Any:
    from keras import ops

    if not isinstance(mask, (list, tuple)) or all(single is None for single in mask):
        return original(self, inputs, mask)
    masks = _of_full_rank(inputs, mask, self.axis)
    if masks is None:
        return original(self, inputs, mask)
    return ops.all(ops.concatenate(masks, axis=self.axis), axis=-1)


def _of_full_rank(inputs: Any, masks: Any, axis: int) -> Optional[List[Any]]:
    """The masks with the axes of the inputs, ones where there is none; None where tf.keras cannot join them."""
    from keras import ops

    rank, full_masks = len(inputs[0].shape), []
    is_last = axis % rank == rank - 1
    for x, mask in zip(inputs, masks):
        if mask is None:
            mask = ops.ones_like(x if is_last else x[..., :1], dtype='bool')
        elif len(mask.shape) == rank - 1:
            mask = ops.expand_dims(mask, -1)
        if len(mask.shape) != rank or (not is_last and mask.shape[-1] != 1):
            return None
        full_masks.append(ops.cast(mask, 'bool'))
    return full_masks


# -- losses and metrics ------------------------------------------------------------------------------------------------
# Masks and sample weights of losses and metrics that have fewer axes than what they weigh.
#
# tf.keras lets a mask of steps count for all that is in a step, and a weight of a sample for all of its steps. Keras 3
# stops in both cases. Without a mask it stops, too, or, where a batch has as many samples as steps, it takes the
# weight of a sample for that of a step.


def masks_of_losses(keras: Any) -> str:
    """Let losses and metrics take masks of steps for larger outputs, and weights of samples beside a mask."""
    keras.Loss.__call__ = _of_one_rank(keras.Loss.__call__, _rank_of_losses)
    put_around(keras.metrics.MeanMetricWrapper, ('update_state',), _of_one_rank, lambda metric, y_true, y_pred: 0)
    return 'Loss.__call__, MeanMetricWrapper.update_state'


def _rank(tensor: Any) -> int:
    """How many axes a tensor has; 0 of what is none, or of a rank that TensorFlow does not know."""
    try:
        return len(tensor.shape)
    except (AttributeError, ValueError):  # no tensor, or one of unknown rank
        return 0


_RANKS: 'weakref.WeakKeyDictionary[Any, Dict[Tuple[int, int], int]]' = weakref.WeakKeyDictionary()


def _rank_of_losses(loss: Any, y_true: Any, y_pred: Any) -> int:
    """How many axes the losses have before they are weighed: a loss of a program may take any mean itself."""
    import keras

    known = _RANKS.setdefault(loss, {})
    ranks = (len(y_true.shape), len(y_pred.shape))
    if ranks not in known:
        pair = [keras.KerasTensor(x.shape, dtype=keras.backend.standardize_dtype(x.dtype)) for x in (y_true, y_pred)]
        try:
            known[ranks] = len(
                keras.layers.Lambda(lambda both: loss.call(*both), name='losses').compute_output_spec(pair).shape
            )
        except Exception:  # noqa: BLE001 - of any library: a loss that cannot be computed for shapes alone
            known[ranks] = len(y_pred.shape) - 1
    return known[ranks]


def _of_one_rank(original: Callable[..., Any], rank_of: Callable[[Any, Any, Any], int]) -> Callable[..., Any]:
    from keras import ops

    from ...engines.keras3_backend.vendor import give_mask, mask_of

    def spread(x: Any, shape: Any) -> Any:
        missing = (1,) * (len(shape) - len(x.shape))
        # A copy: Keras multiplies it in place, and PyTorch refuses that for numbers that share memory.
        return ops.copy(ops.broadcast_to(ops.reshape(x, (*ops.shape(x), *missing)), shape))

    @functools.wraps(original)
    def method(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        mask = mask_of(y_pred) if hasattr(y_pred, 'shape') else None
        if mask is None:
            axes = _rank(sample_weight)
            if 0 < axes < _rank(y_pred) and _rank(y_true):
                missing = max(0, rank_of(self, y_true, y_pred) - axes)
                sample_weight = ops.reshape(sample_weight, (*ops.shape(sample_weight), *(1,) * missing))
            return original(self, y_true, y_pred, sample_weight)
        wide, weights = mask, sample_weight
        if len(mask.shape) < len(y_pred.shape) - 1:
            wide = spread(mask, ops.shape(y_pred)[:-1])
        if weights is not None and 0 < len(weights.shape) < len(wide.shape):
            weights = spread(weights, ops.shape(wide))
        if wide is mask:
            return original(self, y_true, y_pred, weights)
        give_mask(y_pred, wide)
        try:
            return original(self, y_true, y_pred, weights)
        finally:
            give_mask(y_pred, mask)

    return method


class _Compiled(threading.local):
    """Whether the losses that a model was compiled with are computed in this thread."""

    runs = False


_COMPILED = _Compiled()


def means_of_masked_losses(keras: Any) -> str:
    """Let the mean of a masked loss divide by all steps, as in TensorFlow 2.0 to 2.10.

    The losses of `compile` take the mask as weights there, and other calls of a loss do not look at it. Keras 3
    divides by the number of steps that count, as tf.keras of later versions does.
    """
    losses = getattr(import_module('keras.src.trainers.compile_utils'), 'CompileLoss', None)
    if years.year_of('').is_new or losses is None:
        return ''
    put_around(losses, ('call',), _noting)
    keras.Loss.__call__ = _of_all_steps(keras.Loss.__call__)
    return 'CompileLoss.call, Loss.__call__'


@around
def _noting(original: Any, *args: Any, **kwargs: Any) -> Any:
    with being_true(_COMPILED, 'runs'):
        return original(*args, **kwargs)


@around
def _of_all_steps(original: Any, self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
    from keras import ops

    from ...engines.keras3_backend.vendor import give_mask, mask_of

    mask = mask_of(y_pred) if hasattr(y_pred, 'shape') else None
    if mask is None:
        return original(self, y_true, y_pred, sample_weight)
    if _COMPILED.runs:
        weights = ops.cast(mask, self.dtype)
        if sample_weight is not None:
            given = ops.cast(sample_weight, self.dtype)
            axes = max(len(weights.shape), len(given.shape))
            weights, given = [ops.reshape(x, (*ops.shape(x), *(1,) * (axes - len(x.shape)))) for x in (weights, given)]
            weights = weights * given
        sample_weight = weights
    give_mask(y_pred, None)
    try:
        return original(self, y_true, y_pred, sample_weight)
    finally:
        give_mask(y_pred, mask)


# -- training steps ----------------------------------------------------------------------------------------------------
# The mask of the predictions in a training step on JAX.
#
# Keras on JAX takes the gradients of a function of arrays, and computes the metrics afterwards. The mask, which Keras
# keeps beside a tensor, does not leave this function: metrics of `fit` count the steps that are masked, and those of
# `evaluate` do not.


def masks_of_steps(keras: Any) -> str:
    """Let the metrics of `fit` and `train_on_batch` leave masked steps out on JAX, too."""
    if keras.config.backend() != 'jax' or not hasattr(keras.Model, 'compute_loss_and_updates'):
        return ''
    import jax

    jax.tree_util.register_pytree_node(
        _Masked, lambda x: ((x.values, x.masks), None), lambda _, children: _Masked(*children)
    )
    kept = put_around(keras.Model, ('compute_loss_and_updates',), _keeping)
    return f'{kept}, {put_around(keras.Model, ("compute_metrics",), _given_back)}'


class _Masked:
    """Predictions with their masks, which JAX hands on as it does a tuple."""

    def __init__(self, values: Any, masks: List[Any]) -> None:
        self.values, self.masks = values, masks


@around
def _keeping(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    import keras

    from ...engines.keras3_backend.vendor import mask_of

    loss, others = original(self, *args, **kwargs)
    _, predictions, *_ = others
    masks = [mask_of(prediction) for prediction in keras.tree.flatten(predictions)]
    if any(mask is not None for mask in masks):
        others = (others[0], _Masked(predictions, masks), *others[2:])
    return loss, others


@around
def _given_back(original: Any, self: Any, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
    import keras

    from ...engines.keras3_backend.vendor import give_mask

    if isinstance(y_pred, _Masked):
        for prediction, mask in zip(keras.tree.flatten(y_pred.values), y_pred.masks):
            give_mask(prediction, mask)
        y_pred = y_pred.values
    return original(self, x, y, y_pred, sample_weight=sample_weight)


# -- outputs of recurrent layers ---------------------------------------------------------------------------------------
# The outputs of recurrent layers at masked steps on JAX and PyTorch.
#
# In tf.keras a masked step has the output of the step before it, and zeros before the first output. Keras 3 on JAX has
# the first state there. That may be another one: a state that the program gives or keeps, or that of a cell of its
# own. A mask of images, or one of unrolled steps from the end on PyTorch, is an error there.


# Where the recurrent layers of Keras look for their loop.
_HOME = 'keras.src.backend'


def outputs_of_steps(keras: Any) -> str:
    """Let recurrent layers repeat the last output at masked steps."""
    if keras.backend.backend() == 'tensorflow':
        return ''
    home: Any = import_module(_HOME)
    home.rnn = _masking(home.rnn, keras)
    return f'{_HOME}.rnn'


def _masking(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    from keras import ops

    from ...engines.keras3_backend.vendor import state_mapping

    def chosen(mask: Any, new: Any, old: Any) -> Any:
        return ops.where(ops.reshape(mask, (-1,) + (1,) * (len(new.shape) - 1)), new, old)

    @functools.wraps(original)
    def rnn(
        step_function: Callable[..., Any],
        inputs: Any,
        initial_states: Any,
        go_backwards: bool = False,
        mask: Any = None,
        **kwargs: Any,
    ) -> Any:
        if mask is None or kwargs.get('time_major') or kwargs.get('zero_output_for_mask'):
            return original(step_function, inputs, initial_states, go_backwards, mask, **kwargs)
        states: List[Any] = list(initial_states)

        def step(values: Any, kept: Any) -> Tuple[Any, List[Any]]:
            (x, counts), (before, *old) = values, kept
            output, new = step_function(x, type(initial_states)(old))
            output = chosen(counts, output, before)
            pairs = zip(keras.tree.flatten(new), keras.tree.flatten(old))
            new = keras.tree.pack_sequence_as(old, [chosen(counts, *pair) for pair in pairs])
            return output, [output, *new]

        # The loop needs the shape of an output. This step counts nowhere: what it assigns is dropped.
        first = keras.tree.map_structure(lambda x: x[:, -1 if go_backwards else 0], inputs)
        scope = keras.StatelessScope()
        scope.state_mapping = state_mapping()
        with scope:
            zeros = ops.zeros_like(step_function(first, initial_states)[0])
        counted = ops.expand_dims(ops.cast(mask, 'bool'), -1) if len(mask.shape) == 2 else ops.cast(mask, 'bool')
        last, outputs, ends = original(step, (inputs, counted), [zeros, *states], go_backwards, **kwargs)
        return last, outputs, list(ends)[1:]

    return rnn

"""The loss in `history` and `evaluate` of a model that is compiled without a loss, and learns by `add_loss`.

tf.keras takes the mean over batches there, the smaller last one counting as much as the others. Where `add_loss` gets
one number for each sample, their sum is trained, and their mean over all samples is told. Keras 3 weights batches by
their sizes, and tells the sum.
"""

import functools
import inspect
from typing import Any, Callable, Sequence

from .classes_of_keras import owner

# How many numbers the losses of the batch are, in the metric of the loss.
_COUNT = '_keras_backend_count'


def means_of_losses(keras: Any) -> str:
    """Let the loss of a model that is compiled without one be the mean over batches, as in tf.keras."""
    keras.Model.compute_loss = _counting(keras.Model.compute_loss)
    keras.metrics.Mean.update_state = _by_count(keras.metrics.Mean.update_state)
    made = owner(keras.Model, 'compile')
    made.compile = _without_loss(made.compile)
    return 'Model.compute_loss, Model.compile, Mean.update_state'


def _counting(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compute_loss(self: Any, *args: Any, **kwargs: Any) -> Any:
        loss = original(self, *args, **kwargs)
        told = getattr(self, '_loss_tracker', None)
        if told is not None:
            vars(told)[_COUNT] = _count(self.losses) if getattr(self, 'loss', None) is None else None
        return loss

    return compute_loss


def _count(losses: Sequence[Any]) -> Any:
    """How many numbers each of the losses is: 1, or the number of samples where all of them have an axis."""
    from keras import ops

    shapes = [ops.shape(loss) for loss in losses]
    return functools.reduce(lambda a, b: a * b, shapes[0]) if shapes and all(shapes) else 1


def _by_count(original: Callable[..., Any]) -> Callable[..., Any]:
    from keras import ops

    @functools.wraps(original)
    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        count = vars(self).get(_COUNT)
        if count is not None:
            count = ops.cast(count, self.dtype)
            values, sample_weight = ops.cast(values, self.dtype) / count, count
        return original(self, values, sample_weight=sample_weight)

    return update_state


def _without_loss(original: Callable[..., Any]) -> Callable[..., Any]:
    at = list(inspect.signature(original).parameters).index('loss') - 1

    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) > at and _is_empty(args[at]):
            args = (*args[:at], None, *args[at + 1 :])
        elif _is_empty(kwargs.get('loss')):
            kwargs['loss'] = None
        return original(self, *args, **kwargs)

    return compile


def _is_empty(loss: Any) -> bool:
    return isinstance(loss, (list, tuple, dict)) and not loss

"""Functions of K with the meaning that one version of Keras gave them."""

import functools
import sys
from types import ModuleType
from typing import Any, Iterator

from ...errors import FeedError
from . import keras_cures, versions

# -- batch_flatten -----------------------------------------------------------------------------------------------------
# `K.batch_flatten` of Keras 2.3, which takes a number from NumPy's stream.


def one_number(keras: ModuleType) -> str:
    """Let `K.batch_flatten` of Keras 2.3 draw what it drew, so that all later draws of a seeded program are the same.

    Found by counting the calls of `numpy.random`: each `Flatten` of 2.3.0 and 2.3.1 draws `randint(1e4)`, and those of
    2.2 draw nothing. `fit` shuffles by the same stream, so without it the batches come in another order.
    """
    K: Any = sys.modules['keras.backend']
    if versions.numbers(keras.__version__)[:2] < (2, 3):
        return ''
    import numpy as np  # not before the program, which may still choose the threads of its BLAS

    original = K.batch_flatten

    @functools.wraps(original)
    def batch_flatten(x: Any) -> Any:
        np.random.randint(10000)
        return original(x)

    keras_cures.replace_in_k(batch_flatten=batch_flatten)
    return 'K.batch_flatten'


# -- moving_average_update ---------------------------------------------------------------------------------------------
# `K.moving_average_update` with the meaning of Keras 2.1 and 2.2: an average without the bias of its first value.


def without_bias(keras: ModuleType) -> str:
    """Let `K.moving_average_update` of Keras 2.1 and 2.2 leave out the first value, as TensorFlow did for it.

    The average starts at zero beside the variable, and the variable is the average divided by 1 - momentum ** steps
    (Kingma, Ba: Adam, section 3, https://arxiv.org/abs/1412.6980). With momentum 0.8 and the values 10 and 20 the
    variable is 10 and 15.6. A value that the program gives the variable in between is lost at the next step.
    """
    K: Any = sys.modules['keras.backend']
    if not (2, 1) <= versions.numbers(keras.__version__)[:2] < (2, 3) or hasattr(K.function, '_of_keras2'):
        return ''
    original = K.function

    def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
        """The updates of `x`, of its average and of the number of steps. `K.function` takes them as one.

        On TensorFlow they are one operation, since programs give it to `tf.control_dependencies` and to `session.run`.
        """
        average, steps = K.zeros(K.int_shape(x), K.dtype(x)), K.zeros((), K.dtype(x))
        new_average, new_steps = average * momentum + value * (1.0 - momentum), steps + 1.0
        unbiased = new_average / (1.0 - K.pow(momentum * K.ones_like(new_steps), new_steps))
        before = [K.update(average, new_average), K.update(steps, new_steps)]
        if keras_cures.short_name() != 'tensorflow':
            return [*before, K.update(x, unbiased)]
        with x.graph.control_dependencies(before):
            return K.update(x, unbiased)

    @functools.wraps(original)
    def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Any:
        if isinstance(updates, (list, tuple)) and any(isinstance(update, list) for update in updates):
            updates = list(_flat(updates))
        return original(inputs, outputs, updates, **kwargs)

    function._of_keras2 = True  # type: ignore[attr-defined]
    keras_cures.replace_in_k(moving_average_update=moving_average_update, function=function)
    return 'K.moving_average_update'


def _flat(updates: Any) -> Iterator[Any]:
    for update in updates:
        if isinstance(update, list):
            yield from _flat(update)
        else:
            yield update


# -- functions that are fed with tensors -------------------------------------------------------------------------------
# Functions of K that are fed with tensors: `model.fit(x, y, steps_per_epoch=2)` of symbolic tensors.


def values_of_tensors(keras: ModuleType) -> str:
    """Let functions of K be fed with tensors and variables: each call feeds the values that they have then."""
    from ...basics.calls import Function  # imports NumPy

    engine: Any = sys.modules[keras_cures.engine_module()]
    call = Function.__call__
    if hasattr(call, '_of_keras2'):
        return ''

    @functools.wraps(call)
    def __call__(self: Any, inputs: Any = ()) -> Any:
        try:
            return call(self, inputs)
        except FeedError:  # before anything has run
            if not isinstance(inputs, (list, tuple)) or not any(engine.is_tensor(fed) for fed in inputs):
                raise
        return call(self, [engine.eval(fed) if engine.is_tensor(fed) else fed for fed in inputs])

    __call__._of_keras2 = True  # type: ignore[attr-defined]
    Function.__call__ = __call__  # type: ignore[method-assign]
    return 'K.function'

"""`K.moving_average_update` with the meaning of Keras 2.1 and 2.2: an average without the bias of its first value."""

import functools
import sys
from types import ModuleType
from typing import Any, Iterator

from . import keras_cures, versions


def without_bias(keras: ModuleType) -> str:
    """Let `K.moving_average_update` of Keras 2.1 and 2.2 leave out the first value, as TensorFlow did for it.

    The average starts at zero beside the variable, and the variable is the average divided by 1 - momentum ** steps
    (Kingma, Ba: Adam, section 3, https://arxiv.org/abs/1412.6980). With momentum 0.8 and the values 10 and 20 the
    variable is 10 and 15.6. A value that the program gives the variable in between is lost at the next step.
    """
    K: Any = sys.modules['keras.backend']
    if not (2, 1) <= versions.numbers(keras.__version__)[:2] < (2, 3) or hasattr(K.function, '_of_keras2'):
        return ''
    made = K.function

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

    @functools.wraps(made)
    def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Any:
        if isinstance(updates, (list, tuple)) and any(isinstance(update, list) for update in updates):
            updates = list(_flat(updates))
        return made(inputs, outputs, updates, **kwargs)

    function._of_keras2 = True  # type: ignore[attr-defined]
    keras_cures.replace_in_k(moving_average_update=moving_average_update, function=function)
    return 'K.moving_average_update'


def _flat(updates: Any) -> Iterator[Any]:
    for update in updates:
        if isinstance(update, list):
            yield from _flat(update)
        else:
            yield update

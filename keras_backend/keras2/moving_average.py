"""`K.moving_average_update` as Keras 2.2 meant it: the average is right from the first value on."""
from types import ModuleType
from typing import Any, Callable


def of_keras_22(K: ModuleType) -> Callable[..., Any]:
    """The function, said in other functions of K.

    A moving average that starts at 0 is too small at first. After t values it is the true average times
    1 - momentum ** t. Keras 2.2 keeps such an average beside the variable, and sets the variable to it divided by that
    factor (Kingma and Ba 2015, section 3). With momentum 0.5 the values 4 and 8 give 2 and 5 beside it, and
    2 / 0.5 = 4 and 5 / 0.75 = 6.67 in the variable. What the variable held before does not count.
    """

    def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
        biased = K.zeros(K.int_shape(x), K.dtype(x))
        count = K.variable(0., K.dtype(x))
        new_biased = biased * momentum + K.cast(value, K.dtype(x)) * (1. - momentum)
        new_count = count + 1.
        average = new_biased / (1. - K.pow(K.ones_like(count) * momentum, new_count))
        # They are not part of any layer, so the update brings them along.
        with K.control_dependencies([K.update(biased, new_biased), K.update(count, new_count)]):
            return K.update(x, average)
    return moving_average_update

"""`decay` of optimizers, beside a learning rate that programs read and set.

In tf.keras of 2019 to 2022, `lr` is a variable, and a step takes lr / (1 + decay * steps). Keras 3 has schedules for
this, and a schedule cannot be set. So the variable stays one here, and the division belongs to the step.
"""

import functools
from typing import Any, Callable, Dict

from .classes_of_keras import owner

_DECAY, _STEPPING = '_keras_backend_decay', '_keras_backend_stepping'


def rates_beside_decay(keras: Any) -> str:
    """Let `K.set_value(optimizer.lr, rate)` and callbacks set the learning rate of an optimizer with `decay`."""
    base = keras.optimizers.Optimizer
    base.keras_backend_takes_decay = True
    made = owner(base, '_backend_apply_gradients')
    made._backend_apply_gradients = _stepping(made._backend_apply_gradients)
    made = owner(base, 'learning_rate')
    of_keras = vars(made)['learning_rate']
    made.learning_rate = property(_rate(of_keras.fget, keras), of_keras.fset)
    made = owner(base, 'get_config')
    made.get_config = _with_decay(made.get_config)
    return 'Optimizer.learning_rate, Optimizer.get_config'


def set_decay(optimizer: Any, decay: float) -> None:
    """Let the steps of an optimizer divide its learning rate by 1 + decay * steps."""
    vars(optimizer)[_DECAY] = float(decay)


def _stepping(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        vars(self)[_STEPPING] = True
        try:
            return original(self, *args, **kwargs)
        finally:
            vars(self)[_STEPPING] = False

    return step


def _rate(original: Callable[[Any], Any], keras: Any) -> Callable[[Any], Any]:
    @functools.wraps(original)
    def learning_rate(self: Any) -> Any:
        decay = vars(self).get(_DECAY)
        if not decay:
            return original(self)
        if not vars(self).get(_STEPPING):
            own = vars(self).get('_learning_rate')
            return own if hasattr(own, 'assign') else original(self)
        rate = keras.ops.convert_to_tensor(original(self))
        return rate / (1 + decay * keras.ops.cast(self.iterations, rate.dtype))

    return learning_rate


def _with_decay(original: Callable[[Any], Dict[str, Any]]) -> Callable[[Any], Dict[str, Any]]:
    @functools.wraps(original)
    def get_config(self: Any) -> Dict[str, Any]:
        config, decay = original(self), vars(self).get(_DECAY)
        return {**config, 'decay': decay} if decay else config

    return get_config

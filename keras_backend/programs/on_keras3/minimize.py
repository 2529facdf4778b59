"""`optimizer.minimize(loss, variables, tape=tape)` of tf.keras: gradients of a loss, and one step by them."""

import sys
from typing import Any


def minimize(keras: Any) -> str:
    """Give optimizers `minimize`, of a function without arguments, or of a loss that a tape has recorded."""
    optimizer = keras.optimizers.Optimizer
    if hasattr(optimizer, 'minimize'):
        return ''
    optimizer.minimize = _minimize
    return 'Optimizer.minimize'


def _minimize(self: Any, loss: Any, var_list: Any, grad_loss: Any = None, name: Any = None, tape: Any = None) -> Any:
    """Lower a loss by one step. var_list: the variables, or a function that gives them."""
    if tape is None:
        if not callable(loss):
            raise ValueError('`tape` is required when a `Tensor` loss is passed.')
        tape = sys.modules['tensorflow'].GradientTape()
    if callable(loss):
        with tape:
            value = loss()
            variables = var_list() if callable(var_list) else var_list
    else:
        value, variables = loss, var_list() if callable(var_list) else var_list
    gradients = tape.gradient(value, variables, grad_loss)
    return self.apply_gradients(list(zip(gradients, variables)))

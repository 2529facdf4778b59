"""`keras.optimizers.legacy`: the optimizers of the time before Keras 2.11.

Most of them are those of today. RMSprop added `epsilon` outside of the root where it has no momentum, and Nadam lowered
its momentum by `schedule_decay`, 250 times slower than that of today.
"""

import functools
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict

from ..launcher.cures import replacing, warn_once

_NAMES = 'Adadelta Adagrad Adam Adamax Ftrl Nadam Optimizer RMSprop SGD'.split()


def legacy_optimizers(module: ModuleType) -> str:
    """Let `optimizers.legacy` have the optimizers of 2019 to 2022, which take `lr` and `decay`. Keras 3 has none."""
    optimizers = import_module('keras.optimizers')
    classes: Dict[str, Any] = {name: vars(optimizers)[name] for name in _NAMES}
    classes.update(_of_the_time())
    vars(module).update(classes)
    return ', '.join(classes)


def steps_of_today(keras: Any) -> str:
    """Say once that RMSprop and Nadam take other steps than in the TensorFlow of the program."""
    for name in ('RMSprop', 'Nadam'):
        _saying_so(vars(keras.optimizers)[name], name)
    return 'RMSprop.__init__, Nadam.__init__'


def _saying_so(kind: Any, name: str) -> None:
    @replacing(kind, '__init__')
    def __init__(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        # With a momentum both are the same.
        of_keras = type(self).__module__.startswith('keras.')  # on PyTorch it is a class of its own
        if of_keras and not getattr(self, 'momentum', 0.0) and 'tensorflow' in sys.modules and Program.is_older():
            warn_once(
                f'keras.optimizers.{name} takes the steps of TensorFlow 2.11 and later; those of before, which this '
                f'program may have had, are in keras.optimizers.legacy.{name}.'
            )


class Program:
    """What the door of the launcher knows about the program."""

    # Whether nothing says that it is of TensorFlow 2.11 or later.
    is_older: Callable[[], bool] = staticmethod(lambda: False)


@functools.lru_cache(maxsize=None)
def _of_the_time() -> Dict[str, Any]:
    """The classes whose steps are others than those of today, once for all places."""
    keras: Any = import_module('keras')
    ops = keras.ops
    # The classes of a file are found by these names.
    register = keras.saving.register_keras_serializable('keras_backend_legacy')

    @register
    class RMSprop(keras.optimizers.RMSprop):
        """RMSprop of tf.keras 2.0 to 2.10."""

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            """Change a variable by a gradient."""
            if self.momentum > 0:
                super().update_step(gradient, variable, learning_rate)
                return
            index = self._get_variable_index(variable)
            rate, g = ops.cast(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
            squares = self._velocities[index]
            mean = ops.add(ops.multiply(squares, self.rho), ops.multiply(ops.square(g), 1 - self.rho))
            self.assign(squares, mean)
            if self.centered:
                average = self._average_gradients[index]
                of_gradients = ops.add(ops.multiply(average, self.rho), ops.multiply(g, 1 - self.rho))
                self.assign(average, of_gradients)
                mean = ops.subtract(mean, ops.square(of_gradients))
            change = ops.divide(ops.multiply(rate, g), ops.add(ops.sqrt(mean), self.epsilon))
            self.assign_sub(variable, change)

    of_today = keras.optimizers.Nadam

    @register
    class Nadam(of_today):  # type: ignore[misc, valid-type]
        """Nadam of tf.keras 2.0 to 2.10."""

        def __init__(self, *args: Any, schedule_decay: Any = None, decay: Any = None, **kwargs: Any) -> None:
            # `decay` is the other name of it, which files have.
            rate = decay if schedule_decay is None else schedule_decay
            super().__init__(*args, **kwargs)
            self.schedule_decay = 0.004 if rate is None else float(rate)

        def _momentum_of(self, step: Any) -> Any:
            falling = ops.power(ops.cast(0.96, step.dtype), self.schedule_decay * step)
            return self.beta_1 * (1.0 - 0.5 * falling)

        def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
            product = ops.convert_to_tensor(self._u_product)
            step = ops.cast(self.iterations + 1, product.dtype)
            self.assign(self._u_product, product * self._momentum_of(step))
            # That of Nadam itself would multiply the product by a momentum of today.
            super(of_today, self)._backend_update_step(grads, trainable_variables, learning_rate)

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            """Change a variable by a gradient."""
            dtype, index = variable.dtype, self._get_variable_index(variable)
            rate, g = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
            step = ops.cast(self.iterations + 1, dtype)
            now, later = self._momentum_of(step), self._momentum_of(step + 1)
            product = ops.cast(self._u_product, dtype)
            m, v = self._momentums[index], self._velocities[index]
            mean = self.beta_1 * ops.convert_to_tensor(m) + (1 - self.beta_1) * g
            squares = self.beta_2 * ops.convert_to_tensor(v) + (1 - self.beta_2) * ops.square(g)
            self.assign(m, mean)
            self.assign(v, squares)
            direction = (1 - now) * g / (1 - product) + later * mean / (1 - product * later)
            corrected = squares / (1 - ops.power(ops.cast(self.beta_2, dtype), step))
            self.assign_sub(variable, rate * direction / (ops.sqrt(corrected) + self.epsilon))

        def get_config(self) -> Dict[str, Any]:
            """The arguments of `__init__`."""
            return {**super().get_config(), 'decay': self.schedule_decay}

    return {'RMSprop': RMSprop, 'Nadam': Nadam}

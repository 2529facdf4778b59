"""The optimizers of before TensorFlow 2.11: `keras.optimizers.legacy`, and those of the programs of that time.

Most of them are those of today. RMSprop added `epsilon` outside of the root where it has no momentum, Adagrad always,
and Nadam lowered its momentum by `schedule_decay`, 250 times slower than that of today.
"""

import functools
from importlib import import_module
from types import ModuleType
from typing import Any, Dict, List

from ..launcher.check import years
from ..launcher.cures import around, replacing
from .optimizer_updates import CLIPS, clipped

_NAMES = 'Adadelta Adagrad Adam Adamax Ftrl Nadam Optimizer RMSprop SGD'.split()
_SCHEDULE_DECAY = 0.004


def legacy_optimizers(module: ModuleType) -> str:
    """Let `optimizers.legacy` have the optimizers of 2019 to 2022, which take `lr` and `decay`. Keras 3 has none."""
    optimizers = import_module('keras.optimizers')
    classes: Dict[str, Any] = {name: vars(optimizers)[name] for name in _NAMES}
    classes.update(_of_the_time())
    vars(module).update(classes)
    return ', '.join(classes)


@functools.lru_cache(maxsize=None)
def _of_the_time() -> Dict[str, Any]:
    """The classes whose steps are others than those of today, once for all places."""
    keras: Any = import_module('keras')
    # The classes of a file are found by these names.
    register = keras.saving.register_keras_serializable('keras_backend_legacy')
    of_today = keras.optimizers.Nadam

    @register
    class RMSprop(keras.optimizers.RMSprop):
        """RMSprop of tf.keras 2.0 to 2.10."""

        def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
            _step_all(RMSprop, self, super()._backend_update_step, grads, trainable_variables, learning_rate)

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            """Change a variable by a gradient."""
            _step_of_rmsprop(super().update_step, self, gradient, variable, learning_rate)

    @register
    class Adagrad(keras.optimizers.Adagrad):
        """Adagrad of tf.keras 2.0 to 2.10."""

        def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
            _step_all(Adagrad, self, super()._backend_update_step, grads, trainable_variables, learning_rate)

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            """Change a variable by a gradient."""
            _step_of_adagrad(self, gradient, variable, learning_rate)

    @register
    class Nadam(of_today):  # type: ignore[misc, valid-type]
        """Nadam of tf.keras 2.0 to 2.10."""

        def __init__(self, *args: Any, schedule_decay: Any = None, decay: Any = None, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.schedule_decay = _SCHEDULE_DECAY if schedule_decay is None else float(schedule_decay)

        def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
            # That of Nadam itself would multiply the product by a momentum of today.
            of_base = super(of_today, self)._backend_update_step
            _step_all(Nadam, self, of_base, grads, trainable_variables, learning_rate)

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            """Change a variable by a gradient."""
            _step_of_nadam(self, gradient, variable, learning_rate)

        def get_config(self) -> Dict[str, Any]:
            """The arguments of `__init__`."""
            return {**super().get_config(), 'decay': self.schedule_decay}

    return {'RMSprop': RMSprop, 'Adagrad': Adagrad, 'Nadam': Nadam}


# -- steps -------------------------------------------------------------------------------------------------------------


def _step_of_rmsprop(of_today: Any, self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Change a variable by a gradient. `of_today` is the step of Keras, which is the same with a momentum."""
    from keras import ops

    if self.momentum > 0:
        of_today(gradient, variable, learning_rate)
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


def _step_of_adagrad(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Change a variable by a gradient."""
    from keras import ops

    squares = self._accumulators[self._get_variable_index(variable)]
    rate, g = ops.cast(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
    total = ops.add(squares, ops.square(g))
    self.assign(squares, total)
    change = ops.divide(ops.multiply(rate, g), ops.add(ops.sqrt(total), self.epsilon))
    self.assign_sub(variable, change)


def _momentum_of(self: Any, step: Any) -> Any:
    from keras import ops

    falling = ops.power(ops.cast(0.96, step.dtype), self.schedule_decay * step)
    return self.beta_1 * (1.0 - 0.5 * falling)


def _multiply_product(self: Any) -> None:
    """Multiply the product of the momentums by that of this step."""
    from keras import ops

    product = ops.convert_to_tensor(self._u_product)
    step = ops.cast(self.iterations + 1, product.dtype)
    self.assign(self._u_product, product * _momentum_of(self, step))


def _step_of_nadam(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Change a variable by a gradient."""
    from keras import ops

    dtype, index = variable.dtype, self._get_variable_index(variable)
    rate, g = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
    step = ops.cast(self.iterations + 1, dtype)
    now, later = _momentum_of(self, step), _momentum_of(self, step + 1)
    product = ops.cast(self._u_product, dtype)
    m, v = self._momentums[index], self._velocities[index]
    mean = self.beta_1 * ops.convert_to_tensor(m) + (1 - self.beta_1) * g
    squares = self.beta_2 * ops.convert_to_tensor(v) + (1 - self.beta_2) * ops.square(g)
    self.assign(m, mean)
    self.assign(v, squares)
    direction = (1 - now) * g / (1 - product) + later * mean / (1 - product * later)
    corrected = squares / (1 - ops.power(ops.cast(self.beta_2, dtype), step))
    self.assign_sub(variable, rate * direction / (ops.sqrt(corrected) + self.epsilon))


# -- steps of all variables together -----------------------------------------------------------------------------------
# PyTorch changes a list of tensors by one call, which takes half of the time or less.


def _step_all(optimizer: Any, self: Any, one_by_one: Any, grads: Any, variables: Any, rate: Any) -> None:
    """Change variables by their gradients, by `one_by_one` where they cannot be changed together.

    optimizer: the class that has the step. A class of a program may have another one.
    """
    if optimizer.__name__ == 'Nadam':
        _multiply_product(self)
    if (
        _has_step_of_today(self)
        or type(self).update_step is not optimizer.update_step
        or not _are_of_pytorch(grads, variables)
    ):
        one_by_one(grads, variables, rate)
        return
    import torch
    from keras import ops

    places = [self._get_variable_index(variable) for variable in variables]
    with torch.no_grad():
        tensors = [variable.value for variable in variables]
        _TOGETHER[optimizer.__name__](self, places, tensors, grads, float(ops.convert_to_tensor(rate)))


def _has_step_of_today(self: Any) -> bool:
    """Whether it is RMSprop with a momentum."""
    return getattr(self, 'momentum', 0) > 0


def _are_of_pytorch(grads: Any, variables: Any) -> bool:
    from keras import backend

    if backend.backend() != 'torch':
        return False
    dtypes = {str(gradient.dtype) for gradient in grads} | {str(variable.value.dtype) for variable in variables}
    return dtypes == {'torch.float32'} and not any(gradient.is_sparse for gradient in grads)


def _values(variables: Any, places: List[int]) -> List[Any]:
    return [variables[place].value for place in places]


def _rmsprop_together(self: Any, places: List[int], tensors: List[Any], grads: List[Any], rate: float) -> None:
    import torch

    mean = squares = _values(self._velocities, places)
    torch._foreach_mul_(squares, self.rho)
    torch._foreach_addcmul_(squares, grads, grads, 1 - self.rho)
    if self.centered:
        averages = _values(self._average_gradients, places)
        torch._foreach_mul_(averages, self.rho)
        torch._foreach_add_(averages, grads, alpha=1 - self.rho)
        mean = torch._foreach_addcmul(squares, averages, averages, -1)
    _take_off(tensors, grads, mean, self.epsilon, rate)


def _adagrad_together(self: Any, places: List[int], tensors: List[Any], grads: List[Any], rate: float) -> None:
    import torch

    squares = _values(self._accumulators, places)
    torch._foreach_addcmul_(squares, grads, grads)
    _take_off(tensors, grads, squares, self.epsilon, rate)


def _nadam_together(self: Any, places: List[int], tensors: List[Any], grads: List[Any], rate: float) -> None:
    import torch
    from keras import ops

    step = ops.cast(self.iterations + 1, 'float32')
    numbers = [_momentum_of(self, step), _momentum_of(self, step + 1), ops.convert_to_tensor(self._u_product), step]
    now, later, product, count = torch.stack([number.to(torch.float32) for number in numbers]).tolist()
    means, squares = _values(self._momentums, places), _values(self._velocities, places)
    torch._foreach_mul_(means, self.beta_1)
    torch._foreach_add_(means, grads, alpha=1 - self.beta_1)
    torch._foreach_mul_(squares, self.beta_2)
    torch._foreach_addcmul_(squares, grads, grads, 1 - self.beta_2)
    direction = torch._foreach_mul(grads, (1 - now) / (1 - product))
    torch._foreach_add_(direction, means, alpha=later / (1 - product * later))
    _take_off(tensors, direction, torch._foreach_div(squares, 1 - self.beta_2**count), self.epsilon, rate)


def _take_off(tensors: List[Any], directions: List[Any], squares: List[Any], epsilon: float, rate: float) -> None:
    """Change tensors by `- rate * direction / (root of the square + epsilon)`."""
    import torch

    roots = torch._foreach_sqrt(squares)
    torch._foreach_add_(roots, epsilon)
    torch._foreach_addcdiv_(tensors, directions, roots, -rate)


_TOGETHER = {'RMSprop': _rmsprop_together, 'Adagrad': _adagrad_together, 'Nadam': _nadam_together}


# -- the optimizers of a program ---------------------------------------------------------------------------------------
# `RMSprop()`, `compile('rmsprop')`, `RMSprop` of a file: the classes stay those of Keras, and take the steps of the
# time. So files, `isinstance` and other names know them, and classes of a program that derive from them step so, too.


def steps_of_the_time(keras: Any) -> str:
    """Let RMSprop, Adagrad and Nadam step as in TensorFlow 2.0 to 2.10, where nothing tells a later TensorFlow."""
    # The door of the launcher has read the program, and its version is in the environment.
    if years.year_of('').is_new:
        return ''
    rmsprop, adagrad, nadam = [vars(keras.optimizers)[name] for name in ('RMSprop', 'Adagrad', 'Nadam')]

    @replacing(rmsprop, 'update_step')
    def update_step(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        _step_of_rmsprop(functools.partial(original, self), self, *args, **kwargs)

    adagrad.update_step, nadam.update_step = _step_of_adagrad, _step_of_nadam
    nadam._backend_update_step = _by_steps_of_the_time(nadam._backend_update_step, nadam)
    nadam.__init__ = _with_schedule_decay(nadam.__init__)
    for optimizer in rmsprop, adagrad, nadam:
        optimizer.__init__ = _with_steps_of_the_time(optimizer.__init__, optimizer)
    return 'update_step of RMSprop, Adagrad, Nadam; Nadam.__init__'


@around
def _by_steps_of_the_time(original: Any, optimizer: Any, self: Any, *args: Any) -> None:
    """The step of all variables, in the place of that of Keras, which would take the steps of today."""
    if _has_step_of_today(self):
        original(self, *args)
        return
    _step_all(optimizer, self, super(optimizer, self)._backend_update_step, *args)


@around
def _with_schedule_decay(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    # Nadam of the time took `decay`, wrote it into files, and did nothing with it.
    kwargs.pop('decay', None)
    schedule_decay = float(kwargs.pop('schedule_decay', _SCHEDULE_DECAY))
    original(self, *args, **kwargs)
    self.schedule_decay = schedule_decay


@around
def _with_steps_of_the_time(original: Any, optimizer: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    made = type(self)
    # PyTorch has classes of its own, which step all variables together.
    own = vars(made)
    if made is not optimizer and '_parallel_update_step' in own and '_backend_update_step' not in own:
        made._backend_update_step = _by_steps_of_the_time(made._backend_update_step, optimizer)
    original(self, *args, **kwargs)


# -- clipping ----------------------------------------------------------------------------------------------------------


def clips_of_the_time(keras: Any) -> str:
    """Let an optimizer clip by `clipvalue` and by `clipnorm` or `global_clipnorm`, as in TensorFlow 2.0 to 2.10.

    Keras 3 takes one of them. TensorFlow 2.11 to 2.15 left the value out beside a norm, so there the error stays.
    """
    if years.year_of('').is_new:
        return ''
    base = keras.optimizers.Optimizer
    base.__init__ = _with_both(base.__init__)
    base._clip_gradients = _clipped_by_both(base._clip_gradients)
    return 'Optimizer.__init__, Optimizer._clip_gradients'


@around
def _with_both(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    has_norm = kwargs.get('clipnorm') is not None or kwargs.get('global_clipnorm') is not None
    value = kwargs.pop('clipvalue', None) if has_norm else None
    original(self, *args, **kwargs)
    if value is not None:
        self.clipvalue = value


@around
def _clipped_by_both(original: Any, self: Any, grads: Any) -> Any:
    if sum(getattr(self, name, None) is not None for name in CLIPS) < 2:
        return original(self, grads)
    known = iter(clipped(self, [gradient for gradient in grads if gradient is not None]))
    return [None if gradient is None else next(known) for gradient in grads]

"""Functions whose gradients at some places are not those of the backend (docs/semantics.md#gradients).

At a tie JAX and PyTorch give half of the gradient of `maximum` to each argument. The slope of `abs` at 0 is 1 on JAX.
The gradients of the power are NaN where the base and the exponent are 0. The gradient by the exponent is NaN where the
base is negative.
"""

from typing import Any, Callable

import numpy as np

from ....basics.dtypes import check_exponent
from ..tensors.dtypes import name_of
from ..tensors.operations import registered
from ..vendor import BACKEND, COMPUTED, is_symbolic, keras
from .wide import of_keras_or_wide

Tensor = Any
absolute: Callable[[Tensor], Tensor]
maximum: Callable[[Tensor, Tensor], Tensor]
minimum: Callable[[Tensor, Tensor], Tensor]
power: Callable[[Tensor, Tensor], Tensor]
_of_keras = of_keras_or_wide('power')

if BACKEND == 'torch':
    import torch

    absolute = torch.abs

    def _extreme(function: Callable[..., Tensor], wins: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def extreme(x: Tensor, y: Tensor) -> Tensor:
            # Without a gradient the value is all that counts.
            if torch.is_grad_enabled() and (x.requires_grad or y.requires_grad):
                return torch.where(wins(x, y), x, function(x.detach(), y))
            return function(x, y)

        return extreme

    maximum, minimum = _extreme(torch.maximum, torch.ge), _extreme(torch.minimum, torch.le)

    def power(x: Tensor, a: Tensor) -> Tensor:
        """`x ** a` of floats. PyTorch has the slope by `x`, and not that of the slope where both are 0."""
        if a.requires_grad:
            a = torch.where(x > 0, a, a.detach())
        if x.requires_grad and torch.is_grad_enabled():
            x = torch.where((x == 0) & (a == 0), 1, x)
        return torch.pow(x, a)

elif BACKEND == 'jax':
    import jax
    import jax.numpy as jnp
    from jax.custom_derivatives import SymbolicZero

    def _sloped(function: Callable[..., Tensor], slope: Callable[..., Tensor]) -> Callable[..., Tensor]:
        """The compiled function. `slope` gives its change, from the arguments and their changes."""

        @jax.custom_jvp
        def sloped(*given: Tensor) -> Tensor:
            return function(*given)

        sloped.defjvp(lambda given, changes: (function(*given), slope(*given, *changes)))
        return jax.jit(sloped)  # type: ignore[no-any-return]

    absolute = _sloped(jnp.abs, lambda x, dx: jnp.sign(x) * dx)
    maximum = _sloped(jnp.maximum, lambda x, y, dx, dy: jnp.where(x >= y, dx, dy))
    minimum = _sloped(jnp.minimum, lambda x, y, dx, dy: jnp.where(x <= y, dx, dy))

    @jax.custom_jvp
    def _power(x: Tensor, a: Tensor) -> Tensor:
        return jnp.power(x, a)

    def _slopes(given: Any, changes: Any) -> Any:
        (x, a), (dx, da) = given, changes
        y = _power(x, a)
        change = jnp.zeros_like(y)
        if dx.__class__ is not SymbolicZero:
            less = jnp.where((a == 0) & (x == 0), 0, a - 1)
            change += a * _power(x, less) * dx
        if da.__class__ is not SymbolicZero:
            change += jnp.where(x > 0, y * jnp.log(jnp.where(x > 0, x, 1)), 0) * da
        return y, change

    _power.defjvp(_slopes, symbolic_zeros=True)
    power = jax.jit(_power)
else:
    import tensorflow as tf

    absolute, maximum, minimum = tf.abs, tf.maximum, tf.minimum

    @tf.custom_gradient
    def power(x: Tensor, a: Tensor) -> Any:
        """`x ** a` of floats."""
        y = tf.pow(x, a)

        def slopes(g: Tensor) -> Any:
            zero, one = tf.zeros((), x.dtype), tf.ones((), x.dtype)
            less = tf.where(tf.logical_and(tf.equal(a, zero), tf.equal(x, zero)), zero, a - one)
            positive = x > zero
            by_a = tf.where(positive, y * tf.math.log(tf.where(positive, x, one)), zero)
            return _summed_to(g * a * power(x, less), x), _summed_to(g * by_a, a)

        return y, slopes

    def _summed_to(g: Tensor, x: Tensor) -> Tensor:
        """`g` summed over the axes along which `x` was broadcast."""
        if g.shape.is_fully_defined() and g.shape == x.shape:
            return g
        axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(g))
        return tf.reshape(tf.reduce_sum(g, axes), tf.shape(x))


@registered
class Power(keras.Operation):
    """`x ** a` of two tensors."""

    def call(self, x: Tensor, a: Tensor) -> Tensor:
        return power(x, keras.ops.convert_to_tensor(a, name_of(x)))

    def compute_output_spec(self, x: Tensor, a: Tensor) -> Tensor:
        return keras.KerasTensor(keras.ops.power(x, a).shape, name_of(x))


def pow(x: Tensor, a: Tensor) -> Tensor:
    """`x ** a` of tensors of one dtype. A node of a graph is one of Keras where the slopes of Keras are right."""
    if 'float' not in name_of(x):
        # Where its values are there: JAX and PyTorch give a number for a negative power.
        if a.__class__ in COMPUTED:
            check_exponent(name_of(x), keras.ops.convert_to_numpy(a))
        return _of_keras(x, a)
    if not is_symbolic(x) and not is_symbolic(a):
        return power(x, a)
    exponents = None if is_symbolic(a) else keras.ops.convert_to_numpy(a)
    if exponents is not None and np.ndim(exponents) == 0 and exponents == 2:
        return keras.ops.square(x)
    return Power()(x, a) if exponents is None or _comes_to_0(exponents) else _of_keras(x, a)


def _comes_to_0(exponents: Any) -> bool:
    """Whether an exponent is 0, or is in a gradient of some order."""
    return bool(np.any((exponents >= 0) & (exponents == np.floor(exponents))))

"""Functions whose gradients are not those of the backend: at some places, and of crossentropies.

At a tie JAX and PyTorch give half of the gradient of `maximum` to each argument. The slope of `abs` at 0 is 1 on JAX.
The gradients of the power are NaN where the base and the exponent are 0. The gradient by the exponent is NaN where the
base is negative.
"""

import weakref
from typing import Any, Callable, Dict, Tuple

import numpy as np

from ....basics.dtypes import check_exponent
from ....front import Front
from ..tensors.dtypes import name_of
from ..tensors.operations import Alike, registered
from ..vendor import BACKEND, COMPUTED, in_symbolic_scope, is_symbolic, keras, node_of
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


# -- crossentropies ----------------------------------------------------------------------------------------------------
# Crossentropies of the results of sigmoid and softmax: from their logits, which tell more than probabilities of 0.


# The activations, as types of operations of TensorFlow.
_TYPES = {'sigmoid': 'Sigmoid', 'softmax': 'Softmax'}


def left_logits(probabilities: Tensor, activation: str) -> Any:
    """The logits whose sigmoid, or softmax over the last axis, is `probabilities`; None if they are not known.

    On TensorFlow the graph knows. Keras leaves a note on computed tensors, which names neither activation nor axis, so
    they are computed again. The tensors of JAX take no note, so those that K makes are listed here.
    """
    if in_symbolic_scope():
        return None
    if BACKEND == 'jax':
        entry = _TRACED.get(id(probabilities))
        return entry[1] if entry is not None and entry[0] == activation else None
    if BACKEND == 'tensorflow' and probabilities.__class__ not in COMPUTED:
        operation = getattr(probabilities, 'op', None)
        return operation.inputs[0] if operation is not None and operation.type == _TYPES[activation] else None
    logits = getattr(probabilities, '_keras_logits', None)
    if logits is None or tuple(logits.shape) != tuple(probabilities.shape) or logits.dtype != probabilities.dtype:
        return None
    again = keras.ops.sigmoid(logits) if activation == 'sigmoid' else keras.ops.softmax(logits, axis=-1)
    return logits if bool(keras.ops.all(keras.ops.equal(again, probabilities))) else None


def list_logits(probabilities: Tensor, activation: str, logits: Tensor) -> None:
    """Let `left_logits` find the logits of a tensor that JAX traces, as long as it is there."""
    key = id(probabilities)
    _TRACED[key] = activation, logits, weakref.ref(probabilities, lambda _: _TRACED.pop(key, None))


_TRACED: Dict[int, Tuple[str, Tensor, Any]] = {}


def may_have_logits(x: Any, activation: str) -> bool:
    """Whether only the run knows if the KerasTensor `x` has logits, because a layer or a model makes it."""
    if not is_symbolic(x) or hasattr(x, '_k_logits'):
        return False
    node = node_of(x)
    return node is not None and (
        isinstance(node.operation, (keras.layers.Layer, Activation))
        or type(node.operation).__name__.lower() == activation
    )


@registered
class Activation(Alike):
    """A sigmoid or a softmax between layers, whose logits the run knows. TensorFlow's graph knows them without it."""

    _front: Any = None

    def __init__(self, kind: str, name: Any = None) -> None:
        super().__init__(name=name)
        self.kind = kind

    def call(self, x: Tensor) -> Tensor:
        return getattr(self._front, self.kind)(x)


@registered
class Crossentropy(keras.Operation):
    """A crossentropy that looks in the run for the logits of its probabilities."""

    _front: Any = None

    def __init__(self, kind: str, axis: int = -1, ignore_class: Any = None, name: Any = None) -> None:
        super().__init__(name=name)
        self.kind, self.axis, self.ignore_class = kind, axis, ignore_class

    def call(self, target: Tensor, output: Tensor) -> Tensor:
        return getattr(self._front, self.kind)(target, output, *self._arguments())

    def compute_output_spec(self, target: Tensor, output: Tensor) -> Tensor:
        # The shape and the dtype do not depend on whether the run finds logits.
        loss = getattr(Front, self.kind)(self._front, target, output, *self._arguments())
        return keras.KerasTensor(loss.shape, loss.dtype)

    def _arguments(self) -> Tuple[Any, ...]:
        """The arguments after the target and the output."""
        if self.kind == 'binary_crossentropy':
            return ()
        return (False, self.axis) if self.ignore_class is None else (False, self.axis, self.ignore_class)

"""The functions of JAX for `direct`."""

from typing import Any, Callable, Dict, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from ..tensors.sizes import items
from .linalg import check_batches
from .reduction import short_axes
from .slopes import absolute, maximum, minimum, power

Tensor = Any
Primitive = Callable[..., Tensor]

DTYPES = frozenset([np.dtype('float32'), np.dtype('float64')])
BOOL = np.dtype('bool')
# For shapes that do not fit, and for the largest element of none.
REFUSALS = (TypeError, ValueError)
where = jnp.where


def _sqrt(x: Tensor) -> Tensor:
    # As in `elementwise`: 0 where x is negative, and its gradients as well.
    below = x < 0
    return jnp.where(below, 0, jnp.sqrt(jnp.where(below, 1, jnp.maximum(x, np.zeros((), x.dtype)))))


def _sum(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return x.sum(short_axes(x, axes), keepdims=keepdims)


def _max(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return x.max(short_axes(x, axes), keepdims=keepdims)


def _min(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return x.min(short_axes(x, axes), keepdims=keepdims)


def _mean(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return x.mean(short_axes(x, axes), keepdims=keepdims)


def _softmax(x: Tensor, axis: int) -> Tensor:
    return jax.nn.softmax(x, axis)


def _log_softmax(x: Tensor, axis: int) -> Tensor:
    return jax.nn.log_softmax(x, axis)


def _reshape(x: Tensor, shape: Any) -> Tensor:
    return x.reshape(items(shape))


def _transpose(x: Tensor, perm: Tuple[int, ...]) -> Tensor:
    return x.transpose(perm)


def _expand_dims(x: Tensor, axis: int) -> Tensor:
    return jnp.expand_dims(x, axis)


def _concatenate(*xs: Tensor, axis: int) -> Tensor:
    return jnp.concatenate(xs, axis)


def _stack(*xs: Tensor, axis: int) -> Tensor:
    return jnp.stack(xs, axis)


def _tensordot(x: Tensor, y: Tensor, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if y.ndim == 2 and axes_x == (x.ndim - 1,) and axes_y == (0,):
        return jnp.matmul(x, y)
    return jnp.tensordot(x, y, (axes_x, axes_y))


def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    # jnp.matmul would repeat a batch of one.
    check_batches(x, y)
    return jnp.matmul(x.transpose(0, 2, 1) if transpose_x else x, y.transpose(0, 2, 1) if transpose_y else y)


ONE: Dict[str, Primitive] = {
    'abs': absolute,
    'exp': jnp.exp,
    'log': jnp.log,
    'sqrt': _sqrt,
    'sin': jnp.sin,
    'cos': jnp.cos,
    'round': jnp.round,
    'floor': jnp.floor,
    'sign': jnp.sign,
    'square': jnp.square,
    'relu': jax.nn.relu,
    'tanh': jnp.tanh,
    'sigmoid': jax.nn.sigmoid,
    'stop_gradient': jax.lax.stop_gradient,
    'sum': _sum,
    'max': _max,
    'min': _min,
    'mean': _mean,
    'softmax': _softmax,
    'log_softmax': _log_softmax,
    'transpose': _transpose,
    'expand_dims': _expand_dims,
    'reshape': _reshape,
}
SEVERAL: Dict[str, Primitive] = {
    'concatenate': _concatenate,
    'stack': _stack,
    'tensordot': _tensordot,
    'matmul': _matmul,
    'add': jnp.add,
    'sub': jnp.subtract,
    'mul': jnp.multiply,
    'div': jnp.true_divide,
    'pow': power,
    'maximum': maximum,
    'minimum': minimum,
    'equal': jnp.equal,
    'not_equal': jnp.not_equal,
    'greater': jnp.greater,
    'greater_equal': jnp.greater_equal,
    'less': jnp.less,
    'less_equal': jnp.less_equal,
}

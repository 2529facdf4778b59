"""Primitives by functions of the backend itself, where a call computes at once: each layer of calls costs there.

`keras.ops.exp` of a tensor takes two to five times as long as the function of the backend: Keras first looks for
KerasTensors, and works out dtypes. Here the tensors are known to be of one float dtype. What the backend traces or
compiles goes the general way, and so does what it refuses: Keras has more to say about shapes and devices.
"""

from typing import Any, Callable, Dict

from ..tensors.dtypes import FLOAT32
from ..tensors.sizes import items
from ..vendor import BACKEND, COMPUTED
from .reduction import check_batches, short_axes
from .slopes import absolute, maximum, minimum, power

Tensor = Any
Primitive = Callable[..., Tensor]

# The primitives of one tensor, and those of several. In half precision and for integers Keras has rules of its own.
_ONE: Dict[str, Primitive] = {'abs': absolute}
_SEVERAL: Dict[str, Primitive] = {'pow': power, 'maximum': maximum, 'minimum': minimum}
_COMPARISONS = 'equal not_equal greater greater_equal less less_equal'.split()
_DTYPES: Any
_REFUSALS: Any

if BACKEND == 'torch':
    # It runs a step of training function by function, so each call counts.
    import torch

    _DTYPES, _BOOL, _where = frozenset([torch.float32, torch.float64]), torch.bool, torch.where
    # For shapes that do not fit, and for tensors of several devices, which Keras brings together.
    _REFUSALS = RuntimeError

    def _sqrt(x: Tensor) -> Tensor:
        # As in `elementwise`: 0 where x is negative, and its gradients as well.
        below = x < 0
        return torch.sqrt((x + 0.0).masked_fill(below, 1.0)).masked_fill(below, 0.0)

    def _tensordot(x: Tensor, y: Tensor, axes_x: Any, axes_y: Any) -> Tensor:
        if y.dim() == 2 and axes_x == (x.dim() - 1,) and axes_y == (0,):
            return torch.matmul(x, y)
        return torch.tensordot(x, y, (axes_x, axes_y))

    def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
        # Refuses batches of different sizes.
        return torch.bmm(x.transpose(1, 2) if transpose_x else x, y.transpose(1, 2) if transpose_y else y)

    _OF_ONE = 'exp log sin cos round floor sign square relu tanh sigmoid'
    _ONE.update({name: getattr(torch, name) for name in _OF_ONE.split()})
    _ONE.update(
        stop_gradient=torch.detach,
        sum=lambda x, axes, keepdims: torch.sum(x, axes, keepdims),
        max=lambda x, axes, keepdims: torch.amax(x, axes, keepdims),
        min=lambda x, axes, keepdims: torch.amin(x, axes, keepdims),
        mean=lambda x, axes, keepdims: torch.mean(x, axes, keepdims),
        softmax=lambda x, axis: torch.softmax(x, axis),
        log_softmax=lambda x, axis: torch.log_softmax(x, axis),
        transpose=lambda x, perm: x.permute(perm),
        expand_dims=lambda x, axis: x.unsqueeze(axis),
        reshape=lambda x, shape: x.reshape(items(shape)),
    )
    _SEVERAL.update({name: getattr(torch, name) for name in 'add sub mul div'.split()})
    _SEVERAL.update(zip(_COMPARISONS, (torch.eq, torch.ne, torch.gt, torch.ge, torch.lt, torch.le)))
    _SEVERAL.update(concatenate=lambda *xs, axis: torch.cat(xs, axis), stack=lambda *xs, axis: torch.stack(xs, axis))
elif BACKEND == 'jax':
    import jax
    import jax.numpy as jnp
    import numpy as np

    _DTYPES, _BOOL, _where = frozenset([np.dtype('float32'), np.dtype('float64')]), np.dtype('bool'), jnp.where
    # For shapes that do not fit, and for the largest element of none.
    _REFUSALS = TypeError, ValueError

    def _sqrt(x: Tensor) -> Tensor:
        below = x < 0
        return jnp.where(below, 0, jnp.sqrt(jnp.where(below, 1, jnp.maximum(x, np.zeros((), x.dtype)))))

    def _tensordot(x: Tensor, y: Tensor, axes_x: Any, axes_y: Any) -> Tensor:
        if y.ndim == 2 and axes_x == (x.ndim - 1,) and axes_y == (0,):
            return jnp.matmul(x, y)
        return jnp.tensordot(x, y, (axes_x, axes_y))

    def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
        # jnp.matmul would repeat a batch of one.
        check_batches(x, y)
        return jnp.matmul(x.transpose(0, 2, 1) if transpose_x else x, y.transpose(0, 2, 1) if transpose_y else y)

    _ONE.update(
        {name: getattr(jnp, name) for name in 'exp log sin cos round floor sign square tanh expand_dims'.split()}
    )
    _ONE.update({name: getattr(jax.nn, name) for name in 'relu sigmoid softmax log_softmax'.split()})
    _ONE.update(
        stop_gradient=jax.lax.stop_gradient,
        sum=lambda x, axes, keepdims: x.sum(short_axes(x, axes), keepdims=keepdims),
        max=lambda x, axes, keepdims: x.max(short_axes(x, axes), keepdims=keepdims),
        min=lambda x, axes, keepdims: x.min(short_axes(x, axes), keepdims=keepdims),
        mean=lambda x, axes, keepdims: x.mean(short_axes(x, axes), keepdims=keepdims),
        transpose=lambda x, perm: x.transpose(perm),
        reshape=lambda x, shape: x.reshape(items(shape)),
    )
    _SEVERAL.update({name: getattr(jnp, name) for name in ['add', *_COMPARISONS]})
    _SEVERAL.update(sub=jnp.subtract, mul=jnp.multiply, div=jnp.true_divide)
    _SEVERAL.update(
        concatenate=lambda *xs, axis: jnp.concatenate(xs, axis), stack=lambda *xs, axis: jnp.stack(xs, axis)
    )
else:
    import tensorflow as tf

    _DTYPES, _BOOL, _where = frozenset([tf.float32, tf.float64]), tf.bool, tf.where
    # For shapes that do not fit.
    _REFUSALS = TypeError, ValueError, tf.errors.OpError

    def _sqrt(x: Tensor) -> Tensor:
        zero = tf.zeros((), x.dtype)
        below = tf.less(x, zero)
        return tf.where(below, zero, tf.sqrt(tf.where(below, tf.ones((), x.dtype), tf.maximum(x, zero))))

    def _noted(probabilities: Tensor, logits: Tensor) -> Tensor:
        # As Keras does, whose losses look for it.
        probabilities._keras_logits = logits
        return probabilities

    def _tensordot(x: Tensor, y: Tensor, axes_x: Any, axes_y: Any) -> Tensor:
        if len(x.shape) == len(y.shape) == 2 and axes_x == (1,) and axes_y == (0,):
            return tf.matmul(x, y)
        return tf.tensordot(x, y, (axes_x, axes_y))

    def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
        # tf.matmul would repeat a batch of one.
        check_batches(x, y)
        return tf.matmul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)

    _OF_ONE = 'exp sin cos round floor sign square tanh stop_gradient transpose expand_dims'
    _ONE.update({name: getattr(tf, name) for name in _OF_ONE.split()})
    _ONE.update(
        log=tf.math.log,
        relu=tf.nn.relu,
        sigmoid=lambda x: _noted(tf.sigmoid(x), x),
        softmax=lambda x, axis: _noted(tf.nn.softmax(x, axis), x),
        sum=lambda x, axes, keepdims: tf.reduce_sum(x, short_axes(x, axes), keepdims),
        max=lambda x, axes, keepdims: tf.reduce_max(x, short_axes(x, axes), keepdims),
        min=lambda x, axes, keepdims: tf.reduce_min(x, short_axes(x, axes), keepdims),
        mean=lambda x, axes, keepdims: tf.reduce_mean(x, short_axes(x, axes), keepdims),
        reshape=lambda x, shape: tf.reshape(x, items(shape)),
    )
    _SEVERAL.update({name: getattr(tf, name) for name in ['add', *_COMPARISONS]})
    _SEVERAL.update(sub=tf.subtract, mul=tf.multiply, div=tf.math.divide)
    _SEVERAL.update(concatenate=lambda *xs, axis: tf.concat(xs, axis), stack=lambda *xs, axis: tf.stack(xs, axis))

_ONE['sqrt'] = _sqrt
_SEVERAL.update(tensordot=_tensordot, matmul=_matmul)
# Of a computed tensor of floats.
RELU = _ONE['relu']


def _of_one(direct: Primitive, general: Primitive) -> Primitive:
    def of_one(x: Tensor, *others: Any, **named: Any) -> Tensor:
        if x.__class__ in COMPUTED and (x.dtype is FLOAT32 or x.dtype in _DTYPES):
            try:
                return direct(x, *others, **named)
            except _REFUSALS:  # the general way computes it, or says what is wrong
                pass
        return general(x, *others, **named)

    return of_one


def _of_several(direct: Primitive, general: Primitive) -> Primitive:
    def of_several(*xs: Tensor, **named: Any) -> Tensor:
        for x in xs:
            if x.__class__ not in COMPUTED or not (x.dtype is FLOAT32 or x.dtype in _DTYPES):
                break
        else:
            try:
                return direct(*xs, **named)
            except _REFUSALS:  # the general way computes it, or says what is wrong
                pass
        return general(*xs, **named)

    return of_several


def _chosen(general: Primitive) -> Primitive:
    def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        if condition.__class__ in COMPUTED and condition.dtype == _BOOL:
            return choose(x, y, condition=condition)
        return general(condition, x, y)

    choose = _of_several(
        lambda x, y, condition: _where(condition, x, y), lambda x, y, condition: general(condition, x, y)
    )
    return where


def give(primitives: Dict[str, Primitive]) -> None:
    """Put the direct way before the general one, in the table of the primitives."""
    primitives.update({name: _of_one(direct, primitives[name]) for name, direct in _ONE.items()})
    primitives.update({name: _of_several(direct, primitives[name]) for name, direct in _SEVERAL.items()})
    primitives['where'] = _chosen(primitives['where'])

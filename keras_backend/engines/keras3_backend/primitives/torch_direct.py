"""The functions of PyTorch for `direct`: PyTorch runs a step of training function by function, so each call counts."""

from typing import Any, Callable, Dict, Tuple

import torch

from ..tensors.sizes import items
from .slopes import absolute, maximum, minimum, power

Tensor = Any
Primitive = Callable[..., Tensor]

DTYPES = frozenset([torch.float32, torch.float64])
BOOL = torch.bool
# For shapes that do not fit, and for tensors of several devices, which Keras brings together.
REFUSALS = (RuntimeError,)
where = torch.where


def _sqrt(x: Tensor) -> Tensor:
    # As in `elementwise`: 0 where x is negative, and its gradients as well.
    below = x < 0
    return torch.sqrt((x + 0.0).masked_fill(below, 1.0)).masked_fill(below, 0.0)


def _reshape(x: Tensor, shape: Any) -> Tensor:
    return x.reshape(items(shape))


def _sum(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return torch.sum(x, axes, keepdims)


def _max(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return torch.amax(x, axes, keepdims)


def _min(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return torch.amin(x, axes, keepdims)


def _mean(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return torch.mean(x, axes, keepdims)


def _softmax(x: Tensor, axis: int) -> Tensor:
    return torch.softmax(x, axis)


def _log_softmax(x: Tensor, axis: int) -> Tensor:
    return torch.log_softmax(x, axis)


def _transpose(x: Tensor, perm: Tuple[int, ...]) -> Tensor:
    return x.permute(perm)


def _expand_dims(x: Tensor, axis: int) -> Tensor:
    return x.unsqueeze(axis)


def _concatenate(*xs: Tensor, axis: int) -> Tensor:
    return torch.cat(xs, axis)


def _stack(*xs: Tensor, axis: int) -> Tensor:
    return torch.stack(xs, axis)


def _tensordot(x: Tensor, y: Tensor, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if y.dim() == 2 and axes_x == (x.dim() - 1,) and axes_y == (0,):
        return torch.matmul(x, y)
    return torch.tensordot(x, y, (axes_x, axes_y))


def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    # Refuses batches of different sizes.
    return torch.bmm(x.transpose(1, 2) if transpose_x else x, y.transpose(1, 2) if transpose_y else y)


ONE: Dict[str, Primitive] = {
    'abs': absolute,
    'exp': torch.exp,
    'log': torch.log,
    'sqrt': _sqrt,
    'sin': torch.sin,
    'cos': torch.cos,
    'round': torch.round,
    'floor': torch.floor,
    'sign': torch.sign,
    'square': torch.square,
    'relu': torch.relu,
    'tanh': torch.tanh,
    'sigmoid': torch.sigmoid,
    'stop_gradient': torch.detach,
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
    'add': torch.add,
    'sub': torch.sub,
    'mul': torch.mul,
    'div': torch.div,
    'pow': power,
    'maximum': maximum,
    'minimum': minimum,
    'equal': torch.eq,
    'not_equal': torch.ne,
    'greater': torch.gt,
    'greater_equal': torch.ge,
    'less': torch.lt,
    'less_equal': torch.le,
}

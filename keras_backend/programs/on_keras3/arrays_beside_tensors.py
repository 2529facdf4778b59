"""Operators between tensors of PyTorch and arrays of NumPy, as TensorFlow has them: the array becomes a tensor."""

import functools
from typing import Any, Callable

import numpy as np

_ARITHMETIC = ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'matmul')
_COMPARISONS = ('lt', 'le', 'gt', 'ge', 'eq', 'ne')
OPERATORS = [*_ARITHMETIC, *('r' + name for name in _ARITHMETIC), *_COMPARISONS]


def operators_on_torch(keras: Any) -> str:
    """Let `y_pred - y` of an array `y` keep the gradient of `y_pred`.

    PyTorch has no such operator, so NumPy would make an array of the tensor, and the gradient would be lost.
    """
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    for name in OPERATORS:
        method = f'__{name}__'
        setattr(torch.Tensor, method, _with_arrays(getattr(torch.Tensor, method)))
    return 'operators of torch.Tensor'


def _with_arrays(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def operator(tensor: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            other = _tensor(other, tensor)
        return original(tensor, other)

    return operator


def _tensor(array: Any, beside: Any) -> Any:
    """An array as a tensor with the dtype of the tensor beside it, where that holds its numbers."""
    import torch

    made = torch.as_tensor(array, device=beside.device)
    fits = beside.is_floating_point() or not made.is_floating_point()
    return made.to(beside.dtype) if fits and beside.dtype != torch.bool else made

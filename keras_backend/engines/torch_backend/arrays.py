"""Arrays of this engine, and the way between them and NumPy.

A value is a tensor on the engine's device. Values of dtypes that PyTorch lacks (`ON_HOST`) are arrays of NumPy, and
sparse matrices are those of SciPy; the kernels of NumPy compute with both.
"""

from functools import wraps
from typing import Any, Dict, Optional

import numpy as np
import torch

from ...basics.dtypes import private
from ...graph.run.kernels import Kernel
from ...kernels import PRIMITIVES as OF_NUMPY
from ...kernels.common import Attrs, Ints, Special  # noqa: F401

Array = Any  # a torch.Tensor, or an array of NumPy where PyTorch lacks the dtype
Sizes = Any  # a tuple of ints, or an integer vector

# PyTorch has few kernels for these, and before 2.3 not even the dtypes.
ON_HOST = frozenset(['uint16', 'uint32', 'uint64'])
_NAMES = 'bool uint8 int8 int16 int32 int64 float16 float32 float64'
DTYPES: Dict[str, torch.dtype] = {name: getattr(torch, name) for name in _NAMES.split()}
FLOATS = ('float32', 'float64')  # PyTorch calculates everything in these itself

_device: Optional[torch.device] = None


def device() -> torch.device:
    """Where tensors live: PyTorch's default device at the time when the engine makes its first tensor."""
    global _device
    if _device is None:
        # PyTorch 2.2 does not tell it otherwise; each thread has its own, so it is asked for once
        _device = torch.empty(0).device
    return _device


def tensor(array: Any) -> Array:
    """An array of NumPy as a value of the engine; on the CPU it shares the memory."""
    array = np.asarray(array)
    if array.dtype.kind == 'u' and array.itemsize > 1:
        return array
    if not array.flags.writeable or any([stride < 0 for stride in array.strides]):
        # PyTorch warns of the first and refuses the second
        array = array.copy()
    result, target = torch.from_numpy(array), _device or device()
    return result if result.device == target else result.to(target)


def numpy(value: Array) -> Any:
    """A value of the engine as an array of NumPy, of the same memory where that is possible; SciPy's as they are."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.numpy(force=True)


def private_tensor(value: Any, dtype: str) -> Array:
    """`value` as a value of the engine that nothing else holds."""
    return tensor(private(numpy(value), dtype))


def sizes(shape: Sizes) -> Ints:
    """A shape as a tuple of ints."""
    return shape if isinstance(shape, tuple) else tuple(shape.tolist())


def _value(result: Any) -> Any:
    """The result of a kernel of NumPy, as a value of the engine; matrices of SciPy as they are."""
    if isinstance(result, tuple):
        return tuple([_value(member) for member in result])
    return result if hasattr(result, 'tocoo') or result is None else tensor(result)


def through_numpy(name: str) -> Kernel:
    """NumPy's kernel of a primitive, on values of the engine. On a GPU it waits for these."""
    function = OF_NUMPY[name]

    @wraps(function)
    def kernel(*values: Array, **attrs: Any) -> Any:
        with np.errstate(all='ignore'):
            return _value(function(*[numpy(value) for value in values], **attrs))

    return kernel


def floats_only(function: Kernel, name: str = '') -> Kernel:
    """`function` of floats, float16 calculated in float32 and rounded once; NumPy's kernel for other dtypes.

    The dtype of the first tensor tells. `of_floats` of the kernel is `function`; the others have no use for `out`.
    """
    plain = through_numpy(name or function.__name__)

    @wraps(function)
    def kernel(x: torch.Tensor, *others: Any, out: Any = None, **attrs: Any) -> Any:
        if not x.dtype.is_floating_point:
            return plain(x, *others, **attrs)
        if x.dtype != torch.float16:
            return function(x, *others, **attrs)
        wider = [y.float() if isinstance(y, torch.Tensor) and y.dtype == torch.float16 else y for y in others]
        result = function(x.float(), *wider, **attrs)
        return result.half() if result.dtype == torch.float32 else result

    wrapped: Any = kernel
    wrapped.of_floats = function
    return kernel

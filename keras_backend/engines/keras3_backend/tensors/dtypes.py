"""Dtypes as Keras names them, what the backends can hold, and numbers beside tensors."""

import math
from typing import Any, Callable, Dict, Tuple, Union

import numpy as np

from ....basics.dtypes import WIDER
from ..vendor import BACKEND, COMPUTED, is_symbolic, keras

Tensor = Any

# Dtypes that a backend does not have at all -> the dtypes in their place.
_STORABLE = {}
if BACKEND == 'torch':
    import torch

    from ...pytorch_on_gpu import to_integers

    _STORABLE = {'uint16': 'int32', 'uint32': 'int64', 'uint64': 'int64'}


def storable_dtype(dtype: str) -> str:
    """The dtype that tensors get where `dtype` is asked for: JAX has 64 bits only where they are switched on."""
    if BACKEND == 'jax' and dtype in ('float64', 'int64', 'uint64'):
        import jax

        return dtype if jax.config.jax_enable_x64 else dtype.replace('64', '32')
    return _STORABLE.get(dtype, dtype)


def _float32() -> Any:
    """The object that the tensors of this backend have as their dtype, found without a tensor."""
    if BACKEND == 'torch':
        return torch.float32
    if BACKEND == 'tensorflow':
        import tensorflow

        return tensorflow.float32
    return np.dtype('float32')


# The dtype of most tensors. TensorFlow takes longer for the hash of a dtype than for many a look.
FLOAT32: Any = _float32()
# The names of the dtypes of the backend that were met: Keras works a name out each time.
_NAMES: Dict[Any, str] = {}


def name_of(x: Tensor) -> str:
    """The dtype of a tensor or variable."""
    dtype = x.dtype
    if dtype is FLOAT32:
        return 'float32'
    if dtype.__class__ is str:
        return dtype
    name = _NAMES.get(dtype)
    if name is None:
        name = _NAMES[dtype] = str(keras.backend.standardize_dtype(dtype))
    return name


def cast(x: Tensor, dtype: str) -> Tensor:
    """`x` as `dtype`, itself if it has it: to bool means non-zero, float to integer truncates."""
    if name_of(x) == storable_dtype(dtype):
        return x
    if dtype == 'bool':
        return keras.ops.not_equal(x, keras.ops.zeros((), name_of(x)))
    if BACKEND == 'torch' and 'int' in dtype and not is_symbolic(x) and not x.is_cpu and x.is_floating_point():
        return to_integers(x, getattr(torch, storable_dtype(dtype)))
    return keras.ops.cast(x, storable_dtype(dtype))


def keeping(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function` of tensors of one dtype, with a result of that dtype; small integers go by way of larger ones.

    Of KerasTensors of 64 bits Keras says that the result has 32 on JAX and PyTorch. A cast, which does nothing in a
    run, says it right.
    """

    def of_any(*tensors: Tensor, **named: Any) -> Tensor:
        dtype = name_of(tensors[0])
        wider = storable_dtype(WIDER.get(dtype, dtype))
        if wider != dtype:
            tensors = tuple([keras.ops.cast(x, wider) for x in tensors])
        return cast(function(*tensors, **named), dtype)

    return of_any


def comparing(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same of a function whose result has a dtype of its own."""

    def of_any(*tensors: Tensor, **named: Any) -> Tensor:
        dtype = name_of(tensors[0])
        wider = storable_dtype(WIDER.get(dtype, dtype))
        if wider != dtype:
            tensors = tuple([keras.ops.cast(x, wider) for x in tensors])
        return function(*tensors, **named)

    return of_any


# -- numbers -----------------------------------------------------------------------------------------------------------
# Numbers of Python beside computed tensors, each made once: making a tensor takes longer than calculating with it.


Number = Union[int, float]
_FLOATS = frozenset(['float32', 'float64'])
_MADE: Dict[Tuple[Number, str], Any] = {}
_MOST = 1000


def beside(x: Any, number: Number, constant: Callable[[Number, str], Any]) -> Any:
    """The number as a scalar of the dtype of the tensor `x`, if that is float32 or float64; else the number itself.

    It is not for users, who could change it in place.
    """
    dtype = name_of(x)
    if dtype not in _FLOATS:
        return number
    # -0.0 and 0.0 are equal, and so one key; 1 and 1.0 are one number here.
    key = number, dtype
    scalar = _MADE.get(key)
    negative_zero = not number and math.copysign(1.0, number) < 0
    if scalar is None or negative_zero:
        try:
            scalar = _of_torch(number, dtype) if BACKEND == 'torch' else constant(number, dtype)
        except OverflowError:
            return number
        # Where a function is compiled the constant belongs to that function.
        if len(_MADE) < _MOST and not negative_zero and scalar.__class__ in COMPUTED:
            _MADE[key] = scalar
    return scalar


def _of_torch(number: Number, dtype: str) -> Any:
    # PyTorch takes a scalar of the CPU beside a tensor of any device.
    return torch.tensor(float(number), dtype=getattr(torch, dtype), device='cpu')

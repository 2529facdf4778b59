"""The functions of PyTorch that the graph needs (see `graph.run.kernels`)."""

from typing import Any, Callable, Iterator, List, Optional, Tuple

import numpy as np
import torch

from ...graph.run.kernels import Feed, HasKernels, Run
from ...graph.run.program import Program
from ...kernels.random import Stream  # noqa: F401
from ..numpy_backend import library as of_numpy
from ..numpy_backend.library import feed as feed_host  # noqa: F401
from ..numpy_backend.library import feed_sparse, sparse  # noqa: F401
from .arrays import DTYPES, ON_HOST, Array, device, numpy, tensor
from .arrays import private_tensor as asarray  # noqa: F401
from .passes import compile_with_sizes_on_the_host, replace_loops
from .primitives import CHANGES, IN_PLACE, PRIMITIVES, VIEWS, specialize  # noqa: F401
from .primitives.shape import put_rows  # noqa: F401

# Gradients are recorded by K. PyTorch has nothing to remember, since no tensor of K asks for that.
guard = None
# The classes of NumPy's scalars.
_SCALARS = {dtype: np.dtype(name).type for name, dtype in DTYPES.items()}


def compile(program: Program, engine: HasKernels) -> Run:
    """See `graph.run.kernels`."""
    return compile_with_sizes_on_the_host(program, engine, replace_loops)


def to_numpy(data: Array) -> Any:
    """A copy of `data` for the user, a scalar if it has no axes; dense, whatever it is."""
    if data.__class__ is torch.Tensor and not data.dim():
        scalar: Any = _SCALARS[data.dtype](data.item())
        return scalar
    return of_numpy.to_numpy(numpy(data))


def hand_out(dtype: str, rank: Optional[int], copy: bool) -> Optional[Callable[[Array], Any]]:
    """The function that makes the value for the user from a result; `copy`: somebody else holds it, too."""
    if rank is None:
        return to_numpy
    if not rank:
        scalar = np.dtype(dtype).type
        return (lambda x: scalar(x.item())) if dtype not in ON_HOST else scalar
    if copy:
        return lambda x: np.array(numpy(x))
    return torch.Tensor.numpy if device().type == 'cpu' and dtype not in ON_HOST else numpy


def private_copy(value: Array, dtype: str) -> Array:
    """`value` as one that nothing else holds."""
    if isinstance(value, torch.Tensor):
        return value.clone(memory_format=torch.contiguous_format)
    return of_numpy.private_copy(value, dtype)


def _holders(data: torch.Tensor) -> int:
    """How many tensors and arrays look at the memory of `data`, counted as in `_ALONE`; PyTorch has no public name."""
    return int(_count(data.untyped_storage()._cdata))


_count: Callable[[int], int] = getattr(torch._C, '_storage_Use_Count', lambda _storage: -1)
_ALONE = max(_holders(torch.zeros(1)), 0)


def is_whole(data: Array) -> bool:
    """Whether `data` has memory of its own, to write into."""
    if not isinstance(data, torch.Tensor):
        return of_numpy.is_whole(data)
    return data.is_contiguous() and _holders(data) == _ALONE


def backwards(x: Array) -> Iterator[Array]:
    """The entries of `x` along its first axis, the last one first."""
    return reversed(x.unbind(0)) if isinstance(x, torch.Tensor) else iter(x[::-1])


def feed(dtype: str) -> Feed:
    """A function that makes an array of `dtype` of what is fed; no copy where it fits, as nothing writes into it."""
    of_array = of_numpy.feed(dtype)
    if dtype in ON_HOST:
        return lambda value: of_array(numpy(value))
    fitting, of_numbers = (DTYPES[dtype], device(), torch.strided), np.dtype(dtype)
    direct = torch.from_numpy if device().type == 'cpu' else tensor

    def convert(value: Any) -> torch.Tensor:
        if value.__class__ is np.ndarray and value.dtype is of_numbers and value.flags.carray:
            return direct(value)
        if isinstance(value, torch.Tensor) and (value.dtype, value.device, value.layout) == fitting:
            return value.detach()
        return tensor(of_array(numpy(value)))

    return convert


def stack_steps(steps: List[Array], tail: Tuple[int, ...], dtype: str) -> Array:
    """The values that a loop collected, as one array. `tail` is the static shape of one (0 where unknown)."""
    if steps and dtype not in ON_HOST:
        return torch.stack(steps)
    return tensor(of_numpy.stack_steps(steps, tail, dtype))

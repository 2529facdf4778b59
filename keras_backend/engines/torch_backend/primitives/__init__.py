"""The primitives of the K graph on tensors of PyTorch; by topics. `keras_backend.kernels` says what each gives."""

from functools import partial
from typing import Any, Dict, FrozenSet, Optional, Tuple

import torch
from torch import Tensor

from ....graph.run.kernels import Kernel
from ....kernels import VIEWS as OF_NUMPY
from ..arrays import FLOATS, Array, Attrs, Ints, Special, through_numpy
from . import arithmetic, shape, windows
from .shape import CHANGES

# Draws and ranges are those of NumPy; decoding is a search on the host; sparse matrices are those of SciPy.
_ON_HOST = (
    'random_uniform random_normal truncated_normal ctc_greedy ctc_beam ctc_sparse to_dense sparse_cast sparse_dot '
    'sparse_concatenate print arange'
)
PRIMITIVES: Dict[str, Kernel] = {name: through_numpy(name) for name in _ON_HOST.split()}
for _topic in (arithmetic, shape, windows):
    PRIMITIVES.update(_topic.PRIMITIVES)
_SPECIAL: Dict[str, Special] = {'tensordot': arithmetic.product_of, 'getitem': shape.item_of}
_to_dense, _sparse_dot, _print = [PRIMITIVES[name] for name in ('to_dense', 'sparse_dot', 'print')]

IN_PLACE: FrozenSet[str] = arithmetic.IN_PLACE | frozenset(CHANGES)
# Primitives whose result may share memory with an input.
VIEWS: FrozenSet[str] = OF_NUMPY - {'reverse'}


def to_dense(x: Any) -> Array:
    """`x` as a tensor; one passes through."""
    return x if isinstance(x, Tensor) else _to_dense(x)


def print_(x: Array, message: str) -> Array:
    """`x`, after the message and its value have been written to standard error."""
    _print(x, message=message)
    return x


def sparse_dot(x: Any, y: Tensor, transpose: bool = False) -> Tensor:
    """x . y, or transposed x . y; `y` is dense and its first axis is summed."""
    if not y.requires_grad:
        return _sparse_dot(x, y, transpose=transpose)
    # for autograd: the rows of y, scaled, and added up
    at = (x.T if transpose else x).tocoo()
    columns, targets, factors = [torch.from_numpy(array).to(y.device) for array in (at.col, at.row, at.data)]
    scaled = y[columns.long()] * factors.reshape((-1,) + (1,) * (y.dim() - 1))
    return y.new_zeros(at.shape[:1] + y.shape[1:]).index_add(0, targets.long(), scaled)


PRIMITIVES.update({'print': print_, 'to_dense': to_dense, 'sparse_dot': sparse_dot})


def specialize(name: str, ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    """A faster function for such operands, its attributes bound; None where there is none."""
    if name in _SPECIAL:
        return _SPECIAL[name](ranks, attrs, dtypes)
    function = getattr(PRIMITIVES.get(name), 'of_floats', None)
    return partial(function, **attrs) if function is not None and dtypes[0] in FLOATS else None

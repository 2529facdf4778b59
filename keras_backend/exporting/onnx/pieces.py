"""Small compositions of operators of ONNX that several topics need."""

from typing import Any, Optional, Sequence, Union

import numpy as np
from onnx import ValueInfoProto, helper, numpy_helper

from ...graph.nodes.dims import known, ranked
from ...graph.nodes.tensor import Node, Tensor
from .writer import Name, Writer, onnx_type

# Bounds beyond any axis, for slices that go to its end, and backwards to its start.
END, START = np.iinfo(np.int64).max, np.iinfo(np.int64).min

# Primitives whose values are places of an axis.
_PLACES = ('argmax', 'argmin', 'nonzero')


def places(w: Writer, t: Tensor, x: Name) -> Name:
    """Places that count from the start of an axis, as int64. K refuses negative ones, and then the file fails, too.

    The operators of ONNX take a negative place from the end. So it becomes one that no axis has.
    """
    indices = w.cast(x, 'int64') if t.dtype != 'int64' else x
    constant = w.known(indices)
    if constant is not None and (constant >= 0).all():
        return indices
    if t.dtype.startswith('u') or (isinstance(t, Node) and t.op.name in _PLACES):
        return indices
    return w.op('Where', w.op('Less', indices, w.constant(0, 'int64')), w.constant(END, 'int64'), indices)


def filled(w: Writer, shape: Name, value: Any, dtype: str) -> Name:
    """A number all over a shape, which is a vector of int64."""
    return w.op('ConstantOfShape', shape, value=numpy_helper.from_array(np.full(1, value, dtype)))


def vector(w: Writer, size: Name) -> Name:
    """A size as a vector of int64 with one entry."""
    return w.op('Reshape', w.cast(size, 'int64'), w.ints(1))


def join(w: Writer, numbers: 'Sequence[Union[int, Name]]') -> Name:
    """Numbers, some of which are vectors of the file, as one vector of int64."""
    if all([isinstance(n, int) for n in numbers]):
        return w.ints(*[n for n in numbers if isinstance(n, int)])
    vectors = [w.ints(n) if isinstance(n, int) else n for n in numbers]
    return w.op('Concat', *vectors, axis=0) if len(vectors) > 1 else vectors[0]


def info(name: Name, dtype: str, sizes: Optional[Sequence[Any]]) -> ValueInfoProto:
    """An input or output of a graph inside of another one. Sizes that are not known are free."""
    shape = None if sizes is None else [d if known(d) else None for d in sizes]
    return helper.make_tensor_value_info(name, onnx_type(dtype), shape)


def info_of(name: Name, t: Tensor) -> ValueInfoProto:
    """The same for a value that is that of a tensor."""
    return info(name, t.dtype, t.dims if ranked(t) else None)

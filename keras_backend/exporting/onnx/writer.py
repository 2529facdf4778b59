"""The nodes and constants of a file of ONNX that is being written."""

import os
from typing import Any, BinaryIO, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Node, Tensor

Name = str  # of a value in the file

_LONGEST = 2**31 - 1  # a place beyond the end of any axis

# Of constants in a file beside: bytes from which on they lie there, and where each may start.
_LEAST_BESIDE, _PAGE = 1024, 4096


class _File:
    """What all graphs of one file share."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.count = 0
        self.taken: Dict[str, bool] = {}
        self.constants: Dict[Name, np.ndarray] = {}
        self.same: Dict[Tuple[str, Tuple[int, ...], bytes], Name] = {}
        self.label = ''
        self.sizes: Dict[Name, Name] = {}  # of values that were int64 and have become int32: those as they were


class Writer:
    """The nodes of one graph: that of the file, or the body of a loop or a branch, which sees the values around it.

    opset:     the version of the operators
    nodes:     in the order in which they run
    constants: {name: array} of the whole file
    """

    def __init__(self, opset: int, _file: Optional[_File] = None) -> None:
        self._file = _file or _File(opset)
        self.opset = opset
        self.nodes: List[NodeProto] = []
        self.constants = self._file.constants

    def inner(self) -> 'Writer':
        """The writer of a graph inside of this one."""
        return Writer(self.opset, self._file)

    # -- names ---------------------------------------------------------------------------------------------------
    def take(self, name: Name) -> Name:
        """Keep a name for a value that is not made here."""
        self._file.taken[name] = True
        return name

    def name(self, like: str) -> Name:
        """A new name."""
        file = self._file
        while True:
            file.count += 1
            name = f'{like.lower()}_{file.count}'
            if name not in file.taken:
                file.taken[name] = True
                return name

    # -- nodes ---------------------------------------------------------------------------------------------------
    def op(self, kind: str, *inputs: Name, **attributes: Any) -> Name:
        """The value of an operator with one result. An attribute that is None is left out."""
        return self.ops(kind, inputs, 1, **attributes)[0]

    def ops(self, kind: str, inputs: Sequence[Name], count: int, **attributes: Any) -> List[Name]:
        """The values of an operator with several results."""
        names = [self.name(kind) for _ in range(count)]
        self.add(kind, inputs, names, **attributes)
        return names

    def add(self, kind: str, inputs: Sequence[Name], made: Sequence[Name], **attributes: Any) -> None:
        """An operator whose results have these names."""
        defined = {key: value for key, value in attributes.items() if value is not None}
        name = f'{self._file.label}/{made[0]}'
        self.nodes.append(helper.make_node(kind, list(inputs), list(made), name=name, **defined))

    def begin(self, label: str) -> None:
        """The tensor of K whose operators come now: their names begin with it."""
        self._file.label = label

    # -- constants -----------------------------------------------------------------------------------------------
    def constant(self, value: Any, dtype: Any = None, name: Optional[Name] = None) -> Name:
        """A constant of the file. Those that are equal and have no name of their own are one."""
        array = np.asarray(value, dtype)
        if name is not None:
            self.constants[self.take(name)] = array
            return name
        key = array.dtype.str, array.shape, array.tobytes()
        constant_name = self._file.same.get(key) if array.size < 1024 else None
        if constant_name is None:
            constant_name = self.name('constant')
            self.constants[constant_name] = array
            self._file.same[key] = constant_name
        return constant_name

    def ints(self, *numbers: int) -> Name:
        """A constant vector of int64, such as axes and shapes are."""
        return self.constant(np.array(numbers, 'int64'))

    def known(self, x: Name) -> Optional[np.ndarray]:
        """The array of a constant, None of other values."""
        return self.constants.get(x)

    # -- what ONNX says in a roundabout way ----------------------------------------------------------------------
    def cast(self, x: Name, dtype: str) -> Name:
        """`x` as another dtype."""
        constant = self.known(x)
        if constant is not None and constant.size < 1024:
            return self.constant(constant.astype(dtype))
        if dtype == 'int64' and x in self._file.sizes:
            return self._file.sizes[x]
        return self.op('Cast', x, to=onnx_type(dtype))

    def as_bool(self, x: Name, dtype: str) -> Name:
        """Whether entries of `x`, which has this dtype, are not zero."""
        return x if dtype == 'bool' else self.cast(x, 'bool')

    def shape(self, x: Name) -> Name:
        """The shape of `x`, as K has it: a vector of int32."""
        sizes = self.op('Shape', x)
        vector = self.cast(sizes, 'int32')
        self._file.sizes[vector] = sizes
        return vector

    def reduce(self, kind: str, x: Name, axes: Optional[Sequence[int]], keepdims: bool = False) -> Name:
        """A reduction; axes None are all of them. Opset 18 made an input of what was an attribute."""
        if axes is not None and not len(axes):
            return self.op('Identity', x)
        if kind == 'ReduceSum' or self.opset >= 18:
            more = [] if axes is None else [self.ints(*axes)]
            return self.op(kind, x, *more, keepdims=int(keepdims))
        return self.op(kind, x, axes=None if axes is None else list(axes), keepdims=int(keepdims))

    def slice(self, x: Name, axis: int, start: int = 0, stop: int = _LONGEST, step: int = 1) -> Name:
        """A slice along one axis."""
        return self.op('Slice', x, self.ints(start), self.ints(stop), self.ints(axis), self.ints(step))

    def transpose(self, x: Name, perm: Sequence[int]) -> Name:
        """`x` with its axes in another order."""
        perm = list(perm)
        return x if perm == sorted(perm) else self.op('Transpose', x, perm=perm)

    def unsqueeze(self, x: Name, *axes: int) -> Name:
        """`x` with new axes of size 1 at these places."""
        return self.op('Unsqueeze', x, self.ints(*axes))

    def squeeze(self, x: Name, *axes: int) -> Name:
        """`x` without these axes of size 1."""
        return self.op('Squeeze', x, self.ints(*axes))

    # -- the end -------------------------------------------------------------------------------------------------
    def initializers(self, nodes: Iterable[NodeProto], beside: Optional[str]) -> List[TensorProto]:
        """The constants that any of these nodes reads, as the file holds them.

        beside: the path of a file that large ones are written to; None where the file holds them itself
        """
        read = _read_by(nodes)
        constants = [(name, np.asarray(a, order='C')) for name, a in self.constants.items() if name in read]
        if beside is None:
            return [numpy_helper.from_array(a, name) for name, a in constants]
        tensors = []
        with open(beside, 'wb') as stream:
            for name, a in constants:
                is_large = a.nbytes >= _LEAST_BESIDE
                tensors.append(_written(stream, name, a) if is_large else numpy_helper.from_array(a, name))
        return tensors

    def size(self) -> int:
        """The bytes of all constants."""
        return sum([a.nbytes for a in self.constants.values()])


def _written(stream: BinaryIO, name: Name, a: np.ndarray) -> TensorProto:
    """A constant of the file whose bytes are at the end of another one."""
    # the start of a page, so that a runner can map it into its memory
    stream.write(b'\0' * (-stream.tell() % _PAGE))
    tensor = TensorProto(name=name, data_type=onnx_type(a.dtype.name), dims=a.shape)
    tensor.data_location = TensorProto.EXTERNAL
    facts = {'location': os.path.basename(stream.name), 'offset': stream.tell(), 'length': a.nbytes}
    for key, value in facts.items():
        tensor.external_data.add(key=key, value=str(value))
    stream.write(memoryview(a.astype(a.dtype.newbyteorder('<'), copy=False)).cast('B'))
    return tensor


def prune(graph: GraphProto) -> None:
    """Take the nodes out of a graph whose results nobody reads."""
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed.isdisjoint(node.output):
            continue
        for attribute in node.attribute:
            if attribute.HasField('g'):
                prune(attribute.g)
        kept.append(node)
        needed |= _read_by([node])
    nodes = [NodeProto.FromString(node.SerializeToString()) for node in reversed(kept)]
    del graph.node[:]
    graph.node.extend(nodes)


def _read_by(nodes: Iterable[NodeProto]) -> Set[Name]:
    """The names that nodes read, and those that the graphs inside of them read."""
    read: Set[Name] = set()
    for node in nodes:
        read.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField('g'):
                read |= _read_by(attribute.g.node)
                read.update([output.name for output in attribute.g.output])
    return read


def onnx_type(dtype: str) -> int:
    """The number that ONNX has for a dtype."""
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


# -- pieces ------------------------------------------------------------------------------------------------------------
# Small compositions of operators of ONNX that several topics need.

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

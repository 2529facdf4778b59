"""The tensors of K: Theano's own variables, with the operators and the messages of the K graph; and sizes as tensors.

A result of Theano becomes one by its class alone (`adopt`). The copies that Theano compiles are plain variables again.
Modules of Theano that meet a tensor of K find Theano's own operators and shape in it.
"""

import sys
from copy import copy
from typing import Any, Callable, Iterator, List, Optional

import numpy as np

from ....basics import misuse, shapes
from ....basics.dtypes import is_integer, plain, private
from ....basics.shapes import Shape, known
from ....errors import ArgumentTypeError, ArgumentValueError
from ....front.control import leaves, like
from ....graph.nodes import tensor as k_graph
from .. import vendor as library
from ..vendor import SharedVariable, SparseType, T, TensorType, Variable
from . import check, describe, engine
from .static import dims_of, value_of, visible
from .updates import after

Tensor = Any


def _from_library() -> bool:
    """Whether the function that called a method of a tensor is one of Theano's."""
    name: str = sys._getframe(2).f_globals.get('__name__') or ''
    package: str = library.theano.__name__
    return name.partition('.')[0] == package


class Operators:
    """The members that all tensors of K have: the operators, the refusals of misuse, and the static shape."""

    kind = 'tensor'
    name: Optional[str]
    dtype: str

    dims = property(dims_of)

    session, _front = property(lambda self: engine.session), property(lambda self: engine.session.engine.front)

    @property
    def shape(self) -> Any:
        """The static shape. Theano has a tensor here; `T.shape(x)` and `K.shape(x)` give that."""
        return super().shape if _from_library() else visible(dims_of(self))  # type: ignore[misc]

    def get_shape(self) -> Optional[Shape]:
        """The static shape (spelling of TensorFlow 1)."""
        return visible(dims_of(self))

    def __repr__(self) -> str:
        return f"<K.{self.kind.capitalize()} '{self}' shape={self.get_shape()} dtype={self.dtype} (theano engine)>"

    def __bool__(self) -> bool:
        # Theano asks `if update:` and means "is there one".
        return _from_library() or k_graph.Tensor.__bool__(self)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Tensor]:
        if _from_library():
            slices: Iterator[Tensor] = super().__iter__()  # type: ignore[misc]
            return slices
        length = (visible(dims_of(self)) or (None,))[0]
        if length is None:
            raise TypeError(f'{self.name or "A tensor"} cannot be iterated. {misuse.ITERATION}.')
        return (self[i] for i in range(length))  # type: ignore[index]

    def _number(self) -> float:
        raise TypeError(f'{self.name or "A tensor"} has no value while the graph is built. {misuse.NUMBER}.')

    __float__ = __int__ = _number

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(misuse.no_attribute(type(self).__name__, name))


def _of_users(name: str) -> Callable[..., Any]:
    """The operator of the K graph, and that of Theano for its modules."""
    of_k = getattr(k_graph.Tensor, name)

    def method(self: Any, *others: Any) -> Any:
        if _from_library():
            return getattr(super(Operators, self), name)(*others)
        return of_k(self, *others)

    method.__name__ = name
    return method


for _name in (
    'abs neg invert lt le gt ge add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rfloordiv rmod rpow '
    'and or xor rand ror rxor matmul rmatmul getitem setitem'
).split():
    setattr(Operators, f'__{_name}__', _of_users(f'__{_name}__'))


def _kind(base: type, kind: str) -> type:
    """A class of tensors of K of Theano's class `base`. Its copies are Theano's own, without an owner."""

    def clone(self: Any, **_options: Any) -> Any:
        if isinstance(self, SharedVariable):
            twin = base(name=self.name, type=self.type, value=None, strict=None, container=self.container)
        else:
            twin = base(self.type, *([self.data] if isinstance(self, library.Constant) else [None, None]), self.name)
        twin.tag = copy(self.tag)
        return twin

    return type(f'K{base.__name__}', (Operators, base), {'kind': kind, 'clone': clone})


KVariable: Any = _kind(library.TensorVariable, 'tensor')
KShared: Any = _kind(library.TensorSharedVariable, 'variable')
KSparse: Any = _kind(library.SparseVariable, 'tensor')
KSparseShared: Any = _kind(library.SparseSharedVariable, 'variable')


class KConstant(_kind(library.TensorConstant, 'constant')):  # type: ignore[misc]
    """A constant."""

    @property
    def unique_value(self) -> Any:
        """The number that all entries are, for PyTensor, which takes 0. and -0. for one."""
        number = super().unique_value
        return number if number or np.unique(np.signbit(self.data)).size == 1 else None


_KINDS = {
    library.TensorVariable: KVariable,
    library.TensorConstant: KConstant,
    library.SparseVariable: KSparse,
    library.SparseConstant: _kind(library.SparseConstant, 'constant'),
}


def adopt(x: Any) -> Tensor:
    """`x`, a variable of Theano, as a tensor of K."""
    if engine.session.deps and '_keras_session' not in x.__dict__:
        x = after(x, engine.session.deps)
    kind = _KINDS.get(x.__class__)
    if kind is not None:
        x.__class__ = kind
    if '_keras_session' not in x.__dict__:
        session = x._keras_session = engine.session
        if session.deps:
            x._keras_updates = session.deps
    return x


def adopted(result: Any) -> Any:
    """The result of a function of K, with the variables of Theano in it as tensors of K."""
    if isinstance(result, Variable):
        return adopt(result)
    if result.__class__ in (list, tuple, dict):
        return like(result, [adopted(r) for r in leaves(result)])
    return result


# -- asking and making -------------------------------------------------------------------------------------------------
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor of Theano, dense or sparse, of K or not, or noted by K."""
    return (isinstance(x, Variable) and isinstance(x.type, (TensorType, SparseType))) or isinstance(x, Operators)


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse tensor."""
    return isinstance(x, Variable) and isinstance(x.type, SparseType)


def dense(x: Tensor) -> Tensor:
    """`x`, which belongs to this session and is not sparse."""
    if is_sparse(check(x)):
        raise ArgumentTypeError(f'{describe(x)} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).')
    return x


def sparse_type(dtype: str) -> Any:
    """The type of sparse matrices of this dtype."""
    try:
        return SparseType('csr', dtype)
    except NotImplementedError:
        raise ArgumentTypeError(
            f'Theano has no sparse tensors of dtype {dtype}; use float32, float64 or an integer dtype.'
        ) from None


def constant(value: Any, dtype: str, name: Optional[str] = None) -> Tensor:
    """An array, number or nested list as a constant."""
    array = private(plain(value), dtype)
    return KConstant(TensorType(dtype, [n == 1 for n in array.shape]), array, name)


def cast(x: Tensor, dtype: str) -> Tensor:
    """The tensor `x` in another dtype, itself if it has it."""
    if x.dtype == dtype:
        return x
    return T.neq(x, constant(0, x.dtype)) if dtype == 'bool' else T.cast(x, dtype)


# -- sizes ------------------------------------------------------------------------------------------------------------
def size_of(x: Tensor, axis: int) -> Any:
    """The size of one axis: an int where it is known, else an int64 scalar."""
    n = dims_of(x)[axis]
    return n if known(n) else library.Shape_i(axis)(x)


def sizes_of(x: Tensor) -> List[Any]:
    """The size of every axis."""
    return [size_of(x, axis) for axis in range(x.type.ndim)]


def _size(value: Any) -> Any:
    """One size as an int if it is known, else as an int64 scalar; None becomes -1."""
    if value is None:
        return -1
    if not is_tensor(value):
        return shapes.size_of(value)
    check(value)
    if value.type.ndim:
        value = T.reshape(value, (), ndim=0)
    static = value_of(value)
    return int(static) if known(static) else cast(value, 'int64')


def items(shape: Any) -> List[Any]:
    """A shape, or another collection of sizes, as a list: ints where known, else int64 scalars."""
    if not is_tensor(shape):
        return [_size(n) for n in shapes.entries_of(shape)]
    check(shape)
    if shape.type.ndim != 1 or not is_integer(shape.type.dtype):
        raise shapes.no_vector(describe(shape), visible(dims_of(shape)), shape.type.dtype)
    static = value_of(shape)
    if not isinstance(static, list):
        (count,) = dims_of(shape)
        if not known(count):
            raise ArgumentValueError(
                f'{describe(shape)} is given as a shape, but how many sizes it holds is not known.'
            )
        static = [None] * count
    return [int(n) if known(n) else cast(shape[i], 'int64') for i, n in enumerate(static)]


def sizes(shape: Any) -> Any:
    """A collection of sizes as a tuple of ints if all are known, else as a vector."""
    entries = items(shape)
    return adopt(vector(entries)) if any([is_tensor(n) for n in entries]) else tuple(entries)


def vector(entries: List[Any], dtype: str = 'int64') -> Tensor:
    """Sizes (ints and scalars) as the vector that Theano reshapes and fills by."""
    if not any([is_tensor(n) for n in entries]):
        return constant(np.array(entries, dtype), dtype)
    return T.stack(scalars(entries, dtype))


def scalars(entries: List[Any], dtype: str = 'int64') -> List[Tensor]:
    """Sizes as scalars."""
    return [cast(n, dtype) if is_tensor(n) else constant(n, dtype) for n in entries]

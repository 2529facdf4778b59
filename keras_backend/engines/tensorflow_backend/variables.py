"""Variables of K, and placeholders of sparse matrices.

A large first value is kept out of the graph. The operations that assign the first value are a third of those of a
variable, and `sessions.py` does without them. So they are made when they are asked for: by the program,
which runs `v.initializer`, or before the graph is exported.
"""

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ...basics.dtypes import by_rows
from ...basics.library import Tensor
from ...errors import FeedError
from . import vendor
from .primitives.reduction import to_dense
from .sessions import settings
from .steps import is_bare, read_outside
from .tensors.graph import FirstValue, LargeFirstValue, describe, graph, state, state_of
from .tensors.reachable import Survey
from .tensors.tensors import (
    Feed,
    as_array,
    as_dtype,
    constant,
    constant_value,
    converted,
    is_sparse,
    is_tensor,
    refuse_foreign,
    scope_name,
    static_shape,
    used,
)
from .vendor import tf

# -- sparse placeholders -----------------------------------------------------------------------------------------------
# Sparse tensors: a placeholder of one is three placeholders of TensorFlow.


def parts_of(x: Tensor) -> List[Tensor]:
    """The dense tensors that `x` consists of; a variable stands for its value."""
    return [x.indices, x.values, x.dense_shape] if is_sparse(x) else [used(x)]


def densify(x: Tensor) -> Tensor:
    """`x` as a dense tensor."""
    return to_dense(x) if is_sparse(x) else used(x)


class SparseFeed:
    """Turns what is fed for a sparse placeholder into three arrays."""

    def __init__(self, tensor: Tensor) -> None:
        self.feed = Feed(tensor)
        self.name = self.feed.name
        self.dtype = self.shape = None

    def convert(self, value: Any) -> List[np.ndarray]:
        """`value`, a scipy.sparse matrix, SparseTensorValue or dense array, as [indices, values, shape]."""
        if hasattr(value, 'tocoo'):
            indices, values, shape = coordinates(value)
        elif isinstance(value, (tf.SparseTensorValue, tuple)) and len(value) == 3:
            indices, values, shape = [np.asarray(component) for component in value]
        else:
            array = self.feed.convert(value)
            indices, values, shape = np.argwhere(array), array[array.nonzero()], array.shape
        shape = tuple([int(n) for n in shape])
        if not self.feed.fits(shape):
            self.feed.refuse(f'a sparse matrix of shape {shape}')
        return [
            np.asarray(indices, np.int64).reshape(-1, len(shape)),
            np.asarray(values, self.feed.wanted),
            np.asarray(shape, np.int64),
        ]


def coordinates(matrix: Any) -> Tuple[np.ndarray, np.ndarray, Tuple[int, ...]]:
    """A scipy.sparse matrix as (indices, values, shape), row by row, every place once."""
    # By way of rows: entries at the same place are added up and the rest is in the order that TensorFlow asks for.
    matrix = by_rows(matrix)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    matrix = matrix.tocoo()
    return np.stack([matrix.row, matrix.col], axis=1).astype(np.int64), matrix.data, matrix.shape


# A larger initial value does not go into the graph, which would hold it three times.
_LARGE = 1 << 16


class _Start(NamedTuple):
    """The first value of a variable, as a tensor that can be made."""

    shape: Any
    dtype: Any
    tensor: Callable[[], Any]


def _late(name: str) -> Any:
    """An attribute that TensorFlow gives a variable when it makes it, and this one gets when it is asked for."""

    def get(variable: 'KVariable') -> Any:
        variable.make_initializer()
        return variable.__dict__[name]

    def keep(variable: 'KVariable', value: Any) -> None:
        variable.__dict__[name] = value

    return property(get, keep)


class KVariable(vendor.ResourceVariable):
    """A variable of K, for which `loss += x` means `loss = loss + x`, as for any tensor; TensorFlow refuses it."""

    def _by_the_plain_operator(self, other: Any) -> Any:
        return NotImplemented

    @property
    def ndim(self) -> Any:
        """The number of axes, as of other tensors."""
        return self.shape.rank

    def initialized_value(self) -> Any:
        """The value, or the first value as long as there is none, as in TensorFlow 1. TensorFlow 2 refuses it."""
        with tf.init_scope():
            return tf.cond(tf.is_variable_initialized(self), self.read_value, lambda: tf.identity(self.initial_value))

    def value(self) -> Any:
        """The value as a tensor; what every operation on a variable asks for."""
        graph = vendor.get_default_graph()
        if graph is self.graph and not vendor.waiting(graph):
            # The read that the variable was made with. A new one would be the same.
            return self._graph_element
        outside = read_outside(self)
        return super().value() if outside is None else outside

    # Until the initialiser is made.
    _keras_backend_start: Optional[_Start] = None
    _initial_value, _initializer_op = _late('_initial_value'), _late('_initializer_op')

    def make_initializer(self) -> None:
        """Make what assigns the first value, unless it is there."""
        if not is_bare(self):
            return
        with state_of(self.graph).lock, tf.init_scope(), self.graph.as_default(), tf.device(self.device or None):
            start = self._keras_backend_start
            if start is None:
                return  # another thread was faster
            with tf.control_dependencies(None), tf.name_scope(f'{self.op.name}/'):
                self._initial_value = initial = start.tensor()
                self._initializer_op = tf.raw_ops.AssignVariableOp(
                    resource=self.handle, value=initial, name=f'{self.op.name}/Assign/'
                )
            self._keras_backend_start = None

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = _by_the_plain_operator


def _made(start: _Start, name: Optional[str], constraint: Any) -> Any:
    """A variable with the attributes and names of operations that tf.Variable gives it, in half of the time.

    It has no operation that says whether it is initialised: `sessions/session.py` makes one where it is needed.
    """
    graph = tf.get_default_graph()
    if vendor.makes_variables(graph):
        initial = start.tensor()
        instance = tf.Variable(initial, name=name, use_resource=True, constraint=constraint, dtype=initial.dtype)
        if instance.__class__ is vendor.ResourceVariable:
            # Not one that a strategy for several devices has put in its place.
            instance.__class__ = KVariable
        return instance
    shape, dtype = start.shape, start.dtype
    with tf.name_scope(name or 'Variable') as scope:
        full = scope[:-1]
        # A name that ends in / is taken as it is.
        kind, shared = vendor.AttrValue(type=dtype.as_datatype_enum), vendor.AttrValue(s=full.encode())
        wide = {'dtype': kind, 'shape': vendor.AttrValue(shape=shape.as_proto()), 'shared_name': shared}
        handle = vendor.operation('VarHandleOp', [], [tf.resource], scope, container=vendor.AttrValue(s=b''), **wide)
        handle._handle_data = vendor.handle_data(handle) if vendor.handle_data else None
        handle._name, handle._unique_id = f'{full}:0', full
        read = vendor.operation('ReadVariableOp', [handle], [dtype], f'{scope}Read/ReadVariableOp/', dtype=kind)
    instance = KVariable.__new__(KVariable)
    vendor.BaseResourceVariable.__init__(
        instance,
        trainable=True,
        shape=shape,
        dtype=dtype,
        handle=handle,
        constraint=constraint,
        name=full,
        unique_id=full,
        handle_name=full,
        graph_element=read,
        initial_value=None,
        initializer_op=None,
        in_graph_mode=True,
    )
    instance._keras_backend_start = start
    tf.add_to_collections([tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES], instance)
    return instance


def _new(start: _Start, name: Optional[str], constraint: Any = None, first: Optional[FirstValue] = None) -> Any:
    instance = _made(start, scope_name(name), constraint)
    instance._keras_shape = static_shape(instance)
    instance._uses_learning_phase = False
    if first is not None:
        state().first_values[instance] = first
    if settings.manual:
        instance._keras_backend_manual = True
    return instance


def variable(value: Any, dtype: str, name: Optional[str], constraint: Any) -> Any:
    if hasattr(value, 'tocoo'):
        return _sparse_variable(value, dtype, name)
    graph()
    # A variable made by a step function lives outside of the loop.
    with tf.init_scope():
        if is_tensor(value):
            value = used(value)
            for op in Survey([value], [], []).missing:
                # The session would refuse to run anything from then on.
                raise FeedError(
                    f'value depends on the placeholder {describe(op)} and is not known before a run; pass an array.'
                )
            value = converted(value, dtype)
            start = _Start(value.shape, value.dtype.base_dtype, lambda: value)
            return _new(start, name, constraint, _first_value(value))
        refuse_foreign(value)
        kind = as_dtype(dtype)
        array = np.array(as_array(value, kind))
        shape = tf.TensorShape(array.shape)
        if array.nbytes <= _LARGE or array.dtype.hasobject:
            small = _Start(shape, kind, lambda: tf.constant(array, kind, name='initial_value'))
            return _new(small, name, constraint, FirstValue(array.copy))
        first = LargeFirstValue(array, state().large_values)

        def read() -> Any:
            initial = tf.numpy_function(first.array, [], kind, name='initial_value')
            initial.set_shape(shape)
            return initial

        return _new(_Start(shape, kind, read), name, constraint, first)


def _first_value(initial: Any) -> Optional[FirstValue]:
    """The value of a constant, None for a tensor that has to be run."""
    return FirstValue(lambda: constant_value(initial)) if initial.op.type == 'Const' else None


def _sparse_variable(value: Any, dtype: str, name: Optional[str]) -> Any:
    indices, values, shape = coordinates(value)
    with tf.name_scope(scope_name(name or 'sparse')):
        tensor = tf.SparseTensor(constant(indices, tf.int64), constant(values, dtype), shape)
    tensor.name = describe(tensor)
    tensor._keras_shape = tuple(shape)
    tensor._uses_learning_phase = False
    tensor._keras_backend_variable = True
    return tensor


def filled_variable(shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Any:
    graph()
    with tf.init_scope():
        kind = as_dtype(dtype)
        number = as_array(value, kind)
        start = _Start(tf.TensorShape(shape), kind, lambda: tf.fill(shape, tf.constant(number), name='initial_value'))
        return _new(start, name, first=FirstValue(lambda: np.full(shape, number)))

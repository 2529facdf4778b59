"""Variables of K: those of TensorFlow, with their first values kept out of the graph where these are large."""

from typing import Any, Optional, Sequence

import numpy as np

from ...errors import FeedError
from . import _sparse
from ._first_values import FirstValue, LargeFirstValue
from ._graph import describe, graph, state
from ._library import (
    BaseResourceVariable,
    ResourceVariable,
    get_default_graph,
    handle_data,
    makes_variables,
    tf,
    waiting,
)
from ._reads import read_outside
from ._session import settings
from ._survey import Survey
from ._tensors import (
    as_array,
    as_dtype,
    constant,
    constant_value,
    converted,
    is_tensor,
    own,
    scope_name,
    static_shape,
    used,
)

# A larger initial value does not go into the graph, which would hold it three times.
_LARGE = 1 << 16


class KVariable(ResourceVariable):
    """A variable of K, for which `loss += x` means `loss = loss + x`, as for any tensor; TensorFlow refuses it."""

    def _by_the_plain_operator(self, other: Any) -> Any:
        return NotImplemented

    @property
    def ndim(self) -> Any:
        """The number of axes, as of other tensors."""
        return self.shape.rank

    def value(self) -> Any:
        """The value as a tensor; what every operation on a variable asks for."""
        graph = get_default_graph()
        if graph is self.graph and not waiting(graph):
            # The read that the variable was made with. A new one would be the same.
            return self._graph_element
        outside = read_outside(self)
        return super().value() if outside is None else outside

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = _by_the_plain_operator


def _made(initial: Any, name: Optional[str], constraint: Any) -> Any:
    """A variable with the attributes and names of operations that tf.Variable gives it, in half of the time.

    It has no operation that says whether it is initialised: `_session` makes one where it is needed.
    """
    graph = tf.get_default_graph()
    if makes_variables(graph):
        made = tf.Variable(initial, name=name, use_resource=True, constraint=constraint, dtype=initial.dtype)
        if made.__class__ is ResourceVariable:
            # Not one that a strategy for several devices has put in its place.
            made.__class__ = KVariable
        return made
    shape, dtype = initial.shape, initial.dtype.base_dtype
    with tf.name_scope(name or 'Variable') as scope:
        full = scope[:-1]
        # A name that ends in / is taken as it is.
        handle = tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=full, container='', name=scope)
        handle._handle_data = handle_data(handle) if handle_data else None
        handle._name, handle._unique_id = f'{full}:0', full
        assign = tf.raw_ops.AssignVariableOp(resource=handle, value=initial, name=f'{scope}Assign/')
        read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype, name=f'{scope}Read/ReadVariableOp/')
    made = KVariable.__new__(KVariable)
    BaseResourceVariable.__init__(
        made,
        trainable=True,
        shape=shape,
        dtype=dtype,
        handle=handle,
        constraint=constraint,
        name=full,
        unique_id=full,
        handle_name=full,
        graph_element=read,
        initial_value=initial,
        initializer_op=assign,
        in_graph_mode=True,
    )
    tf.add_to_collections([tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES], made)
    return made


def _new(initial: Any, name: Optional[str], constraint: Any = None, first: Optional[FirstValue] = None) -> Any:
    made = _made(initial, scope_name(name), constraint)
    made._keras_shape = static_shape(made)
    made._uses_learning_phase = False
    if first is not None:
        state().first_values[made] = first
    if settings.manual:
        made._keras_backend_manual = True
    return made


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
            return _new(value, name, constraint, _first_value(value))
        own(value)
        array = np.array(as_array(value, as_dtype(dtype)))
        if array.nbytes <= _LARGE or array.dtype.hasobject:
            initial = tf.constant(array, dtype)
            return _new(initial, name, constraint, _first_value(initial))
        first = LargeFirstValue(array, state().large_values)
        initial = tf.numpy_function(first.array, [], dtype)
        initial.set_shape(array.shape)
        return _new(initial, name, constraint, first)


def _first_value(initial: Any) -> Optional[FirstValue]:
    """The value of a constant, None for a tensor that has to be run."""
    return FirstValue(lambda: constant_value(initial)) if initial.op.type == 'Const' else None


def _sparse_variable(value: Any, dtype: str, name: Optional[str]) -> Any:
    indices, values, shape = _sparse.coordinates(value)
    with tf.name_scope(scope_name(name or 'sparse')):
        made = tf.SparseTensor(constant(indices, tf.int64), constant(values, dtype), shape)
    made.name = describe(made)
    made._keras_shape = tuple(shape)
    made._uses_learning_phase = False
    made._keras_backend_variable = True
    return made


def filled_variable(shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Any:
    graph()
    with tf.init_scope():
        number = as_array(value, as_dtype(dtype))
        return _new(tf.fill(shape, tf.constant(number)), name, first=FirstValue(lambda: np.full(shape, number)))

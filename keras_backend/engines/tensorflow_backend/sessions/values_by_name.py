"""The values of variables in a session, read and assigned by the names of the variables.

TensorFlow reads a variable by an operation of its own. A callable for each such operation takes time in proportion to
the graph, so a program that reads n variables one by one would take time in proportion to n * n. Here one callable for
each dtype does it for all variables, and the text that is fed to it says which variable is meant. The operation
ParseTensor makes a resource handle from this text: a TensorProto with a ResourceHandleProto, which holds the name.

    text of 'w'  ->  ParseTensor  ->  handle of 'w'  ->  ReadVariableOp  ->  value of 'w'

Source: https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/framework/resource_handle.proto
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ..tensors.graph import state_of
from ..vendor import INLINE, EagerTensor, ResourceHandleProto, ResourceVariable, TensorProto, make_callable, tf

# Where TensorFlow puts variables that are made in no tf.container block.
_CONTAINER = 'localhost'
# The names of its operations in a graph begin with it.
SCOPE = 'keras_backend_storage/'


class Storage:
    """The variables of `graph` in `session`, to read and to assign. The session runs on one device of this machine."""

    def __init__(self, session: Any, graph: Any) -> None:
        self._session, self._graph = session, graph
        self._callables: Dict[Any, Callable[..., List[Any]]] = {}
        self._handle: Any = None

    def initialized(self, variable: Any) -> bool:
        """Whether the variable has a value."""
        found: bool = self._callable('VarIsInitializedOp', tf.bool)(self._text(variable))[0]
        return found

    def prepare(self, variable: Any) -> None:
        """Let a later `read` work even where the session has been given a graph that it refuses by then."""
        self._callable('ReadVariableOp', variable.dtype.base_dtype)
        self._text(variable)

    def read(self, variable: Any) -> Any:
        """The value of a variable, an array of the caller's own."""
        value = self._callable('ReadVariableOp', variable.dtype.base_dtype)(self._text(variable))[0]
        # It may be the memory of the variable. A scalar never is.
        return value.copy() if isinstance(value, np.ndarray) else value

    def assign(self, variable: Any, array: Any) -> None:
        """Give a variable the value of an array, which TensorFlow may keep."""
        self._callable('AssignVariableOp', variable.dtype.base_dtype)(self._text(variable), array)

    def _callable(self, operation: str, dtype: Any) -> Callable[..., List[Any]]:
        found = self._callables.get((operation, dtype))
        if found is None:
            found = make_callable(self._session, *_nodes(self._graph, operation, dtype), INLINE)
            self._callables[operation, dtype] = found
        return found

    def _text(self, variable: Any) -> Any:
        known = getattr(variable, '_keras_backend_text', None)
        if known is None or known[0] is not self._session:
            known = variable._keras_backend_text = self._session, self._made_text(variable)
        return known[1]

    def _made_text(self, variable: Any) -> Any:
        """The serialized handle of a variable, as a scalar array."""
        if self._handle is None:
            # As TensorFlow writes it. The handles of other variables differ by their names.
            fetched = make_callable(self._session, *_nodes(self._graph, 'SerializeTensor', None, variable), INLINE)()[0]
            self._handle = _parsed(TensorProto.FromString(fetched).tensor_content)
            if variable.handle.op.get_attr('container'):
                self._handle.container = _CONTAINER
        op, text = variable.handle.op, TensorProto(dtype=tf.resource.as_datatype_enum)
        text.tensor_shape.SetInParent()
        handle = text.resource_handle_val.add()
        handle.CopyFrom(self._handle)
        handle.name = op.get_attr('shared_name').decode() or op.name
        handle.container = op.get_attr('container').decode() or self._handle.container
        return np.array(text.SerializeToString(), object)


def _parsed(content: bytes) -> Any:
    """The handle in the content of a tensor, where its length comes first, in groups of seven bits."""
    start = next(i for i, byte in enumerate(content) if byte < 128) + 1
    handle = ResourceHandleProto.FromString(content[start:])
    del handle.dtypes_and_shapes[:]
    return handle


def _nodes(graph: Any, operation: str, dtype: Any, variable: Any = None) -> Tuple[List[Any], List[Any], List[Any]]:
    """(feeds, fetches, targets) of an operation on the variable that is told by a text, made once in a graph."""
    made = state_of(graph).storage_nodes
    if (operation, dtype) not in made:
        with graph.as_default(), tf.control_dependencies(None), tf.name_scope(SCOPE):
            made[operation, dtype] = _made(operation, dtype, variable)
    nodes: Tuple[List[Any], List[Any], List[Any]] = made[operation, dtype]
    return nodes


def _made(operation: str, dtype: Any, variable: Any) -> Tuple[List[Any], List[Any], List[Any]]:
    if operation == 'SerializeTensor':
        return [], [tf.raw_ops.SerializeTensor(tensor=variable.handle)], []
    text = tf.placeholder(tf.string, ())
    handle = tf.raw_ops.ParseTensor(serialized=text, out_type=tf.resource)
    if operation == 'VarIsInitializedOp':
        return [text], [tf.raw_ops.VarIsInitializedOp(resource=handle)], []
    if operation == 'ReadVariableOp':
        return [text], [tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)], []
    value = tf.placeholder(dtype)
    return [text, value], [], [tf.raw_ops.AssignVariableOp(resource=handle, value=value)]


def storage(session: Any, graph: Any) -> Optional[Storage]:
    """The storage of a session, None where variables cannot be reached by their names alone.

    They can where the session runs on one device, since the text names the device, too, and where the graph takes new
    operations.
    """
    if graph.finalized:
        return None
    found = getattr(session, '_keras_backend_storage', None)
    if found is None:
        local = session.__class__ in (tf.Session, tf.InteractiveSession) and not session.sess_str
        usable = local and hasattr(session, '_make_callable_from_options')
        found = usable and len(session.list_devices()) == 1 and Storage(session, graph)
        session._keras_backend_storage = found  # False where it cannot be used
    return found or None


def has_name(variable: Any) -> bool:
    """Whether a variable is one that a storage can reach: a resource of the graph, rather than a group of several."""
    return (
        isinstance(variable, ResourceVariable)
        and not isinstance(variable.handle, EagerTensor)
        and variable.handle.op.type == 'VarHandleOp'
    )

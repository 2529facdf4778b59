"""Which session runs a graph, and the values of its variables."""

import os
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ... import errors
from ...basics.library import Tensor
from . import vendor
from .tensors.graph import LargeFirstValue, State, graph, home, state_of, states
from .vendor import tf

# -- values by name ----------------------------------------------------------------------------------------------------
# The values of variables in a session, read and assigned by the names of the variables.
#
# TensorFlow reads a variable by an operation of its own. A callable for each such operation takes time in proportion
# to the graph, so a program that reads n variables one by one would take time in proportion to n * n. Here one
# callable for each dtype does it for all variables, and the text that is fed to it says which variable is meant. The
# operation ParseTensor makes a resource handle from this text: a TensorProto with a ResourceHandleProto, which holds
# the name.
#
#     text of 'w'  ->  ParseTensor  ->  handle of 'w'  ->  ReadVariableOp  ->  value of 'w'
#
# Source: https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/framework/resource_handle.proto


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
        has_value: bool = self._callable('VarIsInitializedOp', tf.bool)(self._text(variable))[0]
        return has_value

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
        function = self._callables.get((operation, dtype))
        if function is None:
            function = vendor.make_callable(self._session, *_nodes(self._graph, operation, dtype), vendor.INLINE)
            self._callables[operation, dtype] = function
        return function

    def _text(self, variable: Any) -> Any:
        known = getattr(variable, '_keras_backend_text', None)
        if known is None or known[0] is not self._session:
            known = variable._keras_backend_text = self._session, self._made_text(variable)
        return known[1]

    def _made_text(self, variable: Any) -> Any:
        """The serialized handle of a variable, as a scalar array."""
        if self._handle is None:
            # As TensorFlow writes it. The handles of other variables differ by their names.
            fetched = vendor.make_callable(
                self._session, *_nodes(self._graph, 'SerializeTensor', None, variable), vendor.INLINE
            )()[0]
            self._handle = _parsed(vendor.TensorProto.FromString(fetched).tensor_content)
            if variable.handle.op.get_attr('container'):
                self._handle.container = _CONTAINER
        op, text = variable.handle.op, vendor.TensorProto(dtype=tf.resource.as_datatype_enum)
        text.tensor_shape.SetInParent()
        handle = text.resource_handle_val.add()
        handle.CopyFrom(self._handle)
        handle.name = op.get_attr('shared_name').decode() or op.name
        handle.container = op.get_attr('container').decode() or self._handle.container
        return np.array(text.SerializeToString(), object)


def _parsed(content: bytes) -> Any:
    """The handle in the content of a tensor, where its length comes first, in groups of seven bits."""
    start = next(i for i, byte in enumerate(content) if byte < 128) + 1
    handle = vendor.ResourceHandleProto.FromString(content[start:])
    del handle.dtypes_and_shapes[:]
    return handle


def _nodes(graph: Any, operation: str, dtype: Any, variable: Any = None) -> Tuple[List[Any], List[Any], List[Any]]:
    """(feeds, fetches, targets) of an operation on the variable that is told by a text, made once in a graph."""
    cache = state_of(graph).storage_nodes
    if (operation, dtype) not in cache:
        with graph.as_default(), tf.control_dependencies(None), tf.name_scope(SCOPE):
            cache[operation, dtype] = _made(operation, dtype, variable)
    nodes: Tuple[List[Any], List[Any], List[Any]] = cache[operation, dtype]
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
    instance = getattr(session, '_keras_backend_storage', None)
    if instance is None:
        local = session.__class__ in (tf.Session, tf.InteractiveSession) and not session.sess_str
        usable = local and hasattr(session, '_make_callable_from_options')
        instance = usable and len(session.list_devices()) == 1 and Storage(session, graph)
        session._keras_backend_storage = instance  # False where it cannot be used
    return instance or None


def has_name(variable: Any) -> bool:
    """Whether a variable is one that a storage can reach: a resource of the graph, rather than a group of several."""
    return (
        isinstance(variable, vendor.ResourceVariable)
        and not isinstance(variable.handle, vendor.EagerTensor)
        and variable.handle.op.type == 'VarHandleOp'
    )


class _Settings:
    manual = False


settings = _Settings()


class _Process:
    """Whether TensorFlow has run in this process, and whether that was before a fork made it."""

    ran = forked = False


process = _Process()


def _in_child() -> None:
    process.forked = process.ran
    for state in list(states):
        # So that they ask for a session again, which says what is wrong.
        for function in list(state.functions):
            function.forget()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_in_child)


def current_session(state: State) -> vendor.Session:
    """The session for the graph of `state`: that of the `with` block, else the chosen one, else one of our own."""
    if process.forked:
        raise errors.ForkedProcessError(
            'TensorFlow ran in the process that this one was forked from, and would wait for ever here; start child '
            "processes with multiprocessing.get_context('spawn'), or fork before the first call of a K function."
        )
    process.ran = True
    session = vendor.get_default_session()
    if session is None or session.graph is not state.graph:
        session = state.session
        if session is None:
            with state.lock:
                if state.session is None:
                    state.session = own_session(state)
                session = state.session
    try:
        initialize(session, state)
    except tf.errors.InvalidArgumentError as error:
        session = revive(state, session, error)
        initialize(session, state)
    return session


def connect(
    state: State,
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    targets: Sequence[vendor.Operation],
    options: Any = None,
) -> Tuple[vendor.Session, vendor.Run]:
    """The session of `state` and a callable in it."""
    session = current_session(state)
    try:
        return session, vendor.make_callable(session, feeds, fetches, targets, options)
    except tf.errors.InvalidArgumentError as error:
        session = revive(state, session, error)
        return session, vendor.make_callable(session, feeds, fetches, targets, options)


def revive(state: State, session: vendor.Session, error: Exception) -> vendor.Session:
    """A new session with the values that the variables have in `session`, whose graph cannot be extended any more.

    TensorFlow builds a gradient of second order by changing the loops of the gradient of first order, which a session
    refuses once they have run.
    """
    if 'Connecting to invalid output' not in str(error):
        raise error
    if session is not state.session or not state.owned:
        raise errors.ScopeError(
            'TensorFlow cannot add a gradient of second order through a loop to a session of yours that '
            'has run the gradient of first order; build both before the first run, or leave the session '
            'to K.'
        ) from error
    vendor.abandon(session)
    variables = state.variables[: state.initialized.get(session, 0)]
    without = {id(v) for v in without_value(variables, session)}
    variables = [v for v in variables if id(v) not in without]
    values = values_of(variables, session)
    with state.lock:
        state.session = own_session(state)
        by_name = storage(state.session, state.graph)
        for v, value in zip(variables, values):
            if by_name and has_name(v):
                by_name.assign(v, value)
                by_name.prepare(v)
            else:
                state.session.run(v.initializer, {initial_tensor(v): value})
        return state.session


def own_session(state: State) -> vendor.Session:
    if state.dead:
        raise errors.ClearedSessionError(
            'The graph was thrown away by K.clear_session(); build tensors and functions again.'
        )
    state.owned = True
    config = tf.ConfigProto(allow_soft_placement=True)
    session = tf.Session(graph=state.graph, config=config)
    if len(session.list_devices()) > 1:
        return session
    # Of the graph only what runs is placed, so an operation without a kernel breaks no other function, and to make a
    # function takes a third of the time in a large graph.
    session.close()
    config.graph_options.place_pruned_graph = True
    session = tf.Session(graph=state.graph, config=config)
    session._keras_backend_pruned = True
    return session


def places_pruned(session: vendor.Session) -> bool:
    """Whether a session is one that takes loops apart without looking for what is needed then."""
    pruned: bool = getattr(session, '_keras_backend_pruned', False)
    return pruned


def choose_session(session: vendor.Session) -> None:
    """Let `session` run its graph from now on, and K build in that graph."""
    state = state_of(session.graph)
    with state.lock:
        state.session, state.owned = session, False
    if session.graph is not home.graph and not vendor.explicit_graph():
        with home.lock:
            # A graph that the user made is the user's to go on with when K has cleared it.
            state.borrowed = True
            home.graph = session.graph
            session.graph._keras_backend_home = True
            vendor.set_thread_graph(session.graph)


def initialize(session: vendor.Session, state: State) -> None:
    """Give all variables made since the last time their first values, in one run."""
    variables = state.variables
    count = len(variables)
    if state.initialized.get(session, 0) == count:
        return
    with state.lock:
        start = state.initialized.get(session, 0)
        pending = [v for v in variables[start:count] if not hasattr(v, '_keras_backend_manual')]
        if settings.manual:
            # Those of TensorFlow itself are for the user to initialise, or for K when it does so again.
            pending = [v for v in pending if hasattr(v, '_keras_shape')]
        if pending:
            _initialize(pending, session, state)
        if not settings.manual:
            state.initialized[session] = count


def _initialize(pending: List[Any], session: vendor.Session, state: State) -> None:
    # Another client of a server, a checkpoint or the user may have done it already.
    pending = without_value(pending, session)
    first, by_name = state.first_values, storage(session, state.graph)
    rest, feeds = [], {}
    for v in pending:
        value = first.get(v)
        if value is None:
            rest.append(v)
        elif by_name and has_name(v):
            by_name.assign(v, value.array())
        else:
            rest.append(v)
            if isinstance(value, LargeFirstValue):
                feeds[initial_tensor(v)] = value.array()
    if rest:
        try:
            session.run([v.initializer for v in rest], feeds)
        except tf.errors.FailedPreconditionError:
            # Some begin with the values of others, which were made before them.
            for v in rest:
                tensor = initial_tensor(v)
                session.run(v.initializer, {tensor: feeds[tensor]} if tensor in feeds else None)
    for v in pending:
        if v in first:
            first[v].release()
        if by_name and has_name(v):
            by_name.prepare(v)


def without_value(variables: Sequence[Any], session: vendor.Session) -> List[Any]:
    """Those of `variables` that have no value in `session`."""
    by_name = storage(session, session.graph)
    if by_name and all(map(has_name, variables)):
        return [v for v in variables if not by_name.initialized(v)]
    if session.graph.finalized:
        return [v for v in variables if not _can_be_read(v, session)]
    done = session.run([_is_initialized(v) for v in variables])
    return [v for v, ready in zip(variables, done) if not ready]


def initial_tensor(variable: Any) -> Tensor:
    """The tensor that the initialiser of a variable assigns."""
    return variable.initializer.inputs[1]


def values_of(variables: Sequence[Any], session: vendor.Session) -> List[Any]:
    """The values of `variables` in `session`."""
    by_name = storage(session, session.graph)
    if by_name and all(map(has_name, variables)):
        return [by_name.read(v) for v in variables]
    values: List[Any] = session.run([v._graph_element for v in variables])
    return values


def _can_be_read(variable: Any, session: vendor.Session) -> bool:
    """Whether a variable has a value, in a graph that takes no operation that would say so."""
    try:
        session.run(variable._graph_element)
    except tf.errors.FailedPreconditionError:
        return False
    return True


def _is_initialized(variable: Any) -> Tensor:
    ready = getattr(variable, '_is_initialized_op', None)
    if ready is None:
        ready = getattr(variable, '_keras_backend_ready', None)
    if ready is None:
        # Kept with the variable: no call may add a node to the graph twice.
        with graph().as_default(), tf.control_dependencies(None):
            ready = variable._keras_backend_ready = tf.is_variable_initialized(variable)
    return ready


def translate(error: Exception, what: str) -> Optional[Exception]:
    """The error of ours that says what an error of a run means, None if it speaks for itself."""
    message = str(error)
    if isinstance(error, tf.errors.FailedPreconditionError):
        match = re.search(r'(?:Could not find variable|resource variable|uninitialized value) (\S+)', message)
        if match:
            name = match.group(1).rstrip('.')
            return errors.UninitializedVariableError(
                f'{what} needs the variable {name}, which is not initialised; run its initializer in K.get_session(), '
                'give it a '
                'value by K.set_value, or leave it to K by K.manual_variable_initialization(False) before it is made.'
            )
    if isinstance(error, tf.errors.InvalidArgumentError):
        match = re.search(r"must feed a value for placeholder tensor '([^']*)'", message)
        if match:
            return errors.FeedError(
                f'{what} depends on the placeholder {match.group(1)}, which is not among the inputs; list it there.'
            )
        match = re.search(r'assertion failed: \[(.* needs at least 1 time step, the sequence has 0\.)\]', message)
        if match:
            return errors.ShapeError(match.group(1))
    if isinstance(error, tf.errors.CancelledError) or 'closed Session' in message:
        return errors.ClearedSessionError(
            f'{what} cannot run: its session was closed. Choose another one by K.set_session, or '
            'begin anew with K.clear_session().'
        )
    return None

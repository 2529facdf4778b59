"""Sessions, uids, the learning phase and scopes of the TensorFlow engine, and values of variables."""

import atexit
import functools
from typing import Any, Callable, ContextManager, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ...basics.library import Tensor
from ...contract.kinds import shown
from ...errors import ArgumentTypeError, ClearedSessionError
from .functions import Function, evaluate, own_read
from .sessions import (
    Storage,
    choose_session,
    connect,
    current_session,
    has_name,
    initial_tensor,
    process,
    settings,
    storage,
    translate,
)
from .tensors.graph import describe, graph, home, renew, state, state_of, states
from .tensors.tensors import (
    as_array,
    converted,
    is_tensor,
    is_variable,
    own_variable,
    private_copy,
    scope_name,
    static_shape,
    used,
)
from .updates import new_value, note_increment, require_variable, same_shape
from .vendor import INLINE, UnreadVariable, eager_mode, executing_eagerly, get_default_session, tf


class State:
    """The part of `TensorFlowLibrary` that `K.clear_session()` is about."""

    @staticmethod
    def clear() -> None:
        old = state_of(renew())
        with old.lock:
            old.dead = True
            for function in list(old.functions):
                function.forget()
            old.functions.clear()
            old.remembered.clear()
            old.groups.clear()
            session, old.session = old.session, None
            # A session that the user made is the user's to close.
            if session is not None and old.owned:
                session.close()

    get_session = staticmethod(lambda: current_session(state()))
    reset_uids = staticmethod(lambda: state().uids.clear())

    @staticmethod
    def set_session(session: Any) -> None:
        if session is None:
            state().session = None
            return
        if not callable(getattr(session, 'run', None)) or not isinstance(getattr(session, 'graph', None), tf.Graph):
            raise ArgumentTypeError(f'session has to be a session of TensorFlow, got {session!r}.')
        choose_session(session)

    @staticmethod
    def initialise_manually(value: bool) -> None:
        settings.manual = value

    @staticmethod
    def learning_phase() -> Any:
        known = state()
        if known.phase is None:
            with known.lock, tf.init_scope():
                if known.phase is None:
                    known.phase = tf.placeholder_with_default(False, (), name='keras_learning_phase')
                    known.phase._uses_learning_phase = True
        return known.phase

    @staticmethod
    def set_learning_phase(value: int) -> None:
        state().phase = value

    @staticmethod
    def uid(prefix: str) -> int:
        known = state()
        with known.lock:
            known.uids[prefix] += 1
            return known.uids[prefix]

    @staticmethod
    def name_scope(name: Optional[str]) -> ContextManager[Any]:
        graph()
        if name is None:  # the outermost one
            outermost: ContextManager[Any] = tf.name_scope(None)
            return outermost
        again = '/' if name.endswith('/') else ''
        scope: ContextManager[Any] = tf.name_scope(f'{scope_name(name)}{again}')
        return scope

    @staticmethod
    def control_dependencies(tensors: Sequence[Any]) -> ContextManager[Any]:
        graph()
        for x in tensors:
            if not isinstance(x, tf.Operation) and not is_tensor(x):
                raise ArgumentTypeError(f'control_inputs has to hold tensors or operations, got {shown(x)}.')
        # Of an update its operation: the tensor would be its result, which nobody reads.
        before = [x.op if isinstance(x, UnreadVariable) else x for x in tensors]
        block: ContextManager[Any] = tf.control_dependencies(before)
        return block

    @staticmethod
    def symbolic(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def build(*args: Any, **kwargs: Any) -> Any:
            if not executing_eagerly():
                graph()
                return func(*args, **kwargs)
            with home.graph.as_default():
                return func(*args, **kwargs)

        return build

    @staticmethod
    def eager(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def compute(*args: Any, **kwargs: Any) -> Any:
            with eager_mode():
                return func(*args, **kwargs)

        return compute


@atexit.register
def _close_all() -> None:
    """Let go of all sessions while TensorFlow is still there: functions that live longer cannot do it."""
    for graph_state in list(states):
        for function in list(graph_state.functions):
            function.forget()
        graph_state.groups.clear()
        if graph_state.session is not None and graph_state.owned:
            graph_state.session.close()


# -- values of variables -----------------------------------------------------------------------------------------------
# Values of variables: reading, setting and updating them.


# Functions that read or set several variables at once are kept; a program has few such groups.
_GROUPS = 32
# A function for one variable or group takes a third of the time of a call by name, and costs much to make: it is made
# after so many calls.
_OFTEN, _OFTEN_TOGETHER = 64, 4
_IN_PLACE = {'add': ('assign_add', 'AssignAddVariableOp'), 'sub': ('assign_sub', 'AssignSubVariableOp')}


class Values:
    front: Any
    current, check = staticmethod(used), staticmethod(own_variable)

    @staticmethod
    def evaluate(x: Tensor) -> Any:
        function = getattr(x, '_keras_backend_eval', None)
        if function is not None:
            return function([])
        if is_variable(x) and not executing_eagerly():
            own_variable(x)
            if _once_more(x) < _OFTEN:
                fetched = _by_name([x], lambda storage: [_read(storage, x)])
                if fetched is not None:
                    return fetched[0]
        return evaluate(x)

    @staticmethod
    def values(tensors: Sequence[Tensor]) -> List[Any]:
        if all(map(is_variable, tensors)) and not executing_eagerly():
            for x in tensors:
                own_variable(x)
            if _once_more(tensors[0], '_keras_backend_group_reads') < _OFTEN_TOGETHER:
                # Without the lock: a function that updates variables holds it, and may call Python that comes here.
                fetched = _by_name(tensors, lambda storage: [_read(storage, x) for x in tensors])
                if fetched is not None:
                    return fetched
        read = _kept('get', tensors, lambda: Function([], list(map(own_read, tensors)), name='K.batch_get_value'))
        values: List[Any] = read([])
        return values

    @staticmethod
    def assign(pairs: Sequence[Tuple[Tensor, Any]]) -> None:
        if len(pairs) == 1:
            slot = _slot(pairs[0][0])
            slot.assign(slot.array(pairs[0][1]))
            return
        arrays = {id(x): (x, _slot(x).array(value)) for x, value in pairs}
        variables = [x for x, _array in arrays.values()]
        if not variables:
            return
        if _once_more(variables[0], '_keras_backend_group_writes') < _OFTEN_TOGETHER:
            if _by_name(variables, lambda storage: _assign(storage, arrays.values())) is not None:
                return
        if len({id(initial_tensor(x)) for x in variables}) < len(variables):
            # Variables that were made from one tensor cannot be told apart by what is fed.
            for x, array in arrays.values():
                _slot(x).assign(array)
        else:
            _kept('set', variables, lambda: _Setter(variables))(*[array for _x, array in arrays.values()])

    @staticmethod
    def update(x: Tensor, new: Tensor) -> Tensor:
        return require_variable(x).assign(new_value(x, new))

    def increment(self, x: Tensor, operation: str, change: Tensor) -> Tensor:
        method, kind = _IN_PLACE[operation]
        dtype = require_variable(x).dtype.base_dtype
        if change.dtype == dtype and same_shape(x, change):
            return getattr(x, method)(change)
        updated = self.front.update(x, self.front.binary(operation, x, change))
        return note_increment(updated, kind, converted(change, dtype))


def _by_name(variables: Sequence[Tensor], work: Callable[[Storage], List[Any]]) -> Optional[List[Any]]:
    """The result of `work` with the storage that knows `variables` by their names, None where there can be none."""
    if not all(map(has_name, variables)):
        return None
    known = state_of(variables[0].graph)
    store = storage(current_session(known), known.graph)
    try:
        return None if store is None else work(store)
    except tf.errors.InvalidArgumentError:
        # Of a graph that the session cannot be extended by; a function of the variable itself says so, or goes on.
        return None


def _once_more(x: Tensor, what: str = '_keras_backend_reads') -> int:
    """How often this was called before for `x`."""
    count: int = getattr(x, what, 0)
    setattr(x, what, count + 1)
    return count


def _read(by_name: Storage, x: Tensor) -> Any:
    try:
        return by_name.read(x)
    except (tf.errors.OpError, RuntimeError) as error:
        ours = translate(error, f'the value of {describe(x)}')
        if ours is None:
            raise
        raise ours from error


def _assign(by_name: Storage, pairs: Iterable[Tuple[Tensor, Any]]) -> List[Any]:
    for x, array in pairs:
        by_name.assign(x, array)
    return []


def _kept(what: str, tensors: Sequence[Tensor], make: Callable[[], Any]) -> Any:
    """The function for this group of tensors, made once."""
    groups = state_of(tensors[0].graph).groups
    key = (what, *[id(t) for t in tensors])
    if key not in groups:
        while len(groups) >= _GROUPS:
            groups.pop(next(iter(groups)))
        # The tensors are kept, too, or else others might be born with their ids.
        groups[key] = make(), tensors
    return groups[key][0]


class _Setter:
    """Assigns arrays to variables by way of their own initialisers, which adds nothing to the graph."""

    def __init__(self, variables: Sequence[Tensor]) -> None:
        self._feeds = [initial_tensor(v) for v in variables]
        self._targets = [v.initializer for v in variables]
        self._state = state_of(variables[0].graph)
        self._bound: Tuple[Any, Any] = (None, None)

    def __call__(self, *arrays: Any) -> None:
        session, run = self._bound
        if process.forked or session is None or session is not (get_default_session() or self._state.session):
            if self._state.dead:
                raise ClearedSessionError('This variable was made before K.clear_session() and is gone; make it again.')
            session, run = self._bound = connect(self._state, self._feeds, [], self._targets, INLINE)
        run(*arrays)


class _Slot:
    """The record that K.set_value keeps of a variable."""

    def __init__(self, x: Tensor) -> None:
        self.type, self.shape = x.dtype.base_dtype, static_shape(x)
        self.numpy = np.dtype(self.type.as_numpy_dtype)
        self._variable, self._writes = x, 0
        # Lets the variable have the value of an array that is TensorFlow's from then on.
        self.assign: Callable[..., None] = self._assign

    def _assign(self, array: Any) -> None:
        self._writes += 1
        if (
            self._writes <= _OFTEN
            and _by_name([self._variable], lambda storage: _assign(storage, [(self._variable, array)])) is not None
        ):
            return
        self.assign = _Setter([self._variable])
        self.assign(array)

    def array(self, value: Any) -> Any:
        """`value`, an array of the shape of the variable, as a private array of its dtype."""
        if value.dtype is self.numpy:
            return private_copy(value)
        array = as_array(value, self.type)
        # An array that was converted is a copy already.
        return private_copy(array) if array is value or array.base is not None else array


def _slot(x: Tensor) -> _Slot:
    slot: Any = getattr(x, '_keras_backend_slot', None)
    if slot is None:
        slot = require_variable(x)._keras_backend_slot = _Slot(x)
    result: _Slot = slot
    return result


def set_directly(x: Any, value: Any) -> bool:
    """Set a variable that was set before to an array of its dtype and shape; False if it is not such a case."""
    slot = getattr(x, '_keras_backend_slot', None)
    if slot is None or value.__class__ is not np.ndarray or value.dtype is not slot.numpy or value.shape != slot.shape:
        return False
    slot.assign(private_copy(value))
    return True

"""Sessions, uids, the learning phase and scopes of the TensorFlow engine."""

import atexit
import functools
from typing import Any, Callable, ContextManager, Optional, Sequence

from ...contract.kinds import shown
from ...errors import ArgumentTypeError
from .sessions import choose_session, current_session, settings
from .tensors.graph import graph, home, renew, state, state_of, states
from .tensors.tensors import is_tensor, scope_name
from .vendor import UnreadVariable, eager_mode, executing_eagerly, tf


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
            old.groups.clear()
            session, old.session = old.session, None
            # A session that the user made is the user's to close.
            if session is not None and old.owned:
                session.close()

    @staticmethod
    def get_session() -> Any:
        return current_session(state())

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
    def reset_uids() -> None:
        state().uids.clear()

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

"""Sessions, uids, scopes and the learning phase of the K graph."""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, ContextManager, Dict, List, Optional, Sequence

import numpy as np

from ...basics.threads import Lock
from ...errors import ArgumentTypeError
from ..nodes.base import Session
from ..nodes.tensor import Placeholder, Tensor, Update

# -- get_session -------------------------------------------------------------------------------------------------------
# The result of `K.get_session()` where the library has no sessions.


class NeutralSession:
    """Runs tensors as a TensorFlow 1 session would, so that code written for one keeps working."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def run(self, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None) -> Any:
        """The values of `fetches`, with the placeholders in `feed_dict` fed.

        fetches: a tensor or an update, or a list, tuple or dict of such, also nested. The result is nested likewise.
        It has None for an operation of a stand-in for TensorFlow, which has nothing to do.
        """
        feed_dict = feed_dict or {}
        tensors: List[Any] = []
        filled = _filled(fetches, self._graph.is_tensor, tensors)
        function = self._graph.function(list(feed_dict), tensors, (), name='session.run')
        return filled(function(list(feed_dict.values())))

    def close(self) -> None:
        """Nothing is held, so nothing is freed."""

    def __enter__(self) -> 'NeutralSession':
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def _filled(fetches: Any, is_tensor: Callable[[Any], bool], tensors: List[Any]) -> Callable[[List[Any]], Any]:
    """What makes the result of the values of `tensors`, to which those of `fetches` are added."""
    from ...basics.sessions import Nothing  # here, because few programs come here

    if isinstance(fetches, dict):
        by_name = {name: _filled(fetch, is_tensor, tensors) for name, fetch in fetches.items()}
        return lambda values: {name: fill(values) for name, fill in by_name.items()}
    if isinstance(fetches, (list, tuple)):
        kind, fills = type(fetches), [_filled(fetch, is_tensor, tensors) for fetch in fetches]
        # A named tuple takes its fields one by one.
        return lambda values: (kind._make if hasattr(kind, '_make') else kind)([fill(values) for fill in fills])
    if is_tensor(fetches):
        tensors.append(fetches)
        index = len(tensors) - 1
        return lambda values: values[index]
    if not isinstance(fetches, Nothing):
        raise ArgumentTypeError(
            f'session.run takes tensors and updates of K, and lists, tuples and dicts of them, got {fetches!r}; make '
            'a tensor of it with K.constant, or run it in a session of TensorFlow: KERAS_BACKEND=tensorflow.'
        )
    return lambda values: None


# -- updates -----------------------------------------------------------------------------------------------------------
# Several updates of one variable, made into one.


def composed(front: Any, updates: Sequence[Update]) -> List[Update]:
    """One update for each variable: increments add up in their order, an assignment replaces what came before it.

    front: the `front.Front` of the graph.
    """
    by_variable: Dict[int, Update] = OrderedDict()
    for update in updates:
        variable = update.variable
        before = by_variable.get(variable.id)
        if before is not None and update.onto is not None:
            update = front.update(variable, update.onto(before.new))
        by_variable[variable.id] = update
    return list(by_variable.values())


class State:
    """The part of `Graph` that `K.clear_session()` is about."""

    title: str
    lock: Lock
    session: Session
    user_session: Optional[NeutralSession]

    if TYPE_CHECKING:

        def usable(self, x: Tensor) -> None:
            """See `Graph`."""

    def clear(self) -> None:
        """Start a new session; tensors of the old one are dead."""
        with self.lock:
            self.session.closed = True
            self.session = Session(self)

    def get_session(self) -> NeutralSession:
        if self.user_session is None:
            self.user_session = NeutralSession(self)
        return self.user_session

    def set_session(self, session: Any) -> None:
        from ...basics import sessions  # here, because few programs come here

        if session is None:
            self.user_session = None
            return
        if sessions.is_of_tensorflow(session):
            sessions.without_sessions(self.title)
            return
        if not isinstance(session, NeutralSession):
            raise ArgumentTypeError(
                f'session is no session of the {self.title} engine, got {session!r}; the engine runs without sessions, '
                'so give back what K.get_session() returned.'
            )
        self.user_session = session

    def initialise_manually(self, value: bool) -> None:
        """Variables have their values from the start here, so there is nothing to put off."""

    def learning_phase(self) -> Any:
        phase = self.session.learning_phase
        if phase is None:
            with self.lock:
                phase = self.session.learning_phase
                if phase is None:
                    phase = Placeholder(self.session, (), 'bool', 'learning_phase', default=np.zeros((), 'bool'))
                    phase.host = True
                    self.session.learning_phase = phase
        return phase

    def set_learning_phase(self, value: int) -> None:
        self.session.learning_phase = value

    def uid(self, prefix: str) -> int:
        with self.lock:
            self.session.uids[prefix] += 1
            return self.session.uids[prefix]

    def reset_uids(self) -> None:
        self.session.uids.clear()

    @staticmethod
    def symbolic(func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    @staticmethod
    def eager(func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def name_scope(self, name: Optional[str]) -> ContextManager[str]:
        return self.session.name_scope(name)

    def control_dependencies(self, tensors: Sequence[Any]) -> ContextManager[None]:
        for t in tensors:
            if not isinstance(t, Tensor):
                raise ArgumentTypeError(f'control_inputs has to hold tensors and updates, got {t!r}.')
            self.usable(t)
        return self.session.depending_on(tensors)

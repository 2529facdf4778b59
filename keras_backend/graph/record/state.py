"""Sessions, uids, scopes and the learning phase of the K graph."""

from typing import TYPE_CHECKING, Any, Callable, ContextManager, Optional, Sequence

import numpy as np

from ...basics.locks import Lock
from ...errors import ArgumentTypeError
from ..nodes.session import Session
from ..nodes.tensor import Placeholder, Tensor
from .neutral_session import NeutralSession


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

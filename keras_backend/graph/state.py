"""Sessions, uids, scopes and the learning phase of the K graph."""

import numpy as np

from ..errors import ArgumentTypeError
from .neutral import NeutralSession
from .session import Session
from .tensor import Placeholder, Tensor


class State:
    """The part of `GraphLibrary` that `K.clear_session()` is about."""

    def clear(self):
        """Start a new session; tensors of the old one are dead."""
        with self.lock:
            self.session.closed = True
            self.session = Session(self)

    def get_session(self):
        if self.user_session is None:
            self.user_session = NeutralSession(self)
        return self.user_session

    def set_session(self, session):
        if not isinstance(session, NeutralSession):
            raise ArgumentTypeError(
                f'session is no session of the {self.title} engine, got {session!r}; the engine runs without sessions, '
                'so give back what K.get_session() returned.'
            )
        self.user_session = session

    def initialise_manually(self, value):
        """Variables have their values from the start here, so there is nothing to put off."""

    def learning_phase(self):
        phase = self.session.learning_phase
        if phase is None:
            with self.lock:
                phase = self.session.learning_phase
                if phase is None:
                    phase = Placeholder(self.session, (), 'int32', 'learning_phase', default=np.zeros((), 'int32'))
                    phase.host = True
                    self.session.learning_phase = phase
        return phase

    def set_learning_phase(self, value):
        self.session.learning_phase = value

    def uid(self, prefix):
        with self.lock:
            self.session.uids[prefix] += 1
            return self.session.uids[prefix]

    def reset_uids(self):
        self.session.uids.clear()

    @staticmethod
    def symbolic(func):
        return func

    @staticmethod
    def eager(func):
        return func

    def name_scope(self, name):
        return self.session.name_scope(name)

    def control_dependencies(self, tensors):
        for t in tensors:
            if not isinstance(t, Tensor):
                raise ArgumentTypeError(f'control_inputs has to hold tensors and updates, got {t!r}.')
            self.usable(t)
        return self.session.depending_on(tensors)

"""What K knows beside the graph: the session that its tensors belong to, how they are called, and one lock for all."""

from ...errors import ClearedSessionError
from ...graph.locks import Lock
from ...graph.session import Session


class _Engine:
    """The session of now; the lock is held where functions are compiled and run: Theano does neither in threads.

    front: what the operators of tensors call.
    """

    def __init__(self):
        self.lock = Lock()
        self.session = Session(self)
        self.user_session = self.front = None


engine = _Engine()


def session():
    """The session of now."""
    return engine.session


def describe(x):
    """How a message calls a tensor."""
    return getattr(x, 'name', None) or 'a tensor'


def check(x):
    """Refuse a tensor that was made before K.clear_session()."""
    made_in = x.__dict__.get('_keras_session')
    if made_in is not None and made_in.closed:
        raise ClearedSessionError(f'{describe(x)} was made before K.clear_session() and is gone; build it again.')
    return x

"""The data of K beside the graph of Theano: the session of its tensors, their names in messages, a lock."""

from typing import Any

from ....basics.threads import Lock
from ....errors import ClearedSessionError
from ....graph.nodes.base import Session


class _Engine:
    """The session of now; the lock is held where functions are compiled and run: Theano does neither in threads.

    front, F, getitem: what the operators of tensors call. The region of the session is what a step function is recorded
    into: the numbers of the steps of the loops, the outermost first.
    """

    user_session = front = F = getitem = None

    def __init__(self) -> None:
        self.lock = Lock()
        self.session = Session(self)


engine: Any = _Engine()


def describe(x: Any) -> str:
    """How a message calls a tensor."""
    return getattr(x, 'name', None) or 'a tensor'


def check(x: Any) -> Any:
    """Refuse a tensor that was made before K.clear_session()."""
    made_in = x.__dict__.get('_keras_session')
    if made_in is not None and made_in.closed:
        raise ClearedSessionError(f'{describe(x)} was made before K.clear_session() and is gone; build it again.')
    return x

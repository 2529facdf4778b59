"""Sessions, uids, scopes and the learning phase."""

import numpy as np

from ...errors import ConfigError
from ..neutral import NeutralSession
from ..tensor import Placeholder, Tensor

K = G = None


def clear_session():
    with G.lock:
        G.clear()


def get_uid(prefix=''):
    uids = G.session.uids
    with G.lock:
        uids[prefix] += 1
        return uids[prefix]


def reset_uids():
    G.session.uids.clear()


def get_session():
    if G.user_session is None:
        G.user_session = NeutralSession(G)
    return G.user_session


def set_session(session):
    if not isinstance(session, NeutralSession):
        raise TypeError(
            f'{session!r} is no session of the {G.title} engine; it runs without sessions, give back what '
            'K.get_session() '
            'returned.'
        )
    G.user_session = session


def manual_variable_initialization(value):
    # variables have their values from the start here, there is nothing to put off
    G.manual_variable_initialization = bool(value)


def learning_phase():
    phase = G.session.learning_phase
    if phase is None:
        with G.lock:
            phase = G.session.learning_phase
            if phase is None:
                phase = Placeholder(G.session, (), 'int32', 'learning_phase', default=np.zeros((), 'int32'))
                phase.host = True
                G.session.learning_phase = phase
    return phase


def set_learning_phase(value):
    if isinstance(value, Tensor) or value not in (0, 1):
        raise ConfigError(
            f'The learning phase has to be 0 (test) or 1 (train), got {value!r}.',
            'learning_phase',
            value,
            'K.set_learning_phase',
        )
    G.session.learning_phase = int(value)


def symbolic(func):
    return func


def eager(func):
    return func


def name_scope(name):
    return G.session.name_scope(name)


def control_dependencies(control_inputs):
    if isinstance(control_inputs, Tensor):
        control_inputs = [control_inputs]
    tensors = [t for t in control_inputs or () if isinstance(t, Tensor)]
    for t in tensors:
        G.usable(t)
    return G.session.depending_on(tensors)

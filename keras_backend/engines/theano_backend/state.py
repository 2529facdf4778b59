"""Sessions, uids, the learning phase and scopes."""

import numpy as np

from ...errors import ConfigError
from ...graph.neutral_session import NeutralSession
from ._convert import constant, is_tensor
from ._function import Function
from ._graph import engine, session
from ._library import TensorType
from ._variables import KVariable


class _Session(NeutralSession):
    """What runs tensors for code that asks for a session."""

    def _function(self, inputs, outputs):
        return Function(inputs, outputs, name='session.run')


def get_session():
    if engine.user_session is None:
        engine.user_session = _Session(engine)
    return engine.user_session


def set_session(session):
    if not isinstance(session, NeutralSession):
        raise TypeError(
            f'{session!r} is no session of the Theano engine; it runs without sessions, give back what '
            'K.get_session() returned.'
        )
    engine.user_session = session


def clear_session():
    with engine.lock:
        engine.clear()


def manual_variable_initialization(value):
    # Variables have their values from the start here, there is nothing to put off.
    engine.manual_variable_initialization = bool(value)


def learning_phase():
    here = session()
    if here.learning_phase is None:
        with engine.lock:
            if here.learning_phase is None:
                phase = KVariable(TensorType('bool', ()), None, None, 'learning_phase')
                phase._keras_session, phase._uses_learning_phase, phase._keras_placeholder = here, True, True
                phase._keras_default = constant(np.zeros((), 'bool'), 'bool')
                here.learning_phase = phase
    return here.learning_phase


def set_learning_phase(value):
    if is_tensor(value) or value not in (0, 1):
        raise ConfigError(
            f'The learning phase has to be 0 (test) or 1 (train), got {value!r}.',
            'learning_phase',
            value,
            'K.set_learning_phase',
        )
    session().learning_phase = int(value)


def get_uid(prefix=''):
    uids = session().uids
    with engine.lock:
        uids[prefix] += 1
        return uids[prefix]


def reset_uids():
    session().uids.clear()


def name_scope(name):
    return session().name_scope(name)


def control_dependencies(control_inputs):
    if is_tensor(control_inputs):
        control_inputs = [control_inputs]
    return session().depending_on([x for x in control_inputs or () if hasattr(x, '_keras_update')])

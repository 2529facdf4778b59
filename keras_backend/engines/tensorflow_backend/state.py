"""Sessions, uids, the learning phase and scopes."""

import atexit
import functools

from ...errors import ConfigError
from ._convert import is_tensor, scope_name
from ._graph import graph, home, renew, state, state_of, states
from ._library import UnreadVariable, eager_mode, executing_eagerly, tf
from ._session import choose_session, current_session, settings


def get_session():
    return current_session(state())


def set_session(session):
    if session is None:
        state().session = None
        return
    if not callable(getattr(session, 'run', None)) or not isinstance(getattr(session, 'graph', None), tf.Graph):
        raise TypeError(f'K.set_session takes a session of TensorFlow, got {session!r}.')
    choose_session(session)


def clear_session():
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


@atexit.register
def _close_all():
    """Let go of all sessions while TensorFlow is still there: functions that live longer cannot do it."""
    for each in list(states):
        for function in list(each.functions):
            function.forget()
        each.groups.clear()
        if each.session is not None and each.owned:
            each.session.close()


def manual_variable_initialization(value):
    settings.manual = bool(value)


def learning_phase():
    known = state()
    if known.phase is None:
        with known.lock, tf.init_scope():
            if known.phase is None:
                known.phase = tf.placeholder_with_default(False, (), name='keras_learning_phase')
                known.phase._uses_learning_phase = True
    return known.phase


def set_learning_phase(value):
    if is_tensor(value) or value not in (0, 1):
        raise ConfigError(
            f'The learning phase has to be 0 (test) or 1 (train), got {value!r}.',
            'learning_phase',
            value,
            'K.set_learning_phase',
        )
    state().phase = int(value)


def get_uid(prefix=''):
    known = state()
    with known.lock:
        known.uids[prefix] += 1
        return known.uids[prefix]


def reset_uids():
    state().uids.clear()


def name_scope(name):
    graph()
    return tf.name_scope(scope_name(name))


def control_dependencies(control_inputs):
    if control_inputs is None:
        control_inputs = ()
    elif not isinstance(control_inputs, (list, tuple)):
        control_inputs = [control_inputs]
    graph()
    # Of an update its operation: the tensor would be its result, which nobody reads.
    return tf.control_dependencies([x.op if isinstance(x, UnreadVariable) else x for x in control_inputs])


def symbolic(func):
    @functools.wraps(func)
    def build(*args, **kwargs):
        if not executing_eagerly():
            graph()
            return func(*args, **kwargs)
        with home.graph.as_default():
            return func(*args, **kwargs)

    return build


def eager(func):
    @functools.wraps(func)
    def compute(*args, **kwargs):
        with eager_mode():
            return func(*args, **kwargs)

    return compute

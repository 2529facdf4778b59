"""Programs choose memory and threads by a session of TensorFlow. On an engine without sessions it changes nothing."""

import collections
import logging

import numpy as np
import pytest
from processes import ENGINE

import keras_backend as K
from keras_backend.basics import sessions
from keras_backend.errors import KerasBackendError
from keras_backend.programs.on_keras3.stand_in import StandIn


class Session:
    """What `K.set_session` sees of a session of TensorFlow, which need not be installed."""

    __module__ = 'tensorflow.python.client.session'

    def run(self, fetches):
        raise AssertionError('it is not used')


@pytest.mark.skipif(ENGINE in ('tensorflow', 'theano', 'cntk'), reason='has sessions, or is not on the K graph')
def test_session_that_sets_memory(caplog, monkeypatch):
    """One line is logged, once; K computes as before. What is no session is refused."""
    monkeypatch.setattr(sessions, '_told', set())
    with caplog.at_level(logging.WARNING, logger='keras_backend'):
        K.set_session(Session())
        K.set_session(Session())
    assert 1 == len(caplog.records)
    assert 'runs without sessions: K.set_session changes nothing' in caplog.text
    assert 2.0 == K.eval(K.constant(1.0) * 2.0)
    with pytest.raises(KerasBackendError):
        K.set_session(object())


def test_no_session():
    """`K.set_session(None)` lets K make a session when one is needed; nothing else changes."""
    x = K.variable(2.0)
    K.set_session(None)
    assert 2.0 == K.get_value(x)
    assert 4.0 == K.get_session().run(x * 2.0)


Pair = collections.namedtuple('Pair', 'first second')


def test_results_of_a_session_are_nested_as_what_it_runs():
    """Lists, tuples and dicts, with placeholders that are fed; an update gives the new value, and is carried out."""
    x, v = K.placeholder((None,)), K.variable(1.0)
    session = K.get_session()
    values = session.run({'twice': x * 2.0, 'more': [v, (x + v,)]}, {x: np.array([1.0, 2.0], 'float32')})
    assert ['more', 'twice'] == sorted(values)
    assert [2.0, 4.0] == values['twice'].tolist()
    assert 1.0 == values['more'][0]
    assert [2.0, 3.0] == values['more'][1][0].tolist()
    pair = session.run(Pair(v, v + 1.0))
    assert Pair(1.0, 2.0) == pair
    assert Pair is type(pair)
    assert 4.0 == session.run(K.update_add(v, 3.0))
    assert 4.0 == K.get_value(v)


# Not collected on the other engines: a test that is skipped counts.
if ENGINE not in ('tensorflow', 'theano', 'cntk'):

    def test_session_of_settings_computes_nothing(caplog, monkeypatch):
        """What the stand-in gives for `tf.Session(config=...)` is taken. Where it shall compute, the error says how."""
        monkeypatch.setattr(sessions, '_told', set())
        tf = StandIn('tensorflow')
        config = tf.compat.v1.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True), device_count={'GPU': 0})
        config.graph_options.optimizer_options.global_jit_level = 1
        assert config.gpu_options.allow_growth
        with tf.compat.v1.Session(config=config) as session:
            with caplog.at_level(logging.WARNING, logger='keras_backend'):
                K.set_session(session)
            assert 1 == len(caplog.records)
            with pytest.raises(KerasBackendError, match='KERAS_BACKEND=tensorflow'):
                session.run(K.constant(1.0))
        session.close()

    @pytest.mark.parametrize('fetch', [1, None, 'x', object(), [K, 2.0]])
    def test_session_refuses_what_is_no_tensor(fetch):
        """The error says what can be run, and where anything else can."""
        with pytest.raises(KerasBackendError, match=r'session\.run takes tensors and updates of K.*KERAS_BACKEND='):
            K.get_session().run(fetch)

    def test_operations_of_a_stand_in_give_none():
        """`K.get_session().run(tf.global_variables_initializer())` of programs: variables have their values."""
        assert K.get_session().run(sessions.Nothing()) is None
        assert [None, 2.0] == K.get_session().run([sessions.Nothing(), K.variable(2.0)])

"""Settings, sessions, uids, the learning phase as a setting, scopes."""

import warnings

import numpy as np
import pytest

from ..errors import KerasBackendError
from ._check import close, covers


@covers('epsilon', 'set_epsilon')
def test_epsilon(K, check):
    """epsilon is a float. It can be set to a positive number only."""
    assert K.epsilon() == 1e-7
    assert isinstance(K.epsilon(), float)
    K.set_epsilon(1e-5)
    assert K.epsilon() == 1e-5
    K.set_epsilon(1)
    assert K.epsilon() == 1.0
    assert isinstance(K.epsilon(), float)
    K.set_epsilon(np.float32(1))
    assert K.epsilon() == 1.0
    assert type(K.epsilon()) is float
    for wrong in ('xxx', '1e-3', None, [1e-3], 0, -1e-7, float('inf'), float('nan'), 1j):
        with pytest.raises((ValueError, TypeError)):
            K.set_epsilon(wrong)
    assert K.epsilon() == 1.0


@covers('floatx', 'set_floatx', 'cast_to_floatx')
def test_floatx(K, check):
    """floatx is one of three names, and `cast_to_floatx` casts arrays to it."""
    for name in ('float16', 'float64', 'float32'):
        K.set_floatx(name)
        assert K.floatx() == name
        assert isinstance(K.floatx(), str)
        for value in (np.array([1.0, 2.0]), [1, 2], np.array([1, 2])):
            assert isinstance(K.cast_to_floatx(value), np.ndarray)
            assert K.cast_to_floatx(value).dtype.name == name
            assert K.cast_to_floatx(value).tolist() == [1, 2]
    for wrong in ('float8', 'int32', None, 32):
        with check.rejects(error=(ValueError, TypeError)):
            K.set_floatx(wrong)
    with check.rejects('float16', 'float32', 'float64', 'float8'):
        K.set_floatx('float8')
    assert K.floatx() == 'float32'


@covers('image_data_format', 'set_image_data_format', 'normalize_data_format')
def test_image_data_format(K, check):
    """The data format is one of two names. normalize_data_format replaces None with it."""
    assert K.image_data_format() == 'channels_last' == K.normalize_data_format(None)
    K.set_image_data_format('channels_first')
    assert K.image_data_format() == 'channels_first' == K.normalize_data_format(None)
    assert K.normalize_data_format('channels_last') == 'channels_last'
    assert K.normalize_data_format('channels_first') == 'channels_first'
    assert K.normalize_data_format('Channels_Last') == 'channels_last'
    for wrong in ('th', 'Channels_Last', '', None, 1):
        with pytest.raises((ValueError, TypeError)):
            K.set_image_data_format(wrong)
    for refuse in (K.set_image_data_format, K.normalize_data_format):
        with check.rejects('channels_middle', 'channels_first', 'channels_last'):
            refuse('channels_middle')
    assert K.image_data_format() == 'channels_first'


@covers('image_dim_ordering', 'set_image_dim_ordering')
def test_image_dim_ordering(K, check):
    """The oldest spelling of the data format is the same setting."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        assert K.image_dim_ordering() == 'tf'
        K.set_image_dim_ordering('th')
        assert K.image_data_format() == 'channels_first'
        assert K.image_dim_ordering() == 'th'
        K.set_image_data_format('channels_last')
        assert K.image_dim_ordering() == 'tf'
        with check.rejects():
            K.set_image_dim_ordering('xx')


@covers('backend')
def test_backend(K):
    """A namespace knows the name of its engine."""
    assert isinstance(K.backend(), str)
    assert K.backend() == K._engine.name


@covers('normalize_data_format', 'conv2d')
def test_first_generation_values(K):
    """'th' and 'tf' as a data_format work, with a DeprecationWarning."""
    for old, new in (('th', 'channels_first'), ('tf', 'channels_last')):
        with pytest.warns(DeprecationWarning, match=f"'{old}' is now '{new}'"):
            assert K.normalize_data_format(old) == new
    x = K.placeholder((1, 2, 4, 5))
    with pytest.warns(DeprecationWarning, match="'th' is now 'channels_first'"):
        y = K.conv2d(x, K.ones((2, 2, 2, 3)), data_format='th')
    assert K.int_shape(y) == (1, 3, 3, 4)


@covers('get_uid', 'reset_uids')
def test_uids(K):
    """Uids count from 1 for each prefix, and start again after reset_uids."""
    assert [K.get_uid(*prefix) for prefix in (['a'], ['a'], ['b'], [], [''], ['a'])] == [1, 2, 1, 1, 2, 3]
    K.reset_uids()
    assert [K.get_uid('a'), K.get_uid(), K.get_uid('b')] == [1, 1, 1]


@covers('learning_phase', 'set_learning_phase', 'clear_session')
def test_learning_phase_as_a_setting(K, check):
    """The phase is a scalar tensor until it is fixed to 0 or 1. clear_session makes it a tensor again."""
    phase = K.learning_phase()
    assert K.is_tensor(phase)
    assert K.ndim(phase) == 0
    assert K.learning_phase() is phase
    for value in (1, 0):
        K.set_learning_phase(value)
        assert K.learning_phase() == value
        assert isinstance(K.learning_phase(), int)
    for wrong in (2, -1, 0.5, 'train', None):
        with check.rejects():
            K.set_learning_phase(wrong)
    assert K.learning_phase() == 0
    K.clear_session()
    assert K.is_tensor(K.learning_phase())


@covers('manual_variable_initialization')
def test_manual_variable_initialization(K):
    """The flag can be set on every engine."""
    try:
        K.manual_variable_initialization(True)
    finally:
        K.manual_variable_initialization(False)
    assert K.get_value(K.variable(3.0)) == 3.0


@covers('get_session', 'set_session')
def test_session(K):
    """The session object runs tensors, and can be set again."""
    session = K.get_session()
    assert callable(session.run)
    assert callable(session.close)
    x = K.placeholder((2,))
    close(session.run(x * 2.0, feed_dict={x: np.array([1.0, 2.0], 'float32')}), [2.0, 4.0])
    v = K.variable([1.0, 2.0])
    K.set_session(session)
    assert K.get_session() is session
    assert K.get_value(v).tolist() == [1.0, 2.0]
    values = session.run([x + v, x], feed_dict={x: np.array([1.0, 2.0], 'float32')})
    assert [np.asarray(value).tolist() for value in values] == [[2, 4], [1, 2]]


USES_OF_THE_DEAD = {
    'operator': lambda K, x, v, y: x + 1.0,
    'operator on two': lambda K, x, v, y: x + v,
    'new beside old': lambda K, x, v, y: K.ones((2,)) * x,
    'function of K': lambda K, x, v, y: K.exp(y),
    'function of new and old': lambda K, x, v, y: K.dot(x, K.ones((2, 2))),
    'eval': lambda K, x, v, y: K.eval(v),
    'get_value': lambda K, x, v, y: K.get_value(v),
    'set_value': lambda K, x, v, y: K.set_value(v, np.zeros(2)),
    'function': lambda K, x, v, y: K.function([x], [y]),
    'gradients': lambda K, x, v, y: K.gradients(y, [v]),
    'update': lambda K, x, v, y: K.function([], [], updates=[K.update(v, v)]),
}


@covers('clear_session')
@pytest.mark.parametrize('use', sorted(USES_OF_THE_DEAD))
def test_clear_session_kills_tensors(K, use):
    """Using a tensor or variable from before clear_session raises an error that says so."""
    x, v = K.placeholder((2,), name='old_input'), K.variable([1.0, 2.0], name='old_weights')
    y = x + v
    K.clear_session()
    with pytest.raises(KerasBackendError) as caught:
        USES_OF_THE_DEAD[use](K, x, v, y)
    assert isinstance(caught.value, ValueError)
    assert 'clear_session' in str(caught.value)


@covers('clear_session')
def test_clear_session_kills_functions(K, check):
    """Calling a function from before clear_session raises an error. The use of an old tensor names the tensor."""
    x = K.placeholder((2,), name='old_input')
    function = K.function([x], [x * 2.0])
    function([np.zeros(2)])
    K.clear_session()
    check.refuses('clear_session', function, [np.zeros(2)])
    check.refuses('old_input', K.exp, x)


@covers('clear_session')
def test_life_goes_on_after_clear_session(K):
    """After clear_session everything works again, any number of times. Uids start again, and settings stay."""
    K.set_floatx('float64')
    for _ in range(5):
        assert K.get_uid('layer') == 1
        x, v = K.placeholder((None, 2)), K.variable(np.ones((2, 2)))
        function = K.function([x], [K.dot(x, v)], updates=[K.update_add(v, np.ones((2, 2)))])
        assert function([np.ones((1, 2))])[0].tolist() == [[2, 2]]
        assert function([np.ones((1, 2))])[0].tolist() == [[4, 4]]
        K.clear_session()
        assert K.floatx() == 'float64'


@covers('symbolic', 'eager')
def test_symbolic_and_eager(K):
    """The decorators return a callable that does the same and has the same name."""
    for decorate in (K.symbolic, K.eager):

        @decorate
        def double_it(x, times=2):
            """Doubles."""
            return x * times

        assert double_it(3) == 6
        assert double_it(3, times=3) == 9
        assert double_it.__name__ == 'double_it'

    @K.symbolic
    def build(x):
        return K.exp(x)

    close(K.eval(build(K.constant(0.0))), 1.0)


@covers('name_scope')
def test_name_scope(K):
    """Names of tensors that are made in a scope contain the name of the scope. Scopes nest."""
    with K.name_scope('outer'):
        a = K.variable(1.0, name='a')
        with K.name_scope('inner'):
            b = K.placeholder((2,), name='b')
    c = K.variable(1.0, name='c')
    assert 'outer' in a.name
    assert 'a' in a.name
    assert 'outer' in b.name
    assert 'inner' in b.name
    assert b.name.index('outer') < b.name.index('inner')
    assert 'outer' not in c.name


@covers('control_dependencies', 'update', 'function')
def test_control_dependencies(K):
    """What is built inside also runs the given updates. What is built outside does not."""
    v, x = K.variable(1.0), K.placeholder((2,))
    update = K.update_add(v, 1.0)
    with K.control_dependencies([update]):
        inside = x * 2.0
    outside = x * 3.0
    close(K.function([x], [outside])([np.ones(2)])[0], [3.0, 3.0])
    assert K.get_value(v) == 1.0
    function = K.function([x], [inside])
    close(function([np.ones(2)])[0], [2.0, 2.0])
    assert K.get_value(v) == 2.0
    function([np.ones(2)])
    assert K.get_value(v) == 3.0
    with K.control_dependencies(update):
        single = K.identity(x)
    K.function([x], [single])([np.ones(2)])
    assert K.get_value(v) == 4.0
    with K.control_dependencies([]):
        close(K.eval(K.constant(1.0) + 1.0), 2.0)


@covers('control_dependencies', 'update', 'function')
def test_an_update_brings_along_what_it_depends_on(K):
    """An update that is made inside also runs the given updates, even if its new value was built outside."""
    total, count, average = K.variable(0.0), K.variable(0.0), K.variable(-1.0)
    x = K.placeholder(())
    new_total, new_count = total + x, count + 1.0
    ratio = new_total / new_count
    with K.control_dependencies([K.update(total, new_total), K.update(count, new_count)]):
        update = K.update(average, ratio)
    function = K.function([x], [], updates=[update])
    for value, expected in ((4.0, 4.0), (8.0, 6.0), (0.0, 4.0)):
        function([np.array(value)])
        close(K.get_value(average), expected)
    assert K.get_value(total) == 12
    assert K.get_value(count) == 3


@covers('control_dependencies', 'update', 'update_add', 'function')
def test_control_dependencies_come_first(K):
    """What is built inside reads variables after the updates. What is built outside reads the old values."""
    total, count, x = K.variable(0.0), K.variable(0.0), K.placeholder((None,))
    updates = [K.update_add(total, K.sum(x)), K.update_add(count, K.cast(K.shape(x)[0], K.floatx()))]
    with K.control_dependencies(updates):
        mean = total / count
    function = K.function([x], [mean, total * 1.0], updates=updates)
    mean, before = function([np.array([1.0, 2.0])])
    close(mean, 1.5)
    close(before, 0.0)
    mean, before = function([np.array([6.0])])
    close(mean, 3.0)
    close(before, 3.0)
    close(K.batch_get_value([total, count]), [9.0, 3.0])
    flag = K.variable(1.0)
    with K.control_dependencies([K.update(flag, 5.0)]):
        with K.control_dependencies([K.update_add(total, 1.0)]):
            both = K.stack([flag, total])
    close(K.function([], [both])([])[0], [5.0, 10.0])


@covers('control_dependencies', 'update', 'update_add', 'moving_average_update', 'function')
def test_control_dependencies_on_two_updates_of_one_variable(K):
    """Both updates are done. What is built inside reads the value after both; an update made inside starts from it."""
    v = K.variable([10.0, 20.0])
    with K.control_dependencies([K.update_add(v, [1.0, 1.0]), K.update_sub(v, [4.0, 8.0])]):
        inside = v * 2.0
    close(K.function([], [inside])([])[0], [14.0, 26.0])
    close(K.get_value(v), [7.0, 13.0])
    outer = K.update_add(v, [1.0, 1.0])
    with K.control_dependencies([outer]):
        average, doubled = K.moving_average_update(v, K.constant([0.0, 2.0]), 0.5), K.update(v, v * 2.0)
    for updates, expected in (
        ([average], [4.0, 8.0]),
        ([outer, average], [4.0, 8.0]),
        ([K.update_add(v, [100.0, 100.0]), average], [104.0, 108.0]),
        ([outer, doubled], [16.0, 28.0]),
        ([doubled], [16.0, 28.0]),
    ):
        K.set_value(v, [7.0, 13.0])
        K.function([], [], updates=updates)([])
        close(K.get_value(v), expected)

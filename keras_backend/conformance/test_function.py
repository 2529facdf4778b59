"""K.function: feeds, outputs, updates, errors, and the state after an error."""

import numpy as np
import pytest

from ..errors import KerasBackendError
from . import truth
from ._check import all_close, close, covers, random

pytestmark = covers('function')


def test_list_or_single(K):
    """A list of outputs returns a list, a single tensor a single array, no outputs an empty list."""
    x = K.placeholder((2,))
    feed = [np.array([1.0, 2.0], 'float32')]
    assert isinstance(K.function([x], [x + 1.0])(feed), list)
    single = K.function([x], x + 1.0)(feed)
    assert isinstance(single, np.ndarray)
    assert single.tolist() == [2, 3]
    assert K.function([x], [])(feed) == []


@covers('eval', 'get_value', 'batch_get_value')
@pytest.mark.parametrize('dtype', truth.ALL)
def test_scalars_are_numbers(K, dtype):
    """A scalar result is a NumPy scalar of the dtype of the tensor, for every kind of tensor."""
    x, v = K.placeholder((), dtype=dtype), K.variable(1, dtype=dtype)
    tensors = [
        x,
        v,
        K.constant(1, dtype=dtype),
        K.identity(v),
        K.reshape(x, ()),
        K.max(K.reshape(x, (1,))),
        K.switch(x, lambda: x, lambda: v),
        K.reshape(x, (1,))[0],
        K.foldl(lambda a, b: b, K.stack([v, x])),
    ]
    values = K.function([x], tensors)([1])
    values += [
        K.function([x], x)([1]),
        K.function([x], K.identity(v))([1]),
        K.eval(v),
        K.eval(K.identity(v)),
        K.eval(K.constant(1, dtype=dtype)),
        K.get_value(v),
    ] + K.batch_get_value([v, v])
    for value in values:
        assert type(value) is np.dtype(dtype).type
        assert np.isscalar(value)
        assert value == 1
        assert hash(value) == hash(1)
        assert {value: 'found'}[1] == 'found'


@covers('eval', 'get_value')
def test_scalars_do_not_change(K):
    """`total += result` changes no other name of the result. A value that was read can be set again."""
    v = K.variable(1.5)
    function = K.function([], [v * 1.0, v])
    for read in (lambda: function([])[0], lambda: function([])[1], lambda: K.eval(v), lambda: K.get_value(v)):
        total = read()
        first = total
        total += 1
        assert first == 1.5
        assert total == 2.5
        assert round(first, 1) == 1.5
    K.set_value(v, K.get_value(v) * 2)
    K.set_value(v, K.get_value(v))
    assert K.get_value(v) == 3.0


def test_what_may_be_fed(K):
    """Lists, numbers, arrays of other dtypes, and arrays that are non-contiguous, reversed or read-only can be fed."""
    x, s = K.placeholder((None, 2)), K.placeholder(())
    function = K.function([x, s], [x * s])
    base = np.arange(8.0).reshape(2, 4)
    read_only = np.ones((1, 2), 'float32')
    read_only.flags.writeable = False
    for value in (
        [[1, 2], [3, 4]],
        [[1.5, 2.5]],
        np.arange(4).reshape(2, 2),
        base[:, ::2],
        base.T[:, ::-1],
        base[::-1, 2:],
        np.asfortranarray(base[:, :2]),
        read_only,
        np.array([[True, False]]),
        np.zeros((0, 2)),
        np.float16([[1, 2]]),
        ((1, 2), (3, 4)),
        base[:, :2].astype('>f8'),
    ):
        for scale in (2, 2.0, np.float64(2), np.array(2)):
            close(function([value, scale])[0], np.asarray(value, 'float64') * 2)


def test_a_name_may_be_given(K):
    """`name` is accepted, because old models pass it. `updates` may be None, empty or a tuple."""
    v = K.variable(1.0)
    for updates in (None, [], (), ((v, v + 1.0),)):
        function = K.function([], [v * 2.0], updates=updates, name='train_function')
    assert function([]) == [2.0]
    assert K.get_value(v) == 2.0


def test_many_batch_sizes(K):
    """One function takes all sizes of its unknown axes, in any order, also size 0."""
    x, y = K.placeholder((None, None, 3)), K.placeholder((None,))
    function = K.function([x, y], [K.sum(x, axis=1), K.mean(y), K.shape(x), K.exp(x)])
    for shape in [(2, 3, 3), (1, 1, 3), (4, 2, 3), (2, 3, 3), (0, 2, 3), (2, 5, 3)]:
        array, other = random(shape, seed=shape[0], dtype='float32'), random((shape[1] + 1,), dtype='float32')
        values = function([array, other])
        all_close(
            values,
            [array.astype('float64').sum(1), other.astype('float64').mean(), shape, np.exp(array.astype('float64'))],
        )


def test_outputs_of_all_sorts(K):
    """Inputs, variables, constants, and one tensor twice, may be outputs. Inputs may be unused."""
    x, y, v = K.placeholder((2,)), K.placeholder((3,)), K.variable([5.0, 6.0])
    z = x + v
    values = K.function([x, y], [z, x, v, K.constant(1.0), z])([np.array([1.0, 2.0]), np.zeros(3)])
    assert [value.tolist() for value in values] == [[6, 8], [1, 2], [5, 6], 1.0, [6, 8]]


def test_no_inputs(K):
    """A function without inputs is called with an empty list."""
    v = K.variable([1.0, 2.0])
    function = K.function([], [v * 2.0])
    close(function([])[0], [2.0, 4.0])
    K.set_value(v, [3.0, 4.0])
    close(function([])[0], [6.0, 8.0])


def test_a_tuple_of_inputs(K):
    """Inputs and fed values may be tuples."""
    x, y = K.placeholder((2,)), K.placeholder((2,))
    close(K.function((x, y), [x - y])(([1, 2], [3, 5]))[0], [-2.0, -3.0])


def test_functions_share_variables(K):
    """One function reads what another function has updated, and both read what set_value has set."""
    v = K.variable(1.0)
    step, read = K.function([], [], updates=[(v, v * 2.0)]), K.function([], [v + 0.5])
    step([])
    assert read([])[0] == 2.5
    K.set_value(v, 10.0)
    step([])
    assert read([])[0] == 20.5


# -- errors ----------------------------------------------------------------------------------------------------------
def test_unfed_placeholder(K, check):
    """An output or an update that needs a placeholder that is no input is an error that names the placeholder."""
    x, y = K.placeholder((2,)), K.placeholder((2,), name='forgotten_input')
    v = K.variable([0.0, 0.0])
    with check.rejects('forgotten_input'):
        K.function([x], [x + y])([np.zeros(2)])
    with check.rejects('forgotten_input'):
        K.function([x], [x], updates=[(v, y)])([np.zeros(2)])


def test_too_few_feeds(K, check):
    """Too few values are an error that names the other inputs. So is one array for several inputs."""
    x, y, z = [K.placeholder((2,), name='input_' + name) for name in 'xyz']
    function = K.function([x, y, z], [x + y + z])
    for feeds in ([np.zeros(2)], [], np.zeros(2), np.zeros((3, 2))):
        with check.rejects('3 values', 'input_y and input_z', error=KerasBackendError):
            function(feeds)
    with check.rejects('input_z', error=KerasBackendError):
        function((np.zeros(2), np.zeros(2)))
    with check.rejects('input_x', error=KerasBackendError):
        K.function([x], [x * 1.0])([])


def test_more_values_than_inputs(K):
    """Surplus values of any kind are ignored. Old programs pass a learning phase that is no input."""
    x = K.placeholder((2,))
    for function in (K.function([x], [x * 2.0]), K.function([x], [x * 2.0], updates=[(K.variable([0.0, 0.0]), x)])):
        for surplus in ([0], [1, 'text', None], [np.ones((3, 3))]):
            assert function([np.ones(2)] + surplus)[0].tolist() == [2, 2]
    assert K.function([], [K.constant(1.0)])([0]) == [1.0]


@covers('placeholder', 'rnn', 'shape')
@pytest.mark.parametrize('value', [np.ones((5, 1)), None, 'text', 7])
def test_an_input_that_nothing_depends_on(K, value):
    """An input that nothing depends on takes any value: a loss that ignores its targets takes targets of any shape."""
    x, unused = K.placeholder((None, 3, 2)), K.placeholder((None, None, None))
    total = K.variable(1.0)
    function = K.function([x, unused], [K.sum(x)], updates=[(total, total + 1.0)])
    assert function([np.ones((2, 3, 2)), value]) == [12]
    assert K.get_value(total) == 2
    _, outputs, _ = K.rnn(lambda x, states: (x + states[0], [x + states[0]]), x, [K.zeros_like(x[:, 0])])
    assert K.function([x, unused], [outputs])([np.ones((2, 3, 2)), value])[0][0, :, 0].tolist() == [1, 2, 3]
    with pytest.raises(KerasBackendError):
        K.function([x, unused], [K.sum(x), K.shape(unused)])([np.ones((2, 3, 2)), value])


def test_one_value_without_a_list(K):
    """One input and its value may come without a list. A list of outputs still gives a list."""
    x, n = K.placeholder((2,)), K.placeholder((), dtype='int32')
    for function in (K.function([x], [x * 2.0]), K.function(x, [x * 2.0])):
        for feeds in (np.ones(2), [np.ones(2)], (np.ones(2),)):
            (result,) = function(feeds)
            assert result.tolist() == [2, 2]
    assert K.function(x, x * 2.0)(np.ones(2)).tolist() == [2, 2]
    assert K.function([n], n + 1)(3) == 4
    assert K.function(n, n + 1)(np.int32(3)) == 4


@covers('learning_phase', 'in_train_phase')
def test_a_learning_phase_that_is_not_fed(K, check):
    """If the value of a phase at the end is left out, it is 0 (test). The other inputs have to be fed."""
    x, y, phase = K.placeholder((2,), name='input_x'), K.placeholder((2,), name='input_y'), K.learning_phase()
    out = K.in_train_phase(x * 10.0, x)
    function = K.function([x, phase], [out])
    for fed, expected in (([], 1), ([1], 10), ([0], 1), ([True], 10), ([1, 0], 10), ([], 1)):
        assert function([np.ones(2)] + fed)[0].tolist() == [expected] * 2
    assert K.function([x, K.learning_phase()], out)(np.ones(2)).tolist() == [1, 1]
    assert K.function([phase], [K.in_train_phase(K.constant(1.0), K.constant(2.0))])([]) == [2.0]
    with check.rejects('input_x', error=KerasBackendError):
        K.function([phase, x], [out])([np.ones(2)])
    with check.rejects('input_y', error=KerasBackendError):
        K.function([x, phase, y], [out + y])([np.ones(2), 1])


@covers('learning_phase', 'set_learning_phase')
@pytest.mark.parametrize('phase', [0, 1])
def test_a_fixed_learning_phase_among_the_inputs(K, check, phase):
    """A fixed phase need not be fed. It may be fed with its own number. Another number is an error."""
    K.set_learning_phase(phase)
    x, expected = K.placeholder((2,), name='input_x'), [10, 10] if phase else [1, 1]
    out = K.in_train_phase(x * 10.0, x)
    last, first = K.function([x, K.learning_phase()], [out]), K.function([K.learning_phase(), x], [out])
    for result in (
        last([np.ones(2)]),
        last(np.ones(2)),
        last([np.ones(2), phase]),
        last([np.ones(2), bool(phase), 7]),
        first([phase, np.ones(2)]),
    ):
        assert result[0].tolist() == expected
    for call in (
        lambda: last([np.ones(2), 1 - phase]),
        lambda: first([1 - phase, np.ones(2)]),
        lambda: first([np.ones(2)]),
    ):
        with check.rejects('learning', error=KerasBackendError):
            call()
    with check.rejects('input_x', error=KerasBackendError):
        first([phase])
    for number in (1 - phase, 3):
        with check.rejects('inputs[1]', error=TypeError):
            K.function([x, number], [out])


def test_wrong_shape(K, check):
    """A fed array of another rank or size is an error with the name of the input and both shapes."""
    x = K.placeholder((None, 3), name='some_input')
    function = K.function([x], [K.sum(x)])
    for shape in [(2, 4), (3,), (2, 3, 1), (), (2, 1)]:
        with check.rejects('some_input', error=KerasBackendError):
            function([np.zeros(shape)])
        check.refuses('some_input', function, [np.zeros(shape)])
    assert function([np.ones((2, 3))])[0] == 6.0


@pytest.mark.parametrize(
    'value',
    ['text', [['a', 'b', 'c']], [[None, 1, 2]], [[1, 2, 3], [4, 5]], object()],
    ids=['string', 'strings', 'None', 'ragged', 'object'],
)
def test_what_is_no_number(K, value):
    """Strings, None and ragged lists are errors with the name of the input."""
    x = K.placeholder((None, 3), name='some_input')
    with pytest.raises((ValueError, TypeError)) as caught:
        K.function([x], [K.sum(x)])([value])
    assert isinstance(caught.value, KerasBackendError)
    assert 'some_input' in str(caught.value)


def test_inputs_that_are_no_placeholders(K):
    """An array or a number among the inputs is an error."""
    for wrong in (np.zeros(2), 1.0, None):
        with pytest.raises((ValueError, TypeError)):
            K.function([wrong], [K.variable(1.0)])


def test_outputs_that_are_no_tensors(K):
    """None or a string among the outputs is an error."""
    for wrong in (None, 'loss'):
        with pytest.raises((ValueError, TypeError)):
            K.function([], [wrong])


def test_unknown_keyword(K, check):
    """An option that no engine knows is an error that names the option."""
    with pytest.raises((ValueError, TypeError)) as caught:
        K.function([], [K.variable(1.0)], nonsense_option=1)
    assert 'nonsense_option' in str(caught.value)


def test_an_error_leaves_nothing_half_done(K, check):
    """After a failed call no variable has changed, and the function still works."""
    a, b = K.variable([1.0, 2.0]), K.variable([3.0, 4.0])
    x, i = K.placeholder((None,)), K.placeholder((None,), dtype='int32')
    function = K.function([x, i], [K.sum(a)], updates=[(a, a + x), (b, b + K.reshape(x, (2,)))])
    for feeds in ([np.ones(3), [0]], [np.ones((2, 2)), [0]], [np.ones(2)], ['no number', [0]]):
        with check.fails():
            function(feeds)
        assert [v.tolist() for v in K.batch_get_value([a, b])] == [[1, 2], [3, 4]]
    function([np.ones(2), [0]])
    assert [v.tolist() for v in K.batch_get_value([a, b])] == [[2, 3], [4, 5]]


def test_an_error_while_building_leaves_the_session_usable(K, check):
    """After calls that failed, the next calls work."""
    for _ in range(3):
        with check.rejects():
            K.dot(K.placeholder((2, 3)), K.placeholder((2, 3)))
    x = K.placeholder((2, 2))
    close(K.function([x], [K.dot(x, x)])([np.eye(2)])[0], np.eye(2))

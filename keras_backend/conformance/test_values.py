"""Reading and writing variables, updates, and the owner of memory."""

import numpy as np
import pytest

from . import truth
from ._check import FLOATS, all_close, close, covers, random

# Large and aligned arrays, which a library would share and not copy.
BIG = (256, 64)


@covers('get_value', 'set_value', 'variable')
@pytest.mark.parametrize('dtype', truth.ALL)
def test_set_and_get(K, dtype):
    """A value that is set can be read again, in the dtype of the variable, for arrays of every dtype."""
    v = K.variable(np.zeros((2, 2)), dtype=dtype)
    for value in (
        np.array([[1, 0], [0, 1]]),
        np.array([[1.0, 0.0], [1.0, 1.0]]),
        [[0, 1], [1, 0]],
        np.array([[1, 0], [0, 1]]).T,
        np.asfortranarray([[1, 1], [0, 1]]),
    ):
        K.set_value(v, value)
        read = K.get_value(v)
        assert read.dtype.name == dtype
        assert isinstance(read, np.ndarray)
        close(read, np.asarray(value).astype(dtype))
    scalar = K.variable(1.0, dtype=dtype)
    for value in (0, 1.0, np.float32(1), np.array(0)):
        K.set_value(scalar, value)
        assert type(K.get_value(scalar)) is np.dtype(dtype).type
        assert K.get_value(scalar) == value


@covers('batch_get_value', 'batch_set_value')
def test_batches(K):
    """Many variables can be read and written in one call, also none."""
    a, b = K.variable([1.0, 2.0]), K.variable([[3]], dtype='int32')
    values = K.batch_get_value([a, b, a])
    assert isinstance(values, list)
    assert [v.tolist() for v in values] == [[1, 2], [[3]], [1, 2]]
    K.batch_set_value([(a, np.array([5.0, 6.0])), (b, [[7]])])
    assert [v.tolist() for v in K.batch_get_value([a, b])] == [[5, 6], [[7]]]
    K.batch_set_value([])
    assert K.batch_get_value([]) == []


@covers('set_value', 'batch_set_value')
def test_setting_what_does_not_fit(K, check):
    """A value of another shape is an error. The variable keeps its value, and so do all variables of a batch."""
    v, w = K.variable(np.ones((2, 3)), name='of_mine'), K.variable(0.0)
    for value in (np.zeros((3, 2)), np.zeros(6), np.zeros((1, 3)), 0.0, np.zeros((2, 2, 3))):
        check.refuses('of_mine', K.set_value, v, value)
        check.refuses('of_mine', K.batch_set_value, [(w, 5.0), (v, value)])
    assert K.get_value(v).tolist() == [[1] * 3] * 2
    assert K.get_value(w) == 0.0


@covers('set_value', 'get_value')
def test_only_variables_have_values(K):
    """Setting a placeholder or a result is an error."""
    for tensor in (K.placeholder((2,)), K.variable([1.0, 2.0]) + 1.0):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            K.set_value(tensor, np.zeros(2))


@covers('eval')
def test_eval(K):
    """`eval` gives the value of variables, constants and expressions: arrays that belong to the caller, and scalars."""
    v = K.variable(np.ones((2, 3)))
    for tensor, expected in [
        (v, np.ones((2, 3))),
        (v * 2.0 + 1.0, np.full((2, 3), 3)),
        (K.constant(4.0), 4.0),
        (K.sum(v), 6.0),
        (K.shape(v), [2, 3]),
        (v > 0.5, np.ones((2, 3), bool)),
    ]:
        value = K.eval(tensor)
        assert isinstance(value, np.ndarray if K.ndim(tensor) else np.generic)
        assert value.dtype.name == K.dtype(tensor)
        close(value, expected)
    K.set_value(v, np.zeros((2, 3)))
    close(K.eval(v * 2.0 + 1.0), np.ones((2, 3)))


@covers('eval')
def test_eval_of_what_needs_feeding(K, check):
    """`eval` of an expression with a placeholder is an error that names the placeholder."""
    x = K.placeholder((2,), name='unfed_input')
    with check.rejects('unfed_input'):
        K.eval(x + 1.0)


@covers('update', 'update_add', 'update_sub', 'moving_average_update')
@pytest.mark.parametrize('dtype', FLOATS)
def test_updates(K, check, dtype):
    """Each update does what its name says, once in a run of its function."""
    start, change = random((2, 3), seed=1, dtype=dtype), random((2, 3), seed=2, dtype=dtype)
    variables = [K.variable(start, dtype=dtype) for _ in range(4)]
    x = check.placeholder(change)
    updates = [
        K.update(variables[0], x),
        K.update_add(variables[1], x),
        K.update_sub(variables[2], x),
        K.moving_average_update(variables[3], x, 0.75),
    ]
    for v in variables:
        close(K.get_value(v), start)
    function = K.function([x], [], updates=updates)
    s, c = start.astype('float64'), change.astype('float64')
    truths = [c, s, s, s]
    for _ in range(3):
        assert function([change]) == []
        truths = [c, truths[1] + c, truths[2] - c, truths[3] * 0.75 + c * 0.25]
        for v, expected in zip(variables, truths):
            close(K.get_value(v), expected, scale=4)
            assert K.get_value(v).dtype.name == dtype


@covers('moving_average_update')
def test_momentum_as_a_tensor(K):
    """The momentum may be fed."""
    v, m = K.variable([1.0, 2.0]), K.placeholder(())
    function = K.function([m], [], updates=[K.moving_average_update(v, K.constant([5.0, 6.0]), m)])
    function([0.5])
    close(K.get_value(v), [3.0, 4.0])
    function([0.0])
    close(K.get_value(v), [5.0, 6.0])


@covers('update', 'update_add', 'moving_average_update')
def test_updates_by_numbers(K):
    """The new value may be a number or an array of the shape of the variable."""
    a, b, c = K.variable([1.0, 2.0]), K.variable(5.0), K.variable(0, dtype='int32')
    function = K.function([], [], updates=[K.update(a, np.array([3.0, 4.0])), K.update_add(b, 2), K.update_add(c, 1)])
    function([])
    function([])
    assert K.get_value(a).tolist() == [3, 4]
    assert K.get_value(b) == 9.0
    assert K.get_value(c) == 2


@covers('update')
def test_update_of_another_shape(K, check):
    """A new value of another shape is an error: when the call is made if the shape is known, or else in the run."""
    v = K.variable(np.ones((2, 3)), name='of_mine')
    with check.rejects('of_mine'):
        K.function([], [], updates=[K.update(v, K.constant(np.ones((3, 2))))])
    x = K.placeholder((None, 3))
    function = K.function([x], [], updates=[K.update(v, x)])
    with check.fails():
        function([np.zeros((4, 3), 'float32')])
    assert K.get_value(v).tolist() == [[1] * 3] * 2


# -- memory ----------------------------------------------------------------------------------------------------------
def views(K, v):
    """Expressions for which a library might return the memory of the variable."""
    shape = K.int_shape(v)
    return {
        'itself': v,
        'identity': K.identity(v),
        'reshape': K.reshape(v, (-1,)),
        'transpose': K.transpose(v),
        'expand_dims': K.expand_dims(v, 0),
        'slice': v[:, :],
        'row': v[0],
        'stop_gradient': K.stop_gradient(v),
        'cast': K.cast(v, K.dtype(v)),
        'flatten': K.flatten(v),
        'batch_flatten': K.batch_flatten(v),
        'squeeze': K.squeeze(K.expand_dims(v, 1), 1),
        'permute': K.permute_dimensions(v, (1, 0)),
        'concatenate': K.concatenate([v]),
        'tile': K.tile(v, [1, 1]),
        'reverse': K.reverse(v, 0),
        'repeat': K.repeat_elements(v, 1, axis=0),
        'sum': K.sum(v, axis=[]),
        'clip': K.clip(v, None, None),
        'to_dense': K.to_dense(v),
        'in_train_phase': K.in_train_phase(v, v + 0.0),
        'broadcast': v + K.zeros(shape),
        'read': v * 1.0,
    }


@covers('function', 'get_value', 'eval')
def test_results_belong_to_the_caller(K):
    """Writing into what a function, `eval` or `get_value` returned changes no variable and no later result."""
    array = random(BIG, dtype='float32')
    v = K.variable(array)
    expressions = views(K, v)
    function = K.function([], list(expressions.values()))
    first = function([])
    kept = [value.copy() for value in first]
    for value in first + [K.eval(v), K.get_value(v), K.batch_get_value([v])[0]]:
        value[...] = -77.0
        close(K.get_value(v), array)
    for name, value, expected in zip(expressions, function([]), kept):
        close(value, expected, what=name)


@covers('function', 'constant', 'zeros', 'ones')
def test_results_do_not_alias_constants(K):
    """Writing into the value of a constant changes no later result."""
    array = random(BIG, dtype='float32')
    x = K.placeholder((None, 2))
    n = K.shape(x)[0]
    function = K.function([x], [K.constant(array), K.zeros((n, 2)), K.ones((n, 2)), K.zeros_like(x), K.arange(n)])
    feed = [np.zeros((64, 2), 'float32')]
    first = function(feed)
    kept = [value.copy() for value in first]
    for value in first:
        value[...] = 5
    all_close(function(feed), kept)


@covers('function')
def test_results_do_not_alias_each_other_or_the_feed(K):
    """An output that is an input, or that is listed twice, is an array of its own."""
    x = K.placeholder((None, 64))
    function = K.function([x], [x, K.identity(x), x, K.reshape(x, (-1,)), x[:]])
    array = random(BIG, dtype='float32')
    kept = array.copy()
    results = function([array])
    for i, value in enumerate(results):
        value[...] = float(i)
    close(array, kept)
    assert [float(value.flat[0]) for value in results] == [0, 1, 2, 3, 4]


@covers('function', 'update')
def test_what_is_fed_may_change_afterwards(K):
    """A variable that was updated with a fed array keeps its value when the caller changes the array."""
    x = K.placeholder((None, 64))
    v, w, u = K.variable(np.zeros(BIG)), K.variable(np.zeros(BIG)), K.variable(np.zeros(BIG[::-1]))
    function = K.function([x], [], updates=[K.update(v, x), (w, K.identity(x)), (u, K.transpose(x))])
    array = random(BIG, dtype='float32')
    kept = array.copy()
    function([array])
    array[...] = -1.0
    all_close(K.batch_get_value([v, w, u]), [kept, kept, kept.T])


@covers('set_value', 'variable', 'batch_set_value', 'constant')
def test_what_is_set_may_change_afterwards(K):
    """Variables and constants copy the arrays that they are made from or set to."""
    array = random(BIG, dtype='float32')
    kept = array.copy()
    v, w, u, c = K.variable(array), K.variable(np.zeros(BIG)), K.variable(np.zeros(BIG)), K.constant(array)
    K.set_value(w, array)
    K.batch_set_value([(u, array)])
    array[...] = -1.0
    for value in K.batch_get_value([v, w, u]) + [K.eval(c)]:
        close(value, kept)


@covers('update', 'function')
def test_variables_never_share_memory(K):
    """A variable that was updated with another variable is a copy. It stays the same when the other one changes."""
    a, b = K.variable(np.zeros(BIG)), K.variable(np.ones(BIG))
    copy = K.function([], [], updates=[K.update(a, b)])
    step = K.function([], [], updates=[K.update_add(b, np.ones(BIG))])
    copy([])
    step([])
    assert K.get_value(a)[0, 0] == 1.0
    assert K.get_value(b)[0, 0] == 2.0
    K.set_value(b, np.full(BIG, 9.0))
    assert K.get_value(a)[0, 0] == 1.0


# -- printing --------------------------------------------------------------------------------------------------------
@covers('print_tensor')
def test_print_tensor(K, capfd):
    """Message and value go to standard error on every run of a function that needs the returned tensor."""
    x = K.placeholder((None,))
    printed = K.print_tensor(x, message='value of x is: ')
    unused = K.print_tensor(x, message='nobody asked')
    assert K.int_shape(printed) == (None,)
    assert K.dtype(unused) == 'float32'
    function = K.function([x], [printed * 2.0])
    for _ in range(2):
        close(function([np.array([3.25, 17.5], 'float32')])[0], [6.5, 35.0])
    written = capfd.readouterr()
    assert written.err.count('value of x is: ') == 2
    assert written.err.count('3.25') == 2
    assert written.err.count('17.5') == 2
    assert 'nobody asked' not in written.err
    assert 'value of x' not in written.out


@covers('print_tensor')
def test_print_tensor_of_a_variable(K, capfd):
    """A tensor that depends on no input is printed in every run, with the value of the run."""
    v = K.variable([1.25, 2.5])
    function = K.function([], [K.print_tensor(v * 2.0, 'now: ')], updates=[(v, v * 2.0)])
    function([])
    function([])
    written = capfd.readouterr().err
    assert written.count('now: ') == 2
    assert '2.5' in written
    assert '10' in written


@covers('print_tensor', 'gradients')
def test_print_tensor_passes_gradients(K):
    """Gradients pass print_tensor unchanged."""
    v = K.variable([1.0, 2.0])
    close(K.eval(K.gradients(K.sum(K.square(K.print_tensor(v))), [v])[0]), [2.0, 4.0])

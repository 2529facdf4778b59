"""Integers of every dtype, also where a library has no kernel for it, and what comes after a call that failed."""

import numpy as np
import pytest

from ._check import all_close, close, covers

INTEGERS = ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64')
NUMBERS = np.array([[1, 2, 3], [3, 0, 100]])


@covers('dot', 'batch_dot', 'pow', 'abs', 'sign', 'tile', 'repeat_elements', 'square', 'maximum', 'reverse')
@pytest.mark.parametrize('dtype', INTEGERS)
def test_integers_of_every_dtype(K, check, dtype):
    """Integers stay integers of their dtype; what is too large wraps around, as it does in NumPy."""
    array = NUMBERS.astype(dtype)
    values = check.eval(
        lambda x: (
            K.dot(x, K.transpose(x)),
            K.batch_dot(x, x, axes=1),
            K.pow(x, 2),
            K.abs(x),
            K.sign(x),
            K.tile(x, [1, 2]),
            K.repeat_elements(x, 2, 0),
            K.square(x),
            K.maximum(x, x * 0 + 2),
            K.reverse(x, 1),
        ),
        array,
    )
    expected = (
        NUMBERS @ NUMBERS.T,
        (NUMBERS**2).sum(1, keepdims=True),
        NUMBERS**2,
        NUMBERS,
        np.sign(NUMBERS),
        np.tile(NUMBERS, (1, 2)),
        np.repeat(NUMBERS, 2, 0),
        NUMBERS**2,
        np.maximum(NUMBERS, 2),
        NUMBERS[:, ::-1],
    )
    all_close(values, [truth.astype(dtype) for truth in expected], dtype)


@covers('l2_normalize', 'softsign', 'hard_sigmoid', 'mean', 'softmax')
@pytest.mark.parametrize('dtype', [*INTEGERS, 'bool'])
def test_functions_that_make_fractions_of_integers(K, check, dtype):
    """Where the result is a fraction, integers and bools are taken as numbers of floatx."""
    array = NUMBERS.astype(dtype)
    numbers = array.astype('float64')
    values = check.eval(
        lambda x: (K.l2_normalize(x, axis=1), K.softsign(x), K.hard_sigmoid(x), K.mean(x), K.softmax(x)), array
    )
    powers = np.exp(numbers - numbers.max(1, keepdims=True))
    expected = (
        numbers / np.sqrt((numbers**2).sum(1, keepdims=True)),
        numbers / (1 + numbers),
        np.clip(0.2 * numbers + 0.5, 0, 1),
        numbers.mean(),
        powers / powers.sum(1, keepdims=True),
    )
    all_close(values, expected, K.floatx())


@covers('gather')
@pytest.mark.parametrize('dtype', INTEGERS)
def test_indices_of_every_dtype(K, check, dtype):
    """Integers of any dtype are indices."""
    table, rows = np.arange(6, dtype='float32').reshape(3, 2), np.array([2, 0, 2], dtype)
    close(check.eval(lambda t, i: K.gather(t, i), table, rows), table[[2, 0, 2]])
    variable, i = K.variable(table), K.placeholder((3,), dtype=dtype)
    close(check.run(K.gather(variable, i), [(i, rows)]), table[[2, 0, 2]])


@covers('dot', 'batch_dot', 'bias_add', 'local_conv1d')
def test_sums_of_bools(K, check):
    """What is added up of bools is counted, as an int32."""
    x, w = np.array([[True, False, True], [True, True, True]]), np.array([True, True, False])
    kernel = np.ones((2, 2, 1), bool)
    values = check.eval(
        lambda x, w, k: (
            K.dot(x, K.transpose(x)),
            K.batch_dot(x, x, axes=1),
            K.bias_add(x, w),
            K.local_conv1d(K.expand_dims(x), k, (2,), (1,)),
        ),
        x,
        w,
        kernel,
    )
    n = x.astype('int32')
    expected = (n @ n.T, (n * n).sum(1, keepdims=True), n + w, (n[:, :-1] + n[:, 1:])[..., None])
    all_close(values, [truth.astype('int32') for truth in expected], 'int32')


@covers('update_add', 'update_sub')
def test_bools_are_updated(K, check):
    """A bool that is added to makes true what was false. Everything else goes on."""
    v = K.variable([True, False, False], dtype='bool')
    K.function([], [], updates=[K.update_add(v, K.constant([True, True, False], dtype='bool'))])([])
    assert K.get_value(v).tolist() == [True, True, False]
    K.function([], [], updates=[K.update_sub(v, K.constant([True, False, True], dtype='bool'))])([])
    assert K.get_value(v).tolist() == [False, True, True]
    assert K.eval(K.constant(1.0) + 1.0) == 2.0


@covers('ctc_batch_cost')
def test_a_cost_is_a_fraction(K, check):
    """Scores that are integers have a cost of floatx, that of the same scores as fractions."""
    labels, lengths = np.array([[0, 1]], 'int32'), np.array([[2]], 'int32')
    scores = np.array([[[1, 2, 1], [3, 1, 1], [1, 1, 2]]])
    costs = [
        check.eval(K.ctc_batch_cost, labels, scores.astype(dtype), lengths + 1, lengths)
        for dtype in ('int32', 'uint8', 'float32')
    ]
    all_close(costs, costs[-1:] * 3, 'float32')


@covers('batch_normalization', 'normalize_batch_in_training', 'dropout', 'binary_crossentropy')
def test_functions_of_several_dtypes(K, check):
    """Arguments of several dtypes meet in one, also where a function is composed of others."""
    x, statistic = np.array([[1, 2, 3], [3, 0, 7]], 'int32'), np.array([1.0, 2.0, 4.0])
    values = check.eval(
        lambda x, s: (
            K.batch_normalization(x, s, True, None, s, epsilon=0),
            K.normalize_batch_in_training(x, s, None, [0], epsilon=1)[0],
            K.dropout(x, 0.0),
            K.binary_crossentropy(K.cast(x > 2, 'int32'), s / 8),
        ),
        x,
        statistic,
    )
    target, output = (x > 2).astype('float64'), statistic / 8
    expected = (
        (x - statistic) * statistic,
        (x - x.mean(0)) / np.sqrt(x.var(0) + 1) * statistic,
        x,
        -(target * np.log(output + K.epsilon()) + (1 - target) * np.log(1 - output + K.epsilon())),
    )
    all_close(values, expected)


@covers('dropout')
@pytest.mark.parametrize('dtype', ['bool', 'int32', 'float16', 'float32', 'float64'])
def test_a_level_of_any_dtype(K, check, dtype):
    """The level of `dropout` may be a tensor of any dtype. The result keeps the dtype of x."""
    for x in (np.ones((2, 3), 'float32'), np.ones((2, 3), 'float64')):
        value = check.eval(K.dropout, x, np.array(0, dtype))
        assert value.dtype == x.dtype
        close(value, x)


@covers('variable', 'placeholder', 'get_value')
@pytest.mark.parametrize('name', ['a\\b', 'a>', '>', 'a b', '1', 'ü', '/', ''])
def test_names_of_every_kind(K, check, name):
    """Any text may be a name. A name that the library does not take leaves the session as it was."""
    x, v = K.placeholder((2,), name=name), K.variable([1.0, 2.0], name=name)
    with K.name_scope(name or 'scope'):
        y = K.identity(x + v, name=name)
    assert K.function([x], [y])([[1.0, 1.0]])[0].tolist() == [2.0, 3.0]
    assert K.get_value(v).tolist() == [1.0, 2.0]


@covers('variable')
def test_a_variable_cannot_start_with_a_placeholder(K, check):
    """A value that is not known before a run is refused, and everything else goes on."""
    with check.rejects():
        K.variable(K.placeholder((2,)) + 1.0)
    assert K.get_value(K.variable(K.constant(2.0) * 3.0)) == 6.0


@covers('variable', 'constant', 'placeholder', 'function', 'set_value')
@pytest.mark.parametrize(
    ('dtype', 'numbers'),
    [('int32', [2**40 + 7]), ('int32', [-(2**31) - 1]), ('int32', [np.nan]), ('uint8', [256]), ('uint8', [-1])],
    ids=str,
)
def test_integers_that_do_not_fit(K, check, dtype, numbers):
    """A number that its dtype cannot hold is refused: as an index it would be another one. Fractions are cut off."""
    x, v = K.placeholder((None,), dtype=dtype), K.variable([1], dtype=dtype)
    function = K.function([x], [x + v])
    for values in (numbers, np.array(numbers)):
        with check.rejects():
            function([values])
        with check.rejects():
            K.set_value(v, values)
        with check.rejects():
            K.variable(values, dtype=dtype)
        with check.rejects():
            K.constant(values, dtype=dtype)
    assert function([[1.7]])[0].tolist() == [2]
    assert function([np.array([2], 'int64')])[0].tolist() == [3]

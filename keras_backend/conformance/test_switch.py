"""Choices: by a scalar, lazily, and element by element."""

import numpy as np
import pytest

from ._check import close, covers, random


@covers('switch', 'print_tensor')
def test_switch_runs_one_branch(K, capfd):
    """A scalar condition runs only the branch that is taken. Each branch is built once."""
    flag, x = K.placeholder((), dtype='bool'), K.placeholder((None,))
    built = []

    def branch(word, factor):
        def build():
            built.append(word)
            return K.print_tensor(x * factor, word)

        return build

    function = K.function([flag, x], [K.switch(flag, branch('then-branch', 2.0), branch('else-branch', 3.0))])
    assert sorted(built) == ['else-branch', 'then-branch']
    for value, taken, left, expected in [
        (True, 'then-branch', 'else-branch', 2.0),
        (False, 'else-branch', 'then-branch', 3.0),
    ]:
        capfd.readouterr()
        close(function([value, [1.0]])[0], [expected])
        written = capfd.readouterr().err
        assert taken in written
        assert left not in written


@covers('switch')
@pytest.mark.parametrize('dtype', ['bool', 'int32', 'float32'])
def test_switch_conditions(K, check, dtype):
    """The condition may be bool, integer or float (not zero is true). Branches may be tensors or callables."""
    x = random((2, 3), dtype='float32')
    for value in (0, 1):
        c = np.array(value).astype(dtype)
        values = check.eval(
            lambda c, x: (
                K.switch(c, x, -x),
                K.switch(c, lambda: x, lambda: -x),
                K.switch(c, lambda: x, -x),
                K.switch(c, x, lambda: -x),
            ),
            c,
            x,
        )
        for result in values:
            close(result, x if value else -x)


@covers('switch')
@pytest.mark.parametrize('condition', [True, False, 1, 0, 2.0])
def test_switch_by_a_number(K, condition):
    """A Python bool or number can be the condition."""
    value = K.eval(K.switch(condition, lambda: K.constant([1.0]), lambda: K.constant([2.0])))
    close(value, [1.0 if condition else 2.0])
    close(K.eval(K.switch(condition, K.constant([1.0]), K.constant([2.0]))), value)


@covers('switch')
@pytest.mark.parametrize('shape', [(2,), (2, 1), (2, 3), (2, 1, 4), (2, 3, 4)], ids=str)
def test_switch_element_wise(K, check, shape):
    """A condition of higher rank selects element-wise. Trailing axes that it lacks are added."""
    condition = np.random.RandomState(4).rand(*shape) < 0.5
    a, b = random((2, 3, 4), seed=1, dtype='float32'), random((2, 3, 4), seed=2, dtype='float32')
    full = condition.reshape(shape + (1,) * (3 - len(shape)))
    for c in (condition, condition.astype('int32')):
        check.everywhere(K.switch, [c, a, b], np.where(full, a, b), dtype='float32', unknown='batch')
    values = check.eval(lambda c, x, y: (K.switch(c, lambda: x, lambda: y), K.switch(c, x, lambda: y)), condition, a, b)
    for value in values:
        close(value, np.where(full, a, b))


@covers('switch')
def test_switch_hides_nan(K, check):
    """The side that is not selected does not change values or gradients of the selected side, also if it is NaN."""
    array = np.array([-1.0, 0.0, 4.0], 'float32')
    x = check.placeholder(array)
    y = K.switch(x > 0, K.log(x), x)
    g = K.gradients(K.sum(K.switch(x > 0, x * 2.0, x * 3.0)), [x])[0]
    values = check.run([y, g], [(x, array)])
    close(values[0], [-1.0, 0.0, np.log(4.0)])
    close(values[1], [3.0, 3.0, 2.0])


@covers('switch')
def test_switch_refuses(K, check):
    """A condition of a higher rank than the branches is an error."""
    with check.rejects():
        K.switch(K.placeholder((2, 3), dtype='bool'), K.placeholder((2,)), K.placeholder((2,)))
    with check.rejects():
        K.switch(K.placeholder((2,), dtype='bool'), K.constant(1.0), K.constant(2.0))


@covers('switch')
def test_switch_in_a_switch(K):
    """Branches may use switch again, on several levels, and outer variables."""
    a, b, v = K.placeholder((), dtype='bool'), K.placeholder((), dtype='bool'), K.variable([1.0, 2.0])
    y = K.switch(
        a, lambda: K.switch(b, lambda: v, lambda: v * 2.0), lambda: K.switch(b, lambda: v * 3.0, lambda: v * 4.0)
    )
    function = K.function([a, b], [y, K.gradients(K.sum(y), [v])[0]])
    for first, second, factor in [(1, 1, 1), (1, 0, 2), (0, 1, 3), (0, 0, 4)]:
        value, gradient = function([first, second])
        close(value, [factor, 2 * factor])
        close(gradient, [factor, factor])


@covers('switch')
def test_switch_branches_of_different_size(K, check):
    """If branches differ in the size of an axis, the static shape does not name this size."""
    flag = K.placeholder((), dtype='bool')
    x = K.placeholder((None, 2))
    y = K.switch(flag, lambda: x[:1], lambda: x)
    for value, rows in [(True, 1), (False, 3)]:
        assert check.run(y, [(flag, np.array(value)), (x, np.ones((3, 2), 'float32'))]).shape == (rows, 2)


def _either(check, build, then, other, unknown=()):
    """The values of build(flag, then, other) for both values of the flag, as {flag: list of values}."""
    K = check.K
    flag, a, b = K.placeholder((), dtype='bool'), check.placeholder(then, unknown), check.placeholder(other)
    function = K.function([flag, a, b], build(flag, a, b))
    return {taken: function([taken, then, other]) for taken in (True, False)}


@covers('switch', 'gradients')
@pytest.mark.parametrize('shape', [(3,), (2, 3), (0, 4)], ids=str)
@pytest.mark.parametrize('number', ['a number', 'a callable', 'a tensor', 'a whole number'])
def test_switch_beside_a_number(K, check, shape, number):
    """A scalar condition gives the value of the branch. A number is not repeated to the shape of the other branch."""
    kinds = {'a number': 0.5, 'a callable': lambda: 0.5, 'a tensor': K.constant(0.5), 'a whole number': 2}
    x, zero = random(shape, seed=1, dtype='float32'), np.zeros((), 'float32')

    def build(flag, x, _):
        y = K.switch(flag, x, kinds[number])
        return [y, K.sum(y), K.sum(y * 2.0 + 1.0), K.switch(flag, kinds[number], x)] + K.gradients(K.sum(y * y), [x])

    values = _either(check, build, x, zero, unknown=range(len(shape)))
    alone = np.float32(2 if number == 'a whole number' else 0.5)
    for taken, (y, total, shifted, swapped, gradient) in values.items():
        expected = x if taken else alone
        assert y.size == expected.size
        assert y.dtype.name == 'float32'
        close(y.reshape(expected.shape), expected)
        close(total, expected.sum())
        close(shifted, (expected * 2.0 + 1.0).sum())
        assert swapped.size == (alone if taken else x).size
        close(swapped.reshape(np.shape(alone if taken else x)), alone if taken else x)
        close(gradient, 2 * x if taken else 0 * x)


@covers('switch', 'gradients')
@pytest.mark.parametrize('shapes', [((3,), (2, 3)), ((2, 3), (4,)), ((2, 1, 3), ()), ((5,), (1,))], ids=str)
def test_switch_branches_of_unlike_rank(K, check, shapes):
    """Branches may differ in rank. The result has the value of the branch, with axes of size 1 in front or not."""
    a, b = random(shapes[0], seed=1, dtype='float32'), random(shapes[1], seed=2, dtype='float32')
    static = []

    def build(flag, a, b):
        y = K.switch(flag, lambda: K.tanh(a), lambda: b * b)
        static.append(K.int_shape(y))
        return [y, K.mean(y), K.flatten(y)] + K.gradients(K.sum(K.exp(y)), [a, b])

    values = _either(check, build, a, b)
    then, other, rank = np.tanh(a), b * b, max(len(shape) for shape in shapes)
    # a size that both branches have is known, the others are not
    sizes = zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes])
    assert static[0] is None or static[0] == tuple([n if n == m else None for n, m in sizes])
    for taken, (y, mean, flat, by_a, by_b) in values.items():
        expected = then if taken else other
        assert y.shape in (expected.shape, (1,) * (rank - expected.ndim) + expected.shape)
        close(flat, expected.ravel())
        close(mean, expected.mean())
        close(by_a, np.exp(then) * (1 - then**2) if taken else 0 * a)
        close(by_b, 0 * b if taken else np.exp(other) * 2 * b, scale=10)


@covers('switch', 'size')
def test_switch_by_the_size_of_a_tensor(K):
    """The loss of a detector: the mean of the boxes, or 0 if there are none."""
    x = K.placeholder((None, 4))
    losses = [
        K.switch(K.size(x) > 0, K.mean(x), K.constant(0.0)),
        K.mean(K.switch(K.cast(K.size(x) > 0, 'bool'), K.square(x), K.constant(0.0))),
        K.mean(K.switch(K.greater(K.size(x), 0), lambda: K.square(x), lambda: K.constant(0.0))),
    ]
    function = K.function([x], losses)
    assert K.int_shape(losses[0]) == ()
    for rows in (2, 0, 3):
        array = random((rows, 4), seed=rows, dtype='float32')
        mean, *squares = function([array])
        close(mean, array.mean() if rows else 0.0)
        for square in squares:
            close(square, np.square(array).mean() if rows else 0.0)


@covers('switch', 'gradients')
@pytest.mark.parametrize('kind', [list, tuple])
def test_switch_of_several_tensors(K, check, kind):
    """Branches may return lists or tuples of tensors of any shapes and dtypes. The result is a list or a tuple."""
    a, b = random((2, 3), seed=1, dtype='float32'), random((4,), seed=2, dtype='float32')

    def build(flag, a, b):
        chosen = K.switch(
            flag, lambda: kind([a * 2.0, 1, K.cast(b, 'int32')]), lambda: kind([-a, K.sum(b), K.cast(b * 9.0, 'int32')])
        )
        assert type(chosen) is kind
        assert len(chosen) == 3
        assert [K.int_shape(t) for t in chosen] == [(2, 3), (), (4,)]
        assert [K.dtype(t) for t in chosen] == ['float32', 'float32', 'int32']
        return list(chosen) + K.gradients(K.sum(chosen[0]) * chosen[1], [a, b])

    values = _either(check, build, a, b)
    for expected, value in zip([a * 2, 1.0, b.astype('int32'), np.full((2, 3), 2.0), 0 * b], values[True]):
        close(value, expected)
    for expected, value in zip(
        [-a, b.sum(), (b * 9).astype('int32'), np.full((2, 3), -b.sum()), np.full(4, -a.sum())], values[False]
    ):
        close(value, expected, scale=10)


@covers('switch', 'print_tensor')
def test_switch_of_several_runs_one_branch(K, capfd):
    """If branches return lists, only the branch that is taken runs. It runs once for all its tensors."""
    flag, x = K.placeholder((), dtype='bool'), K.placeholder((None,))

    def branch(word):
        printed = K.print_tensor(x, word)
        return [printed * 2.0, printed + 1.0]

    function = K.function([flag, x], K.switch(flag, lambda: branch('then-branch'), lambda: branch('else-branch')))
    for taken in (True, False):
        capfd.readouterr()
        double, more = function([taken, [1.0, 2.0]])
        written = capfd.readouterr().err
        assert (written.count('then-branch'), written.count('else-branch')) == ((1, 0) if taken else (0, 1))
        close(double, [2.0, 4.0])
        close(more, [2.0, 3.0])


@covers('switch', 'map_fn', 'gradients')
def test_switch_of_unlike_rank_in_a_step(K, check):
    """A step function may choose between a vector and a number. The gradients are right."""
    array = random((4, 3), seed=3, dtype='float32')
    x = check.placeholder(array, (0,))
    y = K.map_fn(lambda row: K.sum(K.switch(K.sum(row) > 0, lambda: row * row, 0.5)), x)
    value, gradient = K.function([x], [y] + K.gradients(y, [x]))([array])
    taken = array.sum(1) > 0
    assert 0 < taken.sum() < 4
    close(value, np.where(taken, (array**2).sum(1), 0.5))
    close(gradient, 2 * array * taken[:, None])


@covers('switch')
def test_switch_structures(K):
    """A list of one is its tensor. Lists may have lists, tuples and dicts. A number as the condition does the same."""
    x, y = K.constant([1.0, 2.0]), K.constant([[3.0]])
    for condition in (K.constant(True, dtype='bool'), True, K.constant(2.0), 1):
        single = K.switch(condition, lambda: [x], lambda: x * 2.0)
        nested = K.switch(
            condition, lambda: [x, (y, {'two': x * 2.0, 'one': 1.0})], lambda: [x, (y, {'two': x, 'one': 2.0})]
        )
        pair = K.switch(condition, [x, y], [x * 2.0, y * 2.0])
        assert K.is_tensor(single)
        assert type(nested) is list
        assert type(nested[1]) is tuple
        assert type(pair) is list
        for tensor, expected in [
            (single, [1, 2]),
            (nested[0], [1, 2]),
            (nested[1][0], [[3]]),
            (nested[1][1]['two'], [2, 4]),
            (nested[1][1]['one'], 1),
            (pair[0], [1, 2]),
            (pair[1], [[3]]),
        ]:
            close(K.eval(tensor), expected)


@covers('switch')
def test_switch_refuses_unlike_structures(K, check):
    """Branches that return different numbers of tensors, nothing or None are errors."""
    x, flag = K.constant([1.0, 2.0]), K.placeholder((), dtype='bool')
    for then, other in [
        (lambda: [x, x], lambda: [x]),
        (lambda: [x, x], lambda: x),
        (lambda: (x, x), lambda: [x, x]),
        (lambda: {'a': x}, lambda: {'b': x}),
    ]:
        with check.rejects('K.switch', 'differ'):
            K.switch(flag, then, other)
    check.refuses('K.switch', K.switch, flag, lambda: [], lambda: [])
    with pytest.raises(TypeError):
        K.switch(flag, lambda: None, lambda: None)

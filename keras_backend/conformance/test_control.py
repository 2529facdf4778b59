"""The learning phase in graphs, in_train_phase, map_fn, foldl and foldr."""

import numpy as np
import pytest

from ._check import close, covers, integers, random


class Counter:
    """A callable side of in_train_phase that counts its calls."""

    def __init__(self, value):
        self.calls, self.value = 0, value

    def __call__(self):
        self.calls += 1
        return self.value


# -- learning phase --------------------------------------------------------------------------------------------------
@covers('learning_phase', 'in_train_phase', 'in_test_phase')
def test_phase_fed_or_left(K):
    """The phase may be fed with 0, 1, False or True. If it is not an input, the run is a test."""
    x = K.placeholder((None,))
    train, test = K.in_train_phase(x * 10.0, x), K.in_test_phase(x * 10.0, x)
    assert train._uses_learning_phase
    assert test._uses_learning_phase
    array = np.array([1.0, 2.0], 'float32')
    fed = K.function([x, K.learning_phase()], [train, test])
    for phase in (1, True, 1.0, np.array(1), 0, False, 0.0):
        a, b = fed([array, phase])
        close(a, array * (10 if phase else 1))
        close(b, array * (1 if phase else 10))
    left = K.function([x], [train, test])([array])
    close(left[0], array)
    close(left[1], array * 10)
    close(K.eval(K.in_train_phase(K.constant(1.0), K.constant(2.0))), 2.0)


@covers('set_learning_phase', 'in_train_phase', 'in_test_phase')
@pytest.mark.parametrize('phase', [0, 1])
def test_phase_fixed(K, phase):
    """With a fixed phase the chosen side is returned itself, and the other side is not called."""
    K.set_learning_phase(phase)
    a, b = Counter(K.constant(1.0)), Counter(K.constant(2.0))
    close(K.eval(K.in_train_phase(a, b)), 1.0 if phase else 2.0)
    assert (a.calls, b.calls) == (phase, 1 - phase)
    close(K.eval(K.in_test_phase(K.constant(1.0), K.constant(2.0))), 2.0 if phase else 1.0)


@covers('in_train_phase', 'in_test_phase')
@pytest.mark.parametrize('training', [0, 1, True, False])
def test_training_as_a_number(K, training):
    """A number as `training` comes before the phase. Only one side is called."""
    a, b = Counter(K.constant(1.0)), Counter(K.constant(2.0))
    close(K.eval(K.in_train_phase(a, b, training=training)), 1.0 if training else 2.0)
    assert (a.calls, b.calls) == (int(training), 1 - int(training))
    close(
        K.eval(K.in_test_phase(lambda: K.constant(1.0), K.constant(2.0), training=training)), 2.0 if training else 1.0
    )


@covers('in_train_phase', 'in_test_phase')
def test_training_as_a_tensor(K):
    """A scalar tensor as `training` decides in each run."""
    flag = K.placeholder((), dtype='bool')
    x = K.constant([1.0, 2.0])
    function = K.function(
        [flag], [K.in_train_phase(x, x * 2.0, training=flag), K.in_test_phase(x, x * 2.0, training=flag)]
    )
    for value in (True, False):
        a, b = function([value])
        close(a, [1.0, 2.0] if value else [2.0, 4.0])
        close(b, [2.0, 4.0] if value else [1.0, 2.0])


@covers('in_train_phase')
def test_phase_of_several_tensors(K):
    """The sides of in_train_phase may be lists of tensors. All tensors of the result depend on the phase."""
    x = K.constant([1.0, 2.0])
    both = K.in_train_phase(lambda: [x, K.sum(x)], lambda: [x * 2.0, K.mean(x)])
    assert all(tensor._uses_learning_phase for tensor in both)
    function = K.function([K.learning_phase()], both)
    for phase, vector, number in [(1, [1, 2], 3), (0, [2, 4], 1.5)]:
        values = function([phase])
        close(values[0], vector)
        close(values[1], number)


@covers('in_train_phase', 'learning_phase', 'print_tensor')
def test_only_the_phase_s_side_runs(K, capfd):
    """If the sides are callables, only the side of the phase runs."""
    x = K.placeholder((None,))
    y = K.in_train_phase(lambda: K.print_tensor(x * 2.0, 'training side'), lambda: K.print_tensor(x, 'testing side'))
    function = K.function([x, K.learning_phase()], [y])
    capfd.readouterr()
    close(function([[1.0], 0])[0], [1.0])
    written = capfd.readouterr().err
    assert 'testing side' in written
    assert 'training side' not in written
    close(function([[1.0], 1])[0], [2.0])
    written = capfd.readouterr().err
    assert 'training side' in written
    assert 'testing side' not in written


# -- maps and folds --------------------------------------------------------------------------------------------------
@covers('map_fn')
def test_map_fn(K, check):
    """`map_fn` applies a function to every row, whether the number of rows is known or not."""
    array = random((4, 3), dtype='float32')
    check.everywhere(
        lambda x: K.map_fn(lambda row: K.sum(row * row) + row, x),
        [array],
        (array**2).sum(1, keepdims=True) + array,
        dtype='float32',
        scale=4,
    )
    check.everywhere(lambda x: K.map_fn(K.sum, x), [array], array.sum(1), dtype='float32', scale=4)
    x = K.placeholder((None, 3))
    function = K.function([x], [K.map_fn(lambda row: row * 2.0, x)])
    for n in (1, 5, 2):
        close(function([random((n, 3), seed=n, dtype='float32')])[0], 2 * random((n, 3), seed=n, dtype='float32'))


@covers('map_fn')
@pytest.mark.parametrize('kind', [list, tuple])
def test_map_fn_over_several(K, check, kind):
    """`elems` may be a list or a tuple of tensors. The function then gets a list or a tuple."""
    a, b = random((4, 3), seed=1, dtype='float32'), random((4,), seed=2, dtype='float32')

    def fn(pair):
        assert isinstance(pair, (list, tuple))
        assert len(pair) == 2
        return pair[0] * pair[1]

    check.everywhere(lambda x, y: K.map_fn(fn, kind([x, y]), dtype='float32'), [a, b], a * b[:, None])


@covers('map_fn')
def test_map_fn_dtype(K, check):
    """The result has the dtype that the function gives. `dtype` names it."""
    array = random((4, 3), dtype='float32')
    values = check.eval(
        lambda x: (K.map_fn(K.argmax, x, dtype='int64'), K.map_fn(lambda r: r > 0, x, dtype='bool')), array
    )
    close(values[0], array.argmax(1))
    close(values[1], array > 0)
    numbers = integers((4,))
    close(
        check.eval(lambda i: K.map_fn(lambda n: K.cast(n, 'float32') * 0.5, i, dtype='float32'), numbers), numbers * 0.5
    )


@covers('foldl', 'foldr')
@pytest.mark.parametrize('initial', [False, True])
@pytest.mark.parametrize('name', ['foldl', 'foldr'])
def test_folds(K, check, name, initial):
    """fn(acc, x) runs from the left or from the right. It starts with the initializer or with the first element."""
    array, start = random((4, 3), seed=1, dtype='float32'), random((3,), seed=2, dtype='float32')
    rows = [row.astype('float64') for row in (array if name == 'foldl' else array[::-1])]
    expected = start.astype('float64') if initial else rows.pop(0)
    for row in rows:
        expected = expected * 0.5 + row
    if initial:
        check.everywhere(
            lambda x, s: getattr(K, name)(lambda acc, e: acc * 0.5 + e, x, initializer=s),
            [array, start],
            expected,
            dtype='float32',
        )
    else:
        check.everywhere(
            lambda x: getattr(K, name)(lambda acc, e: acc * 0.5 + e, x), [array], expected, dtype='float32'
        )


@covers('foldl', 'foldr')
def test_folds_of_scalars_and_of_one(K, check):
    """Folding a vector gives a scalar. Folding one element without an initializer gives the element."""
    array = np.array([2.0, 3.0, 5.0], 'float32')
    values = check.eval(
        lambda x: (
            K.foldl(lambda acc, e: acc - e, x),
            K.foldr(lambda acc, e: acc - e, x),
            K.foldl(lambda acc, e: acc * e, x[:1]),
            K.foldr(lambda acc, e: acc * e, x[:1]),
        ),
        array,
    )
    assert [float(v) for v in values] == [-6.0, 0.0, 2.0, 2.0]


@covers('foldl')
def test_fold_over_any_length(K):
    """One function folds sequences of different lengths."""
    x = K.placeholder((None,))
    function = K.function([x], [K.foldl(lambda acc, e: acc * 2.0 + e, x, initializer=K.constant(1.0))])
    for n in (1, 4, 2):
        expected = 1.0
        for e in range(n):
            expected = expected * 2 + e
        assert function([np.arange(n)])[0] == expected


@covers('map_fn', 'foldl', 'foldr', 'gradients')
def test_gradients_of_maps_and_folds(K, check):
    """The elements, the initializer and the outer tensors of the function have gradients."""
    x, w, s = random((3, 2), seed=1), random((2,), seed=2), random((2,), seed=3)
    check.gradients(lambda x, w: K.map_fn(lambda row: K.tanh(row * w) * K.sum(row), x), x, w)
    for fold in (K.foldl, K.foldr):

        def build(x, w, s, fold=fold):
            return K.stack(
                [fold(lambda acc, e: K.tanh(acc * w + e), x, initializer=s), fold(lambda acc, e: acc * e, x)]
            )

        check.gradients(build, x, w, s)


@covers('map_fn', 'foldl', 'update')
def test_tensors_of_a_step_stay_inside(K, check):
    """A tensor that is made inside a step function cannot be used outside. The error names the tensor or the step."""
    leaked = []

    def step(acc, e):
        leaked.append(K.identity(acc * e, name='inner_product'))
        return leaked[-1]

    K.foldl(step, K.placeholder((3, 2)))
    with check.fails():
        K.eval(leaked[0] + 1.0)

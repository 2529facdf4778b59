"""Random tensors: distributions, fresh numbers in each run, seeds."""

import subprocess
import sys

import numpy as np
import pytest

from ._check import FLOATS, all_close, close, covers, random

# name -> (arguments, mean, standard deviation, lowest, highest)
DRAWS = {
    'random_normal': ({'mean': 1.5, 'stddev': 2.0}, 1.5, 2.0, -np.inf, np.inf),
    'random_uniform': ({'minval': -1.0, 'maxval': 3.0}, 1.0, 4 / 12**0.5, -1.0, 3.0),
    'random_binomial': ({'p': 0.3}, 0.3, 0.21**0.5, 0.0, 1.0),
    'truncated_normal': ({'mean': -1.0, 'stddev': 0.5}, -1.0, 0.5 * 0.8796256610342398, -2.0, 0.0),
}
STANDARD = {
    'random_normal': (0.0, 1.0),
    'random_uniform': (0.5, 1 / 12**0.5),
    'random_binomial': (0.0, 0.0),
    'truncated_normal': (0.0, 0.8796256610342398),
}
NAMES = [pytest.param(name, marks=covers(name)) for name in sorted(DRAWS)]
SHAPE = (200, 150)


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('name', NAMES)
def test_distribution(K, check, name, dtype):
    """Mean, deviation, range and dtype are those of the call. The defaults are the standard ones."""
    options, mean, deviation, low, high = DRAWS[name]
    values = check.run([getattr(K, name)(SHAPE, dtype=dtype, **options), getattr(K, name)(SHAPE, dtype=dtype)])
    assert [v.dtype.name for v in values] == [dtype] * 2
    assert values[0].shape == SHAPE
    drawn = values[0].astype('float64')
    slack = 6.0 / drawn.size**0.5 + (1e-3 if dtype == 'float16' else 0)
    assert abs(drawn.mean() - mean) < slack * deviation
    assert abs(drawn.std() - deviation) < slack * deviation * 2
    rounding = 4e-3 if dtype == 'float16' else 1e-6
    assert drawn.min() >= low - rounding
    assert drawn.max() <= high + rounding
    if name == 'random_binomial':
        assert set(np.unique(drawn)) == {0.0, 1.0}
    else:
        assert len(np.unique(drawn)) > (500 if dtype == 'float16' else drawn.size * 0.9)
    standard = values[1].astype('float64')
    assert abs(standard.mean() - STANDARD[name][0]) < slack
    assert abs(standard.std() - STANDARD[name][1]) < slack


@pytest.mark.parametrize('name', NAMES)
def test_numbers_are_independent(K, check, name):
    """Neighbours along either axis, and consecutive runs, are uncorrelated."""
    tensor = getattr(K, name)(SHAPE, **DRAWS[name][0])
    function = K.function([], [tensor])
    first, second = ((value - value.mean()) / value.std() for value in (function([])[0], function([])[0]))
    limit = 6.0 / first.size**0.5
    for a, b in ((first[1:], first[:-1]), (first[:, 1:], first[:, :-1]), (first, second)):
        assert abs((a * b).mean()) < limit


@covers('random_normal', 'random_uniform', 'random_binomial', 'truncated_normal')
def test_parameters_as_tensors(K):
    """Means, bounds and probabilities may be fed, and broadcast against the shape."""
    a, b = K.placeholder((2, 1)), K.placeholder(())
    function = K.function(
        [a, b],
        [
            K.random_normal((2, 20000), a, b),
            K.random_uniform((2, 20000), a, a + b),
            K.truncated_normal((2, 20000), a, b),
            K.random_binomial((2, 20000), p=a / 10.0),
        ],
    )
    normal, uniform, truncated, binomial = function([[[1.0], [9.0]], 0.5])
    for drawn, deviation in ((normal, 0.5), (truncated, 0.5 * 0.88)):
        assert abs(drawn.mean(1) - [1.0, 9.0]).max() < 0.05
        assert abs(drawn.std(1) - deviation).max() < 0.02
    assert (uniform >= [[1.0], [9.0]]).all()
    assert (uniform <= [[1.5], [9.5]]).all()
    assert abs(truncated - [[1.0], [9.0]]).max() <= 1.0 + 1e-5
    assert abs(binomial.mean(1) - [0.1, 0.9]).max() < 0.02


@covers('random_binomial')
def test_binomial_extremes(K, check):
    """p = 0 gives zeros only, p = 1 gives ones only."""
    values = check.run([K.random_binomial((1000,), p=0.0), K.random_binomial((1000,), p=1.0)])
    assert (values[0] == 0).all()
    assert (values[1] == 1).all()


@pytest.mark.parametrize('name', NAMES)
def test_fresh_numbers_on_every_run(K, name):
    """Each run draws new numbers. In one run a tensor has one value, and two tensors have different values."""
    a, b = (getattr(K, name)((10, 20), **DRAWS[name][0]) for _ in range(2))
    function = K.function([], [a, a + 0.0, a - a, b])
    runs = [function([]) for _ in range(3)]
    for values in runs:
        close(values[0], values[1])
        assert (values[2] == 0).all()
        assert (values[0] != values[3]).any()
    assert (runs[0][0] != runs[1][0]).any()
    assert (runs[1][0] != runs[2][0]).any()


@pytest.mark.parametrize('name', NAMES)
def test_seed(K, name):
    """The same seed gives the same stream in every tensor, function and session. Another seed gives another stream."""

    def stream(seed, runs=3):
        function = K.function([], [getattr(K, name)((10, 20), seed=seed, **DRAWS[name][0])])
        return [function([])[0] for _ in range(runs)]

    first, again, other = stream(7), stream(7), stream(8)
    K.clear_session()
    later = stream(7)
    for i in range(3):
        close(first[i], again[i])
        close(first[i], later[i])
        assert (first[i] != other[i]).any()
    assert (first[0] != first[1]).any()
    both = K.function([], [getattr(K, name)((10, 20), seed=s, **DRAWS[name][0]) for s in (7, 7)])([])
    close(both[0], first[0])
    close(both[1], first[0])


@pytest.mark.parametrize('name', NAMES)
def test_numpy_seed_holds(K, name):
    """Without a seed, numpy.random.seed decides when the tensor is made."""

    def values():
        np.random.seed(33)
        tensors = [getattr(K, name)((10, 20), **DRAWS[name][0]) for _ in range(2)]
        np.random.seed(34)
        return K.function([], tensors)([])

    first, again = values(), values()
    K.clear_session()
    later = values()
    for other in (again, later):
        all_close(first, other)
    assert (first[0] != first[1]).any()


@covers('random_uniform', 'random_normal', 'random_uniform_variable', 'dropout')
def test_seed_in_another_process(K, engine):
    """A seed means the same numbers in every process."""
    script = (
        f'import numpy as np\nfrom keras_backend.loader import load\nK = load({engine!r})\n'
        'tensors = [K.random_uniform((3,), seed=5), K.random_normal((3,), seed=5), '
        'K.random_uniform_variable((3,), 0., 1., seed=5), K.dropout(K.ones((8,)), 0.5, seed=5)]\n'
        'print("numbers " + " ".join(repr(float(n)) for v in K.function([], tensors)([]) for n in v))\n'
    )
    written = subprocess.check_output([sys.executable, '-c', script], universal_newlines=True)
    line = next(line for line in written.splitlines() if line.startswith('numbers '))
    tensors = [
        K.random_uniform((3,), seed=5),
        K.random_normal((3,), seed=5),
        K.random_uniform_variable((3,), 0.0, 1.0, seed=5),
        K.dropout(K.ones((8,)), 0.5, seed=5),
    ]
    close(np.array(line.split()[1:], 'float64'), np.concatenate(K.function([], tensors)([])), tolerance=1e-6)


@pytest.mark.parametrize('name', NAMES)
def test_symbolic_shape(K, name):
    """Sizes may come from K.shape: one size, mixed with numbers, or the whole shape."""
    x = K.placeholder((None, 3))
    s = K.shape(x)
    options = DRAWS[name][0]
    function = K.function(
        [x], [getattr(K, name)(shape, **options) for shape in ((s[0], 5), s, K.stack([s[1], s[0] * 2]), [s[0]])]
    )
    for n in (2, 4, 2):
        assert [v.shape for v in function([np.zeros((n, 3))])] == [(n, 5), (n, 3), (3, n * 2), (n,)]
    fixed = getattr(K, name)((2, 3))
    assert K.int_shape(fixed) == (2, 3)
    assert K.function([], [getattr(K, name)((), **options)])([])[0].shape == ()


@covers('random_normal', 'rnn', 'map_fn')
def test_fresh_numbers_in_every_step(K):
    """A random tensor inside a step has new numbers in each step."""
    x = K.placeholder((2, 6, 3))
    _, outputs, _ = K.rnn(lambda e, s: (e * 0.0 + K.random_normal((2, 3)), [s[0]]), x, [K.zeros((2, 1))])
    mapped = K.map_fn(lambda row: row * 0.0 + K.random_normal((6, 3)), x)
    values = K.function([x], [outputs, mapped])([random((2, 6, 3))])
    assert len(np.unique(values[0])) == 36
    assert len(np.unique(values[1])) == 36

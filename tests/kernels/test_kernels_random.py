"""Random NumPy kernels: their distributions, and that a draw depends on the seed and its number alone."""

import math
import subprocess
import sys
from threading import Barrier, Thread

import numpy as np
import pytest

from keras_backend.kernels import PRIMITIVES
from keras_backend.kernels.random import Stream, generator_at

k = PRIMITIVES
DRAWS = ['random_uniform', 'random_normal', 'truncated_normal']


def normal_cdf(x):
    return np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])


def truncated_cdf(x):
    low, high = normal_cdf([-2, 2])
    return (normal_cdf(x) - low) / (high - low)


CDFS = {'random_uniform': lambda x: x, 'random_normal': normal_cdf, 'truncated_normal': truncated_cdf}


@pytest.mark.parametrize('name', DRAWS)
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_distribution_of_a_stream(name, dtype):
    """The largest distance to the exact distribution function is that of a sample (Kolmogorov)."""
    x = np.sort(k[name](Stream(1), (100, 100), dtype).astype('float64').ravel())
    # ties of float16: compare after each run of equals
    last = np.append(x[1:] != x[:-1], True)
    distance = np.abs(CDFS[name](x[last]) - (np.arange(len(x)) + 1)[last] / len(x)).max()
    assert distance < 1.63 / 100 + (2**-10 if dtype == 'float16' else 0)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_bounds(dtype):
    """Uniform draws are below 1, truncated ones within 2, also where float16 rounds."""
    uniform = k['random_uniform'](Stream(2), (300, 300), dtype)
    assert 0 <= uniform.min()
    assert uniform.max() < 1
    truncated = k['truncated_normal'](Stream(2), (300, 300), dtype)
    assert 1.99 < np.abs(truncated).max() <= 2


def test_a_draw_depends_on_the_step_of_a_loop():
    """Step 0 has the numbers of the stream, and every step has its own."""
    drawn = [generator_at(7, 2, step).random(50) for step in (0, 1, 2)]
    stream = Stream(7)
    for _ in range(3):
        last = stream.next().random(50)
    np.testing.assert_array_equal(last, drawn[0])
    assert len(np.unique(drawn)) == 150


@pytest.mark.parametrize('name', DRAWS)
def test_a_draw_depends_on_seed_and_number(name):
    """Whatever was drawn before, from whichever stream and in whatever size."""
    first = [k[name](stream, (4,), 'float32') for stream in [Stream(7)] for _ in range(3)]
    mixed, other = Stream(7), Stream(8)
    for n, size in enumerate([(4,), (1000,), (4,)]):
        k[name](other, (3,), 'float64')
        made = k[name](mixed, size, 'float32')
        if size == (4,):
            np.testing.assert_array_equal(made, first[n])
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first[0], k[name](Stream(8), (4,), 'float32'))


def test_reset():
    """The stream begins again."""
    stream = Stream(3)
    before = [k['random_normal'](stream, (2,), 'float32').tolist() for _ in range(3)]
    stream.reset()
    assert before == [k['random_normal'](stream, (2,), 'float32').tolist() for _ in range(3)]


@pytest.mark.parametrize('seed', [0, -1, 2**31, 2**64, 2**200 + 5, np.int64(12)])
def test_any_integer_is_a_seed(seed):
    """Negative and large ones, of Python and of NumPy."""
    assert Stream(seed).next().random() == Stream(int(seed)).next().random()


def test_seeds_differ():
    """Neighbouring seeds and draws have nothing in common."""
    draws = [k['random_uniform'](Stream(seed), (50,), 'float64').tolist() for seed in (-1, 0, 1, 2, 2**64)]
    stream = Stream(3)
    draws += [k['random_uniform'](stream, (50,), 'float64').tolist() for _ in range(5)]
    assert len({number for draw in draws for number in draw}) == 500


def test_another_process():
    """The same numbers everywhere."""
    code = (
        'from keras_backend.kernels.random import Stream; s = Stream(5); s.next();'
        'print(repr(float(s.next().standard_normal())))'
    )
    printed = subprocess.check_output([sys.executable, '-c', code], universal_newlines=True)
    stream = Stream(5)
    stream.next()
    assert float(printed) == float(stream.next().standard_normal())


def test_threads_share_a_stream():
    """Threads share the draws of a stream: each draw is made once, none is torn."""
    expected = Stream(9)
    expected = {k['random_normal'](expected, (500,), 'float32').tobytes() for _ in range(8 * 25)}
    stream, barrier, made = Stream(9), Barrier(8), []

    def work():
        barrier.wait()
        for _ in range(25):
            made.append(k['random_normal'](stream, (500,), 'float32').tobytes())

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8 * 25
    assert set(made) == expected


@pytest.mark.parametrize('name', DRAWS)
def test_redrawing_is_exact(name):
    """No bias from redrawing: mean and variance of a large draw."""
    x = k[name](Stream(4), (200000,), 'float64')
    a = 2 * math.exp(-2) / math.sqrt(2 * math.pi) / math.erf(math.sqrt(2))
    mean, variance = {'random_uniform': (0.5, 1 / 12), 'random_normal': (0, 1), 'truncated_normal': (0, 1 - 2 * a)}[
        name
    ]
    assert abs(x.mean() - mean) < 4 * math.sqrt(variance / len(x))
    assert abs(x.var() - variance) < 0.01

"""Engines beside each other in one process, loaded in each order: numbers, training, threads, comparisons."""

import inspect

import pytest
from processes import ENGINE, python

from keras_backend import loader
from keras_backend.engines.table import ENGINES

OTHERS = [name for name in sorted(ENGINES) if name != ENGINE and loader.has_library(name)]

pytestmark = pytest.mark.skipif(ENGINE not in ENGINES, reason='inside Keras 3 there is one engine')


def program(names):
    """What a process does whose engine is the configured one, and that loads these engines after it."""
    import threading

    import numpy as np

    import keras_backend as K

    spaces = [K] + [K.load(name) for name in names]
    rng = np.random.RandomState(0)
    x, y, start = [rng.uniform(-1, 1, shape).astype('float32') for shape in [(6, 4), (6, 2), (4, 2)]]

    # Gradient descent by hand.
    w, truth = start.astype('float64'), []
    for _ in range(6):
        rest = np.tanh(x.dot(w)) - y
        truth.append(np.mean(rest**2))
        w = w - 0.5 * x.T.dot(2.0 / rest.size * rest * (1.0 - np.tanh(x.dot(w)) ** 2))

    def training(B):
        inputs, targets, weights = B.placeholder((None, 4)), B.placeholder((None, 2)), B.variable(start)
        loss = B.mean(B.square(B.tanh(B.dot(inputs, weights)) - targets))
        (gradient,) = B.gradients(loss, [weights])
        return weights, B.function([inputs, targets], [loss], updates=[B.update_sub(weights, 0.5 * gradient)])

    # In turns, one step after the other.
    made = [training(B) for B in spaces]
    for step in range(6):
        for B, (_, function) in zip(spaces, made):
            np.testing.assert_allclose(function([x, y])[0], truth[step], rtol=1e-4, err_msg=B.backend())
    for B, (weights, _) in zip(spaces, made):
        np.testing.assert_allclose(B.get_value(weights), w, rtol=1e-4, atol=1e-6, err_msg=B.backend())

    # At the same time, a thread each, which builds and trains.
    barrier, losses = threading.Barrier(len(spaces)), {}

    def train(B):
        barrier.wait(60)
        _, function = training(B)
        losses[B.backend()] = [float(function([x, y])[0]) for _ in range(6)]

    threads = [threading.Thread(target=train, args=(B,)) for B in spaces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(losses) == len(spaces), losses
    for name, found in losses.items():
        np.testing.assert_allclose(found, truth, rtol=1e-4, err_msg=name)

    # Loops and convolutions.
    sequence, image = rng.uniform(-1, 1, (2, 3, 4)), np.arange(16.0).reshape(1, 4, 4, 1)
    for B in spaces:
        last, _, _ = B.rnn(lambda t, s, B=B: (t + s[0], [t + s[0]]), B.constant(sequence), [B.zeros((2, 4))])
        np.testing.assert_allclose(B.eval(last), sequence.sum(1), rtol=1e-4, atol=1e-6, err_msg=B.backend())
        found = B.eval(B.conv2d(B.constant(image), B.ones((2, 2, 1, 1))))
        np.testing.assert_allclose(found[0, 0, :, 0], [10.0, 14.0, 18.0], rtol=1e-5, err_msg=B.backend())

    def build(B, x, y):
        return {'softmax': B.softmax(B.dot(x, B.transpose(x))), 'pairs': B.batch_dot(x, x, 1), 'mean': B.mean(y, 0)}

    found = K.compare(build, [x, y], engines=[B.backend() for B in spaces])
    assert found, found

    for one in spaces:
        for other in spaces:
            if one is not other:
                try:
                    other.eval(other.square(one.variable(1.0)) + other.constant(1.0))
                except (TypeError, ValueError):
                    continue
                raise AssertionError(f'{other.backend()} takes a variable of {one.backend()}')
    print('all equal')


def runs(tmp_path, names):
    code = inspect.getsource(program) + f'\nprogram({names!r})\n'
    status, out, err = python('-c', code, home=tmp_path / 'home', backend=ENGINE, KERAS_BACKEND_QUIET='1')
    assert (status, out.splitlines()[-1:]) == (0, ['all equal']), f'exit status {status}\n{out}\n{err}'


@pytest.mark.parametrize('other', OTHERS)
def test_second_engine_after_this_one(tmp_path, other):
    """This engine first, and then another. Where that one is tested, it is the first."""
    runs(tmp_path, [other])


@pytest.mark.skipif(len(OTHERS) < 2, reason='needs a third engine')
@pytest.mark.parametrize('turn', [1, -1], ids=['a-z', 'z-a'])
def test_all_engines_after_this_one(tmp_path, turn):
    """This engine first, and then all that are installed."""
    runs(tmp_path, OTHERS[::turn])

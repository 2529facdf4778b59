"""A function that is built again: its first call, for each new function, and the growth over 20 to 160 of them."""

import os
import time

os.environ.setdefault('KERAS_BACKEND_QUIET', '1')

import numpy as np

import keras_backend as K

X, STEPS = np.ones((4, 8), 'float32'), np.ones((4, 5, 8), 'float32')
WEIGHTS = [np.random.RandomState(i).normal(size=(8, 8)) for i in range(6)]


def dense():
    """A training step of six dense layers: what `K.function` takes, and what is fed."""
    x = K.placeholder((None, 8))
    weights = list(map(K.variable, WEIGHTS))

    def recorded():
        hidden = x
        for weight in weights:
            hidden = K.tanh(K.dot(hidden, weight))
        loss = K.mean(K.square(hidden))
        slopes = K.gradients(loss, weights)
        return [x], [loss], [K.update(w, w - 0.01 * slope) for w, slope in zip(weights, slopes)]

    return recorded, [X]


def loop():
    """The outputs of a recurrent layer."""
    x, weight = K.placeholder((None, 5, 8)), K.variable(WEIGHTS[0])

    def step(now, states):
        new = K.tanh(K.dot(now, weight) + states[0])
        return new, [new]

    def recorded():
        return [x], [K.rnn(step, x, [K.zeros_like(x[:, 0])])[0]], []

    return recorded, [STEPS]


def seconds(work, count):
    """The median time of `count` runs."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[count // 2]


def main():
    """Print a row for each program."""
    print(f'{K.backend()}: milliseconds for each new function and its first call')
    for model in dense, loop:
        recorded, feeds = model()
        tensors = recorded()
        function = K.function(*tensors)
        function(feeds)
        again = [1e3 * seconds(lambda: K.function(*tensors)(feeds), n) for n in (20, 40, 80, 160)]  # noqa: B023
        new = 1e3 * seconds(lambda: K.function(*recorded())(feeds), 10)  # noqa: B023
        later = 1e3 * seconds(lambda: function(feeds), 20)  # noqa: B023
        print(
            f'{model.__name__:6} a later call {later:.2f}; the same tensors, 20 to 160 functions '
            f'{", ".join(f"{n:.2f}" for n in again)}; recorded again {new:.2f}'
        )


if __name__ == '__main__':
    main()

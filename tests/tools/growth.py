"""Programs that are deep, wide or long, with what they give, and the work that an engine does for them, counted.

Work is the number of lines of keras_backend that run: it is the same on every machine.
"""

import os
import sys

import numpy as np

import keras_backend

PACKAGE = os.path.dirname(keras_backend.__file__) + os.sep


def chain(K, n):
    """n functions of each other, and the gradient."""
    v = K.variable([0.5, 0.25], dtype='float64')
    y = v
    for i in range(n):
        y = K.tanh(y) if i % 2 else y * 1.25
    x, slope = np.array([0.5, 0.25]), np.ones(2)
    for i in range(n):
        x, slope = (np.tanh(x), slope * (1 - np.tanh(x) ** 2)) if i % 2 else (x * 1.25, slope * 1.25)
    return K.function([], [y, K.gradients(K.sum(y), [v])[0]]), [], [x, slope]


def wide(K, n):
    """n uses of one tensor side by side, joined and added up, and the gradient."""
    v = K.variable([0.5, 0.25], dtype='float64')
    parts = [K.square(v) * float(i % 7) for i in range(n)]
    total = K.sum(K.concatenate(parts)) + sum(parts[1:], parts[0])
    x, factor = np.array([0.5, 0.25]), float(sum([i % 7 for i in range(n)]))
    slope = 2 * x * factor
    expected = np.sum(x**2) * factor + x**2 * factor
    return K.function([], [total, K.gradients(total, [v])[0]]), [], [expected, slope + 2 * slope]


def layers(K, n):
    """n layers, each with weights of its own, and a step of gradient descent."""
    x, start = K.placeholder((None, 2), dtype='float64'), np.array([[0.5, -0.25], [0.75, 0.5]])
    weights = [K.variable(start, dtype='float64') for _ in range(n)]
    y = x
    for w in weights:
        y = y + 0.5 * K.tanh(K.dot(y, w))
    loss = K.mean(y)
    updates = [K.update_sub(w, 0.1 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    fed = np.array([[0.1, 0.2], [-0.3, 0.1], [0.2, 0.2]])
    value = fed
    for _ in range(n):
        value = value + 0.5 * np.tanh(value.dot(start))
    return K.function([x], [loss], updates), [fed], [value.mean()]


def loops(K, depth):
    """Loops of one step in each other, each of which adds to what the inner one gives."""
    (x, y), fed, expected = _loops(K, depth)
    return K.function([x], [y]), fed, expected


def loops_and_gradient(K, depth):
    """The same with its gradient."""
    (x, y), fed, expected = _loops(K, depth)
    return K.function([x], [y, K.gradients(K.sum(y), [x])[0]]), fed, expected


def _loops(K, depth):
    x = K.placeholder((None, 1, 1), dtype='float64')

    def level(e, left):
        def step(inner, states):
            made = level(inner, left - 1) if left else inner
            return made + states[0], [made + states[0]]

        return K.rnn(step, K.expand_dims(e, 1), [K.ones_like(e)])[0]

    y = level(x[:, 0], depth - 1)
    fed = np.array([[[0.5]], [[2.0]]])
    return (x, y), [fed], [fed[:, 0] + depth, np.ones_like(fed)]


def choices(K, depth):
    """Choices in each other: branches that are functions."""
    (x, y), fed, expected = _choices(K, depth)
    return K.function([x], [y]), fed, expected


def choices_and_gradient(K, depth):
    """The same with its gradient."""
    (x, y), fed, expected = _choices(K, depth)
    return K.function([x], [y, K.gradients(K.sum(y), [x])[0]]), fed, expected


def _choices(K, depth):
    x = K.placeholder((2,), dtype='float64')

    def level(y, left):
        if not left:
            return y
        return K.switch(K.sum(y) > 0.0, lambda: level(y * 1.01, left - 1), lambda: y)

    y = level(x, depth)
    fed = np.array([0.5, 0.25])
    return (x, y), [fed], [fed * 1.01**depth, np.full(2, 1.01**depth)]


def steps(K, n):
    """One loop of n steps, and the gradient."""
    x, w = K.placeholder((None, None, 1), dtype='float64'), K.variable(0.5, dtype='float64')
    last = K.rnn(lambda e, s: (e * w + s[0], [e * w + s[0]]), x, [K.zeros_like(x[:, 0])])[0]
    fed = np.full((1, n, 1), 0.25)
    return K.function([x], [last, K.gradients(K.sum(last), [w])[0]]), [fed], [[[n * 0.125]], n * 0.25]


def check(K, case, n):
    """The program of this size gives what it has to."""
    K.clear_session()
    function, fed, expected = case(K, n)
    for found, wanted in zip(function(fed), expected):
        np.testing.assert_allclose(found, wanted, 1e-9)


def work(K, case, n):
    """How many lines of the package run to build a program of this size, and to run it once."""
    lines = [0]

    def line(_frame, event, _argument):
        if event == 'line':
            lines[0] += 1
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, _event, _argument: line if frame.f_code.co_filename.startswith(PACKAGE) else None)
    try:
        check(K, case, n)
    finally:
        sys.settrace(before)
    return lines[0]


def check_growth(K, case, n, most=2.2):
    """Twice the size takes at most `most` times the work, for n, 2n and 4n."""
    one, two, four = [work(K, case, n * factor) for factor in (1, 2, 4)]
    assert four - two <= most * (two - one), (one, two, four)


# Sizes that the engines of the K graph take in their stride. Loops with gradients stand in their tests.
LARGE = [(chain, 10000), (wide, 2000), (layers, 1000), (steps, 10000)]
LARGE += [(loops, 60), (choices, 300), (choices_and_gradient, 60)]
# What takes twice the work where it is twice as large, and what takes the square of its depth.
GROWING = [(chain, 50), (wide, 50), (layers, 20), (loops, 5), (choices, 10)]
NESTED_GRADIENTS = [(loops_and_gradient, 5), (choices_and_gradient, 10)]

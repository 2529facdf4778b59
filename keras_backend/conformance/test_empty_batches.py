"""Batches of no rows, fed or left by a slice, through everything that looks at images and sequences."""

import numpy as np
import pytest

from ..basics.tables import beside
from ._check import all_close, calling, close, covers, random, tuples

IMAGE, SEQUENCE, VOLUME = (6, 5, 3), (6, 3), (4, 5, 4, 3)


def case(sample, weights, function, result, others=(), options=()):
    """The case of a K function alone: a row of empty_batches.json. A shape may be a name of this module."""
    shapes = [globals()[shape] if isinstance(shape, str) else tuples(shape) for shape in (sample, result)]
    return shapes[0], tuples(weights), calling(function, *tuples(others), **dict(tuples(options))), shapes[1]


# name: (shape of a sample, shapes of weights, function of K, x and weights, shape of a sample of the result)
CASES = {
    'conv2d_transpose': (
        IMAGE,
        [(3, 2, 2, 3)],
        lambda K, x, w: K.conv2d_transpose(x, w, (K.shape(x)[0], 8, 6, 2)),
        (8, 6, 2),
    ),
    'conv2d_transpose dilated': (
        IMAGE,
        [(2, 2, 2, 3)],
        lambda K, x, w: K.conv2d_transpose(x, w, (K.shape(x)[0], 8, 7, 2), dilation_rate=(2, 2)),
        (8, 7, 2),
    ),
    'conv3d_transpose': (
        VOLUME,
        [(2, 2, 2, 2, 3)],
        lambda K, x, w: K.conv3d_transpose(x, w, (K.shape(x)[0], 8, 10, 8, 2), (2, 2, 2), 'same'),
        (8, 10, 8, 2),
    ),
    'batch_normalization': (
        IMAGE,
        [(3,), (3,), (3,)],
        lambda K, x, m, b, g: K.batch_normalization(x, m, K.ones((3,)), b, g),
        IMAGE,
    ),
    'conv2d network': (
        IMAGE,
        [(3, 2, 3, 2), (2,), (2, 2, 2, 4)],
        lambda K, x, w, b, v: K.pool2d(K.relu(K.conv2d(K.relu(K.bias_add(K.conv2d(x, w), b)), v)), (2, 2)),
        (2, 2, 4),
    ),
}
CASES.update({name: case(**row) for name, row in beside(__file__, 'empty_batches.json').items()})


def cases(*others):
    return [pytest.param(*CASES[name], *others, id=name, marks=covers(name.split()[0])) for name in CASES]


def with_derivatives(K, y, by):
    """`y`, and what there is of its first and second derivatives by the tensors `by`."""
    gradients = [g for g in K.gradients(K.sum(K.square(y)), by) if g is not None]
    norm = sum(K.sum(K.square(g)) for g in gradients)
    return [y] + gradients + [g for g in K.gradients(norm, by) if g is not None]


@pytest.mark.parametrize(('sample', 'weights', 'build', 'made'), cases())
@pytest.mark.parametrize('how', ['fed', 'sliced'])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_no_rows(K, check, sample, weights, build, made, how, dtype):
    """The result has its shape and no rows. Weights get a gradient of zeros. The next batch is as it was."""
    array = random((3,) + sample, 0, -0.5, 0.5, dtype)
    x, n = K.placeholder((None,) + sample, dtype=dtype), K.placeholder((), dtype='int32')
    arrays = [random(shape, seed, -0.5, 0.5, dtype) for seed, shape in enumerate(weights, 1)]
    weights = [K.variable(a, dtype=dtype) for a in arrays]
    by = [x] + weights
    outputs = with_derivatives(K, build(K, x if how == 'fed' else x[:n], *weights), by)
    function = K.function([x, n], outputs)
    values = function([array[:0], 0] if how == 'fed' else [array, 0])
    assert values[0].shape == (0,) + made
    whole = function([array, 3])
    assert whole[0].shape == (3,) + made
    for tensor, value, full in zip(outputs, values, whole):
        check.truthful(tensor, value)
        rows = 0 if how == 'fed' and full.shape[:1] == (3,) and value.shape != full.shape else 3
        expected = (rows,) + full.shape[1:] if full.shape[:1] == (3,) else full.shape
        if tensor is not outputs[0]:
            close(value, np.zeros(expected))
    # Where the batch is known, nothing has to be done for an empty one.
    x = K.placeholder((3,) + sample, dtype=dtype)
    static = K.function([x], with_derivatives(K, build(K, x, *weights), [x] + weights))([array])
    for value, expected in zip(whole, static):
        close(value, expected, scale=np.abs(expected.astype('float64')).max())


def stepwise(K, x, w):
    """A recurrence over axis 1 whose step convolves."""

    def step(now, states):
        new = K.tanh(K.conv2d(now, w, padding='same') + states[0])
        return new, [new]

    return K.rnn(step, x, [K.zeros_like(K.conv2d(x[:, 0], w, padding='same'))])[0]


INSIDE = {
    'rnn': stepwise,
    'map_fn': lambda K, x, w: K.map_fn(lambda row: K.pool2d(K.conv2d(row, w), (2, 2)), x),
    'switch': lambda K, x, w: K.switch(
        K.greater(K.sum(w), -100.0),
        lambda: K.pool2d(K.conv2d(x[:, 0], w, padding='same'), (2, 2), padding='same'),
        lambda: x[:, 1],
    ),
}


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in INSIDE])
@pytest.mark.parametrize('how', ['fed', 'sliced'])
def test_inside(K, check, name, how):
    """So it is in a step, in a function of elements and in a branch."""
    array, kernel = random((2, 3) + IMAGE, 0, -0.5, 0.5, 'float32'), random((3, 2, 3, 3), 1, -0.5, 0.5, 'float32')
    x, n, w = K.placeholder((None, 3) + IMAGE), K.placeholder((), dtype='int32'), K.variable(kernel)
    y = INSIDE[name](K, x if how == 'fed' else x[:n], w)
    function = K.function([x, n], [y] + K.gradients(K.sum(K.square(y)), [x, w]))
    values = function([array[:0], 0] if how == 'fed' else [array, 0])
    whole = function([array, 2])
    assert values[0].shape == (0,) + whole[0].shape[1:]
    close(values[1], np.zeros((0 if how == 'fed' else 2, 3) + IMAGE))
    close(values[2], np.zeros(kernel.shape))
    x = K.placeholder(array.shape)
    y = INSIDE[name](K, x, w)
    static = K.function([x], [y] + K.gradients(K.sum(K.square(y)), [x, w]))([array])
    all_close(whole, static)


@covers('map_fn')
def test_inside_of_elements(K, check):
    """The elements of a loop may be batches of no rows."""
    x, kernel = K.placeholder((2, None) + IMAGE), random((3, 2, 3, 4), 1, dtype='float32')
    w = K.variable(kernel)
    y = K.map_fn(lambda rows: K.pool2d(K.conv2d(rows, w), (2, 2)), x)
    function = K.function([x], [y] + K.gradients(K.sum(K.square(y)), [x, w]))
    array = random((2, 2) + IMAGE, dtype='float32')
    shapes = [(2, 0, 3, 3, 4), (2, 0) + IMAGE, kernel.shape]
    for value, shape in zip(function([array[:, :0]]), shapes):
        close(value, np.zeros(shape))
    assert function([array])[0].shape == (2, 2, 3, 3, 4)


@covers('conv2d', 'concatenate', 'update')
def test_rows_beside_no_rows(K, check):
    """One of two branches of a network may have no rows. Updates take place, once."""
    x, z, kernel = K.placeholder((None,) + IMAGE), K.placeholder((None,) + IMAGE), random((3, 2, 3, 2), 1)
    w, calls = K.variable(kernel), K.variable(0.0)
    y = K.concatenate([K.conv2d(x, w), K.conv2d(z, w)], axis=0)
    function = K.function([x, z], [y], updates=[(calls, calls + 1.0), (w, w - K.gradients(K.sum(y), [w])[0])])
    array = random((2,) + IMAGE, dtype='float32')
    expected = check.eval(lambda x: (K.conv2d(x, K.constant(kernel)),), array)[0]
    close(function([array[:0], array])[0], expected)
    moved = K.get_value(w)
    K.set_value(w, kernel)
    close(function([array, array[:0]])[0], expected)
    close(K.get_value(w), moved)
    assert K.get_value(calls) == 2.0

"""Gradients of all differentiable functions, of first and second order, compared with central differences."""

import numpy as np
import pytest

from ..basics.tables import beside
from ._check import covers, distinct, random, tuples

X = random((2, 3), seed=11)
POSITIVE = random((2, 3), seed=12, low=0.3, high=2.0)
OFF_KINKS = np.array([[-2.3, -0.7, 0.4], [1.3, 2.7, -1.6]])
CUBE = random((2, 3, 2), seed=13)
IMAGE = random((2, 4, 5, 2), seed=14)
VOLUME = random((1, 3, 3, 4, 2), seed=15)
PROBABILITIES = random((2, 3), seed=16, low=0.1, high=0.9)
TARGETS = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])


def case(function, arrays, others=(), options=()):
    """The case of one K function of arrays, and of other arguments as they are. gradient_cases.json has such rows.

    An array is told by a name of this module, by a shape, or as {what makes it: what it is made of}.
    """
    options = dict(tuples(options))
    squared = options.pop('squared', False)

    def expression(K, *tensors):
        y = getattr(K, function)(*tensors, *tuples(others), **options)
        return y**2 if squared else y

    return function, expression, [_array(described, position) for position, described in enumerate(arrays)]


_MAKERS = {'values': np.array, 'distinct': distinct, 'positive': lambda shape: random(shape, 12, low=0.3, high=2.0)}


def _array(described, position):
    if isinstance(described, dict):
        ((maker, value),) = described.items()
        return _MAKERS[maker](value)
    return globals()[described] if isinstance(described, str) else random(described, seed=20 + position)


# id -> (K functions covered, expression, arrays)
CASES = {
    # element-wise
    'relu by its slope': ('relu', lambda K, x, a: K.relu(x, alpha=a), [OFF_KINKS, np.array(0.3)]),
    'operators': ('placeholder', lambda K, x, y: (x + y) * x / y - (-x) ** 2 + 2.0 / y, [X, POSITIVE[0]]),
    'floor and modulo': ('placeholder', lambda K, x, y: x % y + x * (x // y), [OFF_KINKS, np.array([[0.9], [1.7]])]),
    'cast': ('cast', lambda K, x: K.cast(K.cast(x, 'float64'), 'float64') * x, [X]),
    'identity': ('identity', lambda K, x: K.identity(x) * x, [X]),
    # reductions
    'sum': ('sum', lambda K, x: K.sum(K.sin(x), axis=[0, 2]), [CUBE]),
    'sum keepdims': ('sum', lambda K, x: K.sum(x * x, axis=1, keepdims=True) * x, [CUBE]),
    'mean': ('mean', lambda K, x: K.mean(x * x, axis=-1), [CUBE]),
    'mean of all': ('mean', lambda K, x: K.mean(x * x * x), [CUBE]),
    'max': ('max', lambda K, x: K.max(x, axis=1) * K.max(x), [distinct((2, 3, 2))]),
    'min': ('min', lambda K, x: K.min(x, axis=[0, 2], keepdims=True) * x, [distinct((2, 3, 2))]),
    'cumsum': ('cumsum', lambda K, x: K.cumsum(x * x, axis=1), [CUBE]),
    # linear algebra
    'gather': ('gather', lambda K, x: K.gather(x, K.constant([[0, 1], [1, 1]], dtype='int32')) ** 2, [CUBE]),
    # shape
    'expand and squeeze': (('expand_dims', 'squeeze'), lambda K, x: K.squeeze(K.expand_dims(x**2, 1), 1), [CUBE]),
    'concatenate': ('concatenate', lambda K, x, y: K.concatenate([x, y, x], axis=1) ** 2, [CUBE, CUBE[:, :1]]),
    'stack': ('stack', lambda K, x, y: K.stack([x, y, x], axis=1) ** 2, [X, POSITIVE]),
    'indexing': ('placeholder', lambda K, x: x[::-1, 1:, None] * x[:1, :-1, None] + x[0, 2, -1], [CUBE]),
    # neural network
    'sparse': (
        'sparse_categorical_crossentropy',
        lambda K, x: K.sparse_categorical_crossentropy(K.constant([2, 0], dtype='int32'), x),
        [PROBABILITIES],
    ),
    'sparse logits': (
        'sparse_categorical_crossentropy',
        lambda K, x: K.sparse_categorical_crossentropy(K.constant([2, 0], dtype='int32'), x, from_logits=True),
        [X],
    ),
    'normalize_batch': (
        'normalize_batch_in_training',
        lambda K, x, g, b: list(K.normalize_batch_in_training(x, g, b, [0, 1])),
        [CUBE, np.array([1.2, 0.7]), np.array([0.1, -0.3])],
    ),
    # control
    'switch': ('switch', lambda K, x, y: K.switch(x > 0, x * y, K.sin(x)), [OFF_KINKS, X]),
    'switch scalar': (
        'switch',
        lambda K, x, y: K.switch(K.sum(y) > 0, lambda: x * y, lambda: K.sin(x)),
        [OFF_KINKS, X],
    ),
    'in_train_phase': ('in_train_phase', lambda K, x: K.in_train_phase(lambda: x * x, lambda: K.sin(x)), [X]),
}
CASES.update({name: case(**row) for name, row in beside(__file__, 'gradient_cases.json').items()})


@pytest.mark.parametrize(
    'case',
    [
        pytest.param(
            name, marks=covers(*([CASES[name][0]] if isinstance(CASES[name][0], str) else CASES[name][0]), 'gradients')
        )
        for name in sorted(CASES)
    ],
)
def test_gradient(K, check, case):
    """K.gradients equals central differences, and so does the gradient of the gradient."""
    _, build, arrays = CASES[case]
    check.gradients(lambda *tensors: build(K, *tensors), *arrays)


SHAPE_DEPENDENT = (
    'sum, mean, mean of all, max, var, logsumexp, cumsum, dot of high rank, batch_dot, concatenate, flatten, tile, '
    'repeat_elements, indexing, slice, operators, maximum, softmax, categorical logits, bias_add, gather, '
    'normalize_batch, conv2d same stride, max pool, avg pool'
).split(', ')


@pytest.mark.parametrize(
    'case', [pytest.param(name, marks=covers(CASES[name][0], 'gradients')) for name in SHAPE_DEPENDENT]
)
def test_gradient_of_unknown_shapes(K, check, case):
    """Gradients are right if no size is known beforehand."""
    _, build, arrays = CASES[case]
    if 'conv' in case or case == 'normalize_batch':  # kernels and channels have to be known

        def built(x, *others):
            sizes = [K.shape(x)[i] for i in range(arrays[0].ndim - 1)]
            return build(
                K,
                K.reshape(x, sizes + [arrays[0].shape[-1]]),
                *[K.reshape(other, a.shape) for other, a in zip(others, arrays[1:])],
            )
    else:

        def built(*tensors):
            return build(K, *tensors)

    check.gradients(built, *arrays, unknown=True, second=False)

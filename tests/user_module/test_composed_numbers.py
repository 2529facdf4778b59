"""Every composed function on thin modules, beside the NumPy engine: all dtypes, NaN, infinities, empty arrays."""

from typing import NamedTuple

import numpy as np
import pytest
from shares import one_in

import keras_backend.engines.numpy_backend as numpy_engine
from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.errors import KerasBackendError, UnsupportedByEngine
from keras_backend.user_module.front import Adapted

from .eager_k import primitives, tensor
from .engine.tiny_engine import NAMES

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
FLOATS = ['float16', 'float32', 'float64']
DTYPES = ['bool', *INTEGERS, *FLOATS]


def maximum_of(x, axis=None, keepdims=False):
    """The largest number of an array; of none the one that is below all others."""
    low = False if x.dtype == bool else np.iinfo(x.dtype).min if x.dtype.kind in 'iu' else -np.inf
    axis = tuple(axis) if isinstance(axis, list) else axis
    return tensor(np.max(np.asarray(x), axis=axis, keepdims=keepdims, initial=low))


# A module whose tensors are arrays of NumPy, which have the arithmetic of NumPy.
OF_ARRAYS = {name: function for name, function in primitives(np.inf).items() if name not in SETTINGS}
ARRAYS = Adapted(dict(OF_ARRAYS, max=maximum_of), name='arrays', title='Arrays', runs_on='', refused={})
# It has no functions and no updates, a sum of bools is a bool there, and x**0.5 a square root.
NOT_OF_ARRAYS = set('bias_add constant eval get_value moving_average_update pow update_add update_sub'.split())


def plain(name, *more, **named):
    """The call of a function with an array first."""
    return lambda K, x: getattr(K, name)(x, *more, **named)


def reduced(name):
    """The calls of a reduction."""
    return [plain(name), plain(name, axis=0), plain(name, axis=-1, keepdims=True), plain(name, axis=[0, 1])]


def image(K, x):
    """A stack of one image of one channel."""
    return K.reshape(x, (1, *K.int_shape(x), 1))


def volume(K, x):
    """A stack of one volume of one channel."""
    return K.reshape(x, (1, 1, *K.int_shape(x), 1))


def steps(K, x):
    """A stack of one series of one channel."""
    return K.reshape(x, (1, -1, 1))


def ones(K, x, *shape):
    """A kernel for `x` whose products cannot be rounded."""
    return K.ones(shape, K.dtype(x) if K.dtype(x) in FLOATS else 'float32')


def moved(name, *more, **named):
    """The same of a stack of images."""
    return lambda K, x: getattr(K, name)(image(K, x), *more, **named)


def updated(name, *more):
    """A variable after an update."""

    def call(K, x):
        variable = K.variable(K.eval(x), dtype=K.dtype(x))
        K.function([], [], updates=[getattr(K, name)(variable, 2 * x, *more)])([])
        return variable

    return call


def phased(name):
    """A choice by the learning phase."""
    return lambda K, x: getattr(K, name)(x, 1 - x, training=0)


# Name -> calls with a tensor of two axes.
CALLS = {
    'abs': [plain('abs')],
    'all': reduced('all'),
    'any': reduced('any'),
    'argmax': [plain('argmax'), plain('argmax', axis=0)],
    'argmin': [plain('argmin'), plain('argmin', axis=0)],
    'batch_dot': [lambda K, x: K.batch_dot(x, x, 1)],
    'batch_flatten': [moved('batch_flatten')],
    'batch_normalization': [lambda K, x: K.batch_normalization(x, *[np.ones(3, 'float32')] * 4)],
    'bias_add': [lambda K, x: K.bias_add(x, K.cast(np.arange(3), K.dtype(x)))],
    'binary_crossentropy': [
        lambda K, x: K.binary_crossentropy(x, x),
        lambda K, x: K.binary_crossentropy(x, x, from_logits=True),
    ],
    'categorical_crossentropy': [
        lambda K, x: K.categorical_crossentropy(x, x),
        lambda K, x: K.categorical_crossentropy(x, x, from_logits=True),
    ],
    'clip': [plain('clip', 0, 2), plain('clip', -1.5, None), plain('clip', None, 1.5), plain('clip', 2, 1)],
    'constant': [lambda K, x: K.constant(K.eval(x), dtype=K.dtype(x))],
    'conv1d': [lambda K, x: K.conv1d(steps(K, x), ones(K, x, 2, 1, 2))],
    'conv2d': [lambda K, x: K.conv2d(image(K, x), ones(K, x, 2, 2, 1, 1), padding='same')],
    'conv2d_transpose': [
        lambda K, x: K.conv2d_transpose(image(K, x), ones(K, x, 2, 2, 1, 1), (1, K.int_shape(x)[0] + 1, 4, 1))
    ],
    'conv3d': [lambda K, x: K.conv3d(volume(K, x), ones(K, x, 1, 2, 2, 1, 1), padding='same')],
    'conv3d_transpose': [
        lambda K, x: K.conv3d_transpose(volume(K, x), ones(K, x, 1, 2, 2, 1, 1), (1, 1, K.int_shape(x)[0] + 1, 4, 1))
    ],
    'cos': [plain('cos')],
    'cumprod': [plain('cumprod'), plain('cumprod', axis=1)],
    'cumsum': [plain('cumsum'), plain('cumsum', axis=1)],
    'depthwise_conv2d': [lambda K, x: K.depthwise_conv2d(image(K, x), ones(K, x, 2, 2, 1, 1), padding='same')],
    'dropout': [plain('dropout', 0.0)],
    'elu': [plain('elu'), plain('elu', 0.5)],
    'equal': [plain('equal', 1), lambda K, x: K.equal(x, x)],
    'eval': [lambda K, x: K.eval(x)],
    'expand_dims': [plain('expand_dims', 1)],
    'flatten': [plain('flatten')],
    'foldl': [lambda K, x: K.foldl(lambda a, b: a + b, x)],
    'foldr': [lambda K, x: K.foldr(lambda a, b: a + b, x)],
    'get_value': [lambda K, x: K.get_value(K.variable(K.eval(x), K.dtype(x)))],
    'greater': [plain('greater', 1), lambda K, x: K.greater(x, 1 - x)],
    'greater_equal': [plain('greater_equal', 1), lambda K, x: K.greater_equal(x, 1 - x)],
    'hard_sigmoid': [plain('hard_sigmoid')],
    'identity': [plain('identity')],
    'in_test_phase': [phased('in_test_phase')],
    'in_top_k': [lambda K, x: K.in_top_k(x, K.cast(K.zeros_like(x)[:, 0], 'int32'), 2)],
    'in_train_phase': [phased('in_train_phase')],
    'l2_normalize': [plain('l2_normalize', axis=-1)],
    'less': [plain('less', 1), lambda K, x: K.less(x, 1 - x)],
    'less_equal': [plain('less_equal', 1), lambda K, x: K.less_equal(x, 1 - x)],
    'local_conv1d': [lambda K, x: K.local_conv1d(steps(K, x), ones(K, x, 5, 2, 1), (2,), (1,))],
    'local_conv2d': [lambda K, x: K.local_conv2d(image(K, x), ones(K, x, 2, 4, 1), (2, 2), (1, 1), (1, 2))],
    'logsumexp': reduced('logsumexp'),
    'map_fn': [lambda K, x: K.map_fn(lambda e: 2 * e, x)],
    'mean': reduced('mean'),
    'min': reduced('min'),
    'minimum': [
        plain('minimum', 1),
        plain('minimum', 1.5),
        lambda K, x: K.minimum(x, 1 - x),
        lambda K, x: K.minimum(x, x),
    ],
    'moving_average_update': [updated('moving_average_update', 0.25)],
    'normalize_batch_in_training': [
        lambda K, x: K.normalize_batch_in_training(x, ones(K, x, 3), ones(K, x, 3), [0])[0]
    ],
    'not_equal': [plain('not_equal', 1), lambda K, x: K.not_equal(x, x)],
    'one_hot': [lambda K, x: K.one_hot(x, 3)],
    'ones_like': [plain('ones_like')],
    'pool2d': [moved('pool2d', (2, 2)), moved('pool2d', (2, 2), padding='same', pool_mode='avg')],
    'pool3d': [
        lambda K, x: K.pool3d(volume(K, x), (1, 2, 2)),
        lambda K, x: K.pool3d(volume(K, x), (1, 1, 2), pool_mode='avg'),
    ],
    'pow': [plain('pow', 2), plain('pow', 0.5), plain('pow', 0)],
    'relu': [
        plain('relu'),
        plain('relu', 0.5),
        plain('relu', -0.5),
        plain('relu', 2.0),
        plain('relu', max_value=2),
        plain('relu', max_value=6),
        plain('relu', max_value=1.5),
        plain('relu', threshold=1),
        plain('relu', 0.5, 2.5, 1.0),
        plain('relu', 0.0, -1.0, -2.0),
    ],
    'repeat': [plain('repeat', 2)],
    'repeat_elements': [plain('repeat_elements', 2, 1)],
    'resize_images': [moved('resize_images', 2, 2, 'channels_last')],
    'resize_volumes': [lambda K, x: K.resize_volumes(volume(K, x), 2, 2, 2, 'channels_last')],
    'reverse': [plain('reverse', 1)],
    'rnn': [lambda K, x: K.rnn(lambda e, s: (e + s[0], [e + s[0]]), steps(K, x), [K.zeros_like(steps(K, x)[:, 0])])[1]],
    'separable_conv1d': [lambda K, x: K.separable_conv1d(steps(K, x), ones(K, x, 2, 1, 1), ones(K, x, 1, 1, 2))],
    'separable_conv2d': [
        lambda K, x: K.separable_conv2d(image(K, x), ones(K, x, 2, 2, 1, 1), ones(K, x, 1, 1, 1, 2), padding='same')
    ],
    'sigmoid': [plain('sigmoid')],
    'sign': [plain('sign')],
    'slice': [plain('slice', [0, 1], [1, 2])],
    'softmax': [plain('softmax'), plain('softmax', 0)],
    'softplus': [plain('softplus')],
    'softsign': [plain('softsign')],
    'sparse_categorical_crossentropy': [
        lambda K, x: K.sparse_categorical_crossentropy(x[:, 0], x),
        lambda K, x: K.sparse_categorical_crossentropy(x[:, 0], x, from_logits=True),
    ],
    'spatial_2d_padding': [moved('spatial_2d_padding')],
    'spatial_3d_padding': [lambda K, x: K.spatial_3d_padding(volume(K, x))],
    'sqrt': [plain('sqrt')],
    'square': [plain('square')],
    'squeeze': [lambda K, x: K.squeeze(K.reshape(x, (*K.int_shape(x), 1)), -1)],
    'stack': [lambda K, x: K.stack([x, x], 1)],
    'std': reduced('std'),
    'stop_gradient': [plain('stop_gradient')],
    'tanh': [plain('tanh')],
    'temporal_padding': [lambda K, x: K.temporal_padding(steps(K, x))],
    'tile': [plain('tile', [2, 1])],
    'to_dense': [plain('to_dense')],
    'transpose': [plain('transpose')],
    'update_add': [updated('update_add')],
    'update_sub': [updated('update_sub')],
    'var': reduced('var'),
    'zeros_like': [plain('zeros_like')],
    'size': [plain('size')],
    'shape': [plain('shape')],
}
# What has no numbers of an array to compute with.
WITHOUT_NUMBERS = set(
    """arange batch_get_value batch_set_value control_dependencies count_params ctc_batch_cost dtype eager eye
    get_variable_shape int_shape is_keras_tensor is_sparse is_symbolic name_scope ndim ones random_binomial
    random_normal random_normal_variable random_uniform_variable set_value symbolic zeros""".split()
)
# Functions that can be made, and that the thin module has all the same: `shape` of unknown sizes, and `stop_gradient`
# where there are gradients, are its own.
KEPT = {'shape', 'stop_gradient'}
# What the functions of the NumPy engine compute, with as few of them as can be.
MADE = (set(CALLS) | WITHOUT_NUMBERS) - KEPT
OWN = {name: getattr(numpy_engine, name) for name in NAMES if name not in MADE}
THIN = Adapted(OWN, name='thin', title='Thin', runs_on='', refused={})


def arrays(dtype):
    """Arrays of a dtype whose numbers are its edges, and empty ones."""
    if dtype == 'bool':
        numbers = [[True, False, True], [False, False, False]]
    elif dtype in INTEGERS:
        limits = np.iinfo(dtype)
        numbers = [[0, 1, 9], [limits.max, limits.min, 3], [2, 2, 1]]
    else:
        big = float(np.finfo(dtype).max)
        numbers = [
            [0.0, 0.25, 0.75],
            [-0.0, -2.5, 7.0],
            [1.0, np.nan, 3.0],
            [np.inf, 1.0, 2.0],
            [-np.inf, np.inf, 0.5],
            [-np.inf, -np.inf, -np.inf],
            [np.nan, np.nan, np.nan],
            [big, 1.0, 1e-3],
            [-40.0, 40.0, -big],
        ]
    whole = np.array(numbers, dtype)
    # NaN spreads over reductions of the whole, so each row is an array, too.
    return [whole, *[row[np.newaxis] for row in whole], whole[:0], whole[:, :0]]


ERRORS = (KerasBackendError, TypeError, ValueError, AttributeError)


def outcome(K, call, array):
    """What a call gives: an array; or the error that says why there is none."""
    numpy_engine.clear_session()
    try:
        made = call(K, tensor(array) if K is ARRAYS else numpy_engine.constant(array, dtype=array.dtype.name))
        return np.asarray(made if isinstance(made, np.ndarray) else numpy_engine.eval(made))
    except ERRORS as error:
        return error


def outcomes(call, several):
    """`outcome` for each array, on the NumPy engine and on the thin module. One function computes all of them."""
    numpy_engine.clear_session()
    made = []
    for array in several:
        for K in (numpy_engine, THIN):
            try:
                made.append(call(K, numpy_engine.constant(array, dtype=array.dtype.name)))
            except ERRORS as error:
                made.append(error)
    places = [place for place, each in enumerate(made) if numpy_engine.is_tensor(each)]
    try:
        found = numpy_engine.function([], [made[place] for place in places])([])
    except ERRORS:
        return [(outcome(numpy_engine, call, array), outcome(THIN, call, array)) for array in several]
    for place, value in zip(places, found):
        made[place] = value
    made = [each if isinstance(each, Exception) else np.asarray(each) for each in made]
    return list(zip(made[::2], made[1::2]))


class Where(NamedTuple):
    """What was compared. Arrays become words where a comparison fails, for words take longer than comparisons."""

    number: int
    array: np.ndarray
    expected: object
    K: object
    got: object

    def __str__(self):
        return f'call {self.number} of {self.array!r}: {self.expected!r}, on {self.K.name} {self.got!r}'


# In half precision other steps round otherwise.
ROUNDING = {'float16': 4e-3, 'float32': 1e-5, 'float64': 1e-12}


@pytest.mark.parametrize('name', sorted(CALLS))
@pytest.mark.parametrize('dtype', one_in(5, DTYPES))
def test_composed_numbers(name, dtype):
    """A composed function gives the shape, the dtype and the numbers that the front of the NumPy engine gives."""
    for number, call in enumerate(CALLS[name]):
        several = arrays(dtype)
        for array, (expected, of_thin) in zip(several, outcomes(call, several)):
            if isinstance(expected, Exception):
                continue  # what the front refuses may have numbers here, which nobody can compare
            for K in [THIN] if name in NOT_OF_ARRAYS else [THIN, ARRAYS]:
                got = of_thin if K is THIN else outcome(K, call, array)
                where = Where(number, array, expected, K, got)
                if not array.size and isinstance(got, UnsupportedByEngine):
                    continue  # a loop of no steps
                assert not isinstance(got, Exception), str(where)
                assert expected.shape == got.shape, str(where)
                # The arithmetic of an array has dtypes of its own.
                assert K is ARRAYS or expected.dtype == got.dtype, str(where)
                tolerance = ROUNDING.get(expected.dtype.name, 0)
                # Sums of integers of more digits than a float has depend on their order.
                size = np.abs(array.astype('float64')).max(initial=1) if dtype in INTEGERS else 1
                got = got.astype(expected.dtype)
                # NumPy's own assertion, of which one would be enough, takes ten times as long.
                if not np.allclose(got, expected, tolerance, tolerance * size, equal_nan=True):
                    np.testing.assert_allclose(got, expected, tolerance, tolerance * size, err_msg=str(where))


def test_every_composed_function_has_calls():
    """Every function that is made for the thin module has calls here, or no numbers to compare."""
    made = {name for name in CONTRACT if THIN.supports(name) and name not in OWN and name not in SETTINGS}
    assert made == MADE
    for name in MADE:
        assert ARRAYS.supports(name) or name in NOT_OF_ARRAYS | WITHOUT_NUMBERS, name

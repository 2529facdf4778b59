"""A tiny eager K over NumPy arrays, to test the composed functions with nothing else in between.

`make(unknown_from=n)` hides every size of at least `n` from `int_shape`, so that they meet unknown dimensions.
"""

import numpy as np

from keras_backend.conformance.truth import from_last, to_last
from keras_backend.user_module.front import Adapted


class Tensor(np.ndarray):
    """An array that stays a tensor: no element of it turns into a number, and its truth cannot be asked."""

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return np.asarray(array).view(Tensor)

    def __getitem__(self, item):
        items = item if isinstance(item, tuple) else (item,)
        return np.asarray(np.asarray(self)[tuple([_index(i) for i in items])]).view(Tensor)

    def __bool__(self):
        raise TypeError('the truth of a tensor was asked for')


def _index(item):
    if isinstance(item, slice):
        return slice(*[None if b is None else int(b) for b in (item.start, item.stop, item.step)])
    return item


def tensor(value, dtype=None):
    """`value` as a tensor of its own."""
    return np.array(value, dtype).view(Tensor)


def _float(x):
    return x if x.dtype.kind == 'f' else x.astype('float64')


def primitives(unknown_from):
    """What an engine has to bring along, a line each."""
    random = np.random.RandomState(0)
    state = {'phase': 0}

    def int_shape(x):
        return tuple([None if size >= unknown_from else size for size in np.shape(x)])

    def sizes(shape):
        return [int(size) for size in shape]

    def axes(axis):
        return tuple(axis) if isinstance(axis, list) else axis

    def switch(condition, then, otherwise):
        if np.ndim(condition) == 0:
            chosen = then if bool(np.asarray(condition)) else otherwise
            return chosen() if callable(chosen) else chosen
        assert not callable(then)
        assert not callable(otherwise)
        assert then.shape == otherwise.shape
        condition = condition.reshape(condition.shape + (1,) * (then.ndim - condition.ndim))
        return tensor(np.where(np.asarray(condition), then, otherwise))

    def dot(x, y):
        return tensor(np.dot(x, y))

    def arange(start, stop=None, step=1, dtype='int32'):
        bounds = (0, start, step) if stop is None else (start, stop, step)
        return tensor(np.arange(*[np.asarray(bound).item() for bound in bounds]), dtype)

    return dict(
        backend=lambda: 'eager',
        epsilon=lambda: 1e-7,
        floatx=lambda: 'float64',
        normalize_data_format=lambda value: _data_format(value),
        int_shape=int_shape,
        dtype=lambda x: x.dtype.name,
        is_tensor=lambda x: isinstance(x, Tensor),
        shape=lambda x: tensor(np.shape(x), 'int32'),
        variable=lambda value, dtype=None, name=None, constraint=None: tensor(value, dtype or 'float64'),
        cast=lambda x, dtype: tensor(x, dtype),
        switch=switch,
        dot=dot,
        stop_gradient=lambda x: x,
        arange=arange,
        reshape=lambda x, shape: x.reshape(sizes(shape)),
        permute_dimensions=lambda x, pattern: x.transpose(pattern),
        concatenate=lambda tensors, axis=-1: tensor(np.concatenate(tensors, axis=axis)),
        sum=lambda x, axis=None, keepdims=False: tensor(np.sum(np.asarray(x), axis=axes(axis), keepdims=keepdims)),
        prod=lambda x, axis=None, keepdims=False: tensor(np.prod(np.asarray(x), axis=axes(axis), keepdims=keepdims)),
        max=lambda x, axis=None, keepdims=False: tensor(np.max(np.asarray(x), axis=axes(axis), keepdims=keepdims)),
        exp=lambda x: np.exp(_float(x)),
        log=lambda x: np.log(_float(x)),
        sin=lambda x: np.sin(_float(x)),
        maximum=lambda x, y: np.maximum(x, y),
        random_uniform=lambda shape, minval=0.0, maxval=1.0, dtype=None, seed=None: tensor(
            (random if seed is None else np.random.RandomState(seed)).uniform(minval, maxval, sizes(shape)),
            dtype or 'float64',
        ),
        learning_phase=lambda: state['phase'],
        set_learning_phase=lambda value: state.update(phase=value),
    )


def _data_format(value):
    value = 'channels_last' if value is None else value
    if value not in ('channels_first', 'channels_last'):
        raise ValueError(f'data_format={value!r}')
    return value


# The settings of the eager K are its own.
SETTINGS = ('backend', 'epsilon', 'floatx', 'normalize_data_format')


def make(unknown_from=None, **own):
    """An eager K; sizes of `unknown_from` and more are hidden, `own` functions take the place of others."""
    functions = dict(primitives(float('inf') if unknown_from is None else unknown_from), **own)
    K = Adapted(functions, name='eager', title='eager', runs_on='', refused={})
    vars(K).update({name: functions[name] for name in SETTINGS})
    return K


# -- what the tests share --------------------------------------------------------------------------------------------

RNG = np.random.RandomState(7)
N = 6  # hidden where sizes are unknown


def close(expected, got, tolerance=1e-12):
    """Shapes are equal and values equal up to rounding."""
    expected, got = np.asarray(expected), np.asarray(got)
    assert expected.shape == got.shape
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def draw(*shape):
    """Normal numbers."""
    return tensor(RNG.normal(size=shape))


def first(x):
    """Channels last -> channels first."""
    return tensor(from_last(np.asarray(x), 'channels_first'))


def last(x):
    """Channels first -> channels last."""
    return to_last(np.asarray(x), 'channels_first')


def both(data_format):
    """The way from channels last to a data format and back."""
    return (first, last) if data_format == 'channels_first' else (tensor, np.asarray)

"""First-generation spellings give the same result, and one DeprecationWarning that names the new spelling."""

import warnings

import numpy as np
import pytest

from ._check import close, covers, random

X = random((2, 3, 4, 4))
W = random((2, 2, 3, 5), 1)
V = random((1, 2, 3, 3, 3), 2)
U = random((2, 2, 2, 2, 4), 3)


def both(name, arrays, old, *new, **named):
    """The call of a K function of constants with `old` arguments, and with today's."""

    def call(K, *others, **options):
        return getattr(K, name)(*[K.constant(array) for array in arrays], *others, **options)

    return name, lambda K: call(K, **old), lambda K: call(K, *new, **named)


# name -> (K function, old call, new call)
CASES = {
    'batch_normalization by std': (
        'batch_normalization',
        lambda K: K.batch_normalization(
            K.constant(X), K.constant([0.1]), std=K.constant([2.0]), beta=K.constant([0.3]), gamma=K.constant([0.5])
        ),
        None,
    ),
    'resize_images': (
        'resize_images',
        lambda K: K.resize_images(X=K.constant(X), height_factor=2, width_factor=1, dim_ordering='th'),
        lambda K: K.resize_images(K.constant(X), 2, 1, 'channels_first'),
    ),
    'resize_volumes': (
        'resize_volumes',
        lambda K: K.resize_volumes(X=K.constant(V), depth_factor=2, height_factor=1, width_factor=1, dim_ordering='tf'),
        lambda K: K.resize_volumes(K.constant(V), 2, 1, 1, 'channels_last'),
    ),
    'expand_dims': both('expand_dims', [X], dict(dim=1), 1),
    'temporal_padding': both('temporal_padding', [X[0]], dict(padding=2), (2, 2)),
    'spatial_2d_padding': both(
        'spatial_2d_padding', [X], dict(padding=(1, 2), dim_ordering='th'), ((1, 1), (2, 2)), 'channels_first'
    ),
    'spatial_3d_padding': both(
        'spatial_3d_padding', [V], dict(padding=(1, 2, 0), dim_ordering='tf'), ((1, 1), (2, 2), (0, 0)), 'channels_last'
    ),
    'batch_get_value': (
        'batch_get_value',
        lambda K: K.batch_get_value(xs=[K.variable(X)])[0],
        lambda K: X.astype('float32'),
    ),
    'conv2d': both(
        'conv2d',
        [X, W],
        dict(
            border_mode='same',
            dim_ordering='th',
            image_shape=(2, 3, 4, 4),
            filter_shape=(2, 2, 3, 5),
            filter_dilation=(2, 1),
        ),
        padding='same',
        data_format='channels_first',
        dilation_rate=(2, 1),
    ),
    'conv3d': both(
        'conv3d',
        [V, U],
        dict(border_mode='valid', dim_ordering='th', volume_shape=(1, 2, 3, 3, 3), filter_shape=None),
        data_format='channels_first',
    ),
}


@pytest.mark.parametrize('case', [pytest.param(name, marks=covers(CASES[name][0])) for name in sorted(CASES)])
def test_old_spelling(K, case):
    """Old arguments give the same result as the new ones, with a DeprecationWarning."""
    name, old, new = CASES[case]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        tensor = old(K)
    messages = [str(w.message) for w in caught if issubclass(w.category, DeprecationWarning) and name in str(w.message)]
    assert messages, f'no DeprecationWarning that names K.{name}'
    value = tensor if isinstance(tensor, np.ndarray) else K.eval(tensor)
    if new is None:
        close(value, (X - 0.1) / np.sqrt(4.0 + 1e-3) * 0.5 + 0.3)
        return
    expected = new(K)
    close(value, expected if isinstance(expected, np.ndarray) else K.eval(expected))


@covers('conv2d', 'expand_dims', 'spatial_2d_padding')
def test_new_spelling_is_silent(K):
    """Today's spelling gives no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter('error', DeprecationWarning)
        K.conv2d(K.placeholder((1, 4, 4, 3)), K.zeros((2, 2, 3, 5)), padding='same', data_format='channels_last')
        K.spatial_2d_padding(K.placeholder((1, 4, 4, 3)), ((1, 1), (2, 2)), 'channels_last')
        K.expand_dims(K.placeholder((1, 4)), axis=0)


@covers('conv2d')
def test_old_and_new_spelling_together(K):
    """An argument that is given in both spellings is an error."""
    with pytest.raises((TypeError, ValueError)):
        K.conv2d(K.placeholder((1, 4, 4, 3)), K.zeros((2, 2, 3, 5)), padding='same', border_mode='valid')

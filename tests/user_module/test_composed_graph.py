"""The composed functions on the K graph: values as on the eager K, honest static shapes, and gradients."""

import numpy as np
import pytest
from shares import one_in

from .eager_k import make, tensor
from .graph_k import namespace

pytestmark = pytest.mark.usefixtures('double')
R = np.random.RandomState(3)


def normal(*shape):
    return R.normal(size=shape)


def positive(*shape):
    return R.uniform(0.1, 0.9, size=shape)


# name -> (arrays, a call on K and as many tensors); integer arrays have no gradient
CASES = {
    'square': ([normal(5, 2)], lambda K, x: K.square(x)),
    'abs': ([normal(5, 2)], lambda K, x: K.abs(x)),
    'sqrt': ([np.array([-1.0, 0.3, 2.0])], lambda K, x: K.sqrt(x)),
    'cos': ([normal(5)], lambda K, x: K.cos(x)),
    'pow': ([positive(5)], lambda K, x: K.pow(x, 3)),
    'clip': ([normal(6, 2)], lambda K, x: K.clip(x, -0.5, 0.7)),
    'minimum': ([normal(5, 2), normal(2)], lambda K, x, y: K.minimum(x, y)),
    'mean': ([normal(5, 2, 3)], lambda K, x: K.mean(x, axis=(0, 2))),
    'var': ([normal(5, 2, 3)], lambda K, x: K.var(x, axis=0)),
    'std': ([normal(5, 2, 3)], lambda K, x: K.std(x, axis=[1, 2], keepdims=True)),
    'min': ([normal(5, 3)], lambda K, x: K.min(x, axis=-1)),
    'logsumexp': ([normal(5, 3)], lambda K, x: K.logsumexp(x, axis=1)),
    'cumsum': ([normal(5, 3)], lambda K, x: K.cumsum(x, axis=1)),
    'cumprod': ([normal(5, 3)], lambda K, x: K.cumprod(x, axis=1)),
    'argmax': ([normal(5, 3)], lambda K, x: K.argmax(x)),
    'batch_dot': ([normal(5, 2, 3), normal(5, 3, 4)], lambda K, x, y: K.batch_dot(x, y)),
    'batch_flatten': ([normal(5, 2, 6)], lambda K, x: K.batch_flatten(x)),
    'expand_dims': ([normal(5, 2)], lambda K, x: K.expand_dims(x, 1)),
    'squeeze': ([normal(5, 1, 2)], lambda K, x: K.squeeze(x, 1)),
    'stack': ([normal(5, 2), normal(5, 2)], lambda K, x, y: K.stack([x, y], axis=1)),
    'repeat': ([normal(5, 2)], lambda K, x: K.repeat(x, 3)),
    'repeat_elements': ([normal(5, 6, 2)], lambda K, x: K.repeat_elements(x, 3, 1)),
    'tile': ([normal(5, 2)], lambda K, x: K.tile(x, (1, 3))),
    'reverse': ([normal(5, 6, 2)], lambda K, x: K.reverse(x, (1, 2))),
    'slice': ([normal(5, 4)], lambda K, x: K.slice(x, (0, 1), (-1, 2))),
    'one_hot': ([R.randint(0, 3, size=(5, 2))], lambda K, x: K.one_hot(x, 3)),
    'temporal_padding': ([normal(5, 6, 2)], lambda K, x: K.temporal_padding(x, (2, 1))),
    'spatial_2d_padding': (
        [normal(2, 2, 6, 7)],
        lambda K, x: K.spatial_2d_padding(x, ((1, 2), (0, 1)), 'channels_first'),
    ),
    'resize_images': ([normal(2, 5, 6, 2)], lambda K, x: K.resize_images(x, 2, 3, 'channels_last', 'bilinear')),
    'resize_volumes': ([normal(2, 5, 6, 3, 2)], lambda K, x: K.resize_volumes(x, 2, 1, 2, 'channels_last')),
    'bias_add': ([normal(2, 3, 5, 6), normal(5, 6, 3)], lambda K, x, b: K.bias_add(x, b, 'channels_first')),
    'sigmoid': ([normal(5) * 3], lambda K, x: K.sigmoid(x)),
    'tanh': ([normal(5)], lambda K, x: K.tanh(x)),
    'softplus': ([normal(5) * 3], lambda K, x: K.softplus(x)),
    'softsign': ([normal(5)], lambda K, x: K.softsign(x)),
    'hard_sigmoid': ([normal(5) * 3], lambda K, x: K.hard_sigmoid(x)),
    'relu': ([normal(9)], lambda K, x: K.relu(x, 0.2, 1.0, 0.3)),
    'elu': ([normal(9)], lambda K, x: K.elu(x, 1.5)),
    'softmax': ([normal(5, 3)], lambda K, x: K.softmax(x)),
    'l2_normalize': ([normal(5, 3)], lambda K, x: K.l2_normalize(x, axis=1)),
    'in_top_k': ([normal(5, 4), R.randint(0, 4, size=5)], lambda K, x, t: K.in_top_k(x, t, 2)),
    'categorical_crossentropy': ([positive(5, 3), positive(5, 3)], lambda K, t, p: K.categorical_crossentropy(t, p)),
    'sparse_categorical_crossentropy': (
        [R.randint(0, 3, size=(5, 6)), normal(5, 3, 6)],
        lambda K, t, x: K.sparse_categorical_crossentropy(t, x, from_logits=True, axis=1),
    ),
    'binary_crossentropy': ([positive(5, 3), normal(5, 3)], lambda K, t, x: K.binary_crossentropy(t, x, True)),
    'batch_normalization': (
        [normal(5, 3, 6), normal(3), positive(3), normal(3), normal(3)],
        lambda K, x, m, v, b, g: K.batch_normalization(x, m, v, b, g, axis=1),
    ),
    'normalize_batch_in_training': (
        [normal(5, 3, 6), normal(3), normal(3)],
        lambda K, x, g, b: K.normalize_batch_in_training(x, g, b, (0, 2))[0],
    ),
    'rnn': (
        [normal(5, 3, 2), normal(5, 2)],
        lambda K, x, s: K.rnn(
            lambda v, states: (K.tanh(v + states[0]), [states[0] * v]), x, [s], mask=K.greater(x[:, :, 0], 0.0)
        )[1],
    ),
    'map_fn': ([normal(4, 2)], lambda K, x: K.map_fn(K.tanh, x)),
    'foldr': ([normal(4, 2)], lambda K, x: K.foldr(lambda acc, e: acc * e, x)),
    'conv1d': ([normal(2, 9, 2), normal(3, 2, 3)], lambda K, x, w: K.conv1d(x, w, 2, 'causal')),
    'conv2d': ([normal(2, 6, 7, 2), normal(3, 2, 2, 3)], lambda K, x, w: K.conv2d(x, w, (2, 1), 'same')),
    'conv3d': ([normal(2, 5, 5, 5, 2), normal(2, 3, 1, 2, 2)], lambda K, x, w: K.conv3d(x, w, (1, 2, 1), 'same')),
    'conv2d_transpose': (
        [normal(2, 5, 6, 3), normal(3, 2, 2, 3)],
        lambda K, x, w: K.conv2d_transpose(x, w, (None, 10, 11, 2), (2, 2), 'same'),
    ),
    'conv3d_transpose': (
        [normal(2, 2, 3, 2, 3), normal(3, 2, 2, 2, 3)],
        lambda K, x, w: K.conv3d_transpose(x, w, (None, 6, 4, 3, 2), (2, 1, 1), 'valid'),
    ),
    'depthwise_conv2d': (
        [normal(2, 6, 7, 2), normal(3, 2, 2, 2)],
        lambda K, x, w: K.depthwise_conv2d(x, w, (2, 1), 'same'),
    ),
    'separable_conv2d': (
        [normal(2, 6, 7, 2), normal(3, 2, 2, 1), normal(1, 1, 2, 3)],
        lambda K, x, d, p: K.separable_conv2d(x, d, p),
    ),
    'separable_conv1d': (
        [normal(2, 6, 2), normal(3, 2, 1), normal(1, 2, 3)],
        lambda K, x, d, p: K.separable_conv1d(x, d, p, padding='same'),
    ),
    'pool2d': ([normal(2, 6, 7, 2)], lambda K, x: K.pool2d(x, (3, 2), (2, 2), 'same')),
    'pool3d': ([normal(2, 6, 7, 5, 2)], lambda K, x: K.pool3d(x, (3, 2, 2), (2, 2, 1), 'same', pool_mode='avg')),
    'local_conv1d': ([normal(5, 7, 2), normal(3, 6, 3)], lambda K, x, w: K.local_conv1d(x, w, (3,), (2,))),
    'local_conv2d': (
        [normal(5, 2, 5, 6), normal(6, 8, 3)],
        lambda K, x, w: K.local_conv2d(x, w, (2, 2), (2, 2), (2, 3), 'channels_first'),
    ),
    'ctc_batch_cost': (
        [np.array([[0, 1, 1], [2, 0, -1]]), positive(2, 4, 4), np.array([[4], [3]]), np.array([[3], [1]])],
        lambda K, y, p, n, m: K.ctc_batch_cost(y, p, n, m),
    ),
}
NEEDS_LENGTH = {'cumsum': 1, 'cumprod': 1, 'rnn': 1, 'map_fn': 0, 'foldr': 0, 'ctc_batch_cost': 1}


def shape_of(array, position, name, unknown):
    """The shape of a placeholder: all of it, or of the first tensor only channels and what a loop has to know."""
    if not unknown or (position and name not in ('rnn', 'ctc_batch_cost', 'stack', 'batch_dot')):
        return array.shape
    hidden = [None if n > 3 or i == 0 else n for i, n in enumerate(array.shape)]
    if name in NEEDS_LENGTH and (position == 0 or name == 'ctc_batch_cost'):
        known = NEEDS_LENGTH[name]
        hidden[known:] = array.shape[known:]
    return tuple(hidden)


@pytest.mark.parametrize('unknown', [False, True], ids=['known', 'unknown'])
@pytest.mark.parametrize('kind', one_in(2, ['tiny', 'whole']))
@pytest.mark.parametrize('name', sorted(CASES))
def test_on_the_graph(name, kind, unknown):
    """Values equal the eager ones, static shapes hold in the run, gradients are the finite differences."""
    arrays, call = CASES[name]
    K = namespace(kind, name)
    assert kind == 'whole' or 'composed' == K._engine.origins[name]
    inputs = [K.placeholder(shape_of(a, i, name, unknown), dtype=a.dtype.name) for i, a in enumerate(arrays)]
    y = call(K, *inputs)
    value = K.function(inputs, [y])(arrays)[0]
    with np.errstate(all='ignore'):
        truth = np.asarray(call(make(), *[tensor(a) for a in arrays]))
    np.testing.assert_allclose(value, truth, rtol=1e-9, atol=1e-12)
    static = K.int_shape(y)
    assert len(static) == value.ndim
    assert all(s in (None, n) for s, n in zip(static, value.shape))
    if not unknown:
        assert value.shape == static
    if value.dtype.kind != 'f' or name == 'one_hot':
        return
    weights = R.normal(size=value.shape)
    loss = K.sum(y * K.constant(weights, dtype='float64'))
    floats = [i for i, a in enumerate(arrays) if a.dtype.kind == 'f']
    gradients = K.gradients(loss, [inputs[i] for i in floats])
    # The second derivative along a direction is a finite difference of the gradient.
    directions = [R.normal(size=arrays[i].shape) for i in floats]
    slope = sum([K.sum(g * K.constant(d, dtype='float64')) for g, d in zip(gradients, directions)])
    second = list(K.gradients(slope, [inputs[i] for i in floats]))
    measure = K.function(inputs, [loss] + gradients)
    first = measure(arrays)[1:]

    def moved(step):
        shifted = list(arrays)
        for i, d in zip(floats, directions):
            shifted[i] = arrays[i] + step * d
        return measure(shifted)

    step = 1e-6
    ahead, behind = moved(step), moved(-step)
    along = sum(np.sum(g * d) for g, d in zip(first, directions))
    assert np.all([np.all(np.isfinite(g)) for g in first])
    np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * step), along, rtol=2e-6, atol=1e-7)
    found = [s for s in second if s is not None]
    if found:
        curved = iter(K.function(inputs, found)(arrays))
        for i, s in enumerate(second):
            change = (ahead[1 + i] - behind[1 + i]) / (2 * step)
            np.testing.assert_allclose(next(curved) if s is not None else 0.0 * change, change, rtol=1e-5, atol=1e-5)

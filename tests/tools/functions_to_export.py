"""K functions as they are exported, with values at two sizes for each: layers, loops, gradients, losses, sizes."""

from collections import namedtuple

import numpy as np

import keras_backend

# sizes: of each input, as `jax.export` reads them; runs: values at two sizes; least: constraints of sizes
Example = namedtuple('Example', 'inputs outputs sizes runs least')


def numpy_engine():
    """The NumPy engine, in a session of its own."""
    engine = keras_backend.load('numpy')
    engine.clear_session()
    engine.set_floatx('float32')
    return engine


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype('float32')


def assert_close(theirs, ours):
    """Sums in another order differ in the last places of the largest numbers."""
    assert np.shape(ours) == np.shape(theirs)
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype
    largest = np.abs(np.asarray(ours, 'float64')).max() if np.size(ours) else 0
    np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=2e-5 * max(largest, 0.1))


def weight(K, *shape, name=None):
    return K.variable(numbers(*shape, seed=sum(shape)), dtype='float32', name=name)


def example(inputs, outputs, sizes, first, second, least=()):
    return Example(inputs, outputs, sizes, (first, second), least)


def dense(K):
    x, w = K.placeholder((None, 8), name='x'), weight(K, 8, 4)
    y = K.softmax(K.relu(K.dot(x, w)))
    return example([x], [y], ['b, 8'], [numbers(5, 8)], [numbers(3, 8)])


def saliency(K):
    x, w = K.placeholder((None, 8)), weight(K, 8, 4)
    y = K.softmax(K.dot(x, w))
    return example([x], K.gradients(y[:, 0], [x]), ['b, 8'], [numbers(5, 8)], [numbers(1, 8)])


def images(K):
    x, w = K.placeholder((None, 12, 12, 3)), weight(K, 3, 3, 3, 4)
    y = K.batch_flatten(K.pool2d(K.conv2d(x, w, padding='same'), (2, 2), strides=(2, 2)))
    grads = K.gradients(K.sum(K.square(y)), [w, x])
    return example([x], [y, *grads], ['b, 12, 12, 3'], [numbers(2, 12, 12, 3)], [numbers(5, 12, 12, 3)])


def images_of_any_size(K):
    x, w = K.placeholder((None, None, None, 3)), weight(K, 3, 3, 3, 4)
    y = K.conv2d(x, w, padding='same', strides=(2, 2))
    y = K.pool2d(y, (2, 2), strides=(2, 2), padding='same')
    y = K.pool2d(y, (3, 3), strides=(2, 2), padding='same', pool_mode='avg')
    grads = K.gradients(K.mean(K.square(y)), [w, x])
    return example([x], [y, *grads], ['b, h, w, 3'], [numbers(2, 12, 12, 3)], [numbers(5, 13, 17, 3)])


def convolved_sequences(K):
    x, w = K.placeholder((None, None, 3)), weight(K, 3, 3, 4)
    y = K.conv1d(x, w, padding='valid')
    y = K.pool2d(K.expand_dims(y, 1), (1, 2))
    grads = K.gradients(K.sum(K.square(y)), [w, x])
    return example([x], [y, *grads], ['b, t, 3'], [numbers(2, 12, 3)], [numbers(5, 13, 3)], ['t >= 5'])


def _recurrent(K, length, masked):
    x, w, u = K.placeholder((None, length, 3)), weight(K, 3, 4), weight(K, 4, 4)
    mask = K.placeholder((None, length), dtype='bool')

    def step(inputs, states):
        h = K.tanh(K.dot(inputs, w) + K.dot(states[0], u))
        return h, [h]

    start = K.zeros_like(K.dot(x[:, 0], w))
    last, outputs, _states = K.rnn(step, x, [start], mask=mask if masked else None, go_backwards=masked)
    return [x, mask][: 1 + masked], [last, outputs, *K.gradients(K.sum(last), [w, u, x])]


def loop(K):
    inputs, outputs = _recurrent(K, 7, False)
    return example(inputs, outputs, ['b, 7, 3'], [numbers(2, 7, 3)], [numbers(4, 7, 3)])


def loop_of_any_length(K):
    inputs, outputs = _recurrent(K, None, False)
    return example(inputs, outputs, ['b, t, 3'], [numbers(2, 7, 3)], [numbers(3, 4, 3)])


def masked_loop(K):
    inputs, outputs = _recurrent(K, None, True)
    first, second = numbers(2, 7, 3), numbers(3, 4, 3)
    return example(inputs, outputs, ['b, t, 3', 'b, t'], [first, first[..., 0] > 0], [second, second[..., 1] > 0])


def attention(K):
    x = K.placeholder((None, None, 8))
    q, k, v = [K.variable(numbers(8, 8, seed=i), dtype='float32') for i in range(3)]
    n, t = K.shape(x)[0], K.shape(x)[1]

    def heads(y):
        return K.reshape(K.permute_dimensions(K.reshape(y, (n, t, 2, 4)), (0, 2, 1, 3)), (n * 2, t, 4))

    scores = K.softmax(K.batch_dot(heads(K.dot(x, q)), heads(K.dot(x, k)), axes=[2, 2]) / 2)
    y = K.batch_dot(scores, heads(K.dot(x, v)), axes=[2, 1])
    y = K.reshape(K.permute_dimensions(K.reshape(y, (n, 2, t, 4)), (0, 2, 1, 3)), (n, t, 8)) + x
    y = (y - K.mean(y, -1, keepdims=True)) / K.sqrt(K.var(y, -1, keepdims=True) + 1e-5)
    y = y + K.expand_dims(K.expand_dims(K.cast(K.arange(0, t), 'float32'), 0), -1)
    grads = K.gradients(K.mean(K.square(y)), [q, x])
    return example([x], [y, *grads], ['b, t, 8'], [numbers(2, 5, 8)], [numbers(3, 4, 8)])


def sizes(K):
    x = K.placeholder((None, None, 4))
    n, t = K.shape(x)[0], K.shape(x)[1]
    outputs = [
        K.reshape(x, (n * t, 4)),
        K.tile(x, (1, 2, 1)),
        K.sum(x) / K.cast(n * t, 'float32'),
        K.zeros_like(x)[:, :1],
        K.switch(K.equal(n, 2), K.sum(x), -K.sum(x)),
        K.temporal_padding(x, (1, 2)),
        K.slice(x, [0, t // 2, 0], [n, t - t // 2, 4]),
        K.shape(x),
        K.maximum(n, t) * 2,
        K.arange(t),
    ]
    return example([x], outputs, ['b, t, 4'], [numbers(2, 5, 4)], [numbers(3, 4, 4)])


def lookups(K):
    i, w = K.placeholder((None, None), dtype='int32'), weight(K, 10, 4)
    y = K.sum(K.gather(w, i), 1)
    first, second = np.random.RandomState(0).randint(0, 10, (2, 5)), np.random.RandomState(1).randint(0, 10, (3, 4))
    grads = K.gradients(K.sum(K.square(y)), [w])
    return example([i], [y, *grads], ['b, t'], [first.astype('int32')], [second.astype('int32')])


def losses(K):
    x, t, w = K.placeholder((None, 5)), K.placeholder((None,), dtype='int32'), weight(K, 5, 3)
    y = K.softmax(K.dot(x, w))
    loss = K.mean(K.sparse_categorical_crossentropy(t, y))
    outputs = [loss, K.in_top_k(y, t, 2), K.one_hot(t, 3), *K.gradients(loss, [w])]
    first, second = [numbers(2, 5), np.array([0, 2], 'int32')], [numbers(3, 5), np.array([0, 2, 1], 'int32')]
    return example([x, t], outputs, ['b, 5', 'b'], first, second)


def layers_of_images(K):
    x, gamma, beta = K.placeholder((None, 6, 6, 4)), weight(K, 4), weight(K, 4)
    y, mean, variance = K.normalize_batch_in_training(x, gamma, beta, [0, 1, 2])
    back = K.conv2d_transpose(x, weight(K, 3, 3, 2, 4), (K.shape(x)[0], 12, 12, 2), strides=(2, 2), padding='same')
    outputs = [y, mean, variance, back, K.resize_images(x, 2, 2, 'channels_last'), K.spatial_2d_padding(x)]
    outputs += [K.depthwise_conv2d(x, weight(K, 3, 3, 4, 2)), *K.gradients(K.sum(y * y * y), [x, gamma])]
    return example([x], outputs, ['b, 6, 6, 4'], [numbers(2, 6, 6, 4)], [numbers(3, 6, 6, 4)])


def alignment(K):
    y, labels = K.placeholder((None, None, 4)), K.placeholder((None, None), dtype='int32')
    times, lengths = [K.placeholder((None, 1), dtype='int32') for _ in range(2)]
    cost = K.ctc_batch_cost(labels, K.softmax(y), times, lengths)
    first = [numbers(2, 6, 4), np.array([[0, 1], [1, 2]]), np.array([[6], [5]]), np.array([[2], [1]])]
    second = [
        numbers(3, 7, 4),
        np.array([[0, 1, 2], [1, 2, 0], [1, 1, 1]]),
        np.array([[6], [5], [7]]),
        np.array([[2], [1], [3]]),
    ]
    runs = [[values[0], *[v.astype('int32') for v in values[1:]]] for values in (first, second)]
    inputs = [y, labels, times, lengths]
    return example(inputs, [cost, *K.gradients(K.sum(cost), [y])], ['b, t, 4', 'b, l', 'b, 1', 'b, 1'], *runs)


def over_entries(K):
    x = K.placeholder((None, 4))
    y = K.map_fn(lambda e: K.sum(e) * e, x)
    outputs = [y, K.foldl(lambda a, e: a * 0.5 + e, x), K.cumsum(x, 0), K.argmax(x, 0), K.logsumexp(x, 0)]
    outputs += [K.reverse(x, 0), K.concatenate([x, x], 0), *K.gradients(K.sum(y), [x])]
    return example([x], outputs, ['b, 4'], [numbers(2, 4)], [numbers(5, 4)])


BUILDERS = [dense, saliency, images, images_of_any_size, convolved_sequences, loop, loop_of_any_length, masked_loop]
BUILDERS += [attention, sizes, lookups, losses, layers_of_images, alignment, over_entries]


def training(K):
    """A step of gradient descent with momentum: its inputs, its loss, its updates, and a batch for it."""
    x, t = K.placeholder((None, 4), name='x'), K.placeholder((None, 2), name='t')
    w, v = K.variable(np.zeros((4, 2)), 'float32', name='w'), K.variable(np.zeros((4, 2)), 'float32', name='v')
    loss = K.mean(K.square(K.dot(x, w) - t))
    speed = 0.5 * v - 0.1 * K.gradients(loss, [w])[0]
    batch = numbers(6, 4)
    return [x, t], loss, [K.update(v, speed), K.update_add(w, speed)], [batch, batch[:, :2] - batch[:, 2:]]


# Those with loops over a length that is not known.
OPEN_LOOPS = ['loop_of_any_length', 'masked_loop', 'alignment', 'over_entries']


def assert_file_agrees(K, build, path, read):
    """A file gives what K gives at both sizes. read: makes a function of a file, from arrays by name to a dict."""
    made = build(K)
    function = K.function(made.inputs, made.outputs)
    report = keras_backend.export(function, path, check=made.runs)
    assert len(report.differences) == 2
    for values in made.runs:
        results = read(path)(**dict(zip(report.inputs, values)))
        for name, ours in zip(report.outputs, function(values)):
            assert_close(results[name], ours)


def assert_step_trains(K, path, read):
    """New values of variables are outputs of a file: fed again, the loss falls as with K."""
    inputs, loss, updates, batch = training(K)
    step = K.function(inputs, [loss], updates)
    report = keras_backend.export(step, path, updates='outputs', variables='inputs', output_names=['loss'])
    assert report.inputs == ['x', 't', 'w', 'v']
    assert sorted(report.outputs) == ['loss', 'v_new', 'w_new']
    call, values, losses = read(path), {'w': np.zeros((4, 2), 'float32'), 'v': np.zeros((4, 2), 'float32')}, []
    for _ in range(10):
        made = call(x=batch[0], t=batch[1], **values)
        values = {name: made[name + '_new'] for name in values}
        np.testing.assert_allclose(made['loss'], step(batch)[0], rtol=1e-5)
        losses.append(float(made['loss']))
    assert losses[-1] < 0.2 * losses[0]

"""Whole functions as files of ONNX: models, gradients and training steps, run by onnxruntime alone."""

import numpy as np
import onnxruntime
import pytest

import keras_backend as K
from keras_backend.exporting.request import Exported, Options

rng = np.random.RandomState(0)


def session_of(path):
    return onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])


def weights(*shape, dtype='float32'):
    return K.variable(rng.normal(size=shape) / np.sqrt(max(np.prod(shape[:-1]), 1)), dtype=dtype)


def draw(*shape, dtype='float32'):
    return rng.normal(size=shape).astype(dtype)


def norm(x):
    """Normalized over the batch and the places, as in a small network."""
    y, _mean, _variance = K.normalize_batch_in_training(x, K.ones((4,)), K.zeros((4,)), [0, 1, 2])
    return y


def mlp(x):
    return K.softmax(K.dot(K.relu(K.bias_add(K.dot(x, weights(8, 6)), weights(6))), weights(6, 3)))


def convolutions(x):
    y = K.relu(K.conv2d(x, weights(3, 3, 3, 4), padding='same', strides=(2, 2)))
    y = K.depthwise_conv2d(norm(y), weights(3, 3, 4, 2), padding='valid')
    y = K.pool2d(y, (2, 2), strides=(2, 2), padding='same', pool_mode='max')
    y = K.separable_conv2d(y, weights(3, 3, 8, 1), weights(1, 1, 8, 5), padding='same')
    y = K.pool2d(y, (2, 2), padding='same', pool_mode='avg')
    return K.mean(
        K.conv2d_transpose(y, weights(3, 3, 2, 5), (K.shape(y)[0], 6, 6, 2), strides=(2, 2), padding='same'), 3
    )


def attention(x):
    q, k, v = [K.dot(x, weights(8, 8)) for _ in range(3)]
    scores = K.softmax(K.batch_dot(q, k, axes=[2, 2]) / np.sqrt(8.0))
    y = x + K.batch_dot(scores, v, axes=[2, 1])
    return (y - K.mean(y, -1, keepdims=True)) / K.sqrt(K.var(y, -1, keepdims=True) + 1e-3)


def in_time(x):
    y = K.conv1d(K.temporal_padding(x, (2, 1)), weights(3, 8, 4), padding='causal', dilation_rate=2)
    return K.max(K.concatenate([y, K.reverse(y, 1), K.elu(y), K.hard_sigmoid(y)]), axis=1)


def losses(x):
    p = K.softmax(x)
    return [K.categorical_crossentropy(p, K.softmax(-x)), K.logsumexp(x, axis=-1), K.l2_normalize(x, -1), K.std(x, 0)]


MODELS = {
    'mlp': (mlp, (None, 8)),
    'convolutions': (convolutions, (None, 15, 14, 3)),
    'attention': (attention, (None, None, 8)),
    'in_time': (in_time, (None, None, 8)),
    'losses': (losses, (None, 8)),
}


@pytest.mark.parametrize(('dtype', 'opset'), [('float32', 17), ('float64', 17), ('float16', 17), ('float32', 19)])
@pytest.mark.parametrize('name', sorted(MODELS))
def test_a_model_with_its_gradient(name, dtype, opset, tmp_path):
    """The check of export compares with K at three sizes."""
    build, shape = MODELS[name]
    K.set_floatx(dtype)
    x = K.placeholder(shape, name='x', dtype=dtype)
    made = build(x)
    outputs = made if isinstance(made, list) else [made]
    total = K.sum(K.square(outputs[0]))
    report = K.export(K.function([x], [*outputs, *K.gradients(total, [x])]), str(tmp_path / 'f.onnx'), opset=opset)
    assert len(report.differences) == 3


def adam(parameters, gradients):
    """The updates of a step of Adam."""
    steps = K.variable(0.0, name='steps')
    made = [K.update_add(steps, 1.0)]
    rate = 0.05 * K.sqrt(1.0 - K.pow(0.999, steps + 1.0)) / (1.0 - K.pow(0.9, steps + 1.0))
    for p, g in zip(parameters, gradients):
        m, v = K.zeros(K.int_shape(p)), K.zeros(K.int_shape(p))
        new_m, new_v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * K.square(g)
        made += [K.update(m, new_m), K.update(v, new_v), K.update(p, p - rate * new_m / (K.sqrt(new_v) + 1e-7))]
    return made


def test_a_training_step_by_onnxruntime_alone(tmp_path):
    """Variables go in and come out; the loss falls as it does with K."""
    path = str(tmp_path / 'step.onnx')
    x, y = K.placeholder((None, 8, 8, 1), name='x'), K.placeholder((None, 3), name='y')
    w, u = weights(3, 3, 1, 4), weights(64, 3)
    hidden = K.relu(K.conv2d(x, w, padding='same', strides=(2, 2)))
    loss = K.mean(K.categorical_crossentropy(y, K.softmax(K.dot(K.batch_flatten(hidden), u))))
    step = K.function([x, y], [loss], updates=adam([w, u], K.gradients(loss, [w, u])))
    report = K.export(step, path, updates='outputs', variables='inputs')
    images, classes = draw(20, 8, 8, 1), np.eye(3, dtype='float32')[np.arange(20) % 3]
    session = session_of(path)
    names = report.inputs[2:]
    assert [name + '_new' for name in names] == sorted(report.outputs[1:], key=lambda name: names.index(name[:-4]))
    state = dict(zip(names, Exported(step, Options(updates='outputs')).values))
    for _ in range(12):
        results = dict(zip(report.outputs, session.run(None, dict(state, x=images, y=classes))))
        state = {name: results[name + '_new'] for name in names}
        got = results[report.outputs[0]]
        (wanted,) = step([images, classes])
        assert got == pytest.approx(wanted, rel=1e-3)
    assert got < 0.7


def test_grad_cam(tmp_path):
    """A heat map by K.gradients, which no export of Keras has: against the same in NumPy."""
    path = str(tmp_path / 'cam.onnx')
    x = K.placeholder((None, 6, 6, 3), name='image')
    w, u = weights(3, 3, 3, 4), weights(4, 5)
    features = K.relu(K.conv2d(x, w, padding='same'))
    score = K.dot(K.mean(features, axis=[1, 2]), u)
    one = K.sum(K.max(score, axis=1))
    importance = K.mean(K.gradients(one, [features])[0], axis=[1, 2], keepdims=True)
    K.export(K.function([x], [K.relu(K.sum(importance * features, axis=3))]), path, output_names=['heat'])
    image = draw(2, 6, 6, 3)
    (heat,) = session_of(path).run(['heat'], {'image': image})
    kernel, matrix = K.get_value(w), K.get_value(u)
    wide = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
    maps = sum(np.dot(wide[:, i : i + 6, j : j + 6], kernel[i, j]) for i in range(3) for j in range(3)).clip(0)
    best = maps.mean((1, 2)).dot(matrix).argmax(1)
    # the gradient of the best score for each place of a map is its weight over the number of places
    wanted = np.einsum('nhwc,nc->nhw', maps, matrix.T[best] / 36).clip(0)
    np.testing.assert_allclose(heat, wanted, rtol=1e-4, atol=1e-6)


def test_integers_and_bools_in_a_file(tmp_path):
    path = str(tmp_path / 'f.onnx')
    i = K.placeholder((None, 4), name='i', dtype='int32')
    u = K.placeholder((None, 4), name='u', dtype='uint8')
    b = K.placeholder((None, 4), name='b', dtype='bool')
    outputs = [i // 3, i % 3, K.max(i, axis=1), K.cast(u, 'int32') + i, u * u, K.any(b, axis=0), K.switch(b, i, -i)]
    f = K.function([i, u, b], outputs)
    K.export(f, path)
    values = [np.array([[-7, 7, 0, 5]], 'int32'), np.array([[0, 15, 16, 255]], 'uint8'), np.array([[True, False] * 2])]
    got = session_of(path).run(None, dict(zip('iub', values)))
    for a, b in zip(f(values), got):
        np.testing.assert_array_equal(b, a)
        assert b.dtype == a.dtype
    np.testing.assert_array_equal(got[4], [[0, 225, 0, 1]])
    np.testing.assert_array_equal(got[0], [[-3, 2, 0, 1]])


def test_sizes_of_the_run_in_a_file(tmp_path):
    """What is computed of K.shape."""
    path = str(tmp_path / 'f.onnx')
    x = K.placeholder((None, None, 2), name='x')
    shape = K.shape(x)
    outputs = [
        K.reshape(x, (shape[0] * shape[1], 2)),
        K.reshape(x, (shape[1], shape[0], 2)),
        K.tile(x, [1, 2, 1]),
        K.permute_dimensions(x, (1, 0, 2)),
        K.zeros_like(x) + K.cast(shape[1], 'float32'),
        K.arange(shape[1]),
        K.batch_flatten(x),
        shape,
    ]
    K.export(K.function([x], outputs), path)
    got = session_of(path).run(None, {'x': draw(3, 5, 2)})
    assert [a.shape for a in got] == [(15, 2), (5, 3, 2), (3, 10, 2), (5, 3, 2), (3, 5, 2), (5,), (3, 10), (3,)]
    assert got[-1].tolist() == [3, 5, 2]

"""Batches without a sample in files of ONNX. onnxruntime must neither fail nor stop the process, as it does of some."""

import numpy as np
import onnxruntime
import pytest

import keras_backend
import keras_backend as K


def products(x, y):
    return [K.batch_dot(x, y, axes=2), K.batch_dot(x, y, axes=(1, 1)), K.sum(K.batch_dot(x, y, axes=2), axis=(1, 2))]


def gradients_of_products(x, y):
    return K.gradients(K.sum(K.square(K.batch_dot(x, y, axes=2))), [x, y])


def along_an_axis(x, y):
    return [K.cumprod(x, axis=1), K.cumsum(x, axis=0), K.gradients(K.sum(K.cumprod(x, axis=1) * K.sum(y)), [x])[0]]


def gradient_of_kernels(x, y):
    kernel = K.variable(np.ones((2, 1, 4, 2)), dtype=K.dtype(x))
    image = K.expand_dims(x, 2)
    return K.gradients(K.sum(K.depthwise_conv2d(image, kernel, padding='same')) * K.sum(y), [kernel])


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('build', [products, gradients_of_products, along_an_axis, gradient_of_kernels])
def test_no_samples(build, dtype, tmp_path):
    x, y = [K.placeholder((None, 3, 4), dtype=dtype) for _ in range(2)]
    path = str(tmp_path / 'f.onnx')
    outputs = build(x, y)
    keras_backend.export(K.function([x, y], outputs), path)
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    nothing = np.zeros((0, 3, 4), dtype)
    made = session.run(None, {each.name: nothing for each in session.get_inputs()})
    for t, value in zip(outputs, made):
        assert value.shape == tuple([0 if n is None else n for n in K.int_shape(t)])
        assert not value.any()


def test_batches_of_unlike_size_fail(tmp_path):
    """A product would repeat a batch of 1."""
    x, y = [K.placeholder((None, 3, 4)) for _ in range(2)]
    path = str(tmp_path / 'f.onnx')
    keras_backend.export(K.function([x, y], [K.batch_dot(x, y, axes=2)]), path)
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    first, second = session.get_inputs()
    for m, n in ((1, 3), (3, 1), (2, 3)):
        with pytest.raises(Exception, match='(?i)reshape'):
            session.run(None, {first.name: np.ones((m, 3, 4), 'f'), second.name: np.ones((n, 3, 4), 'f')})

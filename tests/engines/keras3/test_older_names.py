"""Cures of the launcher that need no program: models for several GPUs, files of registered names, shapes, a cell."""

import warnings

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K
from keras_backend.errors import ArgumentValueError
from keras_backend.programs.on_keras3 import names, older_modules, saved_models, tensors, training
from keras_backend.programs.on_keras3.tf_on_keras.types import Shape


def test_model_of_several_gpus():
    """It has the names and outputs of the original, computes the same, and says so once."""
    x = keras.Input((4,))
    model = keras.Model(x, [keras.layers.Dense(2, name='a')(x), keras.layers.Dense(1, name='b')(x)], name='inner')
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        parallel = training.multi_gpu_model(model, gpus=2)
        training.multi_gpu_model(model, 2)
    assert 1 == len([each for each in told if 'multi_gpu_model asks for 2 GPUs' in str(each.message)])
    assert ['a', 'b'] == parallel.output_names
    assert 'inner' == parallel.layers[1].name
    given = np.ones((3, 4), 'float32')
    for one, other in zip(parallel.predict(given, verbose=0), model.predict(given, verbose=0)):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ArgumentValueError, match='gpus is 1'):
        training.multi_gpu_model(model, gpus=1)


def test_registered_names_in_a_file(tmp_path):
    """A file `.h5` whose activation, loss and metric are registered names is opened, and trains on."""

    def swish2(v):
        return v * K.sigmoid(v)

    def of_loss(y_true, y_pred):
        return K.mean(K.square(y_true - y_pred), axis=-1)

    original = {name: getattr(keras.src, name).get for name in ('activations', 'losses', 'metrics')}
    with keras.saving.CustomObjectScope({'swish2': swish2, 'of_loss': of_loss}):
        with pytest.raises(ValueError, match='swish2'):
            original['activations']('swish2')
        find = names._also_registered(original['activations'], keras)
        assert find('swish2') is swish2
        assert find('relu') is keras.activations.relu
    x, y = np.ones((4, 3), 'float32'), np.ones((4, 1), 'float32')
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile('adam', keras.losses.MeanSquaredError())
    model.fit(x, y, verbose=0)
    path = str(tmp_path / 'model.h5')
    model.save(path)
    opened = saved_models.completed(keras.models.load_model(path), path)
    assert len(opened.optimizer.variables) == len(model.optimizer.variables)
    for one, other in zip(opened.optimizer.variables, model.optimizer.variables):
        np.testing.assert_allclose(keras.ops.convert_to_numpy(one), keras.ops.convert_to_numpy(other))
    histories = [each.fit(x, y, epochs=2, verbose=0).history['loss'] for each in (opened, model)]
    np.testing.assert_allclose(*histories, rtol=1e-6)


def test_product_of_a_number_is_dense():
    """What Keras says of `x * 2` is corrected; a product of sparse tensors stays sparse."""
    made = next(each for each in keras.Operation.__subclasses__() if each.__name__ == 'Multiply')
    spec = tensors._dense(made.compute_output_spec, keras)
    x = keras.KerasTensor((2, 3), sparse=True)
    assert spec(made(), x, 2.0).sparse
    found = spec(made(), keras.KerasTensor((2, 3)), 2.0)
    assert ((2, 3), False) == (found.shape, found.sparse)


def test_shape_of_tensorflow():
    """Parts and sums of a shape are shapes."""
    shape = Shape((None, 2, 3))
    assert [2, 3] == shape[1:].as_list() == shape.dims[1:]
    assert (3, 3, 6, None) == (shape.ndims, shape.rank, shape[1:].num_elements(), shape.num_elements())
    assert [None, 2, 3, 4] == (shape + [4]).as_list() == shape.concatenate([4]).as_list()
    assert [4, None, 2, 3] == ([4] + shape).as_list()
    assert isinstance(shape[1], int)
    assert not shape.is_fully_defined()


def test_peephole_cell():
    """A step of the cell is the formula of its gates."""
    cell = older_modules.named('PeepholeLSTMCell')(2)
    rs = np.random.RandomState(0)
    x, h, c = [rs.normal(size=(3, size)).astype('float32') for size in (4, 2, 2)]
    output, (_, state) = cell(x, [h, c])
    kernel, recurrent, bias, i, f, o = [keras.ops.convert_to_numpy(w) for w in _in_order(cell)]
    z = np.split(x @ kernel + h @ recurrent + bias, 4, axis=1)

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    new = sigmoid(z[1] + c * f) * c + sigmoid(z[0] + c * i) * np.tanh(z[2])
    np.testing.assert_allclose(keras.ops.convert_to_numpy(state), new, rtol=1e-4, atol=1e-5)
    found = sigmoid(z[3] + new * o) * np.tanh(new)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(output), found, rtol=1e-4, atol=1e-5)


def _in_order(cell):
    return [cell.kernel, cell.recurrent_kernel, cell.bias, *cell.peepholes]


def test_schedule_and_missing_names():
    """LinearCosineDecay is its formula; what Keras 3 cannot give tells what to write."""
    rate = older_modules.named('LinearCosineDecay')(0.1, 100)
    wanted = 0.1 * (0.7 * 0.5 * (1 + np.cos(np.pi * 0.3)) + 0.001)
    np.testing.assert_allclose(float(rate(30)), wanted, rtol=1e-5)
    with pytest.raises(AttributeError, match='write an Embedding'):
        older_modules.named('SequenceFeatures')

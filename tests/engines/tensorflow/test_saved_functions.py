"""SavedModels of functions of the TensorFlow engine."""

import numpy as np
import pytest
from functions_to_export import BUILDERS, assert_close, dense, numbers, training
from processes import run

import keras_backend
import keras_backend.engines.tensorflow_backend as K
from keras_backend.errors import ExportError
from keras_backend.exporting.saved_model.folder import load


@pytest.fixture(autouse=True)
def session_of_tensorflow():
    """Every test starts in a session of its own."""
    K.clear_session()
    K.set_floatx('float32')


@pytest.mark.parametrize('build', BUILDERS)
def test_a_saved_function(build, tmp_path):
    """The folder gives what K gives at both sizes."""
    example = build(K)
    function = K.function(example.inputs, example.outputs)
    path = tmp_path / 'model'
    report = keras_backend.export(function, path, format='saved_model', check=example.runs)
    assert len(report.differences) == 2
    model = load(str(path))
    for values in example.runs:
        for theirs, ours in zip(model(dict(zip(report.inputs, values))), function(values)):
            assert_close(theirs, ours)


def test_a_training_step_of_tensorflow(tmp_path):
    """The folder assigns; it begins with the values of now, and what it does leaves the variables of K alone."""
    inputs, loss, updates, batch = training(K)
    step = K.function(inputs, [loss], updates)
    first = step(batch)[0]
    report = keras_backend.export(step, tmp_path / 'step', updates='state', output_names=['loss'])
    model = load(str(tmp_path / 'step'))
    values = dict(zip(report.inputs, batch))
    found = [float(model(values)[0]) for _ in range(10)]
    np.testing.assert_allclose(found, [float(step(batch)[0]) for _ in range(10)], rtol=1e-5)
    assert found[-1] < 0.2 * first


def test_what_a_saved_function_cannot_have(tmp_path):
    """Updates without a word, and those as outputs; other formats."""
    inputs, loss, updates, _batch = training(K)
    step = K.function(inputs, [loss], updates)
    for chosen in (None, 'outputs'):
        with pytest.raises(ExportError, match="write updates='state'"):
            keras_backend.export(step, tmp_path / 'step', updates=chosen)
    example = dense(K)
    function = K.function(example.inputs, example.outputs)
    with pytest.raises(ExportError, match=r"load\('numpy'\)"):
        keras_backend.export(function, tmp_path / 'f.stablehlo')


def test_draws_of_a_saved_function(tmp_path):
    """Only shapes are checked, and the report says so."""
    x = K.placeholder((None, 3), name='x')
    report = keras_backend.export(K.function([x], [x + K.random_normal(K.shape(x))]), tmp_path / 'draws')
    assert 'It draws' in str(report)
    model = load(str(tmp_path / 'draws'))
    first, second = [model({report.inputs[0]: numbers(2, 3)})[0] for _ in range(2)]
    assert first.shape == (2, 3)
    assert not np.array_equal(first, second)


def test_a_saved_function_in_tensorflow_alone(tmp_path):
    """TensorFlow 2 in another process trains by calling the signature."""
    inputs, loss, updates, batch = training(K)
    step = K.function(inputs, [loss], updates)
    report = keras_backend.export(step, tmp_path / 'step', updates='state', output_names=['loss'])
    np.savez(tmp_path / 'batch.npz', **dict(zip(report.inputs, batch)))
    code = (
        'import numpy as np, tensorflow as tf\n'
        f"step = tf.saved_model.load({str(tmp_path / 'step')!r}).signatures['serving_default']\n"
        f'batch = {{name: tf.constant(a) for name, a in np.load({str(tmp_path / "batch.npz")!r}).items()}}\n'
        "print([float(step(**batch)['loss']) for _ in range(10)])"
    )
    found = [float(n) for n in run(code, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3').strip('[]\n').split(', ')]
    np.testing.assert_allclose(found, [float(step(batch)[0]) for _ in range(10)], rtol=1e-5)

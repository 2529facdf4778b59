"""SavedModels of functions of the K graph, which TensorFlow runs without this package."""

import os

import numpy as np
import pytest
from functions_to_export import BUILDERS, assert_close, numbers, numpy_engine, training
from processes import run

import keras_backend
from keras_backend.errors import ExportError
from keras_backend.exporting.saved_model.folder import load

READ = """
import numpy as np, tensorflow as tf
step = tf.saved_model.load({path!r}).signatures['serving_default']
batch = {{name: tf.constant(array) for name, array in np.load({batch!r}).items()}}
for _ in range(10):
    print(float(step(**batch)['loss']))
"""


@pytest.fixture
def K():
    return numpy_engine()


@pytest.mark.parametrize('build', BUILDERS)
def test_a_saved_model(K, build, tmp_path):
    """The folder gives what K gives at both sizes."""
    example = build(K)
    function = K.function(example.inputs, example.outputs)
    path = tmp_path / 'model'
    report = keras_backend.export(function, path, check=example.runs)
    assert report.format == 'saved_model'
    assert len(report.differences) == 2
    model = load(str(path))
    for values in example.runs:
        for theirs, ours in zip(model(dict(zip(report.inputs, values))), function(values)):
            assert_close(theirs, ours)


def losses_of_k(K, step, batch):
    return [float(step(batch)[0]) for _ in range(10)]


def test_a_training_step_with_state(K, tmp_path):
    """TensorFlow 2 alone, in another process, trains by calling the signature: the variables last in it."""
    inputs, loss, updates, batch = training(K)
    step = K.function(inputs, [loss], updates)
    path = tmp_path / 'step'
    keras_backend.export(step, path, updates='state', output_names=['loss'])
    np.savez(tmp_path / 'batch.npz', x=batch[0], t=batch[1])
    code = READ.format(path=str(path), batch=str(tmp_path / 'batch.npz'))
    found = [float(line) for line in run(code, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3').split()]
    np.testing.assert_allclose(found, losses_of_k(K, step, batch), rtol=1e-5)
    assert found[-1] < 0.2 * found[0]


def test_a_training_step_as_outputs(K, tmp_path):
    """The new values are outputs, the old ones inputs."""
    inputs, loss, updates, batch = training(K)
    step = K.function(inputs, [loss], updates)
    path = tmp_path / 'step'
    report = keras_backend.export(step, path, updates='outputs', variables='inputs', output_names=['loss'])
    model, values, found = load(str(path)), {'w': np.zeros((4, 2), 'float32'), 'v': np.zeros((4, 2), 'float32')}, []
    for _ in range(10):
        made = dict(zip(report.outputs, model(dict(values, x=batch[0], t=batch[1]))))
        values = {name: made[name + '_new'] for name in values}
        found.append(float(made['loss']))
    np.testing.assert_allclose(found, losses_of_k(K, step, batch), rtol=1e-5)
    assert found[-1] < 0.2 * found[0]


def test_indices_and_draws_of_saved_models(K, tmp_path):
    """Indices backwards, numbers beside arrays, arrays apart, their gradients; draws have the distribution of K."""
    x, places, also = K.placeholder((None, 4, 5)), K.constant([1, 3, 3], dtype='int32'), K.constant([0, 1, 0], 'int32')
    outputs = [x[:, ::-1], x[:, 2:0:-1], x[0, places], x[:, places, also], x[also, :, places], x[..., places, None]]
    outputs += [x[-1, :, places], x[:, places[0]]]
    outputs += K.gradients(K.sum(K.square(x[:, places, also])) + K.sum(K.square(x[also, :, places])), [x])
    function = K.function([x], outputs)
    report = keras_backend.export(function, tmp_path / 'model', check=[[numbers(2, 4, 5)], [numbers(3, 4, 5)]])
    assert len(report.differences) == 2
    n = K.placeholder((None, 500), name='n')
    drawn = [K.random_uniform(K.shape(n)), K.random_normal(K.shape(n), 1.0, 2.0), K.truncated_normal(K.shape(n))]
    keras_backend.export(K.function([n], drawn), tmp_path / 'draws')
    uniform, normal, cut = load(str(tmp_path / 'draws'))({'n': numbers(9, 500)})
    np.testing.assert_allclose([uniform.mean(), uniform.std()], [0.5, 12**-0.5], atol=0.02)
    np.testing.assert_allclose([normal.mean(), normal.std()], [1, 2], atol=0.1)
    np.testing.assert_allclose([cut.std(), np.abs(cut).max()], [0.88, 2], atol=0.03)


def test_what_a_saved_model_cannot_say(K, tmp_path):
    """The error names the K function, and no folder is left."""
    y, lengths = K.placeholder((None, 5, 4)), K.placeholder((None,), dtype='int32')
    decoded = K.ctc_decode(K.softmax(y), lengths, greedy=False, beam_width=3)[0][0]
    with pytest.raises(ExportError, match=r'^K\.ctc_decode: a SavedModel cannot say'):
        keras_backend.export(K.function([y, lengths], [decoded]), tmp_path / 'model')
    x, w = K.placeholder((None, 2)), K.variable([1.0, 2.0])
    step = K.function([x], [K.sum(x)], [K.update_add(w, [1.0, 1.0])])
    with pytest.raises(ExportError, match="updates='state' needs the variables in the file"):
        keras_backend.export(step, tmp_path / 'model', updates='state', variables='inputs')
    assert os.listdir(tmp_path) == []

"""Files of TensorFlow Lite, which its interpreter runs without this package."""

import os
import re

import numpy as np
import pytest
import tensorflow as tf
from files_of_models import LAMBDAS, arguments, of_models, recorded
from functions_to_export import (
    BUILDERS,
    assert_close,
    dense,
    loop_of_any_length,
    numbers,
    numpy_engine,
    saliency,
    training,
)

import keras_backend
import keras_backend.engines.tensorflow_backend as engine
from keras_backend.__main__ import main
from keras_backend.errors import ArgumentTypeError, ArgumentValueError, ExportError, FeedError
from keras_backend.exporting.tflite.file import load

# What they compute has operations of TensorFlow Lite alone.
BUILT_IN = [build for build in BUILDERS if build.__name__ in 'dense loop loop_of_any_length sizes lookups'.split()]


@pytest.fixture
def K():
    return numpy_engine()


@pytest.fixture
def T():
    """The TensorFlow engine, in a session of its own."""
    engine.clear_session()
    engine.set_floatx('float32')
    return engine


def ran(path, *values):
    """What the interpreter gives, by the order of inputs and outputs alone."""
    interpreter = tf.lite.Interpreter(str(path))
    inputs = interpreter.get_input_details()
    for entry, value in zip(inputs, values):
        interpreter.resize_tensor_input(entry['index'], value.shape)
    interpreter.allocate_tensors()
    for entry, value in zip(inputs, values):
        interpreter.set_tensor(entry['index'], value)
    interpreter.invoke()
    return [interpreter.get_tensor(entry['index']) for entry in interpreter.get_output_details()]


@pytest.mark.parametrize('build', BUILT_IN)
def test_a_file_of_tflite(K, build, tmp_path):
    """The file gives what K gives at both sizes: loops of any length, sizes that are computed."""
    example = build(K)
    function = K.function(example.inputs, example.outputs)
    report = keras_backend.export(function, tmp_path / 'f.tflite', check=example.runs)
    assert (report.format, len(report.differences), report.notes) == ('tflite', 2, [])
    for values in example.runs:
        for theirs, ours in zip(ran(tmp_path / 'f.tflite', *values), function(values)):
            assert_close(theirs, ours)


@pytest.mark.parametrize('build', [b for b in BUILT_IN if b.__name__ in ('dense', 'sizes', 'lookups')])
def test_tflite_of_a_function_of_tensorflow(T, build, tmp_path):
    """Its variables are constants of the file, also those whose rows are gathered."""
    example = build(T)
    function = T.function(example.inputs, example.outputs)
    keras_backend.export(function, tmp_path / 'f.tflite', check=example.runs)
    for theirs, ours in zip(ran(tmp_path / 'f.tflite', *example.runs[0]), function(example.runs[0])):
        assert_close(theirs, ours)


def test_names_and_order_in_tflite(K, tmp_path):
    """Names that are not in the order of the alphabet, an output that is an input, one that is there twice."""
    x, y = K.placeholder((None, 3), name='z'), K.placeholder((2,), name='a', dtype='int32')
    total = K.sum(x, axis=-1)
    function = K.function([x, y], [total, x, total, y])
    report = keras_backend.export(function, tmp_path / 'f.tflite', output_names=['t', 's', 'r', 'q'])
    interpreter = tf.lite.Interpreter(str(tmp_path / 'f.tflite'))
    assert [entry['name'] for entry in interpreter.get_input_details()] == ['z', 'a'] == report.inputs
    # What is one tensor in the file has one name there.
    assert [entry['name'] for entry in interpreter.get_output_details()] == ['t', 'z', 't', 'a']
    assert report.outputs == ['t', 's', 'r', 'q']
    assert [list(entry['shape_signature']) for entry in interpreter.get_input_details()] == [[-1, 3], [2]]
    for theirs, ours in zip(ran(tmp_path / 'f.tflite', numbers(4, 3), np.array([1, 2], 'int32')), report.outputs):
        assert theirs.shape == {'t': (4,), 's': (4, 3), 'r': (4,), 'q': (2,)}[ours]


def test_tflite_takes_no_empty_batch(K, tmp_path):
    """Its interpreter would end the process."""
    example = dense(K)
    keras_backend.export(K.function(example.inputs, example.outputs), tmp_path / 'f.tflite')
    with pytest.raises(FeedError, match='x has no entries'):
        load(str(tmp_path / 'f.tflite'))({'x': numbers(0, 8)})


@pytest.mark.parametrize('step', [lambda x, s: (s[0], [s[1], s[0]]), lambda x, s: (s[1], [x, s[0]])])
def test_states_that_change_places_in_tflite(K, step, tmp_path):
    """TensorFlow Lite writes the states of a loop one after the other."""
    x, first, second = K.placeholder((None, None, 1)), K.placeholder((None, 1)), K.placeholder((None, 1))
    _last, outputs, states = K.rnn(step, x, [first, second])
    function = K.function([x, first, second], [outputs, *states])
    report = keras_backend.export(function, tmp_path / 'f.tflite')
    assert {0.0} == {value for difference in report.differences for value in difference.largest.values()}


def test_a_training_step_as_tflite(K, tmp_path):
    """The new values are outputs, the old ones inputs."""
    x, w = K.placeholder((None, 4), name='x'), K.variable(np.ones(4), name='w')
    loss = K.mean(K.square(x) * w)
    step = K.function([x], [loss], [K.update_sub(w, K.mean(x, axis=0))])
    report = keras_backend.export(step, tmp_path / 'step.tflite', updates='outputs', output_names=['loss'])
    assert (report.inputs, report.outputs) == (['x', 'w'], ['loss', 'w_new'])
    values = numbers(5, 4)
    _loss, new = ran(tmp_path / 'step.tflite', values, report.variables['w'])
    np.testing.assert_allclose(new, 1 - values.mean(axis=0), rtol=1e-5, atol=1e-6)


def test_tflite_of_int8(K, tmp_path):
    """Weights and sums of int8: the file is smaller, and the report tells how far it is. A loop has weights alone."""
    x, w = K.placeholder((None, 64), name='x'), K.variable(numbers(64, 64))
    function = K.function([x], [K.tanh(K.dot(x, w) / 8)])
    runs = [[np.asarray(numbers(8, 64, seed=seed), 'float64')] for seed in range(4)]
    keras_backend.export(function, tmp_path / 'f.tflite')
    report = keras_backend.export(function, tmp_path / 'small.tflite', calibration=runs)
    assert os.path.getsize(tmp_path / 'small.tflite') < 0.5 * os.path.getsize(tmp_path / 'f.tflite')
    assert len(report.differences) == 3
    largest = max(max(difference.largest.values()) for difference in report.differences)
    assert 1e-4 < largest < 0.1
    assert f'Its largest difference from the K function is {largest:.2g}, where the largest number is' in str(report)
    assert 'It computes with int8' in str(report)
    assert 'That is much' not in str(report)
    narrow = [[values * 0.01] for (values,) in runs]
    report = keras_backend.export(function, tmp_path / 'narrow.tflite', calibration=narrow, check=[[numbers(8, 64)]])
    assert 'That is much: leave calibration out for floats.' in str(report)
    kinds = {entry['dtype'] for entry in tf.lite.Interpreter(str(tmp_path / 'small.tflite')).get_tensor_details()}
    assert np.int8 in kinds
    example = loop_of_any_length(K)
    looped = K.function(example.inputs, example.outputs)
    report = keras_backend.export(looped, tmp_path / 'loop.tflite', calibration=example.runs)
    assert 'Only its weights are int8' in str(report)
    assert 'what a loop computes' in str(report)


@pytest.mark.parametrize(
    ('arguments', 'error', 'message'),
    [
        ({'calibration': 3}, ArgumentTypeError, 'calibration is a list with a list of values for each run, got int'),
        ({'calibration': [[numbers(2, 8), 1]]}, ArgumentValueError, 'calibration has 2 values; give 1, for x'),
        ({'calibration': [[numbers(2, 7)]]}, ArgumentValueError, r'calibration has shape \(2, 7\) for x, whose shape'),
        ({'calibration': [[numbers(2, 8)]], 'format': 'onnx'}, ArgumentValueError, 'which onnx has not'),
        ({'updates': 'state'}, ExportError, "updates='outputs'"),
    ],
)
def test_options_that_tflite_refuses(K, tmp_path, arguments, error, message):
    example = dense(K)
    function = K.function(example.inputs, example.outputs)
    with pytest.raises(error, match=message):
        keras_backend.export(function, tmp_path / 'f.tflite', **arguments)
    assert os.listdir(tmp_path) == []


def test_functions_that_tflite_refuses(K, T, tmp_path):
    """No outputs, a sparse matrix, updates of the TensorFlow engine."""
    x, w = K.placeholder((None, 8)), K.variable(np.zeros(8))
    with pytest.raises(ExportError, match='has no outputs'):
        keras_backend.export(K.function([x], [], [K.update(w, w + 1)]), tmp_path / 'f.tflite', updates='leave_out')
    sparse = K.placeholder((None, 3), sparse=True)
    with pytest.raises(ExportError, match='is sparse'):
        keras_backend.export(K.function([sparse], [K.dot(sparse, K.ones((3, 2)))]), tmp_path / 'f.tflite')
    inputs, loss, updates, _batch = training(T)
    with pytest.raises(ExportError, match="has updates; write updates='leave_out'"):
        keras_backend.export(T.function(inputs, [loss], updates), tmp_path / 'f.tflite')
    assert os.listdir(tmp_path) == []


def test_what_tflite_has_no_operation_for(K, T, tmp_path):
    """Some TensorFlow have "Select TF ops" for the check. The others say that they have none, and leave no file."""
    example, looped = saliency(K), loop_of_any_length(T)
    function = K.function(example.inputs, example.outputs)
    has_none = 'TensorFlow Lite has no .* of its own for these dtypes, so the file needs Select TF ops, which the'
    advice = r'check=False without calibration', r"build the function with keras_backend\.load\('numpy'\)"
    for given, runs, way_out in zip((function, T.function(looped.inputs, looped.outputs)), (example, looped), advice):
        try:
            said = str(keras_backend.export(given, tmp_path / 'f.tflite', check=runs.runs))
            os.remove(tmp_path / 'f.tflite')
        except ExportError as error:
            said = str(error)
        assert re.search(f'{has_none}.*{way_out}|It needs Select TF ops', said)
        assert os.listdir(tmp_path) == []
    report = keras_backend.export(function, tmp_path / 'f.tflite', check=False)
    assert 'It needs Select TF ops' in str(report)
    assert os.listdir(tmp_path) == ['f.tflite']


@pytest.mark.slow
@pytest.mark.parametrize('name', of_models() + LAMBDAS)
def test_an_old_model_as_tflite(name, tmp_path, capsys):
    """`model OLD --save NEW.tflite`: the numbers are those that the library of the file gave."""
    given = arguments(name)
    path = str(tmp_path / 'new.tflite')
    options = [f'--{option}={given[option]}' for option in ('weights', 'engine') if option in given]
    status = main(['model', given['path'], '--save', path, *options])
    said = capsys.readouterr()
    if status:
        # Pools of three dimensions, and one file that stops the delegate XNNPack.
        assert re.search('no (Max|Avg)Pool3D of its own|XNNPack', said.err)
        return
    assert 'it differs from the K function by at most' in said.out
    inputs, wanted = recorded(name)
    entries = tf.lite.Interpreter(path).get_input_details()
    inputs = [np.asarray(x, entry['dtype']) for x, entry in zip(inputs, entries)]
    states = [np.zeros(entry['shape'], 'float32') for entry in entries[len(inputs) :]]
    for got, expected in zip(ran(path, *inputs, *states), wanted):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_what_the_converter_cannot_round(tmp_path, capsys):
    """It fails with all numbers of this model as int8. Then the weights are int8, if nothing else."""
    name, x = 'keras122_python36_theano_merges', str(tmp_path / 'x.npz')
    np.savez(x, *recorded(name)[0])
    options = ['--save', str(tmp_path / 'new.tflite'), '--example', x, '--engine=theano']
    assert main(['model', arguments(name)['path'], *options]) == 0
    assert re.search('int8, and it computes with floats|It computes with int8', capsys.readouterr().out)


@pytest.mark.slow
def test_examples_of_an_old_model(tmp_path, capsys):
    """`--example` makes the file one of int8, and gives the inputs for the check of other files."""
    name = 'keras231_python37_bidirectional'
    path, x = arguments(name)['path'], str(tmp_path / 'x.npz')
    inputs, _wanted = recorded(name)
    np.savez(x, *inputs)
    assert main(['model', path, '--save', str(tmp_path / 'new.tflite'), '--example', x]) == 0
    assert 'int8' in capsys.readouterr().out
    assert main(['model', path, '--save', str(tmp_path / 'folder'), '--example', x]) == 0
    shape = str(inputs[0].shape)
    assert [line for line in capsys.readouterr().out.splitlines() if 'differs' in line and shape in line]
    np.savez(x, inputs[0], np.zeros(3))
    assert main(['model', path, '--save', str(tmp_path / 'new.tflite'), '--example', x]) == 2
    assert f'--example {x} has arrays of the shapes' in capsys.readouterr().err
    assert main(['model', path, '--example', x]) == 2
    assert 'Give --save NEW, too' in capsys.readouterr().err

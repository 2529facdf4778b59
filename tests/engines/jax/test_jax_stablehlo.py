"""Files of StableHLO: what `keras_backend.export` writes, read again by `jax.export` alone."""

import json
import os

import jax
import numpy as np
import pytest
from functions_to_export import BUILDERS, assert_file_agrees, assert_step_trains, dense, masked_loop, numbers
from jax import export as jax_export

import keras_backend
import keras_backend.engines.jax_backend as K
from keras_backend.errors import ExportError


@pytest.fixture(autouse=True)
def session_of_its_own():
    """Every test starts in a session of its own."""
    K.clear_session()


def read(path):
    """The function of a file, which takes arrays by name and gives a dict of them."""
    return jax_export.deserialize(bytearray(path.read_bytes())).call


@pytest.mark.parametrize('build', BUILDERS)
def test_a_file_of_stablehlo(build, tmp_path):
    """The file gives what K gives at both sizes, whoever reads it."""
    assert_file_agrees(K, build, tmp_path / 'f.stablehlo', read)


@pytest.mark.parametrize('engine', ['numpy', 'jax'])
def test_a_training_step_of_stablehlo(engine, tmp_path):
    """The new values of variables are outputs: fed again, the loss falls as with K."""
    assert_step_trains(keras_backend.load(engine), tmp_path / 'step.stablehlo', read)


@pytest.mark.parametrize('build', [dense, masked_loop])
def test_stablehlo_as_text(build, tmp_path):
    """The text is checked as the binary file is; it tells the names and the sizes."""
    example = build(K)
    path = tmp_path / 'f.mlir'
    report = keras_backend.export(K.function(example.inputs, example.outputs), path, check=example.runs)
    assert len(report.differences) == 2
    head, text = path.read_text().split('\n', 1)
    told = json.loads(head[len('// keras_backend: ') :])
    assert [name for name, _dtype, _sizes in told['inputs']] == report.inputs
    assert [name for name, _dtype, _sizes in told['outputs']] == report.outputs
    assert 'func.func public @main' in text
    assert 'stablehlo.dot_general' in text


def test_a_text_of_stablehlo_is_what_runs(tmp_path):
    """The check reads the text, so a changed one gives other numbers."""
    from keras_backend.exporting.stablehlo import load

    x = K.placeholder((3,), name='x')
    path = tmp_path / 'f.mlir'
    keras_backend.export(K.function([x], [x * 3.0]), path, output_names=['y'])
    values = {'x': np.ones(3, 'float32')}
    np.testing.assert_array_equal(load(str(path))(values)[0], [3, 3, 3])
    path.write_text(path.read_text().replace('3.0', '5.0'))
    np.testing.assert_array_equal(load(str(path))(values)[0], [5, 5, 5])


def test_sizes_of_inputs_that_have_to_be_the_same(tmp_path):
    """Where two free sizes meet, the file takes inputs of one size, and the report says so."""
    x, y = K.placeholder((None, 3), name='x'), K.placeholder((None, 3), name='y')
    path = tmp_path / 'f.stablehlo'
    report = keras_backend.export(K.function([x, y], [x + y]), path, output_names=['z'])
    assert report.notes == ['All inputs have the same size along their first axis, if it is free.']
    free = keras_backend.export(K.function([x, y], [K.dot(x, K.transpose(y))]), path)
    assert free.notes == []
    (result,) = read(path)(x=numbers(2, 3), y=numbers(5, 3)).values()
    assert result.shape == (2, 5)


def test_draws_of_stablehlo_begin_with_a_seed(tmp_path):
    """The same seed gives the same draws, each step of a loop draws anew, and the distribution is that of K."""
    x = K.placeholder((None, 500), name='x')
    drawn = [K.random_uniform(K.shape(x)), K.random_normal(K.shape(x), 1.0, 2.0), K.truncated_normal(K.shape(x))]
    steps = K.map_fn(lambda e: e * 0 + K.random_uniform((500,)), x)
    path = tmp_path / 'draws.stablehlo'
    names = ['uniform', 'normal', 'cut', 'steps']
    report = keras_backend.export(K.function([x], [*drawn, steps]), path, output_names=names)
    assert 'seed' in str(report)
    call, value = read(path), np.zeros((9, 500), 'float32')
    made, same, other = [call(x=value, seed=np.uint32(seed)) for seed in (1, 1, 2)]
    for name in names:
        np.testing.assert_array_equal(made[name], same[name])
        assert not np.array_equal(made[name], other[name])
    np.testing.assert_allclose([made['uniform'].mean(), made['uniform'].std()], [0.5, 12**-0.5], atol=0.02)
    np.testing.assert_allclose([made['normal'].mean(), made['normal'].std()], [1, 2], atol=0.1)
    np.testing.assert_allclose([made['cut'].std(), np.abs(made['cut']).max()], [0.88, 2], atol=0.03)
    assert len(np.unique(made['steps'])) > 4000
    assert not np.array_equal(made['steps'][0], made['uniform'][0])


def test_what_stablehlo_cannot_say(tmp_path):
    """The error names the K function, and no file is left."""
    y, lengths = K.placeholder((None, 5, 4)), K.placeholder((None,), dtype='int32')
    decoded = K.ctc_decode(K.softmax(y), lengths, greedy=False, beam_width=3)[0][0]
    with pytest.raises(ExportError, match=r'^K\.ctc_decode: StableHLO cannot say') as caught:
        keras_backend.export(K.function([y, lengths], [decoded]), tmp_path / 'f.stablehlo')
    assert caught.value.function == 'K.ctc_decode'
    assert os.listdir(tmp_path) == []
    x, n = K.placeholder((None, 4)), K.placeholder((), dtype='int32')
    with pytest.raises(ExportError, match='K.function: sized cannot become StableHLO'):
        keras_backend.export(K.function([x, n], [K.reshape(x, (n, -1))], name='sized'), tmp_path / 'f.stablehlo')


def test_stablehlo_runs_on_other_platforms(tmp_path):
    """A file says for which platforms it is: those of JAX, whatever it was written on."""
    example = dense(K)
    path = tmp_path / 'f.stablehlo'
    keras_backend.export(K.function(example.inputs, example.outputs), path)
    made = jax_export.deserialize(bytearray(path.read_bytes()))
    assert {'cpu', 'cuda', 'tpu'} <= set(made.platforms)
    assert isinstance(made.in_avals[0].shape[0], type(jax_export.symbolic_shape('b')[0]))
    assert jax.__version__


def test_nothing_is_printed_by_stablehlo(tmp_path, capfd):
    """The tensor passes through, and the report says so."""
    x = K.placeholder((None, 2), name='x')
    path = tmp_path / 'f.stablehlo'
    report = keras_backend.export(
        K.function([x], [K.print_tensor(x, 'seen: ') * 2]), path, output_names=['y'], check=False
    )
    assert report.notes == ['K.print_tensor prints nothing in the file; the tensor passes through.']
    np.testing.assert_array_equal(read(path)(x=np.ones((3, 2), 'float32'))['y'], 2 * np.ones((3, 2)))
    assert 'seen' not in capfd.readouterr().err

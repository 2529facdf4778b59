"""`python -m keras_backend model`: the summary of a file, predictions, and what it says to what it cannot read."""

import json
import os
import re
import sys
import types

import h5py
import numpy as np
import pytest
from files_of_models import FOLDER, recorded

from keras_backend import files
from keras_backend.__main__ import main
from keras_backend.commands import model as model_command
from keras_backend.commands import model_options
from keras_backend.errors import ArgumentValueError, ExportError
from keras_backend.loader import load


def path(name):
    return os.path.join(FOLDER, name)


def said(capsys, *arguments):
    """The exit status, the output, the errors."""
    status = main(['model', *arguments])
    found = capsys.readouterr()
    return status, found.out, found.err


def test_summary(capsys):
    """Writer, layers, shapes, parameters, and the source of each function."""
    status, out, err = said(capsys, path('keras231_python37_lambdas.h5'))
    assert (status, err) == (0, '')
    lines = out.splitlines()
    assert lines[0] == 'HDF5, written by Keras 2.3.1 on tensorflow, with functions of Python 3.7'
    assert 'dense     Dense       (?, 3)  15          a' in lines
    assert 'distance  Lambda      (?, 1)  0           normed, normed2' in lines
    assert '    lambda t, p=2: K.sum(K.abs(t[0] - t[1]) ** p, axis=1, keepdims=True)' in lines
    assert '15 parameters' in lines


def test_summary_as_json(capsys):
    status, out, _ = said(capsys, path('keras122_python36_theano_merges.h5'), '--engine', 'theano', '--json')
    found = json.loads(out)
    assert (status, found['version'], found['parameters'], found['problem']) == (0, '1.2.2', 32, '')
    assert {
        'name': 'merge_6',
        'class': 'Merge',
        'shapes': [[None, 8]],
        'parameters': 0,
        'inputs': [['a', 'b']],
    } in found['layers']


def test_summary_of_an_attack(capsys):
    """What would be refused is said, and the status is 1."""
    status, out, _ = said(capsys, path('keras231_python37_attack.h5'))
    assert status == 1
    assert '  refused in line 5: it imports os' in out.splitlines()
    assert "lambdas={'normalise': function}" in out.splitlines()[-1]


def test_summary_of_weights_alone(capsys):
    status, out, _ = said(capsys, path('keras122_python27_theano_conv2d_weights.h5'))
    assert status == 0
    assert 'conv_W' in out
    assert 'parameters' in out


def test_predictions_into_a_file(capsys, tmp_path):
    inputs, outputs = recorded('keras231_python37_conv3d')
    source, target = str(tmp_path / 'in.npz'), str(tmp_path / 'out.npz')
    np.savez(source, *inputs)
    status, out, _ = said(capsys, path('keras231_python37_conv3d.h5'), '--predict', source, target)
    assert status == 0
    found = np.load(target)
    assert len(found.files) == len(outputs) == len(out.splitlines())
    for name, wanted in zip(found.files, outputs):
        np.testing.assert_allclose(found[name], wanted, rtol=1e-5, atol=1e-5)


def test_several_predictions_need_an_archive(capsys, tmp_path):
    """A file .npy holds one array, and the sentence says which ending holds more."""
    inputs, outputs = recorded('keras231_python37_conv3d')
    source, target = str(tmp_path / 'in.npz'), str(tmp_path / 'out.npy')
    np.savez(source, *inputs)
    status, out, err = said(capsys, path('keras231_python37_conv3d.h5'), '--predict', source, target)
    assert (2, '') == (status, out)
    assert f'The model has {len(outputs)} outputs. Give a file that ends in .npz for them.' in err
    assert not os.path.exists(target)


def test_one_prediction_into_a_file(capsys, tmp_path):
    inputs, outputs = recorded('keras122_python36_theano_dense')
    source, target = str(tmp_path / 'in.npy'), str(tmp_path / 'out.npy')
    np.save(source, inputs[0])
    status, _, _ = said(capsys, path('keras122_python36_theano_dense.h5'), '--predict', source, target)
    assert status == 0
    np.testing.assert_allclose(np.load(target), outputs[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['absent.h5'], 'absent.h5'),
        ([path('index.json')], 'no class_name'),
        ([path('keras231_python37_merges.npz')], 'it has no config.json'),
        ([path('keras122_python27_theano_conv2d_weights.h5'), '--save', 'a.keras'], '--weights'),
        ([path('keras231_python37_dense_json.json'), '--predict', 'absent.npy', 'out.npy'], "weights='weights.h5'"),
        ([path('keras231_python37_merges.h5'), '--predict', 'absent.npy', 'out.npy'], 'absent.npy'),
    ],
)
def test_errors_of_the_model_command(capsys, arguments, words):
    status, out, err = said(capsys, *arguments)
    assert (status, out) == (2, '')
    assert words in err


def _objects(place):
    np.save(place, np.array([{}], dtype=object), allow_pickle=True)


def _words(place):
    with open(place, 'w') as stream:
        stream.write('no array')


def _more_than_there_is(place):
    with open(place, 'wb') as stream:
        np.lib.format.write_array_header_1_0(
            stream, {'descr': '<f4', 'fortran_order': False, 'shape': (2**50, 4)}
        )  # fmt: skip


def _archive_of_objects(place):
    with open(place, 'wb') as stream:
        np.savez(stream, a=np.array([{}], dtype=object))


def _pipe(place):
    os.mkfifo(place)


@pytest.mark.parametrize(
    'write',
    [
        _objects, _words, _more_than_there_is, _archive_of_objects,
        pytest.param(_pipe, marks=pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='a system without pipes')),
    ],
)  # fmt: skip
def test_arrays_that_are_none(capsys, tmp_path, write):
    """One sentence, soon: nothing of the file is run, and a pipe is not waited for."""
    source, target = str(tmp_path / 'in.npy'), tmp_path / 'out.npy'
    write(source)
    status, out, err = said(capsys, path('keras122_python36_theano_dense.h5'), '--predict', source, str(target))
    assert (status, out, len(err.splitlines())) == (2, '', 1)
    assert 'in.npy' in err
    assert not target.exists()


def _fixed_batch(tmp_path):
    """A model of one layer that takes four rows at once, with its weights."""
    config = {'name': 'd', 'units': 2, 'use_bias': False, 'batch_input_shape': [4, 3]}
    model, weights = str(tmp_path / 'm.json'), str(tmp_path / 'w.h5')
    with open(model, 'w') as file:
        json.dump({'class_name': 'Sequential', 'config': [{'class_name': 'Dense', 'config': config}]}, file)
    with h5py.File(weights, 'w') as file:
        file.attrs['layer_names'] = [b'd']
        file.create_group('d').attrs['weight_names'] = [b'd/kernel:0']
        file['d/d/kernel:0'] = np.arange(6, dtype='float32').reshape(3, 2)
    return model, weights


def test_predictions_of_a_model_that_takes_some_rows_at_once(capsys, tmp_path):
    model, weights = _fixed_batch(tmp_path)
    source, target = str(tmp_path / 'in.npy'), str(tmp_path / 'out.npy')
    rows = np.arange(36, dtype='float32').reshape(12, 3)
    np.save(source, rows)
    assert said(capsys, model, '--weights', weights, '--predict', source, target)[0] == 0
    np.testing.assert_allclose(np.load(target), rows @ np.arange(6).reshape(3, 2))
    np.save(source, rows[:10])
    status, _, err = said(capsys, model, '--weights', weights, '--predict', source, target)
    assert status == 2
    assert 'takes 4 rows at once. 10 rows' in err


def test_rows_of_a_batch(capsys, tmp_path):
    inputs, outputs = recorded('keras122_python36_theano_dense')
    source, target = str(tmp_path / 'in.npy'), str(tmp_path / 'out.npy')
    np.save(source, inputs[0])
    name = path('keras122_python36_theano_dense.h5')
    for batch, expected in (('1', 0), ('0', 2), ('-1', 2)):
        assert said(capsys, name, '--predict', source, target, '--batch', batch)[0] == expected
    np.testing.assert_allclose(np.load(target), outputs[0], rtol=1e-5, atol=1e-5)


def test_functions_and_values_of_the_user(capsys, tmp_path):
    """--custom runs a file of the user; --lambda gives a value."""
    inputs, _ = recorded('keras231_python37_lambdas')
    source, target, program = str(tmp_path / 'in.npz'), str(tmp_path / 'out.npy'), tmp_path / 'own.py'
    np.savez(source, *inputs)
    program.write_text('def distance(t):\n    return 0.0 * t[0][:, :1]\n')
    name = path('keras231_python37_lambdas.h5')
    status, _, err = said(capsys, name, '--predict', source, target, '--custom', str(program), '--lambda', 'SIZE=3')
    assert (status, err) == (0, '')
    np.testing.assert_array_equal(np.load(target), np.zeros((len(inputs[0]), 1)))


def test_names_of_a_program_by_what_they_are(tmp_path):
    """Values go to functions of the file, classes to `custom_objects`, functions to both."""
    program = tmp_path / 'own.py'
    program.write_text('SIZE = 2\n\n\ndef half(x):\n    return x / 2\n\n\nclass Own:\n    pass\n')
    own = model_options.given(['RATE=0.5'], str(program))
    assert {'RATE': 0.5, 'SIZE': 2} == {name: value for name, value in own.values.items() if not name.startswith('_')}
    assert (['half'], ['Own']) == (list(own.functions), list(own.classes))
    assert {'half', 'Own'} == set(own.custom_objects)
    assert 'Own' not in own.lambdas


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--lambda', 'SIZE'], 'write NAME=VALUE'),
        (['--lambda', 'SIZE=open(1)'], 'write NAME=VALUE'),
        (['--custom', 'absent.py'], 'there is no such file'),
        (['--predict', 'in.npz', 'out.npy'], '--custom FILE.py'),
        (['--save', 'new.xyz'], 'an ending of NEW: .keras'),
    ],
)
def test_errors_name_the_option(capsys, arguments, words):
    name = 'keras231_python37_attack.h5' if '--predict' in arguments else 'keras231_python37_dense.h5'
    name = name if os.path.exists(path(name)) else 'keras231_python37_merges.h5'
    status, _, err = said(capsys, path(name), *arguments)
    assert status in (1, 2)
    assert words in err


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('Give weights=.', 'Give weights=. For this command: --weights FILE.'),
        (
            'Give engine= or budget=.',
            'Give engine= or budget=. For this command: --engine theano or --engine tensorflow; the variable '
            'KERAS_BACKEND_FILE_BUDGET=10.',
        ),
        ('Give weights= as --weights FILE.', 'Give weights= as --weights FILE.'),
        ('Give nothing.', 'Give nothing.'),
    ],
)
def test_options_beside_the_words_of_python(text, told):
    """Each option that does what is advised, unless the error names options itself. Others pass as they are."""
    with pytest.raises(ArgumentValueError) as caught, model_options.in_words_of_the_command():
        raise ArgumentValueError(text)
    assert str(caught.value) == told
    with pytest.raises(ValueError, match='^weights=$'), model_options.in_words_of_the_command():
        raise ValueError('weights=')


def test_values_that_are_given(tmp_path):
    """Values of Python as it writes them; of a program what it makes itself, and nothing that it imports or hides."""
    texts = ['A = 3', "B='x=y'", 'C=[1, 2]', 'D= None']
    assert model_options.given(texts, None).values == {'A': 3, 'B': 'x=y', 'C': [1, 2], 'D': None}
    assert model_options.given(None, None) == model_options.NOTHING
    program = tmp_path / 'own.py'
    lines = ['import os', 'from math import sqrt, pi', '_HIDDEN = 1', 'YES, TWO, HALF, WORD = True, 2, 0.5, "w"']
    lines += ['LIST, PAIR, SET = [1], (1, 2), {1}', 'def _helper(x): return x', 'def own(x): return x']
    program.write_text('\n'.join(lines))
    found = model_options.given(['TWO=3'], str(program))
    assert found.values == {'pi': 3.141592653589793, **dict(YES=True, TWO=3, HALF=0.5, WORD='w', LIST=[1], PAIR=(1, 2))}
    assert (list(found.functions), found.classes) == (['own'], {})
    with pytest.raises(ArgumentValueError, match=f'^--lambda {"x" * 100}: write NAME=VALUE'):
        model_options.given(['x' * 101], None)


def test_examples_are_checked_first(capsys, tmp_path):
    """Before a library for NEW is asked for, the arrays are looked at."""
    name, source = path('keras231_python37_bidirectional.h5'), str(tmp_path / 'in.npz')
    inputs, _ = recorded('keras231_python37_bidirectional')
    assert 'Give --save NEW, too' in said(capsys, name, '--example', source)[2]
    for arrays in ([*inputs, np.zeros((3, 2))], [np.float32(1)]):
        np.savez(source, *arrays)
        status, _, err = said(capsys, name, '--save', str(tmp_path / 'new.onnx'), '--example', source)
        assert (status, 'the model takes an array with the same number of rows for each of' in err) == (2, True)
    (tmp_path / 'in.npz').write_text('none')
    assert (
        'give --example a file of numpy.save'
        in said(capsys, name, '--save', str(tmp_path / 'new.onnx'), '--example', source)[2]
    )
    assert os.listdir(tmp_path) == ['in.npz']


def _file_of(tmp_path, entries):
    """The file of a Sequential without weights."""
    config = tmp_path / 'm.json'
    config.write_text(json.dumps({'class_name': 'Sequential', 'config': entries, 'keras_version': '2.3.1'}))
    return files.read(str(config))


def _poolings(count, size=None, last=()):
    entries = [
        {'class_name': 'MaxPooling2D', 'config': {'name': f'p{n}', 'pool_size': [2, 2], 'padding': 'valid'}}
        for n in range(count)
    ] + list(last)
    entries[0]['config']['batch_input_shape'] = [None, size, size, 1]
    return entries


def test_open_sizes_are_tried(tmp_path):
    """A model that needs more than 8 pixels: each pooling halves them."""
    file = _file_of(tmp_path, _poolings(4))
    model = files.function(file, K=load('numpy'))
    sizes = model_command._sizes_that_fit(file, model)
    assert sizes == [32, 29]
    assert model(model_command._examples(file, sizes[0])).size
    file = _file_of(tmp_path, _poolings(9))
    assert model_command._sizes_that_fit(file, files.function(file, K=load('numpy'))) == []


def test_examples_are_of_the_range_of_the_model(tmp_path):
    """Images are from 0 to 1, or of bytes; places are in the table of an Embedding, in a model in the model, too."""
    image = model_command._examples(_file_of(tmp_path, _poolings(1)))[0]
    assert (image.shape, image.dtype) == ((8, 8, 8, 1), np.float32)
    assert 0 <= image.min() < 0.1 < 0.9 < image.max() <= 1
    scale = {'class_name': 'Rescaling', 'config': {'name': 's', 'scale': 1 / 255, 'batch_input_shape': [None, 4, 4, 3]}}
    assert model_command._examples(_file_of(tmp_path, [scale]))[0].max() > 200
    table = {'name': 'e', 'input_dim': 3, 'output_dim': 2, 'batch_input_shape': [None, 40]}
    entry = {'class_name': 'Embedding', 'config': table}
    inner = {'class_name': 'Sequential', 'config': {'name': 'inner', 'layers': [entry]}}
    for entries in ([entry], [inner, {'class_name': 'Flatten', 'config': {'name': 'f'}}]):
        tokens = model_command._examples(_file_of(tmp_path, entries))[0]
        assert set(np.unique(tokens)) == {0, 1, 2}


def _judged(path, computed, got):
    class Model:
        def __call__(self, inputs):
            return computed(inputs[0])

        def reset_states(self):
            pass

    file = files.structure.File(path, 'h5', 'keras', '2.3.1', 'tensorflow')
    inputs = [np.linspace(0.01, 0.99, 50).astype('float32')]
    model = Model()
    return model_command._judged(file, model, inputs, [computed(inputs[0])], [got(inputs[0])], 'random inputs')


def _steep(x):
    return np.sin(x.astype('float64') * 1e9).astype('float32')


def test_differences_are_judged_by_how_far_the_model_itself_moves():
    """A model that hardly moves is refused; one that moves as far by itself, or draws numbers, is not."""
    assert 'differ by at most 0 from those of old.h5.' in _judged('old.h5', np.tanh, np.tanh)
    assert 'says little' in _judged('old.h5', _steep, lambda x: _steep(x + 1e-6))
    draw = np.random.RandomState(0)
    assert 'draws numbers' in _judged('old.h5', lambda x: draw.normal(size=x.shape), np.tanh)
    with pytest.raises(ExportError, match='nothing is written'):
        _judged('old.h5', np.tanh, np.sin)
    with pytest.raises(ExportError, match='inf'):
        _judged('old.h5', _steep, lambda x: x[1:])


class _Made:
    """A model of Keras 3 that predicts so much more than K."""

    def __init__(self, file, more):
        self.function, self.more = files.function(file, K=load('numpy')), more

    def predict(self, inputs, verbose):
        return self.function(inputs) + self.more


def test_what_is_compared_and_said(tmp_path):
    """Nothing where no size fits, so that nothing raises behind it; an error where the new model differs."""
    small = _file_of(tmp_path, _poolings(2))
    assert 'Predictions of random inputs differ by at most 0 ' in model_command._compared(
        small, _Made(small, 0), model_options.NOTHING, None
    )
    with pytest.raises(ExportError, match='so nothing is written'):
        model_command._compared(small, _Made(small, 1), model_options.NOTHING, None)
    deep = _file_of(tmp_path, _poolings(9))
    assert 'Give --example FILE with inputs' in model_command._compared(deep, None, model_options.NOTHING, None)


# -- models that are saved ---------------------------------------------------------------------------------------------


@pytest.fixture
def keras3(monkeypatch):
    """Stands in for the Keras 3 that builds models. Returns what it is asked, and how far its predictions are."""
    asked, far = [], [0.0]

    def load(file, lambdas, custom_objects):
        asked.append((lambdas, custom_objects))
        predict = files.function(file.path)

        class Built:
            def predict(self, inputs, verbose):
                asked.append(inputs)
                results = predict(*([inputs] if isinstance(inputs, np.ndarray) else inputs))
                return [value + far[0] for value in results] if isinstance(results, list) else results + far[0]

            def save(self, path):
                with open(path, 'w') as stream:
                    stream.write('a model')

            def count_params(self):
                return 12345

        return Built()

    stand_in = types.SimpleNamespace(load=load, needs_import=lambda model: ['Lambda', 'LSTM'])
    monkeypatch.setitem(sys.modules, 'keras_backend.files.keras3', stand_in)
    monkeypatch.setattr(sys.modules['keras_backend.files'], 'keras3', stand_in, raising=False)
    return asked, far


def without_rounding(out):
    """What is said, with 0 for a difference that is rounding: a library compiles a function of a file anew."""
    return re.sub(r'at most \d(\.\d+)?e-0[78] ', 'at most 0 ', out)


def test_a_file_of_keras_3(keras3, capsys, tmp_path):
    """The model is written, its parameters are counted, and its predictions are compared with those of K."""
    name, target = path('keras231_python37_bidirectional.h5'), tmp_path / 'new.keras'
    target.write_text('an older one')
    status, out, err = said(capsys, name, '--save', str(target))
    assert (status, err) == (0, '')
    assert without_rounding(out).splitlines() == [
        f'{target}: 12,345 parameters',
        f'Predictions of random inputs differ by at most 0 from those of {name}.',
        'Before load_model, `import keras_backend.files.keras3` is needed for Lambda, LSTM.',
    ]
    assert (target.read_text(), os.listdir(str(tmp_path))) == ('a model', ['new.keras'])
    asked, _far = keras3
    assert asked[0] == ({}, {})
    assert isinstance(asked[1], np.ndarray)


def test_a_file_of_keras_3_with_examples(keras3, capsys, tmp_path):
    name, source = path('keras231_python37_bidirectional.h5'), str(tmp_path / 'in.npz')
    inputs, _ = recorded('keras231_python37_bidirectional')
    np.savez(source, *inputs)
    status, out, err = said(capsys, name, '--save', str(tmp_path / 'new.keras'), '--example', source)
    assert (status, err) == (0, '')
    assert f'Predictions of the first rows of {source} differ by at most 0 from those of {name}.' in without_rounding(
        out
    )


def test_a_file_of_keras_3_with_functions_of_the_user(keras3, capsys, tmp_path):
    """They compute with Keras 3, so nothing is compared; values alone change nothing of that."""
    program = tmp_path / 'own.py'
    program.write_text('def half(x):\n    return x / 2\n')
    name, target = path('keras231_python37_bidirectional.h5'), str(tmp_path / 'new.keras')
    _status, out, _err = said(capsys, name, '--save', target, '--custom', str(program))
    assert 'Its predictions are not compared with those of K, because functions or classes of yours are in it.' in out
    asked, _far = keras3
    lambdas, custom_objects = asked[0]
    assert ('half' in lambdas, 'half' in custom_objects, len(asked)) == (True, True, 1)
    _status, out, _err = said(capsys, name, '--save', target, '--lambda', 'SIZE=3')
    assert 'differ by at most 0 ' in without_rounding(out)


def test_a_model_that_differs_leaves_the_older_file(keras3, capsys, tmp_path):
    target = tmp_path / 'new.keras'
    target.write_text('an older one')
    keras3[1][0] = 0.25
    status, out, err = said(capsys, path('keras231_python37_bidirectional.h5'), '--save', str(target))
    assert (status, out) == (1, '')
    assert err.startswith('Predictions of random inputs differ by at most 0.25 from those of ')
    assert (target.read_text(), os.listdir(str(tmp_path))) == ('an older one', ['new.keras'])

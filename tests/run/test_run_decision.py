"""`run` reads a program and decides: the launcher, the engine, the Keras, and all that is missing."""

import json
import os
import sys

import pytest
from processes import python
from run_command import few_libraries, said

from keras_backend.errors import KerasBackendError
from keras_backend.programs.keras2.versions import place
from keras_backend.programs.launcher.check import translation
from keras_backend.programs.launcher.own_modules import python2
from keras_backend.programs.run import command
from keras_backend.programs.run.decision import decide, stops
from keras_backend.programs.run.entry import CannotRun

OLD = """import numpy as np
from keras.models import Sequential
from keras.layers import Dense
m = Sequential([Dense(3, input_dim=2)])
m.fit(np.ones((4, 2)), np.ones((4, 3)), nb_epoch=1)
"""
OF_SESSIONS = 'import tensorflow as tf\nfrom keras import backend as K\nfrom keras.layers import Dense\n' + (
    'with tf.Session() as sess:\n    K.set_session(sess)\n'
)
OF_TF_KERAS = 'import tensorflow as tf\nm = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.fit(x, y)\n'
OURS = 'import keras_backend as K\nprint(K.eval(K.ones((2,))))\n'


@pytest.fixture
def here(monkeypatch, tmp_path):
    """A Python with NumPy, h5py, PyYAML, SciPy, six, Pillow and pip, and what is added to the result."""
    there = few_libraries(monkeypatch, tmp_path / 'home')
    monkeypatch.chdir(str(tmp_path))
    return there


def written(folder, text, name='train.py'):
    (folder / name).write_text(text)
    return name


def decided(folder, text, **options):
    found = decide(written(folder, text), **options)
    return found.way, found.engine, found.keras, found.missing


def test_the_way_of_each_kind(here, tmp_path):
    """A program of Keras gets the launcher of its Keras; a program of K needs none."""
    assert ('keras2', 'numpy', '2.3.1', []) == decided(tmp_path, OLD)
    assert ('import', 'numpy', '', []) == decided(tmp_path, OURS)
    way, engine, keras, missing = decided(tmp_path, OF_TF_KERAS)
    assert ('keras3', 'tensorflow', '') == (way, engine, keras)
    assert 'tf_keras' in missing
    assert 'keras>=3.12.1' in decided(tmp_path, OLD, engine='jax', way='keras3')[3]
    assert ('keras2', 'numpy', '2.3.1', []) == decided(tmp_path, 'from keras import backend as K\nK.ones((2,))\n')


@pytest.mark.parametrize(
    'of_1', ['with tf.Session() as s: pass', 'x = tf.div(a, b)', 'x = tf.log(a)', 'tf.set_random_seed(1)']
)
def test_tf_keras_of_tensorflow_1(of_1, here, tmp_path):
    """It runs on tf_keras with the names of TensorFlow 1, and elsewhere on Keras 2."""
    way, engine, _keras, missing = decided(tmp_path, f'{OF_TF_KERAS}{of_1}\n')
    assert ('keras3', 'tensorflow') == (way, engine)
    assert 'tf_keras' in missing
    found = decide('train.py')
    assert 'tf.keras of TensorFlow 1' == found.kind
    assert found.why.startswith('train.py:4: tensorflow.')
    assert [] == stops(found)
    assert ('keras2', 'torch', '2.3.1') == decided(tmp_path, f'{OF_TF_KERAS}{of_1}\n', engine='torch')[:3]


@pytest.mark.parametrize(
    'of_2',
    [
        'with tf.compat.v1.Session() as s: pass',
        'try:\n    tf.set_random_seed(1)\nexcept AttributeError:\n    tf.random.set_seed(1)',
        'tf.estimator.RunConfig()',
        '@tf.function\ndef f(x):\n    return tf.log(x)',
    ],
)
def test_tf_keras_of_tensorflow_2(of_2, here, tmp_path):
    """Names that both have, or that there is another way for, tell nothing; what TensorFlow 2 lacks stops the rest."""
    found = decide(written(tmp_path, f'{OF_TF_KERAS}{of_2}\n'))
    assert ('keras3', 'tensorflow', 'tf.keras') == (found.way, found.engine, found.kind)
    assert bool(stops(found)) == ('estimator' in of_2 or 'tf.log' in of_2)


def test_check_for_a_keras_that_was_chosen(here, tmp_path):
    """`--keras VERSION` changes what would stop the program."""
    build = '    def build(self, s):\n        self.trainable_weights = self.m.trainable_weights\n'
    program = written(tmp_path, 'import keras\nclass L(keras.layers.Layer):\n' + build)
    assert ('2.2.4', []) == (decide(program).keras, stops(decide(program)))
    (said_line,) = stops(decide(program, keras='2.3.1'))
    assert 'line 4: trainable_weights of an inner layer: Keras 1.2.2 to 2.2.5 takes it, 2.3.1 does not' in said_line


def test_what_tensorflow_1_needs(here, tmp_path):
    """A program that computes with TensorFlow runs on it, and it is named if it is not there."""
    way, engine, _keras, missing = decided(tmp_path, OF_SESSIONS + 'x = tf.reduce_sum(y)\n')
    assert ('keras2', 'tensorflow') == (way, engine)
    assert [name for name in missing if 'tensorflow' in name]
    here['tensorflow'] = '2.21'
    assert [] == decided(tmp_path, OF_SESSIONS + 'x = tf.reduce_sum(y)\n')[3]


def test_a_session_of_settings_needs_no_tensorflow(here, tmp_path):
    """A program that sets memory and threads by a session, and does no more with TensorFlow, runs without it."""
    assert ('keras2', 'numpy', '2.3.1', []) == decided(tmp_path, OF_SESSIONS)


def test_what_another_engine_lacks(here, tmp_path):
    """Where another engine is chosen, --check names what only TensorFlow has, and nothing that changes nothing."""
    program = written(tmp_path, OF_SESSIONS + 'tf.set_random_seed(1)\nx = tf.reduce_sum(y)\n')
    for engine in ('torch', 'numpy'):
        said_lines = stops(decide(program, engine=engine))
        assert ['train.py, line 7: tf.reduce_sum needs the engine TensorFlow'] == [
            line.split(', and')[0] for line in said_lines
        ]
    assert [] == stops(decide(program))


def test_all_that_is_missing_is_named_at_once(here, tmp_path, monkeypatch):
    """Libraries of the program, of its own modules, and the engine are one line."""
    written(tmp_path, 'import pandas\nimport skimage.io\n', 'helper.py')
    lines = 'import helper\nimport matplotlib.pyplot\nx = tf.reduce_sum(y)\n'
    found = decide(written(tmp_path, OF_SESSIONS + lines))
    for name in ('pandas', 'scikit-image', 'matplotlib'):
        assert name in found.missing
    assert found.missing[0].endswith('[tensorflow]')
    lines = command.lines(found)
    assert len(lines) <= 4
    if sys.version_info < (3, 10):
        assert lines[-1].startswith('It needs Python 3.10 to 3.13, and this is Python ')
        return
    assert lines[-1].startswith('Missing here; type: pip install ')
    del here['pip']
    monkeypatch.setenv('PATH', '')
    # An environment of `uv venv`: one line to paste all the same.
    assert 'type: python -m ensurepip && python -m pip install ' in command.lines(found)[-1]


def test_what_is_fetched_is_not_missing(here, tmp_path):
    """A Keras that is fetched brings h5py, PyYAML, SciPy and six; an installed one does not."""
    for name in ('h5py', 'yaml', 'scipy', 'six'):
        del here[name]
    assert ('keras2', 'numpy', '2.3.1', []) == decided(tmp_path, OLD)
    here['keras'] = '2.3.1'
    way, _engine, keras, missing = decided(tmp_path, OLD)
    assert ('keras2', '', {'h5py', 'pyyaml', 'scipy', 'six'}) == (way, keras, set(missing))


def test_nothing_can_fetch_a_keras(here, tmp_path, monkeypatch):
    """Without pip and uv a Keras that is not there yet cannot be fetched."""
    del here['pip']
    monkeypatch.setenv('PATH', '')
    found = decide(written(tmp_path, OLD))
    assert found.refused == 'pip or uv has to be there to fetch Keras 2.3.1; type: python -m ensurepip'
    os.makedirs(os.path.join(place('2.3.1'), 'keras'))
    assert decide('train.py').refused == ''


def test_a_program_of_python_2(here, tmp_path, monkeypatch):
    """A launcher translates it, be it a module of the program; what translates is missing on Python 3.13."""
    written(tmp_path, 'def f(x):\n    print x\n', 'helper.py')
    program = written(tmp_path, 'from helper import f\n' + OLD)
    monkeypatch.setattr(translation, 'tool', lambda: 'lib2to3')
    found = decide(program)
    assert ('', [], '1') == (found.refused, found.missing, found.variables()[python2.VARIABLE])
    assert stops(found) == []
    monkeypatch.setattr(translation, 'tool', lambda: '')
    found = decide(program)
    assert (['fissix'], []) == (found.missing, stops(found)), 'once it is there, nothing stops the program'
    assert python2.VARIABLE not in decide(written(tmp_path, OLD, 'new.py')).variables()


def test_a_program_of_python_2_without_a_launcher(here, tmp_path):
    """Nothing translates it on the way of Python alone; the sentence says what to type."""
    status, _out, err = said(written(tmp_path, OURS + 'print 1\n'))
    assert status == 1
    wanted = 'train.py, line 3: the program is written in Python 2; type: pip install fissix, then python -m fissix -w '
    assert wanted in err
    assert len(err.splitlines()) <= 4


def test_options_overrule(here, tmp_path):
    here['jax'] = '0.4'
    assert ('keras2', 'jax', '2.2.4', []) == decided(tmp_path, OLD, engine='jax', keras='2.2.4')
    assert ('keras3', 'jax') == decided(tmp_path, OLD, engine='jax', way='keras3')[:2]
    assert ('keras2', 'my.engine') == decided(tmp_path, OLD, engine='my.engine')[:2]


@pytest.mark.parametrize(
    ('text', 'options', 'words'),
    [
        (OF_TF_KERAS, {'engine': 'numpy'}, '--engine numpy: this program can run on tensorflow, jax, torch'),
        (OLD, {'engine': 'numpi'}, '--engine numpi: this program can run on tensorflow'),
        (OF_TF_KERAS, {'keras': '2.2.4'}, 'is for programs of Keras 1 and 2, and this is tf.keras'),
        (OLD, {'keras': '2.7'}, '2.7'),
        (OURS, {'way': 'keras3'}, 'leave --with out'),
    ],
)
def test_options_that_do_not_fit(text, options, words, here, tmp_path):
    with pytest.raises(KerasBackendError) as caught:
        decided(tmp_path, text, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ('names', 'started'),
    [
        (['a.py'], 'a.py'),
        (['b.ipynb'], 'b.ipynb'),
        (['a.py', 'train.py'], 'train.py'),
        (['a.py', 'main.py', 'train.py'], 'main.py'),
        (['a.py', 'b.py'], None),
        ([], None),
    ],
)
def test_the_file_of_a_folder(names, started, here, tmp_path):
    (tmp_path / 'repository').mkdir()
    for name in names:
        text = json.dumps({'cells': [{'cell_type': 'code', 'source': OURS}]}) if name.endswith('.ipynb') else OURS
        written(tmp_path / 'repository', text, name)
    if started is None:
        with pytest.raises(CannotRun, match='give the (one|path)'):
            decide('repository')
    else:
        assert os.path.join('repository', started) == decide('repository').path


@pytest.mark.parametrize('path', ['gone.py', 'words.txt', 'data.py'])
def test_what_is_no_program(path, here, tmp_path):
    written(tmp_path, 'words', 'words.txt')
    (tmp_path / 'data.py').write_bytes(b'\0\1\2')
    with pytest.raises(CannotRun) as caught:
        decide(path)
    assert path in str(caught.value)


def test_check_of_run_starts_nothing(here, tmp_path):
    """`--check` says how a program would run and what would stop it; red is 1."""
    assert said('--check', written(tmp_path, OURS))[0] == 0
    status, out, _err = said('--check', written(tmp_path, OURS + 'x = (\n'))
    assert status == 1
    assert 'What would stop it:' in out
    assert 'train.py, line 3' in out
    status, out, _err = said('--check', '--json', '--engine=jax', 'train.py')
    told = json.loads(out)
    assert (1, 'jax', 'import', 'train.py') == (status, told['engine'], told['way'], told['path'])
    assert told['missing']


@pytest.mark.parametrize('name', ['package.train', 'package'])
def test_a_module_is_found_without_an_import(name, here, tmp_path):
    """The packages above a module are code of the program, and `--check` runs none of it."""
    (tmp_path / 'package').mkdir()
    written(tmp_path / 'package', 'raise SystemExit(9)', '__init__.py')
    for file in ('train.py', '__main__.py'):
        written(tmp_path / 'package', OURS, file)
    assert said('--check', '-m', name)[0] == 0


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        ([], 'usage: python -m keras_backend run'),
        (['--engine'], '--engine needs a value'),
        (['--as', 'old', 'train.py'], '--as takes a version of TensorFlow, such as 2.10, got old'),
        (['--engin', 'jax', 'a.py'], '--engin is no option'),
        (['--check'], 'no program is named'),
        (['-m'], 'no program is named'),
        (['-m', 'no.such.module'], "cannot find the module 'no.such.module'"),
        (['--with', 'keras4', 'a.py'], '--with takes keras2, keras3, import'),
    ],
)
def test_usage_of_run(arguments, words, here):
    status, out, err = said(*arguments)
    assert status == 2
    assert words in out + err


def test_help(here):
    status, out, _err = said('--help')
    assert status == 0
    for option in ('--engine', '--keras', '--with', '--check', '--json'):
        assert option in out


@pytest.mark.slow
def test_a_program_runs(tmp_path):
    """With its arguments, its own modules and data, as a file, a module and a folder; the status is its own."""
    folder = tmp_path / 'a repository'
    folder.mkdir()
    (folder / 'data.txt').write_text('7')
    (folder / 'helper.py').write_text('import keras_backend as K\ntwo = K.eval(K.ones((2,)) * 2)\n')
    text = (
        'import sys\nimport helper\nprint(helper.two, open("data.txt").read(), sys.argv[1:], __name__)\nsys.exit(5)\n'
    )
    (folder / 'train.py').write_text(text)
    wanted = "[2. 2.] 7 ['--engine', 'x'] __main__"
    for program in (['train.py'], ['-m', 'train'], [str(folder)]):
        options = {'home': tmp_path, 'cwd': folder}
        status, out, err = python(
            '-m', 'keras_backend', 'run', '--engine', 'numpy', *program, '--engine', 'x', **options
        )
        assert (5, wanted) == (status, out.strip()), err
        assert 'engine numpy' in err
    status, _out, err = python('-m', 'keras_backend', 'run', 'gone.py', home=tmp_path, cwd=folder)
    assert (2, 1) == (status, len(err.splitlines()))
    assert sys.executable


def test_all_that_a_program_takes_for_granted(here, tmp_path):
    """What Keras 3 and an engine do not bring along is named, by its name for pip, with what its use implies."""
    here.clear()
    here.update(pip='24', numpy='2.0')
    text = OF_TF_KERAS + (
        'import yaml, h5py, cv2, sklearn.svm, skimage.io, scipy.misc, IPython.display\n'
        'from PIL import Image\nfrom tqdm import tqdm_notebook\nimport pandas as pd\nfrom google.colab import drive\n'
        'from google.protobuf import text_format\n'
        'g = tf.keras.preprocessing.image.ImageDataGenerator()\nc = tf.keras.callbacks.TensorBoard()\n'
        'pd.read_excel("x.xlsx").plot()\n'
        'try:\n    import six\nexcept ImportError:\n    pass\n'
    )
    found = decide(written(tmp_path, text))
    names = 'pyyaml h5py opencv-python-headless scikit-learn scikit-image scipy ipython pillow tqdm pandas protobuf'
    for name in names.split() + ['tensorboard', 'openpyxl', 'matplotlib', 'ipywidgets']:
        assert name in found.missing, name
    assert ([], True) == (found.unknown, 'six' not in found.missing)
    assert len(found.missing) == len(set(found.missing))
    text = 'import yaml, scipy\n' + OURS
    assert {'pyyaml', 'scipy'} == set(decide(written(tmp_path, text)).missing)


OF_ADDONS = 'import tensorflow_addons as tfa\n' + OF_TF_KERAS


of_python_310 = pytest.mark.skipif(sys.version_info < (3, 10), reason='an older Python is what a person is told first')


@of_python_310
def test_tensorflow_addons_inside_keras_3(here, tmp_path, monkeypatch):
    """They do not go with Keras 3: one sentence says what to do, and nothing says it again."""
    for choice, options in (('1', ['--engine', 'jax']), ('0', [])):
        monkeypatch.setenv('TF_USE_LEGACY_KERAS', choice)
        status, out, err = said('--check', *options, written(tmp_path, OF_ADDONS))
        assert status == 1
        assert 'It imports tensorflow_addons: TensorFlow Addons ended in 2024, and does not go with Keras 3;' in out
        assert 'tensorflow-addons' not in out.partition('Missing here')[2]
        assert 'not found here' not in out + err
        assert 1 == out.count('ended in 2024')


@pytest.mark.parametrize('version', ['3.11', '3.13'])
def test_libraries_of_tf_keras(version, here, tmp_path, monkeypatch):
    """On tf_keras, libraries of these years are named for pip, and a Python that has no wheel of one is told."""
    for module in 'run.decision', 'run.command', 'launcher.check.libraries_of_tf_keras':
        monkeypatch.setattr(f'keras_backend.programs.{module}.THIS_PYTHON', version)
    text = 'import keras_tuner as kt, keras_nlp, tensorflow_model_optimization as tfmot, scikeras\n' + OF_TF_KERAS
    found = decide(written(tmp_path, text))
    names = {'tf_keras', 'keras-tuner', 'tensorboard', 'keras-nlp<0.5', 'tensorflow-model-optimization', 'scikeras'}
    assert ('', set()) == (found.refused, names - set(found.missing))
    status, out, _ = said('--check', written(tmp_path, OF_ADDONS))
    assert status == 1
    assert 'It runs on tf_keras, engine tensorflow.' in out
    refusal = 'tensorflow_addons can be installed for Python 3.10 to 3.11, and this is Python 3.13; --install takes'
    assert (version == '3.13') == (refusal in out) == ('tensorflow-addons' not in out)
    assert out.count('tensorflow_addons can be') == (version == '3.13')
    # With Keras 3, a program runs there, but for one that has a library which needs tf_keras.
    here.update(keras='3.15.1', tensorflow='2.21.0')
    assert 'in Keras 3' in said('--check', written(tmp_path, OF_TF_KERAS))[1]
    monkeypatch.setattr('keras_backend.programs.launcher.check.libraries_of_tf_keras.THIS_PYTHON', '3.11')
    assert 'tf_keras==2.21.*' in decide(written(tmp_path, OF_ADDONS)).missing


@of_python_310
def test_install_brings_tf_keras(here, tmp_path, monkeypatch):
    """Where Keras 3 is beside TensorFlow, --install takes an environment with tf_keras, if nobody refuses it."""
    here.update(keras='3.15.1', tensorflow='2.21.0')
    program, taken = written(tmp_path, OF_TF_KERAS), []
    monkeypatch.setattr(command, '_run_in_environment', lambda *arguments: taken.append('environment') or 0)
    monkeypatch.setattr(command, '_run_instead', lambda *arguments: taken.append('here') or 0)
    for name in 'TF_USE_LEGACY_KERAS', 'KERAS_BACKEND_TENSORFLOW':
        monkeypatch.setenv(name, '')
    for arguments in ['--install'], [], ['--as', '2.4', '--install'], ['--install', '--keras-3']:
        assert 0 == said(*arguments, program)[0]
    assert ['environment', 'here', 'environment', 'here'] == taken
    assert ('0', '2.4') == (os.environ['TF_USE_LEGACY_KERAS'], os.environ['KERAS_BACKEND_TENSORFLOW'])


def test_what_stops_on_tf_keras(here, tmp_path):
    """Names that Keras 3 alone lacks stop nothing on tf_keras; those of TensorFlow 1 stop a program of TensorFlow 2."""
    lines = [
        'step = tf.function(m)',
        'from tensorflow.keras.layers import DenseFeatures, Highway',
        'from keras.utils import losses_utils, multi_gpu_model',
        'session = tf.compat.v1.Session()',
        'session.run(tf.log(m.output))',
    ]
    text = OF_TF_KERAS + '\n'.join(lines)
    on_tf_keras, inside = (
        stops(decide(written(tmp_path, text), engine=name, way='keras3')) for name in ('tensorflow', 'jax')
    )
    assert [line.partition(': ')[2].partition(';')[0] for line in on_tf_keras] == [
        'tensorflow.keras.layers.Highway: tf_keras does not have it',
        'tf.log: TensorFlow 2 does not have it',
    ]
    assert any('DenseFeatures: Keras 3 does not have it' in line for line in inside)


def test_a_program_that_imports_theano(here, tmp_path, monkeypatch):
    """PyTensor has other names, so such a program needs a Python of Theano."""
    found = decide(written(tmp_path, 'import theano\n' + OLD))
    assert ('theano', '3.11') == (found.engine, found.pythons[0])
    monkeypatch.setattr('keras_backend.programs.run.decision.THIS_PYTHON', '3.13')
    monkeypatch.setattr(command, 'THIS_PYTHON', '3.13')
    found = decide('train.py')
    assert found.refused.startswith('It needs Python 3.6 to 3.11, and this is ')
    assert found.refused.endswith('; --install takes such a Python.')
    assert not any(line.startswith('Missing') for line in command.lines(found))
    assert decide(written(tmp_path, OLD), engine='theano').refused == ''


@pytest.mark.parametrize(
    ('layer', 'more', 'channels'),
    [
        ('Convolution2D(8, 3, 3, input_shape=(1, 28, 28))', '', 'first'),
        ('ZeroPadding2D((1, 1), input_shape=(3, rows, cols))', '', 'first'),
        ('Conv2D(8, 3, batch_input_shape=(None, channels, 28, 28))', '', 'first'),
        ('Convolution2D(8, 3, 3, input_shape=(28, 28, 1))', '', ''),
        ('Convolution2D(8, 3, 3, input_shape=(8, 28, 28))', '', ''),
        ('Convolution2D(8, 3, 3, input_shape=(1, 28, 3))', '', ''),
        ('Convolution2D(8, 3, 3, input_shape=(1, 28, 28))', 'K.set_image_dim_ordering("tf")', ''),
        ('Convolution2D(8, 3, 3, input_shape=(1, 28, 28))', 'Conv2D(8, 3, input_shape=(28, 28, 3))', ''),
        ('LSTM(3, input_shape=(1, 28, 28))', '', ''),
    ],
)
def test_channels_of_images(layer, more, channels, here, tmp_path):
    """A shape of images tells where the channels are, unless the program says so or has both."""
    found = decide(written(tmp_path, OLD + layer + '\n' + more + '\n'))
    assert found.channels.split(' ')[0] == channels
    assert found.variables().get('KERAS_BACKEND_CHANNELS', '') == channels
    assert ('images with channels first (train.py:6)' in command.lines(found)[0]) == bool(channels)
    assert decide('train.py', channels='last').variables()['KERAS_BACKEND_CHANNELS'] == 'last'


def test_the_callback_tensorboard(here, tmp_path):
    """TensorBoard of Keras 2 writes with TensorFlow, so a program that makes one needs that engine."""
    start = 'from keras.callbacks import TensorBoard\n'
    assert decide(written(tmp_path, start + OLD)).engine == 'numpy'
    assert decide(written(tmp_path, start + OLD + "c = TensorBoard('logs')\n")).engine == 'tensorflow'


@pytest.mark.parametrize(
    'lines',
    [
        'm.fit(x, y, show_accuracy=True)\n',
        "m.add(Convolution2D(8, 3, 3, border_mode='full'))\n",
        'from keras.models import Graph\ng = Graph()\n',
    ],
)
def test_a_program_of_2015(lines, here, tmp_path):
    """What Keras 0.3 had runs on Keras 1.2.2, and nothing else is missing for it."""
    assert ('keras2', 'numpy', '1.2.2', []) == decided(tmp_path, OLD + lines)
    assert stops(decide('train.py')) == []


def test_pillow_is_for_programs_with_pictures(here, tmp_path):
    """A program without pictures starts without Pillow."""
    del here['PIL']
    assert decided(tmp_path, OLD)[3] == []
    assert decided(tmp_path, 'from keras.preprocessing.image import ImageDataGenerator\n' + OLD)[3] == ['pillow']

"""The settings: where they come from, what they may be, and the functions of K that ask and set them."""

import importlib.util
import json
import os
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import python, run
from shares import one_in

from keras_backend import config
from keras_backend.__main__ import main
from keras_backend.config import Settings
from keras_backend.engines.table import ENGINES
from keras_backend.errors import ConfigError, EngineNotFound
from keras_backend.loader import find_here

DEFAULTS = {'image_data_format': 'channels_last', 'epsilon': 1e-07, 'floatx': 'float32', 'backend': 'tensorflow'}

# What runs where nothing was chosen.
HAS_TENSORFLOW = sys.version_info >= (3, 10) and importlib.util.find_spec('tensorflow') is not None
UNCHOSEN = dict(DEFAULTS, backend='tensorflow' if HAS_TENSORFLOW else 'numpy')


def values(settings):
    """{key: value} of all settings."""
    return {setting.key: setting.value for setting in settings.all()}


# -- where settings come from ------------------------------------------------------------------------------------------


def test_defaults(home):
    """Without a file and variables the settings are those of the documents, and say that they are defaults."""
    settings = Settings()
    assert UNCHOSEN == values(settings)
    assert {'default'} == {setting.source for setting in settings.all()}


# TensorFlow is nowhere to be found.
HIDE = (
    'import keras_backend.basics.installed as installed; spec = installed.spec; '
    'installed.spec = lambda module: spec(module) if module != "tensorflow" else None; '
)


@pytest.mark.parametrize('backend', one_in(2, [None, 'numpy']))
def test_import_writes_no_file(tmp_path, backend):
    """An import writes no settings: nobody chose them. KERAS_BACKEND is a choice for one run."""
    home = tmp_path / 'home'
    code = 'import keras_backend as K; print(K.backend(), K.floatx())'
    assert 'numpy float32\n' == run((HIDE if backend is None else '') + code, home=home, backend=backend)
    assert not home.exists()


def test_import_that_fails_writes_nothing(tmp_path):
    """Where the engine cannot be imported no file is made."""
    home = tmp_path / 'home'
    status, _out, err = python('-c', 'import keras_backend', home=home, backend='my_absent.engine')
    assert 1 == status
    assert 'my_absent' in err
    assert not home.exists()


@pytest.mark.parametrize(
    ('there', 'version', 'engine'), [(True, (3, 11), 'tensorflow'), (True, (3, 7), 'numpy'), (False, (3, 11), 'numpy')]
)
def test_default_engine(write, monkeypatch, there, version, engine):
    """Nothing was chosen: TensorFlow where it is installed and our engine runs on it, else NumPy.

    A file that says what Keras writes unasked is no choice. A file that says anything else is one.
    """
    monkeypatch.setattr(config.installed, 'spec', lambda module: object() if there else None)
    monkeypatch.setattr(config.sys, 'version_info', version + (0, 'final', 0))
    assert (engine, 'default') == Settings().get('backend')[1:3]
    path = write(DEFAULTS)
    assert (engine, 'default') == Settings().get('backend')[1:3]
    write(dict(DEFAULTS, floatx='float64'))
    assert ('tensorflow', f'{path}, line 5') == Settings().get('backend')[1:3]


def test_own_key_overrules_the_key_of_keras(write):
    """`"keras_backend"` names the engine of K, and then `"backend"` is the business of Keras."""
    path = write({'backend': '', 'keras_backend': 'Theano'})
    setting = Settings().get('backend')
    assert ('theano', f'{path}, line 3', None) == setting[1:4]


def test_why_numpy_runs_is_told(tmp_path):
    """One line says why NumPy runs, where nothing was chosen and TensorFlow is absent."""
    code = HIDE + 'import keras_backend as K; K.dot'
    _status, _out, err = python('-c', code, home=tmp_path / 'a')
    assert 'Using NumPy backend. No engine was chosen, and TensorFlow is not installed' in err
    _status, _out, err = python('-c', 'import keras_backend as K; K.dot', home=tmp_path / 'a', backend='numpy')
    assert 'Using NumPy backend.\n' == err


def test_default_engine_is_looked_for_where_it_counts(write, monkeypatch):
    """Nobody looks for TensorFlow where the variable or the file names the engine, nor twice where none does."""
    looked = []
    monkeypatch.setattr(config, 'default_backend', lambda: looked.append('looked') or 'numpy')
    write({'floatx': 'float64'})
    monkeypatch.setenv('KERAS_BACKEND', 'theano')
    settings = Settings()
    assert ('theano', 'float64', None) == (
        settings.get('backend').value,
        settings.value('floatx'),
        settings.get('backend').overruled,
    )
    monkeypatch.delenv('KERAS_BACKEND')
    write({'keras_backend': 'cntk'})
    assert 'cntk' == Settings().value('backend')
    assert [] == looked
    assert ['numpy', 'numpy'] == [settings.value('backend'), settings.value('backend')]
    assert ['looked'] == looked


def test_default_home_is_dot_keras(tmp_path, monkeypatch):
    """Without KERAS_HOME, and with a blank one, the file is ~/.keras/keras.json."""
    for i, blank in enumerate((None, ' ')):
        user = tmp_path / str(i)
        user.mkdir()
        monkeypatch.setenv('HOME', str(user))
        monkeypatch.delenv('KERAS_HOME', raising=False)
        if blank is not None:
            monkeypatch.setenv('KERAS_HOME', blank)
        assert 0 == main(['use', 'numpy'])
        assert 'numpy' == json.loads((user / '.keras' / 'keras.json').read_text())['keras_backend']


def test_values_and_lines_of_the_file(write):
    """Values of the file are taken, each with its line."""
    path = write(
        '{\n  "floatx": "float64",\n\n  "epsilon": 1,\n  "image_data_format":\n "channels_first", "backend": "theano"}'
    )
    settings = Settings()
    assert {'image_data_format': 'channels_first', 'epsilon': 1.0, 'floatx': 'float64', 'backend': 'theano'} == values(
        settings
    )
    assert isinstance(settings.value('epsilon'), float)
    assert [f'{path}, line {line}' for line in (5, 4, 2, 6)] == [setting.source for setting in settings.all()]


def test_keys_left_out_have_defaults(write):
    """A file with one key leaves the others at their defaults."""
    write({'floatx': 'float16'})
    assert dict(UNCHOSEN, floatx='float16') == values(Settings())


def test_variable_overrules_file(write, monkeypatch):
    """KERAS_BACKEND comes before the file, and the overruled value is kept with its source."""
    path = write({'backend': 'theano'})
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    setting = Settings().get('backend')
    assert ('numpy', 'the environment variable KERAS_BACKEND') == (setting.value, setting.source)
    assert ('theano', f'{path}, line 2') == (setting.overruled.value, setting.overruled.source)


def test_pinned_engine_stays(write, monkeypatch):
    """The setting of an engine that runs does not follow the variable, until it is let go."""
    write({'backend': 'theano'})
    settings = Settings()
    assert 'theano' == settings.pin_backend().value
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    assert 'theano' == settings.get('backend').value
    settings.unpin_backend()
    assert 'numpy' == settings.get('backend').value


@pytest.mark.parametrize('blank', ['', '  ', '\t'])
def test_blank_variable_is_not_set(write, monkeypatch, blank):
    """An empty KERAS_BACKEND is as good as none."""
    write({'backend': 'theano'})
    monkeypatch.setenv('KERAS_BACKEND', blank)
    assert 'theano' == Settings().value('backend')


@pytest.mark.parametrize('length', [251, 6000])
def test_name_of_an_engine_that_is_too_long(monkeypatch, write, length):
    """A name of thousands of parts is one clear error, and the longest name is looked for as every other."""
    write({})
    monkeypatch.setenv('KERAS_BACKEND', ('a.' * length)[:length])
    with pytest.raises(ConfigError, match=f'of at most 250 characters; it has {length}') as caught:
        Settings().value('backend')
    assert len(str(caught.value)) < 400
    monkeypatch.setenv('KERAS_BACKEND', 'a.' * 124 + 'aa')
    with pytest.raises(EngineNotFound):
        find_here(Settings().value('backend'), 'a test')


@pytest.mark.parametrize(
    ('spelled', 'name'),
    [
        ('TensorFlow', 'tensorflow'),
        (' NUMPY\n', 'numpy'),
        ('CNTK ', 'cntk'),
        (' My_Package.Engine ', 'My_Package.Engine'),
    ],
)
def test_case_and_blanks_of_names(write, monkeypatch, spelled, name):
    """Blanks are forgiven everywhere, letter case in the names of built-in engines."""
    write({'backend': spelled})
    assert name == Settings().value('backend')
    monkeypatch.setenv('KERAS_BACKEND', spelled)
    assert name == Settings().get('backend').value


def test_calls_overrule_files(write):
    """A call comes before the file, names itself as the source, and remembers what it overruled."""
    path = write({'floatx': 'float16'})
    settings = Settings()
    settings.set('floatx', 'float64', 'K.set_floatx')
    settings.set('floatx', 'float32', 'K.set_floatx')
    setting = settings.get('floatx')
    assert ('float32', 'K.set_floatx') == (setting.value, setting.source)
    assert ('float16', f'{path}, line 2') == (setting.overruled.value, setting.overruled.source)


def test_reset_and_restore(write):
    """`restore` brings back what `saved` saw, and `reset` reads the file anew."""
    write({'floatx': 'float16'})
    settings = Settings()
    saved = settings.saved()
    settings.set('floatx', 'float64', 'K.set_floatx')
    settings.restore(saved)
    assert 'float16' == settings.value('floatx')
    write({'floatx': 'float64'})
    assert 'float16' == settings.value('floatx')
    settings.reset()
    assert 'float64' == settings.value('floatx')


def test_first_question_from_many_threads(home):
    """Threads that ask first at the same time get the same answers."""
    settings, told, gate = Settings(), [], threading.Barrier(8)

    def ask():
        gate.wait()
        told.append(values(settings))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [UNCHOSEN] * 8 == told


# -- the functions -----------------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(home):
    """The settings of this process, read anew."""
    config.settings.reset()


@pytest.mark.parametrize('name', ['float16', 'float32', 'float64', np.str_('float64')])
def test_setting_floatx(fresh, name):
    """Every float type can be set, is read back, and is what arrays are cast to."""
    config.set_floatx(name)
    assert name == config.floatx()
    assert type(config.floatx()) is str
    cast = config.cast_to_floatx([1, 2])
    assert (name, [1.0, 2.0]) == (cast.dtype.name, cast.tolist())
    assert name == config.cast_to_floatx(np.arange(3, dtype='int8')).dtype.name


@pytest.mark.parametrize('value', [1e-3, 1, np.float32(0.5), np.int64(2), np.float64(1e-12)])
def test_setting_epsilon(fresh, value):
    """Positive numbers of all kinds are taken, and read back as a float."""
    config.set_epsilon(value)
    assert float(value) == config.epsilon()
    assert type(config.epsilon()) is float


@given(st.floats(min_value=5e-324, max_value=1.7e308))
def test_every_positive_number(value):
    """Every positive finite float is read back as it was set."""
    settings = Settings()
    settings.set('epsilon', value, 'K.set_epsilon')
    assert value == settings.value('epsilon')


@pytest.mark.parametrize(('new', 'old'), [('channels_first', 'th'), ('channels_last', 'tf')])
def test_data_format(fresh, new, old):
    """The data format can be set and asked in both spellings."""
    config.set_image_data_format(new)
    assert (new, old) == (config.image_data_format(), config.image_dim_ordering())
    config.settings.reset()
    config.set_image_dim_ordering(old)
    assert (new, old) == (config.image_data_format(), config.image_dim_ordering())
    assert new == config.normalize_data_format(None)


@pytest.mark.parametrize(
    ('setter', 'key', 'value'),
    [
        ('set_floatx', 'floatx', 'float31'),
        ('set_floatx', 'floatx', np.float32),
        ('set_floatx', 'floatx', None),
        ('set_epsilon', 'epsilon', '1e-7'),
        ('set_epsilon', 'epsilon', 0),
        ('set_epsilon', 'epsilon', float('nan')),
        ('set_epsilon', 'epsilon', None),
        ('set_epsilon', 'epsilon', np.array([1.0])),
        ('set_epsilon', 'epsilon', 1j),
        ('set_epsilon', 'epsilon', False),
        ('set_image_data_format', 'image_data_format', 'th'),
        ('set_image_data_format', 'image_data_format', None),
        ('set_image_dim_ordering', 'image_dim_ordering', 'channels_last'),
    ],
)
def test_setters_refuse_bad_arguments(fresh, setter, key, value):
    """What is wrong in a file is wrong in a call, in the same words, and changes nothing."""
    before = values(config.settings)
    with pytest.raises(ConfigError) as caught:
        getattr(config, setter)(value)
    error = caught.value
    assert ('K.' + setter, key) == (error.source, error.key)
    assert value is error.value
    assert str(error).startswith(f'K.{setter}: {key} is ')
    assert ', but it must be ' in str(error)
    assert before == values(config.settings)


@pytest.mark.parametrize('value', ['channels_last', 'channels_first', 'Channels_Last', 'CHANNELS_FIRST'])
def test_normalize(value):
    """A data format is taken in any letter case."""
    assert value.lower() == config.normalize_data_format(value)


@pytest.mark.parametrize(
    ('value', 'new'), [('th', 'channels_first'), ('tf', 'channels_last'), ('TH', 'channels_first')]
)
def test_normalize_first_generation(value, new):
    """The first-generation values are taken with a DeprecationWarning at the line of the caller."""
    with pytest.warns(DeprecationWarning, match=new) as caught:
        assert new == config.normalize_data_format(value)
    assert os.path.basename(__file__) == os.path.basename(caught[0].filename)


@pytest.mark.parametrize('value', ['channels', '', 1, 3.5, ['channels_last'], b'channels_last'])
def test_normalize_refuses(value):
    """Everything else is an error that names what is accepted."""
    with pytest.raises(ValueError, match="'channels_last' or 'channels_first'"):
        config.normalize_data_format(value)


def test_settings_alone_import_nothing(tmp_path):
    """Reading settings imports neither NumPy nor an engine."""
    libraries = {library.module for engine in ENGINES.values() for library in engine.libraries}
    code = (
        'import sys; from keras_backend.config import floatx; print(floatx(), '
        f'{{m.split(".")[0] for m in sys.modules}} & {libraries})'
    )
    assert 'float32 set()\n' == run(code, home=tmp_path)

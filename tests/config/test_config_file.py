"""keras.json: how it is read, refused, made, and when it may name a module."""

import json
import os
import stat
import subprocess
import sys
import time
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import environment, python, run

from keras_backend.config import Settings, keras_json
from keras_backend.engines.table import ENGINES
from keras_backend.errors import ConfigError, KerasBackendError

DEFAULTS = {'image_data_format': 'channels_last', 'epsilon': 1e-07, 'floatx': 'float32', 'backend': 'tensorflow'}
# What `python -m keras_backend use numpy` writes where there is no file.
CHOSEN = dict(DEFAULTS, keras_backend='numpy')


# -- files that are in order -------------------------------------------------------------------------------------------


def test_byte_order_mark_and_line_ends(write):
    """A byte order mark and Windows line ends do no harm."""
    path = write(b'\xef\xbb\xbf{\r\n"floatx": "float64",\r\n"epsilon": 1e-05}\r\n')
    settings = Settings()
    assert ('float64', 1e-05) == (settings.value('floatx'), settings.value('epsilon'))
    assert f'{path}, line 3' == settings.get('epsilon').source


@pytest.mark.slow
def test_home_with_letters_of_all_scripts(tmp_path):
    """A home whose path is not ASCII is read, made and named, whatever the locale."""
    home = tmp_path / 'h\u00e4user \u5bb6'
    assert 0 == python('-m', 'keras_backend', 'use', 'numpy', home=home, LC_ALL='C')[0]
    assert CHOSEN == json.loads((home / 'keras.json').read_text())
    (home / 'keras.json').write_text('{"floatx": "float31"}')
    status, out, err = python('-m', 'keras_backend', home=home, LC_ALL='C')
    # Python 3.6 cannot tell in this locale which letters the path has, and shows numbers.
    assert 1 == status
    assert 'keras.json, line 1: floatx' in out
    assert '' == err
    assert sys.version_info < (3, 7) or str(home) in out


def test_foreign_keys_are_left_alone(write):
    """Keys of Keras 3 and of anyone else are no concern of ours, and an import does not touch the file."""
    path = write(
        {'nnx_enabled': False, 'max_epochs': None, 'backend': 'jax', 'colour': [1, {'backend': 5}], 'floatx': 'float64'}
    )
    before, settings = path.read_bytes(), Settings()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert ('jax', 'float64') == (settings.value('backend'), settings.value('floatx'))
    assert before == path.read_bytes()


def test_misspelt_key_is_told(write):
    """A key that looks like one of ours is ignored with a warning that names the right one, file and line."""
    path = write({'floatx': 'float16', 'backnd': 'numpy'})
    with pytest.warns(UserWarning, match='backnd') as caught:
        assert 'float16' == Settings().value('floatx')
    assert [f"{path}, line 3: the key 'backnd' is unknown and was ignored; did you mean 'backend'?"] == [
        str(warning.message) for warning in caught
    ]


@pytest.mark.parametrize(('old', 'new'), [('th', 'channels_first'), ('tf', 'channels_last')])
def test_first_generation_key(write, old, new):
    """`image_dim_ordering` in the file means the data format, with a DeprecationWarning that names today's spelling."""
    write({'image_dim_ordering': old})
    with pytest.warns(DeprecationWarning, match=f'"image_data_format": "{new}"'):
        assert new == Settings().value('image_data_format')


def test_both_spellings_of_the_data_format(write):
    """Where both spellings are there, today's counts."""
    write({'image_data_format': 'channels_last', 'image_dim_ordering': 'th'})
    with pytest.warns(DeprecationWarning, match='"th" is now "image_data_format": "channels_first"'):
        assert 'channels_last' == Settings().value('image_data_format')


def test_last_of_equal_keys_counts(write):
    """Of a key that is there twice the last one counts, as in every reader of JSON, with its line."""
    path = write('{"floatx": "float16",\n "floatx": "float64"}')
    setting = Settings().get('floatx')
    assert ('float64', f'{path}, line 2') == (setting.value, setting.source)


SCALARS = st.none() | st.booleans() | st.floats(allow_nan=False) | st.text()


VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=8), VALUES), st.sampled_from([None, 1, 4]), st.booleans())
def test_places_of_values(items, indent, ascii_only):
    """The reader finds every key with its line and the exact text of its value."""
    text = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    found = keras_json._items(text)
    assert list(items) == list(found)
    for key, item in found.items():
        assert items[key] == item.value == json.loads(text[item.start : item.end])
        assert text.count('\n', 0, item.start) + 1 == item.line


# -- files that are not ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('content', 'key', 'line', 'words'),
    [
        ('{"backend": "numpy"', None, 1, ['not valid JSON', '{"backend": "numpy"}']),
        ('{\n"floatx": "float32"\n"epsilon": 1}', None, 3, ['not valid JSON', 'column 1']),
        ("{'backend': 'numpy'}", None, 1, ['not valid JSON']),
        ('', None, None, ['empty', '{"backend": "numpy"}']),
        (' \n\t', None, None, ['empty']),
        ('[]', None, None, ['a list', 'JSON object']),
        ('"numpy"', None, None, ['a string']),
        ('3', None, None, ['a number']),
        ('null', None, None, ['null']),
        (b'{"floatx": "float32",\n "backend": "numpy\xff"}', None, 2, ['UTF-8']),
        ('{"backend": "numpy"}'.encode('utf-16'), None, 1, ['UTF-8']),
        ('[' * 100000, None, None, ['']),
        (
            {'floatx': 'float31'},
            'floatx',
            2,
            ["'float31'", "'float16', 'float32' or 'float64'", "Did you mean 'float32'?"],
        ),
        ({'floatx': 'bfloat16'}, 'floatx', 2, ["'bfloat16'", "Did you mean 'float16'?"]),
        ({'floatx': 32}, 'floatx', 2, ['32', "'float16', 'float32' or 'float64'"]),
        ({'epsilon': 1e-5, 'floatx': None}, 'floatx', 3, ['None']),
        ({'floatx': ['float32']}, 'floatx', 2, ["['float32']"]),
        ({'epsilon': '1e-7'}, 'epsilon', 2, ["'1e-7'", 'a positive number such as 1e-07']),
        ({'epsilon': 0}, 'epsilon', 2, ['0', 'positive']),
        ({'epsilon': -1e-7}, 'epsilon', 2, ['-1e-07', 'positive']),
        ({'epsilon': True}, 'epsilon', 2, ['True', 'positive']),
        ('{"epsilon": NaN}', 'epsilon', 1, ['nan', 'positive']),
        ('{"epsilon": Infinity}', 'epsilon', 1, ['inf', 'positive']),
        ('{"epsilon": 1' + '0' * 400 + '}', 'epsilon', 1, ['positive']),
        ({'backend': ''}, 'backend', 2, ["''", *(repr(name) for name in ENGINES), ' or the dotted name of a module']),
        ({'backend': ' '}, 'backend', 2, ["' '"]),
        ({'backend': None}, 'backend', 2, ['None']),
        ({'backend': ['numpy']}, 'backend', 2, ["['numpy']"]),
        ({'image_data_format': 'channel_last'}, 'image_data_format', 2, ["Did you mean 'channels_last'?"]),
        ({'image_data_format': 'th'}, 'image_data_format', 2, ["Did you mean 'channels_first'?"]),
        ({'image_data_format': 1}, 'image_data_format', 2, ["'channels_last' or 'channels_first'"]),
        ({'image_dim_ordering': 'channels_first'}, 'image_dim_ordering', 2, ["'tf' or 'th'", "Did you mean 'th'?"]),
    ],
)
def test_bad_file(write, content, key, line, words):
    """A bad file is one typed error with file, line, key, value, what is accepted and what was meant."""
    path = write(content)
    with pytest.raises(ConfigError) as caught:
        Settings().value('floatx')
    error, source = caught.value, str(path) if line is None else f'{path}, line {line}'
    assert isinstance(error, ValueError)
    assert isinstance(error, KerasBackendError)
    assert str(error).startswith(source + ': ')
    assert (key, source) == (error.key, error.source)
    for word in words:
        assert word in str(error)


def test_bad_value_is_told_whatever_was_asked_for(write):
    """The file is checked as a whole, again on each question, and a corrected file is taken."""
    write({'floatx': 'float31'})
    settings = Settings()
    for key in ('epsilon', 'backend', 'epsilon'):
        with pytest.raises(ConfigError):
            settings.get(key)
    write({'floatx': 'float16'})
    assert 'float16' == settings.value('floatx')


def test_long_values_are_cut(write):
    """A message stays readable when the value is not."""
    write({'floatx': 'x' * 5000})
    with pytest.raises(ConfigError) as caught:
        Settings().value('floatx')
    assert 400 > len(str(caught.value)) - len(str(caught.value.source))
    assert 'x' * 5000 == caught.value.value


def test_something_else_in_place_of_the_file(home):
    """A folder called keras.json is an error that says so."""
    (home / 'keras.json').mkdir()
    with pytest.raises(ConfigError, match='no regular file'):
        Settings().value('floatx')


@pytest.mark.parametrize('size', [2**20 + 1, 2**40])
def test_file_that_is_too_large(home, size):
    """A file that is no settings file is not read into memory."""
    path = home / 'keras.json'
    with open(str(path), 'wb') as stream:
        stream.truncate(size)  # takes no room on the disk
    with pytest.raises(ConfigError, match=f'at most 1048576 bytes, and it has {size}') as caught:
        Settings().value('floatx')
    assert str(path) == caught.value.source


def test_largest_file(write):
    """A file of a megabyte is read."""
    write('{"floatx": "float16"}'.ljust(2**20))
    assert 'float16' == Settings().value('floatx')


# -- homes that cannot be used -----------------------------------------------------------------------------------------


@pytest.mark.parametrize('kind', ['absent', 'a file', 'below a file', 'not to be made'])
def test_unusable_home_is_no_error(tmp_path, kind):
    """Where no file can be read or made, the defaults hold, without a word, and nothing is made."""
    (tmp_path / 'file').write_text('')
    home = {
        'absent': tmp_path / 'absent',
        'a file': tmp_path / 'file',
        'below a file': tmp_path / 'file' / 'home',
        'not to be made': '/proc/self/keras',
    }[kind]
    variables = dict(HOME=str(home), KERAS_HOME=None) if kind == 'absent' else {}
    code = 'from keras_backend.config import settings; print(settings.all()[1].value)'
    status, out, err = python('-W', 'error', '-c', code, home=home, **variables)
    assert (0, '1e-07\n', '') == (status, out, err)
    assert not os.path.isdir(str(home))


@pytest.mark.skipif(not hasattr(os, 'geteuid'), reason='needs users')
def test_read_only_home(tmp_path):
    """A home without the right to write gives the defaults, and stays empty."""
    home = tmp_path / 'home'
    home.mkdir()
    home.chmod(0o555)
    tmp_path.chmod(0o755)
    code = '\n'.join(
        [
            'import os, json, warnings',
            'import keras_backend.config as config',
            'os.geteuid() == 0 and os.seteuid(65534)  # root may write everywhere',
            'print(config.floatx())',
        ]
    )
    assert 'float32\n' == run(code, home=home)
    assert [] == os.listdir(str(home))


@pytest.mark.skipif(not hasattr(os, 'geteuid'), reason='needs users')
def test_file_without_the_right_to_read(tmp_path):
    """A file that is there and must not be read is an error: its settings would be lost without a word."""
    path = tmp_path / 'keras.json'
    path.write_text('{"floatx": "float64"}')
    path.chmod(0)
    code = '\n'.join(
        [
            'import os, json, warnings',
            'import keras_backend.config as config',
            'os.geteuid() == 0 and os.seteuid(65534)',
            'try: config.floatx()',
            'except ValueError as error: print(error)',
        ]
    )
    tmp_path.chmod(0o755)
    told = run(code, home=tmp_path)
    # Folders above that nobody else may enter hide the file, and then there is none.
    assert 'cannot be read (Permission denied)' in told or '' == told


# -- making the file ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sixteen_processes_on_a_fresh_home(tmp_path):
    """Sixteen processes that choose an engine at once on a fresh home all succeed, and one whole file is left."""
    home = tmp_path / 'home'
    code = (
        'import sys; from keras_backend.commands.report import keras_json; sys.stdin.readline(); '
        'keras_json.put(keras_json.location(), None, "keras_backend", "numpy")'
    )
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    processes = [
        subprocess.Popen([sys.executable, '-W', 'error', '-c', code], env=environment(home), **pipes) for _ in range(16)
    ]
    for process in processes:
        process.stdin.write(b'go\n')
        process.stdin.flush()
    assert [(b'', b'')] * 16 == [process.communicate(timeout=300) for process in processes]
    assert [0] * 16 == [process.returncode for process in processes]
    assert ['keras.json'] == os.listdir(str(home))
    assert CHOSEN == json.loads((home / 'keras.json').read_text())


@pytest.mark.skipif(os.name != 'posix', reason='needs permissions')
def test_permissions_of_a_new_file(home):
    """A new file may be read by all, as far as the umask goes, and written by nobody else."""
    before = os.umask(0)
    try:
        keras_json.put(str(home / 'keras.json'), None, 'keras_backend', 'numpy')
    finally:
        os.umask(before)
    assert 0o644 == stat.S_IMODE(os.stat(str(home / 'keras.json')).st_mode)


# -- trust -------------------------------------------------------------------------------------------------------------


def danger(path):
    """Why the file may not name a module."""
    return keras_json.read(str(path)).danger


@pytest.mark.skipif(os.name != 'posix', reason='needs permissions')
def test_who_else_may_write_the_file(write):
    """A file that others may write must not name code; the reason says what to type."""
    path = write({'backend': 'my_engine'})
    assert danger(path) is None
    for mode in (0o664, 0o646, 0o666):
        path.chmod(mode)
        assert f'chmod go-w {path}' in danger(path)
        assert danger(path) == Settings().get('backend').danger


@pytest.mark.skipif(not hasattr(os, 'getuid') or os.getuid() != 0, reason='needs root to give files away')
def test_file_of_another_user(write):
    """A file that belongs to neither this user nor root must not name code."""
    path = write({'backend': 'my_engine'})
    os.chown(str(path), 12345, 12345)
    assert 'another user (uid 12345)' in danger(path)
    # What root writes into it stays theirs.
    keras_json._write(str(path), b'{}', owner=(12345, 23456))
    assert (12345, 23456) == (path.stat().st_uid, path.stat().st_gid)


@pytest.mark.skipif(os.name != 'posix', reason='needs permissions')
def test_shared_temporary_folder(tmp_path):
    """In a folder where everybody may write, and in a .keras there, keras.json must not name code; deeper it may."""
    shared = tmp_path / 'shared'
    for folder, safe in [
        (shared, False),
        (shared / '.keras', False),
        (shared / 'mine', True),
        (shared / 'mine' / '.keras', True),
    ]:
        folder.mkdir()
        shared.chmod(0o1777)
        path = folder / 'keras.json'
        path.write_text('{"backend": "my_engine"}')
        path.chmod(0o644)
        assert safe == (danger(path) is None)
        assert safe or str(shared) in danger(path)


# -- odd files ---------------------------------------------------------------------------------------------------------


def test_number_with_more_digits_than_python_reads(write):
    """A number of 5000 digits is an error that names the file, not a raw one."""
    path = write('{"mine": ' + '9' * 5000 + ', "floatx": "float64"}')
    if not hasattr(sys, 'set_int_max_str_digits'):  # the limit came with security fixes of 3.7 to 3.10, too
        assert 'float64' == Settings().value('floatx')
    else:
        with pytest.raises(ConfigError, match='a value that Python does not read') as caught:
            Settings().value('floatx')
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ('old', 'new', 'disagree'),
    [
        ('th', 'channels_first', False),
        ('tf', 'channels_last', False),
        ('th', 'channels_last', True),
        ('tf', 'channels_first', True),
        ('th', None, False),
    ],
)
def test_spellings_of_the_data_format_that_disagree(write, old, new, disagree):
    """The file has both spellings. Only where they say different things is one of them ignored with a word."""
    path = write({'image_dim_ordering': old, **({'image_data_format': new} if new else {})})
    told = keras_json.read(str(path)).contradictions()
    assert disagree == bool(told)
    assert all('was ignored' in sentence and repr(old) in sentence for sentence in told)


def test_contradiction_of_an_odd_value(write):
    """A list where a word belongs is a problem of its own and no contradiction."""
    path = write({'image_dim_ordering': [1], 'image_data_format': 'channels_last'})
    found = keras_json.read(str(path))
    assert [] == found.contradictions()
    assert ['image_dim_ordering'] == [problem.key for problem in found.problems()]


def test_link_to_nowhere(home):
    """A keras.json that is a link to a file that is gone is told, instead of the defaults."""
    home.mkdir(exist_ok=True)
    (home / 'keras.json').symlink_to(home / 'gone.json')
    with pytest.raises(ConfigError, match='it is a link to .*gone.json, which is not there'):
        Settings().value('floatx')


@pytest.mark.parametrize('end', [b'\n', b'\r\n'])
def test_a_new_key_ends_its_line_as_the_file_does(end, write):
    path = write(end.join([b'{', b'    "floatx": "float64"', b'}', b'']))
    keras_json.put(str(path), keras_json.read(str(path)), 'keras_backend', 'numpy')
    wanted = [b'{', b'    "keras_backend": "numpy",', b'    "floatx": "float64"', b'}', b'']
    assert end.join(wanted) == path.read_bytes()


def test_age_of_a_draft_that_goes(tmp_path):
    """More than ten seconds. A file whose name only resembles that of a draft stays."""
    draft, other = tmp_path / 'keras.json.12.0123abcd', tmp_path / 'keras.json.12.0123abcd.txt'
    for path in draft, other:
        path.write_text('{')
        os.utime(str(path), (1000, 1000))
    keras_json._remove_old_drafts(str(tmp_path / 'keras.json'), 1010)
    assert draft.exists()
    keras_json._remove_old_drafts(str(tmp_path / 'keras.json'), 1010.5)
    assert (draft.exists(), other.exists()) == (False, True)


def test_drafts_of_killed_processes_go(write, home):
    """What a process left that was killed while it wrote goes with a write seconds later; a young draft stays."""
    path = write({'floatx': 'float64'})
    old, young, other = (home / f'keras.json.{name}' for name in ('77.0123abcd', '78.0123abcd', 'backup.0123abcd'))
    for draft in (old, young, other):
        draft.write_text('{')
    for draft in (old, other):
        os.utime(str(draft), (time.time() - 15, time.time() - 15))
    keras_json.put(str(path), keras_json.read(str(path)), 'keras_backend', 'numpy')
    assert {'keras.json', young.name, other.name} == set(os.listdir(str(home)))


def test_engine_that_is_named_too_late(monkeypatch):
    """A word for each other engine, once; none for the one that runs, and for nothing."""
    late = Settings()
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    late.pin_backend()

    def use():
        late.notice_late_change()  # as K.backend does: the warning names the line that calls it

    for name, count in ('numpy', 0), ('torch', 1), ('torch', 0), (' ', 0), ('numpy', 0), ('torch', 1):
        monkeypatch.setenv('KERAS_BACKEND', name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            line = sys._getframe().f_lineno + 1
            use()
        start = "KERAS_BACKEND now says 'torch', but keras_backend runs on 'numpy' since it was imported."
        assert [str(entry.message)[: len(start)] for entry in caught] == [start] * count
        assert [(entry.filename, entry.lineno) for entry in caught] == [(__file__, line)] * count

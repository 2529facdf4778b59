"""Exit statuses, and one sentence for a file that is missing, a folder, a full disk: in commands and launchers."""

import errno
import os
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from checkout import ROOT, TESTS
from processes import python

from keras_backend import __main__ as command
from keras_backend import errors
from keras_backend.basics.exit_status import MEANING, in_words, writing
from keras_backend.errors import ConfigError, EngineError, KerasBackendError
from keras_backend.programs.launcher.check import command as check_command

MODEL = os.path.join(TESTS, 'files', 'models', 'keras122_python36_theano_dense.h5')
PROGRAM = 'from keras import backend as K\nfor i in xrange(3): K.dot(x, y)\n'
LAUNCHERS = ['keras_backend.keras2', 'keras_backend.keras3']


@pytest.fixture
def said(home, tmp_path, capsys, monkeypatch):
    """Runs the command in an empty folder and in this process: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def said(*arguments):
        capsys.readouterr()
        try:
            status = command.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
        out, err = capsys.readouterr()
        return status, out, err

    return said


@pytest.mark.parametrize(
    'arguments',
    [
        ['model', 'no.h5'],
        ['model', 'no/no.h5'],
        ['model', 'folder'],
        ['model', 'words.txt'],
        ['model', MODEL, '--predict', 'no.npy', 'out.npy'],
        ['model', MODEL, '--predict', 'words.txt', 'out.npy'],
        ['model', MODEL, '--predict', 'folder', 'out.npy'],
        ['model', MODEL, '--predict', 'in.npy', 'no/out.npy'],
        ['model', MODEL, '--predict', 'wide.npy', 'out.npy'],
        ['migrate', 'no.py'],
        ['migrate', 'words.txt'],
        ['migrate', 'train.py', '--patch', 'no/patch'],
        ['migrate', 'train.py', '--patch', 'folder'],
        ['prove', 'no.py'],
        ['prove', 'folder'],
        ['check', 'numpy', '--expected', 'no.txt'],
        ['check', 'numpy', '--expected', 'folder'],
        ['check', 'numpy', '--expected', 'words.txt'],
        ['check', 'numpy', '--report', 'no/report.json'],
        ['check', 'numpy', '--report', os.devnull],
        ['check', 'no_such_engine'],
        ['use', 'no_such_engine'],
        ['demo', '--engines', 'no_such_engine'],
        ['run', 'no.py'],
    ],
)
def test_what_cannot_be_carried_out(said, tmp_path, arguments):
    """Status 2 and one sentence in words, before anything runs; nothing of the system's numbers."""
    (tmp_path / 'folder').mkdir()
    (tmp_path / 'words.txt').write_text('no test and no array')
    (tmp_path / 'train.py').write_text(PROGRAM)
    np.save(str(tmp_path / 'in.npy'), np.ones((2, 4), 'float32'))
    np.save(str(tmp_path / 'wide.npy'), np.ones((2, 5), 'float32'))
    status, out, err = said(*arguments)
    assert status == 2, out + err
    text = err or out
    assert 'Traceback' not in text
    assert 'Errno' not in text
    assert 'INTERNALERROR' not in text
    # argparse puts the usage before it.
    assert len(text.strip().split('error: ')[-1].splitlines()) == 1, text
    assert os.path.exists(os.devnull)
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize('name', ['use', 'check', 'demo', 'model', 'migrate', 'prove'])
def test_help_says_what_the_status_means(said, name):
    """The meanings stand in each --help, and on the page."""
    status, out, _err = said(name, '--help')
    assert status == 0
    assert ' '.join(MEANING.split()) in ' '.join(out.split())


@pytest.mark.parametrize('name', ['use', 'demo', 'model', 'migrate', 'prove'])
def test_unknown_option_of_a_command(said, name):
    """The usage is that of the command, not of the one above."""
    needed = [] if name == 'demo' else ['something']
    status, _out, err = said(name, *needed, '--no-such-option')
    assert status == 2
    assert f'python -m keras_backend {name}: error: unrecognized arguments: --no-such-option' in err
    assert f'usage: python -m keras_backend {name}' in err


def test_page_of_the_commands():
    """docs/commands.md has each command."""
    with open(os.path.join(ROOT, 'docs', 'commands.md'), encoding='utf-8') as stream:
        page = stream.read()
    for name in ('use', 'demo', 'run', 'model', 'migrate', 'prove', 'check'):
        assert f'`python -m keras_backend {name} ' in page or f'`python -m keras_backend {name}`' in page, name
    for status in (0, 1, 2, 130):
        assert f'| {status} | ' in page


@pytest.mark.skipif(os.name != 'posix', reason='needs a limit of the size of files')
@pytest.mark.parametrize(
    ('arguments', 'name'),
    [
        pytest.param(
            ['migrate', 'train.py', '--patch', 'a.patch'],
            'a.patch',
            marks=pytest.mark.skipif(sys.version_info < (3, 8), reason='a patch needs Python 3.8'),
        ),
        (['model', MODEL, '--predict', 'in.npy', 'out.npy'], 'out.npy'),
        (['model', MODEL, '--predict', 'in.npy', 'out.npz'], 'out.npz'),
    ],
)
def test_full_disk(said, tmp_path, arguments, name):
    """One sentence names the file; half a patch does not stay."""
    (tmp_path / 'train.py').write_text(PROGRAM)
    np.save(str(tmp_path / 'in.npy'), np.ones((2, 4), 'float32'))
    import resource

    # Python ignores the signal of the system, so that a file which grows is an error. What pytest writes comes later.
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
    try:
        status, _out, err = said(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert status == 2, err
    assert f'{name} cannot be written: File too large. Make room, or give a path on another disk.' in err
    assert 'Traceback' not in err
    assert not (tmp_path / 'a.patch').exists()


@pytest.mark.parametrize(
    ('error', 'words'),
    [
        (
            PermissionError(errno.EACCES, 'Permission denied', 'a.h5'),
            'a.h5 is not open to this user: Permission denied.',
        ),
        (IsADirectoryError(errno.EISDIR, 'Is a directory', 'a'), 'a is a folder; give the path of a file.'),
        (NotADirectoryError(errno.ENOTDIR, 'Not a directory', 'a/b'), 'a/b cannot be there: '),
        (FileNotFoundError(errno.ENOENT, 'No such file', 'none/b'), 'There is no folder '),
        (OSError(errno.EIO, 'Input/output error', 'a'), 'a: Input/output error; give another path.'),
    ],
)
def test_words_for_errors_of_files(error, words):
    assert in_words(error).startswith(words)


def test_a_long_message_keeps_its_end():
    """The end of a message says what to type next; what an error knows beside it is no part of it."""
    message = str(KerasBackendError('a' * 3400 + 'b' * 400 + 'c' * 600))
    assert message == 'a' * 3400 + ' [...] ' + 'c' * 600
    assert str(KerasBackendError('a' * 4000)) == 'a' * 4000
    assert str(ConfigError('words', 'epsilon', 3, 'keras.json, line 2')) == 'words'
    assert str(EngineError('words', 'torch')) == 'words'


@pytest.mark.parametrize(
    ('kind', 'arguments'),
    [
        (errors.UnreadableCodeError, ()),
        (errors.RefusedCodeError, ()),
        (errors.UnreadableFileError, ()),
        (errors.ExcessiveFileError, ('bytes', 9)),
        (errors.UnknownLayerError, ('dense_1', 'Dense')),
        (errors.WrongWeightsError, ('dense_1',)),
        (errors.LayerConfigError, ('dense_1',)),
        (errors.UnsupportedMaskError, ('dense_1',)),
    ],
)
def test_errors_of_files_have_one_line(kind, arguments):
    """A name in a file cannot add a line to the message. Messages about programs may have several."""
    assert str(kind('a\nb', *arguments)) == 'a\\nb'
    assert str(KerasBackendError('a\nb')) == str(errors.ExportError('a\nb')) == 'a\nb'


@pytest.mark.parametrize(
    ('text', 'short'),
    [
        ('a\nb', 'a\nb'),
        ('\n'.join('a' * 20), '\n'.join('a' * 20)),
        ('\n'.join('a' * 21), '\n'.join('a' * 20) + '\n(1 more lines: there)'),
        ('a' * 1000, 'a' * 1000),
        ('a' * 1001 + '\nb', 'a' * 1000 + '...\nb\n(the rest: there)'),
    ],
)
def test_messages_of_libraries_are_cut(text, short):
    """After twenty lines, and each line after a thousand letters."""
    assert errors.shortened(text, 'there') == short


def test_words_for_a_full_disk():
    error = OSError(errno.ENOSPC, 'No space left on device')
    assert in_words(error, 'a.png').startswith('a.png cannot be written: No space left on device. Make room')


@pytest.mark.parametrize('kind', [RuntimeError, OSError])
def test_full_disk_in_the_words_of_a_library(kind):
    """TensorFlow and HDF5 have errors of their own for what the system says; other errors stay what they are."""
    with pytest.raises(OSError) as caught, writing('a.pb'):
        raise kind('a.pb/saved_model.pb; No space left on device')
    assert in_words(caught.value).startswith('a.pb cannot be written: ')
    with pytest.raises(ZeroDivisionError), writing('a.pb'):
        raise ZeroDivisionError
    with pytest.raises(FileNotFoundError) as caught, writing('a.pb'):
        open(os.path.join(os.sep, 'no', 'weights.h5'))
    assert 'weights.h5' in caught.value.filename


# -- the launchers -----------------------------------------------------------------------------------------------------


def run_as_main(package):
    """Run a package as `python -m` does, also where pytest has rewritten it, whose loader gives no code to runpy."""
    path = find_spec(f'{package}.__main__').origin
    with open(path, encoding='utf-8') as file:
        code = compile(file.read(), path, 'exec')
    exec(code, {'__name__': '__main__', '__package__': package, '__file__': path})


@pytest.fixture
def launched(home, tmp_path, capsys, monkeypatch):
    """Runs a launcher as `python -m` does, in an empty folder and in this process: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def launched(package, *arguments):
        monkeypatch.setattr(sys, 'argv', [package, *arguments])
        before = set(sys.modules)
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run_as_main(package)
        # It ends before anything of Keras is imported or stands in for it.
        assert not [name for name in set(sys.modules) - before if name.partition('.')[0] in ('keras', 'tensorflow')]
        return (stop.value.code or 0, *capsys.readouterr())

    return launched


@pytest.mark.parametrize('package', LAUNCHERS)
@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['no.py'], "it cannot find the program 'no.py'"),
        (['folder'], 'folder is a folder; give the path of one of its .py files'),
        (['book.ipynb'], 'book.ipynb is a notebook'),
        (['--no-such-option'], 'there is no option --no-such-option.'),
        (['-m'], '-m needs the name of a module.'),
        ([], 'usage: python -m keras_backend'),
    ],
)
def test_launcher_that_cannot_run(launched, tmp_path, package, arguments, words):
    """Status 2 and a sentence, before anything is imported or fetched, be Keras there or not."""
    (tmp_path / 'folder').mkdir()
    (tmp_path / 'book.ipynb').write_text('{}')
    status, out, err = launched(package, *arguments)
    assert (status, out) == (2, '')
    assert words in err
    assert 'Traceback' not in err


@pytest.mark.parametrize('package', LAUNCHERS)
@pytest.mark.parametrize('before', [[], ['--check']])
def test_help_of_a_launcher(launched, package, before):
    """It explains each option of its usage."""
    status, out, err = launched(package, *before, '--help')
    assert (status, err) == (0, '')
    usage, explained = out.split('\n\n', 1)
    line = usage.splitlines()[0]
    options = [word.strip('[]') for word in line.split() if word.startswith('[--')]
    assert options
    assert all(f'  {option}' in explained for option in options)
    assert ' '.join(MEANING.split()) in ' '.join(out.split())


@pytest.mark.parametrize('package', LAUNCHERS)
def test_launcher_of_a_new_process(home, tmp_path, package):
    """What the tests above run in their own process is the command."""
    status, out, err = python('-m', package, 'no.py', home=home, cwd=tmp_path)
    assert (status, out) == (2, '')
    assert "it cannot find the program 'no.py'" in err


def test_check_that_is_stopped(tmp_path, capsys):
    """Ctrl-C ends a check with 130 and no traceback."""

    def stop(path):
        raise KeyboardInterrupt

    assert check_command.main([str(tmp_path)], 'usage', stop, str, str) == 130
    assert capsys.readouterr().err == 'Stopped.\n'


def test_explain_without_a_library(home, tmp_path):
    """What is missing is named in a sentence."""
    code = (
        'from keras_backend.programs.launcher import command\n'
        'from keras_backend.keras3.__main__ import DOOR\n'
        'def explain():\n    import no_such_library.inside\n'
        "command.main(DOOR, ['--explain'], lambda: None, explain)\n"
    )
    status, out, err = python('-c', code, home=home, cwd=tmp_path)
    assert (status, out) == (2, '')
    assert "--explain imports Keras, which fails here: No module named 'no_such_library'; type: pip install " in err
    assert 'Traceback' not in err

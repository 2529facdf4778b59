"""What lies below all others, on its own: what threads remember, dtypes that others bring in, words of errors."""

import errno
import os
import runpy
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from keras_backend import __main__ as command
from keras_backend import binding, comparison, config, loader
from keras_backend.basics import dtypes, exit_status, installed, misuse, run_errors, threads
from keras_backend.errors import ArgumentTypeError, ConfigError, EngineError, IndexOutOfRangeError, ShapeError

# -- threads -----------------------------------------------------------------------------------------------------------


def test_values_that_threads_remember():
    remembered = threads.Remembered(2)
    for key in 'abca':
        remembered.put(key, key * 2)
    assert [remembered.get(key) for key in 'abc'] == ['aa', None, 'cc']
    remembered.put('c', 'new')
    remembered.put('d', 'dd')
    assert [remembered.get(key) for key in 'acd'] == [None, 'new', 'dd']
    remembered.clear()
    assert remembered.get('d') is None


@pytest.mark.parametrize('make', [threads.Lock, threads._Wrapped])
def test_a_lock_is_free_after_a_fork(make):
    lock = make()
    with lock, lock:
        held = threading.Thread(target=lambda: with_lock(lock))
        held.start()
        held.join(0.05)
        assert held.is_alive()
    held.join(5)
    assert not held.is_alive()
    holder = threading.Thread(target=lock.__enter__)
    holder.start()
    holder.join()
    threads._renew_all()  # what a child does first
    free = threading.Thread(target=lambda: with_lock(lock))
    free.start()
    free.join(5)
    assert not free.is_alive()
    assert threads._process == [os.getpid()]


def with_lock(lock):
    """Take a lock, and give it back."""
    with lock:
        pass


def test_a_lock_looks_for_a_fork_where_nobody_tells_it(monkeypatch):
    """As on Python 3.6."""
    lock = threads._Wrapped()
    holder = threading.Thread(target=lock.__enter__)
    holder.start()
    holder.join()
    monkeypatch.setattr(threads, '_UNTOLD', True)
    monkeypatch.setattr(threads, '_process', [os.getpid() - 1])
    free = threading.Thread(target=lambda: with_lock(lock))
    free.start()
    free.join(5)
    assert not free.is_alive()
    assert threads._process == [os.getpid()]


@pytest.mark.parametrize('kind', [threads.Scoped, type(threads.scoped('a value', 0))])
def test_values_of_blocks(kind):
    value = kind('a value', 1)
    first = value.set(2)
    second = value.set(3)
    seen = []
    other = threading.Thread(target=lambda: seen.append(value.get()))
    other.start()
    other.join()
    assert (value.get(), seen) == (3, [1])
    value.reset(second)
    assert value.get() == 2
    value.reset(first)
    assert value.get() == 1


def test_values_of_a_block_that_is_left_in_another_task():
    if threads.ContextVar is None:  # Python 3.6 does not tell tasks apart
        return
    import contextvars

    value = threads.scoped('a value', 1)
    outer = value.set(2)
    inner = value.set(3)
    contextvars.Context().run(value.reset, inner)
    task = contextvars.copy_context()
    assert task.run(lambda: (value.reset(inner), value.get())) == (None, 2)
    assert task.run(lambda: (value.reset(outer), value.get())) == (None, 2)
    assert value.get() == 3


# -- dtypes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('a', 'b', 'together'),
    [
        ('bfloat16', 'int32', 'bfloat16'),
        ('bfloat16', 'bool', 'bfloat16'),
        ('bfloat16', 'float16', 'float32'),
        ('bfloat16', 'float64', 'float64'),
        ('complex64', 'float32', 'complex64'),
        ('complex128', 'int8', 'complex128'),
        ('string', 'string', 'string'),
    ],
)
def test_dtypes_that_a_program_brings_in(a, b, together):
    assert dtypes.promote(a, b) == dtypes.promote(b, a) == together


@pytest.mark.parametrize(('a', 'b'), [('string', 'int32'), ('string', 'complex64'), ('complex64', 'complex128')])
def test_dtypes_that_do_not_meet(a, b):
    with pytest.raises(ArgumentTypeError, match=f'Tensors of dtypes {a} and {b} cannot be combined'):
        dtypes.promote(a, b)


# -- words -------------------------------------------------------------------------------------------------------------


def test_index_in_an_error_of_tensorflow():
    error = run_errors.of_tensorflow(ValueError('indices[1,20] = -7 is not in [0, 5) [Op:Gather]'))
    assert isinstance(error, IndexOutOfRangeError)
    expected = IndexOutOfRangeError.of_index(-7, 5, at=[1, 20])
    assert (str(error), error.index) == (str(expected), expected.index)
    error = run_errors.of_tensorflow(ValueError('indices = 9 is not in [0, 5)'))
    assert str(error) == str(IndexOutOfRangeError.of_index(9, 5, at=[]))
    assert run_errors.of_tensorflow(ValueError('something else')) is None


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / 'a.txt'
    path.write_text('a')
    assert exit_status.readable(str(path)) == ''
    assert exit_status.readable(str(tmp_path)) == f'{tmp_path} is a folder; give the path of a file.'
    assert 'no.txt' in exit_status.readable(str(tmp_path / 'no.txt'))
    refused = PermissionError(errno.EACCES, 'Permission denied')
    assert exit_status.in_words(refused, 'a.txt') == (
        'a.txt is not open to this user: Permission denied. Change its permissions, or give another path.'
    )


def test_processors_of_this_process(monkeypatch):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda process: {0, 3, 5} if process == 0 else set(), raising=False)
    assert installed.processors() == 3
    monkeypatch.delattr(os, 'sched_getaffinity')
    monkeypatch.setattr(os, 'cpu_count', lambda: 7)
    assert installed.processors() == 7
    monkeypatch.setattr(os, 'cpu_count', lambda: None)
    assert installed.processors() == 1


def test_operators_of_numpy_with_a_tensor():
    class Named:
        def __sub__(self, other):
            return 'left', other

        def __rsub__(self, other):
            return 'right', other

    tensor = Named()
    assert misuse.apply_ufunc(tensor, np.subtract, '__call__', (tensor, 1), {}) == ('left', 1)
    assert misuse.apply_ufunc(tensor, np.subtract, '__call__', (1, tensor), {}) == ('right', 1)
    array = np.ones(2)
    kind, other = misuse.apply_ufunc(tensor, np.subtract, '__call__', (array, tensor), {'out': (array,)})
    assert (kind, other is array) == ('right', True)
    for ufunc, method, inputs, named in [
        (np.subtract, 'outer', (tensor, 1), {}),
        (np.arctan2, '__call__', (tensor, 1), {}),
        (np.subtract, '__call__', (tensor,), {}),
        (np.subtract, '__call__', (tensor, 1), {'out': (array,)}),
        (np.subtract, '__call__', (tensor, 1), {'where': True}),
    ]:
        with pytest.raises(TypeError, match=f'numpy.{ufunc.__name__} cannot take'):
            misuse.apply_ufunc(tensor, ufunc, method, inputs, named)


# -- engines -----------------------------------------------------------------------------------------------------------


ENGINE = loader.load('numpy')._engine


def chosen(value, source):
    """A setting of the engine."""
    return config.settings.get('backend')._replace(value=value, source=source)


@pytest.mark.parametrize('quiet', ['', '0', 'False', 'no'])
def test_engine_is_announced(quiet, monkeypatch, capsys):
    monkeypatch.setenv('KERAS_BACKEND_QUIET', quiet)
    loader.announce(ENGINE, chosen('numpy', 'the file'))
    assert capsys.readouterr().err == 'Using NumPy backend.\n'
    loader.announce(ENGINE, chosen('tensorflow', 'default'))
    assert capsys.readouterr().err == 'Using NumPy backend.\n'
    loader.announce(ENGINE, chosen('numpy', 'default'))
    assert 'No engine was chosen, and TensorFlow is not installed' in capsys.readouterr().err


@pytest.mark.parametrize('quiet', ['1', 'yes'])
def test_engine_is_not_announced(quiet, monkeypatch, capsys):
    monkeypatch.setenv('KERAS_BACKEND_QUIET', quiet)
    loader.announce(ENGINE, chosen('numpy', 'the file'))
    assert capsys.readouterr().err == ''


def test_engine_in_the_midst_of_its_import(monkeypatch):
    asked = []
    monkeypatch.setattr(loader, 'being_imported', lambda module: asked.append(module) or module == 'own.part')
    assert not loader.is_on_its_way('numpy')
    assert not loader.is_on_its_way('keras_backend.engines.numpy_backend')
    assert not asked
    assert loader.is_on_its_way('own.part.engine')
    assert asked == ['own', 'own.part']
    assert not loader.is_on_its_way('other.part')


# -- comparison --------------------------------------------------------------------------------------------------------


def test_errors_in_a_comparison():
    error, value = ValueError('no'), np.float32(1)
    assert comparison.differ(error, error, None) is None
    assert comparison.differ(error, ValueError('another'), None) is None
    assert comparison.differ(error, value, None) == ('error', None, error, None)
    assert comparison.differ(value, error, None) == ('error', None, None, error)


# -- the command -------------------------------------------------------------------------------------------------------


def raising(error):
    """Work that ends with an error."""

    def work():
        raise error

    return work


def test_status_of_work_that_is_stopped(monkeypatch, capsys):
    assert command._stoppable(lambda: 7) == 7
    assert command._stoppable(raising(KeyboardInterrupt())) == command.STOPPED
    assert capsys.readouterr().err == 'Stopped.\n'
    closed = []
    monkeypatch.setattr(command, '_stop_writing', lambda: closed.append(1))
    assert command._stoppable(raising(BrokenPipeError())) == 1
    assert (closed, capsys.readouterr().err) == ([1], '')
    assert command._stoppable(raising(EngineError('an engine', 'numpy'))) == 1
    assert 'an engine' in capsys.readouterr().err
    assert command._stoppable(raising(OSError(errno.ENOSPC, 'No space', 'a.txt'))) == command.CANNOT
    assert 'a.txt' in capsys.readouterr().err
    assert command._stoppable(raising(ConfigError('a setting'))) == command.CANNOT


def test_what_the_command_needs(monkeypatch, capsys):
    monkeypatch.setattr(command, 'spec', lambda name: None)
    assert command.main(['demo']) == command.CANNOT
    assert capsys.readouterr().err.endswith('type: pip install numpy\n')


def test_picture_of_several_engines(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(['demo', '--engines', 'numpy', '--picture', 'a.png'])
    assert ended.value.code == 2
    assert '--picture is for one engine' in capsys.readouterr().err


# -- results that say who made them ------------------------------------------------------------------------------------


def test_results_are_signed():
    class Own(int):
        """A tensor of a library that signs."""

    signs = []
    library = SimpleNamespace(
        clock=lambda: 7, sign=lambda result, started, name: signs.append((result, started, name)), signed={Own}
    )
    enter = binding._signing('dot', lambda x, y=0: Own(x + y) if y else x, library)
    assert enter(1, y=2) == 3
    assert signs == [(3, 7, 'dot')]
    assert enter(1) == 1
    assert len(signs) == 1


def test_refusal_of_a_library():
    """TensorFlow's sentence goes on with the node that was not made; the first line tells what was refused."""

    def refused(error):
        try:
            exec(compile('raise error', 'library.py', 'exec'), {'error': error, '__name__': 'a_library.ops'})
        except type(error) as raised:
            raised.__traceback__ = raised.__traceback__.tb_next
            return binding._refusal_of_library(raised, {'a_library'}, 'K.dot')

    error = refused(ValueError("Sizes differ for '{{node MatMul}} = MatMul[T]'.\nA second line"))
    assert (type(error), str(error)) == (ShapeError, 'K.dot does not take these arguments: Sizes differ.')
    error = refused(TypeError('No such dtype.\nA second line'))
    assert (type(error), str(error)) == (ArgumentTypeError, 'K.dot does not take these arguments: No such dtype.')


# -- what PyInstaller takes along --------------------------------------------------------------------------------------


def test_modules_of_a_frozen_program(monkeypatch):
    hooks = SimpleNamespace(collect_data_files=lambda name: [name], copy_metadata=lambda name: [name + ' of pip'])
    for name in 'PyInstaller', 'PyInstaller.utils':
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, 'PyInstaller.utils.hooks', hooks)
    package = os.path.dirname(os.path.abspath(command.__file__))
    found = runpy.run_path(os.path.join(package, 'commands', 'frozen', 'hook-keras_backend.py'))
    modules = found['hiddenimports']
    assert len(modules) == len(set(modules)) > 300
    named = {'keras_backend', 'keras_backend.engines', 'keras_backend.engines.numpy_backend.library'}
    assert named | {'keras_backend.__main__', 'keras_backend.kernels'} <= set(modules)
    assert not [name for name in modules if 'conformance' in name or 'frozen' in name or name.endswith('__init__')]
    assert all(name.split('.')[0] == 'keras_backend' for name in modules)
    assert found['datas'] == ['keras_backend', 'keras_backend of pip']

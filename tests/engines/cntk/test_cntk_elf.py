"""Shared libraries made of nothing but names."""

import ctypes
import importlib.util
import os
import platform
import sys

import pytest

from keras_backend.engines import cntk_libraries

if not sys.platform.startswith('linux') or platform.machine() != 'x86_64':
    pytest.skip('the format is that of x86-64 Linux', allow_module_level=True)


def test_stub_has_its_names(tmp_path):
    """Functions return 0 whatever they are given, objects are zeros, and other names are absent."""
    path = tmp_path / 'first.so'
    path.write_bytes(cntk_libraries.stub(b'libfirst.so.1', [b'one', b'another'], [b'thing']))
    library = ctypes.CDLL(str(path))
    assert [0, 0] == [library.one(), library.another(7, b'text')]
    assert 1024 * b'\0' == bytes((ctypes.c_char * 1024).in_dll(library, 'thing'))
    assert not hasattr(library, 'yet_another')


def test_stub_without_names(tmp_path):
    """A library may be there for its name only."""
    path = tmp_path / 'empty.so'
    path.write_bytes(cntk_libraries.stub(b'libempty.so.1'))
    ctypes.CDLL(str(path))


def test_stub_is_found_by_its_name(tmp_path):
    """Once loaded, whoever asks for the library by its name gets it, wherever its file was."""
    path = tmp_path / 'elsewhere'
    path.write_bytes(cntk_libraries.stub(b'libkeras_backend_test.so.5', [b'found']))
    with pytest.raises(OSError):
        ctypes.CDLL('libkeras_backend_test.so.5')
    kept = ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
    os.remove(str(path))
    assert 0 == ctypes.CDLL('libkeras_backend_test.so.5').found() == kept.found()


def test_many_names(tmp_path):
    """A few hundred names are all found: the table holds each of them once."""
    names = [b'name_%d' % i for i in range(500)]
    path = tmp_path / 'many.so'
    path.write_bytes(cntk_libraries.stub(b'libmany.so.1', names))
    library = ctypes.CDLL(str(path))
    assert not any([getattr(library, name.decode())() for name in names])


def test_undefined_names():
    """The names that a module of Python's own expects of the interpreter, and no others."""
    names = cntk_libraries.undefined(importlib.util.find_spec('_ctypes').origin, (b'PyErr_', b'PyDict_'))
    assert names
    assert all([name.startswith((b'PyErr_', b'PyDict_')) for name in names])


def test_what_is_no_library(tmp_path):
    """Any other file is refused with its name."""
    path = tmp_path / 'text.so'
    path.write_bytes(b'x' * 100)
    with pytest.raises(ValueError, match='text.so'):
        cntk_libraries.undefined(str(path), (b'x',))

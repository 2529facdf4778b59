"""The library of a module tells its tensors from arrays and numbers, and reads shapes and dtypes of many kinds."""

import types

import numpy as np
import pytest

from keras_backend.errors import ShapeError, UnsupportedByEngine
from keras_backend.user_module.library import ModuleLibrary


class Wrapped:
    """A tensor that is no array, with the attributes of one."""

    def __init__(self, value, dtype=None, name=None):
        self.value, self.name = np.asarray(value, dtype), name
        self.shape, self.dtype = self.value.shape, self.value.dtype


def library(variable, **own):
    return ModuleLibrary(dict(own, variable=variable, placeholder=len, function=len), 'test', 'Test')


def test_arrays_are_tensors_where_variables_are_arrays():
    """A module without `is_tensor` has the tensors that its variables are."""
    of_arrays = library(lambda value, dtype=None, name=None: np.array(value, dtype))
    wrapped = library(Wrapped)
    array = np.zeros((2, 3), 'float32')
    assert [of_arrays.is_tensor(array), wrapped.is_tensor(array)] == [True, False]
    assert [of_arrays.is_tensor(x) for x in (1.0, 'x', [1.0], None)] == [False] * 4
    assert wrapped.is_tensor(Wrapped(1.0))


def test_own_is_tensor_decides():
    """A module that has `is_tensor` is asked."""
    made = library(Wrapped, is_tensor=lambda x: isinstance(x, str))
    assert [made.is_tensor(x) for x in ('a tensor', Wrapped(1.0), np.zeros(2))] == [True, False, False]


def test_dtypes_of_tensors():
    """The dtype has the name of NumPy, whatever the tensors call it."""
    of_torch = type('dtype', (), {'__module__': 'torch', '__str__': lambda self: 'torch.float64'})()
    made = library(Wrapped)
    kinds = [np.dtype('int8'), of_torch, 'bfloat16', np.float16]
    assert [made.dtype(types.SimpleNamespace(dtype=kind, shape=())) for kind in kinds] == [
        'int8',
        'float64',
        'bfloat16',
        'float16',
    ]
    assert [made.dtype(x) for x in (1.5, 2, True)] == ['float32', 'int32', 'bool']


def test_shapes_of_tensors():
    """A size is an int or None. The shape that a layer gave counts, and the rank is that of the tensor."""
    made = library(Wrapped)
    x = types.SimpleNamespace(dtype='float32', shape=(2, None, np.int64(3)))
    assert made.dims(x) == (2, None, 3)
    assert made.rank(x) == 3
    x._keras_shape = (2, 5, 3)
    assert made.shape(x) == (2, 5, 3)
    assert (made.shape(1.0), made.rank(1.0)) == ((), 0)
    unranked = library(Wrapped, int_shape=lambda x: None, ndim=lambda x: None)
    assert (unranked.shape(x), unranked.rank(x)) == (None, None)
    with pytest.raises(ShapeError, match='the number of axes of mine is needed'):
        unranked.dims(types.SimpleNamespace(dtype='float32', shape=None, name='mine'))


def test_sizes_that_only_a_run_knows():
    """They are elements of K.shape, and a module without K.shape says so."""
    x = types.SimpleNamespace(dtype='float32', shape=(None, 3))
    assert library(Wrapped, shape=lambda x: ['first', 'second']).sizes_of(x) == ['first', 3]
    with pytest.raises(UnsupportedByEngine, match='not known before a run'):
        library(Wrapped).sizes_of(x)


def test_a_function_that_knows_fewer_arguments():
    """Arguments that have their default are left out, and others are passed."""
    calls = []
    made = library(Wrapped, sum=lambda *arguments: calls.append(arguments))
    x = Wrapped(np.zeros((2, 3)))
    made.F.sum(x, axes=(0, 1), keepdims=False)
    made.F.sum(x, axes=(1,), keepdims=False)
    made.F.sum(x, axes=(1,), keepdims=True)
    assert [arguments[1:] for arguments in calls] == [(), (1,), (1, True)]


def test_what_a_constant_of_a_module_is_given():
    """Value, dtype and name, in the places of K.constant. Without one a variable takes its place."""
    given = []
    made = library(Wrapped, constant=lambda *arguments: given.append(arguments) or 'tensor')
    assert made.constant(2.0, 'float32', 'two') == 'tensor'
    assert given == [(2.0, 'float32', None, 'two')]
    variable = library(Wrapped).constant([1.0, 2.0], 'float64', 'pair')
    assert (variable.value.tolist(), variable.dtype, variable.name) == ([1.0, 2.0], 'float64', 'pair')

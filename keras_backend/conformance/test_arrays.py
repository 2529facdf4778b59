"""What K accepts as an array of numbers: also arrays of objects, and objects that NumPy converts to an array."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from ..errors import ForeignTensorError
from ._check import close, covers

NUMBERS = [[1.0, 2.5, -3.0], [0.0, 0.25, 8.0]]


class ArrayLike:
    """An object that NumPy converts to an array, like a dataset in a file."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.dtype, self.shape = self.array.dtype, self.array.shape

    def __array__(self, dtype=None, copy=None):
        return self.array.astype(dtype or self.dtype)

    def __len__(self):
        return len(self.array)


class OtherTensor(ArrayLike):
    """A tensor of another library: its dtype is not a NumPy dtype."""

    def __init__(self, array):
        super().__init__(array)
        self.dtype = 'their.float32'


def objects(values):
    """A nested list as an array of objects."""
    return np.array(values, dtype=object)


def frame(folder):
    return pytest.importorskip('pandas').DataFrame(NUMBERS)


def mixed_frame(folder):
    pandas = pytest.importorskip('pandas')
    return pandas.DataFrame(dict(zip('abc', zip(*NUMBERS)))).astype(object)


def dataset(folder):
    return pytest.importorskip('h5py').File(str(folder / 'numbers.h5'), 'w').create_dataset('numbers', data=NUMBERS)


MAKERS = {
    'objects': lambda folder: objects(NUMBERS),
    'objects of many kinds': lambda folder: objects([[1, 2.5, np.float32(-3)], [False, Fraction(1, 4), Decimal(8)]]),
    'arrays without axes': lambda folder: objects([[np.array(n) for n in row] for row in NUMBERS]).reshape(2, 3),
    'a list of arrays of objects': lambda folder: [objects(row) for row in NUMBERS],
    'an array-like': lambda folder: ArrayLike(NUMBERS),
    'an array-like of objects': lambda folder: ArrayLike(objects(NUMBERS)),
    'pandas.DataFrame': frame,
    'pandas.DataFrame of objects': mixed_frame,
    'h5py.Dataset': dataset,
}


@covers('variable', 'constant', 'set_value', 'batch_set_value', 'function', 'maximum', 'batch_get_value')
@pytest.mark.parametrize('kind', sorted(MAKERS))
def test_arrays_of_any_kind(K, kind, tmp_path):
    """Every object that NumPy converts to an array of numbers is accepted in the place of an array."""
    source = MAKERS[kind](tmp_path)
    for tensor in (
        K.variable(source),
        K.constant(source),
        K.constant(source, shape=(2, 3)),
        K.constant(source, dtype='float64'),
    ):
        assert K.int_shape(tensor) == (2, 3)
        close(K.eval(tensor), NUMBERS)
    close(K.eval(K.constant(source, shape=(3, 2))), np.reshape(NUMBERS, (3, 2)))
    close(K.eval(K.variable(source, dtype='int32')), np.array(NUMBERS).astype('int32'))
    v, w = K.variable(np.zeros((2, 3))), K.variable(np.zeros((2, 3)))
    K.set_value(v, source)
    K.batch_set_value([(w, source)])
    for value in K.batch_get_value([v, w]):
        close(value, NUMBERS)
    x = K.placeholder((None, 3))
    close(K.function([x], [x * 2.0])([source])[0], np.array(NUMBERS) * 2)
    close(K.eval(K.maximum(K.constant(1.0), source)), np.maximum(NUMBERS, 1.0))


@covers('variable', 'constant')
def test_column_of_a_table(K):
    """A column of pandas is accepted, with a NumPy dtype and with a dtype of pandas."""
    pandas = pytest.importorskip('pandas')
    for column in (
        pandas.Series([1.0, 2.0, 4.0]),
        pandas.Series([1, 2, 4]),
        pandas.Series([1, 2, 4], dtype='Int64'),
        pandas.Series([1, 2, 4], dtype='category'),
        pandas.DataFrame({'a': [1, 2, 4]})['a'],
        pandas.Series([1, 2, 4]).index + 1,
    ):
        expected = np.asarray(column).astype('float32')
        for tensor in (K.variable(column), K.constant(column)):
            close(K.eval(tensor), expected)
        v = K.variable(np.zeros(3))
        K.set_value(v, column)
        close(K.get_value(v), expected)
    with pytest.raises(TypeError) as caught:
        K.variable(pandas.Series(['cat', 'dog'], dtype='category'))
    assert 'cat' in str(caught.value)


@covers('variable')
def test_the_value_of_an_array_like_is_its_own(K):
    """A variable does not change with the object that it was made from."""
    array = np.array([1.0, 2.0], 'float32')
    v = K.variable(ArrayLike(array))
    w = K.variable(np.zeros(2))
    K.set_value(w, ArrayLike(array))
    array[:] = 0
    close(K.get_value(v), [1.0, 2.0])
    close(K.get_value(w), [1.0, 2.0])


STRANGERS = {
    'words': ['1', 'two'],
    'an object of words': objects([1.0, 'two']),
    'None': objects([None, 1.0]),
    'arrays': np.frompyfunc(lambda i: np.arange(3.0), 1, 1)(np.arange(2)),
    'things': objects([object(), 1]),
}


@covers('variable', 'constant', 'set_value', 'function')
@pytest.mark.parametrize('kind', sorted(STRANGERS))
def test_objects_that_are_no_numbers(K, check, kind):
    """An object that is no number is an error that shows the object, and nothing changes."""
    value = STRANGERS[kind]
    v, x = K.variable([5.0, 6.0]), K.placeholder((2,), name='the_input')
    for use in (lambda: K.variable(value), lambda: K.constant(value), lambda: K.set_value(v, value)):
        with check.rejects('number', error=TypeError):
            use()
    with check.rejects('the_input', 'number'):
        K.function([x], [x * 2.0])([value])
    close(K.get_value(v), [5.0, 6.0])


@covers('variable', 'constant', 'set_value', 'exp')
def test_tensors_of_another_library(K):
    """A tensor of another library is an error, whether NumPy can convert it or not."""
    other, v = OtherTensor([1.0, 2.0]), K.variable([5.0, 6.0])
    for use in (
        lambda: K.variable(other),
        lambda: K.constant(other),
        lambda: K.constant(other, shape=(2, 1)),
        lambda: K.set_value(v, other),
        lambda: K.exp(other),
        lambda: K.maximum(v, other),
    ):
        with pytest.raises(ForeignTensorError):
            use()
    close(K.get_value(v), [5.0, 6.0])


@covers('cast', 'variable', 'placeholder', 'zeros')
@pytest.mark.parametrize('dtype', ['float', float])
def test_float_is_float32(K, dtype):
    """'float' is float32, as in TensorFlow 1, whatever `floatx` is. Metrics say K.cast(x, 'float')."""
    for floatx in ('float32', 'float64'):
        K.set_floatx(floatx)
        tensors = [
            K.cast(K.constant([1, 2], dtype='int32'), dtype),
            K.variable([1.0], dtype=dtype),
            K.constant(1.0, dtype=dtype),
            K.placeholder((2,), dtype=dtype),
            K.zeros((2,), dtype=dtype),
            K.cast(K.constant([1.5], dtype='float64'), dtype),
        ]
        assert [K.dtype(t) for t in tensors] == ['float32'] * len(tensors)
        assert K.eval(tensors[0]).dtype.name == 'float32'

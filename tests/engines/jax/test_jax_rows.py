"""Updates of a table by rows: XLA writes them where the table is, whatever else the function reads of it."""

import re

import jax
import numpy as np
import pytest

import keras_backend.engines.jax_backend as K
from keras_backend.engines.jax_backend import compiled_function

ROWS, WIDTH = 5000, 16
START = np.random.RandomState(0).randn(ROWS, WIDTH).astype('float32')
PLACES = np.array([[3, 0, 3], [4999, 17, 0]], 'int32')
RATES = {'number': lambda: 0.5, 'tensor': lambda: K.constant(0.5), 'variable': lambda: K.variable(0.5)}
LOSSES = {
    'sum': K.sum,
    'mean': K.mean,
    'squares': lambda x: K.sum(K.square(x)),
    'two lookups': lambda x: K.sum(K.square(x)) + K.sum(x[:, 1:]),
}


@pytest.fixture
def programs(monkeypatch):
    """The texts of what XLA compiles. Nothing is compiled before."""
    K.clear_session()
    texts, jit = [], jax.jit

    def noting(function, **options):
        made = jit(function, **options)

        def call(*arrays):
            texts.append(made.lower(*arrays).compile().as_text())
            return made(*arrays)

        return call

    monkeypatch.setattr(compiled_function.jax, 'jit', noting)
    return texts


def _copies(text):
    return re.findall(rf'f32\[{ROWS},{WIDTH}\]\S* copy\(', text)


@pytest.mark.parametrize('rate', sorted(RATES))
@pytest.mark.parametrize('loss', sorted(LOSSES))
def test_no_copy_of_the_table(programs, loss, rate):
    table, places = K.variable(START), K.placeholder((None, 3), dtype='int32')
    value = LOSSES[loss](K.gather(table, places))
    (gradient,) = K.gradients(value, [table])
    step = K.function([places], [value, K.sum(table[0])], updates=[(table, table - RATES[rate]() * gradient)])
    _value, first = step([PLACES])
    assert not _copies(programs[0])
    np.testing.assert_allclose(first, START[0].sum(), rtol=1e-5)
    rows = START[PLACES]
    by_place = {
        'sum': np.ones_like(rows),
        'mean': np.ones_like(rows) / rows.size,
        'squares': 2 * rows,
        'two lookups': 2 * rows + np.array([0, 1, 1])[:, None],
    }[loss]
    expected = START.astype('float64')
    np.subtract.at(expected, PLACES, 0.5 * by_place)
    np.testing.assert_allclose(K.get_value(table), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('bad', [np.nan, np.inf])
def test_rows_that_were_not_read_become_nan(bad):
    """0 times NaN or infinity is NaN, in all rows; those that were read are computed once."""
    table, places = K.variable(START), K.placeholder((None, 3), dtype='int32')
    rate = K.placeholder(())
    loss = K.sum(K.gather(table, places) * 0.0)
    step = K.function([places, rate], [loss], updates=[(table, table - rate * K.gradients(loss, [table])[0])])
    step([PLACES, bad])
    assert np.isnan(K.get_value(table)).all()


def test_an_update_that_is_read_as_well():
    """The new table is a result, too, and is the start of another variable's value."""
    table, other = K.variable(START), K.variable(np.zeros((ROWS, WIDTH)))
    places = K.placeholder((None, 3), dtype='int32')
    loss = K.sum(K.gather(table, places))
    new = table - K.gradients(loss, [table])[0]
    step = K.function([places], [loss, new[4999]], updates=[(table, new), (other, new * 2.0)])
    _loss, row = step([PLACES])
    expected = START.astype('float64')
    np.subtract.at(expected, PLACES, 1.0)
    np.testing.assert_allclose(row, expected[4999], rtol=1e-5)
    np.testing.assert_allclose(K.get_value(table), expected, rtol=1e-5)
    np.testing.assert_allclose(K.get_value(other), expected * 2, rtol=1e-5)


def test_places_that_are_computed(programs):
    """Places that only the run knows are checked in it. One out of range changes nothing, and no table is copied."""
    table, places, rate = K.variable(START), K.placeholder((None, 3), dtype='int32'), K.placeholder(())
    loss = K.sum(K.gather(table, places)) + K.sum(K.gather(table, places[:, 0] + 1))
    step = K.function([places, rate], [loss], updates=[(table, table - rate * K.gradients(loss, [table])[0])])
    for bad in (0.5, np.nan):
        with pytest.raises(IndexError, match='5000'):
            step([PLACES, bad])
        np.testing.assert_array_equal(K.get_value(table), START)
    good = np.minimum(PLACES, ROWS - 2)
    step([good, 0.5])
    assert not _copies(programs[0])
    expected = START.astype('float64')
    for read in (good, good[:, 0] + 1):
        np.subtract.at(expected, read, 0.5)
    np.testing.assert_allclose(K.get_value(table), expected, rtol=1e-5, atol=1e-6)

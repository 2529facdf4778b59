"""What a K tensor can do: one table of operators and attributes for all engines, which docs/tensors.md shows.

Where an engine differs, the row says so, and the test fails once the engine does as the others.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest
from checkout import ROOT
from processes import ENGINE

import keras_backend as K

A = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], 'float32')
B = np.array([[2.0, 2.0, 3.0], [-1.0, 4.0, 5.0]], 'float32')
P, Q = np.array([True, False, True]), np.array([True, True, False])
REFUSED = (TypeError, NotImplementedError, AttributeError)


class Row(NamedTuple):
    """An expression, its value (an error class: it is refused), and the engines that differ."""

    expression: str
    value: Any
    apart: tuple = ()


TABLE = [
    Row('x + y', A + B),
    Row('x - y', A - B),
    Row('x * y', A * B),
    Row('x / y', A / B),
    Row('x // y', A // B),
    Row('x % y', A % B),
    Row('x ** 2', A**2),
    Row('2. - x', 2.0 - A),
    Row('array - x', B - A),
    Row('-x', -A),
    Row('abs(x)', abs(A)),
    Row('x @ K.transpose(y)', A @ B.T),
    Row('x > y', A > B),
    Row('x >= y', A >= B),
    Row('x < y', A < B),
    Row('x <= y', A <= B),
    Row('p & q', P & Q),
    Row('p | q', P | Q),
    Row('p ^ q', P ^ Q),
    Row('~p', ~P),
    Row('x[0]', A[0]),
    Row('x[-1]', A[-1]),
    Row('x[:, 1:]', A[:, 1:]),
    Row('x[..., None]', A[..., None]),
    Row('x[0, K.constant(1, dtype="int32")]', A[0, 1]),
    Row('x[x > 0.]', A[A > 0]),
    Row('len(x)', 2, ('tensorflow', 'theano')),
    Row('[K.eval(row)[0] for row in x]', [1.0, 4.0], ('tensorflow',)),
    Row('len(batch)', REFUSED),
    Row('list(batch)', REFUSED),
    Row('tuple(x.shape)', (2, 3)),
    Row('tuple(batch.shape)', (None, 3)),
    Row('x.shape.as_list()', [2, 3]),
    Row('tuple(x.get_shape())', (2, 3)),
    Row('x.get_shape().as_list()', [2, 3]),
    Row('batch.get_shape().as_list()', [None, 3]),
    Row('x.get_shape().ndims', 2),
    Row('x.ndim', 2),
    Row('w.ndim', 2),
    Row('x.dtype == "float32"', True),
    Row('K.dtype(x)', 'float32'),
    Row('isinstance(w.name, str)', True),
    Row('isinstance((x + y).name, str)', True),
    Row('x == x', True),
    Row('x == y', False),
    Row('x != y', True),
    Row('x in [y, x]', True),
    Row('x in [y]', False),
    Row('{x: 1}[x]', 1),
    Row('bool(x)', REFUSED),
    Row('float(x)', REFUSED),
    Row('np.exp(x)', REFUSED, ('theano',)),
    Row('np.asarray(x, "float32")', REFUSED, ('theano',)),
    Row('x.T', REFUSED, ('theano',)),
    Row('x.numpy()', REFUSED),
    Row('x.eval()', A),
    Row('x.eval(session=K.get_session())', A, ('theano',)),
    Row('w.eval(session=K.get_session())', A, ('theano',)),
    Row('(batch * 2.).eval({batch: array}, session=K.get_session())', B * 2, ('theano',)),
    Row('tuple(batch._keras_shape)', (None, 3)),
    Row('tuple(w._keras_shape)', (2, 3)),
    Row('batch._uses_learning_phase', False),
    Row('isinstance(x, K.Tensor)', True),
    Row('isinstance(w, K.Tensor)', True),
    Row('K.is_tensor(x)', True),
]
NAMES = {
    'array': lambda: B,
    'batch': lambda: K.placeholder((None, 3)),
    'p': lambda: K.constant(P, dtype='bool'),
    'q': lambda: K.constant(Q, dtype='bool'),
    'w': lambda: K.variable(A),
    'x': lambda: K.identity(K.variable(A)),
    'y': lambda: K.variable(B) * 1.0,
}


def fits(row):
    """Whether an expression has the value of its row, or is refused where the row says so."""
    scope = {name: make() for name, make in NAMES.items()}
    scope.update(K=K, np=np)
    try:
        found = eval(row.expression, scope)
    except REFUSED + (ValueError,) as error:
        return row.value is REFUSED and isinstance(error, REFUSED)
    if row.value is REFUSED:
        return False
    if K.is_tensor(found):
        found = K.eval(found)
    expected = np.asarray(row.value)
    if expected.dtype.kind == 'f':
        return np.shape(found) == expected.shape and bool(np.allclose(found, expected, rtol=1e-5))
    return type(found) is type(row.value) and bool(np.all(found == row.value))


@pytest.mark.parametrize('row', TABLE, ids=[row.expression for row in TABLE])
def test_every_engine_has_the_table(row):
    """The engine gives what the table says, or is one that the table names."""
    assert fits(row) != (ENGINE in row.apart)


def test_the_page_shows_the_table():
    """docs/tensors.md has each row, with the engines that differ."""
    with open(ROOT + '/docs/tensors.md', encoding='utf-8') as file:
        lines = [line.strip() for line in file.read().partition('row by row')[2].splitlines()]
    titles = {'tensorflow': 'TensorFlow', 'theano': 'Theano'}
    for row in TABLE:
        cell = row.expression.replace('|', '\\|')
        shown = [line for line in lines if line.startswith(f'| `{cell}` |')]
        assert len(shown) == 1, row.expression
        for name, title in titles.items():
            assert (title in shown[0]) == (name in row.apart), row.expression

"""Where the sizes of a program come from, and sizes that have no number while a library traces a function."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.engines.numpy_backend.library import PRIMITIVES
from keras_backend.graph.run.lowering import lowered
from keras_backend.graph.run.sizes import (
    Lookups,
    Sized,
    SymbolicSizes,
    as_array,
    has_numbers,
    is_symbolic,
    shape_of,
    size_positions,
)

kernels = K._graph.kernels


@pytest.fixture(autouse=True)
def _session():
    yield
    K.clear_session()


def lower(inputs, outputs):
    """The statements of a function."""
    return lowered(K.function(inputs, outputs)._program, kernels)


def sized(inputs, outputs, on_host=()):
    """What a compiler is told of a function: whether it has a reason against it, and the inputs that tell sizes."""
    facts = Sized(lower(inputs, outputs), frozenset(on_host))
    return facts.reason, [x.name for x in inputs if x.id in facts.static]


# -- origins of sizes --------------------------------------------------------------------------------------------------


def test_sizes_that_are_fed():
    x = K.placeholder((None, 3), name='x')
    count = K.placeholder((), dtype='int32', name='count')
    pair = K.placeholder((2,), dtype='int32', name='pair')
    assert sized([x], [K.reshape(x, (-1, 1))]) == (None, [])
    assert sized([x], [K.zeros_like(x) + K.cast(K.shape(x)[0], 'float32')]) == (None, [])
    assert sized([x, count], [K.reshape(x, K.stack([count * 2, K.shape(x)[1]]))]) == (None, ['count'])
    assert sized([x, pair], [K.reshape(x, pair + 1)]) == (None, ['pair'])
    assert sized([x, count], [x * K.cast(count, 'float32')]) == (None, [])


def test_nodes_that_tell_sizes():
    x, count = K.placeholder((None, 3)), K.placeholder((), dtype='int32')
    lowering = lower([x, count], [K.reshape(x * 2.0, K.stack([count * 2, K.shape(x)[1]]))])
    facts = Sized(lowering, frozenset())
    names = [s.node.op.name for s in lowering.top.statements if s.node.id in facts.nodes]
    assert 'stack' in names
    assert names.count('mul') == 1
    assert 'reshape' not in names


def test_sizes_that_stop_a_compiler():
    x = K.placeholder((None, 3), name='x')
    wide = K.placeholder((1, 2), dtype='int32', name='wide')
    variable = K.variable(3, 'int32', name='variable')
    for shape, name in (
        (K.reshape(wide, (2,)), 'wide'),
        (K.stack([variable, K.shape(x)[0]]), variable.name),
        (K.cast(K.shape(x) * K.cast(K.sum(x), 'int32'), 'int32'), 'x'),
    ):
        inputs = [x, wide]
        reason, static = sized(inputs, [K.reshape(x, shape)])
        assert f'depends on the value of {name}' in reason
        assert static == []
    reason, _static = sized([x], [K.exp(x)], ['exp'])
    assert 'is computed on the host: its size depends on values' in reason
    few = K.placeholder((2, 3), sparse=True, name='few')
    reason, _static = sized([few, x], [K.dot(few, K.transpose(x))])
    assert reason == f'the placeholder {few.name} is sparse'


def test_conditions_that_are_fed():
    """Of the learning phase one branch is compiled; a condition that is computed has both."""
    x = K.placeholder((None, 3), name='x')
    phase = K.placeholder((), dtype='int32', name='phase')
    chosen = K.switch(K.equal(phase, 1), lambda: x * 2.0, lambda: x)
    reason, static = sized([x, phase], [chosen])
    assert (reason, static) == (None, [])
    reason, static = sized([x, K.learning_phase()], [K.in_train_phase(x * 2.0, x)])
    assert (reason, static) == (None, [K.learning_phase().name])


def test_parameters_that_are_sizes():
    x, n = K.placeholder((None, 3)), K.placeholder((2,), dtype='int32')
    lowering = lower([x, n], [K.reshape(x * 2.0, n)])
    positions = {s.node.op.name: size_positions(s.node) for s in lowering.top.statements}
    assert positions == {'mul': [], 'reshape': [1]}


def test_lookups_at_places_that_are_fed():
    table = K.variable(np.ones((7, 2)))
    loose = K.placeholder((None, 2))
    places = K.placeholder((None,), dtype='int32')
    floats = K.placeholder((None,))
    other = K.placeholder((None,), dtype='int64')
    lookups = Lookups(lower([floats, places], [K.gather(table, K.reshape(places, (-1, 1)))]))
    ((position, size, node),) = lookups.of_inputs
    assert (position, size, lookups.nodes) == (1, 7, {node})
    for fed in other, floats:
        lookups = Lookups(lower([fed], [K.gather(table, K.cast(fed, 'int32'))]))
        assert [entry[:2] for entry in lookups.of_inputs] == [(0, 7)]
    lowering = lower([places], K.gradients(K.sum(K.gather(table, places)), [table]))
    lookups = Lookups(lowering)
    assert {entry[:2] for entry in lookups.of_inputs} == {(0, 7)}
    names = [s.node.op.name for s in lowering.top.statements if s.node.id in lookups.nodes]
    assert 'scatter_add' in names
    assert {entry[2] for entry in lookups.of_inputs} == lookups.nodes
    for inputs, output in (
        ([places], K.gather(table, places + 1)),
        ([places], K.gather(table, K.cast(K.cast(places, 'int8'), 'int32'))),
        ([loose, places], K.gather(loose, places)),
        ([places], K.cast(places, 'float32')),
    ):
        lookups = Lookups(lower(inputs, [output]))
        assert (lookups.nodes, lookups.of_inputs) == (set(), set())


# -- sizes without a number --------------------------------------------------------------------------------------------


class Size:
    """A size without a number, as an expression."""

    def __init__(self, words):
        self.words = words

    def __repr__(self):
        return self.words

    def __add__(self, other):
        return Size(f'({self} + {other})')

    def __mul__(self, other):
        return Size(f'({self} * {other})')

    def __rmul__(self, other):
        return Size(f'({other} * {self})')

    def __radd__(self, other):
        return Size(f'({other} + {self})')

    def __floordiv__(self, other):
        return Size(f'({self} // {other})')

    def __neg__(self):
        return Size(f'-{self}')


SYMBOLIC = SymbolicSizes(PRIMITIVES, lambda a, b: Size(f'max({a}, {b})'), lambda a, b: Size(f'min({a}, {b})'))
N, M = Size('n'), Size('m')


def vector(*sizes):
    """A vector of sizes, of which some have no number."""
    array = np.empty(len(sizes), object)
    array[:] = sizes
    return array


def computed(name, *arguments, dtype='int32', **attrs):
    """The result of a primitive, in words."""
    result = SYMBOLIC.computed(name, arguments, attrs, dtype)
    return result if result is None else (result.dtype.name, str(result.tolist()))


def test_arrays_whose_entries_are_sizes():
    assert has_numbers([1, np.int64(2)])
    assert not has_numbers([1, N])
    assert is_symbolic(vector(1, N))
    assert not is_symbolic(np.ones(2))
    assert not is_symbolic(N)
    numbers = as_array(vector(2, 3), 'int64')
    assert (numbers.dtype, numbers.tolist()) == ('int64', [2, 3])
    assert as_array(vector(2, N)).dtype == object
    assert (as_array(5).dtype, as_array(5).shape) == ('int32', ())
    assert as_array(N)[()] is N
    assert as_array(np.ones(2)).dtype == 'float64'


def test_shapes_with_sizes_without_a_number():
    class Traced:
        shape = (2, N, 3)

    assert shape_of(Traced).tolist() == [2, N, 3]
    assert is_symbolic(shape_of(Traced))
    whole = shape_of(np.ones((2, 3)))
    assert (whole.dtype, whole.tolist()) == ('int32', [2, 3])


@pytest.mark.parametrize(
    ('name', 'arguments', 'attrs', 'expected'),
    [
        ('add', [vector(N, 2), np.array([1, 2])], {}, '[(n + 1), 4]'),
        ('mul', [vector(N, 2), vector(M, 3)], {}, '[(n * m), 6]'),
        ('floordiv', [vector(N, 7), np.array([2, 2])], {}, '[(n // 2), 3]'),
        ('neg', [vector(N, 2)], {}, '[-n, -2]'),
        ('square', [vector(N, 3)], {}, '[(n * n), 9]'),
        ('identity', [vector(N)], {}, '[n]'),
        ('cast', [vector(N)], {'dtype': 'int64'}, '[n]'),
        ('sum', [vector(N, 2, M)], {'axes': None}, '((n + 2) + m)'),
        ('prod', [vector(N, 2)], {'axes': [-1], 'keepdims': True}, '[(n * 2)]'),
        ('max', [vector(N, 2)], {'axes': [0]}, 'max(n, 2)'),
        ('min', [vector(N, 2)], {'axes': [0]}, 'min(n, 2)'),
        ('maximum', [vector(N), vector(M)], {}, '[max(n, m)]'),
        ('minimum', [vector(N), vector(M)], {}, '[min(n, m)]'),
        ('concatenate', [vector(N), np.array([1, 2])], {'axis': 0}, '[n, 1, 2]'),
        ('stack', [as_array(N), np.array(3)], {'axis': 0}, '[n, 3]'),
        ('stack', [vector(N, 1), vector(2, M)], {'axis': 1}, '[[n, 2], [1, m]]'),
        ('broadcast_to', [as_array(N), np.array([2])], {}, '[n, n]'),
        ('reverse', [vector(N, 1, M)], {'axes': (0,)}, '[m, 1, n]'),
        ('expand_dims', [vector(N, 1)], {'axis': 0}, '[[n, 1]]'),
    ],
)
def test_primitives_of_sizes_without_a_number(name, arguments, attrs, expected):
    assert computed(name, *arguments, **attrs) == ('object', expected)


def test_sums_of_sizes_along_axes():
    rows = np.stack([vector(N, 1), vector(2, M)])
    assert computed('sum', rows, axes=[0]) == ('object', '[(n + 2), (1 + m)]')
    assert computed('sum', rows, axes=[1], keepdims=True) == ('object', '[[(n + 1)], [(2 + m)]]')
    assert computed('sum', rows, axes=[0, 1]) == ('object', '((n + 1) + (2 + m))')
    assert computed('sum', rows, axes=None, keepdims=True) == ('object', '[[((n + 1) + (2 + m))]]')


def test_numbers_alone_are_an_array_of_numbers():
    assert computed('add', vector(1, 2), np.array([3, 4]), dtype='int64') == ('int64', '[4, 6]')


def test_what_sizes_without_a_number_cannot_tell():
    assert computed('less', vector(N), np.array([2])) is None
    assert computed('add', vector(N), np.array([2]), dtype='float32') is None
    assert computed('broadcast_to', as_array(3), vector(N)) is None

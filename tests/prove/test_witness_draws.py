"""Numbers that the witness of prove draws: the same in every process, with the distribution that Keras documents."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import keras_backend as K
from keras_backend.programs.prove.prove_witness import draws
from keras_backend.programs.prove.prove_witness.draws import MORE, TABLE, Draws, Initializers, Offset, TracedOffset


class Recorded:
    """A record that keeps its events and notes in lists."""

    def __init__(self):
        self.events, self.notes = [], []

    def event(self, kind, name, call, outputs):
        self.events.append((kind, name, call, outputs))

    def note(self, text):
        self.notes.append(text)


def module_of(**others):
    """A module with the names of K, which can be patched."""
    module = ModuleType('k')
    vars(module).update({name: getattr(K, name) for name in K.__all__}, **others)
    return module


def test_generators_of_draws_are_told_by_kind_and_count():
    first, second = Draws(5, Recorded(), 0), Draws(5, Recorded(), 0)
    numbers = [generator.uniform() for generator in map(first.generator, 'aabbccdd')]
    assert len(set(numbers)) == 8
    assert numbers == [generator.uniform() for generator in map(second.generator, 'aabbccdd')]
    assert numbers[0] != Draws(6, Recorded(), 0).generator('a').uniform()
    third = Draws(5, Recorded(), 0)
    assert [third.generator('a', counted=False).uniform() for _ in range(2)] == [numbers[0]] * 2
    assert [third.generator('a').uniform() for _ in range(2)] == numbers[:2]


def test_initial_values_are_events():
    record = Recorded()
    drawn = Draws(1, record, 0)
    values = [drawn.initial('Random', (2, np.int64(3)), lambda generator, shape: generator.normal(size=shape))]
    values.append(drawn.initial('Random', [2, 3], lambda generator, shape: generator.normal(size=shape)))
    assert [event[:3] for event in record.events] == [
        ('draw', 'initial value: Random (2, 3)', 1),
        ('draw', 'initial value: Random (2, 3)', 2),
    ]
    for value, event in zip(values, record.events):
        ((name, kept),) = event[3]
        assert (name, kept.shape) == ('value', (2, 3))
        np.testing.assert_array_equal(kept, value)
    assert (values[0] != values[1]).all()
    other = Draws(1, record, 1).initial('Random', (2, 3), lambda generator, shape: generator.normal(size=shape))
    assert (other != values[0]).any()
    np.testing.assert_allclose(other, values[0], rtol=2e-7)


def test_truncated_numbers_of_the_witness():
    numbers = draws.truncated(np.random.RandomState(0), (100000,))
    assert 1.99 < np.abs(numbers).max() <= 2
    assert abs(numbers.std() - draws.CUT) < 0.01
    assert abs(numbers.mean()) < 0.02


def test_shapes_that_are_known():
    dimensions = SimpleNamespace(as_list=lambda: [2, 3])
    assert draws.static_shape(dimensions) == (2, 3)
    assert draws.static_shape([np.int32(2), SimpleNamespace(value=5)]) == (2, 5)
    assert draws.static_shape(()) == ()
    assert draws.static_shape((None, 3)) is None
    assert draws.static_shape(K.shape(K.placeholder((None, 3)))) is None


def test_each_call_begins_elsewhere():
    assert draws.begin(0) == 0
    assert sorted(map(draws.begin, range(MORE))) == list(range(MORE))
    offset = Offset(vars(K))
    tensor = offset.tensor()
    assert (K.dtype(tensor), K.eval(tensor)) == ('int32', 0)
    offset.next_call()
    offset.next_call()
    assert K.eval(offset.tensor()) == K.eval(tensor) == draws.begin(2)
    offset.forget()
    assert K.eval(offset.tensor()) == 0
    assert K.eval(tensor) == draws.begin(2)


def test_offsets_of_traced_functions(monkeypatch):
    """The number is no constant of a trace: a variable of TensorFlow, a callback of JAX, a new tensor of PyTorch."""

    class Variable(int):
        def __new__(cls, value, trainable, dtype):
            assert (trainable, dtype) == (False, 'int32')
            made = int.__new__(cls, value)
            made.assigned = []
            made.assign = made.assigned.append
            return made

    monkeypatch.setitem(sys.modules, 'tensorflow', SimpleNamespace(Variable=Variable))
    offset = TracedOffset('tensorflow')
    assert offset.tensor() == 0
    offset.next_call()
    offset.next_call()
    assert offset._variable.assigned == [draws.begin(1), draws.begin(2)]
    jax = SimpleNamespace(ShapeDtypeStruct=lambda *args: args, pure_callback=lambda *args: args)
    monkeypatch.setitem(sys.modules, 'jax', jax)
    offset = TracedOffset('jax')
    number, shape = offset.tensor()
    assert (number(), shape) == (0, ((), np.dtype('int32')))
    offset.next_call()
    assert (number(), number().dtype) == (draws.begin(1), 'int32')
    torch = SimpleNamespace(tensor=lambda value, dtype: (value, dtype), int32='int32 of PyTorch')
    monkeypatch.setitem(sys.modules, 'torch', torch)
    offset = TracedOffset('torch')
    offset.next_call()
    assert offset.tensor() == (draws.begin(1), 'int32 of PyTorch')


def table_of(kind, what, seed=3):
    """The numbers that the first draw of a shape takes."""
    generator = Draws(seed, Recorded(), 0).generator(f'graph {kind} {what}')
    return draws.STANDARD[kind](generator, (TABLE + MORE,))


@pytest.fixture
def patched():
    """A module of K whose draws come from tables, the offset, and the record."""
    module, offset, record = module_of(random_bernoulli=K.random_binomial), Offset(vars(K)), Recorded()
    draws.patch_graph_draws(module, Draws(3, record, 0), record, offset)
    return module, offset, record


def test_draws_of_a_graph_come_from_a_table(patched):
    module, offset, record = patched
    drawn = module.random_uniform((2, 3), -1.0, 3.0)
    expected = table_of('uniform', '2, 3') * 4 - 1
    np.testing.assert_allclose(K.eval(drawn), expected[:6].reshape(2, 3), rtol=1e-6)
    offset.next_call()
    np.testing.assert_allclose(K.eval(drawn), expected[37:43].reshape(2, 3), rtol=1e-6)
    assert not np.allclose(K.eval(module.random_uniform((2, 3), -1.0, 3.0)), expected[37:43].reshape(2, 3))
    assert record.notes == []


def test_distributions_of_draws_of_a_graph(patched):
    module, _offset, record = patched
    normal = K.eval(module.random_normal((3, 2), mean=5.0, stddev=2.0))
    np.testing.assert_allclose(normal, table_of('normal', '3, 2')[:6].reshape(3, 2) * 2 + 5, rtol=1e-6)
    cut = K.eval(module.truncated_normal((3, 2), mean=-1.0, stddev=0.5))
    np.testing.assert_allclose(cut, table_of('truncated', '3, 2')[:6].reshape(3, 2) * 0.5 - 1, rtol=1e-6)
    chosen = K.eval(module.random_bernoulli((5,), p=0.4))
    np.testing.assert_array_equal(chosen, table_of('uniform', '5')[:5] < 0.4)
    assert not K.eval(module.random_binomial((100,))).any()
    for draw, kind in (module.random_normal, 'normal'), (module.truncated_normal, 'truncated'):
        np.testing.assert_allclose(K.eval(draw((7,))), table_of(kind, '7')[:7], rtol=1e-6)
    np.testing.assert_allclose(K.eval(module.random_uniform((7,))), table_of('uniform', '7')[:7], rtol=1e-6)
    for draw in module.random_normal, module.truncated_normal, module.random_uniform, module.random_binomial:
        assert (K.dtype(draw((2,), dtype='float64')), K.dtype(draw((2,)))) == ('float64', K.floatx())
    assert module.random_normal.__doc__ == K.random_normal.__doc__
    assert record.notes == []


@pytest.mark.parametrize('sizes', ['tensor', 'list'])
def test_draws_of_an_unknown_shape_go_around_the_table(patched, sizes):
    module, offset, record = patched
    x = K.placeholder((None, 2))
    shape = K.shape(x) if sizes == 'tensor' else [K.shape(x)[0], 2]
    drawn = K.function([x], [module.random_uniform(shape)])
    expected = table_of('uniform', 'any')
    rows = np.zeros((TABLE // 2 + 2, 2), 'float32')
    (value,) = drawn([rows])
    np.testing.assert_allclose(value.ravel()[:TABLE], expected[:TABLE], rtol=1e-6)
    np.testing.assert_allclose(value.ravel()[TABLE:], expected[:4], rtol=1e-6)
    offset.next_call()
    np.testing.assert_allclose(drawn([rows[:2]])[0].ravel(), expected[37:41], rtol=1e-6)
    assert record.notes == []
    known_shape = K.eval(module.random_uniform((TABLE + 2,)))
    np.testing.assert_array_equal(known_shape[:2], known_shape[TABLE:])


def test_draws_of_one_place_are_one():
    module, record = module_of(), Recorded()
    place = ['a.py:3']
    draws.patch_graph_draws(module, Draws(3, record, 0), record, Offset(vars(K)), lambda: place[0])
    first = K.eval(module.random_normal((4,)))
    np.testing.assert_allclose(first, table_of('normal', 'a.py:3')[:4], rtol=1e-6)
    np.testing.assert_array_equal(K.eval(module.random_normal((4,))), first)
    place[0] = 'a.py:4'
    assert (K.eval(module.random_normal((4,))) != first).all()


def test_draws_that_the_table_cannot_give():
    record = Recorded()

    def refused(*args):
        raise ValueError('no gather')

    def own(shape, *args, **named):
        """Its own numbers."""
        return 'its own', shape, args, named

    module = module_of(gather=refused, random_uniform=own)
    draws.patch_graph_draws(module, Draws(3, record, 0), record, Offset(vars(K)))
    assert module.random_uniform((2,), 1.0, maxval=2.0) == ('its own', (2,), (1.0,), {'maxval': 2.0})
    (note,) = record.notes
    assert note == 'K.random_uniform of a shape that is not known drew its own numbers (no gather)'


@pytest.mark.parametrize(
    ('shape', 'expected'),
    [((), (1, 1)), ((3,), (3, 3)), ((3, 4), (3, 4)), ((5, 3, 4), (15, 20)), ((2, 5, 3, 4), (30, 40))],
)
def test_units_before_and_after_a_kernel(shape, expected):
    assert draws.fans(shape) == expected


@pytest.mark.parametrize(('mode', 'units'), [('fan_in', 100), ('fan_out', 400), ('fan_avg', 250)])
@pytest.mark.parametrize('distribution', ['uniform', 'untruncated_normal', 'truncated_normal'])
def test_variance_of_initial_values(mode, units, distribution):
    initializer = SimpleNamespace(mode=mode, scale=2.0, distribution=distribution)
    value = draws.variance_scaling(initializer, np.random.RandomState(0), (100, 400))
    assert value.shape == (100, 400)
    deviation = np.sqrt(2.0 / units)
    assert value.std() == pytest.approx(deviation, rel=0.02)
    most = np.abs(value).max() / deviation
    low, high = {'uniform': (1.72, 1.7321), 'untruncated_normal': (3.5, 6), 'truncated_normal': (2.26, 2.2738)}[
        distribution
    ]
    assert low < most <= high


def test_variance_for_less_than_one_unit():
    """A kernel without units counts as one of one unit."""
    initializer = SimpleNamespace(mode='fan_in', scale=2.0, distribution='uniform')
    assert draws.variance_scaling(initializer, np.random.RandomState(0), (1, 10000)).var() == pytest.approx(2, rel=0.05)
    assert draws.variance_scaling(initializer, np.random.RandomState(0), (0, 3)).shape == (0, 3)


def test_orthogonal_initial_values():
    for shape in (6, 4), (4, 6), (2, 3, 4):
        value = draws.orthogonal(SimpleNamespace(gain=3.0), np.random.RandomState(0), shape)
        assert value.shape == shape
        rows = value.reshape(-1, shape[-1])
        square = rows.T @ rows if rows.shape[0] >= rows.shape[1] else rows @ rows.T
        np.testing.assert_allclose(square, 9 * np.eye(len(square)), atol=1e-9)
    # The first column keeps its direction, so that all rotations are as likely.
    drawn = np.random.RandomState(0).normal(size=(6, 4))[:, 0]
    value = draws.orthogonal(SimpleNamespace(gain=3.0), np.random.RandomState(0), (6, 4))
    np.testing.assert_allclose(value[:, 0], 3 * drawn / np.linalg.norm(drawn))


def test_ranges_of_initial_values():
    generator = np.random.RandomState(0)
    normal = draws.MAKES['RandomNormal'](SimpleNamespace(mean=5.0, stddev=0.1), generator, (10000,))
    assert (normal.mean(), normal.std()) == (pytest.approx(5, abs=0.01), pytest.approx(0.1, rel=0.05))
    cut = draws.MAKES['TruncatedNormal'](SimpleNamespace(mean=5.0, stddev=0.1), generator, (10000,))
    assert np.abs(cut - 5).max() == pytest.approx(0.2, rel=0.01)
    uniform = draws.MAKES['RandomUniform'](SimpleNamespace(minval=2.0, maxval=3.0), generator, (10000,))
    assert (uniform.min(), uniform.max()) == (pytest.approx(2, abs=0.01), pytest.approx(3, abs=0.01))


def initializers_module():
    """A module with an initializer as Keras has them."""
    module = ModuleType('initializers')

    class RandomUniform:
        minval, maxval = 0.0, 1.0

        def __call__(self, shape, dtype=None):
            raise AssertionError('it is not patched')

    vars(module).update(RandomUniform=RandomUniform, Orthogonal='no class')
    return module


def test_patched_initializers():
    record, module = Recorded(), initializers_module()
    patches = Initializers(Draws(1, record, 0), False)
    patches.patch(module, lambda value, dtype: (value, dtype))
    call = module.RandomUniform.__call__
    patches.patch(module, lambda value, dtype: 'patched twice')
    assert module.RandomUniform.__call__ is call
    initializer = module.RandomUniform()
    value, dtype = initializer((2, 3), 'float16')
    assert (value.shape, dtype) == ((2, 3), 'float16')
    assert (initializer((2, 3))[0] != value).all()
    assert [event[1] for event in record.events] == ['initial value: RandomUniform (2, 3)'] * 2


def test_initializers_that_repeat_themselves():
    """As since tf.keras 2.10: one object gives the same numbers for the same shape."""
    record, module = Recorded(), initializers_module()
    Initializers(Draws(1, record, 0), True).patch(module, lambda value, dtype: value)
    initializer = module.RandomUniform()
    np.testing.assert_array_equal(initializer((2, 3)), initializer((2, 3)))
    assert initializer((3, 2)).shape == (3, 2)
    assert len(record.events) == 2
    assert (module.RandomUniform()((2, 3)) != initializer((2, 3))).all()


def test_variables_of_random_numbers():
    record, module = Recorded(), module_of()
    Initializers(Draws(1, record, 0), False).patch_variables(module)
    normal = module.random_normal_variable((1000,), 5.0, 0.1, dtype='float64', name='n')
    assert (K.dtype(normal), normal.name[:1]) == ('float64', 'n')
    value = K.eval(normal)
    assert (value.mean(), value.std()) == (pytest.approx(5, abs=0.02), pytest.approx(0.1, rel=0.1))
    value = K.eval(module.random_uniform_variable((1000,), 2.0, 3.0))
    assert (value.min(), value.max()) == (pytest.approx(2, abs=0.01), pytest.approx(3, abs=0.01))
    names = ['initial value: normal variable (1000)', 'initial value: uniform variable (1000)']
    assert [event[1] for event in record.events] == names

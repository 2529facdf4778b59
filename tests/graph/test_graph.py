"""The K graph itself: static knowledge, placement of nodes, the written functions. Conformance holds what K means."""

import copy
import gc
import sys
import types
import weakref

import numpy as np
import pytest
from peak_memory import peak_bytes

import keras_backend.engines.numpy_backend as K
from keras_backend.basics import misuse
from keras_backend.basics.library import PRIMITIVES
from keras_backend.errors import ClearedSessionError, FeedError, ForeignTensorError, NotAnEngine, ScopeError, ShapeError
from keras_backend.front import Front
from keras_backend.graph.install import install


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def source(function, *values):
    """The written code of a function, after a run."""
    function(list(values))
    return function._run.source


def lines(function, *values):
    return [line.strip() for line in source(function, *values).splitlines()]


def test_length_that_is_not_known():
    """`len` of a tensor of unknown length says which tensor, its shape, and what to write instead."""
    x = K.placeholder((None, 2), name='words')
    with pytest.raises(TypeError) as caught:
        len(x)
    assert str(caught.value) == (
        f'The length of {x.name} (shape (None, 2)) is not known while the graph is built. {misuse.LENGTH}.'
    )
    assert 3 == len(K.placeholder((3, None)))
    with pytest.raises(TypeError, match=r'^The length of .* \(shape \(\)\) is not known'):
        len(K.placeholder(()))


class TestStatic:
    def test_reshape_keeps_what_cancels(self):
        """A size read off the tensor cancels against the tensor's own unknown size."""
        x = K.placeholder((None, 3, 4))
        assert (None, 12) == K.reshape(x, (K.shape(x)[0], -1)).shape
        assert (None, 12) == K.reshape(K.tanh(x), K.stack([K.shape(x)[0], -1])).shape
        assert (None, 6) == K.reshape(x, (-1, 6)).shape

    def test_reshape_infers_the_only_unknown(self):
        """One unknown size of a target follows from a fully known source."""
        y = K.placeholder((None, 2))
        assert (6, 4) == K.reshape(K.ones((2, 3, 4)), (K.shape(y)[0], 4)).shape

    def test_arithmetic_of_sizes(self):
        """Sizes stay known through arithmetic, stacking and indexing."""
        x = K.placeholder((None, 3, 4))
        size = K.shape(x)
        assert (12, 7) == K.zeros((size[1] * size[2], size[1] + 4)).shape
        assert (None, 4, 3) == K.zeros(K.stack([size[0], size[2], size[1]])).shape
        assert (4, 3) == K.zeros(size[1:][::-1]).shape

    def test_gradient_of_unknown_batch_needs_no_run_time_sum(self):
        """Sizes known to be equal are not summed over: bias gradients sum the batch, the rest is plain."""
        x, w, b = K.placeholder((None, 3)), K.variable(np.ones((3, 2))), K.variable(np.ones(2))
        loss = K.sum(K.tanh(K.dot(x, w) + b))
        K.gradients(loss, [w, b])
        assert 'sum_to' not in K._graph.session._names

    def test_broadcast_of_two_unknowns_is_unknown(self):
        """Nothing is claimed of two unknown sizes that meet, and the gradient is right for both outcomes."""
        x, y = K.placeholder((None, 2)), K.placeholder((None, 2))
        g = K.function([x, y], K.gradients(K.sum(x * y), [x, y]))
        assert (None, 2) == (x * y).shape
        gx, gy = g([np.ones((1, 2)), np.full((3, 2), 2.0)])
        assert [[6.0, 6.0]] == gx.tolist()
        assert np.ones((3, 2)).tolist() == gy.tolist()


class TestPlacement:
    def test_invariant_of_a_loop_runs_once(self):
        """What a step computes from outside only moves out of the loop."""
        x, w = K.placeholder((None, None, 2)), K.variable(np.ones((2, 2)))
        last, _, _ = K.rnn(lambda e, s: (K.dot(e, K.exp(w)), []), x, [])
        code = lines(K.function([x], [last]), np.ones((1, 3, 2)))
        loop = next(i for i, line in enumerate(code) if line.startswith('for '))
        assert K._graph.session._names['exp'] == 1
        assert sum(line.startswith('t') for line in code[loop + 1 :]) < sum(line.startswith('t') for line in code)

    def test_branch_is_lazy(self):
        """Only the branch taken runs."""
        x = K.placeholder((2,))
        y = K.switch(K.sum(x) > 0, lambda: K.print_tensor(x, 'left'), lambda: K.print_tensor(-x, 'right'))
        f = K.function([x], [y])
        assert [-1.0, -1.0] == (-f([[1.0, 1.0]])[0]).tolist()

    def test_number_in_a_branch_takes_the_dtype_of_the_other(self):
        """A number meets a tensor in the tensor's dtype, in branches as elsewhere."""
        x, c = K.placeholder((), dtype='float16'), K.placeholder(())
        assert 'float16' == K.switch(c > 0, x, 0.0).dtype == K.switch(c > 0, lambda: 1, lambda: x).dtype
        assert 'float32' == K.switch(c > 0, lambda: K.cast(x, 'int32'), lambda: 0.5).dtype

    def test_inner_tensor_outside_is_refused(self):
        """A tensor of a step used outside of it is named in the error."""
        leaked = []

        def step(e, s):
            leaked.append(K.identity(e, name='leak'))
            return leaked[0], []

        K.rnn(step, K.placeholder((2, 3, 4)), [])
        with pytest.raises(ScopeError, match='leak'):
            K.exp(leaked[0])

    def test_residuals_are_collected_not_recomputed(self):
        """The gradient of a loop reads the forward values: one loop forward, one back, one tanh per step."""
        calls = []
        tanh = K._graph.kernels.PRIMITIVES['tanh']

        def counted(x, out=None):
            calls.append(1)
            return tanh(x, out=out)

        x, u = K.placeholder((2, None, 3)), K.variable(np.ones((3, 3)))

        def step(e, s):
            h = K.tanh(K.dot(e + s[0], u))
            return h, [h]

        last, _, _ = K.rnn(step, x, [K.zeros((2, 3))])
        f = K.function([x], K.gradients(K.sum(last), [u]))
        f._compile()
        scope = f._run.__globals__
        scope.update({name: counted for name, value in scope.items() if value is tanh})
        f([np.ones((2, 4, 3))])
        assert 4 == len(calls)
        assert 2 == f._run.source.count('for ')


class TestFunction:
    def test_dead_values_are_deleted(self):
        """Two hundred chained operations hold no more than a few values at a time."""
        x = K.placeholder((1000, 1000))
        y = x
        for _ in range(200):
            y = K.tanh(y)
        f = K.function([x], [K.sum(y)])
        value = np.ones((1000, 1000), 'float32')
        assert peak_bytes(lambda: f([value])) < 4 * value.nbytes

    @pytest.mark.parametrize('function', [K.relu, K.tanh, K.sigmoid])
    def test_a_layer_keeps_one_array_for_its_gradient(self, function):
        """The gradient reads the output, which the next layer reads, too. The input of the function is not kept."""
        x = y = K.placeholder((1000, 100))
        weights = [K.variable(np.eye(100)) for _ in range(12)]
        for w in weights:
            y = function(K.dot(y, w))
        f = K.function([x], K.gradients(K.sum(y), weights))
        value = np.ones((1000, 100), 'float32')
        assert 12 < peak_bytes(lambda: f([value])) / value.nbytes < 17

    def test_values_may_come_in_any_list(self):
        """A subclass of list or tuple is as good as a list."""

        class Values(list):
            pass

        x = K.placeholder((2,))
        assert [1.0, 2.0] == K.function([x], [x])(Values([[1.0, 2.0]]))[0].tolist()

    def test_unfed_placeholder_is_named_when_building(self):
        """A placeholder that is needed but not fed is an error of K.function, not of the call."""
        x = K.placeholder((2,), name='forgotten')
        with pytest.raises(FeedError, match='forgotten'):
            K.function([], [x + 1])

    def test_any_tensor_may_be_fed(self):
        """An intermediate tensor can be an input."""
        x = K.placeholder((2,))
        y = K.exp(x)
        assert [4.0, 5.0] == K.function([y], [y + 1.0])([[3.0, 4.0]])[0].tolist()

    def test_update_of_unknown_shape_is_checked_at_run_time(self):
        """A variable never changes its shape, also when the graph could not tell."""
        v, x = K.variable(np.zeros(3)), K.placeholder((None,))
        f = K.function([x], [], updates=[(v, x)])
        f([[1.0, 2.0, 3.0]])
        with pytest.raises(ShapeError, match=v.name):
            f([[1.0, 2.0]])
        assert [1.0, 2.0, 3.0] == K.get_value(v).tolist()

    def test_two_variables_of_one_value_do_not_share(self):
        """One new value assigned to two variables and returned is three arrays."""
        v, w, x = K.variable(np.zeros(3)), K.variable(np.zeros(3)), K.placeholder((3,))
        y = x * 2.0
        (out,) = K.function([x], [y], updates=[(v, y), (w, y)])([np.ones(3)])
        out[:] = 9
        assert not np.shares_memory(v.data, w.data)
        assert [2.0, 2.0, 2.0] == K.get_value(v).tolist() == K.get_value(w).tolist()


class TestSessions:
    def test_tensor_of_a_cleared_session_is_named(self):
        """A dead tensor is refused where it is used, by name."""
        x = K.variable(1.0, name='ghost')
        f = K.function([], [x * 2.0])
        K.clear_session()
        with pytest.raises(ClearedSessionError, match='ghost'):
            K.exp(x)
        with pytest.raises(ClearedSessionError, match='ghost'):
            K.get_value(x)
        with pytest.raises(ClearedSessionError):
            f([])

    def test_foreign_tensor_is_refused(self):
        """A tensor of another library is no operand."""

        class Alien:
            dtype = 'float32'

        with pytest.raises(ForeignTensorError, match='Alien'):
            K.exp(Alien())

    def test_a_table_that_lacks_primitives(self):
        """An engine says when it is loaded which kernels it lacks."""
        kernels = K._graph.kernels
        table = {name: kernel for name, kernel in kernels.PRIMITIVES.items() if name not in ('tanh', 'relu_grad')}
        lacking = types.SimpleNamespace(**dict(vars(kernels), PRIMITIVES=table))
        expected = 'The Second engine lacks the primitives tanh, relu_grad; add them to its table PRIMITIVES'
        with pytest.raises(NotAnEngine, match=expected):
            install({}, 'second', 'Second', lacking)

    def test_kernels_by_their_older_names(self):
        """What 0.1.0 called the table, and the copy for a variable, is taken, too."""
        kernels = K._graph.kernels
        older = dict(vars(kernels), IMPLEMENTATIONS=kernels.PRIMITIVES, own=kernels.private_copy)
        del older['PRIMITIVES'], older['private_copy']
        other = types.ModuleType('older_engine')
        sys.modules['older_engine'] = other
        try:
            install(vars(other), 'older', 'Older', types.SimpleNamespace(**older))
        finally:
            del sys.modules['older_engine']
        assert np.array_equal(other.eval(other.square(other.constant([1.0, 3.0]))), [1.0, 9.0])

    def test_a_library_that_lacks_a_primitive(self):
        """So does an engine whose library has tensors of its own."""
        library = copy.copy(K._graph)
        library.F = types.SimpleNamespace(**{name: None for name in PRIMITIVES if name != 'conv'})
        with pytest.raises(NotAnEngine, match='The NumPy engine lacks the primitive conv; add it to its table'):
            Front(library)

    def test_tensors_of_two_engines_do_not_mix(self):
        """Operators, functions, loops and gradients refuse a tensor of another engine, by name."""
        other = types.ModuleType('second_engine')
        sys.modules['second_engine'] = other
        try:
            install(vars(other), 'second', 'Second', K._graph.kernels)
        finally:
            del sys.modules['second_engine']
        ours, theirs = K.variable(np.ones((2, 3, 4)), name='ours'), other.variable(np.ones((2, 3, 4)), name='theirs')
        attempts = [
            lambda: ours + theirs,
            lambda: K.concatenate([ours, theirs]),
            lambda: K.exp(theirs),
            lambda: K.function([], [theirs]),
            lambda: K.gradients(K.sum(ours), [theirs]),
            lambda: K.rnn(lambda x, s: (x, []), theirs, []),
            lambda: K.update(ours, theirs),
            lambda: K.get_value(theirs),
            lambda: K.switch(K.sum(ours) > 0, lambda: theirs, lambda: ours),
        ]
        for attempt in attempts:
            with pytest.raises(ForeignTensorError, match='theirs'):
                attempt()
        assert 2.0 == float(K.eval(K.max(ours + ours))) == float(other.eval(other.max(theirs + theirs)))

    def test_graphs_are_freed(self):
        """Nothing global keeps a graph that the user dropped."""
        x = K.placeholder((2, 2))
        f = K.function([x], K.gradients(K.sum(K.tanh(x)), [x]))
        f([np.ones((2, 2))])
        dead = weakref.ref(x)
        K.clear_session()
        del x, f
        gc.collect()
        assert dead() is None


class TestNothing:
    """Tensors without entries."""

    def test_reshape_of_an_empty_batch(self):
        """A -1 that stands for a known size is that size, also where there is nothing to tell it from."""
        x, y = K.placeholder((None, 3, 4)), K.placeholder((None, None, 2, 2))
        f = K.function([x], [K.reshape(x, (K.shape(x)[0], -1)), K.batch_flatten(x)])
        assert [(0, 12), (0, 12)] == [v.shape for v in f([np.ones((0, 3, 4))])]
        f = K.function([y], [K.reshape(y, (K.shape(y)[0], K.shape(y)[1], -1))])
        assert (0, 3, 4) == f([np.ones((0, 3, 2, 2))])[0].shape

    def test_size_of_another_tensor_is_held_to(self):
        """A size that is not the tensor's own is no -1: it is an error where it does not fit."""
        x, y = K.placeholder((None, 12)), K.placeholder((None,))
        with pytest.raises(ValueError):
            K.function([x, y], [K.reshape(x, (K.shape(y)[0], 12))])([np.ones((4, 12)), np.ones(2)])

    def test_gradient_of_an_empty_product(self):
        """The gradient of the product of nothing is nothing."""
        x = K.placeholder((None,))
        assert [] == K.function([x], K.gradients(K.prod(x), [x]))([[]])[0].tolist()


class TestIndexing:
    def test_integers_beside_arrays(self):
        """Integers beside index arrays count as arrays, so the axes come in NumPy's order."""
        value, at = np.arange(24.0).reshape(2, 3, 4), np.array([1, 2, 0, 1, 1])
        x, i = K.placeholder((2, 3, 4)), K.constant(at, 'int32')
        for y, z in ((x[0, :, i], value[0, :, at]), (x[:, 0, i], value[:, 0, at]), (x[i % 2, 1], value[at % 2, 1])):
            assert z.shape == y.shape
            assert z.tolist() == K.function([x], [y])([value])[0].tolist()

    def test_one_ellipsis(self):
        """Two of them are refused while recording."""
        with pytest.raises(ShapeError, match='more than one Ellipsis'):
            K.placeholder((2, 3, 4))[..., 0, ...]


def test_what_an_assignment_replaces_is_not_computed(capfd):
    """Of two assignments of one variable the first is left out of the program."""
    v = K.variable(1.0)
    f = K.function([], [], updates=[(v, K.print_tensor(v * 2.0, 'first')), (v, K.print_tensor(v * 3.0, 'second'))])
    f([])
    told = capfd.readouterr().err
    assert 'second' in told
    assert 'first' not in told
    assert 3.0 == K.get_value(v)


def test_shape_as_in_tensorflow_1():
    """A shape is a tuple, and has the methods that programs for TensorFlow 1 call."""
    x = K.placeholder((None, 3))
    assert x.shape == (None, 3) == x.get_shape()
    assert isinstance(x.shape, tuple)
    assert repr(x.shape) == '(None, 3)'
    assert x.get_shape().as_list() == [None, 3]
    assert x.shape.ndims == 2
    assert x.shape[1:] == (3,)


@pytest.mark.parametrize('dtype', ['uint32', 'uint64', 'int64'])
def test_a_size_of_zero_that_only_the_run_knows(dtype):
    """A size of each dtype may be 0."""
    n = K.placeholder((), dtype=dtype)
    f = K.function([n], [K.zeros((n, 2)), K.tile(K.constant([1.0, 2.0]), [n]), K.arange(n)])
    assert [(0, 2), (0,), (0,)] == [value.shape for value in f([np.array(0, dtype)])]
    assert [(2, 2), (4,), (2,)] == [value.shape for value in f([np.array(2, dtype)])]

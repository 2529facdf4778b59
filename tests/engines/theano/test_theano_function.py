"""`K.function`, values and updates on the Theano engine: what its shortcuts must not change."""

import gc
import resource
import threading

import numpy as np
import pytest

import keras_backend.engines.theano_backend as K  # before Theano, which newer Pythons import by way of it alone

theano = pytest.importorskip('theano')
from keras_backend import errors  # noqa: E402
from keras_backend.engines.theano_backend.functions import function as functions  # noqa: E402
from keras_backend.engines.theano_backend.functions import modes  # noqa: E402
from keras_backend.engines.theano_backend.graph import updates  # noqa: E402

T = theano.tensor


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()
    K.reset_uids()


def compiled(optimizer):
    """The mode of the engine for an optimizer of Theano."""
    return modes._ours(theano.compile.mode.Mode('cvm', optimizer)).including('keras_c')


# -- what a call returns and keeps -------------------------------------------------------------------------------------
def test_theano_results_belong_to_the_caller():
    """What a function returned may be written into: no variable, constant, fed array or later result changes."""
    v, x = K.variable(np.ones(3)), K.placeholder((3,))
    fed = np.full(3, 2.0, 'float32')
    f = K.function([x], [v, x, K.constant([1.0, 2.0, 3.0]), x + v, K.reshape(x, (3, 1))])
    for _ in range(2):
        results = f([fed])
        expected = [1, 1, 1], [2, 2, 2], [1, 2, 3], [3, 3, 3], [[2], [2], [2]]
        for result, truth in zip(results, expected):
            np.testing.assert_array_equal(truth, result)
        for result in results:
            result[:] = -7.0
    np.testing.assert_array_equal(np.ones(3), K.get_value(v))
    np.testing.assert_array_equal(np.full(3, 2.0), fed)


def test_earlier_results_stay():
    """A result keeps its values while the function runs again, with arrays of the same shape and of others."""
    x = K.placeholder((None, 2))
    f = K.function([x], [K.tanh(x) + x * 2.0, K.sum(x)])
    kept = [(n, f([np.full((n, 2), n, 'float32')])) for n in (3, 3, 2, 3, 5)]
    for n, (y, total) in kept:
        np.testing.assert_allclose(np.full((n, 2), np.tanh(n) + 2 * n), y, rtol=1e-6)
        assert 2 * n * n == total


def test_values_given_stay_with_the_caller():
    """An array given to variable, set_value or a function with updates may change afterwards."""
    array = np.ones(4, 'float32')
    v, x = K.variable(array), K.placeholder((4,))
    assign = K.function([x], [], updates=[K.update(v, x)])
    array[:] = 5.0
    np.testing.assert_array_equal(np.ones(4), K.get_value(v))
    for put in (lambda: K.set_value(v, array), lambda: assign([array])):
        array[:] = 2.0
        put()
        array[:] = 9.0
        np.testing.assert_array_equal(np.full(4, 2.0), K.get_value(v))
    K.get_value(v)[:] = 8.0
    np.testing.assert_array_equal(np.full(4, 2.0), K.eval(v))


def test_arrays_of_any_kind_are_fed():
    """Lists, integers, other byte orders, strided, unaligned and read-only arrays are fed as their values say."""
    x = K.placeholder((None, 2))
    f = K.function([x], x * 2.0 + 1.0)
    base = np.arange(8.0).reshape(4, 2)
    read_only = base.astype('float32')
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b'-' + base.astype('float32').tobytes(), 'float32', offset=1).reshape(4, 2)
    for value in (
        base.tolist(),
        base.astype(int),
        base.astype('>f4'),
        base[::-1].astype('float32')[::-1],
        np.asfortranarray(base.astype('float32')),
        read_only,
        unaligned,
        base,
    ):
        np.testing.assert_array_equal(base * 2 + 1, f([value]))


# -- updates -----------------------------------------------------------------------------------------------------------
def test_updates_are_values():
    """The result of K.update is the new value; as an output, or inside of one, it brings its assignment along."""
    v = K.variable(1.0)
    new = K.update_add(v, 2.0)
    f = K.function([], [new * 10.0, v])
    assert [30.0, 1.0] == [float(r) for r in f([])]
    assert 3.0 == K.get_value(v)
    assert 5.0 == K.eval(new) == K.get_value(v)
    K.function([], [new], updates=[new])([])
    assert 7.0 == K.get_value(v)


def test_updates_of_theano():
    """Pairs and the dict of updates that theano.scan returns are updates, too."""
    v, w = K.variable(1.0), K.variable(1.0)
    K.function([], [], updates=[(v, w + 1.0), (w, v + 2.0)])([])
    assert (2.0, 3.0) == (K.get_value(v), K.get_value(w))
    _, updates = theano.scan(lambda: {v: v + K.constant(1.0)}, n_steps=3)
    K.function([], [], updates=updates)([])
    assert 5.0 == K.get_value(v)


def test_old_and_new_values_do_not_mix():
    """Two variables that take each other's value never hold the same one."""
    a, b = K.variable(np.zeros(50)), K.variable(np.ones(50))
    f = K.function([], [a, b, a + b], updates=[(a, b), (b, a)])
    for i in range(200):
        x, y, total = f([])
        assert (x == i % 2).all()
        assert (y == 1 - i % 2).all()
        assert (total == 1).all()


@pytest.mark.parametrize('optimizer', ['fast_compile', 'fast_run'])
def test_nothing_is_half_updated(optimizer):
    """Where an output or one of the new values fails in a run, no variable changes; the error names what failed."""
    mode = compiled(optimizer)
    v, w, x = K.variable(np.zeros(2), name='first'), K.variable(np.zeros(3), name='second'), K.placeholder((None,))
    f = K.function([x], [K.sum(x)], updates=[K.update_add(v, np.ones(2)), K.update(w, x * 2.0)], mode=mode)
    with pytest.raises(ValueError, match='second'):
        f([np.ones(2)])
    np.testing.assert_array_equal(np.zeros(2), K.get_value(v))
    f([np.ones(3)])
    np.testing.assert_array_equal(np.ones(2), K.get_value(v))
    np.testing.assert_array_equal(np.full(3, 2.0), K.get_value(w))
    g = K.function([x], [K.gather(x, K.constant([5], 'int32'))], updates=[K.update_add(v, np.ones(2))], mode=mode)
    with pytest.raises(IndexError, match='gather'):
        g([np.ones(3)])
    np.testing.assert_array_equal(np.ones(2), K.get_value(v))


def test_values_that_do_not_fit_are_refused_together():
    """batch_set_value sets all or nothing, and names the variable that does not fit."""
    v, w = K.variable(np.zeros(2)), K.variable(np.zeros(3), name='bias')
    with pytest.raises(errors.ShapeError, match='bias'):
        K.batch_set_value([(v, np.ones(2)), (w, np.ones(2))])
    np.testing.assert_array_equal(np.zeros(2), K.get_value(v))


# -- feeding -----------------------------------------------------------------------------------------------------------
def test_bad_input_names_the_placeholder():
    """A value of a wrong rank, size or kind is refused before anything runs, by the name of its placeholder."""
    x, v = K.placeholder((None, 3), name='images'), K.variable(0.0)
    f = K.function([x], [K.sum(x)], updates=[K.update_add(v, 1.0)])
    f([np.ones((2, 3))])
    for value in (np.ones((2, 4)), np.ones(3), [['a', 'b', 'c']], None, x):
        with pytest.raises(errors.FeedError, match='images'):
            f([value])
        with pytest.raises(errors.FeedError, match='images'):
            f(value)
    with pytest.raises(errors.FeedError, match='also feed images'):
        f([])
    assert 1.0 == K.get_value(v)


def test_what_is_missing_is_named():
    """An output that needs a placeholder not among the inputs is refused when the function is made."""
    x, y = K.placeholder((2,)), K.placeholder((2,), name='labels')
    with pytest.raises(errors.FeedError, match='labels'):
        K.function([x], [x + y])
    with pytest.raises(errors.FeedError, match='labels'):
        K.eval(y * 2.0)


def test_dead_tensors_and_functions():
    """What was made before clear_session raises the error that says it, also inside of Theano's own operations."""
    x, v = K.placeholder((2,), name='old'), K.variable(np.ones(2), name='weights')
    f, inside = K.function([x], [x * v]), T.exp(v)
    f([np.ones(2)])
    K.clear_session()
    for use in (
        lambda: f([np.ones(2)]),
        lambda: K.eval(inside),
        lambda: K.get_value(v),
        lambda: K.eval(v),
        lambda: K.function([], [inside]),
        lambda: x + 1.0,
        lambda: K.set_value(v, np.zeros(2)),
    ):
        with pytest.raises(errors.ClearedSessionError):
            use()


# -- evaluation --------------------------------------------------------------------------------------------------------
def test_eval_compiles_nothing_at_first(monkeypatch):
    """K.eval runs in Python, and with the compiler after so many operations, however long they take."""
    v = K.variable([[0.5, -200.0]])
    y = K.log(K.sigmoid(v))
    first = K.eval(y)
    python = y._keras_eval._function.compiled
    assert python.maker.mode is modes.python_mode()
    np.testing.assert_allclose([[-np.log1p(np.exp(-0.5)), -200.0]], first, rtol=1e-6)
    monkeypatch.setattr(functions._Evaluation, 'PATIENCE', 5 * y._keras_eval._each - 1)
    for _ in range(3):
        K.eval(y)
        assert python is y._keras_eval._function.compiled
    K.eval(y)
    np.testing.assert_allclose(first, K.eval(y), rtol=1e-6)
    assert y._keras_eval._function.compiled.maker.mode is modes.default_mode()
    np.testing.assert_allclose(first, K.function([], y)([]), rtol=1e-6)


def test_modes_agree():
    """A step of training gives the same numbers in Python, and in C with few and with all of Theano's rewriting."""
    rng = np.random.RandomState(0)
    images, labels = rng.rand(4, 8, 8, 2).astype('float32'), np.eye(3, dtype='float32')[[0, 2, 1, 1]]
    start = [rng.randn(*shape) * 0.3 for shape in ((3, 3, 2, 4), (4,), (36, 3))]
    results = []
    for mode in (modes.python_mode(), compiled('fast_compile'), compiled('fast_run')):
        weights = [K.variable(w) for w in start]
        x, y = K.placeholder((None, 8, 8, 2)), K.placeholder((None, 3))
        h = K.relu(K.bias_add(K.conv2d(x, weights[0], padding='same', strides=(1, 1)), weights[1]))
        h = K.batch_flatten(K.pool2d(h, (3, 3), (3, 3), padding='same'))
        loss = K.mean(K.categorical_crossentropy(y, K.softmax(K.dot(h, weights[2]))))
        updates = [(w, w - 0.1 * g) for w, g in zip(weights, K.gradients(loss, weights))]
        f = K.function([x, y], [loss], updates=updates, mode=mode)
        losses = [float(f([images, labels])[0]) for _ in range(3)]
        results.append([np.array(losses)] + K.batch_get_value(weights))
    assert results[0][0][0] > results[0][0][2]
    for other in results[1:]:
        for a, b in zip(results[0], other):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


# -- options -----------------------------------------------------------------------------------------------------------
def test_options_of_theano():
    """Options of theano.function reach it, the compiled function can be had, and others are refused by name."""
    x, y, v = K.placeholder((2,)), T.fvector('free'), K.variable(2.0)
    f = K.function([x], [x * v], givens={v: v + K.constant(1.0)}, profile=False)
    np.testing.assert_array_equal([3.0, 3.0], f([np.ones(2)])[0])
    assert isinstance(f.compiled, theano.compile.function_module.Function)
    np.testing.assert_array_equal([3.0, 3.0], f.compiled(np.ones(2, 'float32'))[0])
    with pytest.raises(ValueError, match='session_options'):
        K.function([x], [x], session_options=1)
    with pytest.raises(errors.FeedError, match='free'):
        K.function([x], [x + y])


def test_learning_phase_may_be_left_out():
    """A function that is not fed the learning phase runs in the test phase; one that is may change it at each call."""
    x = K.placeholder((2,))
    y = K.in_train_phase(x * 2.0, x)
    np.testing.assert_array_equal([1.0, 1.0], K.function([x], y)([np.ones(2)]))
    f = K.function([x, K.learning_phase()], y)
    for phase in (0, 1, True, False):
        np.testing.assert_array_equal(np.ones(2) * (2 if phase else 1), f([np.ones(2), phase]))


# -- printing and random numbers ---------------------------------------------------------------------------------------
def test_theano_print_tensor(capfd):
    """A printed tensor is written at each run, as often as it was printed, and the value goes on with its gradient."""
    x = K.variable([1.0, 2.0])
    y = K.print_tensor(x, 'here: ') * K.print_tensor(x, 'here: ')
    f = K.function([], [y] + K.gradients(K.sum(y), [x]))
    capfd.readouterr()
    for _ in range(2):
        np.testing.assert_array_equal([[1.0, 4.0], [2.0, 4.0]], f([]))
        assert ['here: [1. 2.]'] * 2 == capfd.readouterr().err.splitlines()


def test_seeds():
    """A seed gives its stream in any function and after clear_session; runs differ, and so do draws without a seed."""

    def streams():
        x = K.random_normal((4,), seed=7)
        f, g = K.function([], x), K.function([], [x, x * 1.0])
        one, (two, again) = f([]), g([])
        np.testing.assert_array_equal(two, again)
        assert (one != two).all()
        return [one, two]

    first = streams()
    K.clear_session()
    np.testing.assert_array_equal(first, streams())
    a, b = K.eval(K.random_uniform((5,))), K.eval(K.random_uniform((5,)))
    assert (a != b).all()
    np.random.seed(3)
    c = K.eval(K.random_uniform((5,)))
    np.random.seed(3)
    np.testing.assert_array_equal(c, K.eval(K.random_uniform((5,))))


# -- threads and memory ------------------------------------------------------------------------------------------------
def test_threads_call_one_theano_function():
    """Threads that call one function, with one shape or several, get their own results, and all updates count."""
    x, v = K.placeholder((None, 3)), K.variable(0.0)
    f, wrong = K.function([x], [K.exp(x) * 2.0], updates=[K.update_add(v, 1.0)]), []

    def work(seed):
        for i in range(50):
            value = np.random.RandomState(seed * 100 + i).randn(1 + (seed + i) % 3, 3).astype('float32')
            if not np.allclose(f([value])[0], np.exp(value) * 2, rtol=1e-5):
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == wrong
    assert 400.0 == K.get_value(v)


def test_memory_over_rounds():
    """Rounds of building, running and clearing take no more than a few megabytes beyond the first ones."""

    def once():
        v, x = K.variable(np.ones((100, 1000))), K.placeholder((None, 100))
        y = K.sum(K.tanh(K.dot(x, v)))
        K.function([x], [y] + K.gradients(y, [v]), mode=modes.python_mode())([np.ones((2, 100))])
        K.eval(K.sum(v))
        K.clear_session()
        K.reset_uids()

    def rounds(count):
        for _ in range(count):
            once()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0

    before = rounds(10)
    # A round holds 0.8 megabytes and more; a hundred that stay would be 80.
    assert rounds(60) - before < 20


# -- messages and growth -----------------------------------------------------------------------------------------------
def test_long_messages_of_theano_are_cut():
    """Of an error with hundreds of lines, as C++ compilers write them, 20 are shown; the error has them all."""

    class Fails(theano.gof.Op):
        """An operation that fails with a long message."""

        __props__ = ()

        def make_node(self, x):
            return theano.gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            raise RuntimeError('\n'.join([f'line {i}' for i in range(300)]))

    x = K.placeholder((2,))
    with pytest.raises(RuntimeError) as caught:
        K.function([x], [Fails()(x)], mode=modes.python_mode())([np.ones(2)])
    lines = str(caught.value).splitlines()
    assert 21 == len(lines)
    assert ('line 0', 'line 19') == (lines[0], lines[19])
    assert '`whole`' in lines[20]
    assert 'line 299' in caught.value.whole
    assert 'Fails' in caught.value.whole


def test_work_for_updates_grows_with_their_number(monkeypatch):
    """Twice as many updates are looked up twice as often, not four times."""
    looks = []

    def counted(self, *other):
        looks.append(self)
        return object.__eq__(self, *other) if other else object.__hash__(self)

    monkeypatch.setattr(updates.Update, '__eq__', counted)
    monkeypatch.setattr(updates.Update, '__hash__', counted)

    def count(number):
        new = [K.update_add(K.variable(1.0), 1.0) for _ in range(number)]
        del looks[:]
        K.function([], [new[0]], updates=new[1:])
        return len(looks)

    assert 0 < count(40) - count(20) == 2 * (count(20) - count(10))

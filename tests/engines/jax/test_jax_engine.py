"""What the JAX engine does beyond K: compiled functions, functions of JAX, meshes, donated arrays."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from processes import python

import keras_backend.engines.jax_backend as K
from keras_backend.errors import ArgumentTypeError, FeedError, ScopeError, ShapeError


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def regression(size=4):
    """A placeholder, weights, the loss, and a step of gradient descent."""
    x = K.placeholder((None, size))
    w = K.variable(np.linspace(-1, 1, 3 * size).reshape(size, 3))
    loss = K.mean(K.square(K.tanh(K.dot(x, w))))
    return x, w, loss, K.update(w, w - 0.1 * K.gradients(loss, [w])[0])


def batch(rows, size=4):
    return np.random.RandomState(rows).randn(rows, size).astype('float32')


# -- compiled functions ------------------------------------------------------------------------------------------------
def test_one_compilation_for_each_shape():
    """Calls with inputs of one shape share a compilation; a last batch of another size costs one."""
    x, _w, loss, update = regression()
    f = K.function([x], [loss], [update])
    assert K.explain(f) == 'compiled by jax.jit for 0 combinations of shapes'
    for rows in (8, 8, 8, 5, 8, 5):
        f([batch(rows)])
    assert K.explain(f) == 'compiled by jax.jit for 2 combinations of shapes'
    f([batch(8).astype('float64')])
    f([batch(8).tolist()])
    f([jnp.asarray(batch(8))])
    assert K.explain(f) == 'compiled by jax.jit for 2 combinations of shapes'


def test_learning_phase_is_known_when_compiled():
    """Each learning phase has a compilation, of its branch alone."""
    x = K.placeholder((None, 4))
    f = K.function([x, K.learning_phase()], [K.in_train_phase(x * 2.0, x * 3.0)])
    value = batch(2)
    for phase, factor in ((0, 3), (1, 2), (0, 3), (True, 2)):
        np.testing.assert_allclose(f([value, phase])[0], value * factor)
    assert K.explain(f) == 'compiled by jax.jit for 2 combinations of shapes'


def test_sizes_that_are_fed_are_known_when_compiled():
    """A fed size has a compilation for each value, and after too many of them the function runs uncompiled."""
    n = K.placeholder((), dtype='int32')
    f = K.function([n], [K.arange(n) * 2])
    for size in range(40):
        np.testing.assert_array_equal(f([size])[0], np.arange(size) * 2)
    assert K.explain(f) == 'compiled by jax.jit for 32 combinations of shapes'


@pytest.mark.parametrize('case', ['mask', 'size', 'beam', 'branches'])
def test_functions_that_cannot_be_compiled(case):
    """They give the right values all the same, and say why they are not compiled."""
    x = K.placeholder((None,))
    value = np.array([3.0, -1.0, 2.0], 'float32')
    if case == 'mask':
        y, wanted, words = x[x > 0], value[value > 0], 'size depends on values'
    elif case == 'size':
        y, wanted, words = K.arange(K.cast(K.sum(x), 'int32')), np.arange(4), 'a size in arange'
    elif case == 'beam':
        scores = K.softmax(K.reshape(x, (1, 1, 3)))
        y = K.ctc_decode(scores, K.constant([1], dtype='int32'), greedy=False)[0][0]
        wanted, words = [[0]], 'computed on the host'
    else:
        y, wanted, words = K.switch(K.sum(x) > 0, lambda: x[:1] * 2, lambda: x[:2]), value[:1] * 2, 'branches'
    f = K.function([x], [y])
    for _ in range(2):
        np.testing.assert_allclose(f([value])[0], wanted)
    assert K.explain(f).startswith('not compiled: ')
    assert words in K.explain(f)


def test_loops_choices_and_draws_are_compiled():
    """A step function with a lazy choice and a draw in it is compiled, and draws what NumPy draws."""
    import keras_backend.engines.numpy_backend as N

    found = []
    for B in K, N:
        B.clear_session()
        x = B.placeholder((None, 5, 2))

        def step(e, states, B=B):
            noise = B.random_normal(B.shape(e), seed=7)
            h = B.switch(B.sum(e) > 0, lambda: states[0] + e * noise, lambda: states[0] - e)
            return h, [h]

        _last, outputs, _states = B.rnn(step, x, [B.zeros_like(x[:, 0])])
        f = B.function([x], [outputs, B.gradients(B.sum(outputs), [x])[0]])
        found.append([f([np.random.RandomState(0).randn(3, 5, 2)]) for _ in range(2)])
        if B is K:
            assert K.explain(f).startswith('compiled')
    for ours, wanted in zip(*found):
        for a, b in zip(ours, wanted):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_printing_from_a_compiled_function(capfd):
    """The message is there when the call returns, in the order of the steps."""
    x = K.placeholder((3,))
    f = K.function([x], [K.map_fn(lambda e: K.print_tensor(e, message='seen: '), x)])
    f([[1.0, 2.0, 3.0]])
    assert capfd.readouterr().err.split() == ['seen:', '1.0', 'seen:', '2.0', 'seen:', '3.0']


def test_shape_errors_at_run_time():
    """A state that changes its shape is refused with the words of all engines."""
    x, n = K.placeholder((None, None, 2)), K.placeholder((None, 2))
    last, _, _ = K.rnn(lambda e, s: (s[0] + e, [s[0] + e]), x, [n])
    f = K.function([x, n], [last])
    f([np.ones((3, 4, 2)), np.ones((3, 2))])
    with pytest.raises(ShapeError, match='changes its shape'):
        f([np.ones((3, 4, 2)), np.ones((1, 2))])


def test_places_out_of_range():
    """A place that is computed is checked, too, and nothing is updated if it is wrong."""
    table, count, i = K.variable(np.eye(4)), K.variable(0.0), K.placeholder((None,), dtype='int32')
    found = K.gather(table, i * 2)
    gradient = K.gradients(K.sum(found), [table])[0]
    f = K.function([i], [found], [(table, table - gradient), (count, count + 1.0)])
    f([[0, 1]])
    before = K.get_value(table)
    for _ in range(2):
        with pytest.raises(IndexError, match='Index 4 is out of range for an axis of size 4; possible are 0 to 3'):
            f([[0, 2]])
    np.testing.assert_array_equal(before, K.get_value(table))
    assert K.get_value(count) == 1
    f([[0, 1]])
    assert K.get_value(count) == 2


# -- arrays ------------------------------------------------------------------------------------------------------------
def test_values_outlive_donated_arrays():
    """Values that were read, arrays of JAX that somebody holds, and results stay what they were."""
    w = K.variable(np.zeros((64, 64)))
    f = K.function([], [w + 0.0], [(w, w + 1.0)])
    f([])
    held, value = w.data, K.get_value(w)
    result = f([])[0]
    f([])
    assert (held == 1).all()
    assert (value == 1).all()
    assert (result == 1).all()
    assert (K.get_value(w) == 3).all()
    value[:] = 7
    result[:] = 7
    assert (K.get_value(w) == 3).all()


def test_old_array_is_given_to_xla():
    """Nobody else holds it, so the new value takes its memory."""
    w = K.variable(np.zeros((256, 256)))
    f = K.function([], [], [(w, w + 1.0)])
    f([])
    place = w.data.unsafe_buffer_pointer()
    for _ in range(3):
        f([])
    assert place == w.data.unsafe_buffer_pointer()


def test_each_variable_keeps_its_array():
    """Whatever the order of updates and results: an array given to another variable would have to be copied."""
    a, b, c = [K.variable(np.full((128, 128), n)) for n in range(3)]
    f = K.function([], [a + b], [(c, c + a), (a, a + 1.0), (b, b + c)])
    f([])
    places = [v.data.unsafe_buffer_pointer() for v in (a, b, c)]
    f([])
    assert places == [v.data.unsafe_buffer_pointer() for v in (a, b, c)]
    assert [K.get_value(v)[0, 0] for v in (a, b, c)] == [2, 5, 3]


def test_large_results_are_the_users():
    """They lie in the memory of XLA and can be written into; nothing else does, whatever a result is."""
    value = np.full((300, 300), 3.0, 'float32')
    x, w, u = K.placeholder((300, 300)), K.variable(np.ones((300, 300))), K.variable(value * 0)
    same = w * 2.0
    f = K.function([x], [x, w, same, same, w + x], [(u, same)])
    for given in value, jnp.asarray(value):
        results = f([given])
        for result, wanted in zip(results, (3, 1, 2, 2, 4)):
            assert (result == wanted).all()
            result[:] = 9
        assert (np.asarray(given) == 3).all()
        assert (K.get_value(w) == 1).all()
        assert (K.get_value(u) == 2).all()


def steps_on_a_table(B, make):
    """A table of 3,000 rows after three steps on rows of it, some of them read twice, some by two lookups."""
    B.clear_session()
    table, rate = B.variable(np.linspace(-1, 1, 12000).reshape(3000, 4)), B.variable(0.1)
    first, second = B.placeholder((None, 3), dtype='int32'), B.placeholder((None,), dtype='int32')
    loss = B.sum(B.square(B.gather(table, first))) + B.sum(B.exp(B.gather(table, second)))
    f = B.function([first, second], [loss], make(B, table, rate, B.gradients(loss, [table])[0]))
    for step in range(3):
        found = f([[[1, 5, 1], [2999, 0, step]], [5, 7, 7, step]])
    return found[0], B.get_value(table), rate, f, table


def descent(B, table, rate, g):
    return [(table, table - rate * g)]


def adam(B, table, rate, g):
    m, v = B.zeros((3000, 4)), B.zeros((3000, 4))
    new_m, new_v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * B.square(g)
    return [(m, new_m), (v, new_v), (table, table - rate * new_m / (B.sqrt(new_v) + 1e-7))]


@pytest.mark.parametrize('make', [descent, adam])
def test_steps_by_rows(make):
    """The gradient of a lookup is added up for the rows that were read, with the values of the NumPy engine."""
    import keras_backend.engines.numpy_backend as N

    loss, rows, rate, f, table = steps_on_a_table(K, make)
    wanted_loss, wanted, *_ = steps_on_a_table(N, make)
    np.testing.assert_allclose(loss, wanted_loss, rtol=1e-5)
    np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-6)
    if make is descent:
        f([[[1, 5, 1]], [2]])  # the first run of these shapes, which keeps the array until it has ended
        place = table.data.unsafe_buffer_pointer()
        f([[[1, 5, 1]], [2]])
        assert place == table.data.unsafe_buffer_pointer()
        # 0 times infinity, in rows that were not read
        K.set_value(rate, np.inf)
        f([[[1, 5, 1]], [2]])
        assert np.isnan(K.get_value(table)[100:2000]).all()


def test_variables_that_take_each_others_values():
    """Updates see old values, and afterwards no two variables share an array."""
    a, b, c = K.variable(np.zeros(9)), K.variable(np.ones(9)), K.variable(np.full(9, 5.0))
    f = K.function([], [], [(a, b), (b, a), (c, b)])
    for step in range(4):
        f([])
        assert [K.get_value(v)[0] for v in (a, b)] == ([1, 0] if step % 2 == 0 else [0, 1])
    assert len({v.data.unsafe_buffer_pointer() for v in (a, b, c)}) == 3


def test_updates_do_not_share_what_is_fed():
    """A variable that takes a fed value keeps it when the caller writes into the array."""
    x, w = K.placeholder((1024,)), K.variable(np.zeros(1024))
    f = K.function([x], [], [(w, x)])
    for value in np.ones(1024, 'float32'), jnp.ones(1024, 'float32'):
        f([value])
        if isinstance(value, np.ndarray):
            value[:] = 9
        K.function([], [], [(w, w * 2.0)])([])
        assert (K.get_value(w) == 2).all()
    assert (value == 1).all()


def test_arrays_of_jax_are_fed_without_a_copy():
    """An array of the right dtype reaches the compiled function as it is; another dtype is converted."""
    x = K.placeholder((None, 4))
    f = K.function([x], [x * 2.0])
    value = jnp.asarray(batch(3))
    assert f._feeds[0](value) is value
    np.testing.assert_allclose(f([value])[0], batch(3) * 2)
    np.testing.assert_allclose(f([value.astype('float64')])[0], batch(3) * 2)
    with pytest.raises(FeedError, match=r'shape \(None, 4\)'):
        f([jnp.ones((3, 5))])


def test_an_error_leaves_the_variables():
    """A call that fails while it is compiled leaves its variables as they were."""
    x, w = K.placeholder((None,)), K.variable(np.zeros(3))
    f = K.function([x], [], [(w, w + x)])
    f([[1.0, 2.0, 3.0]])
    with pytest.raises((ValueError, TypeError)):
        f([[1.0, 2.0]])
    np.testing.assert_array_equal(K.get_value(w), [1, 2, 3])
    f([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(K.get_value(w), [2, 4, 6])


def test_threads_train_and_read_one_variable():
    """No update is lost, and who reads gets the value of one moment."""
    w = K.variable(np.zeros((50, 50)))
    step, read = K.function([], [], [(w, w + 1.0)]), K.function([], [K.max(w), K.min(w)])
    wrong = []

    def train():
        for _ in range(50):
            step([])

    def look():
        for _ in range(50):
            high, low = read([])
            value = K.get_value(w)
            if high != low or value.max() != value.min():
                wrong.append((high, low))

    threads = [threading.Thread(target=target) for target in (train, look) * 5]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert (K.get_value(w) == 250).all()


# -- functions of JAX --------------------------------------------------------------------------------------------------
def test_as_function_is_pure():
    """It gives outputs and new values, and the K variables stay."""
    x, w, loss, update = regression()
    f = K.function([x], [loss], [update])
    pure = K.as_function(f)
    assert pure.variables == [w]
    before = pure.values()
    (value,), after = pure(before, [batch(6)])
    np.testing.assert_array_equal(K.get_value(w), before[0])
    np.testing.assert_allclose(f([batch(6)])[0], value, rtol=1e-6)
    np.testing.assert_allclose(K.get_value(w), after[0], rtol=1e-6)
    pure.assign(before)
    np.testing.assert_array_equal(K.get_value(w), before[0])


def test_as_function_with_grad_vmap_and_jit():
    """The gradient of JAX is that of K; a batch of batches gives what each of them gives."""
    x, w, loss, _update = regression()
    pure = K.as_function(K.function([x], [loss]))
    of_k = K.function([x], K.gradients(loss, [w]))([batch(6)])[0]
    gradient = jax.jit(jax.grad(lambda variables, value: pure(variables, [value])[0][0]))
    np.testing.assert_allclose(gradient(pure.values(), batch(6))[0], of_k, rtol=1e-4, atol=1e-6)
    batches = np.stack([batch(6), batch(6) * 2])
    losses = jax.vmap(lambda value: pure(pure.values(), [value])[0][0])(batches)
    np.testing.assert_allclose(losses, [pure(pure.values(), [b])[0][0] for b in batches], rtol=1e-5)


def test_gradient_of_jax_through_a_step_on_rows():
    """A step of gradient descent on rows that were read is a function of JAX like any other."""
    _loss, _rows, _rate, f, _table = steps_on_a_table(K, descent)
    pure, places = K.as_function(f), [np.array([[1, 5, 1]], 'int32'), np.array([2], 'int32')]
    at = [v.name for v in pure.variables].index(_table.name)
    values = pure.values()

    def total(table):
        return pure([*values[:at], table, *values[at + 1 :]], places)[1][at].sum()

    found = np.asarray(jax.grad(total)(values[at]))
    wanted = np.ones((3000, 4))
    wanted[[1, 5]] -= 0.1 * 2 * np.array([[2], [1]])
    wanted[2] -= 0.1 * np.exp(values[at][2])
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ('name', 'value', 'slope'),
    [
        ('relu', lambda x: np.where(x > 0, x, 0), lambda x: x > 0),
        ('sqrt', lambda x: np.sqrt(np.where(x > 0, x, 0)), lambda x: np.where(x > 0, 0.5 / np.sqrt(np.abs(x)), 0)),
        ('sigmoid', lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (np.exp(x) + 2 + np.exp(-x))),
    ],
)
def test_slopes_of_jax_at_zero_and_below(name, value, slope):
    """`jax.grad` gives the slopes of K. With `jnp.maximum` relu would have 0.5 at 0, and sqrt NaN below 0."""
    points = np.array([-np.inf, -80.0, -4.0, -1e-3, 1e-3, 4.0, 80.0, np.inf], 'float32')
    points = points if name == 'sqrt' else np.append(points, np.float32(0))
    x = K.placeholder((None,))
    pure = K.as_function(K.function([x], [getattr(K, name)(x)]))
    exact = points.astype('float64')
    np.testing.assert_allclose(pure([], [points])[0][0], value(exact), rtol=2.5e-7)
    finite = points[np.isfinite(points)]
    found = jax.grad(lambda v: pure([], [v])[0][0].sum())(finite)
    np.testing.assert_allclose(found, slope(finite.astype('float64')), rtol=1e-6, atol=1e-7)


def test_as_function_keeps_stop_gradient():
    """What K.stop_gradient stops, stops for JAX."""
    x = K.placeholder((3,))
    pure = K.as_function(K.function([x], [K.sum(x * K.stop_gradient(x))]))
    value = jnp.array([1.0, 2.0, 3.0], 'float32')
    np.testing.assert_allclose(jax.grad(lambda v: pure([], [v])[0][0])(value), value)


def test_a_training_loop_of_jax():
    """lax.scan over steps of a K function, loops inside, gives what the calls give."""
    x, w = K.placeholder((None, 3, 2)), K.variable(np.eye(2))
    last, _, _ = K.rnn(
        lambda e, s: (K.tanh(K.dot(e, w) + s[0]),) * 1 + ([K.tanh(K.dot(e, w) + s[0])],), x, [K.zeros((4, 2))]
    )
    loss = K.mean(K.square(last - 0.5))
    f = K.function([x], [loss], [(w, w - 0.1 * K.gradients(loss, [w])[0])])
    pure = K.as_function(f)
    data = np.random.RandomState(0).randn(5, 4, 3, 2).astype('float32')

    def step(variables, value):
        (loss,), variables = pure(variables, [value])
        return variables, loss

    _variables, losses = jax.jit(lambda v: jax.lax.scan(step, v, data))(pure.values())
    np.testing.assert_allclose(losses, [f([value])[0] for value in data], rtol=1e-5)


@pytest.mark.parametrize('transform', [jax.jit, jax.vmap, lambda f: jax.grad(lambda a: f(a).sum())])
def test_a_call_inside_of_a_function_of_jax(transform):
    """It says what to use there, and its variables, also those that no function has read yet, stay as they were."""
    x, w, v = K.placeholder((None,)), K.variable(np.ones(3)), K.variable(np.ones(3))
    f = K.function([x], [K.sum(x * v)], updates=[K.update_add(w, x)])
    value = np.ones(3, 'float32')

    def inside(feed):
        transform(lambda a: f([feed(a)])[0] + a)(jnp.ones((3, 3)))

    for _ in range(2):
        with pytest.raises(ScopeError, match='use keras_backend.engines.jax_backend.as_function'):
            inside(lambda a: a.ravel()[:3])
        # an array is nothing that jax.vmap or jax.grad traces
        if transform is jax.jit:
            with pytest.raises(ScopeError, match='while JAX traces'):
                inside(lambda a: value)
        else:
            inside(lambda a: value)
        assert f([value]) == [3.0]
    assert K.get_value(w).tolist() == [3.0 if transform is jax.jit else 5.0] * 3


def test_bad_arguments_of_interop():
    """Errors name the function, and what was given."""
    import keras_backend.engines.numpy_backend as N

    x, _w, loss, _update = regression()
    pure = K.as_function(K.function([x], [loss]))
    with pytest.raises(FeedError, match=r'takes 1 variables \(variable_1\), got 0'):
        pure([], [batch(2)])
    with pytest.raises(FeedError, match='takes 1 inputs'):
        pure(pure.values(), [])
    with pytest.raises(FeedError, match=r'placeholder_1 of shape \(None, 4\) cannot be an array of shape \(2, 3\)'):
        pure(pure.values(), [batch(2, 3)])
    for call in (pure.assign, lambda values: pure(values, [batch(2)])):
        with pytest.raises(FeedError, match=r'variable_1 of shape \(4, 3\) cannot be an array of shape \(3, 4\)'):
            call([np.ones((3, 4))])
    assert K.get_value(_w).shape == (4, 3)
    with pytest.raises(ArgumentTypeError, match='as_function: function has to be a result of K.function'):
        K.as_function(len)
    y = N.placeholder((2,))
    with pytest.raises(ArgumentTypeError, match='explain: function'):
        K.explain(N.function([y], [y]))
    with pytest.raises(ArgumentTypeError, match='use_mesh: mesh'):
        K.use_mesh([1])


# -- many devices ------------------------------------------------------------------------------------------------------
_ON_EIGHT = """
import numpy as np, jax
from jax.sharding import Mesh, PartitionSpec
import keras_backend.engines.jax_backend as K

def train(mesh, variables=None):
    K.clear_session()
    x, y = K.placeholder((None, 12)), K.placeholder((None, 4))
    w = K.variable(np.linspace(-1, 1, 96).reshape(12, 8), name='first')
    v = K.variable(np.linspace(-1, 1, 32).reshape(8, 4))
    made = K.dot(K.dropout(K.tanh(K.dot(x, w)), 0.3, seed=3), v)
    loss = K.mean(K.square(made - y))
    f = K.function([x, y], [loss], [(p, p - 0.1 * g) for p, g in zip((w, v), K.gradients(loss, [w, v]))])
    r = np.random.RandomState(0)
    losses = []
    with K.use_mesh(mesh, variables):
        for rows in (32, 32, 32, 13, 32):
            losses.append(f([r.randn(rows, 12), r.randn(rows, 4)])[0])
        places = w.data.sharding, v.data.sharding
    return losses, places, K.get_value(w)

assert len(jax.devices()) == 8
one, places, w1 = train(None)
assert len(places[0].device_set) == 1
mesh = Mesh(np.array(jax.devices()), ('batch',))
eight, places, w8 = train(mesh)
assert all([len(p.device_set) == 8 and p.is_fully_replicated for p in places]), places
np.testing.assert_allclose(eight, one, atol=1e-6)
np.testing.assert_allclose(w8, w1, atol=1e-6)
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ('batch', 'model'))
eight, places, w8 = train(mesh, {'first': PartitionSpec(None, 'model')})
assert not places[0].is_fully_replicated and places[1].is_fully_replicated, places
np.testing.assert_allclose(eight, one, atol=1e-6)
np.testing.assert_allclose(w8, w1, atol=1e-6)
print('the same losses')
"""


def test_eight_devices(tmp_path):
    """Losses on a mesh of eight devices are those on one; variables lie where they are told to."""
    flags = '--xla_force_host_platform_device_count=8'
    status, out, err = python('-c', _ON_EIGHT, home=tmp_path, backend='jax', XLA_FLAGS=flags, JAX_PLATFORMS='cpu')
    assert status == 0, err
    assert 'the same losses' in out

"""Many threads use one K."""

import threading

import numpy as np

from ._check import close, covers, random

pytestmark = covers('function')
THREADS = 20


def in_threads(work):
    """Run work(i) in THREADS threads at once, and raise an error that one of them raised."""
    errors, gate = [], threading.Barrier(THREADS)

    def run(i):
        try:
            gate.wait(60)
            work(i)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread of the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_one_function_in_many_threads(K):
    """Twenty threads call one function with different inputs. Each thread gets the results for its inputs."""
    x, w = K.placeholder((None, 8)), K.variable(random((8, 8), seed=1))
    function = K.function([x], [K.tanh(K.dot(x, w)), K.sum(x)])
    weights = K.get_value(w).astype('float64')

    def work(i):
        array = random((i % 4 + 1, 8), seed=i, dtype='float32')
        for _ in range(20):
            values = function([array])
            close(values[0], np.tanh(array.astype('float64').dot(weights)))
            close(values[1], array.astype('float64').sum(), scale=10)

    in_threads(work)


def test_updates_from_many_threads(K):
    """Twenty threads update two counters. No update is lost, and the counters agree."""
    a, b = K.variable(0.0), K.variable(np.zeros((50,)))
    step = K.function([], [b[0] - a, K.max(b) - K.min(b)], updates=[K.update_add(a, 1.0), K.update_add(b, np.ones(50))])

    def work(i):
        for _ in range(25):
            assert [float(value) for value in step([])] == [0.0, 0.0]

    in_threads(work)
    assert K.get_value(a) == 25 * THREADS
    assert (K.get_value(b) == 25 * THREADS).all()


@covers('placeholder', 'update_add', 'update_sub')
def test_updates_of_two_functions_from_many_threads(K):
    """Twenty threads call two functions of what they are fed, which change the same counters. No update is lost."""
    x, a, b = K.placeholder(()), K.variable(0.0), K.variable(np.zeros((50,)))
    apart = [K.max(b + x) - (a + x), K.max(b + x) - K.min(b + x)]
    row = x * K.ones((50,))
    steps = [
        K.function([x], apart, updates=[K.update_add(a, x), K.update_add(b, row)]),
        K.function([x], apart, updates=[K.update_sub(a, -2.0 * x), K.update_sub(b, -2.0 * row)]),
    ]

    def work(i):
        for _ in range(10):
            assert [float(value) for value in steps[i % 2]([1.0])] == [0.0, 0.0]

    in_threads(work)
    assert K.get_value(a) == 15 * THREADS
    assert (K.get_value(b) == 15 * THREADS).all()


@covers('gradients', 'variable', 'placeholder', 'switch', 'rnn')
def test_building_in_many_threads(K):
    """Each thread may build and run its own graph at the same time."""

    def work(i):
        x, v = K.placeholder((None, 3, 2)), K.variable(np.full((2,), float(i)))
        _, outputs, _ = K.rnn(lambda e, s: (e * v + s[0], [s[0] + 1.0]), x, [K.zeros_like(x[:, 0])])
        y = K.switch(K.sum(v) > 1e9, lambda: outputs * 0.0, lambda: outputs)
        gradient = K.gradients(K.sum(y), [v])[0]
        values = K.function([x], [y, gradient])([np.ones((2, 3, 2))])
        close(values[0][0, :, 0], [i, i + 1, i + 2])
        close(values[1], [6.0, 6.0])

    in_threads(work)


@covers('clear_session', 'variable', 'gradients')
def test_building_on_a_fresh_graph_in_many_threads(K):
    """The first tensors after clear_session come from twenty threads at once."""

    def work(i):
        for k in range(5):
            v = K.variable(np.full((3,), float(i)), name='v')
            loss = K.sum(K.square(v) * K.constant(float(k)))
            close(K.function([], K.gradients(loss, [v]))([])[0], np.full(3, 2.0 * i * k))

    for _ in range(3):
        K.clear_session()
        in_threads(work)


@covers('switch', 'name_scope')
def test_scopes_belong_to_a_thread(K):
    """A scope or a branch that is open in one thread does not affect what another thread builds."""
    inside, go_on = threading.Event(), threading.Event()
    names, results = [], []

    def other():
        with K.name_scope('scope_of_the_other'):
            inside.set()
            go_on.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(60)
    names.append(K.variable(1.0, name='mine').name)
    go_on.set()
    thread.join()

    def branch():
        def elsewhere():
            results.append(K.eval(K.variable(2.0) * 3.0))

        inner = threading.Thread(target=elsewhere)
        inner.start()
        inner.join()
        return K.constant(1.0)

    close(K.eval(K.switch(K.variable(1.0) > 0, branch, lambda: K.constant(0.0))), 1.0)
    assert 'scope_of_the_other' not in names[0]
    assert [float(value) for value in results] == [6.0]

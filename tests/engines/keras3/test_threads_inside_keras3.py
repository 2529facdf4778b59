"""Many threads use one K inside Keras 3."""

import sys
import threading

import keras
import numpy as np
import pytest
import threads_and_forks

import keras_backend.keras3 as K

THREADS, TIMES = 4, 30


@pytest.fixture(autouse=True)
def _switch_often():
    """Python changes from thread to thread fifty times as often as by itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


def all_at_once(*works):
    """Run each work in a thread, and raise an error that one of them raised."""
    threads_and_forks.in_threads(lambda i: works[i](), len(works))


def test_no_update_of_a_function_is_lost():
    """Four threads call two functions that increase the same variables. All variables agree in every call."""
    x, a, b = K.placeholder(()), K.variable(0.0), K.variable(np.zeros(1000))
    steps = []
    for amount in 1.0, 2.0:
        updates = [K.update_add(a, amount + x), K.update_add(b, amount + x)]
        steps.append(K.function([x], [K.max(b + x) - (a + x), K.max(b + x) - K.min(b + x)], updates=updates))
    reading = K.function([x], [K.max(b + x) - (a + x), K.max(b + x) - K.min(b + x)])
    for function in (*steps, reading):
        function([0.0])  # compiled before the threads begin

    def work(function):
        def repeated():
            for _ in range(TIMES):
                assert [float(value) for value in function([0.0])] == [0.0, 0.0]

        return repeated

    # TensorFlow reads each variable as a whole, and not all of them at once.
    readers = [] if keras.backend.backend() == 'tensorflow' else [work(reading)]
    all_at_once(*[work(f) for f in (*steps, *steps)], *readers)
    expected = 3.0 + 2 * TIMES * 3.0
    assert K.get_value(a) == expected
    assert (K.get_value(b) == expected).all()


def test_no_update_at_once_is_lost():
    """The same of K.update_add, K.update_sub and K.moving_average_update that take effect at once."""
    v, average = K.variable(np.zeros(100)), K.variable(1.0)

    def work():
        for _ in range(TIMES):
            K.update_add(v, np.full(100, 3.0))
            K.update_sub(v, np.ones(100))
            K.moving_average_update(average, 0.0, 0.75)

    all_at_once(*[work] * THREADS)
    assert (K.get_value(v) == 2.0 * THREADS * TIMES).all()
    assert K.get_value(average) == pytest.approx(0.75 ** (THREADS * TIMES), rel=1e-4)


def test_values_that_are_set_together_are_read_together():
    """K.batch_set_value beside K.batch_get_value: all variables are of one call."""
    variables = [K.variable(np.zeros(50)) for _ in range(4)]

    def setting(start):
        def work():
            for i in range(TIMES):
                K.batch_set_value([(v, np.full(50, start + i, 'float32')) for v in variables])

        return work

    def reading():
        for _ in range(TIMES):
            assert len({float(entry) for value in K.batch_get_value(variables) for entry in value}) == 1

    all_at_once(setting(0.0), setting(1000.0), reading, reading)


def test_a_variable_is_one_weight_whoever_reads_it_first():
    """Threads that read a variable beside tensors of their own make one layer for it."""
    for _ in range(5):
        v, layers = K.variable(np.ones(3)), []

        def work(v=v, layers=layers):
            x = K.placeholder((None, 3))
            model = keras.Model(x, x * v)
            layers.extend(layer for layer in model.layers if layer.weights)

        all_at_once(*[work] * THREADS)
        assert len(layers) == THREADS
        assert len({id(layer) for layer in layers}) == 1


def test_a_step_that_one_thread_records_is_none_of_another_thread():
    """What another thread draws while a step is being recorded does not depend on that step."""
    x = K.placeholder((None, 4, 2))
    drawn = []

    def step(element, states):
        def elsewhere():
            drawn.append(K.random_normal((3,)))

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return element + states[0], [states[0] + 1.0]

    K.rnn(step, x, [K.zeros_like(x[:, 0])])
    assert drawn
    assert [K.eval(tensor).shape for tensor in drawn] == [(3,)] * len(drawn)


def test_an_update_of_tensors_beside_an_update_of_another_thread():
    """K.moving_average_update of a KerasTensor in one thread leaves that of another thread what it is."""
    x, a, b = K.placeholder(()), K.variable(1.0), K.variable(1.0)
    made = []

    def symbolic():
        for _ in range(20):
            made.append(K.moving_average_update(a, x, 0.5))

    def at_once():
        for _ in range(20):
            K.moving_average_update(b, 0.0, 0.5)

    all_at_once(symbolic, at_once, symbolic, at_once)
    assert K.get_value(b) == 0.5**40
    K.function([x], [], updates=[made[-1]])([3.0])
    assert K.get_value(a) == 2.0

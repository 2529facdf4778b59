"""Threads and forked children that call one function at once: what holds for every engine on the K graph."""

import multiprocessing
import os
import signal
import threading

import numpy as np


def model(K):
    """A function with a loop and a draw; one with a loop and an update; the variable that counts the calls of this."""
    x, w, count = K.placeholder((None, 3, 2)), K.variable(np.eye(2)), K.variable(0.0, dtype='float64')

    def step(e, s):
        h = K.tanh(K.dot(e, w) + s[0])
        return h, [h]

    last, _, _ = K.rnn(step, x, [K.zeros_like(x[:, 0])])
    noisy = last + 0.0 * K.random_normal(K.shape(last))
    return K.function([x], [noisy]), K.function([x], [last], updates=[(count, count + 1.0)]), count


def expected(value):
    """What the functions of `model` give."""
    h = np.zeros((len(value), 2))
    for t in range(3):
        h = np.tanh(value[:, t] + h)
    return h


def in_threads(work, count):
    """Call work(i) in `count` threads, all at once, for i from 0. An error in one of them is an error here."""
    errors, gate = [], threading.Barrier(count)

    def caught(i):
        try:
            gate.wait(60)
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=caught, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def check_threads(K, count, also=lambda: None):
    """Threads that call the same functions with values of several shapes get their own results; no update is lost.

    also: what each thread calls after each round.
    """
    plain, counting, counter = model(K)

    def work(seed):
        for i in range(50):
            value = np.random.RandomState(seed * 100 + i).randn(1 + (seed + i) % 5, 3, 2)
            for f in (plain, counting):
                np.testing.assert_allclose(f([value])[0], expected(value), atol=1e-5)
            also()

    in_threads(work, count)
    assert 50.0 * count == float(K.get_value(counter))


def by_multiprocessing(work):
    """The id of a child of `multiprocessing` that calls `work`."""
    child = multiprocessing.get_context('fork').Process(target=work)
    child.start()
    return child.pid


def by_the_system(work):
    """The id of a child of os.fork that calls `work`."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return child


def check_fork(K, locks=lambda: [], fork=by_multiprocessing):
    """A child forked while another thread holds the locks calls functions, and its updates are its own.

    locks: a function that finds locks beside that of the engine, after the first call.
    """
    _, counting, count = model(K)
    value = np.ones((2, 3, 2))
    counting([value])
    everything = [K._graph.lock] + locks()
    held, release = threading.Event(), threading.Event()

    def hold():
        for lock in everything:
            lock.__enter__()
        held.set()
        release.wait()
        for lock in everything:
            lock.__exit__(None, None, None)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    ours, theirs = multiprocessing.get_context('fork').Pipe()
    child = fork(lambda: theirs.send((counting([value])[0], float(K.get_value(count)))))
    answered = ours.poll(60)
    release.set()
    holder.join()
    if not answered:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert answered
    result, counted = ours.recv()
    np.testing.assert_allclose(result, expected(value), atol=1e-5)
    assert 2.0 == counted
    assert 1.0 == float(K.get_value(count))
    np.testing.assert_allclose(counting([value])[0], expected(value), atol=1e-5)

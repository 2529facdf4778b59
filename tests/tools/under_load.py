"""What holds for every engine while many threads build, run and clear, and while Ctrl-C comes in a run."""

import _thread
import random
import signal
import threading

import numpy as np
from threads_and_forks import in_threads, model

from keras_backend.errors import ClearedSessionError


def built_and_run(K, seed):
    """Build a graph with a choice, a loop, a gradient and an update, and run it: what it gives is right."""
    x, w = K.placeholder((None, 2, 1)), K.variable(np.full((1,), float(seed)))
    last = K.rnn(lambda e, s: (e * w + s[0], [e * w + s[0]]), x, [K.zeros_like(x[:, 0])])[0]
    y = K.switch(K.sum(w) > 1e6, lambda: last - 1.0, lambda: last + 1.0)
    gradient = K.gradients(K.sum(y), [w])[0]
    found = K.function([x], [y, gradient], [K.update_add(w, [1.0])])([[[[1.0], [2.0]]]])
    assert [[[3.0 * seed + 1.0]], [3.0]] == [value.tolist() for value in found]
    assert [seed + 1.0] == K.get_value(w).tolist()


def check_building_beside_running(K, count=20, rounds=2):
    """`count` threads build beside as many that run one function; no update is lost."""
    _plain, counting, counter = model(K)
    value = np.ones((2, 3, 2))
    expected = counting([value])[0]

    def work(i):
        for k in range(rounds):
            if i % 2:
                built_and_run(K, i + 100 * k)
            else:
                np.testing.assert_allclose(counting([value])[0], expected, 1e-6)

    in_threads(work, 2 * count)
    assert 1.0 + count * rounds == float(K.get_value(counter))


def check_clearing_under_load(K, count=8, rounds=10):
    """Sessions are cleared while threads build and run: each gets right numbers, or is told that its graph is gone."""
    done, told = threading.Event(), []

    def work(i):
        if not i:
            for _ in range(rounds):
                done.wait(0.02)
                K.clear_session()
            done.set()
        while not done.is_set():
            try:
                built_and_run(K, i)
            except ClearedSessionError as error:
                told.append(error)

    in_threads(work, count)
    for seed in range(3):
        built_and_run(K, seed)


def check_ctrl_c(K, times=30, longest=0.01):
    """Ctrl-C comes while a function runs: its updates are all there or none, and threads can run it then."""
    table, total, count = K.variable(np.zeros((3000, 3))), K.variable(np.zeros(1000)), K.variable(0.0)
    rows = K.placeholder((None,), dtype='int32')
    slope = K.gradients(K.sum(K.gather(table, rows)), [table])[0]
    work = K.sum(K.dot(K.ones((50, 50)), K.ones((50, 50)))) * 0.0
    updates = [(table, table + slope), (total, total + 1.0 + work), K.update_add(count, 1.0)]
    step = K.function([rows], [K.max(total)], updates)
    step([[5, 7]])
    rng, stopped = random.Random(0), 0
    # Where a shell runs this beside other work, SIGINT is ignored.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    for _ in range(times):
        sent, after = threading.Event(), rng.uniform(0, longest)

        def send(after=after, sent=sent):
            threading.Event().wait(after)
            _thread.interrupt_main()
            sent.set()

        sender = threading.Thread(target=send)
        try:
            sender.start()
            while not sent.is_set():
                step([[5, 7]])
            sender.join()  # a call, at which Python sees a Ctrl-C that came last
        except KeyboardInterrupt:
            stopped += 1
        sender.join()
        before = float(K.get_value(count))
        in_threads(lambda _i: step([[5, 7]]), 2)
        found_table, found_total, now = K.batch_get_value([table, total, count])
        assert before + 2.0 == now
        assert (found_total == now).all()
        assert (found_table[[5, 7]] == now).all()
        assert found_table.sum() == 6.0 * now
    signal.signal(signal.SIGINT, handler)
    assert stopped

"""On which threads a function runs: the callables are stand-ins, and so is the clock."""

import pytest

from keras_backend.engines.tensorflow_backend import _threads


class Clock:
    """A clock that goes on by what a run takes."""

    def __init__(self):
        self.now, self.log = 0.0, []

    def run(self, name, seconds):
        def call(*arrays, **options):
            self.now += seconds
            self.log.append(name)
            return [name, arrays, options]

        return call


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_threads, 'perf_counter', lambda: clock.now)
    return clock


def threads(clock, inline, pooled):
    """(a function that takes `inline` or `pooled` seconds a call, what was settled, how often a pool was made)."""
    settled, made = [], []

    def make():
        made.append(1)
        return clock.run('pooled', pooled)

    return _threads.Threads(clock.run('inline', inline), make, settled.append), settled, made


def test_a_short_function_stays_with_its_caller(clock):
    """No second callable is made for it, however often it is called."""
    run, settled, made = threads(clock, 0.0005, 0.0001)
    for _ in range(5000):
        assert run(1, option=2) == ['inline', (1,), {'option': 2}]
    assert len(settled) == 1
    assert not made


@pytest.mark.parametrize(('pooled', 'chosen'), [(0.03, 'pooled'), (0.05, 'inline')])
def test_the_faster_one_is_kept(clock, pooled, chosen):
    """A function that takes long is tried both ways. Each call is run once."""
    run, settled, made = threads(clock, 0.04, pooled)
    for calls in range(1, 100):
        run()
        assert len(clock.log) == calls
    assert len(settled) == len(made) == 1
    assert settled[0]()[0] == chosen
    assert set(clock.log[-50:]) == {chosen}
    # A second has to pass before another callable is made.
    assert set(clock.log[:25]) == {'inline'}


def test_a_program_of_few_steps_makes_one_callable(clock):
    """Models that are trained for a few batches do not pay for a second one."""
    run, settled, made = threads(clock, 0.02, 0.01)
    for _ in range(30):
        run()
    assert not settled
    assert not made


def test_a_run_that_fails_is_not_timed(clock):
    """An error goes to the caller, and nothing is decided by it."""

    def fail():
        raise ValueError('no')

    run = _threads.Threads(fail, lambda: fail, lambda chosen: pytest.fail('settled'))
    for _ in range(50):
        with pytest.raises(ValueError, match='no'):
            run()

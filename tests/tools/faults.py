"""Runs that fail at each place in turn: nothing is half-changed, and the next run is right.

An engine that prints a program as Python looks its kernels up in the globals of that function. So each call of a kernel
can be made to fail there. Where a library runs the whole program, lookups fail whose places are fed. A line of ours
stands for the moment at which Ctrl-C arrives.
"""

import linecache
import os
import sys
from contextlib import contextmanager

import numpy as np
import rotating
from eager_programs import INPUTS, VARIABLES, Graph, Program

import keras_backend

PACKAGE = os.path.dirname(keras_backend.__file__) + os.sep
PROGRAMS = 200
SIZES = {'b': 2, 't': 3, 'u': 1}
# More than what the kernels of lookups treat as a whole.
TABLE = (3000, 3)


class Fault(Exception):
    """What a call raises."""


def seeds(share, count=PROGRAMS):
    """The programs of this run: all of `count`, or one in `share` of them for a commit."""
    now = rotating.turn()
    return range(count) if now is None else range(now % share, count, share)


class Recorded(Graph):
    """K of an engine as random programs call it. Draws are made and count for nothing."""

    def __init__(self, K):
        super().__init__()
        self._K = K

    def __getattr__(self, name):
        return getattr(self._K, name)

    def size(self, x, axis):
        return self._K.shape(x)[axis]

    def noise(self, site, x):
        return 0.0 * self._K.random_normal(self._K.shape(x), seed=site)

    def grad(self, function, x):
        K, z = self._K, self._K.identity(x)
        (g,) = K.gradients(K.sum(function(z)), [z])
        return K.zeros_like(x) if g is None else g


class Step:
    """A K function with updates, what it is fed, and the variables that it changes, before and after a run."""

    def __init__(self, K, function, arrays, variables):
        self.K, self.function, self.arrays, self.variables = K, function, arrays, variables
        self.start = K.batch_get_value(variables)
        self.results = self()
        self.end = K.batch_get_value(variables)
        self.reset()

    def __call__(self):
        return self.function(self.arrays)

    def reset(self):
        self.K.batch_set_value(list(zip(self.variables, self.start)))

    def check(self, where, may_be_done=False):
        """All variables are as they were or, if that may be, all have their new values. No lock is held."""
        found = self.K.batch_get_value(self.variables)
        if not (may_be_done and same(found, self.end)):
            assert same(found, self.start), where
        lock = getattr(getattr(self.K, '_graph', None), 'lock', None)
        assert not (hasattr(lock, '_is_owned') and lock._is_owned()), where

    def check_run(self, where):
        """A run gives what it gave before anything failed."""
        self.reset()
        assert same(self(), self.results), where
        assert same(self.K.batch_get_value(self.variables), self.end), where
        self.reset()


class Lookups:
    """Lookups whose places are fed: any of them can be made to fail in a run."""

    def __init__(self, K):
        self.K, self.count = K, 0
        self.places, self.table = K.placeholder((None,), dtype='int32'), K.variable([0.0], dtype='float64')

    def __call__(self, x):
        """`x`, which is there only if a lookup is well."""
        self.count += 1
        return x + self.K.sum(self.K.gather(self.table, self.places[self.count - 1 : self.count]))


def random_step(K, seed, lookups=lambda x: x):
    """A random program, a loss over all that it makes, and a step that updates all variables in different ways."""
    rng, program = np.random.RandomState(seed), Program(seed, statements=5, depth=3)
    variables, given, fed, arrays = [], [], [], []
    for name, shape in INPUTS:
        value = rng.uniform(-1, 1, [SIZES.get(d, d) for d in shape])
        if name in VARIABLES:
            given.append(K.variable(value, dtype='float64'))
            variables.append(given[-1])
        else:
            given.append(K.placeholder([d if isinstance(d, int) else None for d in shape], dtype='float64'))
            fed.append(given[-1])
            arrays.append(value)
    rows = K.placeholder((None,), dtype='int32')
    tables = [K.variable(rng.uniform(-1, 1, TABLE), dtype='float64') for _ in range(seed % 3)]
    made = program.run(Recorded(K), given, K.learning_phase())
    loss = sum([K.sum(K.tanh(t)) for t in made.values()], K.constant(0.0, dtype='float64'))
    loss = loss + sum([K.sum(K.square(K.gather(t, rows))) for t in tables], K.constant(0.0, dtype='float64'))
    gradients = K.gradients(loss, variables + tables)
    updates = [
        K.update_sub(v, lookups(0.1 * g)) if i % 2 else (v, lookups(v * 0.5 - 0.1 * g))
        for i, (v, g) in enumerate(zip(variables, gradients))
        if g is not None
    ]
    updates += [(t, lookups(t - 0.1 * g)) for t, g in zip(tables, gradients[len(variables) :])]
    count = K.variable(0.0, dtype='float64')
    updates.append(K.update_add(count, lookups(K.constant(1.0, dtype='float64'))))
    outputs = [lookups(loss), lookups(variables[0]), variables[1]]
    fed += [rows, K.learning_phase()]
    arrays += [np.array([5, 0, 5, 2999]), seed % 2]
    if isinstance(lookups, Lookups):
        fed.append(lookups.places)
        arrays.append(np.zeros(lookups.count, int))
    return Step(K, K.function(fed, outputs, updates), arrays, [*variables, *tables, count])


def same(found, expected):
    """Whether arrays have the same numbers, and NaN in the same places."""
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(found, expected)]
    return all([a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all()) for a, b in pairs])


@contextmanager
def failing_call(run, at, error):
    """The call number `at` of those that `run` makes raises; a list of one number counts them."""
    scope, calls = run.__globals__, [0]

    def failing(function):
        def call(*arguments, **options):
            calls[0] += 1
            if calls[0] == at:
                raise error
            return function(*arguments, **options)

        return call

    names = [n for n, f in scope.items() if callable(f) and n not in ('run', 'guard') and not n.startswith('part')]
    saved = {name: scope[name] for name in names}
    scope.update({name: failing(function) for name, function in saved.items()})
    try:
        yield calls
    finally:
        scope.update(saved)


@contextmanager
def failing_line(at, source='', error=KeyboardInterrupt):
    """The line number `at` of those of ours that run raises. Yields [how many ran, the file and line that raised].

    source: the text of the function that was made of a program
    """
    found, made, entered = [0, None], source.splitlines(), set()

    def no_moment(frame):
        """Whether Python sees no Ctrl-C here: at `try:`, and at `with` as it comes back to leave it."""
        name, place = frame.f_code.co_filename, (frame, frame.f_lineno)
        text = made[frame.f_lineno - 1] if name.startswith('<') and made else linecache.getline(name, frame.f_lineno)
        if text.strip() == 'try:':
            return True
        if not text.lstrip().startswith('with '):
            return False
        entered.symmetric_difference_update([place])
        return place not in entered

    def line(frame, event, _argument):
        if event == 'line' and not no_moment(frame):
            found[0] += 1
            if found[0] == at:
                found[1] = f'{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}'
                raise error
        return line

    def frames(frame, _event, _argument):
        name = frame.f_code.co_filename
        if sys.version_info < (3, 9) and name.endswith(os.path.join('basics', 'threads.py')):
            return None  # Ctrl-C there may leave a lock held: docs/reliability.md
        return line if name.startswith((PACKAGE, '<K.function')) else None

    before = sys.gettrace()
    sys.settrace(frames)
    try:
        yield found
    finally:
        sys.settrace(before)


def check_calls(K, seed, error=Fault):
    """Each call of a kernel in a step of one program fails. Returns how many there were."""
    K.clear_session()
    step = random_step(K, seed)
    run = step.function._run
    with failing_call(run, 0, error) as calls:
        step()
    step.reset()
    for at in range(1, calls[0] + 1):
        raised = None
        with failing_call(run, at, error(f'<call {at}>')):
            try:
                step()
            except error as caught:
                raised = str(caught)
        assert f'<call {at}>' in str(raised)
        step.check((seed, at))
        if at % 10 == 1:
            step.check_run((seed, at))
    step.check_run(seed)
    return calls[0]


def check_lookups(K, seed, error=Exception):
    """Each lookup in a step of one program fails: in a result, and in the new value of each variable."""
    K.clear_session()
    lookups = Lookups(K)
    step = random_step(K, seed, lookups)
    for at in range(lookups.count):
        step.arrays[-1][at] = 1
        raised = False
        try:
            step()
        except error:
            raised = True
        assert raised, (seed, at)
        step.arrays[-1][at] = 0
        step.check((seed, at))
    step.check_run(seed)
    return lookups.count


def check_no_memory(K, error):
    """A run that asks for more memory than any machine addresses changes nothing, and the engine runs on."""
    x, y = K.placeholder((None, 1), dtype='float32'), K.placeholder((1, None), dtype='float32')
    w, table, count = [K.variable(value, dtype='float32') for value in (np.ones(3), np.ones(TABLE), 0.0)]
    product = K.exp(K.dot(x, y)) * K.sum(w)
    outputs = [K.sum(product), K.argmax(K.flatten(K.tanh(product)))]
    rows = table - 0.5 * K.gradients(K.sum(K.gather(table, [1, 2])), [table])[0]
    updates = [(w, w + 1.0), K.update_add(count, K.sum(w)), (table, rows + 0.0 * K.sum(product))]
    step = Step(K, K.function([x, y], outputs, updates), [np.ones((2, 1)), np.ones((1, 2))], [w, table, count])
    many = np.ones(12 * 10**6, 'float32')
    raised = False
    try:
        step.function([many[:, None], many[None]])
    except error:
        raised = True
    assert raised
    step.check('no memory')
    step.check_run('no memory')


def check_lines(step):
    """Ctrl-C arrives at each line of ours in a run. Returns how many lines there were."""
    source = getattr(step.function._run, 'source', '')
    with failing_line(0, source) as found:
        step()
    step.reset()
    for at in range(1, found[0] + 1):
        raised = False
        with failing_line(at, source) as where:
            try:
                step()
            except KeyboardInterrupt:
                raised = True
        # XLA may call Python in a thread of its own, so a run may have fewer lines than the one that was counted.
        assert raised or where[1] is None or at > found[0] - 5, where
        step.check(where, may_be_done=True)
        # The lines before the last ones only compute.
        if at % 20 == 1 or at > found[0] - 40:
            step.check_run(where)
        step.reset()
    return found[0]

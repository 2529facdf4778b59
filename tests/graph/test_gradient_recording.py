"""Recording gradients: what is recorded is never changed, and loops and choices may nest."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from shares import one_in

import keras_backend.engines.numpy_backend as K
from keras_backend.graph.library import GraphLibrary
from keras_backend.graph.nodes import traversal
from keras_backend.graph.nodes.base import LOOP, Region, encloses, sees
from keras_backend.graph.nodes.tensor import Cond, Scan, Tensor
from keras_backend.graph.nodes.traversal import Traversal, run
from keras_backend.graph.primitives import OPS
from keras_backend.graph.record import control
from keras_backend.graph.run.program import Program


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def ids(tensors):
    return tuple([t.id for t in tensors])


def picture(t):
    """All of a recorded tensor that others rely on, as plain values."""
    at = t.id, t.region, t.dims, t.dtype, t.name, ids(t.inputs), ids(t.deps)
    if isinstance(t, Scan):
        sequences = [ids(pair) for pair in t.sequences]
        return at + (t.body, tuple(sequences), tuple([ids(state) for state in t.states]), t.reverse)
    if isinstance(t, Cond):
        return at + (t.condition.id, tuple(t.branches))
    return at + (tuple(sorted([(name, repr(value)) for name, value in t.attrs.items()])),)


class Recorded:
    """All that is recorded: (tensor, its picture at that time), and the results that scans and conds had before."""

    def __init__(self, monkeypatch):
        self.pictures, self.made = [], []
        record, scan, cond, tensor = GraphLibrary.record, Scan.__init__, Cond.__init__, Tensor.__init__

        def recording(engine, *args, **named):
            return self.see(record(engine, *args, **named))

        def made_by(original):
            def init(t, *args, **named):
                original(t, *args, **named)
                self.see(t)

            return init

        def any_made(t, *args, **named):
            tensor(t, *args, **named)
            self.made.append(t)

        monkeypatch.setattr(GraphLibrary, 'record', recording)
        monkeypatch.setattr(Scan, '__init__', made_by(scan))
        monkeypatch.setattr(Cond, '__init__', made_by(cond))
        monkeypatch.setattr(Tensor, '__init__', any_made)

    def see(self, t):
        self.pictures.append((t, picture(t)))
        return t

    def owners(self, kind):
        return [t for t, _ in self.pictures if isinstance(t, kind)]

    def results(self):
        """The results of scans and conds so far."""
        found = {}
        for t in self.owners(Scan):
            found[t.id] = [(key, inner.id, item.id) for key, (inner, item) in t.collected.items()]
        for t in self.owners(Cond):
            found[t.id] = [ids(pair) for pair in t.pairs]
        return found

    def check(self):
        """What was recorded is as it was, reads what is older and may be read, and no gradient is open."""
        assert len(self.pictures) > 10
        for t, before in self.pictures:
            assert before == picture(t), t
        for t in self.made:
            read = list(t.inputs) + list(t.deps)
            if isinstance(t, Scan):
                read += [outer for outer, _ in t.sequences] + [initial for initial, _, _ in t.states]
            elif isinstance(t, Cond):
                read.append(t.condition)
            for x in read:
                assert x.id < t.id
                assert encloses(x.region, t.region), (x, t)
            assert t.region is None or (t.region.substitute is None and not t.region.visible)
        # No value is handed over twice. Sizes are read off anew, so what is known of them stays known.
        for t in self.owners(Scan):
            read = [outer for outer, _ in t.sequences[1:]]
            assert len(set(read)) == len(read)
            assert not any([inner.host for inner, _ in t.collected.values()])


@pytest.fixture
def recorded(monkeypatch):
    return Recorded(monkeypatch)


def _steps(x):
    w = K.variable(np.full((3, 3), 0.1))
    out = K.rnn(lambda e, s: (lambda h: (h, [h]))(K.tanh(K.dot(e, w) + s[0] * w[0])), x, [K.zeros_like(x[:, 0])])
    return K.sum(K.square(out[1])) + K.sum(out[0]), [w, x]


def _masked(x):
    w = K.variable(np.full((3, 3), 0.2))
    mask = K.any(x > 0.5, axis=-1)

    def step(e, states):
        h = K.sigmoid(K.dot(states[0], w)) * K.tanh(e + states[1])
        return h, [h, states[1] * w[0]]

    start = K.ones_like(x[:, 0])
    last, out, _ = K.rnn(step, x, [start, start], mask=mask, go_backwards=True, zero_output_for_mask=True)
    return K.sum(out) + K.sum(last), [w, x]


def _switch(x):
    w = K.variable(np.full(3, 0.3))
    y = K.switch(K.sum(x) > 0, lambda: K.tanh(K.exp(x * w) * w), lambda: K.sin(x * w) * K.cos(w))
    return K.sum(y), [w, x]


def _switches_in_steps(x):
    w = K.variable(np.full((3, 3), 0.1))

    def step(e, states):
        h = K.dot(states[0], w) + e

        def inner():
            return K.switch(K.sum(h) > 2.0, lambda: K.sin(h) * h, lambda: K.exp(K.tanh(h)))

        y = K.switch(K.sum(h) > 0.5, inner, lambda: h * h)
        return y, [y]

    return K.sum(K.rnn(step, x, [K.zeros_like(x[:, 0])])[1]), [w, x]


def _steps_in_a_switch(x):
    w = K.variable(np.full(3, 0.4))

    def folded():
        scale = K.exp(K.sum(x * w))
        return K.foldl(lambda a, e: K.tanh(a * w + K.sum(e, axis=0) / scale), x, initializer=K.zeros((3,)))

    return K.sum(K.switch(K.sum(x) > 0, folded, lambda: w * 2.0)), [w, x]


def _maps(x):
    w = K.variable(np.full(3, 0.5))
    y = K.map_fn(lambda a: K.map_fn(lambda e: K.exp(K.tanh(e * w)) * K.sum(K.square(a)), a) * a, x)
    return K.sum(K.square(y)), [w, x]


def _sizes(x):
    """The rules of these functions read sizes that only a step knows."""
    table = K.variable(np.full((5, 3), 0.5))

    def step(e, states):
        row = K.gather(table, K.argmax(e, axis=-1))
        twice = K.reshape(K.tile(row * states[0], [1, 2]), (-1, 2, K.shape(e)[1]))
        h = twice[:, 0] + K.concatenate([e[:, :1], e[:, 1:]]) * K.sum(states[0][K.shape(e)[0] - 1 :])
        return h, [h]

    return K.sum(K.rnn(step, x, [K.ones_like(x[:, 0])])[1]), [table, x]


PROGRAMS = {
    f.__name__[1:]: f for f in (_steps, _masked, _switch, _switches_in_steps, _steps_in_a_switch, _maps, _sizes)
}


@pytest.mark.parametrize('shape', [(2, 4, 3), (None, None, 3)], ids=str)
@pytest.mark.parametrize('name', sorted(PROGRAMS))
def test_recorded_nodes_stay_as_they_are(recorded, name, shape):
    """K.gradients changes nothing that was recorded before or on the way, twice over, and the results are right."""
    x = K.placeholder(shape)
    loss, variables = PROGRAMS[name](x)
    results = recorded.results()
    first = K.gradients(loss, variables)
    recorded.check()
    for owner, before in results.items():
        assert before == recorded.results()[owner][: len(before)]
    second = K.gradients(K.sum(K.square(first[1])), variables)
    recorded.check()
    x0 = np.random.RandomState(0).rand(2, 4, 3)
    direction = np.random.RandomState(1).randn(2, 4, 3)
    f = K.function([x], [loss, K.sum(K.square(first[1])), first[1], second[1]])
    near = [f([x0 + e * direction]) for e in (1e-2, -1e-2)]
    for k in (0, 1):
        slope = (near[0][k] - near[1][k]) / 2e-2
        np.testing.assert_allclose(np.sum(f([x0])[2 + k] * direction), slope, rtol=2e-2, atol=2e-3)


def test_what_no_rule_reads_is_not_collected(recorded):
    """Of a step, the gradient reads the value of tanh and the old state: nothing else is collected."""
    x, w = K.placeholder((2, 4, 3)), K.variable(np.ones((3, 3)))

    def step(e, states):
        h = K.tanh((e * 2.0 + 1.0) + K.dot(states[0], w))
        return h, [h]

    _, out, _ = K.rnn(step, x, [K.zeros((2, 3))])
    (forward,) = recorded.owners(Scan)
    K.gradients(K.sum(out), [w, x])
    names = sorted([getattr(inner, 'op', inner.kind) for inner, _ in forward.collected.values()], key=str)
    assert ['Op(tanh)', 'inner'] == [str(name) for name in names]
    backward = recorded.owners(Scan)[-1]
    assert ['transpose', 'collect', 'collect'] == [outer.op.name for outer, _ in backward.sequences]


def test_what_no_rule_reads_is_no_result_of_a_choice(recorded):
    """Of a branch, the gradient reads the value of tanh alone."""
    x = K.placeholder((3,))
    y = K.switch(K.sum(x) > 0, lambda: K.tanh(x * 2.0 + 1.0) - 3.0, lambda: x * 2.0)
    (forward,) = recorded.owners(Cond)
    K.gradients(K.sum(y), [x])
    assert [('sub', 'mul'), ('tanh', 'absent')] == [
        tuple([getattr(getattr(value, 'op', None), 'name', value.kind) for value in pair]) for pair in forward.pairs
    ]


def test_rule_that_fails_leaves_nothing_open(monkeypatch):
    """An error in a rule, however deep inside, leaves the recording where it was."""
    x = K.placeholder((2, 4, 3))
    y = K.map_fn(lambda a: K.switch(K.sum(a) > 0, lambda: K.map_fn(K.tanh, a), lambda: a), x)
    session = y.session

    def rule(F, inputs, output, attrs, g):
        raise KeyError('of mine')

    with monkeypatch.context() as patch:
        patch.setattr(OPS['tanh'], 'gradient', rule)
        with pytest.raises(KeyError, match='of mine'):
            K.gradients(K.sum(y), [x])
    assert session.region is None
    dx = K.function([x], K.gradients(K.sum(y), [x]))([np.full((2, 4, 3), 0.5)])[0]
    np.testing.assert_allclose(1 - np.tanh(0.5) ** 2, dx, rtol=1e-5)


def test_rules_have_one_signature():
    """A gradient rule takes the recorders, the inputs, the value and the attributes of a call, and the gradient."""
    rules = {name: op.gradient for name, op in OPS.items() if op.gradient is not None}
    assert len(rules) > 60
    for name, rule in rules.items():
        assert ['F', 'inputs', 'output', 'attrs'] == list(inspect.signature(rule).parameters)[:4], name
        assert 5 == len(inspect.signature(rule).parameters), name


def test_rule_computes_with_what_it_is_given():
    """A rule reads no node: given other tensors than those that were recorded, it computes with them."""
    x, y, g = [K.placeholder((3,)) for _ in range(3)]
    (dx,) = OPS['tanh'].gradient(x.session.engine.F, (x,), y, {}, g)
    assert (y.id, g.id) == ids(dx.inputs)


# -- nesting -----------------------------------------------------------------------------------------------------
def switches(depth):
    """`depth` choices, each in a branch of the one before."""
    x, w = K.placeholder((3,)), K.variable(np.full(3, 0.5))

    def at(k):
        if k == depth:
            return K.tanh(x * w)
        return K.switch(K.sum(x) > -k, lambda: K.sin(x * w + at(k + 1)), lambda: x * w)

    return x, w, at(0)


def loops(depth):
    """`depth` loops of all kinds, each in the step of the one before."""
    x, w = K.placeholder((2, 3)), K.variable(np.full(3, 0.5))

    def at(state, k):
        if k == depth:
            return K.tanh(state * w)
        if k % 3 == 0:
            return K.sum(K.map_fn(lambda e: at(K.sin(state * w) + e, k + 1), x), axis=0) / 2.0
        if k % 3 == 1:
            return K.foldl(lambda a, e: K.tanh(at(a * w + e, k + 1)), x, initializer=state)

        def step(e, states):
            new = K.expand_dims(at((states[0] + e)[0] * w, k + 1), 0)
            return new, [new]

        return K.rnn(step, K.expand_dims(x, 0), [K.expand_dims(state, 0)])[0][0]

    return x, w, at(K.zeros((3,)), 0)


def levels(program):
    """How deep the statements of a program nest."""
    return max([0 if region is None else region.depth + 1 for region, block in program.blocks.items() if block])


def statements(program):
    return sum([len(block) for block in program.blocks.values()])


@pytest.mark.parametrize(('nested', 'depth'), one_in(2, [(loops, 30), (switches, 200)]))
def test_deep_nesting_is_recorded(recorded, nested, depth):
    """200 choices and 30 loops within each other have gradients, and Python's limit is what it was."""
    limit = sys.getrecursionlimit()
    x, w, y = nested(depth)
    assert depth == levels(Program([x], [y], []))
    first = K.gradients(K.sum(y), [w, x])
    assert limit == sys.getrecursionlimit()
    assert depth == levels(Program([x], first, []))
    recorded.check()


@pytest.mark.parametrize('nested', [switches, loops])
def test_nested_levels_cost_what_they_read(nested):
    """The statements of gradients grow with the square of the depth: a level hands its values through all others."""

    def cost(depth):
        x, w, y = nested(depth)
        return statements(Program([x], [y] + K.gradients(K.sum(y), [w, x]), []))

    few, some, many = [cost(depth) for depth in (6, 12, 24)]
    assert many - some < 5 * (some - few)


@pytest.mark.parametrize(('nested', 'depth'), [(switches, 9), (loops, 6)])
def test_nested_gradients_are_right(nested, depth):
    """The gradients of nested choices and loops are the slopes."""
    x, w, y = nested(depth)
    f = K.function([x], [K.sum(y)] + K.gradients(K.sum(y), [x, w]))
    x0, w0 = np.random.RandomState(0).rand(*x.shape), np.full(3, 0.5)
    _, dx, dw = f([x0])
    d = np.linspace(0.5, 1.5, x0.size).reshape(x0.shape)
    slope = (f([x0 + 1e-2 * d])[0] - f([x0 - 1e-2 * d])[0]) / 2e-2
    np.testing.assert_allclose(np.sum(dx * d), slope, rtol=1e-2, atol=1e-3)
    near = []
    for e in (1e-2, -1e-2):
        K.set_value(w, w0 + e * np.array([1.0, 0.5, 2.0]))
        near.append(f([x0])[0])
    np.testing.assert_allclose(np.sum(dw * [1.0, 0.5, 2.0]), (near[0] - near[1]) / 2e-2, rtol=1e-2, atol=1e-3)


def test_room_is_given_back_after_an_error():
    """Python's limit is what it was also after a nested function of a user failed."""
    limit, met = sys.getrecursionlimit(), []
    x = K.placeholder((3,))

    def at(k):
        met.append(sys.getrecursionlimit())
        if k == 50:
            raise KeyError('mine')
        return K.switch(K.sum(x) > k, lambda: at(k + 1), lambda: x)

    with pytest.raises(KeyError, match='mine'):
        at(0)
    assert met[-1] > limit == sys.getrecursionlimit()


def test_endless_nesting_is_an_error_of_python():
    """A function that nests itself without an end meets RecursionError, whatever room there is."""
    program = (
        'import keras_backend.engines.numpy_backend as K\n'
        'x = K.placeholder((3,))\n'
        'f = lambda: K.switch(K.sum(x) > 0, lambda: f(), lambda: x)\n'
        'try: f()\n'
        'except RecursionError: print("ended")\n'
    )
    done = subprocess.run([sys.executable, '-c', program], stdout=subprocess.PIPE, check=False)
    assert (0, b'ended') == (done.returncode, done.stdout.strip())


# -- its parts ---------------------------------------------------------------------------------------------------
def test_tasks_call_each_other():
    """A task gets what the task it yields returns or raises, 50,000 deep."""

    def total(n):
        return 0 if n == 0 else n + (yield total(n - 1))

    def failing(n, left):
        try:
            if n == 0:
                raise KeyError('deep')
            yield failing(n - 1, left)
        finally:
            left.append(n)

    def catching():
        left = []
        try:
            yield failing(3, left)
        except KeyError as error:
            return error.args, left, (yield total(2))

    assert 50000 * 50001 // 2 == run(total(50000))
    assert (('deep',), [0, 1, 2, 3], 3) == run(catching())
    with pytest.raises(KeyError, match='deep'):
        run(failing(2, []))


def test_regions_around_a_region():
    """Which regions lie around a region, found in few steps, is what a walk from parent to parent finds."""
    random = np.random.RandomState(0)
    regions = [Region(LOOP, None, 'a'), Region(LOOP, None, 'b')]
    for i in range(300):
        near = regions[-1] if random.rand() < 0.9 else regions[random.randint(len(regions))]
        regions.append(Region(LOOP, near, str(i)))
    assert max([region.depth for region in regions]) > 20
    for region in regions:
        around = {None}
        walked = region
        while walked is not None:
            around.add(walked)
            walked = walked.parent
        for other in [None] + regions:
            assert (other in around) is encloses(other, region) is sees(region, other)
    assert [True, False] == [encloses(None, None), encloses(regions[0], None)]


def test_captures_grow_with_the_results():
    """What a nested choice reads for a result that it gets later is found by a traversal that saw it before."""
    x, w = K.placeholder((3,)), K.variable(np.ones(3))
    kept = []

    def inner():
        kept.append(K.exp(w))
        return K.sin(x)

    def outer():
        return K.switch(K.sum(x) > 1, inner, lambda: x) * 2.0

    y = K.switch(K.sum(x) > 0, outer, lambda: x)
    node = y.inputs[0]
    traversal = Traversal()
    assert w not in traversal.captures(node)
    nested = kept[0].region.owner
    assert isinstance(nested, Cond)
    control.export(y.session.engine, nested, 0, kept[0])
    assert w in traversal.captures(node)
    assert w in Traversal().captures(node)


def test_captures_visit_a_shared_node_once(monkeypatch):
    """A step in which each node reads the one before it twice is searched in linear time."""
    visits = []

    def counted(region, other):
        visits.append(other)
        return encloses(region, other)

    def step(e):
        for _ in range(12):
            e = K.tanh(e) + e
        return e * w

    w, x = K.variable(1.0), K.placeholder((3,))
    y = K.map_fn(step, x)
    monkeypatch.setattr(traversal, 'encloses', counted)
    assert [w] == [t for t in Traversal().captures(y.inputs[0]) if t is w]
    assert 24 < len(visits) < 100

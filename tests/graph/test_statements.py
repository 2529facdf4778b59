"""Programs as blocks of statements, and the Python function that is made of them."""

import re
import weakref

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.engines.numpy_backend import library
from keras_backend.graph.run.interpreter import Interpreter
from keras_backend.graph.run.lowering import lowered
from keras_backend.graph.run.program import Program
from keras_backend.graph.run.python import compile_program
from keras_backend.graph.run.statements import Call, Choice, Compute, Convert, Loop, Sizes, Stack

kernels = K._graph.kernels


@pytest.fixture(autouse=True)
def _session():
    yield
    K.clear_session()


def lower(inputs, outputs, updates=()):
    """The statements of a function."""
    return lowered(K.function(inputs, outputs, updates)._program, kernels)


def ops(block):
    """The primitives and other statements of a block, in order."""
    return [s.node.op.name if isinstance(s, Compute) else type(s).__name__ for s in block.statements]


def source_of(*args):
    function = K.function(*args)
    function._compile()
    return function._run.source


class TestBlocks:
    def test_reads_makes_and_ends(self):
        """Each statement says what it reads and makes, and which values nothing reads after it."""
        x = K.placeholder((2, 3))
        lowering = lower([x], [K.exp(x * 2.0) + 1.0])
        mul, exp, add = lowering.top.statements
        assert ops(lowering.top) == ['mul', 'exp', 'add']
        assert set(lowering.inputs) <= mul.reads
        assert exp.reads == set(mul.makes) == set(exp.ends)
        assert set(exp.makes) == set(add.ends)
        assert lowering.results[0].name == add.makes[0]
        assert not lowering.results[0].copied

    def test_a_loop_reads_what_its_block_takes_from_outside(self):
        """Captured values and first states are read by the loop; elements and states are its own."""
        x, w = K.placeholder((2, None, 3)), K.variable(np.ones((3, 3)))

        def step(e, states):
            h = K.tanh(e + K.dot(states[0], w))
            return h, [h]

        lowering = lower([x], [K.rnn(step, x, [K.zeros((2, 3))])[1]])
        (loop,) = [s for s in lowering.top.statements if isinstance(s, Loop)]
        assert lowering.name(w) in loop.reads
        assert not loop.reads & loop.handed_in()
        assert not loop.reads & loop.block.made()
        (stack,) = [s for s in lowering.top.statements if isinstance(s, Stack)]
        assert stack.steps in loop.makes

    def test_names_of_a_loop(self):
        """What it reads outside, what its block reads of it, and what its block hands on."""
        loop = Loop(None)
        assert (loop.around(), loop.handed_in(), loop.handed_on()) == (set(), set(), set())
        loop.elements = [('sequence', False, 'element')]
        loop.lengths = ['other', 3]
        loop.sizes = {'size': ('measured', 1)}
        loop.states = [('first', 'inner', 'new')]
        loop.collected = [('list', 'value')]
        assert loop.around() == {'sequence', 'other', 'measured', 'first'}
        assert loop.handed_in() == {'element', 'inner'}
        assert loop.handed_on() == {'new', 'value'}
        loop.over_nothing = 'empty'
        assert loop.around() == {'sequence', 'other', 'measured', 'first', 'empty'}

    def test_only_the_list_is_made_where_another_loop_reads_it(self):
        """The values that a loop keeps for the loop of the gradients never become one array."""
        x = K.placeholder((2, None, 3))

        def step(e, states):
            h = K.tanh(e + states[0])
            return h, [h]

        last = K.rnn(step, x, [K.zeros((2, 3))])[0]
        lowering = lower([x], K.gradients(K.sum(last), [x]))
        loops = [s for s in lowering.top.statements if isinstance(s, Loop)]
        assert len(loops) == 2
        assert [is_list for _s, is_list, _e in loops[1].elements].count(True) >= 1
        stacks = [s for s in lowering.top.statements if isinstance(s, Stack)]
        assert [s.steps in loops[1].makes for s in stacks] == [True]

    def test_branches_are_blocks(self):
        """A choice holds one block a branch; both hand their value on."""
        c, x = K.placeholder(()), K.placeholder((2,))
        lowering = lower([c, x], [K.switch(K.greater(c, 0.0), lambda: K.exp(x), lambda: K.sin(x))])
        (choice,) = [s for s in lowering.top.statements if isinstance(s, Choice)]
        assert [ops(block) for block in choice.branches] == [['exp'], ['sin']]
        assert lowering.name(x) in choice.reads
        ((_part, values),) = choice.parts
        assert [value in block.kept for value, block in zip(values, choice.branches)] == [True, True]

    def test_draws_are_operands(self):
        """What a primitive draws from is a value that it reads, no attribute."""
        x = K.random_uniform((2,), seed=3)
        lowering = lower([], [x, K.random_normal((2,), seed=3)])
        draws = [s for s in lowering.top.statements if s.node.op.name.startswith('random')]
        streams = [lowering.constants[s.arguments[0]] for s in draws]
        assert len(draws) == 2
        assert streams[0] is not streams[1]
        assert all(isinstance(stream, kernels.Stream) for stream in streams)
        assert not any('stream' in s.node.attrs for s in draws)

    def test_an_engine_may_change_the_blocks(self):
        """Before last uses are known, an engine may choose kernels and leave statements out."""
        x = K.placeholder((2,))
        program = Program([x], [K.exp(x) + 1.0], [])

        def change(lowering):
            for statement in lowering.top.statements:
                if statement.node.op.name == 'exp':
                    statement.kernel = lambda a: a * 10

        run = compile_program(program, K._graph, change)
        np.testing.assert_array_equal(run(np.array([1, 2], 'float32'))[0], [11, 21])


class TestOfEngines:
    """Statements that an engine puts into a program."""

    @staticmethod
    def put(program):
        """For exp(x) * 2 the program of x * 3 + the sizes of x, and the sum of both."""
        top = program.top
        (x,), (_exp, mul) = program.inputs, top.statements
        (result,) = mul.makes
        sizes = Sizes(lambda entries: np.array(entries, 'float32'), [5, (x, 1)], 'sizes')
        doubled = Convert(lambda value: value * 3, x, 'tripled')
        call = Call(lambda values: [values[0] + values[1].sum(), values[1]], ['tripled', 'sizes'], [result, 'again'])
        top.statements[:] = [sizes, doubled, call]

    def test_they_are_printed(self):
        x = K.placeholder((None, 2))
        run = compile_program(Program([x], [K.exp(x) * 2.0], []), K._graph, self.put)
        np.testing.assert_array_equal(run(np.array([[1, 2]], 'float32'))[0], [[10, 13]])

    def test_they_run_one_by_one(self):
        x = K.placeholder((None, 2))
        lowering = lowered(Program([x], [K.exp(x) * 2.0], []), library, self.put)
        values = dict(lowering.constants)
        values[lowering.inputs[0]] = np.array([[1, 2]], 'float32')
        Interpreter(lowering, library).block(lowering.top, values)
        np.testing.assert_array_equal(values[lowering.results[0].name], [[10, 13]])
        # What nothing reads any more is given back.
        assert 'tripled' not in values
        assert 'sizes' not in values

    def test_what_they_read_and_make(self):
        sizes, converted = Sizes(tuple, [5, ('x', 1), ('y', 0)], 's'), Convert(tuple, 'x', 'y')
        call = Call(tuple, ['x', 's'], ['a', 'b'])
        assert [statement.reads for statement in (sizes, converted, call)] == [{'x', 'y'}, {'x'}, {'x', 's'}]
        assert [tuple(statement.makes) for statement in (sizes, converted, call)] == [('s',), ('y',), ('a', 'b')]


class TestInPlace:
    def test_a_chain_makes_one_array(self):
        """Of an element-wise chain each result lies in the array of the operand that ends there."""
        x = K.placeholder((None, 3))
        source = source_of([x], [K.tanh(K.exp(K.square(x) * 0.5) - 1.0)])
        # the first may not write into what is fed
        assert len(re.findall(r'out=t', source)) == 4
        assert 'out=p' not in source

    @pytest.mark.parametrize(
        'build',
        [
            lambda x, w: [K.reshape(x * w, (-1,)), K.exp(x * w)],
            lambda x, w: [K.exp(K.transpose(x * w)), K.exp(K.exp(x * w)), x * w],
            lambda x, w: [K.exp(w), K.exp(w) + w, w],
            lambda x, w: [K.exp(K.identity(x)) * x, x],
            lambda x, w: [(x * w) * (x * w), K.square(x * w) + x * w],
            lambda x, w: [K.exp(x[:1]) + x, x + K.exp(x[1:])],
            lambda x, w: [K.map_fn(lambda r: K.exp(r * w[0]), x * w), K.exp(x * w)],
            lambda x, w: [K.switch(K.sum(x) > 0.0, lambda: K.exp(x * w) * 1.0, lambda: x * w), K.exp(x * w)],
            lambda x, w: [K.gradients(K.sum(K.square(K.tanh(x * w))), [w])[0], K.tanh(x * w)],
            lambda x, w: [K.sigmoid(K.softplus(K.relu(x * w))), K.sqrt(K.abs(x * w) + 1.0)],
        ],
    )
    @pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
    def test_nothing_that_others_see_is_written(self, build, dtype):
        """Feeds, variables, results and what looks at them keep their values; each output is as if computed alone."""
        value, start = np.arange(6).reshape(2, 3) / 4 - 0.5, np.arange(3) / 2 - 0.6
        x, w = K.placeholder((None, 3), dtype=dtype), K.variable(start, dtype=dtype)
        outputs = build(x, w)
        fed = value.astype(dtype)
        before = K.get_value(w)
        together = K.function([x], outputs)([fed])
        again = K.function([x], outputs)([fed])
        alone = [K.function([x], [output])([fed])[0] for output in outputs]
        np.testing.assert_array_equal(fed, value.astype(dtype))
        np.testing.assert_array_equal(K.get_value(w), before)
        for got, second, expected in zip(together, again, alone):
            np.testing.assert_array_equal(got, second)
            np.testing.assert_array_equal(got, expected)
        assert not any(
            np.shares_memory(a, b) for i, a in enumerate(together) for b in together[i + 1 :] + [fed, w.data]
        )

    @pytest.mark.parametrize(
        'name', ['abs', 'exp', 'log', 'sqrt', 'sin', 'cos', 'tanh', 'sigmoid', 'softplus', 'square']
    )
    def test_large_and_infinite_numbers(self, name):
        """A function of what ends there gives what it gives of what is fed."""
        values = np.array([1e5, -1e6, 1e30, np.inf, -np.inf, np.nan, 0.0, -0.0, 0.5] * 3, 'float32')
        x, function = K.placeholder((None,)), getattr(K, name)
        alone, ending = K.function([x], [function(x), function(x * 1.0)])([values])
        np.testing.assert_array_equal(alone, ending)

    def test_states_and_collected_steps_keep_their_values(self):
        """In a loop, what is collected or carried on is not written, whatever the step computes of it."""
        x = np.arange(12).reshape(3, 4) / 5

        def step(e, states):
            a = states[0] * 0.5 + e
            return K.exp(a) * K.tanh(a), [a, K.reshape(a, (2, 2))]

        t = K.placeholder((1, None, 4))
        last, steps, states = K.rnn(step, t, [K.zeros((1, 4)), K.zeros((2, 2))])
        got = K.function([t], [last, steps, *states])([x[None]])
        a, expected = np.zeros(4), []
        for e in x:
            a = a * 0.5 + e
            expected.append(np.exp(a) * np.tanh(a))
        np.testing.assert_allclose(got[1][0], expected, rtol=1e-5)
        np.testing.assert_allclose(got[2][0], a, rtol=1e-5)
        np.testing.assert_allclose(got[3], a.reshape(2, 2), rtol=1e-5)


class TestMemory:
    @pytest.mark.parametrize('last', [False, True], ids=['all steps', 'the last step'])
    def test_nothing_of_a_loop_is_kept_after_it(self, last):
        """After a loop, and the stack of what it collected, the values of its steps are free."""
        x = K.placeholder((None, 4))
        steps = K.foldl(lambda a, e: K.exp(a + e), x) if last else K.map_fn(K.exp, x)
        made, alive = [], []

        def change(lowering):
            (loop,) = [s for s in lowering.top.statements if isinstance(s, Loop)]
            (inside,) = [s for s in loop.block.statements if s.node.op.name == 'exp']
            (after,) = [s for s in lowering.top.statements if isinstance(s, Compute) and s.node.op.name == 'cos']

            def counted(a):
                value = np.exp(a)
                made.append(weakref.ref(value))
                return value

            def asked(a):
                alive.append(sum([ref() is not None for ref in made]))
                return np.cos(a)

            inside.kernel, after.kernel = counted, asked

        run = compile_program(Program([x], [K.cos(K.sum(steps))], []), K._graph, change)
        run(np.ones((3, 4), 'float32'))
        assert len(made) == (2 if last else 3)
        assert alive == [0]


class TestDepth:
    @pytest.mark.parametrize('depth', [11, 12, 13, 14, 30])
    def test_nested_loops(self, depth):
        """Loops inside of each other: Python's compiler refuses more than 20 in one function."""
        x, w = K.placeholder((1,)), K.variable(0.5)

        def body(e, left):
            if not left:
                return e * w + 1.0
            return K.sum(K.map_fn(lambda t: body(t + w, left - 1), K.expand_dims(e * 1.0, 0)))

        f = K.function([x], [K.map_fn(lambda e: body(e, depth - 1), x)])
        np.testing.assert_allclose(f([[2.0]])[0], [(2 + 0.5 * (depth - 1)) * 0.5 + 1], rtol=1e-5)

    @pytest.mark.parametrize('depth', [12, 13, 60])
    def test_nested_choices(self, depth):
        """Choices inside of each other: each level takes its branch, and values of all levels are at hand."""
        x, w = K.placeholder(()), K.variable(2.0)

        def branch(v, level):
            if level == depth:
                return v * 1000.0
            return K.switch(x > float(level), lambda: branch(v + w, level + 1), lambda: v - 1.0)

        f = K.function([x], [branch(x * 1.0, 0)])
        assert f([2.5])[0] == 2.5 + 3 * 2 - 1
        assert f([-3.0])[0] == -4
        assert f([depth + 1.0])[0] == (depth + 1 + 2 * depth) * 1000

"""What holds for a random program on the K graph: the values of the same program on arrays, shapes, gradients, memory.

`K` is the engine that the programs run on, here and in eager_programs. The tests of an engine replace both.
"""

import re

import numpy as np
from eager_programs import INPUTS, VARIABLES, Eager, Graph, Program

import keras_backend.engines.numpy_backend as K

# 'u' is broadcast against 'b'
SIZES = {'b': 2, 't': 3, 'u': 1}, {'b': 3, 't': 1, 'u': 3}
STEP = 1e-5


def draw(rng, sizes, shape):
    return rng.uniform(-1, 1, [sizes.get(d, d) for d in shape])


class Built:
    """A program on the K graph, with a loss over all it makes and gradients of two orders."""

    def __init__(self, program, rng, feed):
        self.graph = Graph()
        self.inputs = [
            K.variable(np.zeros(shape))
            if name in VARIABLES
            else K.placeholder([d if isinstance(d, int) else None for d in shape])
            for name, shape in INPUTS
        ]
        phase = K.learning_phase()
        top = program.run(self.graph, self.inputs, phase)
        self.names = list(top)
        self.feed = [top[feed]] if feed else []
        # what is fed is not computed, but gradients still run through what it was computed from
        self.targets = self.feed or self.inputs
        loss = sum([K.sum(K.tanh(t)) * rng.uniform(0.5, 1) for t in top.values()], K.constant(0.0))
        first = self.gradients(loss)
        second = sum([K.sum(K.tanh(g)) * rng.uniform(0.5, 1) for g in first], K.constant(0.0))
        placeholders = [t for t, (name, _) in zip(self.inputs, INPUTS) if name not in VARIABLES]
        fed = placeholders + [phase] + self.feed
        self.outputs = list(top.values()) + first + self.gradients(second)
        self.run = K.function(fed, self.outputs)
        self.losses = K.function(fed, [loss, second])

    def gradients(self, loss):
        return [K.zeros_like(t) if g is None else g for t, g in zip(self.targets, K.gradients(loss, self.targets))]

    def __call__(self, function, values, phase, extra):
        """The results, and what was fed; draws begin anew."""
        for stream in self.graph.streams:
            stream.reset()
        fed = []
        for value, tensor, (name, _shape) in zip(values, self.inputs, INPUTS):
            if name in VARIABLES:
                K.set_value(tensor, value)
            else:
                fed.append(value)
        fed += [phase] + extra
        return function(fed), fed


def fed_name(program, rng):
    """Now and then, an intermediate value to feed. None of K.rnn: one of its results may be part of another."""
    names = [name for name in program.made if not re.search(rf"'{name}', r\d", program.text)]
    return names[rng.randint(len(names))] if names and rng.rand() < 0.3 else None


def hold(seed, smooth, **options):
    """Run the program of `seed` on K and on arrays; what is `smooth` is differentiated, too."""
    program, rng = Program(seed, smooth=smooth, **options), np.random.RandomState(seed + 1)
    feed = fed_name(program, rng)
    built = Built(program, rng, feed)
    everything = list(built.graph.top.values()) + built.inputs
    if feed and sum([t is built.feed[0] for t in everything]) > 1:
        return
    for sizes in SIZES:
        values = [draw(rng, sizes, shape) for _name, shape in INPUTS]
        extra = [draw(rng, sizes, program.shapes[feed])] if feed else []
        phase = rng.randint(2)
        wanted = program.run(Eager(zip([feed], extra)), [v.copy() for v in values], phase)
        results, fed = built(built.run, values, phase, extra)
        for name, result in zip(built.names, results):
            np.testing.assert_allclose(result, wanted[name], 1e-6, 1e-6 if program.exact else 1e-4, err_msg=name)
        hold_static(built.outputs, results)
        kept = hold_memory(built, results, fed, values, phase, extra)
        if smooth:
            hold_gradients(built, kept, values, phase, extra)


def hold_static(tensors, results):
    """What was known while recording is so, and one unknown size is one number."""
    sizes = {}
    for tensor, result in zip(tensors, results):
        assert tensor.dtype == result.dtype.name
        assert len(tensor.shape) == result.ndim
        for dim, known, size in zip(tensor.dims, tensor.shape, result.shape):
            assert known in (None, size)
            assert size == sizes.setdefault(dim, size)


def hold_memory(built, results, fed, values, phase, extra):
    """Nothing that comes out shares memory with anything; a second run does not know what was done to the first."""
    others = [x for x in fed if isinstance(x, np.ndarray)] + [
        t.data for t, (name, _) in zip(built.inputs, INPUTS) if name in VARIABLES
    ]
    for i, result in enumerate(results):
        assert not any(np.shares_memory(result, other) for other in results[:i] + others)
    kept = [result.copy() for result in results]
    for result in results:
        if result.ndim:
            result[...] = 7
    for before, after in zip(kept, built(built.run, values, phase, extra)[0]):
        np.testing.assert_array_equal(before, after)
    return kept


def hold_gradients(built, results, values, phase, extra):
    """Gradients of both orders along one direction agree with differences."""
    rng, n = np.random.RandomState(0), len(built.targets)
    along = [rng.uniform(-1, 1, np.shape(v)) for v in extra or values]

    def losses(step):
        moved = [v + step * d for v, d in zip(extra or values, along)]
        return np.array(built(built.losses, values if extra else moved, phase, moved if extra else [])[0])

    gradients = results[len(built.names) :]
    found = [sum([np.sum(g * d) for g, d in zip(gradients[i : i + n], along)]) for i in (0, n)]
    np.testing.assert_allclose(found, (losses(STEP) - losses(-STEP)) / (2 * STEP), 2e-5, 2e-6)

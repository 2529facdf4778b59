"""Random programs, and what they call, twice: K as it is, and on NumPy arrays, at once and in plain loops."""

import numpy as np
from random_programs import Writer

import keras_backend.engines.numpy_backend as K
from keras_backend.engines.numpy_backend.library import Stream


class Graph:
    """K itself. `top` holds the tensors of the program's outermost level."""

    def __init__(self):
        self.top = {}
        self.streams = []

    def __getattr__(self, name):
        return getattr(K, name)

    def keep(self, name, x):
        self.top[name] = x
        return x

    def size(self, x, axis):
        return K.shape(x)[axis]

    def noise(self, site, x):
        drawn = K.random_normal(K.shape(x), seed=site)
        node = drawn
        while node.op.name != 'random_normal':
            node = node.inputs[0]
        self.streams.append(node.inputs[0].stream)
        return drawn

    def grad(self, function, x):
        """The gradient of the sum of function(x)."""
        z = K.identity(x)
        (g,) = K.gradients(K.sum(function(z)), [z])
        return K.zeros_like(x) if g is None else g


class Eager:
    """The same on arrays. `given` are values to take in place of those of the outermost level."""

    def __init__(self, given=()):
        self.top = {}
        self.given = dict(given)
        self.streams = {}

    def keep(self, name, x):
        self.top[name] = self.given.get(name, x)
        return self.top[name]

    def noise(self, site, x):
        stream = self.streams.setdefault(site, Stream(site))
        return K._graph.kernels.PRIMITIVES['random_normal'](stream, np.shape(x), 'float64')

    def grad(self, function, x):
        x, step = np.array(x, float), 1e-5
        g = np.zeros_like(x)
        for i in np.ndindex(*x.shape):
            moved = []
            for sign in (1, -1):
                z = x.copy()
                z[i] += sign * step
                moved.append(np.sum(function(z)))
            g[i] = (moved[0] - moved[1]) / (2 * step)
        return g

    tanh, sin, cos, exp, log, sqrt, square, abs = np.tanh, np.sin, np.cos, np.exp, np.log, np.sqrt, np.square, np.abs
    maximum, minimum, greater, pow = np.maximum, np.minimum, np.greater, np.power

    def sigmoid(self, x):
        return 1 / (1 + np.exp(-x))

    def softplus(self, x):
        return np.log1p(np.exp(x))

    def relu(self, x):
        return np.maximum(x, 0)

    def softmax(self, x, axis):
        e = np.exp(x)
        return e / e.sum(axis, keepdims=True)

    def stop_gradient(self, x):
        return x

    identity = stop_gradient

    def size(self, x, axis):
        return np.shape(x)[axis]

    def _reduction(name):
        def reduce(self, x, axis=None, keepdims=False):
            return getattr(np, name)(x, None if axis is None else tuple(axis), keepdims=keepdims)

        return reduce

    sum, mean, prod, max, min, var = map(_reduction, 'sum mean prod max min var'.split())
    del _reduction

    def cumsum(self, x, axis):
        return np.cumsum(x, axis)

    def cumprod(self, x, axis):
        return np.cumprod(x, axis)

    def argmax(self, x, axis):
        return np.argmax(x, axis)

    def cast(self, x, dtype):
        return np.asarray(x).astype(dtype)

    def reshape(self, x, shape):
        return np.reshape(x, shape)

    def permute_dimensions(self, x, pattern):
        return np.transpose(x, pattern)

    def expand_dims(self, x, axis):
        return np.expand_dims(x, axis)

    def squeeze(self, x, axis):
        return np.squeeze(x, axis)

    def concatenate(self, xs, axis):
        return np.concatenate(xs, axis)

    def stack(self, xs, axis):
        return np.stack(xs, axis)

    def tile(self, x, n):
        return np.tile(x, n)

    def repeat_elements(self, x, rep, axis):
        return np.repeat(x, rep, axis)

    def reverse(self, x, axes):
        return np.flip(x, axes)

    def gather(self, x, indices):
        return np.take(x, indices, 0)

    def one_hot(self, x, n):
        return np.eye(n)[x]

    def zeros_like(self, x):
        return np.zeros_like(x)

    def temporal_padding(self, x, padding):
        return np.pad(x, ((0, 0), padding, (0, 0)), mode='constant')

    def constant(self, value, dtype=None):
        return np.array(value, dtype or float)

    def dot(self, x, y):
        return np.dot(x, y)

    def batch_dot(self, x, y, axes):
        out = np.stack([np.tensordot(a, b, (axes[0] - 1, axes[1] - 1)) for a, b in zip(x, y)])
        return out if out.ndim > 1 else out[:, None]

    def switch(self, condition, then, other):
        if not np.ndim(condition):
            chosen = then if condition else other
            return chosen() if callable(chosen) else chosen
        condition = np.reshape(condition, np.shape(condition) + (1,) * (np.ndim(then) - np.ndim(condition)))
        return np.where(condition, then, other)

    def in_train_phase(self, x, alt, training):
        return self.switch(training, x, alt)

    def map_fn(self, fn, elems):
        several = isinstance(elems, list)
        results = [fn(list(e) if several else e[0]) for e in zip(*(elems if several else [elems]))]
        if isinstance(results[0], tuple):
            return tuple(np.stack(r) for r in zip(*results))
        return np.stack(results)

    def foldl(self, fn, elems, initializer=None):
        elems = list(elems)
        acc = elems.pop(0) if initializer is None else initializer
        for e in elems:
            acc = fn(acc, e)
        return acc

    def foldr(self, fn, elems, initializer=None):
        return self.foldl(fn, elems[::-1], initializer)

    def rnn(
        self,
        step,
        x,
        states,
        go_backwards=False,
        mask=None,
        constants=None,
        time_major=False,
        zero_output_for_mask=False,
    ):
        swap = (lambda a: a) if time_major else (lambda a: np.swapaxes(a, 0, 1))
        several = isinstance(x, list)
        sequences = [swap(a) for a in (x if several else [x])]
        mask = None if mask is None else swap(np.asarray(mask, bool))
        outputs, states = [], list(states)
        order = range(len(sequences[0]))
        for i in reversed(order) if go_backwards else order:
            output, new = step(
                [s[i] for s in sequences] if several else sequences[0][i], states + list(constants or [])
            )
            if mask is not None:
                idle = np.zeros_like(output) if zero_output_for_mask or not outputs else outputs[-1]
                output = self.switch(mask[i], output, idle)
                new = [self.switch(mask[i], n, s) for n, s in zip(new, states)]
            outputs.append(output)
            states = list(new)
        return outputs[-1], swap(np.stack(outputs)), states


INPUTS = (
    ('x', ('b', 't', 3)),
    ('y', ('t', 'b', 2)),
    ('z', ('b', 2)),
    ('q', ('u', 3)),
    ('c', ()),
    ('v', (3, 2)),
    ('w', (2, 3)),
    ('h', (2,)),
)
VARIABLES = ('v', 'w', 'h')


class Program:
    """A random program: `text`, the `sizes` of its variables by name, and `run(B, inputs, phase)`."""

    def __init__(self, seed, statements=8, **options):
        writer = Writer(seed, **options)
        writer.scope += list(INPUTS)
        for _ in range(statements):
            writer.statement()
        self.shapes = dict(writer.scope)
        names = [name for name, _shape in INPUTS]
        self.text = 'def program(B, {}, phase):\n{}\n'.format(', '.join(names), '\n'.join(writer.lines) or '    pass')
        scope = {}
        exec(self.text, scope)
        self._program = scope['program']
        self.made = [name for name, _shape in writer.scope[len(INPUTS) :]]
        self.exact = 'B.grad' not in self.text

    def run(self, B, inputs, phase):
        """The values of the outermost level, by name."""
        self._program(B, *(inputs + [phase]))
        return B.top

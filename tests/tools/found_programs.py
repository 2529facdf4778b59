"""Every program that an engine ran wrongly, made small. The comment above an entry says what was wrong.

`tests/tools/run_programs.py` finds and shrinks; its entries fit in here. test_random_programs runs all of them.
"""

import numpy as np
from wide_programs import VARIABLES, Case, Feed


class Found:
    """A program, and its inputs by name: the dtype, the static shape (of a placeholder), and a value for each feed."""

    def __init__(self, text, floatx='float32', orders=0, phase=(0, 0, 0), apart=(), **inputs):
        self.text, self.floatx, self.orders, self.phase, self.inputs = text, floatx, orders, phase, inputs
        # Engines that still differ, each for a reason in the comment.
        self.apart = apart

    def case(self):
        dtypes, shapes, values = {}, {}, {}
        for name, (dtype, *shape, fed) in self.inputs.items():
            values[name] = [np.asarray(v, dtype) for v in fed]
            dtypes[name] = dtype
            shapes[name] = values[name][0].shape if name in VARIABLES else shape[0]
        count = max([len(v) for v in values.values()] or [1])
        feeds = [Feed.of({n: v[i] for n, v in values.items()}, self.phase[i]) for i in range(count)]
        return Case(self.text + '\n', self.floatx, dtypes, shapes, feeds, self.orders)


FOUND = [
    # NumPy and PyTorch: the gradient of a lookup in a table whose rows have the size 0 was an error.
    Found(
        """def program(B, e, i, phase):
    loss = B.keep('loss', B.sum(B.tanh(B.gather(e, i))) + B.sum(B.tanh(e)))""",
        orders=1,
        e=('float32', (None, 0), [np.zeros((2, 0))]),
        i=('int32', (None,), [[0, 1, 1]]),
    ),
    # Theano without a compiler: the softmax of rows without elements was an error.
    Found(
        """def program(B, e, phase):
    t1 = B.keep('t1', B.softmax(B.tanh(e), axis=1))""",
        e=('float32', (None, 0), [np.zeros((2, 0))]),
    ),
    # TensorFlow: a fold over nothing with an initializer, in a branch, with a gradient, read its first element.
    Found(
        """def program(B, z, h, phase):
    def f1():
        return B.foldr(lambda a, r: B.tanh(a + r), z, initializer=h)
    loss = B.keep('loss', B.sum(B.tanh(B.switch(B.greater(B.mean(h), 0.1), f1, h))))""",
        orders=1,
        z=('float32', (None, 2), [np.zeros((0, 2))]),
        h=('float32', [[0.5, 0.25]]),
    ),
    # JAX: a loop of no steps is an error in a branch that is not taken, too, because both branches are compiled.
    # Theano computes a part of that branch for the gradient.
    Found(
        """def program(B, y, h, phase):
    def f1():
        return B.sum(B.rnn(lambda x, s: (x, []), y, [])[0]) * B.sum(h)
    loss = B.keep('loss', B.switch(B.greater(B.mean(h), 0.9), f1, B.sum(B.sin(h))))""",
        orders=1,
        apart=('jax', 'theano'),
        y=('float32', (None, None, 2), [np.zeros((2, 0, 2))]),
        h=('float32', [[0.5, 0.25]]),
    ),
    # Theano without a compiler: second derivatives of a loop whose output is its state were an error.
    Found(
        """def program(B, y, h, phase):
    r = B.rnn(lambda x, s: (s[0], [B.tanh(s[0] * 1.5)]), y, [h], time_major=True)
    loss = B.keep('loss', B.sum(B.tanh(r[0])) + B.sum(B.tanh(r[1])) + B.sum(B.tanh(r[2][0])))""",
        orders=2,
        y=('float32', (None, None, 2), [np.full((3, 1, 2), 0.1)]),
        h=('float32', [[0.5, 0.25]]),
    ),
    # Theano without a compiler: a gradient went through a cast to integers.
    Found(
        """def program(B, l, phase):
    loss = B.keep('loss', B.sum(B.tanh(B.stack([l, B.cast(B.tanh(l) * 3.0, 'int8')], axis=0))))""",
        orders=1,
        l=('float32', (None, None), [[[0.01, 0.3, 0.9]]]),
    ),
    # Every engine: a mask of several axes could not index a tensor whose last axis is empty.
    Found(
        """def program(B, e, m, phase):
    loss = B.keep('loss', B.sum(B.tanh(B.sum(e[m], axis=0))))""",
        orders=1,
        e=('float32', (None, None, 0), [np.zeros((2, 1, 0))]),
        m=('bool', (None, None), [[[False], [True]]]),
    ),
]

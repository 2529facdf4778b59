"""What a case is, how its inputs are written, and how a module of cases adds one."""

import zlib
from collections import namedtuple

import numpy as np

Case = namedtuple('Case', 'id inputs program gradient')
Case.__doc__ = """One line of a program, or a few.

id is 'function/group/number', inputs maps names to `Input`, program is Python whose last line is an expression of
`K`, `np` and the inputs, and gradient says whether the gradient by the inputs of floats is compared, too.
"""


class Input(namedtuple('Input', 'kind dtype shape data')):
    """An input of a case.

    kind is 'variable', 'constant', 'fed' (a placeholder whose sizes are known), 'batch' (only the first is unknown),
    'unknown' (all are) or 'array' (a NumPy array as it is). data is one of the names in `values`, or a list.
    """

    __slots__ = ()

    def static(self):
        """The shape that a placeholder is made with."""
        if self.kind == 'unknown':
            return (None,) * len(self.shape)
        return ((None,) + self.shape[1:]) if self.kind == 'batch' else self.shape

    def text(self, name):
        """The line of a program that makes it."""
        array = f'np.array({self.value(name).tolist()}, {self.dtype!r})'
        if self.shape and 0 in self.shape:
            array += f'.reshape({self.shape})'
        if self.kind == 'array':
            return f'{name} = {array}'
        if self.kind in ('variable', 'constant'):
            return f'{name} = K.{self.kind}({array}, {self.dtype!r})'
        return f'{name} = K.placeholder({self.static()}, dtype={self.dtype!r})  # fed with {array}'

    def value(self, name):
        """The numbers: always the same for the same name, shape and data."""
        if isinstance(self.data, list):
            return np.array(self.data, self.dtype).reshape(self.shape)
        seed = zlib.crc32(f'{name} {self.shape} {self.data}'.encode())
        drawn = values(self.data, self.shape, np.random.RandomState(seed))
        if self.dtype == 'uint8' and self.data != 'bits':
            drawn = np.abs(drawn)
        return np.asarray(drawn).astype(self.dtype)


EDGES = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 6.0, 1e-8, 100.0, -100.0]


def values(data, shape, state):
    """An array of the kind `data` says."""
    size = int(np.prod(shape))
    flat = np.round(state.uniform(-2, 2, size), 3)
    if data == 'normal':
        pass
    elif data == 'positive':
        flat = np.round(state.uniform(0.1, 2, size), 3)
    elif data == 'unit':
        flat = np.round(state.uniform(0.05, 0.95, size), 3)
    elif data == 'large':
        flat = flat * 40
    elif data == 'ties':
        flat = state.randint(-1, 2, size).astype('float64')
    elif data == 'halves':
        flat = state.randint(-5, 6, size) / 2.0
    elif data == 'integer':
        flat = state.randint(-4, 5, size)
    elif data == 'index':
        flat = state.randint(0, 3, size)
    elif data == 'bits':
        flat = state.randint(0, 2, size)
    elif data == 'zero':
        flat = np.zeros(size)
    elif data == 'edges':
        flat = np.array([EDGES[i % len(EDGES)] for i in range(size)])
    elif data == 'nan':
        flat[size // 2] = np.nan
    elif data == 'inf':
        flat[0], flat[-1] = np.inf, -np.inf
    elif data == 'rows':
        flat = np.round(state.uniform(0.1, 2, size), 3)
        rows = flat.reshape(shape)
        return rows / rows.sum(-1, keepdims=True)
    elif data == 'one hot':
        return np.eye(shape[-1])[state.randint(0, shape[-1], shape[:-1])]
    else:
        raise ValueError(f'no data {data!r}')
    return flat.reshape(shape)


def _made(kind):
    """A function that makes inputs of this kind."""

    def make(shape, data='normal', dtype='float32'):
        return Input(kind, dtype, tuple(shape), data)

    return make


variable, constant, fed = _made('variable'), _made('constant'), _made('fed')
batch, unknown, array = _made('batch'), _made('unknown'), _made('array')


FLOATS = ['float32', 'float64', 'float16']
INTEGERS = ['int32', 'int64', 'uint8']
DTYPES = FLOATS + INTEGERS + ['bool']


def data_of(dtype, data='normal'):
    """What an array of the dtype is filled with: `data` for floats."""
    return {'bool': 'bits', 'int32': 'integer', 'int64': 'integer', 'uint8': 'integer'}.get(dtype, data)


class Topic:
    """The cases of a module, numbered within each group as they come."""

    def __init__(self):
        self.cases = []
        self._counts = {}

    def add(self, group, *programs, **inputs):
        """A case for each program, all with these inputs, whose gradient is compared where there are floats."""
        gradient = inputs.pop('gradient', True)
        for program in programs:
            self._counts[group] = number = self._counts.get(group, 0) + 1
            self.cases.append(Case(f'{group}/{number}', inputs, program, gradient))

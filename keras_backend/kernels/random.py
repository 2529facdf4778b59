"""Random draws, each a function of a seed and of how many draws of that seed came before.

Philox is a cipher over a counter: a draw starts at (0, 0, number of the draw, 0), a position of its own that holds
2**128 blocks, and nothing has to be remembered between draws but their number.
"""

import sys
from itertools import count
from threading import local
from typing import Optional

import numpy as np

from .common import Array, DType, Ints, Sizes, sizes

_WORD = (1 << 64) - 1


class _Source:
    """A generator that is put in place anew for every draw."""

    def __init__(self) -> None:
        self.philox = np.random.Philox(0)
        self.counter, self.key = np.zeros(4, np.uint64), np.zeros(2, np.uint64)
        self.state = {
            'bit_generator': 'Philox',
            'state': {'counter': self.counter, 'key': self.key},
            'buffer': np.zeros(4, np.uint64),
            'buffer_pos': 4,
            'has_uint32': 0,
            'uinteger': 0,
        }
        self.generator = np.random.Generator(self.philox)


# Each thread has a source of its own. It is made at the first draw, since importing numpy.random takes long.
_thread = local()


def generator_at(seed: int, number: int, step: int = 0) -> 'np.random.Generator':
    """The thread's only generator at the start of draw `number` of a seed (in step `step` of a loop): draw at once."""
    source: Optional[_Source] = getattr(_thread, 'source', None)
    if source is None:
        source = _thread.source = _Source()
    counter, key = source.counter, source.key
    counter[2], counter[3] = number, step
    key[0], key[1] = seed & _WORD, seed >> 64 & _WORD
    source.philox.state = source.state
    return source.generator


class Stream:
    """The draws that an integer seed stands for: the same in every process, and for threads together one sequence."""

    def __init__(self, seed: int) -> None:
        self.seed, self._numbers = int(seed), count()

    def next(self) -> 'np.random.Generator':
        """A numpy.random.Generator at the start of the next draw; it is the thread's only one, so draw at once."""
        return generator_at(self.seed, next(self._numbers))  # counting is atomic

    def reset(self) -> None:
        """Begin again with the first draw."""
        self._numbers = count()


def random_uniform(stream: Stream, shape: Sizes, dtype: DType) -> Array:
    """From [0, 1)."""
    generator, shape = stream.next(), sizes(shape)
    if dtype == 'float64':
        return generator.random(shape)
    draws = generator.random(shape, np.float32)
    if dtype == 'float16':
        # the 11 bits that float16 holds: rounded, the largest draws would become 1
        return (np.floor(draws * np.float32(2048)) * np.float32(1 / 2048)).astype(np.float16)
    return draws


def random_normal(stream: Stream, shape: Sizes, dtype: DType) -> Array:
    """Mean 0, standard deviation 1."""
    return _normal(stream.next(), sizes(shape), dtype)


def _normal(generator: 'np.random.Generator', shape: Ints, dtype: DType) -> Array:
    if dtype == 'float64':
        return generator.standard_normal(shape)
    draws = generator.standard_normal(shape, np.float32)
    return draws.astype(np.float16) if dtype == 'float16' else draws


def truncated_normal(stream: Stream, shape: Sizes, dtype: DType) -> Array:
    """Mean 0, standard deviation 1, what lies beyond 2 redrawn."""
    generator, shape = stream.next(), sizes(shape)
    draws = np.asarray(_normal(generator, shape, dtype)).reshape(-1)
    beyond = np.flatnonzero(np.abs(draws) > 2)
    while len(beyond):
        again = _normal(generator, beyond.shape, dtype)
        draws[beyond] = again
        beyond = beyond[np.abs(again) > 2]
    return draws.reshape(shape)


# -- printing ----------------------------------------------------------------------------------------------------------
# As a draw it does more than give a value.


def print_(x: Array, message: str) -> Array:
    """`x`, after the message and its value have been written to standard error."""
    sys.stderr.write(f'{message}{x}\n')
    sys.stderr.flush()
    return x


PRIMITIVES = {**{f.__name__: f for f in (random_uniform, random_normal, truncated_normal)}, 'print': print_}

"""An engine that says where the time goes: K on NumPy, with calls and seconds of each primitive.

KERAS_BACKEND=profile python my_training.py

>>> import profile_engine
>>> print(profile_engine.report())
"""

import collections
import functools
import time
from types import SimpleNamespace

from keras_backend.engines.numpy_backend import library
from keras_backend.graph.install import install

calls, seconds = collections.Counter(), collections.Counter()


def reset():
    """Forget what was measured."""
    calls.clear()
    seconds.clear()


def report():
    """One line for each primitive that ran, the most expensive first."""
    return '\n'.join(f'{name:24} {calls[name]:8} calls {total:10.6f} s' for name, total in seconds.most_common())


def _timed(name, function):
    @functools.wraps(function)
    def run(*arrays, **attrs):
        started = time.perf_counter()
        try:
            return function(*arrays, **attrs)
        finally:
            calls[name] += 1
            seconds[name] += time.perf_counter() - started

    return run


def _specialize(name, ranks, attrs, dtypes):
    special = library.specialize(name, ranks, attrs, dtypes)
    return special and _timed(name, special)


_kernels = SimpleNamespace(**vars(library))
_kernels.PRIMITIVES = {name: _timed(name, f) for name, f in library.PRIMITIVES.items()}
_kernels.specialize = _specialize

install(globals(), name='profile', title='Profiling NumPy', kernels=_kernels)

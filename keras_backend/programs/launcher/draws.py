"""The generators of `random` and `numpy.random` while libraries are imported."""

import contextlib
import random
import sys
from typing import Iterator


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Give both generators the states back that they had before the imports of this block.

    Programs of 2015 to 2019 call `np.random.seed(1337)` before `import keras`. The libraries of their time drew no
    numbers while they were imported. JAX draws from `numpy.random` and TensorFlow 2 from `random`. A program that has
    not imported NumPy has given it no seed.
    """
    numpy = sys.modules.get('numpy')
    of_python, of_numpy = random.getstate(), numpy.random.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(of_python)
        if numpy is not None:
            numpy.random.set_state(of_numpy)

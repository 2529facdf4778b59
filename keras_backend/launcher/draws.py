"""The generators of `random` and `numpy.random` while libraries are imported."""

import contextlib
import random
from typing import Iterator

import numpy as np


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Give both generators the states back that they had before the imports of this block.

    Programs of 2015 to 2019 call `np.random.seed(1337)` before `import keras`. The libraries of their time drew no
    numbers while they were imported. JAX draws from `numpy.random` and TensorFlow 2 from `random`.
    """
    of_python, of_numpy = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)

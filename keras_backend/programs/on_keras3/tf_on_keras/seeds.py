"""Seeds as TensorFlow has them: `tf.random.set_seed` and the argument `seed` of a draw, apart from NumPy and Python.

Source: the documentation of tf.random.set_seed. With a seed for all, all draws are repeated, those of layers and
initial weights included. A draw with a seed of its own has its own sequence, which begins again with the seed for all.
"""

import functools
import random
from importlib import import_module
from typing import Any, Dict, List, Optional

from ...launcher.cures import around
from ...launcher.imports import kept
from .dispatch import is_no_stand_in

# NumPy takes no larger seeds, and Keras gives NumPy the same.
_LARGEST = 2**32
# The seed for all, as far as it was set; the sources of the draws, by their own seeds.
_of_all: List[int] = []
_sources: Dict[Optional[int], random.Random] = {}
_busy: List[bool] = []
_PLACES = ('random', 'set_seed'), ('compat.v1', 'set_random_seed'), ('compat.v1.random', 'set_random_seed')


def next_seed(seed: Optional[int]) -> int:
    """The seed for one draw, from the sequence that belongs to its argument `seed`."""
    own = None if seed is None else int(seed)
    if own not in _sources:
        unknown = own is None and not _of_all
        _sources[own] = random.Random() if unknown else random.Random(f'{_of_all} {own}')
    return _sources[own].getrandbits(31)


def set_seed(seed: int) -> None:
    """`tf.random.set_seed`: all draws of Keras and of `tf.random` begin again. NumPy and Python go on as they were."""
    import keras

    _of_all[:] = [int(seed) % _LARGEST]
    _sources.clear()
    _busy.append(True)
    try:
        with kept():
            keras.utils.set_random_seed(_of_all[0])
    finally:
        _busy.pop()
    # Layers draw their first seeds from Python's generator, which belongs to the program.
    import_module('keras.src.random.seed_generator').python_random = random.Random(_of_all[0])  # type: ignore[attr-defined]


def seeds(tensorflow: Any) -> str:
    """Let `tf.random.set_seed` seed Keras as well, and neither NumPy nor Python."""
    if not is_no_stand_in(tensorflow):
        return ''
    changed = []
    for path, name in _PLACES:
        module = functools.reduce(getattr, path.split('.'), tensorflow)
        setattr(module, name, _seeding(getattr(module, name)))
        changed.append(f'tf.{path}.{name}')
    return ', '.join(changed)


@around
def _seeding(original: Any, seed: int) -> None:
    original(seed)
    # Keras calls this function, too.
    if not _busy:
        set_seed(seed)

"""Numbers of NumPy where Keras 3 or PyTorch takes those of Python alone."""

import functools
from typing import Any


def indices_of_numpy(keras: Any) -> str:
    """Let a KerasTensor take an index that NumPy has computed, such as that of `np.argmax`."""
    import numpy as np

    def plain(entry: Any) -> Any:
        if isinstance(entry, slice):
            return slice(plain(entry.start), plain(entry.stop), plain(entry.step))
        return int(entry) if isinstance(entry, np.integer) else entry

    original = keras.KerasTensor.__getitem__

    @functools.wraps(original)
    def __getitem__(x: Any, key: Any) -> Any:
        return original(x, tuple([plain(entry) for entry in key]) if isinstance(key, tuple) else plain(key))

    keras.KerasTensor.__getitem__ = __getitem__
    return 'KerasTensor.__getitem__'


def factors_on_torch(module: Any) -> str:
    """Let `K.cast_to_floatx` of a number be one that PyTorch multiplies. An array on the left is none."""
    import sys

    if sys.modules['keras'].backend.backend() != 'torch':
        return ''
    import numpy as np

    original = module.cast_to_floatx

    @functools.wraps(original)
    def cast_to_floatx(x: Any) -> Any:
        found = original(x)
        return found[()] if isinstance(found, np.ndarray) and found.ndim == 0 else found

    module.cast_to_floatx = cast_to_floatx
    return 'K.cast_to_floatx'

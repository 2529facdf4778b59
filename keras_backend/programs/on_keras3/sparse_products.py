"""`x * 2` of a tensor between layers is dense, as `x` is. Keras 3.15 says that it is sparse.

A layer of a program that is called with it on TensorFlow is then given a SparseTensor, which few functions take.
"""

import functools
from typing import Any, Callable

_NAMES = ('Multiply', 'Divide', 'TrueDivide', 'Add', 'Subtract')


def products_of_numbers(keras: Any) -> str:
    """Let `x * 2` of a dense tensor between layers be dense."""
    changed = []
    for made in keras.Operation.__subclasses__():
        if made.__name__ in _NAMES and made.__module__.partition('.')[0] == 'keras':
            made.compute_output_spec = _dense(made.compute_output_spec, keras)
            changed.append(made.__name__)
    return ', '.join(sorted(changed))


def _dense(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def compute_output_spec(self: Any, x1: Any, x2: Any) -> Any:
        found = original(self, x1, x2)
        if found.sparse and not any(getattr(x, 'sparse', False) for x in (x1, x2)):
            return keras.KerasTensor(found.shape, found.dtype)
        return found

    return compute_output_spec

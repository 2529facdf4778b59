"""Layers that merge several tensors into one."""

from functools import reduce
from typing import Any, Callable, Dict, List

from .use import Use


def _of_one_rank(use: Use) -> List[Any]:
    """The inputs. Those with fewer axes get new ones behind the first."""
    K = use.K
    ranks = [K.ndim(x) for x in use.inputs]
    found = []
    for x, rank in zip(use.inputs, ranks):
        for _ in range(max(ranks) - rank):
            x = K.expand_dims(x, 1)
        found.append(x)
    return found


def _average(K: Any, values: List[Any]) -> Any:
    return reduce(lambda a, b: a + b, values) / float(len(values))


_FUNCTIONS: Dict[str, Callable[[Any, List[Any]], Any]] = {
    'Add': lambda K, values: reduce(lambda a, b: a + b, values),
    'Subtract': lambda K, values: values[0] - values[1],
    'Multiply': lambda K, values: reduce(lambda a, b: a * b, values),
    'Average': _average,
    'Maximum': lambda K, values: reduce(K.maximum, values),
    'Minimum': lambda K, values: reduce(K.minimum, values),
}


def element_wise(use: Use) -> Any:
    """Add, Subtract, Multiply, Average, Maximum and Minimum."""
    if len(use.inputs) < 2 or (use.layer.kind == 'Subtract' and len(use.inputs) != 2):
        raise use.error(
            f'got {len(use.inputs)} inputs; it merges {"2" if use.layer.kind == "Subtract" else "2 or more"}'
        )
    return _FUNCTIONS[use.layer.kind](use.K, _of_one_rank(use))


def concatenate(use: Use) -> Any:
    """Concatenate."""
    return use.K.concatenate(use.inputs, axis=int(use.option('axis', -1)))


def dot(use: Use) -> Any:
    """Dot: the products along one axis of each of two tensors."""
    K, axes = use.K, use.config['axes']
    x, y = use.inputs
    both = list(axes) if isinstance(axes, (list, tuple)) else [axes, axes]
    both = [int(axis) % K.ndim(one) for axis, one in zip(both, (x, y))]
    if use.option('normalize', False):
        x, y = K.l2_normalize(x, axis=both[0]), K.l2_normalize(y, axis=both[1])
    found = K.batch_dot(x, y, both)
    # The cosine of Keras 1 has one axis more.
    return K.expand_dims(found, 1) if use.option('normalize', False) and use.option('keras_1', False) else found


def mask_of_element_wise(use: Use, outputs: Any) -> Any:
    """A place is kept that all inputs with a mask keep."""
    K = use.K
    given = [mask for mask in use.masks if mask is not None]
    return K.all(K.concatenate([K.expand_dims(mask, 0) for mask in given], axis=0), axis=0) if given else None


def mask_of_concatenate(use: Use, outputs: Any) -> Any:
    """The masks, concatenated as the inputs. One along the last axis keeps a place that all keep."""
    K = use.K
    if all([mask is None for mask in use.masks]):
        return None
    found = []
    for x, mask in zip(use.inputs, use.masks):
        if mask is None:
            found.append(K.equal(x, x))
        else:
            found.append(mask if K.ndim(mask) >= K.ndim(x) else K.expand_dims(mask))
    return K.all(K.concatenate(found, axis=int(use.option('axis', -1))), axis=-1)

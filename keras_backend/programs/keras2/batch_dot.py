"""`K.batch_dot` with the meaning of Keras 2.2: tensors of more than three axes are stacks of matrices."""

from types import ModuleType
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union


def of_keras_22(K: ModuleType, of_keras_23: Callable[..., Any]) -> Callable[..., Any]:
    """`batch_dot` of Keras 2.2, composed of K functions. Up to three axes it is that of 2.3, except for -1 in `axes`.

    To Keras 2.2 -1 is not the last axis of a stack of matrices: it takes -1 for the last axis but one.
    """

    def batch_dot(x: Any, y: Any, axes: Union[int, Sequence[int], None] = None) -> Any:
        rank = max(K.ndim(x), K.ndim(y))
        negative = axes is not None and min([axes] if isinstance(axes, int) else axes) < 0
        if rank < 3 or (rank == 3 and not negative):
            return of_keras_23(x, y, axes)
        # The tensor of lower rank gets axes of size 1 at its end. The result loses one of them at the end.
        short = rank - min(K.ndim(x), K.ndim(y))
        spare_rows = K.ndim(x) < rank
        # The sum runs over one of the last two axes: over the last axis if `axes` names it, otherwise over the other.
        default = K.ndim(x) - 1, K.ndim(y) - 2
        pair = default if axes is None else (axes, axes) if isinstance(axes, int) else tuple(axes)
        for _ in range(rank - K.ndim(x)):
            x = K.expand_dims(x, -1)
        for _ in range(rank - K.ndim(y)):
            y = K.expand_dims(y, -1)
        x = x if pair[0] == rank - 1 else _transposed(K, x)
        y = y if pair[1] != rank - 1 else _transposed(K, y)
        leading = [_size(K, x, y, axis) for axis in range(rank - 2)]
        product = of_keras_23(_stack(K, x), _stack(K, y), (2, 1))
        product = K.reshape(product, _one_unknown(leading + [_size(K, x, None, rank - 2), _size(K, y, None, rank - 1)]))
        if short:
            product = K.squeeze(product, rank - 2 if spare_rows else rank - 1)
        return K.expand_dims(product, 1) if K.ndim(product) == 1 else product

    return batch_dot


def _transposed(K: ModuleType, x: Any) -> Any:
    rank = K.ndim(x)
    return K.permute_dimensions(x, tuple(range(rank - 2)) + (rank - 1, rank - 2))


def _size(K: ModuleType, x: Any, y: Optional[Any], axis: int) -> Any:
    """The size of an axis: an int that one of the tensors knows, or else a tensor."""
    known = [K.int_shape(t)[axis] for t in (x, y) if t is not None]
    size = next((n for n in known if n is not None), None)
    return K.shape(x)[axis] if size is None else size


def _stack(K: ModuleType, x: Any) -> Any:
    """A tensor (..., rows, columns) in the shape (matrices, rows, columns)."""
    rank = K.ndim(x)
    return K.reshape(x, (-1, _size(K, x, None, rank - 2), _size(K, x, None, rank - 1)))


def _one_unknown(sizes: List[Any]) -> Tuple[Any, ...]:
    """Sizes for K.reshape. The first size that is no int becomes -1, so that more sizes of the result are known."""
    unknown = next((i for i, n in enumerate(sizes) if not isinstance(n, int)), None)
    return tuple(-1 if i == unknown else n for i, n in enumerate(sizes))

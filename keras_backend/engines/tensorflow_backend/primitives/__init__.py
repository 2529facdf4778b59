"""The primitives of `library.Primitives` in operations of TensorFlow."""

from types import SimpleNamespace
from typing import Any, Callable, Dict

from ....basics.library import PRIMITIVES as NAMES
from ....basics.shapes import known
from ....derived import DERIVED
from ..vendor import tf
from . import elementwise, nn, reduction, shape

PRIMITIVES: Dict[str, Callable[..., Any]] = {
    **elementwise.BINARY,
    **shape.IN_A_LINE,
    **{
        name: function
        for topic in (elementwise, reduction, shape, nn)
        for name, function in vars(topic).items()
        if name in NAMES
    },
}
F: Any = SimpleNamespace(**PRIMITIVES)


def _cumprod(x: Any, *, axis: int) -> Any:
    # The gradient of TensorFlow's own is NaN where an entry is 0.
    if x.dtype.is_floating and F.library.rank(x) and known(F.library.dims(x)[axis]):
        return DERIVED['cumprod'](F, x, axis=axis)
    return PRIMITIVES['cumprod'](x, axis=axis)


def _avg_pool(x: Any, *, window: Any, strides: Any, padding: str) -> Any:
    # TensorFlow has no kernel for averages of volumes in double precision.
    if x.dtype == tf.float64 and len(window) == 3:
        return DERIVED['avg_pool'](F, x, window=window, strides=strides, padding=padding)
    return PRIMITIVES['avg_pool'](x, window=window, strides=strides, padding=padding)


F.cumprod, F.avg_pool = _cumprod, _avg_pool

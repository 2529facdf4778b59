"""Primitives by functions of the backend itself, where a call computes at once: each layer of calls costs there.

`keras.ops.exp` of a tensor takes two to five times as long as the function of the backend: Keras first looks for
KerasTensors, and works out dtypes. Here the tensors are known to be of one float dtype. What the backend traces or
compiles goes the general way, and so does what it refuses: Keras has more to say about shapes and devices.
"""

from typing import Any, Callable, Dict

from ..tensors.dtypes import FLOAT32
from ..vendor import BACKEND, COMPUTED

if BACKEND == 'torch':
    from . import torch_direct as backend
elif BACKEND == 'jax':
    from . import jax_direct as backend  # type: ignore[no-redef]
else:
    from . import tensorflow_direct as backend  # type: ignore[no-redef]

Tensor = Any
Primitive = Callable[..., Tensor]

# In half precision and for integers Keras has rules of its own.
_DTYPES, _REFUSALS = backend.DTYPES, backend.REFUSALS


# Of a computed tensor of floats.
RELU = backend.ONE['relu']


def _of_one(direct: Primitive, general: Primitive) -> Primitive:
    def of_one(x: Tensor, *others: Any, **named: Any) -> Tensor:
        if x.__class__ in COMPUTED and (x.dtype is FLOAT32 or x.dtype in _DTYPES):
            try:
                return direct(x, *others, **named)
            except _REFUSALS:  # the general way computes it, or says what is wrong
                pass
        return general(x, *others, **named)

    return of_one


def _of_several(direct: Primitive, general: Primitive) -> Primitive:
    def of_several(*xs: Tensor, **named: Any) -> Tensor:
        for x in xs:
            if x.__class__ not in COMPUTED or not (x.dtype is FLOAT32 or x.dtype in _DTYPES):
                break
        else:
            try:
                return direct(*xs, **named)
            except _REFUSALS:  # the general way computes it, or says what is wrong
                pass
        return general(*xs, **named)

    return of_several


def _chosen(general: Primitive) -> Primitive:
    def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        if condition.__class__ in COMPUTED and condition.dtype == backend.BOOL:
            return choose(x, y, condition=condition)
        return general(condition, x, y)

    def direct(x: Tensor, y: Tensor, condition: Tensor) -> Tensor:
        return backend.where(condition, x, y)

    choose = _of_several(direct, lambda x, y, condition: general(condition, x, y))
    return where


def give(primitives: Dict[str, Primitive]) -> None:
    """Put the direct way before the general one, in the table of the primitives."""
    primitives.update({name: _of_one(direct, primitives[name]) for name, direct in backend.ONE.items()})
    primitives.update({name: _of_several(direct, primitives[name]) for name, direct in backend.SEVERAL.items()})
    primitives['where'] = _chosen(primitives['where'])

"""Functions of the backend in 64 bits, where those of Keras calculate in 32.

Keras has no 64 bits in its rules for dtypes on JAX and PyTorch. Some of its functions cast to what the rules say.
"""

from typing import Any, Callable, Dict, Optional

from ..tensors.dtypes import name_of
from ..tensors.operations import registered
from ..vendor import BACKEND, is_symbolic, keras

Tensor = Any
_WIDE = frozenset(['float64', 'int64'])
# On PyTorch that of Keras has no gradient.
_ALWAYS = frozenset({'torch': ['floor_divide']}.get(BACKEND, []))
# On JAX those of Keras make 64 bits of fewer, where JAX has 64.
_OF_INTEGERS = frozenset({'jax': ['prod', 'sum']}.get(BACKEND, []))

# The functions of the backend by their names in `keras.ops`, with the arguments that the primitives give.
_NATIVE: Dict[str, Callable[..., Tensor]] = {}

if BACKEND == 'torch':
    import torch

    def _prod(x: Tensor, axis: Any, keepdims: bool) -> Tensor:
        for dim in sorted([axis] if isinstance(axis, int) else axis, reverse=True):
            x = torch.prod(x, dim, keepdim=keepdims)
        return x

    def _mean(x: Tensor, axis: Any, keepdims: bool) -> Tensor:
        # Without axes PyTorch takes all of them.
        return torch.mean(x, tuple(axis), keepdim=keepdims) if len(axis) else x

    def _floor_divide(x: Tensor, y: Tensor) -> Tensor:
        # torch.floor_divide has no gradient.
        return torch.div(x, y, rounding_mode='floor')

    _NATIVE = {name: getattr(torch, name) for name in 'add floor matmul maximum minimum true_divide'.split()}
    _NATIVE.update(
        cumprod=lambda x, axis: torch.cumprod(x, axis),
        cumsum=lambda x, axis: torch.cumsum(x, axis),
        floor_divide=_floor_divide,
        mean=_mean,
        mod=torch.remainder,
        multiply=torch.mul,
        power=torch.pow,
        prod=_prod,
        subtract=torch.sub,
        tensordot=lambda x, y, axes: torch.tensordot(x, y, dims=[list(side) for side in axes]),
    )
elif BACKEND == 'jax':
    import jax.numpy as jnp

    _NATIVE = {
        'cos': jnp.cos,
        'floor': jnp.floor,
        'mean': lambda x, axis, keepdims: jnp.mean(x, tuple(axis), keepdims=keepdims),
        'prod': lambda x, axis, keepdims: jnp.prod(x, axis, keepdims=keepdims, dtype=x.dtype),
        'sin': jnp.sin,
        'sum': lambda x, axis, keepdims: jnp.sum(x, axis, keepdims=keepdims, dtype=x.dtype),
        'tanh': jnp.tanh,
    }


@registered
class Wide(keras.Operation):
    """A function of the backend, between tensors of 64 bits."""

    def __init__(self, function: str, options: Optional[Dict[str, Any]] = None, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.function, self.options = function, dict(options or {})

    def call(self, *tensors: Tensor) -> Tensor:
        return of_keras_or_wide(self.function)(*[keras.ops.convert_to_tensor(x) for x in tensors], **self.options)

    def compute_output_spec(self, *tensors: Tensor) -> Tensor:
        alike = [keras.KerasTensor(x.shape, 'float32') for x in tensors]
        return keras.KerasTensor(getattr(keras.ops, self.function)(*alike, **self.options).shape, name_of(tensors[0]))


def of_keras_or_wide(name: str) -> Callable[..., Tensor]:
    """The function of `keras.ops` with this name, for 64 bits that of the backend."""
    native = _NATIVE.get(name)
    of_keras: Callable[..., Tensor] = getattr(keras.ops, name)
    if native is None:
        return of_keras

    def of_any(*tensors: Tensor, **options: Any) -> Tensor:
        dtype = name_of(tensors[0])
        narrow = dtype not in _WIDE and not (name in _OF_INTEGERS and 'int' in dtype)
        if narrow and name not in _ALWAYS:
            return of_keras(*tensors, **options)
        if any([is_symbolic(x) for x in tensors]):
            return Wide(name, options)(*tensors)
        return native(*tensors, **options)

    return of_any

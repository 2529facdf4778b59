"""What K makes of variables and constants alone: a tensor with its value that K.function can compute again.

On PyTorch it is a tensor. The classes of TensorFlow and JAX take no class below them, so there it is an object beside
the tensor. TensorFlow and Keras convert it, JAX leaves `array * it` to it. Its operators are those of K.
"""

import operator
from typing import Any, Callable, Iterator

import numpy as np

from ..vendor import BACKEND, COMPUTED
from .operations import Signs

if BACKEND == 'torch':
    import torch
elif BACKEND == 'jax':
    import jax

# The attribute of a tensor of K.constant, whose value never changes.
_CONSTANT = '_k_constant'


class _ValuedOperators(Signs):
    """The operators of K; `==` and `!=` compare element by element."""

    def __eq__(self, other: Any) -> Any:
        return self._front.equal(self, other)

    def __ne__(self, other: Any) -> Any:
        return self._front.not_equal(self, other)

    def __hash__(self) -> int:
        return id(self)

    # `loss += x` makes another tensor: what was computed stays what it is.
    __iadd__, __isub__ = Signs.__add__, Signs.__sub__
    __imul__, __itruediv__ = Signs.__mul__, Signs.__truediv__


if BACKEND == 'torch':

    class Valued(_ValuedOperators, torch.Tensor):
        """A tensor of PyTorch that remembers its recipe. All but operators and indices is PyTorch's and forgets it."""

        __torch_function__: Any = torch._C._disabled_torch_function_impl
        recipe: Any
        # How often the memory had been written to.
        written: int

        def __iter__(self) -> Iterator[Any]:
            return (self[i] for i in range(len(self)))

        @property
        def plain(self) -> Any:
            """The tensor without its recipe."""
            return self.as_subclass(torch.Tensor)

        @property
        def changed(self) -> bool:
            """Whether the memory was written to since K made it."""
            return bool(self._version != self.written)

        def __repr__(self, *, tensor_contents: Any = None) -> str:
            return repr(self.plain)

        def __format__(self, spec: str) -> str:
            return format(self.plain, spec)

        def __deepcopy__(self, memo: Any) -> Any:
            return self.plain.detach().clone()

        def __reduce_ex__(self, protocol: Any) -> Any:
            return self.plain.__reduce_ex__(protocol)

    def valued(value: Any, recipe: Any) -> Any:
        """The computed tensor with its recipe."""
        tensor = value.as_subclass(Valued)
        tensor.recipe, tensor.written = recipe, tensor._version
        return tensor

else:

    class Valued(_ValuedOperators):  # type: ignore[no-redef]
        """A computed tensor and its recipe. All but operators and indices is the tensor's."""

        changed = False

        def __init__(self, plain: Any, recipe: Any) -> None:
            self.plain, self.recipe = plain, recipe

        def __getattr__(self, name: str) -> Any:
            if name in ('plain', 'recipe') or name.startswith('_k_'):
                raise AttributeError(name)
            return getattr(self.plain, name)

        @property
        def value(self) -> Any:
            """The computed tensor."""
            return self.plain

        @property
        def shape(self) -> Any:
            """The shape of the tensor."""
            return self.plain.shape

        @property
        def dtype(self) -> Any:
            """The dtype of the tensor."""
            return self.plain.dtype

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.asarray(self.plain, dtype)

        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            import tensorflow as tf

            return tf.convert_to_tensor(self.plain, dtype)

        def __iter__(self) -> Iterator[Any]:
            return (self[i] for i in range(len(self)))

        def __round__(self, *digits: Any) -> Any:
            return round(float(self.plain), *digits)

        def __deepcopy__(self, memo: Any) -> Any:
            return self.plain

        def __reduce__(self) -> Any:
            return np.asarray, (np.asarray(self.plain),)

    def _of_plain(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, *more: function(self.plain, *more)

    for _function in (len, bool, int, float, repr, format, operator.index):
        setattr(Valued, f'__{_function.__name__}__', _of_plain(_function))
    valued = Valued

    if BACKEND == 'jax':
        # What JAX transforms or compiles takes the tensor: `jax.grad(f)(x)`, `jnp.sum(x)`.
        jax.tree_util.register_pytree_node(Valued, lambda x: ((x.plain,), None), lambda _, parts: parts[0])


def plain(x: Any) -> Any:
    """`x`, or the computed tensor behind it; also inside of a list or tuple."""
    if x.__class__ is Valued:
        return x.plain
    if (x.__class__ is list or x.__class__ is tuple) and any([member.__class__ is Valued for member in x]):
        return x.__class__([plain(member) for member in x])
    return x


def mark_constant(x: Any) -> Any:
    """The tensor, known as one that never changes."""
    if x.__class__ in COMPUTED:
        setattr(x, _CONSTANT, True)
    return x


def is_constant(x: Any) -> bool:
    """Whether a tensor was made by K.constant."""
    return x.__class__ in COMPUTED and _CONSTANT in vars(x)

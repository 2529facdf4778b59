"""Shapes of tensors in the code of a program: tuples with `as_list`, `ndims` and the like, as TensorFlow has them."""

import functools
import sys
from typing import Any, Callable, List

from .classes_of_programs import prepare_classes
from .tf_on_keras.shape_of_tensorflow import Shape

# Libraries see the shapes that they made: a subclass of a tuple is another thing than a tuple in trees of JAX.
_OF_LIBRARIES = frozenset('jax jaxlib torch keras keras_backend tensorflow numpy optree functorch triton'.split())


def shapes_of_tensors(keras: Any) -> str:
    """Give tensors `get_shape`, and their shapes in the code of a program `as_list`, `ndims` and the like."""
    from ...engines.keras3_backend.vendor import KerasVariable

    changed = []
    for kind in [keras.KerasTensor, *_of_backend(keras)]:
        kind.shape = property(_of_programs(kind.shape.__get__))
        kind.get_shape = _get_shape
        changed.append(f'{kind.__name__}.shape, {kind.__name__}.get_shape')
    KerasVariable.get_shape = _get_shape
    if keras.backend.backend() != 'tensorflow':
        KerasVariable.shape = property(_of_programs(KerasVariable.shape.__get__))
    return ', '.join(changed)


def _of_backend(keras: Any) -> List[Any]:
    """The classes of tensors and of what stands for them in compiled steps. Those of TensorFlow have all of it."""
    backend = keras.backend.backend()
    if backend == 'torch':
        import torch

        return [torch.Tensor]
    if backend == 'jax':
        import jax

        from ...engines.keras3_backend.vendor import COMPUTED

        return [*COMPUTED, jax.core.Tracer]
    return []


def _of_programs(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def shape(tensor: Any) -> Any:
        found = get(tensor)
        module = sys._getframe(1).f_globals.get('__name__') or ''
        return found if module.partition('.')[0] in _OF_LIBRARIES else Shape(found)

    return shape


def _get_shape(tensor: Any) -> Any:
    return Shape(tensor.shape)


def shapes_in_build(keras: Any) -> str:
    """Let `build` and `compute_output_shape` of a program's layer be given shapes with `as_list` and the like."""
    prepare_classes(keras.layers.Layer, _with_shapes)
    return 'Layer.__init_subclass__'


def _with_shapes(made: Any) -> None:
    for name in ('build', 'compute_output_shape'):
        if callable(vars(made).get(name)):
            setattr(made, name, _given_shapes(vars(made)[name]))


def _given_shapes(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return original(self, *[_shapes(x) for x in args], **{name: _shapes(x) for name, x in kwargs.items()})

    return method


def _shapes(value: Any) -> Any:
    """A shape, or several of them, in the form of TensorFlow."""
    if isinstance(value, dict):
        return {key: _shapes(each) for key, each in value.items()}
    if type(value) not in (tuple, list):
        return value
    if all(each is None or isinstance(each, int) for each in value):
        # Files have lists.
        return Shape(value)
    return type(value)([_shapes(each) for each in value])

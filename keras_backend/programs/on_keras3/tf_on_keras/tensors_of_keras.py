"""Whether arguments of TensorFlow's functions are tensors of Keras, and TensorFlow's own tensors as arrays.

TensorFlow computes what has to do with its own tensors alone: a pipeline of `tf.data`, a loop that trains by it.
"""

import sys
from typing import Any, Iterable, List, Tuple

# So many elements of a list are looked at: a list of numbers may be long.
_MOST = 64

_types: List[Tuple[type, ...]] = []


def keras_is_complete() -> None:
    """Note the classes of tensors of Keras, for which TensorFlow's functions are replaced from now on."""
    import keras

    backend = keras.backend.backend()
    found: List[Any] = [keras.KerasTensor]
    if backend == 'jax':
        import jax

        found += [jax.Array, keras.Variable]
    elif backend == 'torch':
        import torch

        found += [torch.Tensor, torch.dtype, keras.Variable]
    _types[:] = [tuple(found)]


def is_no_stand_in(tensorflow: Any) -> bool:
    """Whether a module is TensorFlow itself."""
    return '__file__' in vars(tensorflow)


def is_on_another() -> bool:
    """Whether Keras runs on another library than TensorFlow."""
    return len(_types[0]) > 1


def any_of_keras(args: Iterable[Any], kwargs: Any) -> bool:
    """Whether a tensor of Keras is among arguments, or a function of Keras runs that is not on TensorFlow."""
    if not _types:
        return False
    types = _types[0]
    values = (*args, *kwargs.values()) if kwargs else args
    if _holds(values, types):
        return True
    return len(types) > 1 and _inside() and not any(_of_a_graph(each) for each in values)


def _holds(values: Iterable[Any], types: Tuple[type, ...]) -> bool:
    for number, value in enumerate(values):
        if isinstance(value, types):
            return True
        kind = value.__class__
        if (kind is list or kind is tuple) and value and _holds(value, types):
            return True
        if kind.__name__ == '_DimExpr':  # a size while JAX infers shapes
            return True
        if number == _MOST:
            return False
    return False


def _inside() -> bool:
    """Whether a layer is called, or a compiled step of Keras runs: what TensorFlow draws there would be a constant."""
    from ....engines.keras3_backend.vendor import call_context, in_stateless_scope

    return call_context() is not None or bool(in_stateless_scope())


def _of_a_graph(value: Any) -> bool:
    """Whether a value is a tensor of a graph of TensorFlow, as in the map of a data set."""
    tensorflow = sys.modules['tensorflow']
    return isinstance(value, tensorflow.Tensor) and not hasattr(value, 'numpy')


def without_tensorflow(value: Any, name: str) -> Any:
    """The value, with TensorFlow's own tensors in it as arrays, its shapes as tuples and its dtypes as names."""
    if isinstance(value, (list, tuple)) and not hasattr(value, '_fields'):
        return type(value)([without_tensorflow(each, name) for each in value])
    tensorflow = sys.modules.get('tensorflow')
    if tensorflow is None or not type(value).__module__.startswith('tensorflow'):
        return value
    if isinstance(value, tensorflow.TensorShape):
        return tuple(value.as_list())
    if isinstance(value, tensorflow.DType):
        return value.name
    if isinstance(value, tensorflow.Variable):
        import keras

        raise TypeError(
            f'tf.{name} was given a tf.Variable beside a tensor of Keras on {keras.backend.backend()}, where it would '
            'not be trained; write self.add_weight(...) in a layer, or K.variable(...).'
        )
    if tensorflow.is_tensor(value):
        if _of_a_graph(value):
            raise TypeError(
                f'tf.{name} was given a tensor of a graph of TensorFlow beside a tensor of Keras; make both in the '
                'same place, in the data set or in the model.'
            )
        return value.numpy()
    return value

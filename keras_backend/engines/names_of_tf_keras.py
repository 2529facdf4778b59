"""The names of K that `tf_keras.backend` does not have, as functions of TensorFlow and of the inside of tf_keras."""

from importlib import import_module
from typing import Any, Dict

from ..config import DIM_ORDERINGS, check

_ORDERINGS = {'channels_last': 'tf', 'channels_first': 'th'}
_KEPT_INSIDE = (
    'conv3d_transpose get_session identity is_placeholder logsumexp separable_conv1d set_session get_graph'.split()
)


def missing_names(K: Dict[str, Any], inside: Dict[str, Any]) -> Dict[str, Any]:
    """The names that K does not have, with their functions. inside: the names of the module `tf_keras.src.backend`."""
    missing = {**_simple(K), **{name: inside[name] for name in _KEPT_INSIDE if name in inside}}
    return {name: value for name, value in missing.items() if name not in K}


def is_symbolic(x: Any) -> bool:
    """Whether a value is a tensor of the functional API of tf_keras."""
    return isinstance(x, import_module('tf_keras.src.engine.keras_tensor').KerasTensor)


def _simple(K: Dict[str, Any]) -> Dict[str, Any]:
    """Names of K that are functions of TensorFlow."""
    tf: Any = import_module('tensorflow')

    def set_image_dim_ordering(dim_ordering: str) -> None:
        K['set_image_data_format'](DIM_ORDERINGS[dim_ordering])

    def normalize_data_format(value: Any) -> Any:
        return K['image_data_format']() if value is None else check('image_data_format', value, 'normalize_data_format')

    return {
        'control_dependencies': tf.control_dependencies,
        'eager': lambda function: function,
        'get_variable_shape': K['int_shape'],
        'image_dim_ordering': lambda: _ORDERINGS[K['image_data_format']()],
        'is_symbolic': lambda x: is_symbolic(x) or (tf.is_tensor(x) and not hasattr(x, 'numpy')),
        'is_tensor': lambda x: is_symbolic(x) or tf.is_tensor(x),
        'is_variable': lambda x: isinstance(x, tf.Variable),
        'logsumexp': tf.reduce_logsumexp,
        'normalize_data_format': normalize_data_format,
        'set_image_dim_ordering': set_image_dim_ordering,
        'size': lambda x, name=None: tf.size(x, name=name),
        'slice': tf.slice,
        'symbolic': lambda function: function,
    }

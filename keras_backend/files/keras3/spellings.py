"""Values of configurations in the spelling of Keras 3: activations, initializers, regularizers, constraints, names."""

import json
import warnings
from typing import Any, Callable, Dict, Mapping, Optional, Set

import numpy as np

from ...errors import UnknownLayerError, UnreadableFileError
from ..structure import Layer
from .library import keras
from .own_activations import ACTIVATIONS

# Activations of the same name and the same meaning in Keras 2 and Keras 3.
_SAME = (
    'linear softmax elu selu softplus softsign relu tanh sigmoid exponential silu gelu mish relu6 log_softmax'.split()
)
_NAMES = {'swish': 'silu', 'hard_sigmoid_of_keras_3': 'hard_sigmoid', 'hard_swish': 'hard_silu'}
_NAMES.update({'hard_silu': 'hard_silu', **{name: name for name in _SAME}})

_DISTRIBUTIONS = {'normal': 'truncated_normal'}
# Initializers of Keras 1 by name that Keras 3 has under another one.
_INITIALIZERS = {'normal': 'random_normal', 'uniform': 'random_uniform', 'zero': 'zeros', 'one': 'ones'}
_OF_KERAS_1 = {'maxnorm': 'MaxNorm', 'nonneg': 'NonNeg', 'unitnorm': 'UnitNorm'}


class Names:
    """Names that Keras 3 accepts: `/` becomes `_`, and a name that is taken gets a number."""

    def __init__(self) -> None:
        """No name is taken."""
        self._taken: Set[str] = set()

    def of(self, name: str) -> str:
        """The name for a layer that the file calls `name`."""
        plain = found = name.replace('/', '_') or 'layer'
        number = 1
        while found in self._taken:
            found, number = f'{plain}_{number}', number + 1
        self._taken.add(found)
        return found


def as_json(value: Any) -> Any:
    """The value as plain JSON: arrays and numbers of NumPy as lists and numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return value


def activation(said: Any, layer: Layer, custom_objects: Mapping[str, Any], make: Callable[[Layer], Any]) -> Any:
    """An activation as Keras 3 takes it: a name of its own, a registered function, a layer.

    said: what the configuration says. make: makes a layer that is used as an activation.
    """
    name, config = said, None
    if isinstance(said, dict):
        name, config = said.get('class_name'), said.get('config')
        if isinstance(config, str):
            name, config = config, None
    if name is None:
        return None
    name = str(name)
    if name in custom_objects and config is None:
        return custom_objects[name]
    if config is not None:
        inner = Layer(str(config.get('name') or name.lower()), name, dict(config))
        return make(inner)
    if name in ACTIVATIONS:
        return ACTIVATIONS[name]
    if name not in _NAMES:
        raise UnknownLayerError(
            f'The activation {name[:60]!r} of the layer {layer.name} ({layer.kind}) is none of Keras. Give the '
            f'function: custom_objects={{{name[:60]!r}: function}}.',
            layer.name,
            name,
        )
    return _NAMES[name]


def _class_and_config(said: Any) -> Any:
    if isinstance(said, str):
        return said, {}
    if isinstance(said, dict) and isinstance(said.get('class_name'), str):
        return said['class_name'].split('>')[-1], dict(said.get('config') or {})
    if isinstance(said, dict) and isinstance(said.get('name'), str):  # Keras 1
        config = {key: value for key, value in said.items() if key != 'name'}
        return said['name'], config
    return None, {}


def initializer(said: Any, custom_objects: Mapping[str, Any]) -> Any:
    """An initializer of Keras 3. It counts for new weights alone, so one that Keras 3 does not know becomes None."""
    name, config = _class_and_config(said)
    if name is None:
        return None
    config = {key: value for key, value in config.items() if key not in ('dtype', 'partition_info')}
    if 'distribution' in config:
        config['distribution'] = _DISTRIBUTIONS.get(config['distribution'], config['distribution'])
    return _made(keras.initializers, _INITIALIZERS.get(name, name), config, custom_objects)


def regularizer(said: Any, custom_objects: Mapping[str, Any]) -> Any:
    """A regularizer of Keras 3."""
    name, config = _class_and_config(said)
    if isinstance(said, dict) and set(config) and set(config) <= {'l1', 'l2'} and name not in custom_objects:
        return keras.regularizers.L1L2(*[float(config.get(key) or 0.0) for key in ('l1', 'l2')])
    return None if name is None else _made(keras.regularizers, name, config, custom_objects)


def constraint(said: Any, custom_objects: Mapping[str, Any]) -> Any:
    """A constraint of Keras 3."""
    name, config = _class_and_config(said)
    if name is None:
        return None
    if 'm' in config:
        config['max_value'] = config.pop('m')
    return _made(keras.constraints, _OF_KERAS_1.get(name, name), config, custom_objects)


def _made(space: Any, name: str, config: Dict[str, Any], custom_objects: Mapping[str, Any]) -> Any:
    if name in custom_objects:
        given = custom_objects[name]
        return given.from_config(config) if hasattr(given, 'from_config') else given
    try:
        return space.deserialize({'class_name': name, 'config': config})
    except (TypeError, ValueError, AttributeError):
        # It counts for further training alone.
        warnings.warn(f'Keras 3 has no {name[:60]}, so the new model goes without it.', stacklevel=2)
        return None


def shape(said: Any, layer: Layer) -> Any:
    """The shape of an input with its batch axis."""
    if not isinstance(said, (list, tuple)) or not said:
        raise UnreadableFileError(
            f'The file does not say the shape of the input {layer.name}: the model was saved before it was built. '
            'Build the model in a program, and load the weights of the file into it.'
        )
    return tuple([None if size is None else int(size) for size in said])


def floating(said: Any) -> Optional[str]:
    """The dtype in which a layer computes; None for the default. Keras 1 and 2 have the dtype of inputs there, too."""
    return said if isinstance(said, str) and said in ('float16', 'bfloat16', 'float64') else None


def key_of(value: Any) -> str:
    """A text that is the same for equal configurations."""
    return json.dumps(as_json(value), sort_keys=True, default=str)

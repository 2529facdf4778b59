"""Initializers, regularizers and constraints of a configuration, as objects of a Keras that is installed."""

import re
import warnings
from typing import Any, Dict, List, Mapping, Tuple

from ...errors import UnreadableFileError
from ..structure import Layer

_DISTRIBUTIONS = {'normal': 'truncated_normal'}
# Initializers and constraints of Keras 1 by name that later ones have under another.
_INITIALIZERS = {'normal': 'random_normal', 'uniform': 'random_uniform', 'zero': 'zeros', 'one': 'ones'}
_CONSTRAINTS = {'maxnorm': 'MaxNorm', 'nonneg': 'NonNeg', 'unitnorm': 'UnitNorm'}


class Spellings:
    """What the values of configurations are in a Keras.

    keras: its module. library: its name, for warnings. custom_objects: classes and functions of the user, by name.
    """

    def __init__(self, keras: Any, library: str, custom_objects: Mapping[str, Any]) -> None:
        """Keep the parts."""
        self._keras, self._library, self._custom_objects = keras, library, custom_objects

    def initializer(self, said: Any) -> Any:
        """An initializer. It counts for new weights alone, so one that this Keras does not have becomes None."""
        name, config = class_and_config(said)
        if name is None:
            return None
        config = {key: value for key, value in config.items() if key not in ('dtype', 'partition_info')}
        if 'distribution' in config:
            config['distribution'] = _DISTRIBUTIONS.get(config['distribution'], config['distribution'])
        name = _INITIALIZERS.get(name, name)
        return self._made(self._keras.initializers, [name, snake_case(name)], config)

    def regularizer(self, said: Any) -> Any:
        """A regularizer."""
        name, config = class_and_config(said)
        if isinstance(said, dict) and set(config) and set(config) <= {'l1', 'l2'} and name not in self._custom_objects:
            return self._keras.regularizers.L1L2(*[float(config.get(key) or 0.0) for key in ('l1', 'l2')])
        return None if name is None else self._made(self._keras.regularizers, [name], config)

    def constraint(self, said: Any) -> Any:
        """A constraint."""
        name, config = class_and_config(said)
        if name is None:
            return None
        if 'm' in config:
            config['max_value'] = config.pop('m')
        return self._made(self._keras.constraints, [_CONSTRAINTS.get(name, name)], config)

    def _made(self, space: Any, names: List[str], config: Dict[str, Any]) -> Any:
        """An object of a module of this Keras. names: those that it may have there."""
        if names[0] in self._custom_objects:
            given = self._custom_objects[names[0]]
            return given.from_config(config) if hasattr(given, 'from_config') else given
        for name in names:
            try:
                return space.deserialize({'class_name': name, 'config': config})
            except (TypeError, ValueError, AttributeError):
                pass
        # It counts for further training alone.
        warnings.warn(f'{self._library} has no {names[0][:60]}, so the new model goes without it.', stacklevel=2)
        return None


def class_and_config(said: Any) -> Tuple[Any, Dict[str, Any]]:
    """The name of a class and its configuration, as any Keras writes them; None and {} where there are none."""
    if isinstance(said, str):
        return said, {}
    if isinstance(said, dict) and isinstance(said.get('class_name'), str):
        return said['class_name'].split('>')[-1], dict(said.get('config') or {})
    if isinstance(said, dict) and isinstance(said.get('name'), str):  # Keras 1
        config = {key: value for key, value in said.items() if key != 'name'}
        return said['name'], config
    return None, {}


def snake_case(name: str) -> str:
    """The name of a function for that of a class: mean_squared_error for MeanSquaredError."""
    return re.sub('(?<=[a-z])(?=[A-Z])', '_', name).lower()


def shape(said: Any, layer: Layer) -> Tuple[Any, ...]:
    """The shape of an input with its batch axis. Error: UnreadableFileError, if the file does not say it."""
    if not isinstance(said, (list, tuple)) or not said:
        raise UnreadableFileError(
            f'The file does not say the shape of the input {layer.name}: the model was saved before it was built. '
            'Build the model in a program, and load the weights of the file into it.'
        )
    return tuple([None if size is None else int(size) for size in said])

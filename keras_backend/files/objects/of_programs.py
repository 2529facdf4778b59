"""Configurations for classes of the user: plain data, in which each object is one of Keras or of the user.

A class of the user may hand parts of its configuration to what Keras deserializes with. So no part names a class that
is in no table, and none says the module of its class by itself.
"""

from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Tuple

from ...errors import LayerConfigError
from ..layers.table import LAYERS
from ..layers.use import TABLE as ACTIVATIONS
from . import classes
from .objects import shown, snake_case

_MODELS = ('Sequential', 'Functional', 'Model')
# Layers in which a file has a function, or whose class takes any other.
_REFUSED = ('Lambda', 'TFOpLambda', 'SlicingOpLambda', 'TensorFlowOpLayer')
# The classes of each module of Keras, and the functions.
_SPACES: Dict[str, FrozenSet[str]] = {
    'keras.initializers': frozenset([*classes.INITIALIZERS, *classes.OTHER_NAMES]),
    'keras.regularizers': frozenset(classes.REGULARIZERS),
    'keras.constraints': frozenset(classes.CONSTRAINTS),
    'keras.optimizers.schedules': frozenset(classes.SCHEDULES),
    'keras.optimizers': frozenset(classes.OPTIMIZERS),
    'keras.losses': frozenset(classes.LOSSES),
    'keras.metrics': frozenset(classes.METRICS),
    'keras.layers': frozenset([name for name in LAYERS if name not in _REFUSED and '.' not in name] + ['InputLayer']),
    'keras.models': frozenset(_MODELS),
    'keras': frozenset(['DTypePolicy']),
}
_FUNCTIONS = frozenset([*ACTIVATIONS, *classes.NAMES_OF_LOSSES, *classes.NAMES_OF_METRICS])


def checked_config(
    config: Mapping[str, Any], where: str, custom_objects: Mapping[str, Any], layer: str = ''
) -> Dict[str, Any]:
    """The configuration of an object of the user.

    where: the object in words, for errors. custom_objects: classes and functions of the user, by name. layer: the name
    of the layer that it is.
    Error: LayerConfigError, if there is a class or a function in it that neither Keras nor the user has.
    """

    def refused(key: str, value: Any) -> LayerConfigError:
        return LayerConfigError(
            f'The {where} has {key}={shown(value)}, and neither Keras nor custom_objects has such an object. Give it: '
            'custom_objects={name: object}.',
            layer,
        )

    return {str(key): _checked(value, str(key), custom_objects, refused) for key, value in config.items()}


def _checked(
    value: Any, key: str, custom_objects: Mapping[str, Any], refused: Callable[[str, Any], LayerConfigError]
) -> Any:
    if isinstance(value, (list, tuple)):
        return [_checked(entry, key, custom_objects, refused) for entry in value]
    if not isinstance(value, dict):
        return value
    if 'class_name' not in value:
        return {str(name): _checked(entry, f'{key}.{name}', custom_objects, refused) for name, entry in value.items()}
    name, config = value['class_name'], value.get('config')
    if not isinstance(name, str) or not (config is None or isinstance(config, (str, dict))):
        raise refused(key, value)
    name = name.split('>')[-1]
    if isinstance(config, str):
        return _function(key, value, custom_objects, refused)
    module = _module(name, value, custom_objects)
    if module is None:
        raise refused(key, value)
    inside = {str(one): _checked(part, f'{key}.{one}', custom_objects, refused) for one, part in (config or {}).items()}
    rest = {word: value[word] for word in ('build_config', 'name', 'inbound_nodes') if word in value}
    more = {word: _checked(entry, key, custom_objects, refused) for word, entry in rest.items()}
    if 'module' not in value:
        return {'class_name': name, 'config': inside, **more}
    registered = value.get('registered_name') if name in custom_objects else None
    return {'module': module, 'class_name': name, 'config': inside, 'registered_name': registered, **more}


def _module(name: str, value: Mapping[str, Any], custom_objects: Mapping[str, Any]) -> Any:
    """The module of a class, as this process has it; None for a class that is not known."""
    if name in custom_objects:
        return str(getattr(custom_objects[name], '__module__', ''))
    module = value.get('module')
    spaces: List[Tuple[str, FrozenSet[str]]] = list(_SPACES.items())
    # CategoricalCrossentropy is a loss and a metric.
    spaces.sort(key=lambda space: space[0] != module)
    matches = [space for space, names in spaces if name in names or name in map(snake_case, names)]
    return matches[0] if matches else None


def _function(
    key: str, value: Dict[str, Any], custom_objects: Mapping[str, Any], refused: Callable[[str, Any], LayerConfigError]
) -> Any:
    """A function by its name: that of an activation, a loss or a metric, or of the user."""
    name = value['config']
    if name not in custom_objects and name not in _FUNCTIONS:
        raise refused(key, value)
    plain = {'class_name': 'function', 'config': name}
    return {'module': 'builtins', **plain, 'registered_name': 'function'} if 'module' in value else plain

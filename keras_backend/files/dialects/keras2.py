"""Layers of Keras 2, tf.keras and Keras 3, in the words of Keras 2.3.1."""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ...basics.tables import beside
from ...errors import UnreadableFileError

# -- values ------------------------------------------------------------------------------------------------------------
# Values in configurations, some of which stand for others: tuples, shapes, arrays, dtypes.

# Keras writes {'class_name': ..., this key: the value}.
_VALUE_OF = {
    '__tuple__': 'items',
    'TensorShape': 'items',
    '__numpy__': 'value',
    'DType': 'config',
    'ListWrapper': 'items',
}
_DTYPE_POLICIES = ('DTypePolicy', 'Policy', 'PolicyV1', 'FloatDTypePolicy')


def plain(value: Any) -> Any:
    """The value without the wrappers that Keras puts around what JSON does not have."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get('class_name')
    if isinstance(kind, str) and _VALUE_OF.get(kind) in value:
        return plain(value[_VALUE_OF[kind]])
    if kind in _DTYPE_POLICIES and isinstance(value.get('config'), dict):
        return computed(str(value['config'].get('name')))
    if value.get('type') == 'ndarray' and 'value' in value:
        return np.asarray(value['value'])
    if kind == '__tensor__' and isinstance(value.get('config'), dict):
        return np.asarray(value['config'].get('value'))
    return {key: plain(item) for key, item in value.items()}


def computed(dtype: str) -> str:
    """The dtype in which a policy computes. Mixed policies compute in float32 here, which is more exact."""
    return 'float32' if dtype.startswith('mixed_') or dtype == 'infer' else dtype


def is_entry(value: Any) -> bool:
    """Whether this is a layer of a configuration: a class and its configuration."""
    return isinstance(value, dict) and isinstance(value.get('class_name'), str) and 'config' in value


# Classes under the names that TensorFlow gave them at times.
SAME: Dict[str, str] = beside(__file__, 'names.json')['other names of tf.keras']


def spelling(kind: str, config: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The class and the configuration of a layer of Keras 2 or tf.keras."""
    kind = SAME.get(kind, kind)
    if kind == 'Lambda':
        return kind, function_layer(config)
    options = {key: plain(value) for key, value in config.items() if key not in ('layer', 'cell', 'backward_layer')}
    options.update({key: config[key] for key in ('layer', 'cell', 'backward_layer') if key in config})
    if 'batch_shape' in options:
        options['batch_input_shape'] = options.pop('batch_shape')
    if kind == 'BatchNormalization' and isinstance(options.get('axis'), list) and len(options['axis']) == 1:
        options['axis'] = options['axis'][0]
    return kind, options


def spelling_of_tf_keras(kind: str, config: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The class and the configuration of a layer of tf.keras.

    tf.keras reads images from the centres of pixels since TensorFlow 1.15. Up to 1.14 it did not, and did not write the
    interpolation either (measured with 1.13.2, 1.14.0, 1.15.5, 2.0.4, 2.1.4, 2.2.3, 2.10.1 and 2.15.0).
    """
    kind, options = spelling(kind, config)
    if kind == 'UpSampling2D' and options.get('interpolation') == 'bilinear':
        options['interpolation'] = 'bilinear_at_centres'
    return kind, options


def function_layer(config: Dict[str, Any]) -> Dict[str, Any]:
    """The configuration of a Lambda, in which each function is {'code', 'defaults', 'closure'} or {'name'}."""
    options = {key: plain(value) for key, value in config.items() if key not in ('function', 'mask', 'output_shape')}
    options['function'] = stored_function(config.get('function'))
    options['mask'] = stored_function(config['mask']) if config.get('mask') is not None else None
    shape = config.get('output_shape')
    if config.get('output_shape_type') in ('lambda', 'function') or (isinstance(shape, dict) and is_entry(shape)):
        options['output_shape'] = stored_function(shape)
    else:
        options['output_shape'] = plain(shape)
    options['arguments'] = options.get('arguments') or {}
    return options


def stored_function(value: Any) -> Dict[str, Any]:
    """A function of a configuration: [code, defaults, closure] or a name, and since Keras 3 a dict of either."""
    if isinstance(value, dict) and value.get('class_name') == '__tuple__':
        value = value.get('items')
    if isinstance(value, dict) and value.get('class_name') == '__lambda__':
        inside = value.get('config') or {}
        return _code(inside.get('code', inside.get('value')), inside.get('defaults'), inside.get('closure'))
    if isinstance(value, dict) and isinstance(value.get('config'), str):
        return {'name': value['config'], 'module': value.get('module') or ''}
    if isinstance(value, (list, tuple)) and value:
        return _code(*[*value, None, None][:3])
    if isinstance(value, str):
        return {'name': value, 'module': ''}
    raise UnreadableFileError(f'A Lambda layer has {str(value)[:60]!r} in the place of its function.')


def _code(code: Any, defaults: Optional[List[Any]], closure: Optional[List[Any]]) -> Dict[str, Any]:
    if not isinstance(code, str):
        raise UnreadableFileError(f'A Lambda layer has {str(code)[:60]!r} in the place of its code.')
    arguments = {'defaults': plain(defaults), 'closure': plain(closure)}
    for name, value in arguments.items():
        if value is not None and not isinstance(value, list):
            raise UnreadableFileError(f'A Lambda layer has {str(value)[:60]!r} in the place of its {name}.')
    return {'code': code, **arguments}


# -- Keras 3 -----------------------------------------------------------------------------------------------------------
# Layers of Keras 3, in the words of Keras 2.3.1.

# The names of arguments that changed.
_RENAMED = {'LeakyReLU': {'negative_slope': 'alpha'}}
# Activations whose formula changed. `files.layers.use` has both.
_OTHER_FORMULA = {'hard_sigmoid': 'hard_sigmoid_of_keras_3'}


def spelling_of_keras_3(kind: str, config: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The class and the configuration of a layer of Keras 3."""
    kind, options = spelling_of_tf_keras(kind, config)
    for old, new in _RENAMED.get(kind, {}).items():
        if old in options:
            options[new] = options.pop(old)
    for key in ('activation', 'recurrent_activation'):
        if key in options:
            options[key] = _activation(options[key])
    return kind, options


def _activation(said: Any) -> Any:
    """An activation: a name, {'class_name': 'function', 'config': name}, or a layer that may have one itself."""
    if isinstance(said, str):
        return _OTHER_FORMULA.get(said, said)
    if not isinstance(said, dict):
        return said
    config = said.get('config')
    if isinstance(config, dict) and 'activation' in config:
        return {**said, 'config': {**config, 'activation': _activation(config['activation'])}}
    return {**said, 'config': _activation(config)} if isinstance(config, str) else said

"""Layers of Keras 3, in the words of Keras 2.3.1."""

from typing import Any, Dict, Tuple

from . import keras2

# The names of arguments that changed.
_RENAMED = {'LeakyReLU': {'negative_slope': 'alpha'}}
# Activations whose formula changed. `files.layers.activations` has both.
_OTHER_FORMULA = {'hard_sigmoid': 'hard_sigmoid_of_keras_3'}


def spelling(kind: str, config: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The class and the configuration of a layer of Keras 3."""
    kind, options = keras2.spelling_of_tf_keras(kind, config)
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

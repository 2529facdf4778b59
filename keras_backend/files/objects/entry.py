"""An object in a configuration: the name of its class, and its own configuration, as any Keras writes them."""

import re
from typing import Any, Dict, Tuple

from .kinds import WrongValue, shown


def class_and_config(said: Any) -> Tuple[Any, Dict[str, Any]]:
    """The name of a class or function and its configuration. None and {}, if there is no object.

    Error: WrongValue, if this is nothing that Keras writes in the place of an object.
    """
    if said is None:
        return None, {}
    if isinstance(said, str):
        return said.split('>')[-1], {}
    if isinstance(said, dict):
        name, config = said.get('class_name'), said.get('config')
        if isinstance(name, str) and isinstance(config, str):  # a function
            return config.split('>')[-1], {}
        if isinstance(name, str) and (config is None or isinstance(config, dict)):
            return name.split('>')[-1], dict(config or {})
        if name is None and isinstance(said.get('name'), str):  # Keras 1
            return said['name'], {key: value for key, value in said.items() if key != 'name'}
    raise WrongValue(f'{shown(said)}, which is no object of Keras')


def snake_case(name: str) -> str:
    """The name of a function for that of a class: mean_squared_error for MeanSquaredError."""
    return re.sub('(?<=[a-z])(?=[A-Z])', '_', name).lower()

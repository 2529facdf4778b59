"""Objects in configurations: the name of a class of a table, called with plain values that the table allows."""

import inspect
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .kinds import Kind, WrongValue, checked, shown

# -- entries -----------------------------------------------------------------------------------------------------------
# An object in a configuration: the name of its class, and its own configuration, as any Keras writes them.


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


class Argument(NamedTuple):
    """An argument of a class. kind: what its value is. without_effect: values that are dropped where a Keras has no
    such argument, because they change nothing.
    """

    kind: Kind
    without_effect: Tuple[Any, ...] = (None,)


Arguments = Mapping[str, Argument]
Table = Mapping[str, Arguments]


def takes(kind: Any) -> List[str]:
    """The names of the arguments of a class, with those that it hands on to its bases; or those of a function."""
    if not inspect.isclass(kind):
        return list(inspect.signature(kind).parameters)
    names: List[str] = []
    for base in kind.__mro__:
        if '__init__' not in vars(base) or base is object:
            continue
        names += own_arguments(base)
        parameters = inspect.signature(vars(base)['__init__']).parameters.values()
        if not any([parameter.kind == parameter.VAR_KEYWORD for parameter in parameters]):
            break
    return names


def own_arguments(kind: Any) -> List[str]:
    """The names of the arguments of a class, without those that it only hands on."""
    parameters = inspect.signature(kind.__init__).parameters.values()
    return [one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)][1:]


def name_in_table(name: str, table: Table) -> Optional[str]:
    """The class of a table for a name of a file: that of the class, or of its function. None, if there is none."""
    if name in table:
        return name
    return next((known for known in table if name in (snake_case(known), known.lower())), None)


def found(space: Any, names: List[str]) -> Optional[Any]:
    """The first class or function of these names in a module. names: those of a table, none of a file."""
    for name in names:
        if callable(getattr(space, name, None)):
            return getattr(space, name)
    return None


def values(arguments: Arguments, config: Mapping[str, Any], accepted: List[str], of: str) -> Dict[str, Any]:
    """The arguments for a class.

    arguments: those of the table. config: the configuration of the file. accepted: the names that the class of the
    installed Keras takes. of: the object, for errors. Error: WrongValue.
    """
    keywords = {}
    for key, value in config.items():
        argument = arguments.get(key)
        if argument is None:
            raise WrongValue(f'{of} with {shown(key)[1:-1]}={shown(value)}, an argument that it does not have')
        try:
            plain = checked(argument.kind, value, key)
        except WrongValue as error:
            raise WrongValue(f'{of} with {error}') from None
        if key in accepted:
            keywords[key] = plain
        elif not any([plain is inert or (inert is not None and plain == inert) for inert in argument.without_effect]):
            raise WrongValue(f'{of} with {key}={shown(plain)}')
    return keywords

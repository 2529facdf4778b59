"""An object of a Keras, made of a name and of plain values: a class of a table, called with what the table allows."""

import inspect
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .entry import snake_case
from .kinds import Kind, WrongValue, checked, shown


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
        if not any([one.kind == one.VAR_KEYWORD for one in parameters]):
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
    return next((one for one in table if name in (snake_case(one), one.lower())), None)


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
    given = {}
    for key, value in config.items():
        argument = arguments.get(key)
        if argument is None:
            raise WrongValue(f'{of} with {shown(key)[1:-1]}={shown(value)}, an argument that it does not have')
        try:
            plain = checked(argument.kind, value, key)
        except WrongValue as error:
            raise WrongValue(f'{of} with {error}') from None
        if key in accepted:
            given[key] = plain
        elif not any([plain is one or (one is not None and plain == one) for one in argument.without_effect]):
            raise WrongValue(f'{of} with {key}={shown(plain)}')
    return given

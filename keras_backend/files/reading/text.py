"""Configurations as text, JSON or YAML, read into plain data: dicts, lists, text, numbers."""

import json
import re
from importlib import import_module
from typing import Any, Iterator

from ...basics.installed import requirement
from ...errors import UnreadableFileError
from .limits import Budget

# Models lie in models, and take three levels each.
DEEPEST = 250
# Python takes the square of the length of a number. No float has more digits.
MOST_DIGITS = 309
# Classes around plain data, in the YAML of tf.keras 1.13 to 2.4: a list, a shape, and a size in it.
_WRAPPERS = re.compile(r'tensorflow\.python\.[\w.]+\.(ListWrapper|TensorShape|Dimension)')


def from_json(text: str, budget: Budget) -> Any:
    """The data of a JSON text. Its entries are counted before they are made.

    Errors: UnreadableFileError, ExcessiveFileError.
    """
    budget.spend('texts', len(text))
    # Commas and brackets in strings count, too, which are few. A dict takes four times what a number takes.
    budget.spend('entries', text.count(',') + 2 * text.count('[') + 4 * text.count('{'))
    try:
        config = json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError) as error:  # no JSON; brackets without end
        raise UnreadableFileError(f'The configuration in {budget.path} is no JSON: {error}') from None
    _check_depth(config, budget)
    return config


def from_json_in_json(text: str, budget: Budget) -> Any:
    """The data of a JSON text that is written as a text of JSON. Errors: as of `from_json`."""
    inside = from_json(text, budget)
    if not isinstance(inside, str) or inside.lstrip()[:1] not in ('{', '['):
        raise UnreadableFileError(f'{budget.path} is a text of JSON, and no configuration is in it.')
    return from_json(inside, budget)


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f'it has a number of {len(digits)} digits')
    return int(digits)


def _check_depth(value: Any, budget: Budget) -> None:
    """Refuse what is nested deeper than the functions that walk through it may call each other."""
    level = [value]
    for _ in range(DEEPEST):
        level = [item for entry in level if isinstance(entry, (dict, list)) for item in _items(entry)]
        if not level:
            return
    raise UnreadableFileError(f'The configuration in {budget.path} is nested more than {DEEPEST} deep.')


def _items(entry: Any) -> Iterator[Any]:
    return iter(entry.values() if isinstance(entry, dict) else entry)


def from_yaml(text: str, budget: Budget) -> Any:
    """The data of a YAML text. Of the objects of Python, tuples, text and lists of tf.keras are read, and no others.

    Errors: ImportError, if PyYAML is not installed. UnreadableFileError, ExcessiveFileError.
    """
    try:
        yaml = import_module('yaml')
    except ImportError as error:
        raise ImportError(
            f'Configurations in YAML need PyYAML; type: pip install "{requirement("files")}". ({error})'
        ) from error
    budget.spend('texts', len(text))
    # Each entry needs one of these, and takes a kilobyte until it is a value.
    budget.spend('entries', 12 * sum([text.count(sign) for sign in '\n,:-?[{']))
    try:
        config = yaml.load(text, _loader(yaml))
        return _unfolded(config, budget)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a value that is none; lists in lists without end
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f'The configuration in {budget.path} is no YAML of plain data: {error}') from None


def _loader(yaml: Any) -> Any:
    """The class of a loader of plain data and the two tags that Keras writes. The loader in C is faster by far."""

    class Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):  # type: ignore[misc]
        def flatten_mapping(self, node: Any) -> None:
            if any([key.tag == 'tag:yaml.org,2002:merge' for key, _ in node.value]):
                raise ValueError('it merges mappings, which Keras never writes')
            super().flatten_mapping(node)

        def construct_number(self, node: Any) -> Any:
            if len(node.value) > MOST_DIGITS:
                raise ValueError(f'it has a number of {len(node.value)} digits')
            whole = node.tag.endswith(('int', 'long'))
            return self.construct_yaml_int(node) if whole else self.construct_yaml_float(node)

        def construct_wrapped(self, suffix: str, node: Any) -> Any:
            """The list, the shape or the size that tf.keras wrote as an object around it. No object is made."""
            if not _WRAPPERS.fullmatch(suffix) or not isinstance(node, yaml.SequenceNode) or len(node.value) != 1:
                raise ValueError(f'it has the tag {suffix[:60]}, which is not read')
            return self.construct_object(node.value[0], deep=True)

    Loader.add_multi_constructor('tag:yaml.org,2002:python/object/apply:', Loader.construct_wrapped)
    Loader.add_constructor('tag:yaml.org,2002:python/tuple', Loader.construct_yaml_seq)
    for tag in ('unicode', 'str'):
        Loader.add_constructor(f'tag:yaml.org,2002:python/{tag}', Loader.construct_yaml_str)
    for tag in ('int', 'float', 'python/long'):
        Loader.add_constructor(f'tag:yaml.org,2002:{tag}', Loader.construct_number)
    return Loader


def _unfolded(value: Any, budget: Budget, depth: int = 0) -> Any:
    """A copy in which nothing is shared, so that no walk through it takes longer than its length says."""
    if depth > DEEPEST:
        raise ValueError(f'it is nested more than {DEEPEST} deep')
    if isinstance(value, dict):
        budget.spend('entries', 4 + len(value))
        return {key: _unfolded(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        budget.spend('entries', 2 + len(value))
        return [_unfolded(item, budget, depth + 1) for item in value]
    return value

"""Configurations as text, JSON or YAML, read into plain data: dicts, lists, text, numbers."""

import json
from importlib import import_module
from typing import Any

from ...errors import UnreadableFileError
from ...installed import requirement

# A configuration has some dozens of entries for a layer. YAML can say an entry once and mean it a billion times.
MOST_ENTRIES = 2000000


def from_json(text: str, path: str) -> Any:
    """The data of a JSON text. path: for errors."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f'The configuration in {path} is no JSON: {error}') from error


def from_yaml(text: str, path: str) -> Any:
    """The data of a YAML text. Of the objects of Python, tuples and text are read, and no others.

    Errors: ImportError, if PyYAML is not installed. UnreadableFileError.
    """
    try:
        yaml = import_module('yaml')
    except ImportError as error:
        raise ImportError(
            f'Configurations in YAML need PyYAML; type: pip install "{requirement("files")}". ({error})'
        ) from error

    class Loader(yaml.SafeLoader):  # type: ignore[name-defined]
        """Plain data, and the two tags that Keras writes."""

    Loader.add_constructor('tag:yaml.org,2002:python/tuple', Loader.construct_yaml_seq)
    for tag in ('unicode', 'str'):
        Loader.add_constructor(f'tag:yaml.org,2002:python/{tag}', Loader.construct_yaml_str)
    Loader.add_constructor('tag:yaml.org,2002:python/long', Loader.construct_yaml_int)
    try:
        found = yaml.load(text, Loader)
        return _unfolded(found, [MOST_ENTRIES])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableFileError(f'The configuration in {path} is no YAML of plain data: {error}') from error


def _unfolded(value: Any, left: Any) -> Any:
    """A copy in which nothing is shared, so that no walk through it takes longer than its length says."""
    left[0] -= 1
    if left[0] < 0:
        raise ValueError(f'it has more than {MOST_ENTRIES} entries')
    if isinstance(value, dict):
        return {key: _unfolded(item, left) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_unfolded(item, left) for item in value]
    return value

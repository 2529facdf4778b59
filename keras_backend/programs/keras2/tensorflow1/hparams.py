"""`tf.contrib.training.HParams`: named numbers of a program, read from text."""

import json
import re
from typing import Any, Dict, List, Optional


class HParams:
    """Named values, which are attributes. A value keeps the type that it has at first.

    Args:
        hparam_def: Not given back.
        model_structure: Not given back.
        **kwargs: The values: numbers, words, booleans, and lists of them.

    Raises:
        NotImplementedError: The first or the second argument is given.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None or model_structure is not None:
            raise NotImplementedError(
                'HParams(hparam_def, model_structure) is gone with TensorFlow 1; give values by name.'
            )
        self._kinds: Dict[str, Any] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a value.

        Raises:
            ValueError: The name is taken, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f'HParams: the name {name!r} is reserved; take another name, or use set_hparam.')
        several = isinstance(value, (list, tuple))
        if several and not value:
            raise ValueError(f'HParams: the list {name!r} may not be empty; give one element, which says the type.')
        self._kinds[name] = (type(value[0] if several else value), several)
        setattr(self, name, list(value) if several else value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Change a value.

        Raises:
            KeyError: There is no such name.
            ValueError: The value is of another type, or a list in the place of a number.
        """
        kind, several = self._kinds[name]
        if several != isinstance(value, list):
            words = 'needs a list' if several else 'cannot be a list'
            raise ValueError(f'HParams: {name} {words}, and it was given {value!r}.')
        cast = [_cast(name, kind, each) for each in value] if several else _cast(name, kind, value)
        setattr(self, name, cast)

    def del_hparam(self, name: str) -> None:
        """Take a value away."""
        if name in self._kinds:
            delattr(self, name)
            del self._kinds[name]

    def parse(self, values: str) -> 'HParams':
        """Change values by text such as `'rate=0.1,sizes=[8,16],name=sgd'`.

        Raises:
            ValueError: The text cannot be read, there is no such name, or the value is of another type.
        """
        place = 0
        pattern = re.compile(r'\s*(\w+)\s*=\s*(?:\[([^\]]*)\]|([^,\[]*))\s*(?:,|$)')
        while place < len(values):
            found = pattern.match(values, place)
            if not found:
                raise ValueError(
                    f'HParams.parse: cannot read {values[place:]!r}; write name=value, or name=[value,value].'
                )
            self._read(found)
            place = found.end()
        return self

    def _read(self, found: Any) -> None:
        name, several, one = found.groups()
        if name not in self._kinds:
            raise ValueError(f'HParams.parse: there is no {name!r}; the names are {", ".join(sorted(self._kinds))}.')
        kind = self._kinds[name][0]
        if several is None:
            self.set_hparam(name, _from_text(name, kind, one))
        else:
            words = [word for word in several.split(',') if word.strip()]
            self.set_hparam(name, [_from_text(name, kind, word) for word in words])

    def override_from_dict(self, values_dict: Dict[str, Any]) -> 'HParams':
        """Change values."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> 'HParams':
        """Change values by JSON."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> Dict[str, Any]:
        """A dict of all values."""
        return {name: getattr(self, name) for name in self._kinds}

    def get(self, key: str, default: Any = None) -> Any:
        """A value, or the default if there is none of this name."""
        return getattr(self, key) if key in self._kinds else default

    def to_json(self, indent: Optional[int] = None, separators: Any = None, sort_keys: bool = False) -> str:
        """All values as JSON. The arguments are those of `json.dumps`."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def __contains__(self, key: str) -> bool:
        return key in self._kinds

    def __str__(self) -> str:
        return ','.join(f'{name}={value}' for name, value in self.values().items())

    def __repr__(self) -> str:
        return f'HParams({sorted(self.values().items())})'


def _cast(name: str, kind: type, value: Any) -> Any:
    """A value of the type; an integer may stand for a float."""
    if value is None or kind is type(None) or (isinstance(value, kind) and isinstance(value, bool) == (kind is bool)):
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError(f'HParams: {name} is of the type {kind.__name__}, so it cannot be {value!r}.')


def _from_text(name: str, kind: type, text: str) -> Any:
    word = text.strip()
    try:
        if kind is bool:
            known: List[str] = ['false', 'true', '0', '1']
            return bool(known.index(word.lower()) % 2)
        return word if kind in (str, type(None)) else kind(word)
    except ValueError:
        raise ValueError(f'HParams.parse: {name} is of the type {kind.__name__}, so it cannot be {word!r}.') from None

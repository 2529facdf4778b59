"""Messages of protocol buffers, read field by field.

Source: https://protobuf.dev/programming-guides/encoding/. The bytes 08 96 01 are field 1 with the number 150.
"""

from typing import Dict, Iterator, List, Tuple, Union

from ...errors import UnreadableFileError
from .budget import Budget

Field = Union[int, bytes]


def varint(data: bytes, place: int) -> Tuple[int, int]:
    """The number at a place, seven bits a byte, and the place behind it."""
    number = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise UnreadableFileError('A message of protocol buffers ends inside a number.')
        byte = data[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place


def _fields(data: bytes) -> Iterator[Tuple[int, Field]]:
    place = 0
    while place < len(data):
        key, place = varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = varint(data, place)
            yield number, value
            continue
        if kind == 2:
            length, place = varint(data, place)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise UnreadableFileError(f'A message of protocol buffers has a field of the kind {kind}.')
        if place + length > len(data):
            raise UnreadableFileError('A message of protocol buffers ends inside a field.')
        yield number, data[place : place + length]
        place += length


class Message:
    """The fields of a message by number."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        """Read the fields. The messages in them stay bytes."""
        self._budget = budget
        self._fields: Dict[int, List[Field]] = {}
        # A message takes some 400 bytes in memory, and a field 60.
        budget.spend('entries', 4)
        for number, value in _fields(data):
            budget.spend('entries', 1)
            self._fields.setdefault(number, []).append(value)

    def number(self, field: int, default: int = 0) -> int:
        """The last value of a field with a number."""
        value = self._fields.get(field, [default])[-1]
        return value if isinstance(value, int) else int.from_bytes(value, 'little')

    def content(self, field: int) -> bytes:
        """The last value of a field with bytes."""
        value = self._fields.get(field, [b''])[-1]
        return value if isinstance(value, bytes) else b''

    def text(self, field: int) -> str:
        """The last value of a field with text."""
        return self.content(field).decode('utf-8', 'replace')

    def message(self, field: int) -> 'Message':
        """The last message of a field."""
        return Message(self.content(field), self._budget)

    def messages(self, field: int) -> List['Message']:
        """All messages of a field."""
        return [Message(value, self._budget) for value in self._fields.get(field, []) if isinstance(value, bytes)]

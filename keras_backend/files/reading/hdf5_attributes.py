"""Attributes of an HDF5 file, judged before they are read.

A list of texts is stored as references to texts, and all of them may be references to one long text. HDF5 copies that
text for each. So the references in the file are counted with their lengths, where they could be too many.
"""

import functools
import mmap
import operator
import struct
from typing import Any, Iterator, Optional

import numpy as np

from ...errors import UnreadableFileError
from .budget import Budget

# A collection of texts: this word, the version, three bytes, and its length. A reference to a text is its length, the
# place of its collection, and its number there.
_COLLECTION = b'GCOL'


class Attributes:
    """The attributes of one file. path: its place, None for a file in memory, whose lists of texts are not read."""

    def __init__(self, h5py: Any, path: Optional[str], budget: Budget) -> None:
        """Nothing is read before an attribute is asked for."""
        self._h5py, self._path, self._budget = h5py, path, budget
        self._referred: Optional[int] = None

    def read(self, attributes: Any, name: str) -> Any:
        """The value of an attribute, None where there is none. Errors: UnreadableFileError, ExcessiveFileError."""
        if name not in attributes:
            return None
        about = attributes.get_id(name)
        count = functools.reduce(operator.mul, about.shape or (), 1)
        said = f'the attribute {name}'
        self._budget.spend('entries', count, said)
        self._budget.spend('bytes', count * about.dtype.itemsize, said)
        if about.dtype.kind == 'O':
            self._check_texts(about, count, said)
        value = attributes[name]
        if about.dtype.kind == 'O':
            self._budget.spend('bytes', sum(map(len, np.ravel(value))), said)
        return value

    def _check_texts(self, about: Any, count: int, said: str) -> None:
        if self._h5py.check_string_dtype(about.dtype) is None:
            raise UnreadableFileError(f'{said} of {self._budget.path} is no text and no number.')
        if count * self._budget.size <= self._budget.left('bytes'):
            return
        if self._referred is None:
            self._referred = self._all_references()
        if self._referred > self._budget.left('bytes'):
            self._budget.spend('bytes', self._referred, said)

    def _all_references(self) -> int:
        """The lengths of the texts that all references in the file name, together. No attribute is longer."""
        if self._path is None:
            return 2**62
        with open(self._path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return sum([_references(content, place) for place in _places(content, _COLLECTION)])


def _references(content: Any, collection: int) -> int:
    """The lengths of the texts of one collection that references name, together."""
    if collection + 16 > len(content):
        return 0
    longest = struct.unpack('<Q', content[collection + 8 : collection + 16])[0]
    found = 0
    for place in _places(content, struct.pack('<Q', collection)):
        if place >= 4:
            length = struct.unpack('<I', content[place - 4 : place])[0]
            found += length if length <= longest else 0
    return found


def _places(content: Any, word: bytes) -> Iterator[int]:
    place = content.find(word)
    while place >= 0:
        yield place
        place = content.find(word, place + 1)

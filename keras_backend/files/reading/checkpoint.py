"""Checkpoints of TensorFlow 2: a table of entries, and the arrays that they point at.

Sources: https://github.com/google/leveldb/blob/main/doc/table_format.md for the table PREFIX.index, and TensorFlow's
tensor_bundle.proto for its entries. A table is blocks of keys and values, an index of the blocks, and a footer. A key
says how many letters it has in common with the key before it: after `layer/bias` the key (6, `kernel`) is
`layer/kernel`.
"""

import functools
import operator
import os
import struct
from typing import Dict, Iterator, Tuple

import numpy as np

from ...errors import UnreadableFileError
from .budget import Budget
from .protocol_buffers import Message, varint
from .regular_files import content, opened, part

_FOOTER = 48
_MAGIC = 0xDB4775248B80FB57
_TRAILER = 5
_UNCOMPRESSED = 0
# The numbers of TensorFlow's types.proto.
_DTYPES = {
    1: '<f4', 2: '<f8', 3: '<i4', 4: 'u1', 5: '<i2', 6: 'i1', 9: '<i8', 10: '?', 17: '<u2', 19: '<f2', 22: '<u4',
    23: '<u8',
}  # fmt: skip
_STRING = 7
# Of arrays of NumPy 1.
MOST_AXES = 32


class Checkpoint:
    """The entries of a checkpoint, by key.

    prefix: the path in its folder, without `.index` and `.data-00000-of-00001`.
    """

    def __init__(self, folder: str, prefix: str, budget: Budget) -> None:
        """Read the table. folder: the files of the checkpoint lie in it. Errors: UnreadableFileError, OSError."""
        self._folder, self._prefix, self._budget = folder, prefix, budget
        path = part(folder, f'{prefix}.index')
        entries = dict(_table(content(path, budget), path, budget))
        self._shards = Message(entries.pop(b'', b''), budget).number(1)
        self.entries = {key.decode('utf-8', 'replace'): Message(value, budget) for key, value in entries.items()}

    def text(self, key: str) -> bytes:
        """The bytes of an entry with one string."""
        entry, data = self._data(key)
        if entry.number(1) != _STRING:
            raise UnreadableFileError(f'{key} in {self._prefix} is no text.')
        length, place = varint(data, 0)
        # The checksum of the lengths lies between them and the string.
        return data[place + 4 : place + 4 + length]

    def array(self, key: str) -> np.ndarray:
        """The array of an entry."""
        entry, data = self._data(key)
        shape = tuple([dimension.number(1) for dimension in entry.message(2).messages(2)])
        dtype = np.dtype(_DTYPES.get(entry.number(1), 'V1'))
        if (
            dtype.kind == 'V'
            or len(shape) > MOST_AXES
            or functools.reduce(operator.mul, shape, dtype.itemsize) != len(data)
        ):
            raise UnreadableFileError(f'{key} in {self._prefix} is no array of a dtype that Keras saves.')
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def _data(self, key: str) -> Tuple[Message, bytes]:
        if key not in self.entries:
            raise UnreadableFileError(f'The checkpoint {self._prefix} has no {key}.')
        entry = self.entries[key]
        path = part(self._folder, f'{self._prefix}.data-{entry.number(3):05d}-of-{self._shards:05d}')
        start, length = entry.number(4), entry.number(5)
        self._budget.spend('bytes', length, key)
        self._budget.spend('chunks', 1, key)
        with opened(path) as file:
            if start + length > os.fstat(file.fileno()).st_size:
                raise UnreadableFileError(f'{key} lies behind the end of {path}.')
            file.seek(start)
            return entry, file.read(length)


def _table(data: bytes, path: str, budget: Budget) -> Iterator[Tuple[bytes, bytes]]:
    if len(data) < _FOOTER or struct.unpack('<Q', data[-8:])[0] != _MAGIC:
        raise UnreadableFileError(f'{path} is no table of a checkpoint.')
    _start, place = varint(data, len(data) - _FOOTER)  # of the index of filters, which has none
    _length, place = varint(data, place)
    start, place = varint(data, place)
    length, _place = varint(data, place)
    left = len(data)
    for _key, handle in _block(data, start, length, path, budget):
        start, place = varint(handle, 0)
        length, _place = varint(handle, place)
        left -= length
        if left < 0:
            raise UnreadableFileError(f'The index of {path} names blocks more than once.')
        yield from _block(data, start, length, path, budget)


def _block(data: bytes, start: int, length: int, path: str, budget: Budget) -> Iterator[Tuple[bytes, bytes]]:
    block = data[start : start + length]
    if len(data) < start + length + _TRAILER or length < 4 or data[start + length] != _UNCOMPRESSED:
        raise UnreadableFileError(f'A block of {path} is compressed or cut off.')
    end = length - 4 * (struct.unpack('<I', block[-4:])[0] + 1)
    key, place = b'', 0
    while place < end:
        shared, place = varint(block, place)
        rest, place = varint(block, place)
        size, place = varint(block, place)
        if place + rest + size > end or shared > len(key):
            raise UnreadableFileError(f'An entry of {path} is cut off.')
        # A few letters can stand for a long key, if they share the rest with the key before.
        budget.spend('bytes', shared + rest + size, os.path.basename(path))
        budget.spend('entries', 2, os.path.basename(path))
        key = key[:shared] + block[place : place + rest]
        yield key, block[place + rest : place + rest + size]
        place += rest + size


def objects(graph: bytes, budget: Budget) -> Tuple[Dict[int, Dict[str, int]], Dict[int, str]]:
    """The objects of a checkpoint: number -> name of a part -> its number; number -> key of its array, if it has one.

    Source: trackable_object_graph.proto.
    """
    nodes = list(enumerate(Message(graph, budget).messages(1)))
    parts = {number: {child.text(2): child.number(1) for child in node.messages(1)} for number, node in nodes}
    arrays = {number: [value.text(3) for value in node.messages(2)] for number, node in nodes}
    return parts, {number: keys[0] for number, keys in arrays.items() if keys}

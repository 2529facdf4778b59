"""SavedModels of tf.keras: messages of protocol buffers, checkpoints of TensorFlow 2, and the model in them.

The functions in it are not read. Sources: TensorFlow's saved_metadata.proto, saved_model.proto and
saved_object_graph.proto.
"""

import functools
import operator
import os
import re
import struct
from typing import Any, Dict, Iterator, List, Tuple, Union

import numpy as np

from ...errors import UnreadableFileError
from ..layers.parameters import own_names, with_inner
from ..structure import Layer, Model, Weight
from .limits import Budget, content, from_json, opened, part, stored_size

# -- protocol buffers --------------------------------------------------------------------------------------------------
# Messages of protocol buffers, read field by field.
#
# Source: https://protobuf.dev/programming-guides/encoding/. The bytes 08 96 01 are field 1 with the number 150.


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
    offset = 0
    while offset < len(data):
        key, offset = varint(data, offset)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, offset = varint(data, offset)
            yield number, value
            continue
        if kind == 2:
            length, offset = varint(data, offset)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise UnreadableFileError(f'A message of protocol buffers has a field of the kind {kind}.')
        if offset + length > len(data):
            raise UnreadableFileError('A message of protocol buffers ends inside a field.')
        yield number, data[offset : offset + length]
        offset += length


class Message:
    """The fields of a message by number."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        """Read the fields. The messages in them stay bytes."""
        self.budget = budget
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
        return self.inside(self.content(field))

    def messages(self, field: int) -> List['Message']:
        """All messages of a field."""
        return [self.inside(content) for content in self.contents(field)]

    def inside(self, content: bytes) -> 'Message':
        """The message in the bytes of a field."""
        return Message(content, self.budget)

    def contents(self, field: int) -> List[bytes]:
        """All bytes of a field."""
        return [value for value in self._fields.get(field, []) if isinstance(value, bytes)]

    def integers(self, field: int) -> List[int]:
        """All numbers of a field with signs. They are written one by one, or as the bytes of all."""
        numbers: List[int] = []
        for value in self._fields.get(field, []):
            if isinstance(value, int):
                numbers.append(value)
                continue
            self.budget.spend('entries', len(value) / 2)
            offset = 0
            while offset < len(value):
                number, offset = varint(value, offset)
                numbers.append(number)
        return [(number + 2**63) % 2**64 - 2**63 for number in numbers]


# -- checkpoints -------------------------------------------------------------------------------------------------------
# Checkpoints of TensorFlow 2: a table of entries, and the arrays that they point at.
#
# Sources: https://github.com/google/leveldb/blob/main/doc/table_format.md for the table PREFIX.index, and TensorFlow's
# tensor_bundle.proto for its entries. A table is blocks of keys and values, an index of the blocks, and a footer. A
# key says how many letters it has in common with the key before it: after `layer/bias` the key (6, `kernel`) is
# `layer/kernel`.


_FOOTER = 48
_MAGIC = 0xDB4775248B80FB57
_TRAILER = 5
_UNCOMPRESSED = 0
# The numbers of TensorFlow's types.proto.
DTYPES = {
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
        length, offset = varint(data, 0)
        # The checksum of the lengths lies between them and the string.
        return data[offset + 4 : offset + 4 + length]

    def array(self, key: str) -> np.ndarray:
        """The array of an entry."""
        entry, data = self._data(key)
        shape = tuple([dimension.number(1) for dimension in entry.message(2).messages(2)])
        dtype = np.dtype(DTYPES.get(entry.number(1), 'V1'))
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
    _start, offset = varint(data, len(data) - _FOOTER)  # of the index of filters, which has none
    _length, offset = varint(data, offset)
    start, offset = varint(data, offset)
    length, _offset = varint(data, offset)
    left = len(data)
    for _key, handle in _block(data, start, length, path, budget):
        start, offset = varint(handle, 0)
        length, _offset = varint(handle, offset)
        left -= length
        if left < 0:
            raise UnreadableFileError(f'The index of {path} names blocks more than once.')
        yield from _block(data, start, length, path, budget)


def _block(data: bytes, start: int, length: int, path: str, budget: Budget) -> Iterator[Tuple[bytes, bytes]]:
    block = data[start : start + length]
    if len(data) < start + length + _TRAILER or length < 4 or data[start + length] != _UNCOMPRESSED:
        raise UnreadableFileError(f'A block of {path} is compressed or cut off.')
    end = length - 4 * (struct.unpack('<I', block[-4:])[0] + 1)
    key, offset = b'', 0
    while offset < end:
        shared, offset = varint(block, offset)
        rest, offset = varint(block, offset)
        size, offset = varint(block, offset)
        if offset + rest + size > end or shared > len(key):
            raise UnreadableFileError(f'An entry of {path} is cut off.')
        # A few letters can stand for a long key, if they share the rest with the key before.
        budget.spend('bytes', shared + rest + size, os.path.basename(path))
        budget.spend('entries', 2, os.path.basename(path))
        key = key[:shared] + block[offset : offset + rest]
        yield key, block[offset + rest : offset + rest + size]
        offset += rest + size


def objects(graph: bytes, budget: Budget) -> Tuple[Dict[int, Dict[str, int]], Dict[int, str]]:
    """The objects of a checkpoint: number -> name of a part -> its number; number -> key of its array, if it has one.

    Source: trackable_object_graph.proto.
    """
    nodes = list(enumerate(Message(graph, budget).messages(1)))
    children = {number: {child.text(2): child.number(1) for child in node.messages(1)} for number, node in nodes}
    arrays = {number: [value.text(3) for value in node.messages(2)] for number, node in nodes}
    return children, {number: keys[0] for number, keys in arrays.items() if keys}


METADATA, GRAPH, VARIABLES = 'keras_metadata.pb', 'saved_model.pb', os.path.join('variables', 'variables')
OBJECTS = '_CHECKPOINTABLE_OBJECT_GRAPH'


class SavedModel:
    """The folder of a SavedModel, read once. Errors: UnreadableFileError, OSError."""

    def __init__(self, path: str, budget: Budget) -> None:
        """Read the objects of the model, and the notes of Keras about them."""
        self.path, self._budget = path, budget
        objects = _objects(path, budget)
        self.objects = [{child.text(2): child.number(1) for child in node.messages(1)} for node in objects]
        self._notes = _notes(path, objects, budget)
        self._names: Dict[int, str] = {}
        self._layers: Dict[int, Dict[str, str]] = {}

    def metadata(self) -> Dict[str, Any]:
        """What Keras notes about a model: model_config, keras_version, backend, training_config."""
        note = self._notes.get(0)
        notes = from_json(note, self._budget) if note else None
        if not isinstance(notes, dict) or not isinstance(notes.get('model_config'), dict):
            kind = notes.get('class_name') if isinstance(notes, dict) else None
            raise UnreadableFileError(
                f'{self.path} is a SavedModel without the configuration of a Sequential or functional model of Keras'
                f'{f": its model is the class {kind}" if kind else ""}. '
                f'keras_backend.files.function({self.path!r}) computes its operations.'
            )
        return notes

    def give_weights(self, model: Model) -> None:
        """Give each layer of the model its weights. Error: UnreadableFileError, if the checkpoint lacks some."""
        stored = Checkpoint(self.path, VARIABLES, self._budget)
        _Weights(self, stored, *objects(stored.text(OBJECTS), self._budget)).give(model)

    def layers(self, number: int) -> Dict[str, str]:
        """The parts of a model by the names of their layers. number: of the model. Models may have one object."""
        if number not in self._layers:
            children = self.objects[number].items()
            self._layers[number] = {self._name(of): child for child, of in children if re.match(r'layer-\d+$', child)}
        return self._layers[number]

    def _name(self, number: int) -> str:
        if number not in self._names:
            note = self._notes.get(number)
            metadata = from_json(note, self._budget) if note else {}
            self._names[number] = str(metadata.get('name') if isinstance(metadata, dict) else '')
        return self._names[number]


def is_without_configuration(path: str) -> bool:
    """Whether a path is a folder whose model is a class of its own, so that its layers are not known.

    Errors: UnreadableFileError, OSError.
    """
    if not os.path.isdir(path) or not os.path.exists(part(path, GRAPH)):
        return False
    budget = Budget(path, size(path))
    note = _notes(path, _objects(path, budget), budget).get(0)
    notes = from_json(note, budget) if note else None
    model = notes.get('model_config') if isinstance(notes, dict) else None
    config = model.get('config') if isinstance(model, dict) else None
    return not (isinstance(config, list) or (isinstance(config, dict) and 'layers' in config))


def size(path: str) -> int:
    """The bytes on the disk of the parts that are read. Errors: UnreadableFileError, OSError."""
    folder = part(path, 'variables')
    names = os.listdir(folder) if os.path.isdir(folder) else []
    shards = [(path, 'variables', name) for name in names if re.match(r'variables\.(index|data-)', name)]
    files = [part(*file) for file in [(path, GRAPH), (path, METADATA), *shards]]
    return sum([stored_size(file) for file in files if os.path.exists(file)])


def _notes(path: str, objects: List[Message], budget: Budget) -> Dict[int, str]:
    """The notes about each object by its number. TensorFlow 2.5 and later have them in a file of their own."""
    file = part(path, METADATA)
    if os.path.exists(file):
        return {node.number(2): node.text(5) for node in Message(content(file, budget), budget).messages(1)}
    return {number: node.message(4).text(3) for number, node in enumerate(objects)}


def _objects(path: str, budget: Budget) -> List[Message]:
    file = part(path, GRAPH)
    if not os.path.exists(file):
        raise UnreadableFileError(f'The folder {path} is no SavedModel: it has no {GRAPH}.')
    graphs = Message(content(file, budget), budget).messages(2)
    return [node for graph in graphs[:1] for node in graph.message(7).messages(1)]


class _Weights:
    """The arrays of the layers of a model: a walk through the objects of the checkpoint and the notes about them."""

    def __init__(
        self, folder: SavedModel, stored: Checkpoint, parts: Dict[int, Dict[str, int]], keys: Dict[int, str]
    ) -> None:
        self.path, self.objects, self.folder = folder.path, folder.objects, folder
        self.stored, self.parts, self.keys = stored, parts, keys

    def give(self, model: Model, stored: int = 0, noted: int = 0) -> None:
        """Give each layer its weights. stored, noted: the numbers of the model in the checkpoint and in the notes."""
        names = self.folder.layers(noted)
        for layer in model.layers:
            child = names.get(layer.name, '')
            if child in self.parts.get(stored, {}):
                self.of_layer(layer, self.parts[stored][child], self.objects[noted][child])
            elif any(own_names(inner) for inner in with_inner(layer)):
                raise UnreadableFileError(f'The checkpoint in {self.path} has no weights of the layer {layer.name}.')

    def of_layer(self, layer: Layer, stored: int, noted: int) -> None:
        if layer.model is not None:
            self.give(layer.model, stored, noted)
            return
        for inner, path in zip(layer.inner, _inner_places(layer)):
            self.of_layer(inner, self.at(stored, path, layer), noted)
        layer.weights = [
            Weight(name, self.stored.array(self.keys[self.at(stored, _place(layer, name), layer)]))
            for name in own_names(layer)
        ]

    def at(self, number: int, place: str, layer: Layer) -> int:
        for step in place.split('/'):
            if step not in self.parts.get(number, {}):
                raise UnreadableFileError(f'The checkpoint in {self.path} has no {place} of the layer {layer.name}.')
            number = self.parts[number][step]
        return number


def _inner_places(layer: Layer) -> List[str]:
    if layer.kind == 'Bidirectional':
        return ['forward_layer', 'backward_layer']
    if layer.kind == 'RNN':
        stacked = layer.config.get('stacked')
        return [f'cell/cells/{number}' if stacked else 'cell' for number in range(len(layer.inner))]
    return ['layer']


def _place(layer: Layer, name: str) -> str:
    if layer.kind in ('SimpleRNN', 'GRU', 'LSTM', 'ConvLSTM2D'):
        return f'cell/{name}'
    if layer.kind == 'MultiHeadAttention':
        projection, weight = name.split('/')
        return f'_{projection.replace("attention_", "")}_dense/{weight}'
    return name

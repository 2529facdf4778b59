"""HDF5 files of Keras: attributes and arrays, judged before they are read, and arrays by layer.

An HDF5 file can point at other files, and can declare arrays that are larger than any memory. Neither is followed.
"""

import functools
import itertools
import mmap
import operator
import struct
import zlib
from importlib import import_module
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Set, Tuple, Union

import numpy as np

from ...basics.installed import requirement
from ...errors import UnreadableFileError
from ..structure import Weight
from .limits import Budget

# -- attributes --------------------------------------------------------------------------------------------------------
# Attributes of an HDF5 file, judged before they are read.
#
# A list of texts is stored as references to texts, and all of them may be references to one long text. HDF5 copies
# that text for each. So the references in the file are counted with their lengths, where they could be too many.


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
        description = f'the attribute {name}'
        self._budget.spend('entries', count, description)
        self._budget.spend('bytes', count * about.dtype.itemsize, description)
        if about.dtype.kind == 'O':
            self._check_texts(about, count, description)
        value = attributes[name]
        if about.dtype.kind == 'O':
            self._budget.spend('bytes', sum(map(len, np.ravel(value))), description)
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
            return sum([_references(content, offset) for offset in _places(content, _COLLECTION)])


def _references(content: Any, collection: int) -> int:
    """The lengths of the texts of one collection that references name, together."""
    if collection + 16 > len(content):
        return 0
    longest = struct.unpack('<Q', content[collection + 8 : collection + 16])[0]
    total = 0
    for offset in _places(content, struct.pack('<Q', collection)):
        if offset >= 4:
            length = struct.unpack('<I', content[offset - 4 : offset])[0]
            total += length if length <= longest else 0
    return total


def _places(content: Any, word: bytes) -> Iterator[int]:
    offset = content.find(word)
    while offset >= 0:
        yield offset
        offset = content.find(word, offset + 1)


# -- arrays ------------------------------------------------------------------------------------------------------------
# Arrays of an HDF5 file, judged before they are read: where they lie, and what it takes to unpack them.
#
# A chunk says how many bytes it has when it is unpacked, and HDF5 unpacks whatever there is. It looks at each chunk
# that the shape has room for, stored or not.


# The numbers of filters of HDF5.
_DEFLATE, _SHUFFLE, _CHECKSUM = 1, 2, 3
_CHECKSUM_BYTES = 4


def array(dataset: Any, place: str, path: str, budget: Budget) -> Any:
    """The array of a dataset. place, path: of the dataset in its file, for errors.

    Errors: UnreadableFileError, if it is in another file, or is not stored. ExcessiveFileError.
    """
    name = f'The array {place} of {path}'
    if dataset.external or getattr(dataset, 'is_virtual', False):
        raise UnreadableFileError(f'{name} is in another file, which is not read.')
    if dataset.dtype.kind not in 'fiub':
        raise UnreadableFileError(f'{name} has no numbers: {dataset.dtype}.')
    size = functools.reduce(operator.mul, dataset.shape, dataset.dtype.itemsize)
    budget.spend('bytes', size, place)
    budget.spend('chunks', 1, place)
    if size and not dataset.id.get_storage_size():
        raise UnreadableFileError(f'{name} has the shape {dataset.shape}, and its values are not stored.')
    if dataset.chunks:
        _check_chunks(dataset, place, name, budget)
    # In the byte order of this machine, which the libraries of engines need.
    return np.asarray(dataset[()], dataset.dtype.newbyteorder('='))


def _check_chunks(dataset: Any, place: str, name: str, budget: Budget) -> None:
    counts = [-(-size // length) for size, length in zip(dataset.shape, dataset.chunks)]
    budget.spend('chunks', functools.reduce(operator.mul, counts, 1), place)
    length = functools.reduce(operator.mul, dataset.chunks, dataset.dtype.itemsize)
    if length > budget.left('bytes'):
        budget.spend('bytes', length, place)
    layout = dataset.id.get_create_plist()
    filters = [layout.get_filter(number)[0] for number in range(layout.get_nfilters())]
    if filters.count(_DEFLATE) > 1 or not set(filters) <= {_DEFLATE, _SHUFFLE, _CHECKSUM}:
        raise UnreadableFileError(
            f'{name} is packed in a way that is not read. gzip is. Type: h5repack -f GZIP=4 OLD NEW'
        )
    if _DEFLATE in filters:
        for mask, content in _stored_chunks(dataset, counts):
            if not mask & 1 << filters.index(_DEFLATE):
                _check_length(content, length, name)


def _stored_chunks(dataset: Any, counts: List[int]) -> Iterator[Tuple[int, bytes]]:
    """The chunks as they are stored, each with the filters that it left out."""
    for numbers in itertools.product(*map(range, counts)):
        start = tuple([number * length for number, length in zip(numbers, dataset.chunks)])
        try:
            yield dataset.id.read_direct_chunk(start)
        except (OSError, RuntimeError, ValueError):  # a chunk that was not stored; the library says it in three ways
            continue


def _check_length(content: bytes, length: int, name: str) -> None:
    try:
        unpacked = zlib.decompressobj().decompress(content, length + _CHECKSUM_BYTES + 1)
    except zlib.error as error:
        raise UnreadableFileError(f'{name} has a chunk that cannot be unpacked: {error}.') from None
    if len(unpacked) > length + _CHECKSUM_BYTES:
        raise UnreadableFileError(f'{name} has a chunk that unpacks to more than the {length} bytes of a chunk.')


# What h5py raises for damage and for types that NumPy does not have: no kind of its own.
_OF_LIBRARY = (OSError, LookupError, TypeError, ValueError, RuntimeError, ArithmeticError, AttributeError)


# The letters of a name in an error.
_SHOWN = 200
# How many arrays a part of a long list of names counts as.
_ARRAYS = 10


def library() -> Any:
    """The module h5py. Error: ImportError, which says how to install it."""
    try:
        return import_module('h5py')
    except ImportError as error:
        raise ImportError(f'Files of Keras need h5py; type: pip install "{requirement("files")}". ({error})') from error


class Reader:
    """An open HDF5 file, of which only its own groups, arrays and attributes are read."""

    def __init__(self, source: Union[str, BinaryIO], path: str, budget: Budget) -> None:
        """Open it. source: a path or an open file. path: its name, for errors. budget: what its reading may take."""
        self._h5py = library()
        self._path, self._budget = path, budget
        self._attributes = Attributes(self._h5py, source if isinstance(source, str) else None, budget)
        try:
            self._file: Any = self._h5py.File(source, 'r')
            # The group that was walked to last: most arrays lie beside the one before.
            self._above: List[str] = []
            self._group: Any = self._file
        except (OSError, ValueError, RuntimeError) as error:  # as damage is met; h5py has no kind of its own
            raise UnreadableFileError(f'{path} is no HDF5 file that can be opened: {error}') from None

    def __enter__(self) -> 'Reader':
        """The reader itself."""
        return self

    def __exit__(self, *exception: Any) -> None:
        """Close the file."""
        self._file.close()

    def has(self, place: str) -> bool:
        """Whether the file has a group or an array at this place."""
        try:
            self._at(place)
        except UnreadableFileError:
            return False
        return True

    def attribute(self, place: str, name: str) -> Any:
        """An attribute of a group, text as str; None where there is none."""
        try:
            value = self._attributes.read(self._at(place).attrs, name)
        except _OF_LIBRARY as error:
            raise self._damaged(f'the attribute {name}', error) from None
        return _text(value) if isinstance(value, (bytes, str)) else value

    def names(self, place: str, name: str) -> List[str]:
        """An attribute that is a list of names. Long ones are in several attributes: NAME0, NAME1 ..."""
        value = self.attribute(place, name)
        if value is not None:
            return [_text(item) for item in np.ravel(value).tolist()]
        pieces: List[List[str]] = []
        while True:
            piece = self.attribute(place, f'{name}{len(pieces)}')
            if piece is None:
                return [item for texts in pieces for item in texts]
            # As slow as some arrays: one holds up to 64 KB of names.
            self._budget.spend('chunks', _ARRAYS, f'the attribute {name}')
            pieces.append([_text(item) for item in np.ravel(piece).tolist()])

    def names_once(self, place: str, name: str) -> List[str]:
        """The same, where each name is that of another place: HDF5 cannot write one twice."""
        names = self.names(place, name)
        seen: Set[Tuple[str, ...]] = set()
        for entry in names:
            steps = tuple(steps_of(entry))
            if steps in seen:
                raise UnreadableFileError(f'The attribute {name} of {self._path} has the name {entry[:_SHOWN]} twice.')
            seen.add(steps)
        return names

    def members(self, place: str) -> List[str]:
        """The names in a group."""
        group = self._at(place)
        if not isinstance(group, self._h5py.Group):
            return []
        self._budget.spend('entries', len(group), place)
        return list(group)

    def array(self, place: str) -> Any:
        """The array at this place. Errors: UnreadableFileError, if it is in another file, or too large for its file."""
        dataset = self._at(place)
        if not isinstance(dataset, self._h5py.Dataset):
            raise UnreadableFileError(f'The array {place} of {self._path} is a group.')
        try:
            return array(dataset, place, self._path, self._budget)
        except _OF_LIBRARY as error:
            raise self._damaged(place, error) from None

    def _damaged(self, what: str, error: Exception) -> UnreadableFileError:
        """The error for what h5py says of a part of the file. An error of ours stays as it is."""
        if isinstance(error, UnreadableFileError):
            return error
        return UnreadableFileError(f'{what} of {self._path} cannot be read: {type(error).__name__}: {error}')

    def _at(self, place: str) -> Any:
        """A group or an array. Each step to it is inside the file."""
        *above, last = steps_of(place) or ['']
        if above != self._above:
            self._above, self._group = [], self._file
            self._group, self._above = self._walked(self._file, above, place), above
        return self._walked(self._group, [last] if last else [], place)

    def _walked(self, found: Any, parts: List[str], place: str) -> Any:
        """What lies at the end of some steps from a group. place: all the steps, for errors."""
        self._budget.spend('steps', len(parts), place[:_SHOWN])
        for step in parts:
            try:
                link = found.get(step, getlink=True) if isinstance(found, self._h5py.Group) else None
                if isinstance(link, self._h5py.HardLink):
                    found = found[step]
            except _OF_LIBRARY as error:
                raise self._damaged(place, error) from None
            if link is None:
                raise UnreadableFileError(f'{self._path} has no {place}.')
            if not isinstance(link, self._h5py.HardLink):
                raise UnreadableFileError(f'{place} of {self._path} points at another place, which is not read.')
        return found


def steps_of(place: str) -> List[str]:
    """The names of the groups on the way to a place, and that of the place."""
    return [step for step in place.split('/') if step]


def _text(value: Union[str, bytes]) -> str:
    return value.decode('utf-8', 'replace') if isinstance(value, bytes) else str(value)


def place_of_weights(reader: Reader) -> str:
    """The group of the weights. A file of weights alone has them at its top."""
    return 'model_weights' if reader.has('model_weights') else ''


def said_of_writer(reader: Reader, name: str) -> str:
    """What a file says of the Keras that wrote it, '' where it says nothing. name: 'keras_version' or 'backend'."""
    return str(reader.attribute(place_of_weights(reader), name) or reader.attribute('', name) or '')


def weights(reader: Reader, place: str = '') -> Dict[str, List[Weight]]:
    """The weights of each layer, in the order of the file."""
    by_layer: Dict[str, List[Weight]] = {}
    for layer in reader.names_once(place, 'layer_names'):
        inside = f'{place}/{layer}'
        names = reader.names_once(inside, 'weight_names')
        by_layer[layer] = [Weight(name, reader.array(f'{inside}/{name}')) for name in names]
    return by_layer


def arrays(reader: Reader, place: str) -> Iterator[Any]:
    """The arrays of a group whose names are numbers, in the order of the numbers."""
    for name in sorted(
        reader.members(place), key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0)
    ):
        yield reader.array(f'{place}/{name}')


def rest_of_model(reader: Reader, place: str) -> List[str]:
    """The names of weights that tf.keras keeps for a model itself, beside its layers."""
    inside = f'{place}/top_level_model_weights'
    return reader.names(inside, 'weight_names') if reader.has(inside) else []

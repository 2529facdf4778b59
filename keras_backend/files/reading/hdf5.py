"""HDF5 files of Keras: attributes, and arrays by layer.

An HDF5 file can point at other files, and can declare arrays that are larger than any memory. Neither is followed.
"""

from importlib import import_module
from typing import Any, BinaryIO, Dict, Iterator, List, Set, Tuple, Union

import numpy as np

from ...basics.installed import requirement
from ...errors import UnreadableFileError
from ..structure import Weight
from . import hdf5_datasets
from .budget import Budget
from .hdf5_attributes import Attributes

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
        found = self.attribute(place, name)
        if found is not None:
            return [_text(item) for item in np.ravel(found).tolist()]
        parts: List[List[str]] = []
        while True:
            part = self.attribute(place, f'{name}{len(parts)}')
            if part is None:
                return [item for texts in parts for item in texts]
            # As slow as some arrays: one holds up to 64 KB of names.
            self._budget.spend('chunks', _ARRAYS, f'the attribute {name}')
            parts.append([_text(item) for item in np.ravel(part).tolist()])

    def names_once(self, place: str, name: str) -> List[str]:
        """The same, where each name is that of another place: HDF5 cannot write one twice."""
        found = self.names(place, name)
        seen: Set[Tuple[str, ...]] = set()
        for said in found:
            parts = tuple(_parts(said))
            if parts in seen:
                raise UnreadableFileError(f'The attribute {name} of {self._path} has the name {said[:_SHOWN]} twice.')
            seen.add(parts)
        return found

    def members(self, place: str) -> List[str]:
        """The names in a group."""
        found = self._at(place)
        if not isinstance(found, self._h5py.Group):
            return []
        self._budget.spend('entries', len(found), place)
        return list(found)

    def array(self, place: str) -> Any:
        """The array at this place. Errors: UnreadableFileError, if it is in another file, or too large for its file."""
        found = self._at(place)
        if not isinstance(found, self._h5py.Dataset):
            raise UnreadableFileError(f'The array {place} of {self._path} is a group.')
        try:
            return hdf5_datasets.array(found, place, self._path, self._budget)
        except _OF_LIBRARY as error:
            raise self._damaged(place, error) from None

    def _damaged(self, what: str, error: Exception) -> UnreadableFileError:
        """The error for what h5py says of a part of the file. An error of ours stays as it is."""
        if isinstance(error, UnreadableFileError):
            return error
        return UnreadableFileError(f'{what} of {self._path} cannot be read: {type(error).__name__}: {error}')

    def _at(self, place: str) -> Any:
        """A group or an array. Each step to it is inside the file."""
        *above, last = _parts(place) or ['']
        if above != self._above:
            self._above, self._group = [], self._file
            self._group, self._above = self._walked(self._file, above, place), above
        return self._walked(self._group, [last] if last else [], place)

    def _walked(self, found: Any, parts: List[str], place: str) -> Any:
        """What lies at the end of some steps from a group. place: all the steps, for errors."""
        self._budget.spend('steps', len(parts), place[:_SHOWN])
        for part in parts:
            try:
                link = found.get(part, getlink=True) if isinstance(found, self._h5py.Group) else None
                if isinstance(link, self._h5py.HardLink):
                    found = found[part]
            except _OF_LIBRARY as error:
                raise self._damaged(place, error) from None
            if link is None:
                raise UnreadableFileError(f'{self._path} has no {place}.')
            if not isinstance(link, self._h5py.HardLink):
                raise UnreadableFileError(f'{place} of {self._path} points at another place, which is not read.')
        return found


def _parts(place: str) -> List[str]:
    return [part for part in place.split('/') if part]


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
    found: Dict[str, List[Weight]] = {}
    for layer in reader.names_once(place, 'layer_names'):
        inside = f'{place}/{layer}'
        names = reader.names_once(inside, 'weight_names')
        found[layer] = [Weight(name, reader.array(f'{inside}/{name}')) for name in names]
    return found


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

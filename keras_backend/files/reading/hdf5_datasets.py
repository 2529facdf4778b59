"""Arrays of an HDF5 file, judged before they are read: where they lie, and what it takes to unpack them.

A chunk says how many bytes it has when it is unpacked, and HDF5 unpacks whatever there is. It looks at each chunk that
the shape has room for, stored or not.
"""

import functools
import itertools
import operator
import zlib
from typing import Any, Iterator, List, Tuple

import numpy as np

from ...errors import UnreadableFileError
from .budget import Budget

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

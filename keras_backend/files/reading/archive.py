"""`.keras` files: a zip archive of a configuration and of weights in HDF5, one group for each layer."""

import io
import re
import zipfile
import zlib
from typing import Dict, Iterator, List, Sequence

from ...errors import UnreadableFileError
from ..layers.table import LAYERS
from ..structure import Layer, Model, Weight, numbered
from . import hdf5
from .limits import Budget, opened

CONFIG, METADATA, WEIGHTS = 'config.json', 'metadata.json', 'model.weights.h5'
# Weights of a Keras 3 without h5py. Each array in it is pickled (measured with 3.15.1, which does not open it either).
OBJECTS = 'model.weights.npz'
# As Keras writes them, and as archivers pack again. Others unpack more than is asked for before they say their length.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

# The groups in which Keras 3 keeps the weights of a layer beside `vars`, in the order of `layer.weights`.
_PARTS = {
    'MultiHeadAttention': ('query_dense', 'key_dense', 'value_dense', 'output_dense'),
    **dict.fromkeys(('SimpleRNN', 'LSTM', 'GRU', 'ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D'), ('cell',)),
}
# The groups of layers in a layer, and of what is no weight.
_OF_INNER = ('forward_layer', 'backward_layer', 'cell', 'layer')
_STATES = ('seed_generator', 'random_generator', '_random_generator')
_CONTAINERS = 'layers', '_layer_checkpoint_dependencies'


def parts(path: str, budget: Budget, names: Sequence[str] = (CONFIG, METADATA, WEIGHTS)) -> Dict[str, bytes]:
    """The parts of an archive by name. names: the parts that are read, where the archive has them.

    Errors: UnreadableFileError, if it is no `.keras` file. ExcessiveFileError, if it is a bomb. OSError.
    """
    try:
        with opened(path) as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            if CONFIG not in [entry.filename for entry in entries]:
                raise UnreadableFileError(f'{path} is an archive, but no file of Keras: it has no {CONFIG}.')
            return {entry.filename: _content(archive, entry, budget) for entry in _entries(entries, names, path)}
    # What `zipfile` and `zlib` raise for damage, for a password, and for packings that they do not have.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f'{path} is an archive that cannot be read: {error}') from None


def lacks(path: str) -> str:
    """What an archive without the weights in HDF5 has or does not have, as words behind its path."""
    with zipfile.ZipFile(path) as archive:
        if OBJECTS in archive.namelist():
            return f'has its weights in {OBJECTS}, as pickled objects of Python, which are not read'
    return f'has no {WEIGHTS}'


def _entries(entries: Sequence[zipfile.ZipInfo], names: Sequence[str], path: str) -> Iterator[zipfile.ZipInfo]:
    """The entries of the parts. Programs differ in which of two entries of one name they take."""
    for name in names:
        same = [entry for entry in entries if entry.filename == name]
        if len(same) > 1:
            raise UnreadableFileError(f'{path} has {len(same)} parts with the name {name}.')
        yield from same


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: Budget) -> bytes:
    if entry.compress_type not in _PACKED:
        raise UnreadableFileError(
            f'{entry.filename} in {budget.path} is packed in a way that is not read. Keras does not pack; zip packs '
            'in a way that is read.'
        )
    budget.spend('bytes' if entry.filename == WEIGHTS else 'texts', entry.file_size, entry.filename)
    with archive.open(entry) as file:
        return file.read(entry.file_size)


def give_weights(content: bytes, model: Model, budget: Budget) -> None:
    """Give each layer of the model its weights."""
    with hdf5.Reader(io.BytesIO(content), f'{WEIGHTS} in {budget.path}', budget) as reader:
        _of_model(reader, '', model)


def _of_model(reader: hdf5.Reader, place: str, model: Model) -> None:
    container = next((name for name in _CONTAINERS if reader.has(f'{place}/{name}')), _CONTAINERS[0])
    groups = _groups(model.layers)
    for layer, group in zip(model.layers, groups):
        _of_layer(reader, f'{place}/{container}/{group}', layer)


def _groups(layers: List[Layer]) -> List[str]:
    """The group of each layer: the name of its class, with a number from the second on: dense, dense_1 ..."""
    return numbered([snake_case(layer.written_as) for layer in layers])


def snake_case(name: str) -> str:
    """The name of a class as Keras names a group of weights: conv2d, lstm_cell, batch_normalization."""
    name = re.sub(r'\W+', '', name)
    name = re.sub('(.)([A-Z][a-z]+)', r'\1_\2', name)
    return re.sub('([a-z])([A-Z])', r'\1_\2', name).lower()


def _of_layer(reader: hdf5.Reader, place: str, layer: Layer) -> None:
    if layer.model is not None:
        _of_model(reader, place, layer.model)
        return
    if layer.kind == 'Bidirectional':
        for name, inner in zip(('forward_layer', 'backward_layer'), layer.inner):
            _of_layer(reader, f'{place}/{name}', inner)
    elif layer.kind == 'RNN':
        cells = [f'{place}/cell']
        if layer.config.get('stacked'):
            cells = [f'{place}/cell/cells/{group}' for group in _groups(layer.inner)]
        for name, inner in zip(cells, layer.inner):
            _of_layer(reader, name, inner)
    elif layer.inner:
        _of_layer(reader, f'{place}/layer', layer.inner[0])
    sublayers = _PARTS.get(layer.kind, ())
    _check_rest(reader, place, layer, ('vars', *_OF_INNER, *sublayers))
    paths = [f'{place}/vars', *[f'{place}/{sublayer}/vars' for sublayer in sublayers]]
    layer.weights = [
        Weight(str(number), array)
        for number, array in enumerate(
            array for inside in paths if reader.has(inside) for array in hdf5.arrays(reader, inside)
        )
    ]


def _check_rest(reader: hdf5.Reader, place: str, layer: Layer, known: Sequence[str]) -> None:
    """Refuse weights that no layer gets: those of a newer Keras, which change what the layer computes.

    A class of the program keeps its weights where it likes, and Keras the states of random numbers with the layer.
    """
    for name in reader.members(place) if layer.kind in LAYERS and reader.has(place) else ():
        inside = f'{place}/{name}/vars'
        if name not in known and name not in _STATES and reader.has(inside) and reader.members(inside):
            raise UnreadableFileError(
                f'The layer {layer.name} ({layer.kind}) has weights in {inside}, which such a layer does not have in '
                'any Keras that this package knows.'
            )

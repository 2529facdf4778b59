"""`.keras` files: a zip archive of a configuration and of weights in HDF5, one group for each layer."""

import io
import re
import zipfile
from typing import Any, Dict, Iterator, List, Sequence

from ...errors import UnreadableFileError
from ..structure import Layer, Model, Weight
from . import hdf5

CONFIG, METADATA, WEIGHTS = 'config.json', 'metadata.json', 'model.weights.h5'
# The most bytes of the weights, and of the texts.
MOST_BYTES = 64 * 2**30
MOST_TEXT = 64 * 2**20

# The groups in which Keras 3 keeps the weights of a layer beside `vars`, in the order of `layer.weights`.
_PARTS = {
    'MultiHeadAttention': ('query_dense', 'key_dense', 'value_dense', 'output_dense'),
    **dict.fromkeys(('SimpleRNN', 'LSTM', 'GRU', 'ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D'), ('cell',)),
}
_CONTAINERS = 'layers', '_layer_checkpoint_dependencies'


def parts(path: str, names: Sequence[str] = (CONFIG, METADATA, WEIGHTS)) -> Dict[str, bytes]:
    """The parts of an archive by name. Errors: UnreadableFileError, if it is no `.keras` file or a bomb.

    names: the parts that are read, where the archive has them.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {info.filename: (info.file_size, info.compress_size) for info in archive.infolist()}
            if CONFIG not in sizes:
                raise UnreadableFileError(f'{path} is an archive, but no file of Keras: it has no {CONFIG}.')
            found = {}
            for name in names:
                size, packed = sizes.get(name, (0, 1))
                most = MOST_BYTES if name == WEIGHTS else MOST_TEXT
                if size > min(most, hdf5.MOST_COMPRESSED * max(packed, 1000)):
                    raise UnreadableFileError(f'{name} in {path} is {size} bytes, which is more than it can hold.')
                if name in sizes:
                    with archive.open(name) as part:
                        found[name] = part.read(size)
            return found
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f'{path} is an archive that cannot be read: {error}') from error


def give_weights(content: bytes, path: str, model: Model) -> None:
    """Give each layer of the model its weights."""
    with hdf5.Reader(io.BytesIO(content), f'{WEIGHTS} in {path}', len(content)) as reader:
        _of_model(reader, '', model)


def _of_model(reader: hdf5.Reader, place: str, model: Model) -> None:
    container = next((name for name in _CONTAINERS if reader.has(f'{place}/{name}')), _CONTAINERS[0])
    groups = _groups(model.layers)
    for layer, group in zip(model.layers, groups):
        _of_layer(reader, f'{place}/{container}/{group}', layer)


def _groups(layers: List[Layer]) -> List[str]:
    """The group of each layer: the name of its class, with a number from the second on: dense, dense_1 ..."""
    counts: Dict[str, int] = {}
    found = []
    for layer in layers:
        name = snake_case(layer.written_as)
        number = counts[name] = counts.get(name, -1) + 1
        found.append(f'{name}_{number}' if number else name)
    return found


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
    places = [f'{place}/vars', *[f'{place}/{part}/vars' for part in _PARTS.get(layer.kind, ())]]
    layer.weights = [
        Weight(str(number), array)
        for number, array in enumerate(array for inside in places for array in _arrays(reader, inside))
    ]


def _arrays(reader: hdf5.Reader, place: str) -> Iterator[Any]:
    return hdf5.arrays(reader, place) if reader.has(place) else iter(())

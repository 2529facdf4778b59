"""`.keras` files: a zip archive of a configuration and of weights in HDF5, one group for each layer."""

import io
import re
import zipfile
import zlib
from typing import Any, Callable, Dict, Iterator, List, Sequence, Set

from ...errors import UnreadableFileError
from ..layers.parameters import parameters
from ..layers.table import LAYERS
from ..structure import File, Layer, Model, Weight, numbered
from . import hdf5
from .limits import Budget, opened

CONFIG, METADATA, WEIGHTS = 'config.json', 'metadata.json', 'model.weights.h5'
# Weights of a Keras 3 without h5py. Each array in it is pickled (measured with 3.15.1, which does not open it either).
OBJECTS = 'model.weights.npz'
# As Keras writes them, and as archivers pack again. Others unpack more than is asked for before they say their length.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

# The groups in which Keras keeps the weights of a layer beside `vars`, in the order of `layer.weights`. In tf.keras
# their names begin with `_`.
_OF_HEADS = 'query_dense', 'key_dense', 'value_dense', 'output_dense'
_PARTS = {
    'MultiHeadAttention': (*_OF_HEADS, *[f'_{name}' for name in _OF_HEADS]),
    **dict.fromkeys(('SimpleRNN', 'LSTM', 'GRU', 'ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D'), ('cell',)),
}
# The groups of layers in a layer, and of what is no weight.
_OF_INNER = ('forward_layer', 'backward_layer', 'cell', 'layer')
_STATES = ('seed_generator', 'random_generator', '_random_generator')
_CONTAINERS = 'layers', '_layer_checkpoint_dependencies'
# The versions of tf.keras that number the group of the second dense layer dense_2, as `_counted_twice` says.
_COUNT_TWICE = ('2.12', '2.13')


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


class _Reader(hdf5.Reader):
    """A reader of groups by their paths, whichever system wrote them.

    On Windows, tf.keras joins the names of groups with backslashes: a group at the top is named `layers\\dense`.
    """

    def __init__(self, content: bytes, path: str, budget: Budget) -> None:
        """List the groups that Windows named. content: the file. path: its name, for errors."""
        super().__init__(io.BytesIO(content), path, budget)
        self._joined = {name: name.split('\\') for name in super().members('') if '\\' in name}
        self._inside: Dict[str, Set[str]] = {}
        for steps in self._joined.values():
            budget.spend('steps', len(steps), steps[-1])
            for length, step in enumerate(steps):
                self._inside.setdefault('\\'.join(steps[:length]), set()).add(step)

    def has(self, place: str) -> bool:
        """Whether the file has a group or an array at this place."""
        return '\\'.join(hdf5.steps_of(place)) in self._inside or super().has(self._as_written(place))

    def members(self, place: str) -> List[str]:
        """The names in a group."""
        written = self._as_written(place)
        names = set(super().members(written)) if super().has(written) else set()
        return sorted(names.union(self._inside.get('\\'.join(hdf5.steps_of(place)), ())))

    def array(self, place: str) -> Any:
        """The array at this place."""
        return super().array(self._as_written(place))

    def _as_written(self, place: str) -> str:
        """The path of a group or an array in the file. A path without a group of Windows stays as it is."""
        steps = hdf5.steps_of(place) if self._joined else []
        for length in range(len(steps), 1, -1):
            name = '\\'.join(steps[:length])
            if name in self._joined:
                return '/'.join([name, *steps[length:]])
        return place


def give_weights(content: bytes, file: File, budget: Budget) -> None:
    """Give each layer of the model of a file its weights."""
    model: Any = file.model
    with _Reader(content, f'{WEIGHTS} in {budget.path}', budget) as reader:
        _of_model(reader, '', model, _counted_twice if file.version.startswith(_COUNT_TWICE) else _counted_once)


# The numbers of the groups of layers of one class.
_Count = Callable[[hdf5.Reader, str, Layer], int]


def _counted_once(reader: hdf5.Reader, place: str, layer: Layer) -> int:
    return 1


def _counted_twice(reader: hdf5.Reader, place: str, layer: Layer) -> int:
    """How many numbers a layer takes in tf.keras 2.12 and 2.13, which list a layer with weights two times.

    place: its group. Only the file knows whether a class of the program has weights.
    """
    has_weights = parameters(layer) if layer.kind in LAYERS or layer.model or layer.inner else reader.has(place)
    return 2 if has_weights else 1


def _of_model(reader: hdf5.Reader, place: str, model: Model, count: _Count) -> None:
    container = next((name for name in _CONTAINERS if reader.has(f'{place}/{name}')), _CONTAINERS[0])
    counts: Dict[str, int] = {}
    for layer in model.layers:
        group = snake_case(layer.written_as)
        number = counts.get(group, 0)
        inside = f'{place}/{container}/{group}_{number}' if number else f'{place}/{container}/{group}'
        _of_layer(reader, inside, layer, count)
        counts[group] = number + count(reader, inside, layer)


def snake_case(name: str) -> str:
    """The name of a class as Keras names a group of weights: conv2d, lstm_cell, batch_normalization."""
    name = re.sub(r'\W+', '', name)
    name = re.sub('(.)([A-Z][a-z]+)', r'\1_\2', name)
    return re.sub('([a-z])([A-Z])', r'\1_\2', name).lower()


def _of_layer(reader: hdf5.Reader, place: str, layer: Layer, count: _Count) -> None:
    if layer.model is not None:
        _of_model(reader, place, layer.model, count)
        return
    if layer.kind == 'Bidirectional':
        for name, inner in zip(('forward_layer', 'backward_layer'), layer.inner):
            _of_layer(reader, f'{place}/{name}', inner, count)
    elif layer.kind == 'RNN':
        cells = [f'{place}/cell']
        if layer.config.get('stacked'):
            cells = [
                f'{place}/cell/cells/{group}' for group in numbered([snake_case(one.written_as) for one in layer.inner])
            ]
        for name, inner in zip(cells, layer.inner):
            _of_layer(reader, name, inner, count)
    elif layer.inner:
        _of_layer(reader, f'{place}/layer', layer.inner[0], count)
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

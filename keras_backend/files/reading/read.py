"""Files of Keras, read: `.h5` of Keras 1 and 2, weights alone, JSON, YAML, `.keras`, SavedModel.

Nothing that a file contains is run. What it says is a configuration, which becomes a `structure.File`, and arrays.
"""

import os
import zipfile
from typing import Any, Dict, List, Optional, Union

import numpy as np

from ...errors import UnreadableFileError
from ..dialects import dialect, keras1
from ..dialects.dialect import numbers
from ..layers.parameters import NamesOf, all_layers, names_of, own_names, parameters, shared_out, with_inner
from ..layers.table import LAYERS
from ..structure import File, Layer, Model, Weight
from . import archive, hdf5, limits, saved_model
from .limits import Budget, border, content, opened, stored_size

_FORMS = '.h5 and .hdf5 files, .json and .yaml configurations, .keras files, and folders of a SavedModel'


def read(
    path: str,
    weights: Optional[str] = None,
    engine: Optional[str] = None,
    budget: Optional[float] = None,
    limit: Optional[float] = None,
) -> File:
    """The model in a file, and its weights.

    path: a file of Keras 1, 2 or 3, or of tf.keras: .h5, .json, .yaml, .keras, or the folder of a SavedModel.
    weights: a second file with the weights, beside a configuration alone. engine: 'theano' or 'tensorflow', the
    engine that wrote the weights, where the file does not say it. That of Keras 1 is told by the names of its
    weights. budget: how many times the usual memory and time a file may ask for, for a file that you trust; None
    takes the variable KERAS_BACKEND_FILE_BUDGET, or 1. limit: for a file that may be damaged on purpose: it is read
    in a process of its own first, for at most so many seconds, because HDF5 can loop or end its process.
    Result: the `File`. Its `model` is None for weights alone.
    Errors: UnreadableFileError. ExcessiveFileError, if the file asks for more than the budget. ImportError, if h5py or
    PyYAML is needed and not installed. OSError, if a file is not there. A function in the file is not looked at before
    it is asked for.
    """
    path = os.fspath(path)
    if limit is not None:
        limits.check_separately(path, limit, weights, engine, budget)
    with border(path):
        file = _read(path, budget)
    if weights is not None:
        if file.model is None:
            raise UnreadableFileError(f'{path} has no model for the weights in {weights}.')
        with border(os.fspath(weights)):
            of_weights = _read(os.fspath(weights), budget)
        file.weights, file.engine = of_weights.weights, of_weights.engine or file.engine
    with border(path):
        _finish(file, engine, weights is not None)
    return file


def _finish(file: File, engine: Optional[str], alone: bool) -> None:
    """Give the layers their axes, their padding and their weights.

    engine: as of `read`. alone: whether the weights come from a second file.
    """
    of_keras_1 = dialect.numbers(file.version)[:1] == (1,)
    file.engine = file.engine or engine or (keras1.engine_of(file.weights) if of_keras_1 else '')
    if file.model is None:
        return
    if of_keras_1:
        keras1.set_axes(all_layers(file.model), file.engine)
    if file.engine == 'theano':
        note_padding(file.model)
    if file.weights:
        give_weights(file, alone)


def with_model(path: Union[str, File], weights: Optional[str], engine: Optional[str], caller: str) -> File:
    """The file at a path, or the file itself, which has to have a model. caller: the function that asks, for errors."""
    file = path if isinstance(path, File) else read(path, weights, engine)
    if file.model is None:
        raise UnreadableFileError(
            f'{file.path} has weights alone. Give the configuration of the model, and these as weights: '
            f"{caller}('model.json', weights={file.path!r})."
        )
    if file.lacks and not file.weights:
        _refuse_missing_weights(file, caller)
    return file


def _refuse_missing_weights(file: File, caller: str) -> None:
    layers = [layer for layer in all_layers(file.model) if layer.kind != 'InputLayer']
    # A class of the program may have no weights, where the file has a list of them.
    names = [layer.name for layer in layers if own_names(layer) or (is_of_the_user(layer) and not file.names_weights)]
    if names:
        raise UnreadableFileError(
            f'{file.path} {file.lacks}, so the layers {", ".join(names[:5])}{" ..." if names[5:] else ""} have no '
            'weights. Save the model again with the Keras that wrote it, or give a file of its weights: '
            f"keras_backend.files.{caller.replace('load_model', 'load')}({file.path!r}, weights='weights.h5')."
        )


def _read(path: str, times: Optional[float]) -> File:
    if os.path.isdir(path):
        return _saved_model(path, Budget(path, saved_model.size(path), times))
    budget = Budget(path, stored_size(path), times)
    with opened(path) as file:
        head = file.read(8)
        is_archive = zipfile.is_zipfile(file)
    if head == b'\x89HDF\r\n\x1a\n':
        return _hdf5(path, budget)
    if is_archive:
        return _archive(path, budget)
    return _of_content(content(path, budget, 'texts').decode('utf-8', 'replace'), path, budget)


def _hdf5(path: str, budget: Budget) -> File:
    with hdf5.Reader(path, path, budget) as reader:
        inside = hdf5.place_of_weights(reader)
        config = reader.attribute('', 'model_config')
        version, engine = [hdf5.said_of_writer(reader, name) for name in ('keras_version', 'backend')]
        if config is None and not reader.names(inside, 'layer_names'):
            raise UnreadableFileError(
                f'{path} is an HDF5 file, but no model of Keras and no weights: it has no layers.'
            )
        file = File(path, 'h5', *dialect.writer(version, config), engine)
        if config is not None:
            file.model = dialect.model(file, _of_text(config, budget), budget)
        training = reader.attribute('', 'training_config')
        file.training = None if training is None else _of_text(training, budget)
        file.weights = hdf5.weights(reader, inside)
        if not file.weights:
            file.names_weights = reader.has('model_weights')
            file.lacks = 'has no weights in model_weights' if file.names_weights else 'has no model_weights'
        rest = hdf5.rest_of_model(reader, inside)
        if rest:
            raise UnreadableFileError(f'{path} has weights of the model that belong to no layer: {", ".join(rest)}.')
    return file


def _of_text(config: Any, budget: Budget) -> Any:
    if not isinstance(config, str):
        raise UnreadableFileError(f'{budget.path} has {type(config).__name__} in the place of a configuration.')
    return limits.from_json(config, budget)


def _archive(path: str, budget: Budget) -> File:
    contents = archive.parts(path, budget)
    config, metadata = [
        limits.from_json(contents.pop(name, b'{}').decode('utf-8', 'replace'), budget)
        for name in (archive.CONFIG, archive.METADATA)
    ]
    version = metadata.get('keras_version') if isinstance(metadata, dict) else None
    file = File(path, 'keras', *dialect.writer(str(version or '3'), config), '')
    file.model = dialect.model(file, config, budget)
    file.training = config.get('compile_config') or None
    if archive.WEIGHTS in contents:
        archive.give_weights(contents[archive.WEIGHTS], file, budget)
        check_weights(file)
    else:
        file.lacks = archive.lacks(path)
    return file


def _saved_model(path: str, budget: Budget) -> File:
    folder = saved_model.SavedModel(path, budget)
    notes = folder.metadata()
    config = notes['model_config']
    version = str(notes.get('keras_version') or '')
    file = File(path, 'savedmodel', *dialect.writer(version, config), str(notes.get('backend') or ''))
    file.model = dialect.model(file, config, budget)
    file.training = notes.get('training_config')
    folder.give_weights(file.model)
    return file


def configuration(content: str, path: str) -> File:
    """The model of a configuration, without weights. path: where the text is from, for errors."""
    with border(path):
        return _of_content(content, path, Budget(path, len(content)))


def _of_content(content: str, path: str, budget: Budget) -> File:
    start = content.lstrip()[:1]
    if start in ('{', '['):
        form, config = 'json', limits.from_json(content, budget)
    elif start == '"':  # of json.dump(model.to_json(), file), which writes JSON as a text of JSON
        form, config = 'json', limits.from_json_in_json(content, budget)
    elif os.path.splitext(path)[1].lower() in ('.yaml', '.yml') or 'class_name:' in content:
        form, config = 'yaml', limits.from_yaml(content, budget)
    elif path.lower().endswith('.pb'):
        raise UnreadableFileError(
            f'{path} is a graph of TensorFlow, which has no layers. '
            f'keras_backend.files.function({path!r}) computes what it computes.'
        )
    else:
        raise UnreadableFileError(f'{path} is no file of Keras. These are read: {_FORMS}.')
    head: Dict[str, Any] = config if isinstance(config, dict) else {}
    if 'weight_map' in head:
        raise UnreadableFileError(
            f'{path} names the files of weights that are in several files, and such are not read. Load them with Keras '
            "3, model.load_weights(...), and save them in one file: model.save('model.keras')."
        )
    file = File(
        path, form, *dialect.writer(str(head.get('keras_version') or ''), config), str(head.get('backend') or '')
    )
    file.model = dialect.model(file, config, budget)
    return file


# -- weights -----------------------------------------------------------------------------------------------------------
# Weights of a file, given to the layers of its model.

# Theano turns kernels around before it multiplies, and Keras stores them as its engine has them. Keras 1 does not write
# which engine that was.
_TURNED = {
    'Conv1D': (1, ('kernel',)), 'Conv2D': (2, ('kernel',)), 'Conv3D': (3, ('kernel',)),
    'Conv2DTranspose': (2, ('kernel',)), 'Conv3DTranspose': (3, ('kernel',)),
    'ConvLSTM2D': (2, ('kernel', 'recurrent_kernel')),
}  # fmt: skip


def give_weights(file: File, alone: bool = False) -> None:
    """Give each layer of `file.model` its weights.

    Weights belong to the layer of their name. In a file of weights alone they go by the order of the layers, as
    `model.load_weights` of Keras has it. alone: whether they come from such a file.
    Errors: UnreadableFileError, if the number of weights of a layer is not what its configuration asks for.
    """
    model: Any = file.model
    keras_1 = numbers(file.version)[:1] == (1,)
    if keras_1 and not file.engine:
        _refuse_unknown_engine(file)
    stored = {name: list(weights) for name, weights in file.weights.items()}
    layers = [layer.name for layer in model.layers]
    of_names = [name for name, weights in stored.items() if weights]
    with_weights = set(of_names)
    if not with_weights.issubset(layers) or (alone and of_names != [name for name in layers if name in with_weights]):
        stored = _by_order(file, keras_1)
    for layer in model.layers:
        _give(file, layer, stored.get(layer.name, []), keras_1)


def _refuse_unknown_engine(file: File) -> None:
    turned = [layer for layer in all_layers(file.model) if layer.kind in _TURNED]
    if turned:
        raise UnreadableFileError(
            f'{file.path} is of Keras 1, the names of its weights do not tell whether Theano or TensorFlow computed '
            f'it. The kernels of {turned[0].name} ({turned[0].written_as}) depend on that: Theano turns them around. '
            "Say it with engine='theano' or engine='tensorflow'."
        )


def check_weights(file: File) -> None:
    """Every layer has the number of weights that its configuration asks for. Error: UnreadableFileError."""
    model: Any = file.model
    for layer in model.layers:
        for owner in with_inner(layer):
            names = own_names(owner)
            if not is_of_the_user(owner) and len(names) != len(owner.weights):
                raise _other_number(file, owner, names, owner.weights)


def _other_number(file: File, layer: Layer, wanted: List[str], stored: List[Weight]) -> UnreadableFileError:
    return UnreadableFileError(
        f'The layer {layer.name} ({layer.kind}) of {file.path} has {len(wanted)} weights by its configuration '
        f'({", ".join(wanted)}), and {len(stored)} in the file ({", ".join(weight.name for weight in stored)}).'
    )


def _names(keras_1: bool) -> NamesOf:
    return keras1.stored_names if keras_1 else names_of


def _by_order(file: File, keras_1: bool) -> Dict[str, List[Weight]]:
    model: Any = file.model
    layers = [layer.name for layer in model.layers if parameters(layer, _names(keras_1))]
    stored = {name: weights for name, weights in file.weights.items() if weights}
    if len(layers) != len(stored):
        raise UnreadableFileError(
            f'{file.path} has {len(layers)} layers with weights ({", ".join(layers[:5])} ...), and the file of weights '
            f'has {len(stored)} ({", ".join(list(stored)[:5])} ...). These are of different models.'
        )
    return dict(zip(layers, stored.values()))


def is_of_the_user(layer: Layer) -> bool:
    """Whether this is a class of the program that wrote the file, whose weights only it knows."""
    return layer.kind not in LAYERS and layer.model is None and not layer.inner


def _give(file: File, layer: Layer, stored: List[Weight], keras_1: bool) -> None:
    if is_of_the_user(layer):
        layer.weights = stored
        return
    expected = parameters(layer, _names(keras_1))
    if len(expected) != len(stored):
        raise _other_number(file, layer, [parameter.name for parameter in expected], stored)
    for owner, named in shared_out(layer, stored, _names(keras_1)):
        weights = keras1.converted(owner, named) if keras_1 else named
        if file.engine == 'theano':
            weights = {name: _turned(owner, name, weight) for name, weight in weights.items()}
        owner.weights = [weights[name] for name in own_names(owner)]


def note_padding(model: Model) -> None:
    """Note in the configurations of layers that their `padding='same'` is Theano's, where that differs."""
    for outer in model.layers:
        for layer in with_inner(outer):
            config = layer.config
            strides = np.ravel(config.get('strides') or config.get('pool_size') or 1)
            sizes = np.ravel(config.get('kernel_size') or config.get('pool_size') or 1)
            equal = (1, 3) if 'Pooling' in layer.kind else range(1, 1000, 2)
            if config.get('padding') == 'same' and not ((strides == 1).all() and all(size in equal for size in sizes)):
                config['theano_padding'] = True


def _turned(layer: Layer, name: str, weight: Weight) -> Weight:
    axes, kernels = _TURNED.get(layer.kind, (0, ()))
    if name not in kernels:
        return weight
    return weight._replace(array=weight.array[tuple([slice(None, None, -1)] * axes)].copy())

"""Weights of a file, given to the layers of its model."""

from typing import Any, Dict, List

import numpy as np

from ...errors import UnreadableFileError
from ..dialects import keras1
from ..dialects.dialect import numbers
from ..layers.parameters import NamesOf, all_layers, names_of, own_names, parameters, shared_out, with_inner
from ..layers.table import LAYERS
from ..structure import File, Layer, Model, Weight

# Theano turns kernels around before it multiplies, and Keras stores them as its engine has them. Keras 1 does not write
# which engine that was.
_TURNED = {
    'Conv1D': (1, ('kernel',)), 'Conv2D': (2, ('kernel',)), 'Conv3D': (3, ('kernel',)),
    'Conv2DTranspose': (2, ('kernel',)), 'Conv3DTranspose': (3, ('kernel',)),
    'ConvLSTM2D': (2, ('kernel', 'recurrent_kernel')),
}  # fmt: skip


def given(file: File, alone: bool = False) -> None:
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
            f'{file.path} is of Keras 1, which does not write whether Theano or TensorFlow computed it, and the '
            f'kernels of {turned[0].name} ({turned[0].written_as}) depend on that: Theano turns them around. '
            "Say it with engine='theano' or engine='tensorflow'."
        )


def check(file: File) -> None:
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

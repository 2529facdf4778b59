"""Layers and weights of Keras 1, in the words of Keras 2.3.1. Source: the configurations that Keras 1.2.2 writes."""

import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from ...basics.tables import beside
from ...errors import UnreadableFileError
from ..layers.parameters import names_of
from ..structure import Layer, Weight
from . import keras2

# -- layers ------------------------------------------------------------------------------------------------------------
# Layers of Keras 1, in the words of Keras 2.3.1. Source: the configurations that Keras 1.2.2 writes.


Config = Dict[str, Any]

_TABLES: Dict[str, Any] = beside(__file__, 'names.json')
# Arguments of all classes that have another name in Keras 2.
_ALL: Dict[str, str] = _TABLES['arguments of Keras 1']
# The class -> its name in Keras 2, and the arguments of its own that have another name there.
_CLASSES: Dict[str, Tuple[str, Dict[str, str]]] = {
    old: (new, group['arguments']) for group in _TABLES['classes of Keras 1'] for old, new in group['classes'].items()
}
_ORDERS = {'th': 'channels_first', 'tf': 'channels_last'}
# Keras 1 does not write the order of the axes of these.
_WITHOUT_ORDER = [f'{name}{axes}D' for name in ('UpSampling', 'ZeroPadding', 'Cropping') for axes in (2, 3)]
_MERGES: Dict[str, str] = _TABLES['merges of Keras 1']
_PADDINGS = ('left_pad', 'right_pad'), ('top_pad', 'bottom_pad', 'left_pad', 'right_pad')


def spelling(kind: str, config: Config) -> Tuple[str, Config]:
    """The class and the configuration of a layer of Keras 1.

    Layers whose configuration does not say the order of its axes are left without `data_format`.
    """
    config = dict(config)
    if kind == 'Lambda':
        return 'Lambda', keras2.function_layer(config)
    if kind == 'Merge':
        return merged(config)
    if kind == 'TimeDistributedDense':
        dense = {key: value for key, value in config.items() if key not in ('name', 'batch_input_shape')}
        outer = ('name', 'trainable', 'batch_input_shape', 'input_dtype')
        outside = {str(key): config[key] for key in outer if key in config}
        inside = {'class_name': 'Dense', 'config': {**dense, 'name': f'{config.get("name")}_dense'}}
        return 'TimeDistributed', {**_renamed(outside, {}), 'layer': inside}
    name, renamed = _CLASSES.get(kind, (kind, {}))
    kept = {key: config.pop(key) for key in ('layer',) if key in config}
    options = _renamed({key: keras2.plain(value) for key, value in config.items()}, renamed)
    for size in (('nb_row', 'nb_col'), ('kernel_dim1', 'kernel_dim2', 'kernel_dim3')):
        if size[0] in options:
            options['kernel_size'] = [options.pop(key) for key in size]
    ordering = options.pop('dim_ordering', None)
    if ordering is not None:
        options['data_format'] = _ORDERS.get(ordering, ordering)
    if name in ('ZeroPadding1D', 'ZeroPadding2D'):
        options['padding'] = _padding(name, options['padding'])
    if name == 'GRU':
        options['reset_after'] = False
    if name == 'BatchNormalization' and options.get('mode', 0) != 0:
        raise UnreadableFileError(
            f'The layer {options.get("name")} is a BatchNormalization with mode={options["mode"]} of Keras 1, '
            'whose meaning no later Keras has. mode=0 is read.'
        )
    return name, {**options, **kept}


def _renamed(config: Config, renamed: Dict[str, str]) -> Config:
    return {renamed.get(key, _ALL.get(key, key)): value for key, value in config.items()}


def _padding(kind: str, padding: Any) -> Any:
    """The padding in pairs. Keras 1 has a number for both sides, a number for each axis, for each side, or a dict."""
    names = _PADDINGS[kind == 'ZeroPadding2D']
    if isinstance(padding, dict):
        padding = [padding.get(name, 0) for name in names]
    if kind == 'ZeroPadding1D':
        return padding
    return padding if len(padding) == 2 else [list(padding[:2]), list(padding[2:])]


def merged(config: Config) -> Tuple[str, Config]:
    """The layer that a Merge is."""
    mode, name = config.get('mode'), {'name': config.get('name'), 'trainable': config.get('trainable', True)}
    if config.get('mode_type', 'raw') != 'raw':
        function = {'function': mode, 'arguments': config.get('arguments') or {}, 'mask': None, **name}
        shape = {key: config.get(key) for key in ('output_shape', 'output_shape_type')}
        return 'Lambda', keras2.function_layer({**function, **shape})
    if mode == 'concat':
        return 'Concatenate', {**name, 'axis': config.get('concat_axis', -1)}
    if mode in ('dot', 'cos'):
        return 'Dot', {
            **name,
            'axes': keras2.plain(config.get('dot_axes', -1)),
            'normalize': mode == 'cos',
            'keras_1': True,
        }
    if mode not in _MERGES:
        raise UnreadableFileError(
            f'The Merge {config.get("name")} has the mode {str(mode)[:40]!r}, which Keras 1 does not have.'
        )
    return _MERGES[str(mode)], name


_OF_TENSORFLOW = re.compile(r':\d+\Z')
_WITHOUT_NAME = re.compile(r'param_\d+')


def engine_of(weights: Mapping[str, Sequence[Weight]]) -> str:
    """The engine that wrote weights, told by their names; '' where these do not tell it.

    Keras 1 writes the names of the variables of its engine: `conv_W:0` of TensorFlow, and `conv_W` of Theano. Variables
    without a name are `param_0`, `param_1` ...
    """
    names = [weight.name for layer in weights.values() for weight in layer]
    of_tensorflow = [bool(_OF_TENSORFLOW.search(name)) for name in names]
    if not names or any([_WITHOUT_NAME.fullmatch(name) for name in names]):
        return ''
    if all(of_tensorflow):
        return 'tensorflow'
    return 'theano' if not any([':' in name for name in names]) else ''


def set_axes(layers: List[Layer], engine: str) -> None:
    """Give layers without an order of axes that of the other layers, or the usual one of the engine.

    layers: all layers of a model. Error: UnreadableFileError, if there are two orders, so that it is not known.
    """
    orders = {layer.config['data_format'] for layer in layers if layer.config.get('data_format')}
    without = [layer for layer in layers if layer.kind in _WITHOUT_ORDER and 'data_format' not in layer.config]
    if len(orders) > 1 and without:
        raise UnreadableFileError(
            f'The file does not say the order of the axes of the layer {without[0].name} ({without[0].written_as}), '
            'and other layers of the model have both orders.'
        )
    for layer in without:
        layer.config['data_format'] = next(iter(orders), _ORDERS['th' if engine == 'theano' else 'tf'])


# -- weights -----------------------------------------------------------------------------------------------------------
# Weights of Keras 1, made those of Keras 2.3.1: one array for all gates, kernels with the axes of TensorFlow.


# The gates in the order of the file, and in the order of the kernels of Keras 2.
_GATES = {'LSTM': ('icfo', 'ifco'), 'ConvLSTM2D': ('icfo', 'ifco'), 'GRU': ('zrh', 'zrh')}
_LETTERS = (('W', 'kernel'), ('U', 'recurrent_kernel'), ('b', 'bias'))


def stored_names(layer: Layer) -> Tuple[List[str], List[str]]:
    """The names of the weights of a layer in a file of Keras 1: those that are trained, and the others.

    `consume_less='gpu'` has one array for all gates, as Keras 2 has.
    """
    if not _apart(layer):
        return names_of(layer)
    return [f'{letter}_{gate}' for gate in _GATES[layer.kind][0] for letter, _name in _LETTERS], []


def _apart(layer: Layer) -> bool:
    return layer.kind in _GATES and (layer.kind == 'ConvLSTM2D' or layer.config.get('consume_less') != 'gpu')


def converted(layer: Layer, stored: Mapping[str, Weight]) -> Dict[str, Weight]:
    """The weights by their names in Keras 2."""
    named = {name: Weight(name, _kernel(layer, name, weight.array)) for name, weight in stored.items()}
    if not _apart(layer):
        return named
    return {
        name: Weight(name, np.concatenate([named[f'{letter}_{gate}'].array for gate in _GATES[layer.kind][1]], axis=-1))
        for letter, name in _LETTERS
    }


def _kernel(layer: Layer, name: str, array: np.ndarray) -> np.ndarray:
    """The kernel of a convolution with the axes of TensorFlow."""
    if layer.kind == 'Conv1D' and array.ndim == 4:
        return array[:, 0]
    if array.ndim < 4:
        return array
    if layer.config.get('data_format') == 'channels_first':
        array = array.transpose(*range(2, array.ndim), 1, 0)
    return array.swapaxes(-1, -2) if layer.kind == 'Conv2DTranspose' else array

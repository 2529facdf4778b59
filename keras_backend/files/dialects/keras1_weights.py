"""Weights of Keras 1, made those of Keras 2.3.1: one array for all gates, kernels with the axes of TensorFlow."""

from typing import Dict, List, Mapping, Tuple

import numpy as np

from ..layers.parameters import names_of
from ..structure import Layer, Weight

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
    found = {name: Weight(name, _kernel(layer, name, weight.array)) for name, weight in stored.items()}
    if not _apart(layer):
        return found
    return {
        name: Weight(name, np.concatenate([found[f'{letter}_{gate}'].array for gate in _GATES[layer.kind][1]], axis=-1))
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

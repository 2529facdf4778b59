"""Weights of a file, given to layers of Keras 3."""

from typing import Any, List

import numpy as np

from ...errors import WrongWeightsError
from ..structure import File, Layer
from .own_layers import LayerOfFile


def give(file: File, layer: Layer, made: Any) -> None:
    """Give a layer of Keras 3 the weights of a layer of a file. A layer that is a model has its weights already."""
    if layer.model is not None:
        return
    if isinstance(made, LayerOfFile):
        made.take(layer)
    elif layer.kind == 'TimeDistributed' and layer.inner:
        give(file, layer.inner[0], made.layer)
    elif layer.kind == 'Bidirectional' and layer.inner:
        give(file, layer.inner[0], made.forward_layer)
        give(file, layer.inner[1], made.backward_layer)
    elif layer.kind == 'RNN' and layer.inner:
        for one, cell in zip(layer.inner, getattr(made.cell, 'cells', [made.cell])):
            give(file, one, cell)
    elif layer.weights:
        _set(file, layer, made, _arrays(layer))


def _arrays(layer: Layer) -> List[Any]:
    arrays = [np.asarray(weight.array) for weight in layer.weights]
    if layer.kind in ('CuDNNLSTM', 'CuDNNGRU'):
        return _of_cudnn(layer, *arrays)
    return arrays


def _of_cudnn(layer: Layer, kernel: Any, recurrent: Any, bias: Any) -> List[Any]:
    """The weights of a CuDNN layer as an LSTM or a GRU with reset_after has them."""
    units = int(layer.config['units'])
    parts = [slice(start, start + units) for start in range(0, kernel.shape[1], units)]
    both = bias.reshape(2, -1)
    return [
        np.concatenate([kernel[:, part].reshape(units, -1).T for part in parts], axis=1),
        np.concatenate([recurrent[:, part].T for part in parts], axis=1),
        both.sum(axis=0) if layer.kind == 'CuDNNLSTM' else both,
    ]


def _set(file: File, layer: Layer, made: Any, arrays: List[Any]) -> None:
    shapes = [tuple(variable.shape) for variable in made.weights]
    if [np.shape(array) for array in arrays] != shapes:
        raise WrongWeightsError(
            f'The layer {layer.name} ({layer.kind}) of {file.path} has weights of the shapes '
            f'{[np.shape(array) for array in arrays]}, and by its configuration it needs {shapes}.',
            layer.name,
        )
    made.set_weights(arrays)

"""Folders of a SavedModel of tf.keras: the configuration of the model, and the arrays of its checkpoint.

The functions in it are not read. Sources: TensorFlow's saved_metadata.proto, saved_model.proto and
saved_object_graph.proto.
"""

import os
import re
from typing import Any, Dict, List

from ...errors import UnreadableFileError
from ..layers.parameters import own_names, with_inner
from ..structure import Layer, Model, Weight
from . import checkpoint, text
from .protocol_buffers import Message

METADATA, GRAPH, VARIABLES = 'keras_metadata.pb', 'saved_model.pb', os.path.join('variables', 'variables')
OBJECTS = '_CHECKPOINTABLE_OBJECT_GRAPH'


class SavedModel:
    """The folder of a SavedModel, read once. Errors: UnreadableFileError, OSError."""

    def __init__(self, path: str) -> None:
        """Read the objects of the model, and the notes of Keras about them."""
        self.path = path
        objects = _objects(path)
        self.objects = [{child.text(2): child.number(1) for child in node.messages(1)} for node in objects]
        self.notes = _notes(path, objects)

    def metadata(self) -> Dict[str, Any]:
        """What Keras notes about a model: model_config, keras_version, backend, training_config."""
        note = self.notes.get(0)
        found = text.from_json(note, self.path) if note else None
        if not isinstance(found, dict) or not isinstance(found.get('model_config'), dict):
            kind = found.get('class_name') if isinstance(found, dict) else None
            raise UnreadableFileError(
                f'{self.path} is a SavedModel without the configuration of a Sequential or functional model of Keras'
                f'{f": its model is the class {kind}" if kind else ""}. Only TensorFlow can run it.'
            )
        return found

    def give_weights(self, model: Model) -> None:
        """Give each layer of the model its weights. Error: UnreadableFileError, if the checkpoint lacks some."""
        stored = checkpoint.Checkpoint(os.path.join(self.path, VARIABLES))
        _Weights(self, stored, *checkpoint.objects(stored.text(OBJECTS))).give(model)


def _notes(path: str, objects: List[Message]) -> Dict[int, str]:
    """The notes about each object by its number. TensorFlow 2.5 and later have them in a file of their own."""
    place = os.path.join(path, METADATA)
    if os.path.exists(place):
        with open(place, 'rb') as file:
            return {node.number(2): node.text(5) for node in Message(file.read()).messages(1)}
    return {number: node.message(4).text(3) for number, node in enumerate(objects)}


def _objects(path: str) -> List[Message]:
    place = os.path.join(path, GRAPH)
    if not os.path.exists(place):
        raise UnreadableFileError(f'The folder {path} is no SavedModel: it has no {GRAPH}.')
    with open(place, 'rb') as file:
        graphs = Message(file.read()).messages(2)
    return [node for graph in graphs[:1] for node in graph.message(7).messages(1)]


class _Weights:
    """The arrays of the layers of a model: a walk through the objects of the checkpoint and the notes about them."""

    def __init__(
        self, folder: SavedModel, stored: checkpoint.Checkpoint, parts: Dict[int, Dict[str, int]], keys: Dict[int, str]
    ) -> None:
        self.path, self.objects, self.notes = folder.path, folder.objects, folder.notes
        self.stored, self.parts, self.keys = stored, parts, keys

    def give(self, model: Model, stored: int = 0, noted: int = 0) -> None:
        """Give each layer its weights. stored, noted: the numbers of the model in the checkpoint and in the notes."""
        names = {
            self.name(number): part for part, number in self.objects[noted].items() if re.match(r'layer-\d+$', part)
        }
        for layer in model.layers:
            part = names.get(layer.name, '')
            if part in self.parts.get(stored, {}):
                self.of_layer(layer, self.parts[stored][part], self.objects[noted][part])
            elif any(own_names(one) for one in with_inner(layer)):
                raise UnreadableFileError(f'The checkpoint in {self.path} has no weights of the layer {layer.name}.')

    def name(self, number: int) -> str:
        note = self.notes.get(number)
        found = text.from_json(note, self.path) if note else {}
        return str(found.get('name') if isinstance(found, dict) else '')

    def of_layer(self, layer: Layer, stored: int, noted: int) -> None:
        if layer.model is not None:
            self.give(layer.model, stored, noted)
            return
        for inner, place in zip(layer.inner, _inner_places(layer)):
            self.of_layer(inner, self.at(stored, place, layer), noted)
        layer.weights = [
            Weight(name, self.stored.array(self.keys[self.at(stored, _place(layer, name), layer)]))
            for name in own_names(layer)
        ]

    def at(self, number: int, place: str, layer: Layer) -> int:
        for part in place.split('/'):
            if part not in self.parts.get(number, {}):
                raise UnreadableFileError(f'The checkpoint in {self.path} has no {place} of the layer {layer.name}.')
            number = self.parts[number][part]
        return number


def _inner_places(layer: Layer) -> List[str]:
    if layer.kind == 'Bidirectional':
        return ['forward_layer', 'backward_layer']
    if layer.kind == 'RNN':
        stacked = layer.config.get('stacked')
        return [f'cell/cells/{number}' if stacked else 'cell' for number in range(len(layer.inner))]
    return ['layer']


def _place(layer: Layer, name: str) -> str:
    if layer.kind in ('SimpleRNN', 'GRU', 'LSTM', 'ConvLSTM2D'):
        return f'cell/{name}'
    if layer.kind == 'MultiHeadAttention':
        part, weight = name.split('/')
        return f'_{part.replace("attention_", "")}_dense/{weight}'
    return name

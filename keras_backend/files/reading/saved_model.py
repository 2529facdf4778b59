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
from .budget import Budget
from .protocol_buffers import Message
from .regular_files import content, part, stored_size

METADATA, GRAPH, VARIABLES = 'keras_metadata.pb', 'saved_model.pb', os.path.join('variables', 'variables')
OBJECTS = '_CHECKPOINTABLE_OBJECT_GRAPH'


class SavedModel:
    """The folder of a SavedModel, read once. Errors: UnreadableFileError, OSError."""

    def __init__(self, path: str, budget: Budget) -> None:
        """Read the objects of the model, and the notes of Keras about them."""
        self.path, self._budget = path, budget
        objects = _objects(path, budget)
        self.objects = [{child.text(2): child.number(1) for child in node.messages(1)} for node in objects]
        self._notes = _notes(path, objects, budget)
        self._names: Dict[int, str] = {}
        self._layers: Dict[int, Dict[str, str]] = {}

    def metadata(self) -> Dict[str, Any]:
        """What Keras notes about a model: model_config, keras_version, backend, training_config."""
        note = self._notes.get(0)
        found = text.from_json(note, self._budget) if note else None
        if not isinstance(found, dict) or not isinstance(found.get('model_config'), dict):
            kind = found.get('class_name') if isinstance(found, dict) else None
            raise UnreadableFileError(
                f'{self.path} is a SavedModel without the configuration of a Sequential or functional model of Keras'
                f'{f": its model is the class {kind}" if kind else ""}. Only TensorFlow can run it.'
            )
        return found

    def give_weights(self, model: Model) -> None:
        """Give each layer of the model its weights. Error: UnreadableFileError, if the checkpoint lacks some."""
        stored = checkpoint.Checkpoint(self.path, VARIABLES, self._budget)
        _Weights(self, stored, *checkpoint.objects(stored.text(OBJECTS), self._budget)).give(model)

    def layers(self, number: int) -> Dict[str, str]:
        """The parts of a model by the names of their layers. number: of the model. Models may have one object."""
        if number not in self._layers:
            parts = self.objects[number].items()
            self._layers[number] = {self._name(of): part for part, of in parts if re.match(r'layer-\d+$', part)}
        return self._layers[number]

    def _name(self, number: int) -> str:
        if number not in self._names:
            note = self._notes.get(number)
            found = text.from_json(note, self._budget) if note else {}
            self._names[number] = str(found.get('name') if isinstance(found, dict) else '')
        return self._names[number]


def size(path: str) -> int:
    """The bytes on the disk of the parts that are read. Errors: UnreadableFileError, OSError."""
    folder = part(path, 'variables')
    names = os.listdir(folder) if os.path.isdir(folder) else []
    shards = [(path, 'variables', name) for name in names if re.match(r'variables\.(index|data-)', name)]
    parts = [part(*place) for place in [(path, GRAPH), (path, METADATA), *shards]]
    return sum([stored_size(place) for place in parts if os.path.exists(place)])


def _notes(path: str, objects: List[Message], budget: Budget) -> Dict[int, str]:
    """The notes about each object by its number. TensorFlow 2.5 and later have them in a file of their own."""
    place = part(path, METADATA)
    if os.path.exists(place):
        return {node.number(2): node.text(5) for node in Message(content(place, budget), budget).messages(1)}
    return {number: node.message(4).text(3) for number, node in enumerate(objects)}


def _objects(path: str, budget: Budget) -> List[Message]:
    place = part(path, GRAPH)
    if not os.path.exists(place):
        raise UnreadableFileError(f'The folder {path} is no SavedModel: it has no {GRAPH}.')
    graphs = Message(content(place, budget), budget).messages(2)
    return [node for graph in graphs[:1] for node in graph.message(7).messages(1)]


class _Weights:
    """The arrays of the layers of a model: a walk through the objects of the checkpoint and the notes about them."""

    def __init__(
        self, folder: SavedModel, stored: checkpoint.Checkpoint, parts: Dict[int, Dict[str, int]], keys: Dict[int, str]
    ) -> None:
        self.path, self.objects, self.folder = folder.path, folder.objects, folder
        self.stored, self.parts, self.keys = stored, parts, keys

    def give(self, model: Model, stored: int = 0, noted: int = 0) -> None:
        """Give each layer its weights. stored, noted: the numbers of the model in the checkpoint and in the notes."""
        names = self.folder.layers(noted)
        for layer in model.layers:
            place = names.get(layer.name, '')
            if place in self.parts.get(stored, {}):
                self.of_layer(layer, self.parts[stored][place], self.objects[noted][place])
            elif any(own_names(one) for one in with_inner(layer)):
                raise UnreadableFileError(f'The checkpoint in {self.path} has no weights of the layer {layer.name}.')

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
        for step in place.split('/'):
            if step not in self.parts.get(number, {}):
                raise UnreadableFileError(f'The checkpoint in {self.path} has no {place} of the layer {layer.name}.')
            number = self.parts[number][step]
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

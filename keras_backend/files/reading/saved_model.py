"""Folders of a SavedModel of tf.keras: the configuration of the model, and the arrays of its checkpoint.

The functions in it are not read. Sources: TensorFlow's saved_metadata.proto, saved_model.proto and
saved_object_graph.proto.
"""

import os
from typing import Any, Dict, List

from ...errors import UnreadableFileError
from . import checkpoint, text
from .protocol_buffers import Message

METADATA, GRAPH, VARIABLES = 'keras_metadata.pb', 'saved_model.pb', os.path.join('variables', 'variables')
OBJECTS = '_CHECKPOINTABLE_OBJECT_GRAPH'


def metadata(path: str) -> Dict[str, Any]:
    """What Keras notes about a model: model_config, keras_version, backend, training_config."""
    nodes = _nodes(path)
    found = text.from_json(nodes[0], path) if nodes and nodes[0] else None
    if not isinstance(found, dict) or not isinstance(found.get('model_config'), dict):
        kind = found.get('class_name') if isinstance(found, dict) else None
        raise UnreadableFileError(
            f'{path} is a SavedModel without the configuration of a Sequential or functional model of Keras'
            f'{f": its model is the class {kind}" if kind else ""}. Only TensorFlow can run it.'
        )
    return found


def _nodes(path: str) -> List[str]:
    """The notes about each object. TensorFlow 2.5 and later have them in a file of their own."""
    place = os.path.join(path, METADATA)
    if os.path.exists(place):
        with open(place, 'rb') as file:
            return [node.text(5) for node in sorted(Message(file.read()).messages(1), key=lambda node: node.number(2))]
    place = os.path.join(path, GRAPH)
    if not os.path.exists(place):
        raise UnreadableFileError(f'The folder {path} is no SavedModel: it has no {GRAPH}.')
    with open(place, 'rb') as file:
        graphs = Message(file.read()).messages(2)
    return [node.message(4).text(3) for graph in graphs[:1] for node in graph.message(7).messages(1)]


def weights(path: str) -> List[Any]:
    """The arrays of `model.weights`, in their order."""
    stored = checkpoint.Checkpoint(os.path.join(path, VARIABLES))
    graph = stored.text(OBJECTS)
    parts, keys = checkpoint.children(graph), checkpoint.keys(graph)
    listed = parts.get(parts.get(0, {}).get('variables', -1), {})
    places = sorted((int(name), number) for name, number in listed.items() if name.isdigit())
    missing = [number for _place, number in places if number not in keys]
    if missing or [place for place, _number in places] != list(range(len(places))):
        raise UnreadableFileError(f'The checkpoint in {path} does not say which array is which weight of the model.')
    return [stored.array(keys[number]) for _place, number in places]

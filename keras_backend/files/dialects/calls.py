"""Calls of layers in configurations: tensors by the layer, the call and the output that they come from.

Keras 1, Keras 2 and tf.keras write a call as [[layer, call, output, arguments], ...]. Keras 3 writes
{'args': [...], 'kwargs': {...}} with tensors in it. Both become a `Call`.
"""

from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np

from ...errors import UnreadableFileError
from .. import structure
from ..structure import Call, Layer, Model, Reference

# -- how often models are called ---------------------------------------------------------------------------------------
# How often models in models are called: a few lines can say more calls than a computer does in a year.


def repeated_calls(model: Model) -> int:
    """The calls of layers beyond those that the file says one by one, found without doing one."""
    return _calls(model) - _times(model)


def _calls(model: Model) -> int:
    """All calls of layers in one call of a model."""
    return sum([len(layer.calls) * _in_one_call(layer) for layer in model.layers])


def _in_one_call(layer: Layer) -> int:
    inside = _calls(layer.model) if layer.model is not None else sum(map(_in_one_call, layer.inner))
    return 1 + inside


def _times(model: Model) -> int:
    """The calls of layers that the file says."""
    return sum([len(layer.calls) + (min(len(layer.calls), 1) * _in_layer(layer)) for layer in model.layers])


def _in_layer(layer: Layer) -> int:
    if layer.model is not None:
        return _times(layer.model)
    return sum([1 + _in_layer(inner) for inner in layer.inner])


CONSTANT = '_CONSTANT_VALUE'


def call(node: Any, names: Any) -> Call:
    """A call of a layer, as any Keras writes it. names: the layers of the model."""
    if isinstance(node, dict) and 'args' in node:
        return _call_of_keras_3(node, names)
    if isinstance(node, dict):
        node = list(node.values())
    if node and isinstance(node[0], str):
        node = [node]
    inputs: List[Any] = []
    arguments: Dict[str, Any] = {}
    for item in node:
        if isinstance(item, list) and item and item[0] == CONSTANT:
            inputs.append(_constant(item[2]))
        else:
            inputs.extend(references(item[:3], names))
        if len(item) > 3 and item[3]:
            arguments.update({key: with_references(value, names) for key, value in item[3].items()})
    return Call(inputs, _said(arguments))


def _constant(value: Any) -> Any:
    """A constant in the place of a tensor. Numbers in lists become one array, which is not taken for several inputs."""
    if not isinstance(value, list):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in 'fiub':
        raise UnreadableFileError(f'The configuration has {str(value)[:60]!r} in the place of an array of numbers.')
    return array


def _call_of_keras_3(node: Dict[str, Any], names: Any) -> Call:
    """The call. A list without tensors behind them, such as the index of a slice, is the argument of its number."""
    positional = [with_references(item, names) for item in node['args']]
    inputs = positional[0] if len(positional) == 1 and isinstance(positional[0], list) else positional
    arguments = {key: with_references(value, names) for key, value in node['kwargs'].items()}
    for number, value in enumerate(inputs):
        if isinstance(value, (list, dict)) and not structure.references(value):
            arguments[str(number)] = value
    # `predict` and `fit` of Keras 3 say themselves whether a layer trains, whatever its call said.
    arguments = {key: value for key, value in arguments.items() if key != 'training' or isinstance(value, Reference)}
    return Call([value for number, value in enumerate(inputs) if str(number) not in arguments], _said(arguments))


def _said(arguments: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments without those that say what holds anyway, such as no mask."""
    return {key: value for key, value in arguments.items() if value is not None}


def with_references(value: Any, names: Any) -> Any:
    """An argument in which tensors are References."""
    reference = _reference(value, names)
    if reference is not None:
        return reference
    if isinstance(value, list):
        return [with_references(item, names) for item in value]
    if isinstance(value, dict):
        return {key: with_references(item, names) for key, item in value.items()}
    return value


def references(value: Any, names: Any) -> Iterator[Reference]:
    """All tensors in nested lists and dicts, in their order."""
    reference = _reference(value, names)
    if reference is not None:
        yield reference
    elif isinstance(value, (list, dict)):
        for item in value if isinstance(value, list) else value.values():
            yield from references(item, names)
    else:
        raise UnreadableFileError(f'The configuration has {str(value)[:60]!r} in the place of a tensor of a layer.')


def _reference(value: Any, names: Any) -> Optional[Reference]:
    if isinstance(value, dict) and value.get('class_name') == '__keras_tensor__':
        value = value['config']['keras_history']
    if isinstance(value, list) and len(value) in (3, 4) and isinstance(value[0], str) and value[0] in names:
        if all(isinstance(number, int) for number in value[1:3]):
            return Reference(*value[:3])
    return None


def has_several_arguments(node: Any) -> bool:
    """Whether Keras 3 calls a layer with more than one argument that holds tensors. One may be a list of tensors."""
    values = [*node['args'], *[value for name, value in node['kwargs'].items() if name != 'mask']]
    return sum([_holds_tensor(value) for value in values]) > 1


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get('class_name') == '__keras_tensor__' or any(map(_holds_tensor, value.values()))
    return isinstance(value, list) and any(map(_holds_tensor, value))


def is_of_keras_3(nodes: Any) -> bool:
    """Whether the calls of a layer are written as Keras 3 writes them."""
    return isinstance(nodes, list) and any(isinstance(node, dict) and 'args' in node for node in nodes)


def count_outputs_from_zero(model: Model) -> None:
    """Let the calls of functional models of which outputs come be counted from 0, as all others are.

    Keras 3 counts the call by which a functional model was made in the outputs of a model, and nowhere else (measured
    with 3.4.1, 3.8.0 and 3.15.1): the first call of `inner` is ['inner', 0, 0] as an input and ['inner', 1, 0] as an
    output.
    """
    functional = {layer.name for layer in model.layers if layer.written_as == 'Functional'}
    model.outputs = [output._replace(call=output.call - (output.layer in functional)) for output in model.outputs]


def count_from_zero(model: Model) -> None:
    """Let the calls of models in a model be counted from 0.

    tf.keras counts the call by which a model was made, too, and does not write it: of a model that is called once in
    the file, that call can be number 1.
    """
    used: Dict[str, int] = {}

    def note(reference: Reference) -> Reference:
        used[reference.layer] = max(used.get(reference.layer, 0), reference.call)
        return reference

    _replaced(model, note)
    first = {
        layer.name: max(0, used.get(layer.name, 0) - len(layer.calls) + 1)
        for layer in model.layers if layer.model is not None
    }  # fmt: skip
    _replaced(model, lambda reference: reference._replace(call=reference.call - first.get(reference.layer, 0)))


def _replaced(model: Model, change: Callable[[Reference], Reference]) -> None:
    """Put `change(reference)` in the place of each reference."""
    for layer in model.layers:
        for call in layer.calls:
            call.inputs, call.arguments = [structure.replaced(value, change) for value in (call.inputs, call.arguments)]
    model.inputs, model.outputs = [structure.replaced(value, change) for value in (model.inputs, model.outputs)]

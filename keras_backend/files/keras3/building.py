"""A model of a file as a functional model of Keras 3."""

import inspect
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ...errors import UnknownLayerError, UnreadableFileError, WrongWeightsError
from ..lambdas.layers import Functions
from ..layers.core import as_given
from ..layers.parameters import own_names, with_inner
from ..layers.table import LAYERS
from ..layers.use import Help, Use, tensor_list
from ..structure import Call, File, Layer, Model, Reference, replaced
from . import functions, native, spellings, weights
from .choice import is_native, without
from .library import k_inside_keras, keras
from .own_layers import LayerOfFile, described

# Operations of TensorFlow, and those of Keras 3. None of them has weights.
OPERATIONS = ('TFOpLambda', 'SlicingOpLambda', 'TensorFlowOpLayer', 'ops.')
RECURRENT = tuple('SimpleRNN GRU LSTM CuDNNGRU CuDNNLSTM RNN Bidirectional ConvLSTM1D ConvLSTM2D ConvLSTM3D'.split())


class Builder:
    """Makes the layers of one file. lambdas, custom_objects: as `load` has them."""

    def __init__(
        self, file: File, lambdas: Mapping[str, Callable[..., Any]], custom_objects: Mapping[str, Any]
    ) -> None:
        """Keep what the user gives."""
        self.file, self.lambdas, self.custom_objects = file, lambdas, custom_objects
        self.functions = Functions(file, k_inside_keras(), {**custom_objects, **lambdas})

    # -- models --------------------------------------------------------------------------------------------------
    def model(self, model: Model, name: str) -> Any:
        """The model, with the weights of the file."""
        names = spellings.Names()
        tensors: Dict[Tuple[str, int], List[Any]] = {}
        made: Dict[str, Any] = {}
        own = {layer.name: names.of(layer.name) for layer in model.layers}
        waiting = [(layer, number) for layer in model.layers for number in range(len(layer.calls))]
        while waiting:
            later = []
            for layer, number in waiting:
                call = layer.calls[number]
                if all([(one.layer, one.call) in tensors for one in call.references()]):
                    tensors[layer.name, number] = self._called(model, layer, call, own[layer.name], made, tensors)
                else:
                    later.append((layer, number))
            if len(later) == len(waiting):
                raise UnreadableFileError(
                    f'The layers of the model {model.name} in {self.file.path} wait for each other: '
                    f'{", ".join([layer.name for layer, _ in later[:5]])}.'
                )
            waiting = later
        inputs, outputs = [
            [self._tensor(model, one, tensors) for one in some] for some in (model.inputs, model.outputs)
        ]
        _rename_operations(outputs, set(own.values()))
        built = keras.Model(as_given(inputs), as_given(outputs), name=name)
        for layer in model.layers:
            if layer.name in made:
                weights.give(self.file, layer, made[layer.name])
        return built

    def _tensor(self, model: Model, reference: Reference, tensors: Mapping[Any, List[Any]]) -> Any:
        found = tensors.get((reference.layer, reference.call), [])
        if reference.output >= len(found):
            raise UnreadableFileError(
                f'{self.file.path} names the output {reference.output} of the layer {reference.layer}, which has '
                f'{len(found)}.'
            )
        return found[reference.output]

    def _called(
        self, model: Model, layer: Layer, call: Call, name: str, made: Dict[str, Any], tensors: Mapping[Any, List[Any]]
    ) -> List[Any]:
        if layer.kind == 'InputLayer':
            return [self._input(layer, name)]

        def tensor(one: Reference) -> Any:
            return self._tensor(model, one, tensors)

        inputs, arguments = replaced(call.inputs, tensor), replaced(call.arguments, tensor)
        if layer.kind.startswith(OPERATIONS) and layer.kind not in self.custom_objects:
            return self._operation(layer, inputs, arguments)
        if layer.name not in made:
            made[layer.name] = self.layer(layer, name, inputs)
        found_before = made[layer.name]
        if layer.kind == 'Lambda' and isinstance(found_before, keras.Model) and not _fits(found_before, inputs):
            # The operations are for the shapes of the first call.
            again = self._lambda(layer, f'{name}_call_{layer.calls.index(call)}', inputs)
            return self._outputs(layer, again, inputs, arguments)
        return self._outputs(layer, found_before, inputs, arguments)

    def _input(self, layer: Layer, name: str) -> Any:
        config = layer.config
        shape = spellings.shape(config.get('batch_input_shape'), layer)
        sparse = bool(config.get('sparse'))
        return keras.Input(batch_shape=shape, dtype=config.get('dtype') or 'float32', name=name, sparse=sparse)

    # -- calls ---------------------------------------------------------------------------------------------------
    def _outputs(self, layer: Layer, made: Any, inputs: List[Any], arguments: Dict[str, Any]) -> List[Any]:
        if isinstance(made, LayerOfFile):
            return tensor_list(made(as_given(inputs), **arguments))
        if layer.kind in RECURRENT:
            states = inputs[1:] or arguments.get('initial_state')
            if states is not None:
                arguments = {**arguments, 'initial_state': tensor_list(states)}
            return tensor_list(made(inputs[0], **arguments))
        if layer.kind == 'MultiHeadAttention':
            return tensor_list(made(*inputs, **arguments))
        return tensor_list(made(as_given(inputs), **arguments))

    def _operation(self, layer: Layer, inputs: List[Any], arguments: Dict[str, Any]) -> List[Any]:
        """An operation of TensorFlow or Keras 3, as operations of Keras."""
        helper = Help(_no_apply, _no_weights, None, self.custom_objects, _no_apply, [], self.file.library)
        use = Use(k_inside_keras(), layer, {}, inputs, [None] * len(inputs), arguments, helper)
        return tensor_list(LAYERS[layer.kind].call(use))

    # -- layers --------------------------------------------------------------------------------------------------
    def layer(self, layer: Layer, name: str, inputs: Optional[List[Any]] = None) -> Any:
        """The layer of Keras 3. inputs: the tensors of its first call, where it is not in another layer."""
        made = self._layer(layer, name, inputs)
        if layer.config.get('trainable', True) is False:
            made.trainable = False
        return made

    def _layer(self, layer: Layer, name: str, inputs: Optional[List[Any]]) -> Any:
        if layer.model is not None:
            return self.model(layer.model, name)
        if layer.name in self.lambdas:
            return functions.plain(self.lambdas[layer.name], layer.config, name)
        if layer.kind == 'Lambda':
            return self._lambda(layer, name, inputs)
        if layer.kind in self.custom_objects:
            return self._custom(layer, name)
        if is_native(self.file, layer, inputs or ()):
            return self._native(layer, name)
        if layer.kind not in LAYERS:
            raise UnknownLayerError(
                f'The layer {layer.name} of {self.file.path} is a {layer.kind}, a class that Keras does not have. Give '
                f'the class: custom_objects={{{layer.kind!r}: {layer.kind}}}, derived from keras.layers.Layer.',
                layer.name,
                layer.kind,
            )
        self._has_weights(layer)
        return LayerOfFile(described(layer), self.file.library, self._functions(), name=name)

    def _lambda(self, layer: Layer, name: str, inputs: Optional[List[Any]]) -> Any:
        called = self.functions(layer)
        if not functions.is_code(layer.config['function']):
            return functions.plain(called, layer.config, name)
        found = functions.as_operations(layer, called, inputs, name) if inputs else None
        return found if found is not None else functions.layer_of(self.file, layer, name, self._names())

    def _names(self) -> Dict[str, Any]:
        return {**self.custom_objects, **self.lambdas}

    def _has_weights(self, layer: Layer) -> None:
        if any([len(own_names(one)) > len(one.weights) for one in with_inner(layer)]):
            raise WrongWeightsError(
                f'The layer {layer.name} ({layer.kind}) has weights, and {self.file.path} has none. Give their file: '
                "load(path, weights='weights.h5').",
                layer.name,
            )

    def _functions(self) -> Dict[str, Any]:
        return {name: value for name, value in self.custom_objects.items() if not inspect.isclass(value)}

    def _custom(self, layer: Layer, name: str) -> Any:
        config = {key: value for key, value in layer.config.items() if key not in ('batch_input_shape', 'input_dtype')}
        config['name'] = name
        given: Any = self.custom_objects[layer.kind]
        if not hasattr(given, 'from_config'):
            return keras.layers.Lambda(given, name=name)
        with keras.saving.custom_object_scope(dict(self.custom_objects)):
            return given.from_config(config)

    def _native(self, layer: Layer, name: str) -> Any:
        common: Dict[str, Any] = {'name': name, 'dtype': spellings.floating(layer.config.get('dtype'))}
        if layer.kind == 'TimeDistributed':
            return keras.layers.TimeDistributed(self._inner(layer.inner[0]), **common)
        if layer.kind == 'Bidirectional':
            forward, backward = [self._inner(without(inner, 'zero_output_for_mask')) for inner in layer.inner]
            mode = layer.config.get('merge_mode', 'concat')
            return keras.layers.Bidirectional(forward, merge_mode=mode, backward_layer=backward, **common)
        if layer.kind == 'RNN':
            return self._of_cells(layer, common)
        kind = native.has(layer.kind)
        assert kind is not None
        converters = native.Converters(
            lambda said: spellings.activation(said, layer, self.custom_objects, self._inner),
            *[
                _with(convert, self.custom_objects)
                for convert in (spellings.initializer, spellings.regularizer, spellings.constraint)
            ],
        )
        given = native.arguments(layer, kind, native.accepted_by(kind.kind), converters)
        return getattr(keras.layers, kind.kind)(**given, **common)

    def _inner(self, layer: Layer) -> Any:
        return self.layer(layer, layer.name.replace('/', '_'))

    def _of_cells(self, layer: Layer, common: Dict[str, Any]) -> Any:
        cells = [self._inner(cell) for cell in layer.inner]
        names = ('return_sequences', 'return_state', 'go_backwards', 'stateful', 'unroll')
        given = {name: bool(layer.config.get(name, False)) for name in names}
        cell = keras.layers.StackedRNNCells(cells) if layer.config.get('stacked') or len(cells) > 1 else cells[0]
        return keras.layers.RNN(cell, **given, **common)


def _fits(model: Any, inputs: Sequence[Any]) -> bool:
    return [tuple(x.shape) for x in model.inputs] == [tuple(x.shape) for x in inputs]


def _rename_operations(outputs: List[Any], taken: Set[str]) -> None:
    """Give operations that compute masks other names than those of layers. Keras 3 numbers them by itself.

    taken: the names of layers.
    """
    seen = set()
    waiting = list(outputs)
    while waiting:
        history = waiting.pop()._keras_history
        operation, number = history.operation, history.node_index
        if (id(operation), number) in seen:
            continue
        seen.add((id(operation), number))
        while operation.name in taken and not isinstance(operation, keras.layers.Layer):
            operation.name += '_operation'
        waiting += operation._inbound_nodes[number].input_tensors


def _with(convert: Callable[[Any, Any], Any], custom_objects: Mapping[str, Any]) -> Callable[[Any], Any]:
    return lambda said: convert(said, custom_objects)


def _no_apply(*given: Any) -> Any:
    raise NotImplementedError


def _no_weights(layer: Layer, shapes: Any) -> Mapping[str, Any]:
    return {}

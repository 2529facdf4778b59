"""A model of a file, composed with K: placeholders, variables for its weights, and tensors for what it predicts."""

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ...basics.terminal import printable
from ...errors import ArgumentError, LayerConfigError, UnknownLayerError, WrongWeightsError
from ..structure import Call, Layer, Model, Reference, Weight, replaced
from . import parameters
from .core import as_given, is_called_in_training, takes
from .table import LAYERS, results
from .use import Help, Use, flat, masks_of, tensor_list

Node = Tuple[str, int]
Done = Dict[Node, Tuple[List[Any], List[Any]]]


def compose(
    model: Model,
    K: Any,
    inputs: Optional[Sequence[Any]] = None,
    lambdas: Optional[Callable[[Layer], Callable[..., Any]]] = None,
    layers: Optional[Mapping[str, Callable[..., Any]]] = None,
    library: str = 'keras',
) -> 'Composition':
    """A model of a file as tensors of K. It predicts: dropout does nothing, and averages stay as they are.

    model: the model. K: the module of K functions. inputs: tensors of K for the inputs of the model; None makes
    placeholders. lambdas: a `Lambda` layer -> its function. layers: functions of the user by the kind of a layer, (K,
    layer, weights, inputs) -> tensor, or by the name of an activation, x -> tensor. A function that has the argument
    `mask` gets the mask, and passes it on if it has the attribute `supports_masking`. library: 'keras' for
    Keras 1 and 2, which refuse a mask where a layer does not support it; 'tf.keras' or 'keras 3', which end it there.
    Result: the composition, with `inputs` and `outputs`.
    Errors: UnknownLayerError, if a layer or an activation has no meaning here. WrongWeightsError, if the weights of a
    layer do not fit it. UnsupportedMaskError, where Keras 2.3.1 refuses a mask. LayerConfigError, if a layer cannot be
    computed as it is configured.
    """
    return Composition(model, K, inputs, lambdas, layers or {}, library)


class Composition:
    """The tensors of a model.

    inputs, outputs: lists of tensors. weights: variables by the name of the layer and their own name; layers in layers
    have names such as 'encoder/dense_1'. updates: what a function of a model with stateful layers has to update.
    shapes: those of the outputs of each call of a layer of the model, by layer and number of the call.
    """

    def __init__(
        self,
        model: Model,
        K: Any,
        inputs: Optional[Sequence[Any]],
        lambdas: Optional[Callable[[Layer], Callable[..., Any]]],
        layers: Mapping[str, Callable[..., Any]],
        library: str,
    ) -> None:
        """See `compose`."""
        self.model, self.weights = model, {}  # type: Model, Dict[str, Dict[str, Any]]
        self.updates: List[Tuple[Any, Any]] = []
        self.shapes: Dict[Node, List[Any]] = {}
        self._K, self._functions = K, layers
        self._states: Dict[Tuple[int, int], Any] = {}
        self._stored = {id(layer): weights for layer, weights in _shared_out(model)}
        self._names = {id(layer): name for layer, name in _all_layers(model, '')}
        self._variables: Dict[int, Dict[str, Any]] = {}
        self._help = Help(self._apply, self._weights_of, lambdas, layers, self._state, self.updates, library)
        self.inputs = [self._placeholder(reference) for reference in model.inputs] if inputs is None else list(inputs)
        self.outputs, _ = self._run(model, self.inputs, [None] * len(self.inputs))

    def function(self) -> Any:
        """The function of K that predicts: a list of arrays -> a list of arrays. It keeps the states of layers."""
        return self._K.function(self.inputs, self.outputs, updates=self.updates)

    def reset_states(self) -> None:
        """Set the states of stateful layers to zero."""
        for variable in self._states.values():
            self._K.set_value(variable, np.zeros(self._K.int_shape(variable)))

    # -- the order of the calls ------------------------------------------------------------------------------------
    def _placeholder(self, reference: Reference) -> Any:
        layer = self.model.layer(reference.layer)
        config = layer.config
        if config.get('sparse'):
            raise LayerConfigError(
                f'The input {layer.name} is sparse, which is not done; give a dense tensor of K with inputs=[...].',
                layer.name,
            )
        shape = config.get('batch_input_shape')
        if shape is None:
            raise LayerConfigError(
                f'The input {layer.name} has no batch_input_shape; give a tensor of K with inputs=[...].', layer.name
            )
        return self._K.placeholder(
            shape=tuple(shape), dtype=config.get('dtype') or self._K.floatx(), name=printable(layer.name)
        )

    def _run(self, model: Model, inputs: Sequence[Any], masks: Sequence[Any]) -> Tuple[List[Any], List[Any]]:
        """The outputs of a model, and their masks. Calls that no output needs are left out."""
        if len(inputs) != len(model.inputs):
            raise LayerConfigError(
                f'The model {model.name} has {len(model.inputs)} inputs and gets {len(inputs)}.', model.name
            )
        done: Done = {(end.layer, end.call): ([x], [mask]) for end, x, mask in zip(model.inputs, inputs, masks)}
        layers = {layer.name: layer for layer in model.layers}
        stack: List[Node] = [(end.layer, end.call) for end in reversed(model.outputs)]
        entered = set()
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            call = _call_of(layers, node, model)
            missing = [key for key in [(source.layer, source.call) for source in call.references()] if key not in done]
            if missing and node in entered:
                raise LayerConfigError(f'The layer {node[0]} needs its own output.', node[0])
            entered.add(node)
            if missing:
                stack += reversed(missing)
                continue
            done[node] = self._called(layers[node[0]], call, done)
            if model is self.model:
                self.shapes[node] = [self._K.int_shape(x) for x in done[node][0]]
        tensors, own = [[_output(end, done[end.layer, end.call][index]) for end in model.outputs] for index in (0, 1)]
        return tensors, own

    def _called(self, layer: Layer, call: Call, done: Done) -> Tuple[List[Any], List[Any]]:
        leaves, arguments = flat(layer, call)

        def tensor(one: Reference) -> Any:
            return _output(one, done[one.layer, one.call][0])

        inputs = [replaced(leaf, tensor) for leaf in leaves]
        masks = [
            _output(leaf, done[leaf.layer, leaf.call][1]) if isinstance(leaf, Reference) else None for leaf in leaves
        ]
        resolved = {name: replaced(value, tensor) for name, value in arguments.items()}
        masks = masks_of(layer, resolved, masks)
        outputs, own = self._apply(layer, inputs, masks, resolved, None)
        tensors = tensor_list(outputs)
        if own is None:
            return tensors, [None] * len(tensors)
        return tensors, tensor_list(own)

    # -- one layer -------------------------------------------------------------------------------------------------
    def _apply(
        self, layer: Layer, inputs: List[Any], masks: List[Any], arguments: Mapping[str, Any], owner: Optional[Layer]
    ) -> Tuple[Any, Any]:
        """The outputs of a layer, and their masks. owner: the layer whose weights it has, None for its own."""
        try:
            if layer.kind in self._functions:
                return self._of_user(layer, inputs, masks)
            if is_called_in_training(layer, arguments):
                raise parameters.unfit(
                    layer,
                    'is called with training=True, so that it draws at random or normalizes by the batch also when the '
                    f'model predicts. This is not done; give a function with layers={{{layer.kind!r}: function}}.',
                )
            if layer.model is not None:
                outputs, own = self._run(layer.model, inputs, masks)
                return (outputs[0], own[0]) if len(outputs) == 1 else (outputs, own)
            if layer.kind not in LAYERS:
                raise UnknownLayerError(
                    f'The layer {layer.name} is a {layer.kind}, which has no meaning here; give it with '
                    f'layers={{{layer.kind!r}: function}}, a function (K, layer, weights, inputs) -> tensor.',
                    layer.name,
                    layer.kind,
                )
            parameters.check_entries(layer)
            parameters.check_call(layer, inputs, arguments)
            with parameters.border(layer, self._is_of_user):
                shapes = [self._K.int_shape(x) for x in inputs if self._K.is_tensor(x)]
                weights = self._weights_of(owner or layer, shapes)
                return results(Use(self._K, layer, weights, inputs, masks, arguments, self._help, owner))
        except ArgumentError as error:
            location = f'This is in the layer {printable(layer.name)}, '
            if location not in str(error):
                error.args = (f'{error} {location}a {printable(layer.kind)}.',)
            raise

    def _is_of_user(self, layer: Layer) -> bool:
        """Whether what a layer computes is code of the user."""
        return layer.kind in self._functions or layer.kind == 'Lambda'

    def _of_user(self, layer: Layer, inputs: List[Any], masks: List[Any]) -> Tuple[Any, Any]:
        function = self._functions[layer.kind]
        stored = self._stored.get(id(layer), layer.weights)
        if id(layer) not in self._variables:
            self._keep(layer, {weight.name: self._K.variable(weight.array) for weight in stored})
        named = {'mask': as_given(masks)} if takes(function, 'mask') else {}
        outputs = function(self._K, layer, list(self._variables[id(layer)].values()), as_given(inputs), **named)
        return outputs, masks[0] if masks and getattr(function, 'supports_masking', False) else None

    def _keep(self, layer: Layer, variables: Dict[str, Any]) -> None:
        self._variables[id(layer)] = variables
        if variables:
            self.weights[self._names.get(id(layer), layer.name)] = variables

    def _weights_of(self, layer: Layer, shapes: Sequence[Any]) -> Mapping[str, Any]:
        """The variables of a layer, made at its first call. shapes: those of its inputs."""
        if id(layer) not in self._variables:
            stored = self._stored.get(id(layer), layer.weights)
            # What is in a layer has the weights.
            names = [] if parameters.inner_layers(layer) else parameters.own_names(layer)
            expected = parameters.wanted_shapes(layer.kind, layer.config, list(shapes))
            arrays = [np.asarray(weight.array) for weight in stored]
            fit = len(arrays) == len(names) and all(
                [parameters.fits(array.shape, expected.get(name)) for name, array in zip(names, arrays)]
            )
            if not fit and not parameters.inner_layers(layer):
                raise _wrong_weights(layer, names, expected, [array.shape for array in arrays])
            self._keep(layer, {name: self._K.variable(array) for name, array in zip(names, arrays)})
        return self._variables[id(layer)]

    def _state(self, layer: Layer, number: int, shape: Sequence[int]) -> Any:
        key = (id(layer), number)
        if key not in self._states:
            self._states[key] = self._K.zeros(tuple(shape))
        return self._states[key]


def _wrong_weights(
    layer: Layer, names: Sequence[str], wanted: Mapping[str, Any], found: Sequence[Any]
) -> WrongWeightsError:
    needs = (
        ', '.join([f'{name} {parameters.in_words(wanted[name])}' if name in wanted else name for name in names])
        or 'none'
    )
    has = ', '.join([parameters.in_words(shape) for shape in found]) or 'none'
    return WrongWeightsError(
        f'The layer {layer.name} ({layer.kind}) needs the weights {needs}, and has weights of the shapes {has}.',
        layer.name,
    )


def _all_layers(model: Model, prefix: str) -> Iterator[Tuple[Layer, str]]:
    """The layers of a model with those in them, and their names."""
    for layer in model.layers:
        yield from _with_inner(layer, prefix)


def _with_inner(layer: Layer, prefix: str) -> Iterator[Tuple[Layer, str]]:
    yield layer, prefix + layer.name
    for inner in parameters.inner_layers(layer):
        yield from _with_inner(inner, f'{prefix}{layer.name}/')


def _shared_out(model: Model) -> Iterator[Tuple[Layer, List[Weight]]]:
    """The weights of layers in a layer that has a flat list of them, where they have none of their own."""
    for layer, _ in _all_layers(model, ''):
        expected = parameters.parameters(layer) if layer.weights and parameters.inner_layers(layer) else []
        if not expected or any([weight.owner.weights for weight in expected]):
            continue
        if len(expected) != len(layer.weights):
            raise _wrong_weights(
                layer, [weight.name for weight in expected], {}, [weight.array.shape for weight in layer.weights]
            )
        for owner, named in parameters.shared_out(layer, layer.weights):
            yield owner, [named[name] for name in parameters.own_names(owner)]


def _call_of(layers: Mapping[str, Layer], node: Node, model: Model) -> Call:
    name, number = node
    if name not in layers or not 0 <= number < len(layers[name].calls):
        raise LayerConfigError(f'The model {model.name} has no call {number} of a layer {name}.', name)
    return layers[name].calls[number]


def _output(reference: Reference, outputs: Sequence[Any]) -> Any:
    """The output of a call that a reference names."""
    if not 0 <= reference.output < len(outputs):
        raise LayerConfigError(
            f'The output {reference.output} of the layer {reference.layer} is used, and it has {len(outputs)}.',
            reference.layer,
        )
    return outputs[reference.output]

"""A model of a file as a model of a Keras that is installed: the order of the calls, each layer once, its weights."""

import inspect
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ...basics.terminal import printable
from ...errors import UnknownLayerError, UnreadableFileError, WrongWeightsError
from ..lambdas import Functions
from ..layers.core import acts_in_training, as_given, is_called_in_training
from ..layers.parameters import all_layers, border, check_call, check_entries, own_names, unfit, with_inner
from ..layers.table import LAYERS, OTHERS
from ..layers.use import flat, tensor_list
from ..objects.of_programs import checked_config
from ..structure import Call, File, Layer, Model, Reference, replaced
from .layer_of_file import OfFile

# Operations of TensorFlow, and those of Keras 3. None of them has weights.
OPERATIONS = ('TFOpLambda', 'SlicingOpLambda', 'TensorFlowOpLayer', 'ops.')
RECURRENT = tuple('SimpleRNN GRU LSTM CuDNNGRU CuDNNLSTM RNN Bidirectional ConvLSTM1D ConvLSTM2D ConvLSTM3D'.split())

Tensors = Mapping[Tuple[str, int], List[Any]]


class Builder:
    """Makes the layers of one file. A Keras has a class of its own, derived from this one.

    K: the module of K functions that the functions of `Lambda` layers get. lambdas, custom_objects: as the `load` of
    that Keras has them.
    """

    # The argument of `load` with functions by the name of a layer.
    FUNCTIONS = 'lambdas'

    def __init__(
        self, file: File, K: Any, lambdas: Mapping[str, Callable[..., Any]], custom_objects: Mapping[str, Any]
    ) -> None:
        """Keep what the user gives."""
        self.file, self.K, self.lambdas, self.custom_objects = file, K, lambdas, custom_objects
        # A configuration alone, whose model begins with random weights.
        self.is_configuration = file.form in ('json', 'yaml') and not (
            file.weights or any([layer.weights for layer in all_layers(file.model)])
        )
        self.functions = Functions(file, K, {**custom_objects, **lambdas}, self.FUNCTIONS)

    # -- of a Keras --------------------------------------------------------------------------------------------------
    def names(self, model: Model) -> Dict[str, str]:
        """The names of the layers of a model, by those in the file."""
        return {layer.name: layer.name for layer in model.layers}

    def finished(self, inputs: List[Any], outputs: List[Any], name: str, names: Mapping[str, str]) -> Any:
        """The model with these inputs and outputs."""
        raise NotImplementedError

    def input(self, layer: Layer, name: str) -> Any:
        """The tensor of an input."""
        raise NotImplementedError

    def new_layer(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        """The layer of this Keras. call: its first call with tensors, None for a layer in another layer."""
        raise NotImplementedError

    def outputs(self, layer: Layer, made: Any, call: Call) -> List[Any]:
        """The outputs of a call with tensors."""
        raise NotImplementedError

    def shapes(self, made: Any) -> List[Tuple[int, ...]]:
        """The shapes of the weights of a layer of this Keras."""
        raise NotImplementedError

    # -- models ------------------------------------------------------------------------------------------------------
    def model(self, model: Model, name: str) -> Any:
        """The model, with the weights of the file."""
        tensors: Dict[Tuple[str, int], List[Any]] = {}
        layers: Dict[str, Any] = {}
        names = self.names(model)
        for layer, number in model.calls():
            tensors[layer.name, number] = self._called(model, layer, number, names[layer.name], layers, tensors)
        later = [
            layer.name
            for layer in model.layers
            for number in range(len(layer.calls))
            if (layer.name, number) not in tensors
        ]
        if later:
            raise UnreadableFileError(
                f'The layers of the model {model.name} in {self.file.path} wait for each other: {", ".join(later[:5])}.'
            )
        inputs, outputs = [
            [self._tensor(model, reference, tensors) for reference in some] for some in (model.inputs, model.outputs)
        ]
        built = self.finished(inputs, outputs, name, names)
        self.give_all(model, layers)
        return built

    def _tensor(self, model: Model, reference: Reference, tensors: Tensors) -> Any:
        outputs = tensors.get((reference.layer, reference.call), [])
        if reference.output >= len(outputs):
            raise UnreadableFileError(
                f'{self.file.path} names the output {reference.output} of the layer {reference.layer}, which has '
                f'{len(outputs)}.'
            )
        return outputs[reference.output]

    def _called(
        self, model: Model, layer: Layer, number: int, name: str, made: Dict[str, Any], tensors: Tensors
    ) -> List[Any]:
        if layer.kind == 'InputLayer':
            with border(layer, self.is_of_user, 'built'):
                return [self.input(layer, name)]

        def tensor(one: Reference) -> Any:
            return self._tensor(model, one, tensors)

        call = layer.calls[number]
        resolved = Call(replaced(call.inputs, tensor), replaced(call.arguments, tensor))
        with border(layer, self.is_of_user, 'built'):
            return self.called(layer, resolved, name if number == 0 else f'{name}_call_{number}', made)

    def called(self, layer: Layer, call: Call, name: str, made: Dict[str, Any]) -> List[Any]:
        """The outputs of one call with tensors.

        name: that of a layer which is made for this call. made: the layers that are made, by their names in the file.
        """
        if layer.name not in made:
            made[layer.name] = self.layer(layer, name, call)
        return self.outputs(layer, made[layer.name], call)

    def warn_of_random_weights(self, model: Any) -> None:
        """Tell the caller of `load` that a configuration alone has given a model with weights."""
        if self.is_configuration and model.weights:
            path = self.file.path
            warnings.warn(
                f'{path} has the configuration of a model, and no weights: those of the model are random. Give them: '
                f"load({path!r}, weights='weights.h5').",
                stacklevel=3,
            )

    # -- layers ------------------------------------------------------------------------------------------------------
    def layer(self, layer: Layer, name: str, call: Optional[Call] = None) -> Any:
        """The layer of this Keras, trained or not as the file says."""
        keras_layer = self.new_layer(layer, name, call)
        if layer.config.get('trainable', True) is False:
            keras_layer.trainable = False
        return keras_layer

    def is_of_user(self, layer: Layer) -> bool:
        """Whether a layer is code of the user, whose errors are for the user."""
        return layer.kind in self.custom_objects or self.functions.is_given(layer)

    def is_operation(self, layer: Layer) -> bool:
        """Whether a layer of the file is an operation of TensorFlow or Keras 3, and not a class of the user."""
        return layer.kind.startswith(OPERATIONS) and layer.kind not in self.custom_objects

    def check(self, layer: Layer, call: Optional[Call]) -> None:
        """Refuse a layer that K cannot compute. Errors: UnknownLayerError, WrongWeightsError, LayerConfigError."""
        if layer.kind not in LAYERS:
            what, value = 'a class that Keras does not have', layer.kind
            more = ', derived from keras.layers.Layer'
            if layer.kind in OTHERS:
                what, value = 'a layer of Keras that keras_backend does not read', f'keras.layers.{layer.kind}'
                more = ''
            raise UnknownLayerError(
                f'The layer {layer.name} of {self.file.path} is a {layer.kind}, {what}. Give the class: '
                f'custom_objects={{{layer.kind!r}: {value}}}{more}.',
                layer.name,
                layer.kind,
            )
        if any([one.model is not None or one.kind == 'Lambda' for inner in layer.inner for one in with_inner(inner)]):
            raise unfit(
                layer,
                f'of {self.file.path} has a model or a function in it, and no layer of this Keras has its meaning. '
                f'Give the class: custom_objects={{{layer.kind!r}: YourLayer}}.',
            )
        if any([len(own_names(inner)) > len(inner.weights) for inner in with_inner(layer)]):
            raise WrongWeightsError(
                f'The layer {layer.name} ({layer.kind}) has weights, and {self.file.path} has none. Give their file: '
                "load(path, weights='weights.h5').",
                layer.name,
            )
        check_entries(layer)
        if call is not None:
            check_call(layer, *flat(layer, call))
            self.check_training(layer, call)
        if acts_in_training(layer):
            warnings.warn(
                printable(
                    f'The layer {layer.name} ({layer.kind}) of {self.file.path} drops values or takes averages of '
                    'batches in training, and no layer of this Keras has its meaning. To predict, nothing is missing. '
                    'In training it does the same as when it predicts. To train it, give the class: '
                    f'custom_objects={{{layer.kind!r}: YourLayer}}.'
                ),
                stacklevel=2,
            )

    @staticmethod
    def check_training(layer: Layer, call: Call) -> None:
        """Refuse a call with training=True where that makes a difference. Error: LayerConfigError."""
        if is_called_in_training(layer, call.arguments):
            raise unfit(
                layer,
                'is called with training=True, and no layer of this Keras has its meaning. Give the class: '
                f'custom_objects={{{layer.kind!r}: YourLayer}}.',
            )

    def config_of_the_program(self, layer: Layer, without: Sequence[str], name: str) -> Dict[str, Any]:
        """What a class of the user gets. without: entries that it does not get. Error: LayerConfigError."""
        config = {key: value for key, value in layer.config.items() if key not in without}
        config = checked_config(config, f'layer {layer.name} ({layer.kind})', self.custom_objects, layer.name)
        return {**config, 'name': name}

    def user_functions(self) -> Dict[str, Any]:
        """The functions among the names that the user gives."""
        return {name: value for name, value in self.custom_objects.items() if not inspect.isclass(value)}

    # -- weights -----------------------------------------------------------------------------------------------------
    def give_all(self, model: Model, made: Mapping[str, Any]) -> None:
        """Give the layers of a model the weights of the file. made: by their names in the file."""
        for layer in model.layers:
            if layer.name in made and not self.is_configuration:
                with border(layer, self.is_of_user, 'given its weights'):
                    self._give(layer, made[layer.name])

    def _give(self, layer: Layer, made: Any) -> None:
        """Give a layer its weights. A layer that is a model has them already."""
        if layer.model is not None:
            return
        if isinstance(made, OfFile):
            made.take(layer)
        elif layer.kind == 'TimeDistributed' and layer.inner:
            self._give(layer.inner[0], made.layer)
        elif layer.kind == 'Bidirectional' and layer.inner:
            self._give(layer.inner[0], made.forward_layer)
            self._give(layer.inner[1], made.backward_layer)
        elif layer.kind == 'RNN' and layer.inner:
            for inner, cell in zip(layer.inner, getattr(made.cell, 'cells', [made.cell])):
                self._give(inner, cell)
        else:
            # A class of the user may need weights that the reader did not see.
            self._set(layer, made, self.arrays(layer))

    def arrays(self, layer: Layer) -> List[Any]:
        """The weights of a layer of the file, as the layer of this Keras has them."""
        return [np.asarray(weight.array) for weight in layer.weights]

    def _set(self, layer: Layer, made: Any, arrays: Sequence[Any]) -> None:
        shapes = self.shapes(made)
        if [np.shape(array) for array in arrays] != shapes:
            raise WrongWeightsError(
                f'The layer {layer.name} ({layer.kind}) of {self.file.path} has weights of the shapes '
                f'{[np.shape(array) for array in arrays]}, and by its configuration it needs {shapes}.',
                layer.name,
            )
        made.set_weights(arrays)


def call_of_recurrent(made: Any, call: Call) -> List[Any]:
    """The outputs of a recurrent layer, whose states may be inputs behind the first."""
    arguments, states = call.arguments, call.inputs[1:] or call.arguments.get('initial_state')
    if states is not None:
        arguments = {**arguments, 'initial_state': tensor_list(states)}
    return tensor_list(made(call.inputs[0], **arguments))


def plain_call(made: Any, call: Call) -> List[Any]:
    """The outputs of a layer that gets one tensor, or a list."""
    return tensor_list(made(as_given(call.inputs), **call.arguments))

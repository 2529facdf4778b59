"""A model of a file as a functional model of Keras 3, and `load`."""

import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from ...basics.terminal import printable
from ...errors import UnreadableFileError
from ..building.builder import RECURRENT, Builder, call_of_recurrent, plain_call
from ..building.layer_of_file import described
from ..building.spellings import Spellings, arguments, cell_of, merge_mode, without
from ..building.spellings import dtype as dtype_of_input
from ..building.spellings import shape as shape_of_input
from ..layers.core import acts_in_training, as_given
from ..layers.parameters import all_layers
from ..layers.table import LAYERS
from ..layers.use import Help, Use, flat, tensor_list
from ..objects.objects import own_arguments
from ..reading.read import with_model
from ..structure import Call, File, Layer, Model, in_short, leaves
from . import choice, functions, spellings
from .choice import is_native
from .own_layers import LayerOfFile, check_eager_mode, k_inside_keras, keras
from .spellings import TrainingOfKeras3


class BuilderOfKeras3(Builder):
    """Makes the layers of one file. lambdas, custom_objects: as `load` has them."""

    def __init__(
        self, file: File, lambdas: Mapping[str, Callable[..., Any]], custom_objects: Mapping[str, Any]
    ) -> None:
        """Keep what the user gives."""
        super().__init__(file, k_inside_keras(), lambdas, custom_objects)

    # -- models ------------------------------------------------------------------------------------------------------
    def names(self, model: Model) -> Dict[str, str]:
        """The names of the layers of a model, by those in the file. Keras 3 allows no `/`."""
        names = spellings.Names()
        return {layer.name: names.of(layer.name) for layer in model.layers}

    def finished(self, inputs: List[Any], outputs: List[Any], name: str, names: Mapping[str, str]) -> Any:
        """The functional model."""
        _rename_operations(outputs, set(names.values()))
        try:
            return keras.Model(as_given(inputs), as_given(outputs), name=name)
        except ValueError as error:
            raise UnreadableFileError(f'The model {name} in {self.file.path} is no model: {in_short(error)}') from error

    def input(self, layer: Layer, name: str) -> Any:
        """A KerasTensor."""
        config = layer.config
        shape = shape_of_input(config.get('batch_input_shape'), layer)
        sparse = bool(config.get('sparse'))
        dtype = dtype_of_input(config.get('dtype'), layer, 'float32')
        return keras.Input(batch_shape=shape, dtype=dtype, name=name, sparse=sparse)

    # -- calls -------------------------------------------------------------------------------------------------------
    def called(self, layer: Layer, call: Call, name: str, made: Dict[str, Any]) -> List[Any]:
        """The outputs of one call. See `Builder`."""
        if self.is_operation(layer):
            return self._operation(layer, call)
        before = made.get(layer.name)
        if layer.kind == 'Lambda' and isinstance(before, keras.Model):
            shapes, first = [[tuple(x.shape) for x in some] for some in (call.inputs, before.inputs)]
            # The operations are for the shapes of the first call.
            if shapes != first:
                return self.outputs(layer, self._lambda(layer, name, call), call)
        return super().called(layer, call, name, made)

    def outputs(self, layer: Layer, made: Any, call: Call) -> List[Any]:
        """The outputs of a call with tensors."""
        call = self._without_training(layer, call)
        if isinstance(made, LayerOfFile):
            call = Call(*flat(layer, call))
        call = self._with_masks(layer, made, call)
        if isinstance(made, LayerOfFile):
            return plain_call(made, call)
        if layer.kind in RECURRENT:
            return call_of_recurrent(made, call)
        if layer.kind == 'MultiHeadAttention':
            return tensor_list(made(*call.inputs, **call.arguments))
        return plain_call(made, call)

    def _with_masks(self, layer: Layer, made: Any, call: Call) -> Call:
        """The call that names its masks, where Keras 3 would not hand them over by itself as Keras 2 does.

        A file of Keras 3 means what Keras 3 does.
        """
        if self.file.library == 'keras 3' or 'mask' in call.arguments:
            return call
        beside = [value for value in call.arguments.values() if any(map(keras.backend.is_keras_tensor, leaves(value)))]
        if not beside and not (layer.kind in RECURRENT and len(call.inputs) > 1) and not self._loses_masks():
            return call
        return Call(call.inputs, {**call.arguments, **functions.of_call(layer, made, call)})

    def _loses_masks(self) -> bool:
        """Whether a class of the user may take the masks of its inputs away from layers that are called after it.

        Layers of Keras 3 that it calls do so when the model runs, where they do not support masks.
        """
        return any([layer.kind in self.custom_objects for layer in all_layers(self.file.model)])

    def _without_training(self, layer: Layer, call: Call) -> Call:
        """The call without `training`: `predict` and `fit` of Keras 3 say that themselves, whatever a call says."""
        if call.arguments.get('training') is not None and acts_in_training(layer):
            self.check_training(layer, call)
            warnings.warn(
                printable(
                    f'{self.file.path} calls the layer {layer.name} ({layer.kind}) with training=False, and Keras 3 '
                    'trains it nevertheless. Before further training, set its trainable=False.'
                ),
                stacklevel=2,
            )
        return Call(call.inputs, {key: value for key, value in call.arguments.items() if key != 'training'})

    def _operation(self, layer: Layer, call: Call) -> List[Any]:
        """An operation of TensorFlow or Keras 3, as operations of Keras."""
        helper = Help(_no_apply, lambda layer, shapes: {}, None, self.custom_objects, _no_apply, [], self.file.library)
        use = Use(self.K, layer, {}, call.inputs, [None] * len(call.inputs), call.arguments, helper)
        return tensor_list(LAYERS[layer.kind].call(use))

    # -- layers ------------------------------------------------------------------------------------------------------
    def new_layer(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        """The layer of Keras 3."""
        if layer.model is not None:
            return self.model(layer.model, name)
        if layer.name in self.lambdas:
            return functions.plain(self.lambdas[layer.name], layer.config, name)
        if layer.kind == 'Lambda':
            return self._lambda(layer, name, call)
        if layer.kind in self.custom_objects:
            return self._custom(layer, name)
        if is_native(self.file, layer, flat(layer, call)[0] if call is not None else ()):
            return self._native(layer, name)
        self.check(layer, call)
        return LayerOfFile(described(layer), self.file.library, self.user_functions(), name=name)

    def _lambda(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        called = self.functions(layer)
        if not functions.is_code(layer.config['function']):
            return functions.plain(called, layer.config, name)
        model = functions.as_operations(layer, called, call.inputs, name) if call is not None else None
        names = {**self.custom_objects, **self.lambdas}
        return model if model is not None else functions.layer_of(self.file, layer, name, names)

    def _custom(self, layer: Layer, name: str) -> Any:
        config = self.config_of_the_program(layer, ('batch_input_shape', 'input_dtype'), name)
        custom: Any = self.custom_objects[layer.kind]
        if not hasattr(custom, 'from_config'):
            return keras.layers.Lambda(custom, name=name)
        with keras.saving.custom_object_scope(dict(self.custom_objects)):
            return custom.from_config(config)

    def _native(self, layer: Layer, name: str) -> Any:
        common: Dict[str, Any] = {'name': name, 'dtype': spellings.floating(layer.config.get('dtype'))}
        if layer.kind == 'TimeDistributed':
            return keras.layers.TimeDistributed(self._inner(layer.inner[0]), **common)
        if layer.kind == 'Bidirectional':
            forward, backward = [self._inner(without(inner, 'zero_output_for_mask')) for inner in layer.inner]
            mode = merge_mode(layer)
            return keras.layers.Bidirectional(forward, merge_mode=mode, backward_layer=backward, **common)
        if layer.kind == 'RNN':
            return keras.layers.RNN(**cell_of(keras, layer, self._inner), **common)
        kind = choice.has(layer.kind)
        assert kind is not None

        def activation(said: Any, where: str) -> Any:
            return spellings.activation(said, where, layer, self.custom_objects, self._inner)

        match = getattr(keras.layers, kind.kind)
        of_keras_3 = Spellings(keras, 'Keras 3', self.custom_objects)
        return match(**arguments(layer, kind, own_arguments(match), of_keras_3, activation), **common)

    def _inner(self, layer: Layer) -> Any:
        return self.layer(layer, layer.name.replace('/', '_'))

    # -- weights -----------------------------------------------------------------------------------------------------
    def shapes(self, made: Any) -> List[Tuple[int, ...]]:
        """The shapes of the weights of a layer."""
        return [tuple(variable.shape) for variable in made.weights]

    def _set(self, layer: Layer, made: Any, arrays: Sequence[Any]) -> None:
        """Give a layer arrays. A Normalization computes with what it has made of them."""
        super()._set(layer, made, arrays)
        if layer.kind == 'Normalization' and len(arrays):
            made.finalize_state()

    def arrays(self, layer: Layer) -> List[Any]:
        """The weights of a layer; those of a CuDNN layer as an LSTM or a GRU with reset_after has them."""
        arrays = super().arrays(layer)
        return _of_cudnn(layer, *arrays) if layer.kind in ('CuDNNLSTM', 'CuDNNGRU') else arrays


def _of_cudnn(layer: Layer, kernel: Any, recurrent: Any, bias: Any) -> List[Any]:
    units = int(layer.config['units'])
    spans = [slice(start, start + units) for start in range(0, kernel.shape[1], units)]
    both = bias.reshape(2, -1)
    return [
        np.concatenate([kernel[:, span].reshape(units, -1).T for span in spans], axis=1),
        np.concatenate([recurrent[:, span].T for span in spans], axis=1),
        both.sum(axis=0) if layer.kind == 'CuDNNLSTM' else both,
    ]


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


def _no_apply(*given: Any) -> Any:
    raise NotImplementedError


# -- loading -----------------------------------------------------------------------------------------------------------
# A file of Keras as a model of Keras 3.


def load(
    path: Any,
    weights: Any = None,
    lambdas: Optional[Mapping[str, Callable[..., Any]]] = None,
    custom_objects: Optional[Mapping[str, Any]] = None,
    compile: bool = True,
    engine: Optional[str] = None,
) -> Any:
    """The model of a file as a model of Keras 3, on the backend that Keras 3 has, with the meaning that it had.

    path: a file of Keras 1, 2 or 3, or of tf.keras, or what `read` returned. weights, engine: as of `read`. lambdas:
    functions of yours by the name of a `Lambda` layer, which take the place of those in the file, and values of names
    that these use.
    custom_objects: layers, activations and functions of the program that wrote the file, by their names; a class of
    layers is used by its `from_config`. compile: whether to compile the model as the file says. The state of the
    optimizer begins anew.
    Result: a functional `keras.Model`, which predicts, trains and saves as any other. Layers have the names of the
    file, in which `/` is `_`, as Keras 3 allows no `/`. Where Keras 3 has a layer of the same meaning, it is that
    layer. A saved model that has a `LayerOfFile`, a `FileLambda` or the activation `hard_sigmoid_of_keras_2` opens in a
    program that says `import keras_backend.files.keras3` first. All others need nothing of this package.
    A configuration alone gives a model with random weights, and a warning; what `read` returned gives no warning.
    Errors: UnreadableFileError, also where a file of a model lacks the weights. UnreadableCodeError and
    RefusedCodeError of a function. UnknownLayerError, LayerConfigError and WrongWeightsError name the layer.
    WrongKeras, if Keras 3 is not installed.
    """
    check_eager_mode()
    file = with_model(path, weights, engine, 'load')
    read: Any = file.model
    builder = BuilderOfKeras3(file, lambdas or {}, custom_objects or {})
    model = builder.model(read, (read.name or 'model').replace('/', '_'))
    if not isinstance(path, File):
        builder.warn_of_random_weights(model)
    if compile and file.training:
        names = dict(zip([reference.layer for reference in read.outputs], model.output_names))
        TrainingOfKeras3(keras, 'Keras 3', custom_objects or {}).compile(model, file, names)
    return model


def needs_import(model: Any) -> List[str]:
    """The classes and functions of this package in a model, without which a saved model does not open."""
    names = set()
    for layer in model._flatten_layers():
        activations = [getattr(layer, name, None) for name in ('activation', 'recurrent_activation')]
        for candidate in [layer, *getattr(layer, 'operations', ()), *activations]:
            kind = candidate if hasattr(candidate, '__name__') else type(candidate)
            if str(kind.__module__).partition('.')[0] == 'keras_backend':
                names.add(kind.__name__)
    return sorted(names)

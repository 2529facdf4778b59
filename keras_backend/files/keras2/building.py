"""A model of a file as a model of Keras 2."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ...errors import LayerConfigError
from ..building.builder import RECURRENT, Builder, call_of_recurrent, plain_call
from ..building.layer_of_file import described
from ..building.spellings import dtype as dtype_of_input
from ..building.spellings import shape as shape_of_input
from ..lambdas import Functions
from ..layers.core import as_given
from ..layers.parameters import own_names, unfit, wanted_shapes
from ..layers.table import LAYERS
from ..layers.use import flat, tensor_list
from ..reading.read import with_model
from ..structure import Call, File, Layer, Model, Weight
from .own_layers import LayerOfFile, template
from .spellings import NotNative, TrainingOfKeras2, k_of_keras, keras, native, with_training


class BuilderOfKeras2(Builder):
    """Makes the layers of one file. custom_objects: as `load` has them."""

    FUNCTIONS = 'custom_objects'

    def __init__(self, file: File, custom_objects: Mapping[str, Any]) -> None:
        """Keep what the user gives."""
        super().__init__(file, k_of_keras(), {}, custom_objects)
        # `training` of the call of the model around a layer, and that of the first call of each model, by its id.
        self._training: Any = None
        self._training_of: Dict[int, Any] = {}

    # -- models ------------------------------------------------------------------------------------------------------
    def model(self, model: Model, name: str) -> Any:
        """The model, with the weights of the file. A Sequential is one, unless its calls have to say `training`."""
        says = self._training is not None or any([self._is_frozen(layer) for layer in model.layers])
        return self._sequential(model, name) if _is_chain(model) and not says else super().model(model, name)

    def _is_frozen(self, layer: Layer) -> bool:
        """Whether a normalization is not trained, and so does not use the batch: the rule of TensorFlow 2."""
        frozen = layer.kind == 'BatchNormalization' and layer.config.get('trainable', True) is False
        return frozen and self.functions.tensorflow == 2

    def _sequential(self, model: Model, name: str) -> Any:
        built = keras.models.Sequential(name=name)
        tensors, layers = [self.input(model.layers[0], f'{model.layers[0].name}_of_{name}')], {}
        for layer in model.layers[1:]:
            call = Call(tensors, layer.calls[0].arguments)
            layers[layer.name] = keras_layer = self.layer(layer, layer.name, call)
            if not built.layers and layer.model is None:
                # Keras 2 writes no layer for the input of a Sequential.
                keras_layer.batch_input_shape = self._of_input(model.layers[0])['batch_shape']
                if not hasattr(keras_layer, 'dtype'):  # before Keras 2.2
                    keras_layer.dtype = self.K.floatx()
            built.add(keras_layer)
            tensors = list(built.outputs)
        self.give_all(model, layers)
        return built

    def finished(self, inputs: List[Any], outputs: List[Any], name: str, names: Mapping[str, str]) -> Any:
        """The functional model."""
        return keras.models.Model(as_given(inputs), as_given(outputs), name=name)

    def input(self, layer: Layer, name: str) -> Any:
        """The tensor of an input."""
        return keras.layers.Input(**self._of_input(layer), name=name)

    def _of_input(self, layer: Layer) -> Dict[str, Any]:
        config = layer.config
        if config.get('ragged'):
            raise LayerConfigError(f'The input {layer.name} is ragged, and Keras 2 has no ragged tensors.', layer.name)
        dtype = dtype_of_input(config.get('dtype'), layer, self.K.floatx())
        shape = shape_of_input(config.get('batch_input_shape'), layer)
        return {'batch_shape': shape, 'dtype': dtype, 'sparse': bool(config.get('sparse'))}

    # -- calls -------------------------------------------------------------------------------------------------------
    def called(self, layer: Layer, call: Call, name: str, made: Dict[str, Any]) -> List[Any]:
        """The outputs of one call. See `Builder`. An operation is a layer for each of its calls."""
        if self.is_operation(layer):
            return self.outputs(layer, self._of_file(layer, name, call), call)
        return super().called(layer, call, name, made)

    def outputs(self, layer: Layer, made: Any, call: Call) -> List[Any]:
        """The outputs of a call with tensors."""
        if isinstance(made, LayerOfFile):
            tensors, arguments = _given(self.K, layer, call)
            if arguments != made.given:
                raise unfit(layer, 'is called in two ways, and no layer of Keras 2 has its meaning.')
            return tensor_list(made(as_given(tensors)))
        if layer.model is not None:
            if call.arguments.get('training', self._training) != self._training_of[id(made)]:
                raise LayerConfigError(
                    f'The model {layer.name} is called with training=True or False and without, which Keras 2 cannot '
                    'do.',
                    layer.name,
                )
            return plain_call(made, Call(call.inputs))
        call = with_training(made, call, False if self._is_frozen(layer) else self._training)
        return call_of_recurrent(made, call) if layer.kind in RECURRENT else plain_call(made, call)

    # -- layers ------------------------------------------------------------------------------------------------------
    def new_layer(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        """The layer of Keras 2."""
        if layer.model is not None:
            before = self._training
            self._training = before if call is None else call.arguments.get('training', before)
            model = self.model(layer.model, name)
            self._training_of[id(model)], self._training = self._training, before
            return model
        if layer.kind == 'Lambda':
            return self._lambda(layer, name)
        if layer.kind in self.custom_objects:
            return self._custom(layer, name)
        try:
            arguments = native(self.file, layer, call, self.custom_objects, self._inner)
        except NotNative:
            return self._of_file(layer, name, call)
        return getattr(keras.layers, layer.kind)(name=name, **arguments)

    def _inner(self, layer: Layer) -> Any:
        return self.layer(layer, layer.name)

    def _of_file(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        if self.is_configuration and call is not None and not layer.inner and layer.kind in LAYERS:
            shapes = wanted_shapes(layer.kind, layer.config, [self.K.int_shape(x) for x in call.inputs])
            names = own_names(layer)
            if all([None not in shapes.get(key, (None,)) for key in names]):
                layer.weights = [Weight(key, np.zeros([size or 0 for size in shapes[key]])) for key in names]
        self.check(layer, call)
        arguments = None if call is None else _given(self.K, layer, call)[1]
        return LayerOfFile(described(layer), self.file.library, self.user_functions(), arguments, name=name)

    def _lambda(self, layer: Layer, name: str) -> Any:
        config, keywords = layer.config, {}
        for key in ('function', 'mask', 'output_shape'):
            value = config.get(key)
            keywords[key] = _stored(self.functions, layer, key) if isinstance(value, dict) else value
        if isinstance(keywords['output_shape'], list):
            keywords['output_shape'] = tuple(keywords['output_shape'])
        keras_layer = keras.layers.Lambda(**keywords, arguments=dict(config.get('arguments') or {}), name=name)
        if self.file.library != 'keras':
            # tf.keras ends a mask there, which Keras 2 refuses.
            keras_layer.supports_masking = True
        return keras_layer

    def _custom(self, layer: Layer, name: str) -> Any:
        custom_object: Any = self.custom_objects[layer.kind]
        if not hasattr(custom_object, 'from_config'):
            return keras.layers.Lambda(custom_object, name=name)
        with keras.utils.CustomObjectScope(dict(self.custom_objects)):
            return custom_object.from_config(self.config_of_the_program(layer, ('input_dtype',), name))

    # -- weights -----------------------------------------------------------------------------------------------------
    def shapes(self, made: Any) -> List[Tuple[int, ...]]:
        """The shapes of the weights of a layer."""
        return [tuple(self.K.int_shape(variable)) for variable in made.weights]


def _is_chain(model: Model) -> bool:
    """Whether a Sequential is one of Keras 2. That of Keras 1 may begin with several models, and their Merge."""
    first = model.layers[0]
    if not model.sequential or first.kind != 'InputLayer' or len(model.layers) < 2:
        return False
    dtype = str(first.config.get('dtype') or 'float32')
    if first.config.get('sparse') or not (dtype == 'float32' or model.layers[1].kind == 'Embedding'):
        return False
    names = [layer.name for layer in model.layers]
    calls = [[reference.layer for call in layer.calls for reference in call.references()] for layer in model.layers[1:]]
    return len(set(names)) == len(names) and calls == [[name] for name in names[:-1]]


def _given(K: Any, layer: Layer, call: Call) -> Tuple[List[Any], Optional[Dict[str, Any]]]:
    """The tensors of a call, and the rest as `LayerOfFile` takes it: None, if the call has inputs alone."""
    inputs, arguments = flat(layer, call)
    arguments.pop('training', None)
    tensors: List[Any] = []
    pattern = {'inputs': template(inputs, K.is_tensor, tensors), 'arguments': template(arguments, K.is_tensor, tensors)}
    return tensors, pattern if arguments or len(tensors) != len(inputs) else None


def _stored(functions: Functions, layer: Layer, part: str) -> Callable[..., Any]:
    """The function of a layer, which Keras 2 stores again as the file has it."""
    description, function = layer.config[part], functions(layer, part)
    if 'code' in description and hasattr(function, '__signature__'):
        stored = [description['code'], description.get('defaults'), description.get('closure')]
        # The launcher takes more than the three parts that Keras 2 stores: the version of TensorFlow.
        more = [] if functions.tensorflow is None else [functions.tensorflow]
        function._stored = (*stored, *more)  # type: ignore[attr-defined]
    return function


# -- a file of any Keras -----------------------------------------------------------------------------------------------
# A file of any Keras as a model of Keras 2.


def load(
    path: Any, custom_objects: Optional[Mapping[str, Any]] = None, compile: bool = True, engine: Optional[str] = None
) -> Any:
    """The model of a file as a model of Keras 2, on the engine that Keras runs on, with the meaning that it had.

    path: a file of Keras 1, 2 or 3, or of tf.keras, or what `read` returned. custom_objects: layers, activations and
    functions of the program that wrote the file, by their names; and functions by the name of a `Lambda` layer, which
    take the place of those in the file. compile: whether to compile the model as the file says. The state of the
    optimizer begins anew. engine: as of `read`.
    Result: a `Sequential` or a `Model`. Where Keras 2 has a layer of the same meaning, it is that layer; any other is a
    `LayerOfFile`, and so is an operation of TensorFlow.
    Errors: UnreadableFileError. UnreadableCodeError and RefusedCodeError of a function. UnknownLayerError,
    LayerConfigError and WrongWeightsError name the layer.
    """
    file = with_model(path, None, engine, 'load_model')
    read: Any = file.model
    objects = custom_objects or {}
    model = BuilderOfKeras2(file, objects).model(read, read.name or 'model')
    if compile and file.training:
        # A Sequential of Keras before 2.2 has no names of outputs before it is built.
        in_file = [output.layer for output in read.outputs]
        names = dict(zip(in_file, getattr(model, 'output_names', in_file)))
        TrainingOfKeras2(keras, 'Keras 2', objects).compile(model, file, names)
    return model

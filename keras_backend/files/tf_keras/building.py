"""A model of a file as a functional model of tf_keras."""

import inspect
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ...errors import LayerConfigError
from ..building.builder import RECURRENT, Builder, call_of_recurrent, plain_call
from ..building.layer_of_file import described
from ..building.spellings import Native, Spellings, arguments, cell_of, merge_mode, without
from ..building.spellings import dtype as dtype_of_input
from ..building.spellings import shape as shape_of_input
from ..lambdas import likely_pythons, tensorflow_of
from ..layers.core import as_given
from ..layers.parameters import all_layers
from ..layers.table import LAYERS
from ..layers.use import Help, Use, flat, tensor_list
from ..objects.objects import own_arguments
from ..structure import Call, File, Layer
from .own_layers import ACTIVATIONS, LambdaOfFile, LayerOfFile, k_of_tf_keras, tf_keras

# With one of them a layer means something that no layer of tf_keras does.
_OTHER_MEANINGS = ('time_major', 'zero_output_for_mask', 'theano_padding', 'keras_1', 'ragged')
# Layers that do the same with a mask in the package keras and in tf.keras.
_SAME_WITH_MASK = frozenset(
    'Dense Activation Dropout SpatialDropout1D GaussianNoise GaussianDropout AlphaDropout ActivityRegularization '
    'BatchNormalization Masking Embedding LeakyReLU ELU PReLU ThresholdedReLU SimpleRNN GRU LSTM RNN'.split()
)
# Functions of the same name and the same meaning in tf_keras and in files.
_ACTIVATIONS = frozenset('linear softmax elu selu softplus softsign relu tanh sigmoid hard_sigmoid exponential'.split())
_GATES = {'recurrent_activation': 'hard_sigmoid'}
# Classes whose arguments, or whose defaults for files that do not say them, are others.
_NATIVE: Dict[str, Native] = {
    **{kind: Native(kind, defaults=_GATES) for kind in ('LSTM', 'LSTMCell', 'ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D')},
    **{kind: Native(kind, defaults={**_GATES, 'reset_after': False}) for kind in ('GRU', 'GRUCell')},
    'LeakyReLU': Native('LeakyReLU', {'negative_slope': 'alpha'}),
}


class NotNative(Exception):
    """tf_keras has no layer of the same meaning."""


class BuilderOfTfKeras(Builder):
    """Makes the layers of one file. lambdas, custom_objects: as `load` has them."""

    def __init__(
        self, file: File, lambdas: Mapping[str, Callable[..., Any]], custom_objects: Mapping[str, Any]
    ) -> None:
        """Keep what the user gives."""
        super().__init__(file, k_of_tf_keras(), lambdas, custom_objects)
        if file.library == 'keras 3':
            self._refuse_masks(file)

    @staticmethod
    def _refuse_masks(file: File) -> None:
        for layer in all_layers(file.model):
            if layer.kind == 'Masking' or (layer.kind == 'Embedding' and layer.config.get('mask_zero')):
                raise LayerConfigError(
                    f'The layer {layer.name} ({layer.kind}) of {file.path} makes a mask. The file is one of Keras 3, '
                    'which hands masks to other layers than tf_keras does. Type: files.load(path), which makes a model '
                    'of Keras 3.',
                    layer.name,
                )

    # -- models ------------------------------------------------------------------------------------------------------
    def finished(self, inputs: List[Any], outputs: List[Any], name: str, names: Mapping[str, str]) -> Any:
        """The functional model."""
        return tf_keras.Model(as_given(inputs), as_given(outputs), name=name)

    def input(self, layer: Layer, name: str) -> Any:
        """A KerasTensor."""
        config = layer.config
        if config.get('ragged'):
            raise LayerConfigError(
                f'The input {layer.name} is ragged, and files.load reads no ragged tensors. Give the model of the '
                "program that wrote the file, and load the file's weights into it.",
                layer.name,
            )
        shape = shape_of_input(config.get('batch_input_shape'), layer)
        dtype = dtype_of_input(config.get('dtype'), layer, 'float32')
        return tf_keras.Input(batch_shape=shape, dtype=dtype, name=name, sparse=bool(config.get('sparse')))

    # -- calls -------------------------------------------------------------------------------------------------------
    def called(self, layer: Layer, call: Call, name: str, made: Dict[str, Any]) -> List[Any]:
        """The outputs of one call. See `Builder`. tf_keras makes layers of the operations of a function of K."""
        if not self.is_operation(layer):
            return super().called(layer, call, name, made)
        helper = Help(_no_apply, lambda layer, shapes: {}, None, self.custom_objects, _no_apply, [], self.file.library)
        use = Use(self.K, layer, {}, call.inputs, [None] * len(call.inputs), call.arguments, helper)
        return tensor_list(LAYERS[layer.kind].call(use))

    def outputs(self, layer: Layer, made: Any, call: Call) -> List[Any]:
        """The outputs of a call with tensors."""
        if isinstance(made, LayerOfFile):
            self.check_training(layer, call)
            inputs, more = flat(layer, call)
            return plain_call(made, Call(inputs, {key: value for key, value in more.items() if key != 'training'}))
        if layer.kind in RECURRENT:
            return call_of_recurrent(made, call)
        if layer.kind == 'MultiHeadAttention':
            return tensor_list(made(*call.inputs, **call.arguments))
        return plain_call(made, call)

    # -- layers ------------------------------------------------------------------------------------------------------
    def new_layer(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        """The layer of tf_keras."""
        if layer.model is not None:
            return self.model(layer.model, name)
        if layer.name in self.lambdas:
            return _plain(self.lambdas[layer.name], layer, name)
        if layer.kind == 'Lambda':
            return self._lambda(layer, name)
        if layer.kind in self.custom_objects:
            return self._custom(layer, name)
        try:
            return self._native(layer, name, call)
        except NotNative:
            self.check(layer, call)
            return LayerOfFile(described(layer), self.file.library, self.user_functions(), name=name)

    def _lambda(self, layer: Layer, name: str) -> Any:
        stored = layer.config['function']
        called = self.functions(layer)
        if not isinstance(stored, dict) or 'code' not in stored or self.functions.is_given(layer):
            return _plain(called, layer, name)
        config = layer.config
        mask = config.get('mask')
        names = {**self.custom_objects, **self.lambdas}
        times = likely_pythons(self.file), tensorflow_of(self.file)
        return LambdaOfFile(
            stored, mask if isinstance(mask, dict) else None, config.get('arguments'), names, *times, name=name
        )

    def _custom(self, layer: Layer, name: str) -> Any:
        custom: Any = self.custom_objects[layer.kind]
        if not hasattr(custom, 'from_config'):
            return tf_keras.layers.Lambda(custom, name=name)
        with tf_keras.utils.custom_object_scope(dict(self.custom_objects)):
            return custom.from_config(self.config_of_the_program(layer, ('batch_input_shape', 'input_dtype'), name))

    def _native(self, layer: Layer, name: str, call: Optional[Call]) -> Any:
        kind, config = _NATIVE.get(layer.kind, Native(layer.kind)), layer.config
        match: Any = getattr(tf_keras.layers, layer.kind, None)
        if layer.kind not in LAYERS and layer.kind not in _NATIVE and not layer.kind.endswith('Cell'):
            raise NotNative
        if not inspect.isclass(match) or not issubclass(match, tf_keras.layers.Layer):
            raise NotNative
        if any([config.get(key) for key in _OTHER_MEANINGS]):
            raise NotNative
        if layer.kind == 'UpSampling2D' and config.get('interpolation') == 'bilinear':
            # The package keras reads images at index / factor, and tf_keras from the centres of pixels.
            raise NotNative
        if call is not None and self._has_another_mask(layer, flat(layer, call)[0]):
            raise NotNative
        # Keras 1 and 2 have the dtype of inputs there, too.
        dtype = config.get('dtype')
        common = {'name': name, 'dtype': dtype if dtype in ('float16', 'bfloat16', 'float64') else None}
        if layer.kind in ('TimeDistributed', 'Bidirectional', 'RNN'):
            return self._of_layers(layer, match, common)
        if layer.inner:
            raise NotNative
        plain = Layer(layer.name, layer.kind, {key: _as_tf_keras_has_it(key, value) for key, value in config.items()})
        spellings = Spellings(tf_keras, 'tf_keras', self.custom_objects)
        try:
            keywords = arguments(plain, kind, own_arguments(match), spellings, self._activation)
        except LayerConfigError:
            raise NotNative from None
        return match(**keywords, **common)

    def _of_layers(self, layer: Layer, match: Any, common: Mapping[str, Any]) -> Any:
        # A Bidirectional of tf_keras says by itself what its layers give in the place of masked steps.
        plain = [without(wrapped, 'zero_output_for_mask') for wrapped in layer.inner]
        inner = [self._inner(wrapped) for wrapped in (plain if layer.kind == 'Bidirectional' else layer.inner)]
        if any([isinstance(wrapped, LayerOfFile) for wrapped in inner]):
            raise NotNative
        if layer.kind == 'TimeDistributed':
            return match(inner[0], **common)
        if layer.kind == 'Bidirectional':
            return match(inner[0], merge_mode=merge_mode(layer), backward_layer=inner[1], **common)
        cells = iter(inner)
        return match(**cell_of(tf_keras, layer, lambda cell: next(cells)), **common)

    def _has_another_mask(self, layer: Layer, inputs: Sequence[Any]) -> bool:
        """Whether a mask does something else in this layer of the file than in tf_keras."""
        if all([getattr(x, '_keras_mask', None) is None for x in inputs]):
            return False
        same = self.file.library == 'tf.keras' or layer.kind in _SAME_WITH_MASK
        return not (same and layer.gets_masks)

    def _inner(self, layer: Layer) -> Any:
        return self.layer(layer, layer.name)

    def _activation(self, said: Any, where: str) -> Any:
        """A function of the user, or one of tf_keras or ours with the meaning of the file."""
        if isinstance(said, dict) and isinstance(said.get('config'), str):
            said = said['config']
        if said is None or said in _ACTIVATIONS:
            return said
        if not isinstance(said, str) or not (said in self.custom_objects or said in ACTIVATIONS):
            raise NotNative
        return self.custom_objects.get(said, ACTIVATIONS.get(said))

    # -- weights -----------------------------------------------------------------------------------------------------
    def shapes(self, made: Any) -> List[Tuple[int, ...]]:
        """The shapes of the weights of a layer."""
        return [tuple(variable.shape) for variable in made.weights]


def _as_tf_keras_has_it(key: str, value: Any) -> Any:
    """One axis in the place of a list with one."""
    return value[0] if key == 'axis' and isinstance(value, (list, tuple)) and len(value) == 1 else value


def _plain(called: Callable[..., Any], layer: Layer, name: str) -> Any:
    return tf_keras.layers.Lambda(called, arguments=dict(layer.config.get('arguments') or {}), name=name)


def _no_apply(*given: Any) -> Any:
    raise NotImplementedError

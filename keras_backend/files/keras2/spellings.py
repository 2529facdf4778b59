"""Keras 2 itself, and what is in a file in its spelling: the training configuration, layers and their arguments."""

import inspect
import sys
from typing import Any, Dict, Mapping, Optional

from ...errors import LayerConfigError, WrongKeras
from ..building.builder import RECURRENT
from ..building.spellings import Native, Spellings, arguments, cell_of, merge_mode
from ..building.training import NotKnown, Training
from ..dialects.dialect import numbers
from ..layers.use import TABLE as ACTIVATIONS
from ..objects import classes
from ..objects.objects import own_arguments, shown, takes
from ..structure import Call, File, Layer

# -- Keras 2 -----------------------------------------------------------------------------------------------------------
# Keras 2, as the launcher has imported it, and its K.


def _imported() -> Any:
    module: Any = sys.modules.get('keras')
    version = getattr(module, '__version__', '')
    if numbers(version)[:1] != (2,) or numbers(version) >= (2, 4):
        raise WrongKeras(
            f'keras_backend.files.keras2 makes models of Keras 2.0 to 2.3 under the launcher, and '
            f'{"no Keras" if module is None else "Keras " + version} is imported. Type: '
            'python -m keras_backend.keras2 PROGRAM. keras_backend.files.function needs no Keras.'
        )
    return module


keras: Any = _imported()


def k_of_keras() -> Any:
    """K of Keras 2."""
    return keras.backend


# -- training ----------------------------------------------------------------------------------------------------------
_BY_KEYWORD = {'SGD': ['decay'], 'Nadam': ['epsilon']}


class TrainingOfKeras2(Training):
    """Compiles a model of Keras 2 as its file says."""

    LOSSES = {'kl_divergence': 'kullback_leibler_divergence', 'log_cosh': 'logcosh'}

    def scope(self) -> Any:
        """A context in which Keras 2 knows the names of the user."""
        return keras.utils.CustomObjectScope(dict(self._custom_objects))

    def optimizer(self, kind: Any, name: str, config: Dict[str, Any]) -> Any:
        """An optimizer. Its rate is `lr` before Keras 2.3."""
        accepted = [*takes(kind), 'clipnorm', 'clipvalue']
        if isinstance(config.get('learning_rate'), dict):
            raise NotKnown('a schedule of the learning rate, which Keras 2 has as a callback.')
        if 'lr' in accepted:
            accepted.append('learning_rate')
        else:
            # Keras 2.3 has no name for them in the signature.
            accepted += _BY_KEYWORD.get(name, ['epsilon', 'decay'])
        arguments = self.arguments(kind, name, config, accepted)
        if 'lr' in accepted and 'learning_rate' in arguments:
            arguments['lr'] = arguments.pop('learning_rate')
        return kind(**arguments)

    def loss(self, kind: str, config: Dict[str, Any]) -> Any:
        """A loss that the file has by its class; a function before Keras 2.3."""
        if inspect.isclass(getattr(keras.losses, kind, None)):
            return super().loss(kind, config)
        is_usual = config.get('reduction') in (None, *classes.USUAL_REDUCTIONS)
        more = [value for key, value in config.items() if key not in ('name', 'fn', 'reduction', 'axis')]
        if not is_usual or any(more):
            raise NotKnown(f'the loss {kind} with {shown(config)}.')
        name = classes.function_of(kind)
        return self.LOSSES.get(name, name)


# Layers that do the same with a mask in Keras 2 and in tf.keras. The others refuse one in Keras 2, which tf.keras ends,
# or combine masks in another way.
_SAME_WITH_MASK = frozenset(
    'Dense Activation Dropout SpatialDropout1D GaussianNoise GaussianDropout AlphaDropout ActivityRegularization '
    'BatchNormalization Masking Embedding LeakyReLU ELU PReLU ThresholdedReLU SimpleRNN GRU LSTM RNN'.split()
)
# The defaults of older versions, for files that do not say the value.
_DEFAULTS: Dict[str, Dict[str, Any]] = {
    **{kind: {'recurrent_activation': 'hard_sigmoid'} for kind in ('LSTM', 'LSTMCell', 'ConvLSTM2D')},
    **{kind: {'recurrent_activation': 'hard_sigmoid', 'reset_after': False} for kind in ('GRU', 'GRUCell')},
}
# With them a layer of tf.keras or Keras 1 means something that no layer of Keras 2 does.
_OTHER_MEANINGS = ('time_major', 'zero_output_for_mask', 'theano_padding', 'keras_1', 'ragged')
_LEAST_AXES_OF_FLATTEN = 3
_MAY_BE_ONES = ('groups', 'dilation_rate')


class NotNative(Exception):
    """Keras 2 has no layer of the same meaning."""


def native(
    file: File, layer: Layer, call: Optional[Call], custom_objects: Mapping[str, Any], inner: Any
) -> Dict[str, Any]:
    """The arguments of the layer of Keras 2 that has the meaning of a layer of a file.

    call: its first call with tensors, None for a layer in a layer. custom_objects: as of `load`. inner: makes the layer
    of Keras 2 for a layer in the layer. Error: NotNative, if there is none.
    """
    kind, config = layer.kind, layer.config
    match: Any = getattr(keras.layers, kind, None)
    # `keras.legacy` has some layers of Keras 1, with their arguments.
    if not inspect.isclass(match) or not issubclass(match, keras.layers.Layer) or '.legacy.' in match.__module__:
        raise NotNative
    if any([config.get(key) for key in _OTHER_MEANINGS]):
        raise NotNative
    if kind == 'UpSampling2D' and config.get('interpolation') not in (None, 'nearest', 'bilinear'):
        raise NotNative
    if kind.startswith('LocallyConnected') and config.get('implementation', 1) != 1:
        raise NotNative
    if call is not None:
        _check_call(file, layer, call)
        # Keras 2 refuses a Flatten of a flat tensor, and tf.keras does not.
        if kind == 'Flatten' and k_of_keras().ndim(call.inputs[0]) < _LEAST_AXES_OF_FLATTEN:
            raise NotNative
    if kind in ('TimeDistributed', 'Bidirectional', 'RNN'):
        return _of_layers(file, layer, custom_objects, inner)
    if layer.inner:
        raise NotNative
    plain = {key: _as_keras_2_has_it(key, value) for key, value in config.items()}
    plain = {key: value for key, value in plain.items() if not (key in _MAY_BE_ONES and _is_one(value))}
    copied = Layer(layer.name, kind, plain)
    spellings = Spellings(keras, 'Keras 2', custom_objects)
    try:
        described = Native(kind, defaults=_DEFAULTS.get(kind, {}))
        return arguments(
            copied, described, own_arguments(match), spellings, lambda said, where: _activation(said, custom_objects)
        )
    except LayerConfigError:
        raise NotNative from None


def _check_call(file: File, layer: Layer, call: Call) -> None:
    K, masked = k_of_keras(), False
    for x in call.inputs:
        if not K.is_keras_tensor(x):
            raise NotNative
        masked = masked or _mask_of(x) is not None
    allowed = ('training', 'initial_state') if layer.kind in RECURRENT else ('training',)
    if any([name not in allowed for name in call.arguments]):
        raise NotNative
    same = file.library == 'keras' or layer.kind in _SAME_WITH_MASK
    if masked and not (same and layer.gets_masks):
        raise NotNative


def _mask_of(x: Any) -> Any:
    """The mask of a tensor of Keras 2."""
    layer, node, number = x._keras_history
    masks = layer.get_output_mask_at(node)
    return masks[number] if isinstance(masks, list) else masks


def _of_layers(file: File, layer: Layer, custom_objects: Mapping[str, Any], inner: Any) -> Dict[str, Any]:
    for nested in layer.inner:
        if nested.model is None and nested.kind not in custom_objects and nested.kind != 'Lambda':
            native(file, nested, None, custom_objects, inner)
    if layer.kind == 'TimeDistributed':
        return {'layer': inner(layer.inner[0])}
    if layer.kind == 'Bidirectional':
        if not _mirrored(*[nested.config for nested in layer.inner]):
            raise NotNative
        return {'layer': inner(layer.inner[0]), 'merge_mode': merge_mode(layer)}
    if not hasattr(keras.layers, 'StackedRNNCells'):
        raise NotNative
    return cell_of(keras, layer, inner)


def _mirrored(forward: Mapping[str, Any], backward: Mapping[str, Any]) -> bool:
    """Whether the second is the layer that Keras 2 makes out of the first."""
    own = ('name', 'go_backwards', 'batch_input_shape', 'zero_output_for_mask')
    configs = [{key: value for key, value in config.items() if key not in own} for config in (forward, backward)]
    return configs[0] == configs[1] and bool(forward.get('go_backwards')) != bool(backward.get('go_backwards'))


def _as_keras_2_has_it(key: str, value: Any) -> Any:
    """tf.keras has a list of axes for normalization, and Keras 2 has one axis."""
    return value[0] if key == 'axis' and isinstance(value, (list, tuple)) and len(value) == 1 else value


def _is_one(value: Any) -> bool:
    return all([number == 1 for number in value]) if isinstance(value, (list, tuple)) else value == 1


def _activation(said: Any, custom_objects: Mapping[str, Any]) -> Any:
    """The name of an activation, or a function of the user."""
    if isinstance(said, dict) and isinstance(said.get('config'), str):
        said = said['config']
    if said is None:
        return None
    if not isinstance(said, str):
        raise NotNative
    if said in custom_objects:
        return custom_objects[said]
    known = said in ACTIVATIONS and hasattr(keras.activations, said)
    registered = keras.utils.get_custom_objects().get(said)
    if not known and (registered is None or inspect.isclass(registered)):
        raise NotNative
    return said


def with_training(made: Any, call: Call, training: Any) -> Call:
    """The call with `training` where the layer takes it. training: that of the call of the model around it."""
    flag = call.arguments.get('training', training)
    rest: Dict[str, Any] = {key: value for key, value in call.arguments.items() if key != 'training'}
    if flag is not None and keras.utils.generic_utils.has_arg(made.call, 'training'):
        rest['training'] = flag
    return Call(call.inputs, rest)

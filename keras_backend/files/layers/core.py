"""Layers of the page "Core Layers" of Keras 2.3.1, Embedding, and layers that do something else in training."""

import inspect
from typing import Any, Callable, List, Mapping

import numpy as np

from ..structure import Layer
from .parameters import with_inner
from .use import FUNCTIONS, Use, numbers, softmax_of


def identity(use: Use) -> Any:
    """Layers that do nothing when a model predicts: dropout, noise, and regularization of activity."""
    return use.x


def dense(use: Use) -> Any:
    """activation(x . kernel + bias)."""
    K = use.K
    output = K.dot(use.x, use.weights['kernel'])
    if 'bias' in use.weights:
        output = output + use.weights['bias']
    return use.function()(output)


def activation(use: Use) -> Any:
    """The activation as a layer."""
    return use.function()(use.x)


def flatten(use: Use) -> Any:
    """All axes but the first as one. Channels that come first are put last before."""
    K, x, shape = use.K, use.x, use.shape
    if use.channels_first and len(shape) > 2:
        x = K.permute_dimensions(x, (0, *range(2, len(shape)), 1))
    if len(shape) == 1:
        return K.expand_dims(x, 1)
    return K.batch_flatten(x)


def reshape(use: Use) -> Any:
    """The elements of each sample in another shape."""
    K = use.K
    target = [int(size) for size in use.config['target_shape']]
    sizes = [size for size in use.shape[1:] if size is not None]
    if len(sizes) < len(use.shape) - 1:
        return K.reshape(use.x, (K.shape(use.x)[0] if -1 in target else -1, *target))
    count, rest = int(np.prod(sizes)), int(np.prod([size for size in target if size != -1]))
    if -1 in target and rest:
        target[target.index(-1)] = count // rest
    if int(np.prod(target)) != count:
        raise use.error(f'gets {count} elements for each sample, which the shape {tuple(target)} does not have')
    return K.reshape(use.x, (-1, *target))


def permute(use: Use) -> Any:
    """The axes of each sample in another order, counted from 1."""
    dims = use.config['dims']
    return use.K.permute_dimensions(use.x, (0, *numbers(dims, len(dims))))


def repeat_vector(use: Use) -> Any:
    """A vector, n times along a new axis 1."""
    return use.K.repeat(use.x, int(use.config['n']))


def masking(use: Use) -> Any:
    """Zeros in time steps all of whose elements are the value of the mask."""
    K = use.K
    kept = K.any(K.not_equal(use.x, use.option('mask_value', 0.0)), axis=-1, keepdims=True)
    return use.x * K.cast(kept, K.dtype(use.x))


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has an argument of this name. Functions that are interpreted say it themselves."""
    own = getattr(function, 'signature', None)
    try:
        signature = own() if callable(own) else inspect.signature(function)
    except (TypeError, ValueError):  # a function of C may have no signature
        return False
    return name in signature.parameters


def function_of(use: Use, layer: Layer) -> Callable[..., Any]:
    """The function of a `Lambda`, or one given by the user for its kind."""
    if use.help.lambdas is None:
        raise use.error('holds a function; give compose(..., lambdas=...) what makes functions of such layers')
    return use.help.lambdas(layer)


def lambda_layer(use: Use) -> Any:
    """A function of the program, called as Keras 2.3.1 calls it."""
    function = function_of(use, use.layer)
    arguments = use.option('arguments', {})
    if not isinstance(arguments, dict):
        raise use.error(f'has arguments={str(arguments)[:60]!r}, and they are a dict of values by their names')
    arguments = dict(arguments)
    dropped = ('mask',) if takes(function, 'training') else ('mask', 'training')
    arguments.update({name: value for name, value in use.arguments.items() if name not in dropped})
    if takes(function, 'mask') and 'mask' not in arguments:
        arguments['mask'] = use.arguments.get('mask', as_given(use.masks))
    return function(as_given(use.inputs), **arguments)


def as_given(values: List[Any]) -> Any:
    """One value as it is, several as a list."""
    return values[0] if len(values) == 1 else list(values)


def rescaling(use: Use) -> Any:
    """x * scale + offset, of tf.keras."""
    K = use.K
    x = K.cast(use.x, 'float32') if 'int' in K.dtype(use.x) else use.x
    return x * _constant(use, 'scale', 1.0) + _constant(use, 'offset', 0.0)


def _constant(use: Use, name: str, default: float) -> Any:
    value = use.option(name, default)
    return use.K.constant(value) if isinstance(value, (list, tuple)) else float(value)


def highway(use: Use) -> Any:
    """Highway of Keras 1: t * activation(x . W + b) + (1 - t) * x with t = sigmoid(x . W_carry + b_carry)."""
    K, weights = use.K, use.weights
    carry, y = K.dot(use.x, weights['W_carry']), K.dot(use.x, weights['W'])
    if 'b' in weights:
        carry, y = carry + weights['b_carry'], y + weights['b']
    carry = K.sigmoid(carry)
    return use.function()(y) * carry + (1.0 - carry) * use.x


def maxout_dense(use: Use) -> Any:
    """MaxoutDense of Keras 1: the largest of several x . W + b."""
    K, weights = use.K, use.weights
    features, size, units = K.int_shape(weights['W'])
    y = K.dot(use.x, K.reshape(K.permute_dimensions(weights['W'], (1, 0, 2)), (size, features * units)))
    y = K.reshape(y, (-1, features, units))
    if 'b' in weights:
        y = y + weights['b']
    return K.max(y, axis=1)


# -- Embedding ---------------------------------------------------------------------------------------------------------
# Embedding.


def embedding(use: Use) -> Any:
    """The row of a table for each number."""
    K = use.K
    numbers = use.x if K.dtype(use.x) == 'int32' else K.cast(use.x, 'int32')
    return K.gather(use.weights['embeddings'], numbers)


def zero_mask(use: Use, outputs: Any) -> Any:
    """The numbers that are not zero, if the layer masks zeros."""
    return use.K.not_equal(use.x, 0) if use.option('mask_zero', False) else None


# -- training ----------------------------------------------------------------------------------------------------------
# Layers that do something else while a model is trained than when it predicts.


# Layers of Keras 3 for images, which leave them as they are when a model predicts.
DRAWING_OF_KERAS_3 = (
    'AugMix CutMix MixUp RandAugment RandomColorDegeneration RandomColorJitter RandomElasticTransform RandomErasing '
    'RandomGaussianBlur RandomGrayscale RandomHue RandomInvert RandomPerspective RandomPosterization RandomSaturation '
    'RandomSharpness RandomShear Solarization'
).split()
# Layers that draw at random, with the entry that says how much. None: always.
_DRAWING = {
    **dict.fromkeys(DRAWING_OF_KERAS_3),
    'Dropout': 'rate', 'SpatialDropout1D': 'rate', 'SpatialDropout2D': 'rate', 'SpatialDropout3D': 'rate',
    'AlphaDropout': 'rate', 'GaussianDropout': 'rate', 'GaussianNoise': 'stddev', 'RandomRotation': 'factor',
    'RandomFlip': None, 'RandomZoom': None, 'RandomTranslation': None, 'RandomContrast': 'factor',
    'RandomBrightness': 'factor', 'RandomCrop': None, 'BatchNormalization': None,
}  # fmt: skip
_RATES = ('dropout', 'recurrent_dropout', 'dropout_U', 'dropout_W')


def _differs(layer: Layer) -> bool:
    if layer.kind in _DRAWING:
        entry = _DRAWING[layer.kind]
        return entry is None or bool(layer.config.get(entry, True))
    return any([layer.config.get(name) for name in _RATES])


def acts_in_training(layer: Layer) -> bool:
    """Whether a layer, or one in it, draws at random or normalizes by the batch in training."""
    return any([_differs(inner) for inner in with_inner(layer)])


def is_called_in_training(layer: Layer, arguments: Mapping[str, Any]) -> bool:
    """Whether a call says `training=True`, or a tensor there, to a layer for which that makes a difference.

    The program that wrote such a call drops at random, or normalizes by the batch, also when it predicts.
    """
    training = arguments.get('training')
    if training is None or (isinstance(training, (bool, int)) and not training):
        return False
    return acts_in_training(layer)


# -- advanced activations ----------------------------------------------------------------------------------------------
# Activations that are layers. Source: the documentation of Keras 2.3.1.

Config = Mapping[str, Any]


def element_wise(use: Use) -> Any:
    """LeakyReLU, ELU, ThresholdedReLU, ReLU and Softmax."""
    return FUNCTIONS[use.layer.kind](use.K, use.x, use.config)


def softmax_layer(use: Use) -> Any:
    """Softmax. A mask given by keyword takes elements out, as in tf.keras."""
    mask = use.arguments.get('mask')
    if mask is None:
        return element_wise(use)
    K = use.K
    return softmax_of(K, use.x + (1.0 - K.cast(mask, K.dtype(use.x))) * -1e9, use.config)


def parametric_softplus(use: Use) -> Any:
    """ParametricSoftplus of Keras 1: alpha * log(1 + exp(beta * x))."""
    return use.K.softplus(use.x * use.weights['betas']) * use.weights['alphas']


def srelu(use: Use) -> Any:
    """SReLU of Keras 1: x between two thresholds, and a slope of its own on each side.

    Source: X. Jin et al., Deep Learning with S-shaped Rectified Linear Activation Units, 2015. Keras 1 stores the upper
    threshold as its distance from the lower one.
    """
    K, x, low = use.K, use.x, use.weights['t_left']
    high = low + K.abs(use.weights['t_right'])
    middle = K.minimum(K.maximum(x, low), high)
    return middle - K.relu(-(x - low)) * use.weights['a_left'] + K.relu(x - high) * use.weights['a_right']


def prelu(use: Use) -> Any:
    """PReLU: x where it is positive, and alpha * x elsewhere."""
    K = use.K
    return K.relu(use.x) - K.relu(-use.x) * use.weights['alpha']

"""Activations that are layers. Source: the documentation of Keras 2.3.1."""

from typing import Any, Mapping

from .activations import FUNCTIONS, softmax_of
from .use import Use

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

"""Activations that are layers. Source: the documentation of Keras 2.3.1."""

from typing import Any, Callable, Dict, Mapping, Optional

from .activations import softmax
from .use import Use

Config = Mapping[str, Any]


def _number(config: Config, name: str, default: Optional[float]) -> Optional[float]:
    found = config.get(name, default)
    while isinstance(found, (list, tuple)) and len(found) == 1:
        found = found[0]
    if isinstance(found, dict):  # an array of NumPy: {'type': 'ndarray', 'value': 0.3}
        found = found.get('value')
    return None if found is None else float(found)


def _leaky(K: Any, x: Any, config: Config) -> Any:
    return K.relu(x, alpha=_number(config, 'alpha', None) or _number(config, 'negative_slope', 0.3))


def _elu(K: Any, x: Any, config: Config) -> Any:
    return K.elu(x, _number(config, 'alpha', 1.0))


def _thresholded(K: Any, x: Any, config: Config) -> Any:
    return x * K.cast(K.greater(x, _number(config, 'theta', 1.0)), K.dtype(x))


def _relu(K: Any, x: Any, config: Config) -> Any:
    return K.relu(
        x,
        alpha=_number(config, 'negative_slope', 0.0) or 0.0,
        max_value=_number(config, 'max_value', None),
        threshold=_number(config, 'threshold', 0.0) or 0.0,
    )


def _softmax(K: Any, x: Any, config: Config) -> Any:
    axis = config.get('axis', -1)
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    return softmax(K, x, axis)


_FUNCTIONS: Dict[str, Callable[[Any, Any, Config], Any]] = {
    'LeakyReLU': _leaky,
    'ELU': _elu,
    'ThresholdedReLU': _thresholded,
    'ReLU': _relu,
    'Softmax': _softmax,
}


def of_config(kind: str, config: Config) -> Optional[Callable[[Any, Any], Any]]:
    """The function (K, x) of a layer that has no weights and is used as an activation. None, if it is none of them."""
    function = _FUNCTIONS.get(kind)
    return None if function is None else lambda K, x: function(K, x, config)


def element_wise(use: Use) -> Any:
    """LeakyReLU, ELU, ThresholdedReLU, ReLU and Softmax."""
    return _FUNCTIONS[use.layer.kind](use.K, use.x, use.config)


def softmax_layer(use: Use) -> Any:
    """Softmax. A mask given by keyword takes elements out, as in tf.keras."""
    given = use.arguments.get('mask')
    if given is None:
        return element_wise(use)
    K = use.K
    return _softmax(K, use.x + (1.0 - K.cast(given, K.dtype(use.x))) * -1e9, use.config)


def parametric_softplus(use: Use) -> Any:
    """ParametricSoftplus of Keras 1: alpha * log(1 + exp(beta * x))."""
    return use.weights['alphas'] * use.K.softplus(use.weights['betas'] * use.x)


def srelu(use: Use) -> Any:
    """SReLU of Keras 1: x between two thresholds, and a slope of its own on each side.

    Source: X. Jin et al., Deep Learning with S-shaped Rectified Linear Activation Units, 2015. Keras 1 stores the upper
    threshold as its distance from the lower one.
    """
    K, x, low = use.K, use.x, use.weights['t_left']
    high = low + K.abs(use.weights['t_right'])
    middle = K.minimum(K.maximum(x, low), high)
    return middle - use.weights['a_left'] * K.relu(low - x) + use.weights['a_right'] * K.relu(x - high)


def prelu(use: Use) -> Any:
    """PReLU: x where it is positive, and alpha * x elsewhere."""
    K = use.K
    return K.relu(use.x) - use.weights['alpha'] * K.relu(-use.x)

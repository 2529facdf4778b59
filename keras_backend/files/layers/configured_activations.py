"""Activations that have a configuration: LeakyReLU, ELU, ThresholdedReLU, ReLU, Softmax.

Source: the documentation of Keras 2.3.1.
"""

from typing import Any, Callable, Dict, Mapping, Optional

Config = Mapping[str, Any]


def softmax(K: Any, x: Any, axis: int = -1) -> Any:
    """The exponentials of a tensor, with the sum 1 along an axis."""
    if K.ndim(x) == 2 and axis in (-1, 1):
        return K.softmax(x)
    e = K.exp(x - K.max(x, axis=axis, keepdims=True))
    return e / K.sum(e, axis=axis, keepdims=True)


def _number(config: Config, name: str, default: Optional[float]) -> Optional[float]:
    found = config.get(name, default)
    while isinstance(found, (list, tuple)) and len(found) == 1:
        found = found[0]
    if isinstance(found, dict):  # an array of NumPy: {'type': 'ndarray', 'value': 0.3}
        found = found.get('value')
    return None if found is None else float(found)


def _leaky(K: Any, x: Any, config: Config) -> Any:
    slope = _number(config, 'alpha', None)
    return K.relu(x, alpha=_number(config, 'negative_slope', 0.3) if slope is None else slope)


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


def softmax_of(K: Any, x: Any, config: Config) -> Any:
    axis = config.get('axis', -1)
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    return softmax(K, x, axis)


FUNCTIONS: Dict[str, Callable[[Any, Any, Config], Any]] = {
    'LeakyReLU': _leaky,
    'ELU': _elu,
    'ThresholdedReLU': _thresholded,
    'ReLU': _relu,
    'Softmax': softmax_of,
}


def of_config(kind: str, config: Config) -> Optional[Callable[[Any, Any], Any]]:
    """The function (K, x) of a layer that has no weights and is used as an activation. None, if it is none of them."""
    function = FUNCTIONS.get(kind)
    return None if function is None else lambda K, x: function(K, x, config)

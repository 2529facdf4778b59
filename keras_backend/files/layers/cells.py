"""The steps of the cells SimpleRNN, GRU and LSTM.

Source: the documentation of Keras 2.3.1, and the papers that it names: S. Hochreiter, J. Schmidhuber, Long Short-Term
Memory, 1997; K. Cho and others, On the Properties of Neural Machine Translation, 2014.
"""

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Tuple

from .activations import activation
from .use import Use

Step = Callable[[Any, List[Any]], Tuple[Any, List[Any]]]


class Cell(NamedTuple):
    """A cell: the sizes of its states, and its step (input, states) -> (output, new states)."""

    sizes: Tuple[int, ...]
    step: Step


def _parts(x: Any, units: int) -> List[Any]:
    """The columns of each gate."""
    return [x[:, start : start + units] for start in range(0, 10 * units, units)]


def _functions(use: Use) -> Tuple[Any, Any]:
    config, functions = use.config, use.help.functions
    own = activation(use.K, config.get('activation', 'tanh'), use.layer, functions)
    return own, activation(use.K, config.get('recurrent_activation', 'hard_sigmoid'), use.layer, functions)


def simple(use: Use) -> Cell:
    """activation(x . kernel + bias + h . recurrent_kernel)."""
    K, weights = use.K, use.weights
    function = _functions(use)[0]

    def step(x: Any, states: List[Any]) -> Tuple[Any, List[Any]]:
        h = K.dot(x, weights['kernel']) + K.dot(states[0], weights['recurrent_kernel'])
        h = function(h + weights['bias'] if 'bias' in weights else h)
        return h, [h]

    return Cell((int(use.config['units']),), step)


def lstm(use: Use) -> Cell:
    """The gates i, f, c and o, in this order."""
    return _lstm(use.K, use.weights, int(use.config['units']), *_functions(use))


def _lstm(K: Any, weights: Mapping[str, Any], units: int, function: Any, gate: Any) -> Cell:
    def step(x: Any, states: List[Any]) -> Tuple[Any, List[Any]]:
        z = K.dot(x, weights['kernel']) + K.dot(states[0], weights['recurrent_kernel'])
        z = z + weights['bias'] if 'bias' in weights else z
        i, f, c, o = _parts(z, units)[:4]
        memory = gate(f) * states[1] + gate(i) * function(c)
        h = gate(o) * function(memory)
        return h, [h, memory]

    return Cell((units, units), step)


def gru(use: Use) -> Cell:
    """The gates z, r and h, in this order. `reset_after` multiplies r and h . kernel rather than r and h."""
    reset_after = bool(use.option('reset_after', False))
    return _gru(use.K, use.weights, int(use.config['units']), *_functions(use), reset_after)


def _gru(K: Any, weights: Mapping[str, Any], units: int, function: Any, gate: Any, reset_after: bool) -> Cell:
    kernel, bias = weights['recurrent_kernel'], weights.get('bias')
    of_input, of_state = bias, None
    if reset_after and bias is not None:
        of_input, of_state = bias[0], bias[1]

    def projected(x: Any, matrix: Any, shift: Any) -> Any:
        made = K.dot(x, matrix)
        return made if shift is None else made + shift

    def step(x: Any, states: List[Any]) -> Tuple[Any, List[Any]]:
        h = states[0]
        x_z, x_r, x_h = _parts(projected(x, weights['kernel'], of_input), units)[:3]
        if reset_after:
            h_z, h_r, h_h = _parts(projected(h, kernel, of_state), units)[:3]
            z, r = gate(x_z + h_z), gate(x_r + h_r)
            new = function(x_h + r * h_h)
        else:
            h_z, h_r = _parts(K.dot(h, kernel[:, : 2 * units]), units)[:2]
            z, r = gate(x_z + h_z), gate(x_r + h_r)
            new = function(x_h + K.dot(r * h, kernel[:, 2 * units :]))
        new = z * h + (1.0 - z) * new
        return new, [new]

    return Cell((units,), step)


def _of_cudnn(use: Use, gates: int) -> Dict[str, Any]:
    """The weights of a CuDNN layer as the other layers have them.

    The kernel of a gate has the shape (inputs, units), and its elements the order (units, inputs). That of the states
    is transposed.
    """
    K, units = use.K, int(use.config['units'])
    kernel, recurrent = use.weights['kernel'], use.weights['recurrent_kernel']
    size = K.int_shape(kernel)[0]
    parts = [slice(gate * units, (gate + 1) * units) for gate in range(gates)]
    return {
        'kernel': K.concatenate([K.transpose(K.reshape(kernel[:, part], (units, size))) for part in parts], axis=1),
        'recurrent_kernel': K.concatenate([K.transpose(recurrent[:, part]) for part in parts], axis=1),
        'bias': K.reshape(use.weights['bias'], (2, gates * units)),
    }


def cudnn_lstm(use: Use) -> Cell:
    """CuDNNLSTM: an LSTM with tanh, sigmoid and two biases."""
    K, weights = use.K, _of_cudnn(use, 4)
    weights['bias'] = weights['bias'][0] + weights['bias'][1]
    return _lstm(K, weights, int(use.config['units']), K.tanh, K.sigmoid)


def cudnn_gru(use: Use) -> Cell:
    """CuDNNGRU: a GRU with tanh, sigmoid and `reset_after`."""
    K = use.K
    return _gru(K, _of_cudnn(use, 3), int(use.config['units']), K.tanh, K.sigmoid, True)


CELLS: Dict[str, Callable[[Use], Cell]] = {
    'SimpleRNN': simple,
    'SimpleRNNCell': simple,
    'GRU': gru,
    'GRUCell': gru,
    'LSTM': lstm,
    'LSTMCell': lstm,
    'CuDNNGRU': cudnn_gru,
    'CuDNNLSTM': cudnn_lstm,
}

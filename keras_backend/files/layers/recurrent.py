"""Recurrent layers: the steps of their cells, the loop over time, the states before it, what comes out; wrappers."""

from functools import partial
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...errors import UnknownLayerError
from ..structure import Layer
from .convolutional import has_theano_padding, one_or_all, rank_of
from .use import Use, activation, numbers, tensor_list

# -- cells -------------------------------------------------------------------------------------------------------------
# The steps of the cells SimpleRNN, GRU and LSTM.
#
# Source: the documentation of Keras 2.3.1, and the papers that it names: S. Hochreiter, J. Schmidhuber, Long
# Short-Term Memory, 1997; K. Cho and others, On the Properties of Neural Machine Translation, 2014.


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
        product = K.dot(x, matrix)
        return product if shift is None else product + shift

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
    spans = [slice(gate * units, (gate + 1) * units) for gate in range(gates)]
    return {
        'kernel': K.concatenate([K.transpose(K.reshape(kernel[:, span], (units, size))) for span in spans], axis=1),
        'recurrent_kernel': K.concatenate([K.transpose(recurrent[:, span]) for span in spans], axis=1),
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


def _all_cells(use: Use, layers: Iterable[Layer], size: Optional[int]) -> List[Cell]:
    """The cells. size: the number of channels that the first gets."""
    cells: List[Cell] = []
    for layer in layers:
        if layer.kind == 'StackedRNNCells':
            cells += _all_cells(use, layer.inner, size)
        elif layer.kind in CELLS:
            cells.append(CELLS[layer.kind](use.of(layer, [(None, size)])))
        else:
            raise UnknownLayerError(
                f'The layer {use.layer.name} (RNN) has a cell of the kind {layer.kind}, which has no meaning; give '
                f'a function for the whole layer with layers={{{use.layer.kind!r}: function}}.',
                use.layer.name,
                layer.kind,
            )
        size = cells[-1].sizes[0]
    return cells


def _stacked(cells: Sequence[Cell]) -> Cell:
    """Cells one above the other as one cell. The states of the first come first."""

    def step(x: Any, states: List[Any]) -> Tuple[Any, List[Any]]:
        new: List[Any] = []
        for cell in cells:
            x, own = cell.step(x, states[len(new) : len(new) + len(cell.sizes)])
            new += own
        return x, new

    return Cell(sum([cell.sizes for cell in cells], ()), step)


def recurrent(use: Use) -> Any:
    """SimpleRNN, GRU, LSTM, CuDNNGRU, CuDNNLSTM, and RNN with a cell or several."""
    cell = (
        CELLS[use.layer.kind](use)
        if use.layer.kind in CELLS
        else _stacked(_all_cells(use, use.layer.inner, use.shape[-1]))
    )
    if use.layer.kind.startswith('CuDNN') and use.mask is not None:
        raise use.error('gets a mask; Masking is not supported for CuDNN RNNs')
    K, x, time_major = use.K, use.x, bool(use.option('time_major', False))

    def zeros(size: int) -> Any:
        zero = K.expand_dims(K.sum(K.zeros_like(x), axis=[0 if time_major else 1, *range(2, K.ndim(x))]))
        return K.tile(zero, [1, size])

    batch = use.shape[1 if time_major else 0]
    return run(use, cell.step, [(batch, size) for size in cell.sizes], [partial(zeros, size) for size in cell.sizes])


def run(use: Use, step: Callable[..., Any], shapes: Sequence[Sequence[Any]], zeros: Sequence[Callable[[], Any]]) -> Any:
    """A loop over time. shapes: of the states. zeros: what makes each state that nothing else gives."""
    K = use.K
    states = _checked_states(use, len(shapes))
    stateful = bool(use.option('stateful', False))
    kept: List[Any] = []
    if stateful:
        if any([size is None for shape in shapes for size in shape]):
            raise use.error('is stateful, and its batch_input_shape does not say all sizes')
        kept = [use.help.state(use.owner, number, shape) for number, shape in enumerate(shapes)]
    if not states:
        states = kept or [make() for make in zeros]
    time_major = bool(use.option('time_major', False))
    last, outputs, new = K.rnn(
        lambda x, s: step(x, list(s)),
        use.x,
        states,
        go_backwards=bool(use.option('go_backwards', False)),
        mask=use.mask,
        input_length=use.shape[0 if time_major else 1],
        time_major=time_major,
        zero_output_for_mask=bool(use.option('zero_output_for_mask', False)),
    )
    use.help.updates.extend(zip(kept, new))
    output = outputs if use.option('return_sequences', False) else last
    return [output, *new] if use.option('return_state', False) else output


def given_states(use: Use) -> List[Any]:
    """The states that the call gives: by keyword, or behind the first input."""
    named = use.arguments.get('initial_state')
    return use.inputs[1:] if named is None else tensor_list(named)


def _checked_states(use: Use, count: int) -> List[Any]:
    states = given_states(use)
    if use.arguments.get('constants') is not None or (use.option('_num_constants', use.option('num_constants', 0))):
        raise use.error('gets constants, which no cell of Keras takes; give a function for it with layers=')
    if states and len(states) != count:
        raise use.error(f'has {count} states and gets {len(states)}')
    return states


def mask_of_recurrent(use: Use, outputs: Any) -> Any:
    """The mask, if the output is a sequence. States have none."""
    own = use.mask if use.option('return_sequences', False) else None
    return [own] + [None] * (len(outputs) - 1) if use.option('return_state', False) else own


# -- ConvLSTM2D --------------------------------------------------------------------------------------------------------
# ConvLSTM2D.
#
# Source: X. Shi and others, Convolutional LSTM Network: A Machine Learning Approach for Precipitation Nowcasting,
# 2015, without the weights from the memory to the gates.


def conv_lstm(use: Use) -> Any:
    """An LSTM whose products with kernels are convolutions. Those of the states keep the size."""
    K, weights, rank = use.K, use.weights, rank_of(use.layer.kind)
    filters = int(use.config['filters'])
    function, gate = use.function(), use.function('recurrent_activation')
    strides, dilation = numbers(use.option('strides', 1), rank), numbers(use.option('dilation_rate', 1), rank)
    if has_theano_padding(use):
        raise use.error('has padding="same" as Theano has it, with a kernel of even size or strides, which is not done')
    convolve = getattr(K, f'conv{rank}d')
    axis = 1 if use.channels_first else -1

    def of_input(x: Any) -> Any:
        output = convolve(
            x, weights['kernel'], one_or_all(strides), use.option('padding', 'valid'), use.data_format,
            one_or_all(dilation),
        )  # fmt: skip
        return K.bias_add(output, weights['bias'], data_format=use.data_format) if 'bias' in weights else output

    def parts(z: Any) -> List[Any]:
        cuts = [slice(gate_number * filters, (gate_number + 1) * filters) for gate_number in range(4)]
        return [z[:, cut] if axis == 1 else z[..., cut] for cut in cuts]

    def step(x: Any, states: List[Any]) -> Tuple[Any, List[Any]]:
        h, memory = states
        of_state = convolve(h, weights['recurrent_kernel'], one_or_all((1,) * rank), 'same', use.data_format)
        i, f, c, o = parts(of_input(x) + of_state)
        memory = gate(f) * memory + gate(i) * function(c)
        h = gate(o) * function(memory)
        return h, [h, memory]

    first = parts(of_input(use.x[:, 0]))[0]
    shape = (use.shape[0], *K.int_shape(first)[1:])
    return run(use, step, [shape] * 2, [lambda: K.zeros_like(first)] * 2)


# -- TimeDistributed and Bidirectional ---------------------------------------------------------------------------------
# TimeDistributed and Bidirectional.


def time_distributed(use: Use) -> Any:
    """A layer at every time step, and the mask. Samples and time steps are one axis for the layer.

    The mask is that which the layer gives; else a step is kept where the mask of the input keeps a part of it.
    """
    K = use.K
    mask = None if use.mask is None else _merged(use, use.mask)
    outputs, masks = use.help.apply(use.layer.inner[0], [_merged(use, use.x)], [mask], use.arguments, None)
    if isinstance(outputs, list):
        raise use.error('wraps a layer with several outputs, which Keras 2.3.1 cannot do')
    if masks is not None:
        return _split(use, outputs), _split(use, masks)
    step_mask = use.mask
    while step_mask is not None and K.ndim(step_mask) > 2:
        step_mask = K.any(step_mask, axis=-1)
    return _split(use, outputs), step_mask


def _merged(use: Use, x: Any) -> Any:
    """The first two axes as one."""
    K = use.K
    sizes = list(K.int_shape(x)[2:])
    return K.reshape(x, [-1, *[K.shape(x)[axis + 2] if size is None else size for axis, size in enumerate(sizes)]])


def _split(use: Use, x: Any) -> Any:
    """Samples and time steps as two axes again."""
    K = use.K
    sizes = list(K.int_shape(x)[1:])
    rest = [K.shape(x)[axis + 1] if size is None else size for axis, size in enumerate(sizes)]
    batch = -1 if use.shape[0] is None else use.shape[0]
    return K.reshape(x, [batch, use.size(1), *rest])


def _directed(use: Use, layer: Layer, backwards: bool) -> Layer:
    """One of the two layers. A file may name the direction of the forward layer alone.

    tf.keras gives zeros for steps that are masked, which its configurations do not say.
    """
    config: Dict[str, Any] = {**layer.config, 'go_backwards': backwards}
    if use.help.library != 'keras':
        config['zero_output_for_mask'] = _option(layer, 'return_sequences')
    return Layer(layer.name, layer.kind, config, layer.inner, layer.model)


def bidirectional(use: Use) -> Any:
    """A recurrent layer forward, and one backward, and both outputs merged."""
    K = use.K
    forward, backward = use.layer.inner
    initial = given_states(use)
    half = len(initial) // 2
    directions = []
    first = _option(forward, 'go_backwards')
    for owner, backwards, states in ((forward, first, initial[:half]), (backward, not first, initial[half:])):
        arguments = {**use.arguments, 'initial_state': states or None}
        layer = _directed(use, owner, backwards)
        outputs, _ = use.help.apply(layer, [use.x], [use.mask], arguments, owner)
        directions.append(tensor_list(outputs))
    (y, *states), (back, *more) = directions
    if _option(forward, 'return_sequences'):
        back = K.reverse(back, 0 if _option(forward, 'time_major') else 1)
    merged = _merge(use, y, back, use.config.get('merge_mode', 'concat'))
    if not _option(forward, 'return_state'):
        return merged
    return [*tensor_list(merged), *states, *more]


def _option(layer: Layer, name: str) -> bool:
    return bool(layer.config.get(name, False))


def _merge(use: Use, y: Any, back: Any, mode: Optional[str]) -> Any:
    if mode is None:
        return [y, back]
    if mode == 'concat':
        return use.K.concatenate([y, back])
    if mode in ('sum', 'ave'):
        return (y + back) / 2.0 if mode == 'ave' else y + back
    if mode == 'mul':
        return y * back
    raise use.error(f"has the merge_mode {mode!r}; 'sum', 'mul', 'concat', 'ave' and None are possible")


def mask_of_bidirectional(use: Use, outputs: Any) -> Any:
    """The mask, if the outputs are sequences. States have none."""
    forward = use.layer.inner[0]
    own = use.mask if _option(forward, 'return_sequences') else None
    count = len(outputs) if isinstance(outputs, list) else 1
    merged = 2 if use.config.get('merge_mode', 'concat') is None else 1
    masks = [own] * merged + [None] * (count - merged)
    return masks if isinstance(outputs, list) else own

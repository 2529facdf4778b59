"""ConvLSTM2D.

Source: X. Shi and others, Convolutional LSTM Network: A Machine Learning Approach for Precipitation Nowcasting, 2015,
without the weights from the memory to the gates.
"""

from typing import Any, List, Tuple

from . import theano_padding
from .convolutional import one_or_all, rank_of
from .recurrent import run
from .use import Use, numbers


def conv_lstm(use: Use) -> Any:
    """An LSTM whose products with kernels are convolutions. Those of the states keep the size."""
    K, weights, rank = use.K, use.weights, rank_of(use.layer.kind)
    filters = int(use.config['filters'])
    function, gate = use.function(), use.function('recurrent_activation')
    strides, dilation = numbers(use.option('strides', 1), rank), numbers(use.option('dilation_rate', 1), rank)
    if theano_padding.is_wanted(use):
        raise use.error('has padding="same" as Theano has it, with a kernel of even size or strides, which is not done')
    convolve = getattr(K, f'conv{rank}d')
    axis = 1 if use.channels_first else -1

    def of_input(x: Any) -> Any:
        found = convolve(
            x, weights['kernel'], one_or_all(strides), use.option('padding', 'valid'), use.data_format,
            one_or_all(dilation),
        )  # fmt: skip
        return K.bias_add(found, weights['bias'], data_format=use.data_format) if 'bias' in weights else found

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

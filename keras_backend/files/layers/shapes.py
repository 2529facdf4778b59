"""The shapes that the weights of a layer need to have. None stands for a size that is not known or is not checked."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .convolutional import rank_of
from .use import numbers

Shape = Tuple[Optional[int], ...]
Config = Mapping[str, Any]
Shapes = Dict[str, Shape]


def _channels(config: Config, shape: Sequence[Optional[int]]) -> Optional[int]:
    return shape[1 if config.get('data_format') == 'channels_first' else -1]


def _dense(kind: str, config: Config, shape: Shape) -> Shapes:
    units = int(config['units'])
    return {'kernel': (shape[-1], units), 'bias': (units,)}


def _convolution(kind: str, config: Config, shape: Shape) -> Shapes:
    size = numbers(config['kernel_size'], rank_of(kind))
    channels, filters = _channels(config, shape), int(config['filters'])
    groups = int(config.get('groups') or 1)
    of_group = None if channels is None else channels // groups
    last = (filters, channels) if 'Transpose' in kind else (of_group, filters)
    return {'kernel': (*size, *last), 'bias': (filters,)}


def _depthwise(kind: str, config: Config, shape: Shape) -> Shapes:
    size, channels = numbers(config['kernel_size'], rank_of(kind)), _channels(config, shape)
    multiplier = int(config.get('depth_multiplier') or 1)
    return {
        'depthwise_kernel': (*size, channels, multiplier),
        'bias': (None if channels is None else channels * multiplier,),
    }


def _separable(kind: str, config: Config, shape: Shape) -> Shapes:
    shapes, filters = _depthwise(kind, config, shape), int(config['filters'])
    ones = (1,) * rank_of(kind)
    return {**shapes, 'pointwise_kernel': (*ones, shapes['bias'][0], filters), 'bias': (filters,)}


def _recurrent(gates: int) -> Callable[[str, Config, Shape], Shapes]:
    def shapes(kind: str, config: Config, shape: Shape) -> Shapes:
        units = int(config['units'])
        bias: Shape = (2, gates * units) if config.get('reset_after') and gates == 3 else (gates * units,)
        if kind.startswith('CuDNN'):
            bias = (2 * gates * units,)
        return {'kernel': (shape[-1], gates * units), 'recurrent_kernel': (units, gates * units), 'bias': bias}

    return shapes


def _conv_lstm(kind: str, config: Config, shape: Shape) -> Shapes:
    filters, size = int(config['filters']), numbers(config['kernel_size'], rank_of(kind))
    channels = shape[2 if config.get('data_format') == 'channels_first' else -1]
    return {
        'kernel': (*size, channels, 4 * filters),
        'recurrent_kernel': (*size, filters, 4 * filters),
        'bias': (4 * filters,),
    }


def _embedding(kind: str, config: Config, shape: Shape) -> Shapes:
    return {'embeddings': (int(config['input_dim']), int(config['output_dim']))}


def _batch_normalization(kind: str, config: Config, shape: Shape) -> Shapes:
    axis = config.get('axis', -1)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    own = tuple([shape[int(number) % len(shape)] for number in axes])
    return dict.fromkeys(['gamma', 'beta', 'moving_mean', 'moving_variance'], own)


def _prelu(kind: str, config: Config, shape: Shape) -> Shapes:
    shared = [int(axis) for axis in config.get('shared_axes') or ()]
    return {'alpha': tuple([1 if axis in shared else size for axis, size in enumerate(shape)][1:])}


def _each_element(*names: str) -> Callable[[str, Config, Shape], Shapes]:
    return lambda kind, config, shape: {name: tuple(shape[1:]) for name in names}


def _highway(kind: str, config: Config, shape: Shape) -> Shapes:
    size = shape[-1]
    return {'W': (size, size), 'W_carry': (size, size), 'b': (size,), 'b_carry': (size,)}


def _maxout(kind: str, config: Config, shape: Shape) -> Shapes:
    units, features = int(config['output_dim']), int(config['nb_feature'])
    return {'W': (features, shape[-1], units), 'b': (features, units)}


SHAPES: Dict[str, Callable[[str, Config, Shape], Shapes]] = {
    'Dense': _dense,
    **dict.fromkeys('Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose'.split(), _convolution),
    **dict.fromkeys(['DepthwiseConv1D', 'DepthwiseConv2D'], _depthwise),
    **dict.fromkeys(['SeparableConv1D', 'SeparableConv2D'], _separable),
    **dict.fromkeys(['SimpleRNN', 'SimpleRNNCell'], _recurrent(1)),
    **dict.fromkeys(['GRU', 'GRUCell', 'CuDNNGRU'], _recurrent(3)),
    **dict.fromkeys(['LSTM', 'LSTMCell', 'CuDNNLSTM'], _recurrent(4)),
    **dict.fromkeys(['ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D'], _conv_lstm),
    **dict.fromkeys(['BatchNormalization', 'LayerNormalization'], _batch_normalization),
    'Embedding': _embedding,
    'PReLU': _prelu,
    'ParametricSoftplus': _each_element('alphas', 'betas'),
    'SReLU': _each_element('t_left', 'a_left', 't_right', 'a_right'),
    'Highway': _highway,
    'MaxoutDense': _maxout,
}


def in_words(shape: Sequence[Optional[int]]) -> str:
    """A shape as text: (?, 3), where the first size is not known."""
    sizes = ['?' if size is None else str(size) for size in shape]
    return '(' + ', '.join(sizes) + (',)' if len(sizes) == 1 else ')')


def fits(found: Sequence[int], wanted: Optional[Sequence[Optional[int]]]) -> bool:
    """Whether a shape is the one that a layer needs. All are, where nothing is known of it."""
    if wanted is None:
        return True
    return len(found) == len(wanted) and all([b is None or a == b for a, b in zip(found, wanted)])


def wanted_shapes(kind: str, config: Config, shapes: List[Shape]) -> Shapes:
    """The shapes of the weights of a layer. shapes: those of its inputs."""
    return SHAPES[kind](kind, config, tuple(shapes[0])) if kind in SHAPES and shapes else {}

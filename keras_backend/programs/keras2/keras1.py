"""Keras 1.2.2 on the engines: the functions of `keras.backend` that Keras 2 named, ordered or computed in another way.

The reference is Keras 1.2.2 on TensorFlow 1.15, run as a black box: see `tests/programs/keras1_functions.py`.
"""

from types import ModuleType
from typing import Any, Callable, Dict, Sequence, Tuple

from ...basics.arguments import Given, taking

FORMATS = {'th': 'channels_first', 'tf': 'channels_last'}


def functions(K: ModuleType) -> Dict[str, Callable[..., Any]]:
    """The functions of Keras 1, composed of those of an engine.

    Parameters
    ----------
    K : module
        An engine: the functions of Keras 2.

    Returns
    -------
    dict of str to callable
        The functions that differ from those of the engine, by name.
    """
    order = _OrderOfWeights()
    return {
        **{name: _function(K, name) for name in FUNCTIONS},
        'legacy_weight_ordering': order.legacy_weight_ordering,
        'set_legacy_weight_ordering': order.set_legacy_weight_ordering,
    }


def _function(K: Any, name: str) -> Callable[..., Any]:
    arguments, compute = FUNCTIONS[name]

    @taking(arguments)
    def function(given: Given) -> Any:
        if 'dim_ordering' in arguments:
            given.data_format = _data_format(K, given.dim_ordering)
            for key in vars(given):
                if key.endswith('kernel'):
                    setattr(given, key, _kernel(K, getattr(given, key), given.data_format))
        return compute(K, given)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'`K.{name}` of Keras 1.'
    return function


def _data_format(K: Any, dim_ordering: str) -> str:
    if dim_ordering == 'default':
        return str(K.image_data_format())
    if dim_ordering not in FORMATS:
        raise ValueError(f"dim_ordering is {dim_ordering!r}; type 'th', 'tf' or 'default'.")
    return FORMATS[dim_ordering]


def _kernel(K: Any, kernel: Any, data_format: str) -> Any:
    """A kernel in the order of Keras 2: (rows, columns, ..., channels, filters).

    With 'th' Keras 1 has kernels of the shape (filters, channels, rows, columns, ...).
    """
    if data_format == 'channels_last':
        return kernel
    return K.permute_dimensions(kernel, tuple(range(2, K.ndim(kernel))) + (1, 0))


def _both_sides(padding: Sequence[int]) -> Tuple[Tuple[int, int], ...]:
    return tuple([(size, size) for size in padding])


_MODE = "border_mode='valid', dim_ordering='default'"
_IMAGES = f'{_MODE}, image_shape=None, filter_shape=None'
_OF_POOL = 'x pool_size strides border_mode data_format pool_mode'


def _calling(name: str, keys: str = '') -> Callable[[Any, Given], Any]:
    """The call of a function of Keras 2 with these arguments of Keras 1, in this order; with all as they come."""
    return lambda K, given: getattr(K, name)(
        *([getattr(given, key) for key in keys.split()] if keys else vars(given).values())
    )


def _deconv2d(K: Any, given: Given) -> Any:
    # Keras 2 has kernels (rows, columns, filters, channels) here, and Keras 1 those of a convolution.
    kernel = K.permute_dimensions(given.kernel, (0, 1, 3, 2))
    return K.conv2d_transpose(given.x, kernel, given.output_shape, given.strides, given.border_mode, given.data_format)


def _convolved(K: Any, name: str, given: Given, strides: Any, *dilation: Any) -> Any:
    """A convolution. 'full' of Theano has each pixel where the kernel and the image meet at all."""
    x, border_mode, data_format = given.x, given.border_mode, getattr(given, 'data_format', 'channels_last')
    if border_mode == 'full':
        rates = dilation[0] if dilation else (1,) * (K.ndim(x) - 2)
        sizes = K.int_shape(given.kernel)[: len(rates)]
        x = _with_edges(K, x, [(size - 1) * rate for size, rate in zip(sizes, rates)], data_format)
        border_mode = 'valid'
    return getattr(K, name)(x, given.kernel, strides, border_mode, data_format, *dilation)


def _with_edges(K: Any, x: Any, sizes: Sequence[int], data_format: str) -> Any:
    """Steps, images or volumes with zeros on both sides."""
    if len(sizes) == 1:
        return K.temporal_padding(x, (sizes[0], sizes[0]))
    pad = K.spatial_2d_padding if len(sizes) == 2 else K.spatial_3d_padding
    return pad(x, _both_sides(sizes), data_format)


# The arguments of Keras 1, and the functions of Keras 2 that get them. `border_mode` is `padding` of Keras 2. `given`
# has a `data_format` for `dim_ordering`, and its kernels are in the order of Keras 2 then.
FUNCTIONS: Dict[str, Tuple[str, Callable[[Any, Given], Any]]] = {
    # Arguments of another name.
    'expand_dims': ('x, dim=-1', _calling('expand_dims')),
    'one_hot': ('indices, nb_classes', _calling('one_hot')),
    'random_normal': ('shape, mean=0.0, std=1.0, dtype=None, seed=None', _calling('random_normal')),
    'random_uniform': ('shape, low=0.0, high=1.0, dtype=None, seed=None', _calling('random_uniform')),
    'moving_average_update': ('variable, value, momentum', _calling('moving_average_update')),
    'lesser': ('x, y', _calling('less')),
    'lesser_equal': ('x, y', _calling('less_equal')),
    # The result of the model comes first, and the target second.
    **{
        name: ('output, target, from_logits=False', _calling(name, 'target output from_logits'))
        for name in ('categorical_crossentropy', 'sparse_categorical_crossentropy', 'binary_crossentropy')
    },
    # Convolutions and pools.
    'conv1d': (
        "x, kernel, stride=1, border_mode='valid', image_shape=None, filter_shape=None",
        lambda K, given: _convolved(K, 'conv1d', given, given.stride),
    ),
    'conv2d': (
        f'x, kernel, strides=(1, 1), {_IMAGES}, filter_dilation=(1, 1)',
        lambda K, given: _convolved(K, 'conv2d', given, given.strides, given.filter_dilation),
    ),
    'atrous_conv2d': (
        f'x, kernel, rate=1, {_IMAGES}',
        lambda K, given: _convolved(K, 'conv2d', given, (1, 1), (given.rate, given.rate)),
    ),
    'deconv2d': (f'x, kernel, output_shape, strides=(1, 1), {_IMAGES}', _deconv2d),
    'separable_conv2d': (
        f'x, depthwise_kernel, pointwise_kernel, strides=(1, 1), {_MODE}',
        _calling('separable_conv2d', 'x depthwise_kernel pointwise_kernel strides border_mode data_format'),
    ),
    'conv3d': (
        f'x, kernel, strides=(1, 1, 1), {_MODE}, volume_shape=None, filter_shape=None',
        lambda K, given: _convolved(K, 'conv3d', given, given.strides),
    ),
    'pool2d': (f"x, pool_size, strides=(1, 1), {_MODE}, pool_mode='max'", _calling('pool2d', _OF_POOL)),
    'pool3d': (f"x, pool_size, strides=(1, 1, 1), {_MODE}, pool_mode='max'", _calling('pool3d', _OF_POOL)),
    # Sizes and edges.
    'resize_images': (
        'X, height_factor, width_factor, dim_ordering',
        _calling('resize_images', 'X height_factor width_factor data_format'),
    ),
    'resize_volumes': (
        'X, depth_factor, height_factor, width_factor, dim_ordering',
        _calling('resize_volumes', 'X depth_factor height_factor width_factor data_format'),
    ),
    'temporal_padding': ('x, padding=1', lambda K, given: K.temporal_padding(given.x, (given.padding,) * 2)),
    'asymmetric_temporal_padding': (
        'x, left_pad=1, right_pad=1',
        lambda K, given: K.temporal_padding(given.x, (given.left_pad, given.right_pad)),
    ),
    'spatial_2d_padding': (
        "x, padding=(1, 1), dim_ordering='default'",
        lambda K, given: K.spatial_2d_padding(given.x, _both_sides(given.padding), given.data_format),
    ),
    'asymmetric_spatial_2d_padding': (
        "x, top_pad=1, bottom_pad=1, left_pad=1, right_pad=1, dim_ordering='default'",
        lambda K, given: K.spatial_2d_padding(
            given.x, ((given.top_pad, given.bottom_pad), (given.left_pad, given.right_pad)), given.data_format
        ),
    ),
    'spatial_3d_padding': (
        "x, padding=(1, 1, 1), dim_ordering='default'",
        lambda K, given: K.spatial_3d_padding(given.x, _both_sides(given.padding), given.data_format),
    ),
}


class _OrderOfWeights:
    """The order of weights in files of Keras 0.3."""

    before_keras_1 = False

    def legacy_weight_ordering(self) -> bool:
        """Whether weights are ordered as before Keras 1."""
        return self.before_keras_1

    def set_legacy_weight_ordering(self, value: bool) -> None:
        """Say whether weights are ordered as before Keras 1. Raises ValueError for no bool."""
        if value not in (True, False):
            raise ValueError(f'K.set_legacy_weight_ordering: value is {value!r}; type True or False.')
        self.before_keras_1 = bool(value)

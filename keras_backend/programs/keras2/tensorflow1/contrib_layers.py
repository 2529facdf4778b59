"""Layers of `tf.contrib.layers` with weights, and those that call them: functions over the classes of `tf.layers`."""

from functools import partial
from typing import Any, Callable, Optional, Sequence, Tuple

from ....basics.arguments import Given, taking
from . import convolutions
from .base import ZEROS, Layer
from .contrib_functions import xavier_initializer
from .core import Dense
from .framework import add_arg_scope, collect_model_variables, collected_outputs
from .itself import tf

NAMES = {
    'kernel': 'weights',
    'bias': 'biases',
    'depthwise_kernel': 'depthwise_weights',
    'pointwise_kernel': 'pointwise_weights',
}
XAVIER = xavier_initializer()


class _Options:
    """The arguments that these layers share: what is done with the variables and with the outputs of a layer."""

    @taking(
        'self, activation_fn=RELU, normalizer_fn=None, normalizer_params=None, weights_initializer=XAVIER, '
        'weights_regularizer=None, biases_initializer=ZEROS, biases_regularizer=None, reuse=None, '
        'variables_collections=None, outputs_collections=None, trainable=True, scope=None',
        RELU=tf.nn.relu,
        XAVIER=XAVIER,
        ZEROS=ZEROS,
    )
    def __init__(self, given: Given) -> None:
        self.given = given
        self.arguments = dict(
            use_bias=given.normalizer_fn is None and given.biases_initializer is not None,
            bias_initializer=given.biases_initializer,
            bias_regularizer=given.biases_regularizer,
            trainable=given.trainable,
            _variable_names=NAMES,
        )

    def outputs(self, cls: Callable[..., Layer], name: str, inputs: Any, *args: Any, **weights: Any) -> Any:
        """The outputs of a layer in a scope of this name, normalized and activated.

        `args` are arguments of the layer. So is `weights`: what makes its kernel; without it, what makes all weights.
        """
        given = self.given
        weights = weights or dict(
            kernel_initializer=given.weights_initializer, kernel_regularizer=given.weights_regularizer
        )
        with tf.variable_scope(given.scope, name, [inputs], reuse=given.reuse) as opened:
            layer = cls(*args, _scope=opened, _reuse=opened.reuse or None, **weights, **self.arguments)
            outputs = layer(inputs)
            collect_model_variables(layer, given.variables_collections)
            if given.normalizer_fn is not None:
                outputs = given.normalizer_fn(outputs, **(given.normalizer_params or {}))
            if given.activation_fn is not None:
                outputs = given.activation_fn(outputs)
            return collected_outputs(outputs, given.outputs_collections)


@add_arg_scope
def fully_connected(inputs: Any, num_outputs: int, *more: Any, **named: Any) -> Any:
    """A product with a matrix over the last axis, plus a bias, with `tf.nn.relu`.

    Args:
        inputs: A tensor with at least two axes.
        num_outputs: The size of the outputs.
        activation_fn: A function for the outputs; None for none.
        normalizer_fn: A function for the outputs in place of a bias.
        normalizer_params: Its arguments.
        weights_initializer: What makes the first values of `weights`; so for `biases`, None for no biases.
        weights_regularizer: A function that gives a loss for `weights`; so for `biases`.
        reuse: Whether the variables are there already.
        variables_collections: Names of collections for the variables; or a dict of them for each variable.
        outputs_collections: Names of collections for the outputs.
        trainable: Whether the variables are trained.
        scope: The scope of the variables.
    """
    return _Options(*more, **named).outputs(Dense, 'fully_connected', inputs, num_outputs)


_OF_CONVOLUTIONS = "inputs, num_outputs, kernel_size, stride=1, padding='SAME'"


def _sizes(given: Given) -> Tuple[Any, ...]:
    """The first arguments of a class of convolutions."""
    return given.num_outputs, given.kernel_size, given.stride, given.padding, keras_format(given.data_format)


def _convolution(name: str, rank: Optional[int]) -> Callable[..., Any]:
    """The convolution over `rank` axes of space; over all that the inputs have, for None."""

    @taking(f'{_OF_CONVOLUTIONS}, data_format=None, rate=1, *more, **named')
    def function(given: Given) -> Any:
        """A convolution, plus a bias, with `tf.nn.relu`.

        Args:
            inputs: A tensor with the axis of examples, those of space and that of channels.
            num_outputs: The number of channels of the outputs.
            kernel_size: The size of the kernel, one number or one for each axis of space.
            stride: The step, one number or one for each axis of space.
            padding: `'SAME'` or `'VALID'`.
            data_format: `'NHWC'`, or `'NCHW'` for channels before the axes of space.
            rate: The distance of the taps, one number or one for each axis of space.
            activation_fn: See `fully_connected`; so the other arguments.

        Raises:
            ValueError: The inputs have another number of axes.
        """
        axes = given.inputs.shape.ndims
        if rank is not None and axes != rank + 2:
            raise ValueError(f'{name} expects inputs with {rank + 2} axes, and they have {axes}.')
        cls = [convolutions.Conv1D, convolutions.Conv2D, convolutions.Conv3D][axes - 3]
        return _Options(*given.more, **given.named).outputs(cls, 'Conv', given.inputs, *_sizes(given), given.rate)

    function.__name__ = function.__qualname__ = name
    return add_arg_scope(function)


def keras_format(data_format: Optional[str]) -> str:
    """`'channels_first'` for `'NCHW'` and its like, else `'channels_last'`."""
    return 'channels_first' if (data_format or '').startswith('NC') else 'channels_last'


convolution = _convolution('convolution', None)
convolution1d = _convolution('convolution1d', 1)
convolution2d = _convolution('convolution2d', 2)
convolution3d = _convolution('convolution3d', 3)


@add_arg_scope
@taking(f"{_OF_CONVOLUTIONS}, data_format='NHWC', *more, **named")
def convolution2d_transpose(given: Given) -> Any:
    """A transposed convolution over two axes of space, plus a bias, with `tf.nn.relu`: see `convolution2d`."""
    options = _Options(*given.more, **given.named)
    return options.outputs(convolutions.Conv2DTranspose, 'Conv2d_transpose', given.inputs, *_sizes(given))


@add_arg_scope
@taking(
    "inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding='SAME', data_format='NHWC', rate=1, "
    'activation_fn=RELU, normalizer_fn=None, normalizer_params=None, weights_initializer=XAVIER, '
    'pointwise_initializer=None, *more, **named',
    RELU=tf.nn.relu,
    XAVIER=XAVIER,
)
def separable_convolution2d(given: Given) -> Any:
    """A convolution of each channel alone, then one of all channels, plus a bias, with `tf.nn.relu`.

    `depth_multiplier` is the number of kernels for each channel; the other arguments are those of `convolution2d`.

    Raises:
        NotImplementedError: `num_outputs` is None.
    """
    if given.num_outputs is None:
        raise NotImplementedError(
            'tf.contrib.layers.separable_conv2d(num_outputs=None) is gone with TensorFlow 1; '
            'write tf.nn.depthwise_conv2d.'
        )
    first = given.weights_initializer
    of_layer = given.activation_fn, given.normalizer_fn, given.normalizer_params, first
    options = _Options(*of_layer, *given.more, **given.named)
    return options.outputs(
        convolutions.SeparableConv2D,
        'SeparableConv2d',
        given.inputs,
        *(*_sizes(given), given.rate, given.depth_multiplier),
        depthwise_initializer=first,
        pointwise_initializer=first if given.pointwise_initializer is None else given.pointwise_initializer,
        depthwise_regularizer=options.given.weights_regularizer,
        pointwise_regularizer=options.given.weights_regularizer,
    )


linear = partial(fully_connected, activation_fn=None)
relu = partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = partial(fully_connected, activation_fn=tf.nn.relu6)
elu = partial(fully_connected, activation_fn=tf.nn.elu)


@add_arg_scope
@taking(
    'ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True, '
    'scope=None, reuse=None'
)
def embed_sequence(given: Given) -> Any:
    """A row of a matrix for each number.

    Args:
        ids: The numbers.
        vocab_size: How many rows the matrix has. It may be missing with `reuse`.
        embed_dim: How long a row is. It may be missing with `reuse`.
        unique: Whether equal rows are read once. The result is the same.
        initializer: What makes the first values of the matrix.
        regularizer: A function that gives a loss for the matrix.
        trainable: Whether the matrix is trained.
        scope: The scope of the matrix.
        reuse: Whether the matrix is there already.

    Raises:
        ValueError: The size of the matrix is not given, and it is not there already.
    """
    if not (given.reuse or (given.vocab_size and given.embed_dim)):
        raise ValueError('tf.contrib.layers.embed_sequence: give vocab_size and embed_dim, or reuse=True.')
    with tf.variable_scope(given.scope, 'EmbedSequence', [given.ids], reuse=given.reuse) as opened:
        layer = Layer(trainable=given.trainable, dtype=tf.float32, _scope=opened)
        shape = given.vocab_size and (given.vocab_size, given.embed_dim)
        embeddings = layer.add_weight('embeddings', shape, initializer=given.initializer, regularizer=given.regularizer)
        collect_model_variables(layer, None)
        return tf.nn.embedding_lookup(embeddings, given.ids)


def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A layer several times, one after the other, with variables of its own each time.

    Args:
        inputs: The inputs of the first.
        repetitions: How many times.
        layer: A function such as `tf.contrib.layers.conv2d`.
        *args: Its arguments behind the inputs.
        **kwargs: Its arguments by name. `scope` is the scope of all, and the name of each with a number.
    """
    return stack(inputs, layer, [args] * repetitions, _default_scope='Repeat', **kwargs)


def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """A layer several times, one after the other, with other arguments each time.

    Args:
        inputs: The inputs of the first.
        layer: A function such as `tf.contrib.layers.fully_connected`.
        stack_args: The arguments of each, a value or a list of them.
        **kwargs: Arguments of all by name. `scope` is the scope of all, and the name of each with a number.
    """
    scope, default = kwargs.pop('scope', None), kwargs.pop('_default_scope', 'Stack')
    with tf.variable_scope(scope, default, [inputs]):
        name = scope or getattr(layer, '__name__', 'stack')
        for number, args in enumerate(stack_args, 1):
            args = args if isinstance(args, (list, tuple)) else [args]
            inputs = layer(inputs, *args, scope=f'{name}_{number}', **kwargs)
    return inputs

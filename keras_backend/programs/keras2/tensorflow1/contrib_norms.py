"""`tf.contrib.layers.batch_norm`, `layer_norm`, `instance_norm`, `bias_add`."""

from typing import Any, Callable, Dict, Optional, Tuple

from ....basics.arguments import Given, taking
from .base import ONES, ZEROS, Layer, channels, choose, no_such_arguments
from .contrib_layers import keras_format
from .convolutions import AveragePooling2D, MaxPooling2D
from .core import BatchNormalization, Flatten
from .framework import add_arg_scope, collect, collect_model_variables, collected_outputs, collection_names
from .itself import tf


class _BatchNorm(BatchNormalization):
    """The layer, whose updates its caller collects."""

    def order(self, rank: int) -> Tuple[str, str]:
        """The order in which gamma and beta are made: beta first, if two axes are fused."""
        return ('beta', 'gamma') if self.fused and rank == 2 else ('gamma', 'beta')

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Keep the update."""
        self.updates.append(updates)


@add_arg_scope
@taking(
    'inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None, '
    'param_regularizers=None, updates_collections=UPDATE_OPS, is_training=True, reuse=None, '
    'variables_collections=None, outputs_collections=None, trainable=True, batch_weights=None, fused=None, '
    "data_format='NHWC', zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None, "
    'renorm_decay=0.99, adjustment=None',
    UPDATE_OPS=tf.GraphKeys.UPDATE_OPS,
)
def batch_norm(given: Given) -> Any:
    """Values with the mean 0 and the variance 1 for each channel: see `tf.layers.batch_normalization`.

    Args:
        inputs: A tensor.
        decay: The share of its old value that a moving average keeps.
        center: Whether there is beta.
        scale: Whether there is gamma.
        epsilon: A number that is added to the variance.
        activation_fn: A function for the outputs.
        param_initializers: What makes the first values of `beta`, `gamma`, `moving_mean`, `moving_variance`.
        param_regularizers: Functions that give a loss for `beta` and `gamma`.
        updates_collections: A collection for the updates; None for updates that are part of the outputs.
        is_training: Whether the program trains. It may be a tensor.
        reuse: Whether the variables are there already.
        variables_collections: Names of collections for the variables; or a dict of them for each variable.
        outputs_collections: Names of collections for the outputs.
        trainable: Whether beta and gamma are trained.
        fused: See `tf.layers.batch_normalization`. Without it, inputs with two or four axes are fused.
        data_format: `'NHWC'` or `'NCHW'`.
        scope: The scope of the variables.

    Raises:
        NotImplementedError: `batch_weights`, `zero_debias_moving_mean`, `renorm` or `adjustment` is given.
    """
    no_such_arguments(
        'tf.contrib.layers.batch_norm',
        batch_weights=given.batch_weights is not None,
        zero_debias_moving_mean=given.zero_debias_moving_mean,
        renorm=given.renorm,
        adjustment=given.adjustment,
    )
    inputs = tf.convert_to_tensor(given.inputs)
    initializers, regularizers = dict(given.param_initializers or {}), dict(given.param_regularizers or {})
    arguments = {f'{name}_initializer': value for name, value in initializers.items() if value is not None}
    arguments.update({f'{name}_regularizer': value for name, value in regularizers.items()})
    with tf.variable_scope(given.scope, 'BatchNorm', [inputs], reuse=given.reuse) as opened:
        layer = _BatchNorm(
            *(_axis(given), given.decay, given.epsilon, given.center, given.scale),
            fused=inputs.shape.ndims in (2, 4) if given.fused is None else given.fused,
            trainable=given.trainable,
            _scope=opened,
            _reuse=opened.reuse or None,
            **arguments,
        )
        outputs = layer(inputs, training=given.is_training)
        if given.updates_collections is None:
            with tf.control_dependencies(layer.updates):
                outputs = tf.identity(outputs)
        else:
            collect(layer.updates, collection_names(given.updates_collections, ''))
        return _finished(outputs, layer, given)


def _axis(given: Given) -> int:
    """The axis of the channels."""
    return 1 if given.data_format.startswith('NC') else -1


class _Affine(Layer):
    """The variables `beta` and `gamma` of a layer; None for one that is not wanted."""

    def __init__(self, trainable: bool, scope: Any, dtype: Any) -> None:
        super().__init__(trainable=trainable, dtype=dtype.base_dtype, _scope=scope)

    def both(self, shape: Any, center: bool, scale: bool, initializers: Optional[Dict[str, Any]] = None) -> Any:
        """Make beta and gamma."""
        by_name = initializers or {}
        beta, gamma = by_name.get('beta', ZEROS), by_name.get('gamma', ONES)
        return (
            self.add_weight('beta', shape, initializer=beta) if center else None,
            self.add_weight('gamma', shape, initializer=gamma) if scale else None,
        )


def _finished(outputs: Any, layer: Layer, given: Given) -> Any:
    collect_model_variables(layer, given.variables_collections)
    outputs = outputs if given.activation_fn is None else given.activation_fn(outputs)
    return collected_outputs(outputs, given.outputs_collections)


@add_arg_scope
@taking(
    'inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None, '
    'outputs_collections=None, trainable=True, begin_norm_axis=1, begin_params_axis=-1, scope=None'
)
def layer_norm(given: Given) -> Any:
    """Values with the mean 0 and the variance 1 in each example (Ba et al., 2016, https://arxiv.org/abs/1607.06450).

    Args:
        inputs: A tensor.
        center: Whether there is beta.
        scale: Whether there is gamma.
        activation_fn: A function for the outputs.
        reuse: Whether the variables are there already.
        variables_collections: Names of collections for the variables; or a dict of them for each variable.
        outputs_collections: Names of collections for the outputs.
        trainable: Whether the variables are trained.
        begin_norm_axis: The mean is that over this axis and all behind it.
        begin_params_axis: Beta and gamma have the shape of this axis and all behind it.
        scope: The scope of the variables.
    """
    inputs = tf.convert_to_tensor(given.inputs)
    rank = inputs.shape.ndims
    with tf.variable_scope(given.scope, 'LayerNorm', [inputs], reuse=given.reuse) as opened:
        layer = _Affine(given.trainable, opened, inputs.dtype)
        first = given.begin_params_axis % rank
        shape = tuple(channels(inputs.shape, axis, 'tf.contrib.layers.layer_norm') for axis in range(first, rank))
        beta, gamma = layer.both(shape, given.center, given.scale)
        mean, variance = tf.nn.moments(inputs, list(range(given.begin_norm_axis % rank, rank)), keepdims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        return _finished(outputs, layer, given)


@add_arg_scope
@taking(
    'inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None, '
    "variables_collections=None, outputs_collections=None, trainable=True, data_format='NHWC', scope=None"
)
def instance_norm(given: Given) -> Any:
    """Values with the mean 0 and the variance 1 in each channel of each example (https://arxiv.org/abs/1607.08022).

    `epsilon` is added to the variance. The other arguments are those of `batch_norm`.
    """
    inputs = tf.convert_to_tensor(given.inputs)
    rank = inputs.shape.ndims
    at = _axis(given) % rank
    with tf.variable_scope(given.scope, 'InstanceNorm', [inputs], reuse=given.reuse) as opened:
        layer = _Affine(given.trainable, opened, inputs.dtype)
        size = channels(inputs.shape, at, 'tf.contrib.layers.instance_norm')
        full: Callable[[Any], Any] = lambda value: value  # noqa: E731
        if at == 1:
            full = lambda value: None if value is None else tf.reshape(value, (1, size) + (1,) * (rank - 2))  # noqa: E731
        beta, gamma = (
            full(parameter) for parameter in layer.both((size,), given.center, given.scale, given.param_initializers)
        )
        space = [axis for axis in range(1, rank) if axis != at]
        mean, variance = tf.nn.moments(inputs, space, keepdims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, given.epsilon)
        outputs.set_shape(inputs.shape)
        return _finished(outputs, layer, given)


@add_arg_scope
@taking(
    'inputs, activation_fn=None, initializer=ZEROS, regularizer=None, reuse=None, variables_collections=None, '
    "outputs_collections=None, trainable=True, data_format='NHWC', scope=None",
    ZEROS=ZEROS,
)
def bias_add(given: Given) -> Any:
    """The inputs plus a bias for each channel. The arguments are those of `fully_connected`."""
    with tf.variable_scope(given.scope, 'BiasAdd', [given.inputs], reuse=given.reuse) as opened:
        inputs = tf.convert_to_tensor(given.inputs)
        layer = Layer(trainable=given.trainable, dtype=inputs.dtype.base_dtype, _scope=opened)
        at = _axis(given)
        size = channels(inputs.shape, at, 'tf.contrib.layers.bias_add')
        biases = layer.add_weight('biases', (size,), initializer=given.initializer, regularizer=given.regularizer)
        outputs = tf.nn.bias_add(inputs, biases, data_format='NCHW' if at == 1 else None)
        return _finished(outputs, layer, given)


# -- functions without weights -----------------------------------------------------------------------------------------
# Functions of `tf.contrib.layers` without weights.


def _pool(cls: type, name: str, scope_name: str) -> Any:
    @taking("inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC', outputs_collections=None, scope=None")
    def function(given: Given) -> Any:
        """The largest value, or the mean, of each window of an image.

        Args:
            inputs: Images.
            kernel_size: The size of the windows, one number or two.
            stride: The step of the windows, one number or two.
            padding: `'SAME'` or `'VALID'`.
            data_format: `'NHWC'` or `'NCHW'`.
            outputs_collections: Names of collections for the outputs.
            scope: The name scope.
        """
        with tf.name_scope(given.scope, scope_name, [given.inputs]):
            layer = cls(given.kernel_size, given.stride, given.padding, keras_format(given.data_format))
            return collected_outputs(layer.call(given.inputs), given.outputs_collections)

    function.__name__ = function.__qualname__ = name
    return add_arg_scope(function)


max_pool2d = _pool(MaxPooling2D, 'max_pool2d', 'MaxPool2D')
avg_pool2d = _pool(AveragePooling2D, 'avg_pool2d', 'AvgPool2D')


@add_arg_scope
@taking('inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None')
def dropout(given: Given) -> Any:
    """Zeros in the place of random elements, in training; the others are divided by `keep_prob`.

    Args:
        inputs: A tensor.
        keep_prob: The share of the elements that stay. It may be a tensor.
        noise_shape: The shape of the choice; the choice is repeated along axes of size 1.
        is_training: Whether the program trains. It may be a tensor.
        outputs_collections: Names of collections for the outputs.
        scope: The name scope.
        seed: The seed of the choice.
    """
    with tf.name_scope(given.scope, 'Dropout', [given.inputs]):
        inputs = tf.convert_to_tensor(given.inputs)
        options = dict(rate=1 - given.keep_prob, noise_shape=given.noise_shape, seed=given.seed)
        outputs = choose(given.is_training, lambda: tf.nn.dropout(inputs, **options), lambda: tf.identity(inputs))
        return collected_outputs(outputs, given.outputs_collections)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Optional[str] = None) -> Any:
    """All axes behind the first as one.

    Raises:
        ValueError: The inputs have fewer than two axes.
    """
    inputs = tf.convert_to_tensor(inputs)
    if inputs.shape.ndims < 2:
        raise ValueError(f'tf.contrib.layers.flatten: the inputs need two axes or more, and they are {inputs.shape}.')
    with tf.name_scope(scope, 'Flatten', [inputs]):
        return collected_outputs(Flatten().call(inputs), outputs_collections)


@add_arg_scope
@taking('labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None')
def one_hot_encoding(given: Given) -> Any:
    """A row with `on_value` at the place of the label and `off_value` elsewhere."""
    with tf.name_scope(given.scope, 'OneHotEncoding', [given.labels]):
        labels, ends = tf.cast(given.labels, tf.int64), dict(on_value=given.on_value, off_value=given.off_value)
        return collected_outputs(tf.one_hot(labels, given.num_classes, **ends), given.outputs_collections)


@add_arg_scope
def dense_to_sparse(
    tensor: Any, eos_token: Any = 0, outputs_collections: Any = None, scope: Optional[str] = None
) -> Any:
    """A sparse tensor with the elements that differ from `eos_token`, for `tf.nn.ctc_loss`."""
    with tf.name_scope(scope, 'dense_to_sparse', [tensor]):
        tensor = tf.convert_to_tensor(tensor)
        indices = tf.where(tf.not_equal(tensor, tf.constant(eos_token, tensor.dtype)))
        sparse = tf.SparseTensor(indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64))
        return collected_outputs(sparse, outputs_collections)


@add_arg_scope
def softmax(logits: Any, scope: Optional[str] = None) -> Any:
    """`tf.nn.softmax` over the last axis."""
    return tf.nn.softmax(logits, name=scope or 'softmax')


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Optional[str] = None) -> Any:
    """The inputs divided by their length along the axis `dim`: the root of the sum of the squares and `epsilon`."""
    with tf.name_scope(scope, 'UnitNorm', [inputs]):
        return inputs / tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, keepdims=True))

"""Functions of `tf.contrib.layers` without weights."""

from typing import Any, Optional

import tensorflow.compat.v1 as tf

from .base import choose
from .contrib_layers import keras_format
from .convolutions import AveragePooling2D, MaxPooling2D
from .core import Flatten
from .framework import add_arg_scope, collected_outputs


def _pool(cls: type, name: str, scope_name: str) -> Any:
    def function(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = 'VALID',
        data_format: str = 'NHWC',
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:
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
        with tf.name_scope(scope, scope_name, [inputs]):
            pooled = cls(kernel_size, stride, padding, keras_format(data_format)).call(inputs)
            return collected_outputs(pooled, outputs_collections)

    function.__name__ = function.__qualname__ = name
    return add_arg_scope(function)


max_pool2d = _pool(MaxPooling2D, 'max_pool2d', 'MaxPool2D')
avg_pool2d = _pool(AveragePooling2D, 'avg_pool2d', 'AvgPool2D')


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: Any = None,
) -> Any:
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
    with tf.name_scope(scope, 'Dropout', [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        outputs = choose(
            is_training,
            lambda: tf.nn.dropout(inputs, rate=1 - keep_prob, noise_shape=noise_shape, seed=seed),
            lambda: tf.identity(inputs),
        )
        return collected_outputs(outputs, outputs_collections)


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
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: Optional[str] = None,
) -> Any:
    """A row with `on_value` at the place of the label and `off_value` elsewhere."""
    with tf.name_scope(scope, 'OneHotEncoding', [labels]):
        rows = tf.one_hot(tf.cast(labels, tf.int64), num_classes, on_value=on_value, off_value=off_value)
        return collected_outputs(rows, outputs_collections)


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

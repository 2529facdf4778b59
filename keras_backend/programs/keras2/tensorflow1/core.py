"""`tf.layers.dense`, `dropout`, `flatten`, and their classes."""

from typing import Any, Optional

import tensorflow.compat.v1 as tf

from .base import Function, Layer, channels, choose, function_of


class Dense(Layer):
    """A product with a matrix over the last axis, plus a bias.

    Args:
        units: The size of the outputs.
        activation: A function for the outputs.
        use_bias: Whether there is a bias.
        kernel_initializer: What makes the first values of the matrix, or of the bias in `bias_initializer`.
        bias_initializer: See above.
        kernel_regularizer: A function that gives a loss for the matrix, or for the bias in `bias_regularizer`.
        bias_regularizer: See above.
        kernel_constraint: A function for the matrix after a step of training, or for the bias in `bias_constraint`.
        bias_constraint: See above.
        **kwargs: The arguments of `Layer`.
    """

    def __init__(
        self,
        units: int,
        activation: Function = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = tf.zeros_initializer(),  # noqa: B008 an object without state
        kernel_regularizer: Function = None,
        bias_regularizer: Function = None,
        activity_regularizer: Function = None,
        kernel_constraint: Function = None,
        bias_constraint: Function = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation, self.use_bias = activation, use_bias
        self._kernel = dict(
            initializer=kernel_initializer, regularizer=kernel_regularizer, constraint=kernel_constraint
        )
        self._bias = dict(initializer=bias_initializer, regularizer=bias_regularizer, constraint=bias_constraint)

    def build(self, input_shape: Any) -> None:
        """Make the matrix and the bias."""
        size = channels(input_shape, -1, 'tf.layers.dense')
        self.kernel = self.add_weight('kernel', (size, self.units), **self._kernel)
        self.bias = self.add_weight('bias', (self.units,), **self._bias) if self.use_bias else None
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs for the inputs."""
        rank = inputs.shape.ndims
        if rank == 2:
            outputs = tf.matmul(inputs, self.kernel)
        else:
            outputs = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape.as_list()[:-1] + [self.units])
        if self.bias is not None:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


class Dropout(Layer):
    """Zeros in the place of random elements, in training; the others are scaled by 1 / (1 - rate).

    Args:
        rate: The share of the elements that become zero.
        noise_shape: The shape of the choice; the choice is repeated along axes of size 1.
        seed: The seed of the choice.
        name: The name of the layer.
        **kwargs: The arguments of `Layer`.
    """

    def __init__(
        self, rate: float = 0.5, noise_shape: Any = None, seed: Any = None, name: Optional[str] = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The outputs for the inputs. `training` may be a tensor."""
        return choose(
            training,
            lambda: tf.nn.dropout(inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed),
            lambda: tf.identity(inputs),
        )


class Flatten(Layer):
    """All axes behind the first as one."""

    def __init__(self, data_format: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or 'channels_last'

    def call(self, inputs: Any) -> Any:
        """The outputs for the inputs."""
        rank = inputs.shape.ndims
        if self.data_format == 'channels_first' and rank > 2:
            inputs = tf.transpose(inputs, [0] + list(range(2, rank)) + [1])
        batch, *sizes = inputs.shape.as_list()
        size = None if None in sizes else int(tf.TensorShape(sizes).num_elements())
        if size is not None:
            outputs = tf.reshape(inputs, (-1, size))
        else:
            outputs = tf.reshape(inputs, (tf.shape(inputs)[0], -1))
        outputs.set_shape((batch, size))
        return outputs


dense = function_of(Dense)
dropout = function_of(Dropout, ('rate', 'noise_shape', 'seed', 'training', 'name'))
flatten = function_of(Flatten, ('name', 'data_format'))

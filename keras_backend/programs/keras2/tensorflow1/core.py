"""`tf.layers.dense`, `dropout`, `flatten`, `batch_normalization`, and their classes."""

from typing import Any, Optional, Tuple

from ....basics.arguments import Given, taking
from .base import ONES, ZEROS, Layer, Weighted, channels, choose, function_of, no_such_arguments, options_of
from .itself import tf


class Dense(Weighted):
    """A product with a matrix over the last axis, plus a bias.

    Args:
        units: The size of the outputs.
        activation: See `Weighted`; so the other arguments.
    """

    def __init__(self, units: int, *more: Any, **kwargs: Any) -> None:
        super().__init__(*more, **kwargs)
        self.units = int(units)

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


# -- batch normalisation -----------------------------------------------------------------------------------------------
# `tf.layers.batch_normalization` and its class, whose updates are in `tf.GraphKeys.UPDATE_OPS`.


Moments = Tuple[Any, Any, Any]


class BatchNormalization(Layer):
    """Values with the mean 0 and the variance 1 over all axes but one, then scaled by gamma and shifted by beta.

    In training, the mean and the variance are those of the batch, and the moving averages get an update that the
    program has to run. Otherwise they are the moving averages.

    Args:
        axis: The axis of the channels.
        momentum: The share of its old value that a moving average keeps.
        epsilon: A number that is added to the variance.
        center: Whether there is beta.
        scale: Whether there is gamma.
        beta_initializer: What makes the first values of beta; so for gamma and the moving averages.
        beta_regularizer: A function that gives a loss for beta; so for gamma.
        beta_constraint: A function for beta after a step of training; so for gamma.
        fused: Whether one kernel does all. Its moving variance is that of a sample, divided by n - 1 in place of n.
            Without it, inputs with four axes are fused, as in TensorFlow 1.
        **kwargs: The arguments of `Layer`.

    Raises:
        NotImplementedError: `renorm`, `virtual_batch_size` or `adjustment` is given.
    """

    @taking(
        'self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=ZEROS, '
        'gamma_initializer=ONES, moving_mean_initializer=ZEROS, moving_variance_initializer=ONES, '
        'beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, renorm=False, '
        'renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True, virtual_batch_size=None, '
        'adjustment=None, name=None, **kwargs',
        ZEROS=ZEROS,
        ONES=ONES,
    )
    def __init__(self, given: Given) -> None:
        super().__init__(trainable=given.trainable, name=given.name, **given.kwargs)
        unknown = {key: getattr(given, key) for key in ('renorm', 'virtual_batch_size', 'adjustment')}
        no_such_arguments('tf.layers.batch_normalization', **unknown)
        self.axis = given.axis[0] if isinstance(given.axis, (list, tuple)) else given.axis
        self.momentum, self.epsilon, self.fused = given.momentum, given.epsilon, given.fused
        self.center, self.scale = given.center, given.scale
        self._beta, self._gamma = options_of(given, 'beta'), options_of(given, 'gamma')
        self._moving = given.moving_mean_initializer, given.moving_variance_initializer

    def build(self, input_shape: Any) -> None:
        """Make gamma, beta and the moving averages."""
        rank = input_shape.ndims
        self._at = self.axis % rank
        if self.fused is None:
            self.fused = rank == 4 and self._at in (1, 3)
        shape = (channels(input_shape, self._at, 'tf.layers.batch_normalization'),)
        kind = tf.float32 if self._dtype in (tf.float16, tf.bfloat16) else self._dtype
        weights = {'gamma': None, 'beta': None}
        for name in self.order(rank):
            if self.scale if name == 'gamma' else self.center:
                weights[name] = self.add_weight(name, shape, kind, **(self._gamma if name == 'gamma' else self._beta))
        self.gamma, self.beta = weights['gamma'], weights['beta']
        mean, variance = self._moving
        self.moving_mean = self.add_weight('moving_mean', shape, kind, mean, trainable=False)
        self.moving_variance = self.add_weight('moving_variance', shape, kind, variance, trainable=False)
        self.built = True

    def order(self, rank: int) -> Tuple[str, str]:
        """The order in which gamma and beta are made."""
        return 'gamma', 'beta'

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The outputs for the inputs. `training` may be a tensor."""
        kind = self.moving_mean.dtype.base_dtype
        size = self.moving_mean.shape.as_list()
        # The values are read here, because a branch of tf.cond cannot read a variable of TensorFlow 1.
        gamma = tf.ones(size, kind) if self.gamma is None else tf.identity(self.gamma)
        beta = tf.zeros(size, kind) if self.beta is None else tf.identity(self.beta)
        moving = tf.identity(self.moving_mean), tf.identity(self.moving_variance)
        function = _fused if self.fused else _plain
        last = self._at == inputs.shape.ndims - 1
        x = inputs if last else _moved(inputs, self._at, -1)
        outputs, mean, variance = choose(
            training,
            lambda: function(x, gamma, beta, None, self.epsilon),
            lambda: function(x, gamma, beta, moving, self.epsilon),
        )
        known = tf.get_static_value(training) if tf.is_tensor(training) else training
        if known is None or known:
            keep = choose(training, lambda: tf.constant(self.momentum, kind), lambda: tf.constant(1.0, kind))
            for variable, value in (self.moving_mean, mean), (self.moving_variance, variance):
                self.add_update(tf.assign_sub(variable, (variable - value) * (1 - keep), name='AssignMovingAvg'))
        outputs.set_shape(x.shape)
        return outputs if last else _moved(outputs, -1, self._at)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Collect an update as an operation, whose result is not needed."""
        super().add_update(updates.op, inputs)


def _moved(x: Any, source: int, target: int) -> Any:
    rank = x.shape.ndims
    order = [axis for axis in range(rank) if axis != source % rank]
    order.insert(target % rank, source % rank)
    return tf.transpose(x, order)


def _fused(x: Any, gamma: Any, beta: Any, moving: Any, epsilon: float) -> Moments:
    """The outputs, the mean, and the variance divided by n - 1. The channels are the last axis."""
    mean, variance = moving or (None, None)
    image = x if x.shape.ndims == 4 else tf.reshape(x, (-1, 1, 1, x.shape.as_list()[-1]))
    outputs, batch_mean, batch_variance = tf.nn.fused_batch_norm(
        image, gamma, beta, mean, variance, epsilon=epsilon, is_training=moving is None
    )
    if image is not x:
        outputs = tf.reshape(outputs, tf.shape(x))
    return (outputs, batch_mean, batch_variance) if moving is None else (outputs, mean, variance)


def _plain(x: Any, gamma: Any, beta: Any, moving: Any, epsilon: float) -> Moments:
    """The outputs, the mean, and the variance divided by n. The channels are the last axis."""
    values = tf.cast(x, gamma.dtype)
    mean, variance = tf.nn.moments(values, list(range(x.shape.ndims - 1))) if moving is None else moving
    outputs = tf.nn.batch_normalization(values, mean, variance, beta, gamma, epsilon)
    return tf.cast(outputs, x.dtype), mean, variance


batch_normalization = function_of(
    BatchNormalization,
    (
        'axis momentum epsilon center scale beta_initializer gamma_initializer moving_mean_initializer '
        'moving_variance_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint training '
        'trainable name reuse renorm renorm_clipping renorm_momentum fused virtual_batch_size adjustment'
    ).split(),
)

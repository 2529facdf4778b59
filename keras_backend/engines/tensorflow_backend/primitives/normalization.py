"""Batch normalisation by the kernels of TensorFlow that do it as a whole.

In single operations it is seven passes over the batch, and two dozen with the gradient. The kernels take 0.5 to 0.7 of
that time for a large batch. They divide a small one among threads at more cost than it takes to compute. `kernel_fits`
says where they are used.

The sums of the kernels have two to three times the rounding error: of 100,000 numbers of mean 100 and deviation 1, the
mean is wrong by 8e-4 instead of 4e-4.

The gradient of TensorFlow's kernel is that of the normalised batch alone. It leaves out what comes by way of the mean
and the variance that the kernel hands out. So an operation that takes the batch, too, hands both on. Its gradient goes
to the batch directly.
"""

from typing import Any, List, Tuple

from ....basics.shapes import known, product
from ..vendor import EagerTensor, set_gradient, tf

# The numbers of a sample. Batches of 32 on one and two threads, with the gradient: with 1,568 the kernels take 0.56 and
# 1.13 of the time of single operations, with 3,136 0.60 and 0.66. Batches of 8 with 3,136 take 0.75 and 1.9.
_LEAST_SIZE = 4096
# cuDNN takes no smaller one.
_LEAST_EPSILON = 1.001e-5


def kernel_fits(x: Any, epsilon: Any) -> bool:
    """Whether the kernels are to normalise a batch (samples, height, width, channels) along its last axis."""
    # An eager tensor has no operation that could have a gradient of ours.
    if isinstance(x, EagerTensor) or x.shape.rank != 4 or x.dtype != tf.float32:
        return False
    if not isinstance(epsilon, float) or epsilon < _LEAST_EPSILON:
        return False
    *image, channels = x.shape.as_list()[1:]
    # Images of an unknown size are large.
    return bool(channels) and (not all(map(known, image)) or product(image) * channels >= _LEAST_SIZE)


def normalized_by_kernel(x: Any, gamma: Any, beta: Any, epsilon: float) -> Tuple[Any, Any, Any]:
    """The normalised batch, its mean and its variance (channels,)."""
    y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=x, scale=gamma, offset=beta, mean=[], variance=[], epsilon=epsilon, is_training=True
    )
    count = _count(x)
    mean = _of_batch(mean, x, mean, 'KerasBackendBatchMean')
    # TensorFlow divides by count - 1.
    return y, mean, _of_batch(variance * ((count - 1.0) / count), x, mean, 'KerasBackendBatchVariance')


def _count(x: Any) -> Any:
    """How many numbers a channel has."""
    return tf.cast(tf.reduce_prod(tf.shape(x)[:-1]), x.dtype)


def _of_batch(statistic: Any, x: Any, mean: Any, gradient: str) -> Any:
    handed_on, *_ = tf.raw_ops.IdentityN(input=[statistic, x, mean])
    set_gradient(handed_on.op, gradient)
    return handed_on


@tf.RegisterGradient('KerasBackendBatchMean')
def _gradient_of_mean(op: Any, gradient: Any, *_others: Any) -> List[Any]:
    _, x, _ = op.inputs
    return [None, tf.broadcast_to(gradient / _count(x), tf.shape(x)), None]


@tf.RegisterGradient('KerasBackendBatchVariance')
def _gradient_of_variance(op: Any, gradient: Any, *_others: Any) -> List[Any]:
    _, x, mean = op.inputs
    return [None, (x - mean) * (gradient * (2.0 / _count(x))), None]

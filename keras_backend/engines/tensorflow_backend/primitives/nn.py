"""Connectionist temporal classification and batch normalisation by the kernels of TensorFlow."""

from typing import Any, List, Tuple

from ....basics.shapes import known, product
from ....basics.shapes import known as known_size
from ..tensors.tensors import converted, size_of, static_shape
from ..vendor import EagerTensor, set_gradient, tf

# -- CTC ---------------------------------------------------------------------------------------------------------------
# Connectionist temporal classification by TensorFlow's kernels, which take (time, samples, classes).


def ctc_sparse(labels: Any, lengths: Any) -> Any:
    inside = tf.range(size_of(labels, 1))[tf.newaxis, :] < lengths[:, tf.newaxis]
    indices = tf.where_v2(inside)
    return tf.SparseTensor(indices, tf.gather_nd(labels, indices), tf.shape(labels, out_type=tf.int64))


def by_time(scores: Any) -> Any:
    """Scores (samples, time, classes) as the kernels take them, in a dtype that they know."""
    scores = tf.transpose(scores, [1, 0, 2])
    return scores if scores.dtype in (tf.float32, tf.float64) else tf.cast(scores, tf.float32)


def within(lengths: Any, steps: Any) -> Any:
    """Lengths of which none is beyond the steps: the kernels refuse others, the other engines count all steps."""
    return tf.minimum(lengths, steps)


def decoded(paths: Any, costs: Any, dtype: Any) -> Tuple[List[Any], Any]:
    """The results of a decoder of TensorFlow, as tensors of K."""
    return [tf.sparse.to_dense(path, default_value=-1) for path in paths], converted(costs, dtype)


def fused_cost(labels: Any, scores: Any, times: Any, lengths: Any) -> Any:
    """The costs of `labels`, an int32 matrix, by the kernel; `scores` are (samples, time, classes) logarithms."""
    scores = by_time(scores)
    steps, samples, classes = [size_of(scores, i) for i in range(3)]
    times = within(times, steps)
    width = size_of(labels, 1)
    columns = tf.range(width)[tf.newaxis, :]
    inside = columns < lengths[:, tf.newaxis]
    # A blank ends the label; characters after it cannot be.
    character = labels < classes - 1
    torn = tf.logical_and(inside, character)
    inside = tf.logical_and(inside, tf.equal(tf.cumsum(1 - tf.cast(character, tf.int32), 1), 0))
    torn = tf.reduce_any(tf.not_equal(torn, inside), 1)
    lengths = tf.reduce_sum(tf.cast(inside, tf.int32), 1)

    # The kernel refuses labels that do not fit their input or have no character; these rows get a label that does,
    # and their true cost afterwards. A character needs a step, and a repeated one a blank before it.
    repeated = tf.logical_and(tf.equal(labels[:, 1:], labels[:, :-1]), inside[:, 1:])
    needed = lengths + tf.reduce_sum(tf.cast(repeated, tf.int32), 1)
    known = tf.reduce_all(tf.logical_or(labels >= 0, tf.logical_not(inside)), 1)
    possible = tf.logical_and(tf.logical_and(needed <= times, known), tf.logical_not(torn))
    regular = tf.logical_and(possible, lengths > 0)
    labels = tf.where_v2(tf.logical_and(inside, regular[:, tf.newaxis]), labels, tf.zeros_like(labels))
    counted = tf.where_v2(regular, lengths, tf.ones_like(lengths))
    padded = tf.concat([labels, tf.zeros_like(labels[:, :1])], 1) if static_shape(labels)[1] == 0 else labels
    sparse = ctc_sparse(padded, counted)
    log_blank = tf.nn.log_softmax(scores)[:, :, -1]
    # Of no classes the kernel would end the process, and their last one is an error before that.
    with tf.control_dependencies([] if known_size(classes) else [log_blank]):
        cost = tf.nn.ctc_loss(sparse, scores, tf.where_v2(regular, times, tf.fill([samples], steps)))
    blanks = tf.where_v2(tf.range(steps)[:, tf.newaxis] < times[tf.newaxis, :], -log_blank, tf.zeros_like(log_blank))
    cost = tf.where_v2(lengths > 0, cost, tf.reduce_sum(blanks, 0))
    return tf.where_v2(possible, cost, tf.fill([samples], tf.constant(float('inf'), cost.dtype)))[:, tf.newaxis]


# -- batch normalisation -----------------------------------------------------------------------------------------------
# Batch normalisation by the kernels of TensorFlow that do it as a whole.
#
# In single operations it is seven passes over the batch, and two dozen with the gradient. The kernels take 0.5 to 0.7
# of that time for a large batch. They divide a small one among threads at more cost than it takes to compute.
# `kernel_fits` says where they are used.
#
# The sums of the kernels have two to three times the rounding error: of 100,000 numbers of mean 100 and deviation 1,
# the mean is wrong by 8e-4 instead of 4e-4.
#
# The gradient of TensorFlow's kernel is that of the normalised batch alone. It leaves out what comes by way of the
# mean and the variance that the kernel hands out. So an operation that takes the batch, too, hands both on. Its
# gradient goes to the batch directly.


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

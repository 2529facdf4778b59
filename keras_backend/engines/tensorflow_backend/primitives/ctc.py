"""Connectionist temporal classification by TensorFlow's kernels, which take (time, samples, classes)."""

from typing import Any, List, Tuple

from ....basics.shapes import known as known_size
from ..tensors.tensors import converted, size_of, static_shape
from ..vendor import tf


def ctc_sparse(labels: Any, lengths: Any) -> Any:
    inside = tf.range(size_of(labels, 1))[tf.newaxis, :] < lengths[:, tf.newaxis]
    places = tf.where_v2(inside)
    return tf.SparseTensor(places, tf.gather_nd(labels, places), tf.shape(labels, out_type=tf.int64))


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
    places = tf.range(width)[tf.newaxis, :]
    inside = places < lengths[:, tf.newaxis]
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

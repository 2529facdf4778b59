"""Connectionist temporal classification."""

from ... import config
from ._convert import cast, floating, operand, static_shape
from ._library import tf
from .engine import composed
from .shape import size_of


def _lengths(x):
    return tf.reshape(cast(operand(x), tf.int32), [-1])


def _scores(y_pred):
    """Log probabilities (up to a constant for each step), as time-major tensors of a dtype that the kernels take."""
    y_pred = floating(y_pred)
    dtype = y_pred.dtype if y_pred.dtype in (tf.float32, tf.float64) else tf.float32
    return tf.log(tf.transpose(cast(y_pred, dtype), [1, 0, 2]) + config.epsilon()), y_pred.dtype


def ctc_label_dense_to_sparse(labels, label_lengths):
    labels, lengths = operand(labels), _lengths(label_lengths)
    inside = tf.range(size_of(labels, 1))[tf.newaxis, :] < lengths[:, tf.newaxis]
    places = tf.where_v2(inside)
    return tf.SparseTensor(places, tf.gather_nd(labels, places), tf.shape(labels, out_type=tf.int64))


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    y_pred = floating(y_pred)
    if y_pred.dtype == tf.float64:
        # The kernel calculates in single precision whatever it is given:
        # https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/util/ctc/ctc_loss_util.h
        return composed('ctc_batch_cost')(y_true, y_pred, input_length, label_length)
    scores, dtype = _scores(y_pred)
    steps, samples, classes = [size_of(scores, i) for i in range(3)]
    labels = cast(operand(y_true), tf.int32)
    times, lengths = _lengths(input_length), _lengths(label_length)
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
    sparse = ctc_label_dense_to_sparse(padded, counted)
    cost = tf.nn.ctc_loss(sparse, scores, tf.where_v2(regular, times, tf.fill([samples], steps)))

    log_blank = tf.nn.log_softmax(scores)[:, :, -1]
    blanks = tf.where_v2(tf.range(steps)[:, tf.newaxis] < times[tf.newaxis, :], -log_blank, tf.zeros_like(log_blank))
    cost = tf.where_v2(lengths > 0, cost, tf.reduce_sum(blanks, 0))
    cost = tf.where_v2(possible, cost, tf.fill([samples], tf.constant(float('inf'), cost.dtype)))
    return cast(cost[:, tf.newaxis], dtype)


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1, merge_repeated=False):
    scores, dtype = _scores(y_pred)
    lengths = _lengths(input_length)
    if greedy:
        paths, costs = tf.nn.ctc_greedy_decoder(scores, lengths)
    else:
        if top_paths > beam_width:
            raise ValueError(
                f'top_paths={top_paths!r} is more than beam_width={beam_width!r}; the beam holds no more paths than '
                'its width.'
            )
        paths, costs = tf.nn.ctc_beam_search_decoder(scores, lengths, beam_width, top_paths, merge_repeated)
    return [tf.sparse.to_dense(path, default_value=-1) for path in paths], cast(costs, dtype)

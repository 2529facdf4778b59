"""Functions of `Lambda` layers that use names of TensorFlow. `lambda_truths` has their numbers."""

from lambda_sources import case


def tensorflow(name, inputs, text, **options):
    """Enter a function that uses TensorFlow's names."""
    case(name, inputs, text, truth=True, **options)


tensorflow('tf_square', ['f 2 3'], 'f = lambda x: tf.square(x)')
tensorflow(
    'tf_import',
    ['f 2 3'],
    """
def f(x):
    import tensorflow as tf
    return tf.reduce_sum(tf.abs(x), axis=1)
""",
)
tensorflow('tf_of_k', ['f 2 3'], 'f = lambda x: K.tf.reduce_mean(x, axis=1, keepdims=True)')
tensorflow('tf_keep_dims', ['f 2 3'], 'f = lambda x: tf.reduce_max(x, reduction_indices=[1], keep_dims=True)')
tensorflow('tf_transpose', ['f 2 3 4'], 'f = lambda x: tf.transpose(x, perm=[0, 2, 1])')
tensorflow('tf_transpose_all', ['f 2 3 4'], 'f = lambda x: tf.transpose(x)')
tensorflow('tf_concat', [['f 2 3', 'f 2 3']], 'f = lambda x: tf.concat([x[0], x[1]], 1)')
tensorflow('tf_concat_axis', [['f 2 3', 'f 2 3']], 'f = lambda x: tf.concat(values=x, axis=-1)')
tensorflow('tf_concat_before_1', [['f 2 3', 'f 2 3']], 'f = lambda x: tf.concat(1, [x[0], x[1]])')
tensorflow('tf_stack', [['f 2 3', 'f 2 3']], 'f = lambda x: tf.stack(x, axis=1)')
tensorflow(
    'tf_unstack', ['f 2 3 4'], 'f = lambda x: tf.unstack(x, axis=1)[1] + tf.unstack(x, num=4, axis=-1)[0][:, :1]'
)
tensorflow(
    'tf_split',
    ['f 2 3 4'],
    """
def f(x):
    a, b = tf.split(x, 2, axis=2)
    c, d = tf.split(x, [1, 3], -1)
    return a * b + c + tf.reduce_sum(d)
""",
)
tensorflow('tf_split_keywords', ['f 2 4'], 'f = lambda x: tf.split(value=x, num_or_size_splits=4, axis=1)[2]')
tensorflow('tf_expand_and_squeeze', ['f 2 1 3'], 'f = lambda x: tf.squeeze(tf.expand_dims(x, -1), [1, 3])')
tensorflow('tf_squeeze_all', ['f 2 1 3'], 'f = lambda x: tf.squeeze(x)')
tensorflow('tf_reshape', ['f 2 3 4'], 'f = lambda x: tf.reshape(x, [-1, 4, 3])')
tensorflow('tf_reshape_by_shape', ['f 2 3 4'], 'f = lambda x: tf.reshape(x, (tf.shape(x)[0], 12))')
tensorflow('tf_tile', ['f 2 3'], 'f = lambda x: tf.tile(x, [2, 1])')
tensorflow('tf_cast', ['f 2 3'], 'f = lambda x: tf.cast(tf.greater(x, 0), tf.float32) + tf.to_float(tf.less(x, 0)) * 2')
tensorflow('tf_clip', ['f 2 3'], 'f = lambda x: tf.clip_by_value(x, clip_value_min=-0.3, clip_value_max=0.4)')
tensorflow('tf_matmul', [['f 2 3 4', 'f 2 5 4']], 'f = lambda x: tf.matmul(x[0], x[1], transpose_b=True)')
tensorflow('tf_matmul_of_matrices', [['f 3 2', 'f 3 4']], 'f = lambda x: tf.matmul(x[0], x[1], transpose_a=True)')
tensorflow('tf_matmul_of_rank_4', [['f 2 3 2 4', 'f 2 3 4 5']], 'f = lambda x: tf.matmul(x[0], x[1])')
tensorflow('tf_l2_normalize', ['f 2 3'], 'f = lambda x: tf.nn.l2_normalize(x, dim=1) + tf.math.l2_normalize(x, axis=0)')
tensorflow('tf_norm', ['f 2 3'], "f = lambda x: tf.norm(x, ord='euclidean', axis=1, keepdims=True)")
tensorflow('tf_one_hot', ['i4 3'], "f = lambda x: tf.one_hot(tf.cast(x, 'int32'), depth=4)")
tensorflow('tf_gather', ['f 5 3'], 'f = lambda x: tf.gather(x, [4, 0])')
tensorflow('tf_gather_axis', ['f 2 5 3'], 'f = lambda x: tf.gather(x, [4, 0], axis=1)')
tensorflow(
    'tf_argmax', ['f 4 3'], 'f = lambda x: tf.cast(tf.argmax(x, 1), tf.float32) + tf.to_float(tf.argmin(x, axis=-1))'
)
tensorflow('tf_reverse', ['f 2 3 4'], 'f = lambda x: tf.reverse(x, axis=[1])')
tensorflow('tf_slice', ['f 2 3 4'], 'f = lambda x: tf.slice(x, [0, 1, 0], [-1, 2, 3])')
tensorflow('tf_pad', ['f 2 3 2'], 'f = lambda x: tf.pad(x, [[0, 0], [2, 1], [0, 0]])')
tensorflow(
    'tf_pad_value', ['f 2 3 2'], "f = lambda x: tf.pad(x, ((0, 0), (0, 0), (1, 2)), 'CONSTANT', constant_values=5)"
)
tensorflow(
    'tf_reflect',
    ['f 2 4 5 2'],
    """
def f(x, p=2):
    return tf.pad(x, [[0, 0], [p, p], [p, p], [0, 0]], 'REFLECT')
""",
)
tensorflow('tf_symmetric', ['f 2 4 3'], "f = lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 0]], mode='SYMMETRIC')")
tensorflow('tf_where', ['f 2 3'], 'f = lambda x: tf.where(x > 0, x, tf.zeros_like(x))')
tensorflow('tf_depth_to_space', ['f 2 2 3 8'], 'f = lambda x: tf.depth_to_space(x, 2)')
tensorflow(
    'tf_space_to_depth', ['f 2 4 6 2'], 'f = lambda x, block_size=2: tf.space_to_depth(x, block_size=block_size)'
)
tensorflow('tf_subpixel', ['f 2 2 3 8'], 'f = lambda x: tf.nn.depth_to_space(x, block_size=2)')
tensorflow('tf_resize_nearest', ['f 2 3 3 2'], 'f = lambda x: tf.image.resize_nearest_neighbor(x, (6, 9))')
tensorflow('tf_resize_nearest_down', ['f 2 4 6 2'], 'f = lambda x: tf.image.resize_nearest_neighbor(x, [3, 4])')
tensorflow('tf_resize_bilinear', ['f 2 3 4 2'], 'f = lambda x: tf.image.resize_bilinear(x, (6, 8))')
tensorflow('tf_resize_bilinear_any', ['f 2 3 4 2'], 'f = lambda x, size=(5, 7): tf.image.resize_bilinear(x, size=size)')
tensorflow('tf_resize_corners', ['f 2 3 4 2'], 'f = lambda x: tf.image.resize_bilinear(x, [5, 7], align_corners=True)')
tensorflow('tf_resize_images', ['f 2 3 4 2'], 'f = lambda x: tf.image.resize_images(x, (6, 4))')
tensorflow(
    'tf_resize_by_method',
    ['f 2 3 4 2'],
    """
f = lambda x: tf.image.resize_images(x, [6, 8], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
""",
)
tensorflow('tf_resize_nearest_of_2', ['f 2 3 4 2'], "f = lambda x: tf.image.resize(x, [6, 8], method='nearest')")
tensorflow('tf_flip', ['f 2 3 4 2'], 'f = lambda x: tf.image.flip_left_right(x)')
tensorflow('tf_lrn', ['f 2 3 3 6'], 'f = lambda x: tf.nn.lrn(x, depth_radius=2, bias=1.0, alpha=1e-2, beta=0.75)')
tensorflow(
    'tf_activations',
    ['f 2 3'],
    """
def f(x):
    y = tf.nn.relu(x) + tf.nn.elu(x) + tf.nn.leaky_relu(x) + tf.nn.leaky_relu(x, alpha=0.1) + tf.nn.relu6(x * 9)
    return y + tf.nn.softplus(x) + tf.sigmoid(x) + tf.nn.sigmoid(x) + tf.tanh(x) + tf.nn.softmax(x, axis=-1)
""",
)
tensorflow(
    'tf_arithmetic',
    [['f 2 3', 'p 2 3']],
    """
def f(x):
    a, b = x
    y = tf.multiply(a, b) + tf.subtract(a, b) - tf.divide(a, b) + tf.add(a, b) + tf.pow(b, 2.0) + tf.negative(a)
    y = y + tf.maximum(a, b) * tf.minimum(a, 0.1) + tf.rsqrt(b) + tf.sqrt(b) + tf.exp(a) + tf.log(b) + tf.sign(a)
    return y + tf.squared_difference(a, b) + tf.add_n([a, b]) + tf.math.log(b) + tf.math.exp(a)
""",
)
tensorflow('tf_old_names', [['f 2 3', 'f 2 3']], 'f = lambda x: tf.mul(x[0], x[1]) + tf.sub(x[0], x[1]) - tf.neg(x[0])')
tensorflow(
    'tf_counts',
    ['f 2 3'],
    """
def f(x):
    n = tf.cast(tf.range(3), 'float32')
    return x * n + tf.cast(tf.shape(x)[1], tf.float32) + tf.reduce_prod(tf.constant([1.0, 2.0, 3.0])) + tf.zeros((1, 3))
""",
)
tensorflow(
    'tf_grid',
    ['f 2 3 4'],
    """
def f(x):
    columns = tf.to_float(tf.reshape(tf.tile(tf.range(4), [3]), (1, 3, 4)))
    rows = tf.cast(tf.transpose(tf.reshape(tf.tile(tf.range(3), [4]), (1, 4, 3)), (0, 2, 1)), tf.float32)
    return x + 10.0 * rows + columns
""",
)
tensorflow(
    'tf_logic',
    ['f 2 3'],
    """
def f(x):
    inside = tf.logical_and(tf.greater(x, -0.5), tf.less_equal(x, 0.5))
    outside = tf.logical_not(inside)
    return tf.cast(tf.logical_or(outside, tf.equal(x, 7.0)), tf.float32) + tf.cast(inside, tf.float32) * 3
""",
)
tensorflow('tf_cumsum', ['f 2 3 4'], 'f = lambda x: tf.cumsum(x, axis=1) + tf.math.cumprod(x, axis=2)')
tensorflow('tf_cumsum_back', ['f 2 3 4'], 'f = lambda x: tf.cumsum(x, axis=1, exclusive=True, reverse=True)')
tensorflow(
    'tf_softmax_loss',
    [['p 2 3', 'f 2 3']],
    """
f = lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=x[0], logits=x[1])
""",
)
tensorflow(
    'tf_sigmoid_loss',
    [['p 2 3', 'f 2 3']],
    """
f = lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x[0], logits=x[1])
""",
)
tensorflow('tf_random', ['f 4 3'], 'f = lambda x: x + tf.random_normal(tf.shape(x), mean=0.0, stddev=0.0)')
tensorflow('tf_random_of_2', ['f 4 3'], 'f = lambda x: x + tf.random.normal(shape=K.shape(x), stddev=0.0)')
tensorflow('tf_keras_backend', ['f 2 3'], 'f = lambda x: tf.keras.backend.sum(x, axis=1)')
tensorflow(
    'tf_math_reductions',
    ['f 2 3'],
    """
def f(x):
    y = tf.math.reduce_sum(x, 1) + tf.math.reduce_std(x, 1)
    return y + tf.math.reduce_variance(x, 1) + tf.reduce_logsumexp(x, 1)
""",
)
tensorflow('tf_norm_of_all', ['f 2 3'], 'f = lambda x: x / tf.norm(x)')
tensorflow(
    'tf_einsum', [['f 2 3 4', 'f 2 4 5']], "f = lambda x: tf.einsum('bij,bjk->bik', x[0], x[1])", refused='einsum'
)
tensorflow(
    'tf_moments',
    ['f 2 3 4'],
    """
def f(x):
    mean, variance = tf.nn.moments(x, axes=[1, 2], keep_dims=True)
    return (x - mean) / tf.sqrt(variance + 1e-5)
""",
)
tensorflow(
    'tf_set_shape',
    ['f 2 3'],
    """
def f(x):
    y = tf.identity(x)
    y.set_shape((None, 3))
    return y
""",
)
tensorflow('tf_dtype', ['f 2 3'], 'f = lambda x: tf.cast(x, x.dtype) if x.dtype == tf.float32 else x * 100')
tensorflow(
    'tf_pool',
    ['f 2 4 6 2'],
    """
def f(x):
    y = tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')
    return y + tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
""",
)
tensorflow('tf_matmul_with_matrix', [['f 2 3 4', 'f 4 5']], 'f = lambda x: tf.matmul(x[0], x[1])')
tensorflow('tf_tensordot', [['f 2 3 4', 'f 4 5']], 'f = lambda x: tf.tensordot(x[0], x[1], axes=[[2], [0]])')
tensorflow('tf_log_softmax', ['f 2 3'], 'f = lambda x: tf.nn.log_softmax(x)')
tensorflow('tf_expand_last', ['f 2 3'], 'f = lambda x: tf.expand_dims(x, dim=1) * tf.ones((1, 2, 1))')
tensorflow('tf_shape_of_int64', ['f 2 3'], 'f = lambda x: tf.reshape(x, tf.stack([tf.shape(x)[0], 3, 1]))')

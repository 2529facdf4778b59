"""Functions of TensorFlow on tensors of a model, which tf.keras stores as layers: see `layer_cases_of_tf_keras`.

x, y: (4, 3). im: images (4, 6, 3). i: two numbers below 4.
"""

FUNCTIONS = {
    'strided_slice': lambda tf, x, y, im, i: tf.strided_slice(x, [0, 1, 0], [2, 4, 3], [1, 1, 2]),
    'strided_slice_masks': lambda tf, x, y, im, i: tf.strided_slice(
        x, [0, 1, 0], [0, 4, 3], [1, 1, 2], begin_mask=1, end_mask=1
    ),
    'strided_slice_shrink': lambda tf, x, y, im, i: tf.strided_slice(
        x, [0, 1, 0], [0, 2, 3], [1, 1, 1], begin_mask=1, end_mask=1, shrink_axis_mask=2
    ),
    'extract_patches': lambda tf, x, y, im, i: tf.image.extract_patches(
        im, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'
    ),
    'extract_patches_same': lambda tf, x, y, im, i: tf.image.extract_patches(
        im, [1, 3, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], 'SAME'
    ),
    'extract_patches_rate': lambda tf, x, y, im, i: tf.image.extract_patches(
        im, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 1, 1], 'VALID'
    ),
    'rgb_to_grayscale': lambda tf, x, y, im, i: tf.image.rgb_to_grayscale(im),
    'grayscale_to_rgb': lambda tf, x, y, im, i: tf.image.grayscale_to_rgb(im[..., :1]),
    'per_image_standardization': lambda tf, x, y, im, i: tf.image.per_image_standardization(im),
    'top_k': lambda tf, x, y, im, i: tf.nn.top_k(x, 2)[0],
    'top_k_i': lambda tf, x, y, im, i: tf.nn.top_k(x, 2).indices,
    'resize_bicubic': lambda tf, x, y, im, i: tf.image.resize(im, (7, 9), method='bicubic'),
    'central_crop': lambda tf, x, y, im, i: tf.image.central_crop(im, 0.5),
    'rot90': lambda tf, x, y, im, i: tf.image.rot90(im),
    'crop_to_bb': lambda tf, x, y, im, i: tf.image.crop_to_bounding_box(im, 1, 0, 2, 3),
    'pad_to_bb': lambda tf, x, y, im, i: tf.image.pad_to_bounding_box(im, 1, 0, 8, 9),
    'resize_with_crop_or_pad': lambda tf, x, y, im, i: tf.image.resize_with_crop_or_pad(im, 3, 9),
    'adjust_brightness': lambda tf, x, y, im, i: tf.image.adjust_brightness(im, 0.3),
    'adjust_contrast': lambda tf, x, y, im, i: tf.image.adjust_contrast(im, 1.5),
    'gather': lambda tf, x, y, im, i: tf.gather(x, [0, 2], axis=1),
    'gather_i': lambda tf, x, y, im, i: tf.gather(x, i, axis=1, batch_dims=1),
    'sort': lambda tf, x, y, im, i: tf.sort(x, axis=-1),
    'argsort': lambda tf, x, y, im, i: tf.argsort(x, axis=-1, direction='DESCENDING'),
    'one_hot_v': lambda tf, x, y, im, i: tf.one_hot(i, 5, on_value=2.0, off_value=-1.0),
    'euclid': lambda tf, x, y, im, i: tf.math.reduce_euclidean_norm(x, axis=-1),
    'norm1': lambda tf, x, y, im, i: tf.norm(x, ord=1, axis=-1),
    'lin_norm': lambda tf, x, y, im, i: tf.linalg.normalize(x, axis=-1)[0],
    'repeat': lambda tf, x, y, im, i: tf.repeat(x, 2, axis=1),
    'roll': lambda tf, x, y, im, i: tf.roll(x, 1, axis=1),
    'broadcast_to': lambda tf, x, y, im, i: tf.broadcast_to(x[:, :1], tf.shape(x)),
    'fill': lambda tf, x, y, im, i: tf.fill([tf.shape(x)[0], 2], 3.0),
    'swapped': lambda tf, x, y, im, i: tf.linalg.matrix_transpose(x),
    'clip_norm': lambda tf, x, y, im, i: tf.clip_by_norm(x, 1.0, axes=[-1]),
    'floor': lambda tf, x, y, im, i: tf.floor(x),
    'ceil': lambda tf, x, y, im, i: tf.math.ceil(x),
    'mod': lambda tf, x, y, im, i: tf.math.floormod(x, 2.0),
    'floordiv': lambda tf, x, y, im, i: x // 2.0,
    'expm1': lambda tf, x, y, im, i: tf.math.expm1(x),
    'log1p': lambda tf, x, y, im, i: tf.math.log1p(tf.abs(x)),
    'erf': lambda tf, x, y, im, i: tf.math.erf(x),
    'log_sigmoid': lambda tf, x, y, im, i: tf.math.log_sigmoid(x),
    'softplus': lambda tf, x, y, im, i: tf.math.softplus(x),
    'crelu': lambda tf, x, y, im, i: tf.nn.crelu(x),
    'hyperbolic': lambda tf, x, y, im, i: tf.sinh(x) + tf.cosh(x) + tf.tan(x),
    'divnonan': lambda tf, x, y, im, i: tf.math.divide_no_nan(x, tf.nn.relu(y)),
    'mulnonan': lambda tf, x, y, im, i: tf.math.multiply_no_nan(x, tf.nn.relu(y)),
    'recip': lambda tf, x, y, im, i: tf.math.reciprocal(x),
    'addn': lambda tf, x, y, im, i: tf.add_n([x, y, x]),
    'accumulate': lambda tf, x, y, im, i: tf.math.accumulate_n([x, y]),
    'isnan': lambda tf, x, y, im, i: tf.cast(tf.math.is_nan(x), 'float32'),
    'max_pool': lambda tf, x, y, im, i: tf.nn.max_pool2d(im, 2, 2, 'VALID'),
    'avg_pool': lambda tf, x, y, im, i: tf.nn.avg_pool2d(im, 2, 2, 'SAME'),
    'max_pool_n': lambda tf, x, y, im, i: tf.nn.max_pool(im, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'),
    'conv2d': lambda tf, x, y, im, i: tf.nn.conv2d(im, tf.reshape(tf.range(24.0), (2, 2, 3, 2)) / 9.0, 1, 'SAME'),
    'conv1d': lambda tf, x, y, im, i: tf.nn.conv1d(x, tf.reshape(tf.range(12.0), (2, 3, 2)) / 9.0, 1, 'VALID'),
    'depthwise': lambda tf, x, y, im, i: tf.nn.depthwise_conv2d(
        im, tf.reshape(tf.range(12.0), (2, 2, 3, 1)) / 9.0, [1, 1, 1, 1], 'SAME'
    ),
    'emb': lambda tf, x, y, im, i: tf.nn.embedding_lookup(tf.reshape(tf.range(10.0), (5, 2)), i),
    'seqmask': lambda tf, x, y, im, i: tf.cast(tf.sequence_mask(i, 5), 'float32'),
    'band': lambda tf, x, y, im, i: tf.linalg.band_part(tf.matmul(x, y, transpose_b=True), -1, 0),
    'diag_part': lambda tf, x, y, im, i: tf.linalg.diag_part(tf.matmul(x, y, transpose_b=True)),
    'trace': lambda tf, x, y, im, i: tf.linalg.trace(tf.matmul(x, y, transpose_b=True)),
    'cross': lambda tf, x, y, im, i: tf.linalg.cross(x, y),
    'scalar_mul': lambda tf, x, y, im, i: tf.math.scalar_mul(2.0, x),
    'size': lambda tf, x, y, im, i: x / tf.cast(tf.size(x), 'float32'),
    'nonzero': lambda tf, x, y, im, i: tf.math.count_nonzero(i, axis=-1),
    'sigce': lambda tf, x, y, im, i: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(y), logits=x),
    'cm': lambda tf, x, y, im, i: tf.constant([[1.0], [2.0], [3.0], [4.0]]) * x,
    'cm2': lambda tf, x, y, im, i: tf.constant([[1.0, 2.0, 3.0]]) - x,
    'cr': lambda tf, x, y, im, i: x * tf.constant([[1.0], [2.0], [3.0], [4.0]]),
    'zero_fraction': lambda tf, x, y, im, i: tf.nn.zero_fraction(x),
}

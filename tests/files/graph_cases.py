"""Operations of TensorFlow, one by one or few, whose graphs `record_graphs.py` writes with what they compute."""

import numpy as np

DRAW = np.random.RandomState(5)


def normal(*shape):
    """Normal numbers, of which three binary digits lie behind the point: sums of them are exact."""
    return (np.round(DRAW.normal(size=shape) * 8) / 8).astype('float32')


# -- operations --------------------------------------------------------------------------------------------------------
A, B, IMAGES = normal(2, 3, 4), normal(2, 3, 4), normal(2, 6, 6, 4)
POSITIVE = np.abs(A) + np.float32(0.5)


def operations(tf):
    """Operations one by one: a name, inputs, and what TensorFlow makes of their placeholders."""
    raw, nn = tf.raw_ops, tf.nn
    for name in 'Neg Abs Sign Square Exp Tanh Sigmoid Relu Relu6 Elu Selu Softplus Softsign Floor Ceil Erf Sin'.split():
        key = 'features' if name in ('Relu', 'Relu6', 'Elu', 'Selu', 'Softplus', 'Softsign') else 'x'
        yield name, [A], lambda x, name=name, key=key: getattr(raw, name)(**{key: x})
    for name in ['Sqrt', 'Rsqrt', 'Log', 'Log1p', 'Reciprocal', 'Expm1', 'Cos']:
        yield name, [POSITIVE], lambda x, name=name: getattr(raw, name)(x=x)
    yield 'Round', [A * 4 + np.float32(0.25)], lambda x: raw.Round(x=x)
    for name in 'AddV2 Add Sub Mul RealDiv Maximum Minimum SquaredDifference FloorDiv FloorMod DivNoNan'.split():
        divisor = POSITIVE[:1] if name != 'DivNoNan' else B[:1] * np.float32(2)
        yield name, [A, divisor], lambda x, y, name=name: getattr(raw, name)(x=x, y=y)
    yield 'Pow', [POSITIVE, A], lambda x, y: raw.Pow(x=x, y=y)
    yield (
        'FloorDiv of whole numbers',
        [np.int32([7, -7, 5]), np.int32([2, 2, -3])],
        lambda x, y: [raw.FloorDiv(x=x, y=y), raw.FloorMod(x=x, y=y)],
    )
    for name in 'Equal NotEqual Greater GreaterEqual Less LessEqual'.split():
        yield name, [A, B[:1]], lambda x, y, name=name: getattr(raw, name)(x=x, y=y)
    yield (
        'logical',
        [A > 0, B > 0],
        lambda x, y: [raw.LogicalAnd(x=x, y=y), raw.LogicalOr(x=x, y=y), raw.LogicalNot(x=x)],
    )
    yield 'LeakyRelu', [A], lambda x: nn.leaky_relu(x, 0.25)
    yield 'Softmax', [A], lambda x: [nn.softmax(x), nn.log_softmax(x)]
    yield 'AddN', [A, B], lambda x, y: [tf.add_n([x, y, x]), tf.clip_by_value(x, -0.5, 0.25)]
    for name in ['Mean', 'Sum', 'Max', 'Min', 'Prod']:
        yield (
            name,
            [A],
            lambda x, name=name: [
                getattr(raw, name)(input=x, axis=[1, -1], keep_dims=True),
                getattr(raw, name)(input=x, axis=0),
            ],
        )
    yield 'AllAny', [A > -1], lambda x: [raw.All(input=x, axis=1), raw.Any(input=x, axis=[1, 2])]
    yield 'ArgMax', [A], lambda x: [tf.argmax(x, -1), tf.argmin(x, 1, output_type=tf.int32)]
    yield 'Cumsum', [A], lambda x: [tf.cumsum(x, 1), tf.cumsum(x, 2, True, True), tf.math.cumprod(x, 1)]
    yield (
        'MatMul',
        [A[0], B[0]],
        lambda x, y: [raw.MatMul(a=x, b=y, transpose_b=True), raw.MatMul(a=x, b=y, transpose_a=True)],
    )
    yield 'BatchMatMulV2', [A, B], lambda x, y: [raw.BatchMatMulV2(x=x, y=y, adj_y=True), tf.matmul(x, y, True)]
    yield 'BatchMatMulV2 of four axes', [normal(2, 3, 2, 4), normal(2, 3, 4, 2)], lambda x, y: tf.matmul(x, y)
    yield 'Einsum', [A, normal(4, 2, 5)], lambda x, y: [tf.einsum('abc,cde->abde', x, y), tf.einsum('abc->ca', x)]
    yield 'OneHot', [np.int32([[0, 2], [1, 3]])], lambda i: [tf.one_hot(i, 4), tf.one_hot(i, 3, 5.0, -1.0, axis=1)]
    yield (
        'Select',
        [A[:, 0, 0] > 0, A, B],
        lambda c, x, y: [raw.Select(condition=c, x=x, y=y), tf.where(x > 0, x, y[:1]), tf.where(x > 0.0, x, 0.0)],
    )
    yield from of_shapes(tf)
    yield from of_images(tf)
    yield from of_flow(tf)


def of_shapes(tf):
    """Operations of shapes and indices."""
    raw = tf.raw_ops
    yield (
        'Reshape',
        [A],
        lambda x: [
            tf.reshape(x, [tf.shape(x)[0], 12]),
            tf.reshape(x, [-1, 4]),
            tf.reshape(x, tf.concat([tf.shape(x)[:1], [2, 6]], 0)),
        ],
    )
    yield 'Shape', [A], lambda x: [tf.shape(x) + 0, tf.size(x) + 0, tf.rank(x) + 0, tf.shape(x, tf.int64)[1] * 2]
    yield (
        'StridedSlice',
        [A],
        lambda x: [x[:, 1], x[..., ::-2], x[:, tf.newaxis, 1:, -1], x[-1], x[:, :-1, 1:3], x[:, ::2, tf.newaxis]],
    )
    yield 'Slice', [A], lambda x: tf.slice(x, [0, 1, 0], [-1, 2, 3])
    yield 'Pack', [A, B], lambda x, y: [tf.stack([x, y]), tf.stack([x, y], -1), *tf.unstack(x, axis=1)]
    yield 'ConcatV2', [A, B], lambda x, y: [tf.concat([x, y], -1), tf.concat([x, y[:, :1]], 1)]
    yield 'Split', [A], lambda x: [*tf.split(x, 2, 2), *tf.split(x, [1, 2], 1), *tf.split(x, [3, -1], -1)]
    yield 'Transpose', [A], lambda x: [tf.transpose(x, [2, 0, 1]), tf.transpose(x)]
    yield (
        'ExpandDims',
        [A],
        lambda x: [tf.expand_dims(x, 1), tf.expand_dims(x, -1), tf.squeeze(x[:, :1], 1), tf.squeeze(x[:, :, 1:2])],
    )
    yield 'Tile', [A], lambda x: [tf.tile(x, [1, 2, 3]), tf.broadcast_to(x[:, :1] * 1, [2, 3, 4])]
    yield (
        'Pad',
        [A],
        lambda x: [
            tf.pad(x, [[0, 0], [1, 2], [0, 1]]),
            tf.pad(x, [[0, 0], [0, 1], [2, 0]], constant_values=1.5),
            tf.pad(x, [[0, 0], [1, 1], [2, 1]], 'REFLECT'),
            tf.pad(x, [[0, 0], [1, 1], [2, 1]], 'SYMMETRIC'),
        ],
    )
    yield (
        'Pad of images',
        [IMAGES],
        lambda x: [tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]), tf.pad(x, [[0, 0], [1, 1], [2, 1], [0, 0]], 'REFLECT')],
    )
    yield (
        'GatherV2',
        [A, np.int32([2, 0])],
        lambda x, i: [
            tf.gather(x, i, axis=1),
            tf.gather(x[0], i),
            tf.gather(x, 1, axis=2),
            tf.gather(x, [[0, 1], [3, 3]], axis=2),
        ],
    )
    yield 'Gather of the batch', [A, np.int32([[2, 0], [1, 1]])], lambda x, i: tf.gather(x, i, batch_dims=1)
    yield 'Cast', [A * 4], lambda x: [tf.cast(x, tf.int32), tf.cast(x > 0, tf.float32), tf.cast(x, tf.float16)]
    yield (
        'Fill',
        [A],
        lambda x: [
            tf.fill(tf.shape(x)[:2], 2.5) + x[:, :, 0],
            tf.zeros_like(x),
            tf.ones_like(x),
            tf.fill([2, 3, 4], 2.0) * x,
        ],
    )
    yield 'Range', [A], lambda x: tf.cast(tf.range(0, tf.shape(x)[2], 1), tf.float32) * x
    yield 'ReverseV2', [A], lambda x: [tf.reverse(x, [1]), tf.reverse(x, [-1, 0])]
    yield (
        'Bucketize',
        [A],
        lambda x: [
            raw.Bucketize(input=x, boundaries=[-0.5, 0.0, 0.75]),
            tf.linalg.band_part(x, 1, 0),
            tf.linalg.band_part(x, 0, -1),
        ],
    )
    yield 'TopKV2', [A], lambda x: raw.TopKV2(input=x, k=2)[0]
    yield 'Identity', [A], lambda x: [tf.identity(x), tf.stop_gradient(x), *tf.identity_n([x, x * 2])]


def of_images(tf):
    """Convolution, pooling, sizes."""
    nn, raw = tf.nn, tf.raw_ops
    kernel = normal(3, 3, 4, 2)
    for padding in ('SAME', 'VALID', [[0, 0], [1, 2], [0, 1], [0, 0]]):
        name = padding if isinstance(padding, str) else 'EXPLICIT'
        yield (
            f'Conv2D {name}',
            [IMAGES],
            lambda x, p=padding: [
                nn.conv2d(x, kernel, 1, p),
                nn.conv2d(x, kernel, [1, 2, 2, 1], p),
                nn.conv2d(x, kernel, 1, p, dilations=2),
            ],
        )
    yield (
        'BiasAdd',
        [IMAGES],
        lambda x: [nn.bias_add(x, [1.0, 2.0, -1.0, 0.5]), nn.bias_add(x, [1.0, 2.0, -1.0, 0.5, 3.0, 4.0], 'NCHW')],
    )
    yield (
        'DepthwiseConv2dNative',
        [IMAGES],
        lambda x: [
            nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], 'SAME'),
            nn.depthwise_conv2d(x, kernel, [1, 2, 2, 1], 'VALID'),
        ],
    )
    yield (
        'Conv2DBackpropInput',
        [normal(2, 3, 3, 2)],
        lambda x: [
            nn.conv2d_transpose(x, kernel, [2, 6, 6, 4], 2, 'SAME'),
            nn.conv2d_transpose(x, kernel, [2, 7, 7, 4], 2, 'VALID'),
            nn.conv2d_transpose(x, kernel, tf.stack([tf.shape(x)[0], 5, 5, 4]), 1, 'VALID'),
        ],
    )
    yield (
        'Conv3D',
        [normal(2, 5, 4, 4, 2)],
        lambda x: [
            nn.conv3d(x, normal(2, 2, 2, 2, 3), [1, 1, 1, 1, 1], 'SAME'),
            nn.max_pool3d(x, 2, 2, 'SAME'),
            nn.avg_pool3d(x, 2, 1, 'VALID'),
        ],
    )
    for name in ('max_pool2d', 'avg_pool2d'):
        yield (
            name,
            [IMAGES],
            lambda x, name=name: [getattr(nn, name)(x, 3, 2, 'SAME'), getattr(nn, name)(x, 2, 1, 'VALID')],
        )
    yield (
        'FusedBatchNormV3',
        [IMAGES],
        lambda x: raw.FusedBatchNormV3(
            x=x,
            scale=[1.0, 2.0, 0.5, 1.5],
            offset=[0.0, 1.0, -1.0, 0.5],
            mean=[0.5, 0.0, 1.0, -0.5],
            variance=[1.0, 2.0, 0.5, 1.0],
            epsilon=1e-3,
            is_training=False,
        )[0],
    )
    yield (
        'FusedBatchNormV3 by the batch',
        [IMAGES],
        lambda x: raw.FusedBatchNormV3(
            x=x, scale=[1.0, 2.0, 0.5, 1.5], offset=[0.0, 1.0, -1.0, 0.5], mean=[], variance=[], epsilon=1e-3
        )[0],
    )
    yield 'Conv2D in groups', [IMAGES], lambda x: nn.conv2d(x, kernel[:, :, :2], 2, 'SAME')
    for corners, halves in ((False, False), (True, False), (False, True)):
        options = {'align_corners': corners, 'half_pixel_centers': halves}
        yield (
            f'Resize {int(corners)}{int(halves)}',
            [IMAGES],
            lambda x, options=options: [
                raw.ResizeBilinear(images=x, size=[9, 4], **options),
                raw.ResizeNearestNeighbor(images=x, size=[9, 4], **options),
            ],
        )
    yield (
        'SpaceToBatchND',
        [IMAGES],
        lambda x: [
            tf.space_to_batch(x, [2, 3], [[1, 1], [0, 3]]),
            tf.space_to_batch(x[:, :, 0], [2], [[0, 2]]),
            tf.batch_to_space(tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]) * 2.0, [2, 2], [[1, 0], [0, 1]]),
        ],
    )
    yield 'DepthToSpace', [IMAGES], lambda x: [nn.depth_to_space(x, 2), nn.space_to_depth(x, 3)]


def of_flow(tf):
    """Conditions, loops and functions."""
    v1 = tf.compat.v1

    def loop(x):
        def body(i, total):
            return i + 1, total * 0.5 + x[:, i]

        return tf.while_loop(lambda i, total: i < tf.shape(x)[1], body, [0, tf.zeros_like(x[:, 0])])[1]

    def array(x):
        results = tf.TensorArray(tf.float32, tf.shape(x)[1])
        body = lambda i, results: (i + 1, results.write(i, x[:, i] * tf.cast(i, tf.float32)))  # noqa: E731
        return tf.while_loop(lambda i, results: i < 3, body, [0, results])[1].stack()

    def nested(x):
        def inner(i, total):
            return tf.while_loop(lambda j, total: j < 2, lambda j, total: (j + 1, total + x[:, i, j]), [0, total])[1]

        return tf.while_loop(lambda i, total: i < 3, lambda i, total: (i + 1, inner(i, total)), [0, x[:, 0, 0]])[1]

    @tf.function
    def doubled(x):
        return x * 2.0, x + 1.0

    for version in (1, 2):

        def flow(x, function, version=version):
            (v1.enable_control_flow_v2 if version == 2 else v1.disable_control_flow_v2)()
            return function(x)

        for name, function in (('loop', loop), ('array', array), ('nested', nested)):
            yield f'{name} of TensorFlow {version}', [A], lambda x, f=function, flow=flow: flow(x, f)
        yield (
            f'condition of TensorFlow {version}',
            [A],
            lambda x, flow=flow: flow(
                x, lambda x: v1.cond(v1.placeholder_with_default(False, []), lambda: x * 2.0, lambda: x - 1.0)
            ),
        )
    yield (
        'If by the input',
        [A],
        lambda x: [v1.enable_control_flow_v2(), tf.cond(x[0, 0, 0] > 0.0, lambda: x * 2.0, lambda: x - 1.0)][1],
    )
    yield 'PartitionedCall', [A], lambda x: [*doubled(x)]
    yield (
        'GatherNd',
        [A, np.int32([[[1, 2], [0, 0]], [[1, 0], [0, 1]]])],
        lambda x, i: [tf.gather_nd(x, i), tf.gather_nd(x, [[1], [0], [1]]), tf.gather_nd(x, [[1, 2, 3], [0, 1, 0]])],
    )
    words, weights = np.int32([[1, 0, 3, 3], [2, 2, 2, 9]]), np.float32([[1, 2, 3, 4], [5, 6, 7, 8]])
    yield (
        'DenseBincount',
        [words, weights],
        lambda x, w: [
            tf.raw_ops.DenseBincount(input=x, size=4, weights=w),
            tf.raw_ops.DenseBincount(input=x, size=4, weights=np.float32([]), binary_output=True),
            tf.raw_ops.DenseBincount(input=x[0], size=5, weights=np.float32([])),
        ],
    )

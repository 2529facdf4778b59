"""Calls of TensorFlow's functions, one or more for each name that is there over Keras.

`tensor` marks what TensorFlow has as a tensor. The other arguments are numbers, lists and words.
"""

import numpy as np


class tensor:
    """An argument that is a tensor."""

    def __init__(self, value, dtype='float32'):
        self.value = np.asarray(value, dtype)


def draws(*shape, seed=0, low=-2.0, high=2.0):
    return tensor(np.random.RandomState(seed + 7 * len(shape)).uniform(low, high, shape))


X, Y, POSITIVE, UNIT = draws(2, 3), draws(2, 3, seed=1), draws(2, 3, low=0.1), draws(2, 3, low=-0.9, high=0.9)
EDGES = tensor([[-np.inf, -1.5, -0.0], [0.0, 2.5, np.nan]])
INTEGERS = tensor([[1, 0, -3], [2, 4, 4]], 'int32')
BOOLS = tensor([[True, False, True], [False, False, True]], 'bool')
CUBE, IMAGES, MATRICES = draws(2, 3, 4), draws(2, 6, 6, 3, low=0.0, high=1.0), draws(2, 3, 3)
DEFINITE = tensor(np.einsum('bij,bkj->bik', MATRICES.value, MATRICES.value) + np.eye(3))
PLACES = tensor([2, 0, 1, 2], 'int32')

ONE = 'abs cos cosh exp floor negative round sigmoid sign sin sinh square tan tanh asinh atan'.split()
ONE += 'math.expm1 math.ceil math.erf math.softplus math.log_sigmoid math.is_finite math.is_inf math.is_nan'.split()
ONE += 'math.angle math.conj math.imag math.real'.split()
ONE += [f'nn.{name}' for name in 'elu relu relu6 selu sigmoid softplus softsign tanh'.split()]
UNITS = 'acos asin atanh math.erfinv'.split()
POSITIVES = 'sqrt math.log math.log1p math.rsqrt math.reciprocal'.split()
TWO = 'add subtract multiply divide truediv maximum minimum equal not_equal greater greater_equal less'.split()
TWO += 'less_equal math.squared_difference math.atan2 math.floordiv math.floormod math.mod'.split()
REDUCTIONS = 'reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp'.split()
REDUCTIONS += 'math.reduce_std math.reduce_variance'.split()
LOGICAL = 'logical_and logical_or math.logical_xor'.split()
PLACES_OF = 'argmax argmin math.argmax math.argmin'.split()
BOTH = {'exclusive': True, 'reverse': True}

CASES = [
    *[(name, [x]) for name in ONE for x in ([X] if name in ('math.angle',) else [X, EDGES])],
    *[(name, [UNIT]) for name in UNITS],
    *[(name, [POSITIVE]) for name in POSITIVES],
    ('acosh', [draws(2, 3, low=1.1, high=3.0)]),
    ('logical_not', [BOOLS]),
    *[(name, [X, y]) for name in TWO for y in (Y, 1.5, np.float64([0.5, -1.0, 2.0]))],
    *[
        (name, [BOOLS, tensor([True, True, False], 'bool')])
        for name in ('logical_and', 'logical_or', 'math.logical_xor')
    ],
    ('pow', [POSITIVE, Y]),
    ('pow', [X, 2]),
    ('math.divide_no_nan', [X, tensor([1.0, 0.0, 2.0])]),
    ('math.multiply_no_nan', [EDGES, tensor([1.0, 0.0, 0.0])]),
    ('math.xlogy', [tensor([0.0, 1.0, 2.0]), tensor([0.0, 0.5, 3.0])]),
    *[(name, [CUBE], more) for name in REDUCTIONS for more in ({}, {'axis': 1}, {'axis': [0, -1], 'keepdims': True})],
    ('reduce_mean', [INTEGERS], {'axis': 0}),
    ('reduce_mean', [tensor([-1, -2, -4], 'int32')]),
    ('reduce_sum', [INTEGERS], {'axis': -1}),
    ('reduce_any', [BOOLS], {'axis': 1}),
    ('reduce_all', [BOOLS], {'axis': 0, 'keepdims': True}),
    *[
        (name, [CUBE], more)
        for name in ('argmax', 'argmin', 'math.argmax', 'math.argmin')
        for more in ({}, {'axis': -1})
    ],
    *[
        (name, [CUBE], more)
        for name in ('cumsum', 'math.cumsum', 'math.cumprod')
        for more in (
            {},
            {'axis': 1, 'exclusive': True},
            {'axis': -1, 'reverse': True},
            {'exclusive': True, 'reverse': True},
        )
    ],
    ('add_n', [[X, Y, X]]),
    ('math.add_n', [[X, Y]]),
    ('math.count_nonzero', [INTEGERS]),
    ('math.count_nonzero', [INTEGERS], {'axis': 0}),
    ('math.top_k', [CUBE], {'k': 2}),
    ('nn.top_k', [X]),
    ('math.in_top_k', [tensor([1, 2], 'int32'), X, 2]),
    ('nn.in_top_k', [tensor([1, 2], 'int32'), X, 1]),
    ('math.segment_sum', [CUBE, tensor([0, 2], 'int32')]),
    ('math.unsorted_segment_sum', [draws(4, 2), tensor([1, 0, -1, 1], 'int32'), 3]),
    ('math.confusion_matrix', [tensor([0, 1, 2, 1], 'int32'), tensor([0, 2, 2, 1], 'int32'), 3]),
    ('math.bincount', [tensor([0, 1, 1, 3], 'int32')], {'minlength': 6}),
    ('clip_by_value', [X, -0.5, tensor([0.0, 0.5, 1.0])]),
    ('clip_by_norm', [X, 1.0]),
    ('clip_by_norm', [X, 0.5], {'axes': [1]}),
    ('clip_by_norm', [tensor([0.0, 0.0]), 1.0]),
    ('clip_by_global_norm', [[X, CUBE], 1.5]),
    ('linalg.global_norm', [[X, CUBE]]),
    # shapes
    ('reshape', [CUBE, [4, -1]]),
    ('transpose', [CUBE]),
    ('transpose', [CUBE], {'perm': [1, 0, 2]}),
    ('expand_dims', [X, -1]),
    ('squeeze', [draws(2, 1, 3, 1)]),
    ('squeeze', [draws(2, 1, 3, 1)], {'axis': [1]}),
    ('concat', [[X, Y]], {'axis': -1}),
    ('concat', [[X, np.ones((1, 3))]], {'axis': 0}),
    ('stack', [[X, Y]]),
    ('stack', [[X, Y]], {'axis': 1}),
    ('unstack', [CUBE], {'axis': 1}),
    ('split', [CUBE, 2], {'axis': -1}),
    ('split', [CUBE, [1, -1]], {'axis': 1}),
    ('tile', [X, [2, 1]]),
    ('repeat', [X, 2], {'axis': 1}),
    ('slice', [CUBE, [0, 1, 0], [-1, 2, 3]]),
    ('pad', [X, [[1, 0], [0, 2]]]),
    ('pad', [X, [[0, 0], [2, 1]]], {'mode': 'REFLECT'}),
    ('pad', [X, [[1, 1], [2, 1]]], {'mode': 'SYMMETRIC'}),
    ('pad', [X, [[1, 0], [0, 2]]], {'constant_values': 7.0}),
    ('reverse', [CUBE, [0, 2]]),
    ('roll', [CUBE, 1, 1]),
    ('roll', [CUBE, [1, -1], [0, 2]]),
    ('shape', [CUBE]),
    ('size', [CUBE]),
    ('rank', [CUBE]),
    ('broadcast_to', [X, [4, 2, 3]]),
    ('ensure_shape', [X, [None, 3]]),
    ('boolean_mask', [X, np.array([[True, False, True], [False, True, True]])]),
    ('boolean_mask', [X, np.array([False, True, True])], {'axis': 1}),
    ('meshgrid', [tensor([1.0, 2.0]), tensor([3.0, 4.0, 5.0])]),
    ('meshgrid', [tensor([1.0, 2.0]), tensor([3.0, 4.0, 5.0])], {'indexing': 'ij'}),
    # elements
    ('gather', [draws(4, 2), PLACES]),
    ('gather', [CUBE, tensor([[1, 0]], 'int32')], {'axis': 1}),
    ('gather', [CUBE, tensor([[1, 0], [2, 2]], 'int32')], {'batch_dims': 1}),
    ('gather', [X, tensor([[[1], [0]], [[2], [2]]], 'int32')], {'batch_dims': 1}),
    ('gather_nd', [CUBE, tensor([[0, 1], [1, 2]], 'int32')]),
    ('gather_nd', [X, tensor([[[0, 1]], [[1, 2]]], 'int32')]),
    ('where', [BOOLS, X, 0.0]),
    ('where', [BOOLS]),
    ('one_hot', [tensor([0, 2, -1], 'int32'), 3]),
    ('one_hot', [tensor([0, 2], 'int32'), 3], {'on_value': 5.0, 'off_value': -1.0, 'axis': 0}),
    ('sequence_mask', [tensor([1, 3, 0], 'int32')], {'maxlen': 4}),
    ('sequence_mask', [tensor([1, 3], 'int32')], {'maxlen': 4, 'dtype': 'float32'}),
    ('tensor_scatter_nd_update', [X, tensor([[0, 1], [1, 2]], 'int32'), tensor([5.0, 6.0])]),
    ('tensor_scatter_nd_add', [X, tensor([[0, 1], [0, 1]], 'int32'), tensor([5.0, 6.0])]),
    ('scatter_nd', [tensor([[1], [3], [1]], 'int32'), tensor([5.0, 6.0, 7.0]), [4]]),
    ('sort', [CUBE]),
    ('sort', [CUBE], {'axis': 1, 'direction': 'DESCENDING'}),
    ('argsort', [CUBE]),
    ('argsort', [CUBE], {'direction': 'DESCENDING'}),
    ('searchsorted', [tensor([1.0, 3.0, 5.0]), tensor([0.0, 3.0, 9.0])]),
    ('searchsorted', [tensor([1.0, 3.0, 5.0]), tensor([0.0, 3.0, 9.0])], {'side': 'right'}),
    # creation
    ('cast', [tensor([-1.7, 2.9]), 'int32']),
    ('cast', [INTEGERS, 'bool']),
    ('identity', [X]),
    ('stop_gradient', [X]),
    ('zeros_like', [X]),
    ('ones_like', [X], {'dtype': 'int32'}),
    ('zeros', [[2, 3]]),
    ('ones', [[2]], {'dtype': 'int32'}),
    ('fill', [[2, 2], 3.5]),
    ('fill', [[2], 3]),
    ('eye', [3]),
    ('eye', [2], {'num_columns': 3, 'batch_shape': [2]}),
    ('linalg.eye', [2]),
    ('range', [5]),
    ('range', [1.0, 3.0, 0.5]),
    ('range', [2, 9, 3], {'dtype': 'float32'}),
    ('linspace', [0.0, 1.0, 5]),
    ('constant', [[1.0, 2.0]]),
    ('constant', [[1, 2]], {'dtype': 'float32'}),
    ('constant', [0.5], {'shape': [2, 2]}),
    ('convert_to_tensor', [[[1, 2], [3, 4]]]),
    ('convert_to_tensor', [[1, 2]], {'dtype': 'float32'}),
    # linalg
    ('matmul', [X, draws(3, 2)]),
    ('matmul', [MATRICES, CUBE], {'transpose_a': True}),
    ('matmul', [CUBE, CUBE], {'transpose_b': True}),
    ('linalg.matmul', [draws(2, 1, 2, 3), draws(1, 4, 3, 2)]),
    ('linalg.matvec', [MATRICES, X]),
    ('tensordot', [CUBE, draws(4, 5), 1]),
    ('tensordot', [CUBE, draws(4, 3), [[1, 2], [1, 0]]]),
    ('linalg.tensordot', [X, Y, [[0], [0]]]),
    ('einsum', ['bij,bjk->bik', MATRICES, CUBE]),
    ('linalg.einsum', ['bi,bi->b', X, Y]),
    ('linalg.diag', [X]),
    ('linalg.diag_part', [MATRICES]),
    ('linalg.set_diag', [MATRICES, X]),
    ('linalg.set_diag', [draws(2, 4, 3), X]),
    ('linalg.band_part', [MATRICES, -1, 0]),
    ('linalg.band_part', [MATRICES, 1, 1]),
    ('linalg.inv', [DEFINITE]),
    ('linalg.det', [MATRICES]),
    ('linalg.logdet', [DEFINITE]),
    ('linalg.cholesky', [DEFINITE]),
    ('linalg.solve', [DEFINITE, CUBE]),
    ('linalg.trace', [MATRICES]),
    ('linalg.matrix_transpose', [CUBE]),
    ('norm', [CUBE]),
    ('norm', [CUBE], {'axis': -1, 'keepdims': True}),
    ('linalg.norm', [CUBE], {'ord': 1, 'axis': 1}),
    ('linalg.norm', [CUBE], {'ord': np.inf, 'axis': 1}),
    ('math.l2_normalize', [X], {'axis': -1}),
    ('linalg.l2_normalize', [tensor([[0.0, 0.0]])], {'axis': -1}),
    ('nn.l2_normalize', [CUBE], {'axis': [1, 2]}),
    # nn
    ('nn.softmax', [CUBE]),
    ('nn.softmax', [CUBE], {'axis': 1}),
    ('nn.log_softmax', [CUBE]),
    ('nn.leaky_relu', [X]),
    ('nn.leaky_relu', [X], {'alpha': 0.3}),
    ('nn.gelu', [X]),
    ('nn.gelu', [X], {'approximate': True}),
    ('nn.silu', [X]),
    ('nn.swish', [X]),
    ('nn.crelu', [X]),
    ('nn.bias_add', [CUBE, tensor([1.0, 2.0, 3.0, 4.0])]),
    ('nn.bias_add', [CUBE, tensor([1.0, 2.0, 3.0])], {'data_format': 'NC'}),
    ('nn.moments', [CUBE, [0, 1]]),
    ('nn.moments', [CUBE, [-1]], {'keepdims': True}),
    ('nn.batch_normalization', [CUBE, 0.5, 2.0, tensor([1.0, 0.0, 0.0, 2.0]), 3.0, 1e-3]),
    ('nn.batch_normalization', [CUBE, 0.5, 2.0, None, None, 1e-3]),
    ('nn.l2_loss', [CUBE]),
    ('nn.embedding_lookup', [draws(4, 2), tensor([[3, 0]], 'int32')]),
    ('nn.zero_fraction', [INTEGERS]),
    ('nn.local_response_normalization', [IMAGES], {'depth_radius': 1, 'alpha': 0.5}),
    ('nn.lrn', [IMAGES]),
    ('nn.depth_to_space', [draws(1, 2, 2, 4), 2]),
    ('nn.space_to_depth', [IMAGES, 2]),
    ('nn.softmax_cross_entropy_with_logits', [], {'labels': tensor([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]), 'logits': X}),
    ('nn.sparse_softmax_cross_entropy_with_logits', [], {'labels': tensor([2, 0], 'int32'), 'logits': X}),
    ('nn.sigmoid_cross_entropy_with_logits', [], {'labels': tensor([[0.0, 1.0, 0.5]] * 2), 'logits': X}),
    ('nn.sigmoid_cross_entropy_with_logits', [], {'labels': tensor([1.0, 0.0]), 'logits': tensor([-90.0, 0.0])}),
    (
        'nn.weighted_cross_entropy_with_logits',
        [],
        {'labels': tensor([[0.0, 1.0, 0.5]] * 2), 'logits': X, 'pos_weight': 3.0},
    ),
    # windows
    ('nn.conv1d', [CUBE, draws(2, 4, 5), 1, 'SAME']),
    ('nn.conv2d', [IMAGES, draws(3, 3, 3, 2), [1, 2, 2, 1], 'SAME']),
    ('nn.conv2d', [IMAGES, draws(3, 3, 3, 2), 1, 'VALID'], {'dilations': 2}),
    ('nn.conv2d', [IMAGES, draws(2, 2, 3, 2), 2, [[0, 0], [1, 1], [1, 0], [0, 0]]]),
    ('nn.conv3d', [draws(1, 4, 4, 4, 2), draws(2, 2, 2, 2, 3), [1, 1, 1, 1, 1], 'VALID']),
    ('nn.conv2d_transpose', [draws(1, 3, 3, 2), draws(3, 3, 4, 2), [1, 6, 6, 4], 2]),
    ('nn.depthwise_conv2d', [IMAGES, draws(3, 3, 3, 2), [1, 1, 1, 1], 'SAME']),
    ('nn.separable_conv2d', [IMAGES, draws(3, 3, 3, 2), draws(1, 1, 6, 4), [1, 1, 1, 1], 'VALID']),
    ('nn.max_pool', [IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID']),
    ('nn.avg_pool', [IMAGES, 3, 2, 'SAME']),
    ('nn.max_pool1d', [CUBE, 2, 1, 'SAME']),
    ('nn.avg_pool1d', [CUBE, 2, 1, 'VALID']),
    ('nn.max_pool2d', [IMAGES, 3, 1, 'SAME']),
    ('nn.avg_pool2d', [IMAGES, [2, 2], [2, 2], 'VALID']),
    # images
    ('image.resize', [IMAGES, [9, 4]]),
    ('image.resize', [IMAGES, [3, 12]], {'method': 'nearest'}),
    ('image.flip_left_right', [IMAGES]),
    ('image.flip_up_down', [IMAGES]),
    ('image.rot90', [IMAGES]),
    ('image.rot90', [draws(2, 3, 1)], {'k': 3}),
    ('image.rgb_to_grayscale', [IMAGES]),
    ('image.grayscale_to_rgb', [draws(2, 3, 3, 1)]),
    ('image.rgb_to_hsv', [IMAGES]),
    ('image.hsv_to_rgb', [IMAGES]),
    ('image.ssim', [draws(2, 12, 13, 3, low=0.0, high=1.0), draws(2, 12, 13, 3, seed=3, low=0.0, high=1.0), 1.0]),
    ('image.psnr', [IMAGES, draws(2, 6, 6, 3, seed=3, low=0.0, high=1.0), 1.0]),
    ('image.total_variation', [IMAGES]),
    ('image.image_gradients', [IMAGES]),
    ('image.sobel_edges', [IMAGES]),
    ('image.extract_patches', [IMAGES, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID']),
    ('image.per_image_standardization', [IMAGES]),
    ('image.adjust_brightness', [IMAGES, 0.25]),
    ('image.adjust_contrast', [IMAGES, 2.0]),
    ('image.central_crop', [IMAGES, 0.5]),
    ('image.crop_to_bounding_box', [IMAGES, 1, 2, 3, 4]),
    ('image.convert_image_dtype', [tensor([[[0, 128, 255]]], 'uint8'), 'float32']),
]


def called(case, find, make):
    """The result of a case. `find` gives the function for a name, `make` a tensor of an array."""
    name, args, kwargs = (*case, {})[:3]
    return find(name)(*_made(args, make), **{key: _made(value, make) for key, value in kwargs.items()})


def _made(value, make):
    if isinstance(value, tensor):
        return make(value.value)
    return [_made(each, make) for each in value] if isinstance(value, list) else value

"""The names of TensorFlow that are there over Keras: each is a rule of one of the tables, or a function of a module.

This module imports nothing, so that a program can be checked without Keras.
"""

from typing import Dict, FrozenSet

# tf.X, also in tf.math, of one tensor: the name of TensorFlow -> that of keras.ops.
OF_ONE: Dict[str, str] = {
    **{name: name for name in 'abs cos cosh exp floor negative round sigmoid sin sinh square tan tanh'.split()},
    **{name: 'arc' + name[1:] for name in 'acos acosh asin asinh atan atanh'.split()},
    'logical_not': 'logical_not',
    'sqrt': 'sqrt',
}
# In tf.math alone.
OF_ONE_IN_MATH: Dict[str, str] = {
    **{name: name for name in 'angle ceil conj erf erfinv expm1 log log1p real reciprocal rsqrt softplus'.split()},
    **{name: name.replace('_', '') for name in 'is_finite is_inf is_nan'.split()},
    'log_sigmoid': 'log_sigmoid',
}
# Of two tensors, as above.
OF_TWO: Dict[str, str] = {
    **{name: name for name in 'add subtract multiply divide maximum minimum'.split()},
    **{name: name for name in 'equal not_equal greater greater_equal less less_equal logical_and logical_or'.split()},
    'pow': 'power',
    'truediv': 'divide',
}
OF_TWO_IN_MATH: Dict[str, str] = {
    'atan2': 'arctan2',
    'divide_no_nan': 'divide_no_nan',
    'floordiv': 'floor_divide',
    'floormod': 'mod',
    'logical_xor': 'logical_xor',
    'mod': 'mod',
}
# tf.reduce_X, also in tf.math: the name of TensorFlow -> that of keras.ops.
REDUCTIONS: Dict[str, str] = {f'reduce_{name}': name for name in 'sum mean max min prod any all logsumexp'.split()}
REDUCTIONS_IN_MATH: Dict[str, str] = {'reduce_std': 'std', 'reduce_variance': 'var'}
# tf.nn.X of one tensor.
OF_ONE_IN_NN: Dict[str, str] = {name: name for name in 'elu relu relu6 selu sigmoid softplus softsign tanh'.split()}

# The functions of a module, by the names of TensorFlow. A function has the last part of the name.
FUNCTIONS: Dict[str, str] = {
    'arithmetic': (
        'sign math.sign math.imag argmax argmin math.argmax math.argmin cumsum math.cumsum math.cumprod '
        'add_n math.add_n math.squared_difference math.multiply_no_nan math.xlogy math.count_nonzero math.top_k '
        'math.in_top_k math.segment_sum math.unsorted_segment_sum math.confusion_matrix math.bincount '
        'clip_by_value clip_by_norm clip_by_global_norm linalg.global_norm'
    ),
    'shapes': (
        'reshape transpose expand_dims squeeze concat stack unstack split tile repeat slice pad reverse roll shape '
        'size rank broadcast_to ensure_shape boolean_mask meshgrid'
    ),
    'elements': (
        'gather gather_nd where one_hot sequence_mask tensor_scatter_nd_update tensor_scatter_nd_add scatter_nd sort '
        'argsort searchsorted'
    ),
    'creation': (
        'cast identity stop_gradient zeros_like ones_like zeros ones fill eye linalg.eye range linspace constant '
        'convert_to_tensor'
    ),
    'linalg': (
        'matmul linalg.matmul linalg.matvec tensordot linalg.tensordot einsum linalg.einsum linalg.diag '
        'linalg.diag_part linalg.set_diag linalg.band_part linalg.inv linalg.det linalg.logdet linalg.cholesky '
        'linalg.svd linalg.eigh linalg.qr linalg.solve linalg.trace linalg.matrix_transpose norm linalg.norm '
        'math.l2_normalize linalg.l2_normalize nn.l2_normalize'
    ),
    'nn': (
        'nn.softmax nn.log_softmax nn.leaky_relu nn.gelu nn.silu nn.swish nn.crelu nn.bias_add nn.dropout '
        'nn.moments nn.batch_normalization nn.l2_loss nn.top_k nn.in_top_k nn.embedding_lookup nn.zero_fraction '
        'nn.local_response_normalization nn.lrn nn.depth_to_space nn.space_to_depth '
        'nn.softmax_cross_entropy_with_logits nn.sparse_softmax_cross_entropy_with_logits '
        'nn.sigmoid_cross_entropy_with_logits nn.weighted_cross_entropy_with_logits'
    ),
    'windows': (
        'nn.conv1d nn.conv2d nn.conv3d nn.conv2d_transpose nn.depthwise_conv2d nn.separable_conv2d nn.max_pool '
        'nn.avg_pool nn.max_pool1d nn.avg_pool1d nn.max_pool2d nn.avg_pool2d'
    ),
    'images': (
        'image.resize image.flip_left_right image.flip_up_down image.rot90 image.rgb_to_grayscale '
        'image.grayscale_to_rgb image.rgb_to_hsv image.hsv_to_rgb image.ssim image.psnr image.total_variation '
        'image.image_gradients image.sobel_edges image.extract_patches image.per_image_standardization '
        'image.adjust_brightness image.adjust_contrast image.central_crop image.crop_to_bounding_box '
        'image.convert_image_dtype'
    ),
    'random': 'random.normal random.uniform random.truncated_normal random.categorical random.shuffle',
    'control': 'cond while_loop map_fn vectorized_map scan foldl',
    'checks': (
        'debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal debugging.assert_less '
        'debugging.assert_less_equal debugging.assert_near debugging.assert_non_negative debugging.assert_positive '
        'debugging.assert_rank debugging.assert_shapes debugging.check_numerics debugging.assert_all_finite'
    ),
}
# What is a class or a decorator of TensorFlow.
OTHERS = 'function', 'custom_gradient', 'GradientTape', 'random.set_seed'


def _names() -> FrozenSet[str]:
    both = [*OF_ONE, *OF_TWO, *REDUCTIONS]
    found = set(both) | {f'math.{name}' for name in both} | set(OTHERS)
    found |= {f'math.{name}' for table in (OF_ONE_IN_MATH, OF_TWO_IN_MATH, REDUCTIONS_IN_MATH) for name in table}
    found |= {f'nn.{name}' for name in OF_ONE_IN_NN}
    return frozenset(found.union(*[names.split() for names in FUNCTIONS.values()]))


NAMES = _names()

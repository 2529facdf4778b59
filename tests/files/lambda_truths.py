"""The numbers of `tensorflow_sources`, by NumPy in float64, from the documentation of TensorFlow 1.15."""

import numpy as np

TRUTHS = {}


def truth(*names):
    """Enter a truth. It takes the inputs."""

    def enter(function):
        TRUTHS.update(dict.fromkeys(names, function))
        return function

    return enter


def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _norm(x, axis):
    return x / np.sqrt(np.maximum(np.sum(x * x, axis, keepdims=True), 1e-12))


def _line(old, new, corners):
    """The places in an old line of pixels that the pixels of a new one show, in TensorFlow 1."""
    return np.arange(new) * ((old - 1) / (new - 1) if corners and new > 1 else old / new)


def _bilinear(x, size, corners=False):
    for axis in (1, 2):
        old = x.shape[axis]
        place = _line(old, size[axis - 1], corners)
        low = np.floor(place).astype(int)
        weight = (place - low).reshape([-1 if i == axis else 1 for i in range(4)])
        x = np.take(x, low, axis) * (1 - weight) + np.take(x, np.minimum(low + 1, old - 1), axis) * weight
    return x


def _nearest(x, size):
    for axis in (1, 2):
        x = np.take(x, np.floor(_line(x.shape[axis], size[axis - 1], False)).astype(int), axis)
    return x


def _to_space(x, n):
    b, h, w, c = x.shape
    out = np.zeros((b, h * n, w * n, c // (n * n)))
    for i in range(n):
        for j in range(n):
            start = (i * n + j) * (c // (n * n))
            out[:, i::n, j::n] = x[..., start : start + c // (n * n)]
    return out


def _to_depth(x, n):
    return np.concatenate([x[:, i::n, j::n] for i in range(n) for j in range(n)], -1)


TRUTHS.update(
    tf_square=lambda x: x**2,
    tf_import=lambda x: np.abs(x).sum(1),
    tf_of_k=lambda x: x.mean(1, keepdims=True),
    tf_keep_dims=lambda x: x.max(1, keepdims=True),
    tf_transpose=lambda x: x.transpose(0, 2, 1),
    tf_transpose_all=lambda x: x.T,
    tf_concat=lambda x: np.concatenate(x, 1),
    tf_concat_axis=lambda x: np.concatenate(x, -1),
    tf_concat_before_1=lambda x: np.concatenate(x, 1),
    tf_stack=lambda x: np.stack(x, 1),
    tf_unstack=lambda x: x[:, 1] + x[:, :1, 0],
    tf_split=lambda x: x[..., :2] * x[..., 2:] + x[..., :1] + x[..., 1:].sum(),
    tf_split_keywords=lambda x: x[:, 2:3],
    tf_expand_and_squeeze=lambda x: x[:, 0],
    tf_squeeze_all=lambda x: x[:, 0],
    tf_reshape=lambda x: x.reshape(-1, 4, 3),
    tf_reshape_by_shape=lambda x: x.reshape(-1, 12),
    tf_tile=lambda x: np.tile(x, (2, 1)),
    tf_cast=lambda x: (x > 0) + 2.0 * (x < 0),
    tf_clip=lambda x: np.clip(x, -0.3, 0.4),
    tf_matmul=lambda x: x[0] @ x[1].swapaxes(1, 2),
    tf_matmul_of_matrices=lambda x: x[0].T @ x[1],
    tf_matmul_of_rank_4=lambda x: x[0] @ x[1],
    tf_l2_normalize=lambda x: _norm(x, 1) + _norm(x, 0),
    tf_norm=lambda x: np.linalg.norm(x, axis=1, keepdims=True),
    tf_one_hot=lambda x: np.eye(4)[x],
    tf_gather=lambda x: x[[4, 0]],
    tf_gather_axis=lambda x: x[:, [4, 0]],
    tf_argmax=lambda x: x.argmax(1) + x.argmin(1),
    tf_reverse=lambda x: x[:, ::-1],
    tf_slice=lambda x: x[:, 1:3, :3],
    tf_pad=lambda x: np.pad(x, [(0, 0), (2, 1), (0, 0)], 'constant'),
    tf_pad_value=lambda x: np.pad(x, [(0, 0), (0, 0), (1, 2)], 'constant', constant_values=5),
    tf_reflect=lambda x: np.pad(x, [(0, 0), (2, 2), (2, 2), (0, 0)], 'reflect'),
    tf_symmetric=lambda x: np.pad(x, [(0, 0), (1, 2), (0, 0)], 'symmetric'),
    tf_where=lambda x: np.where(x > 0, x, 0),
    tf_depth_to_space=lambda x: _to_space(x, 2),
    tf_space_to_depth=lambda x: _to_depth(x, 2),
    tf_subpixel=lambda x: _to_space(x, 2),
    tf_resize_nearest=lambda x: _nearest(x, (6, 9)),
    tf_resize_nearest_down=lambda x: _nearest(x, (3, 4)),
    tf_resize_bilinear=lambda x: _bilinear(x, (6, 8)),
    tf_resize_bilinear_any=lambda x: _bilinear(x, (5, 7)),
    tf_resize_corners=lambda x: _bilinear(x, (5, 7), True),
    tf_resize_images=lambda x: _bilinear(x, (6, 4)),
    tf_resize_by_method=lambda x: _nearest(x, (6, 8)),
    tf_resize_nearest_of_2=lambda x: _nearest(x, (6, 8)),
    tf_flip=lambda x: x[:, :, ::-1],
    tf_old_names=lambda x: x[0] * x[1] + x[0] - x[1] + x[0],
    tf_counts=lambda x: x * np.arange(3) + 3 + 6,
    tf_grid=lambda x: x + 10 * np.arange(3)[:, None] + np.arange(4),
    tf_cumsum=lambda x: x.cumsum(1) + x.cumprod(2),
    tf_cumsum_back=lambda x: x[:, ::-1].cumsum(1)[:, ::-1] - x,
    tf_softmax_loss=lambda x: -(x[0] * np.log(_softmax(x[1]))).sum(-1),
    tf_sigmoid_loss=lambda x: -(x[0] * np.log(_sigmoid(x[1])) + (1 - x[0]) * np.log(1 - _sigmoid(x[1]))),
    tf_random=lambda x: x,
    tf_random_of_2=lambda x: x,
    tf_keras_backend=lambda x: x.sum(1),
    tf_math_reductions=lambda x: x.sum(1) + x.std(1) + x.var(1) + np.log(np.exp(x).sum(1)),
    tf_norm_of_all=lambda x: x / np.linalg.norm(x),
    tf_set_shape=lambda x: x,
    tf_pool=lambda x: sum([f([x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)], 0) for f in (np.max, np.mean)]),
    tf_matmul_with_matrix=lambda x: x[0] @ x[1],
    tf_tensordot=lambda x: x[0] @ x[1],
    tf_log_softmax=lambda x: np.log(_softmax(x)),
    tf_expand_last=lambda x: np.stack([x, x], 1),
    tf_shape_of_int64=lambda x: x[..., None],
    tf_dtype=lambda x: x,
    tf_moments=lambda x: (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + 1e-5),
)


@truth('tf_lrn')
def _local_response(x):
    total = np.zeros_like(x)
    channels = x.shape[-1]
    for i in range(channels):
        total[..., i] = (x[..., max(i - 2, 0) : i + 3] ** 2).sum(-1)
    return x / (1 + 1e-2 * total) ** 0.75


@truth('tf_activations')
def _activations(x):
    elu = np.where(x > 0, x, np.exp(x) - 1)
    leaky = np.where(x > 0, x, 0.2 * x) + np.where(x > 0, x, 0.1 * x)
    rectified = np.maximum(x, 0) + elu + leaky + np.clip(x * 9, 0, 6)
    return rectified + np.log1p(np.exp(x)) + 2 * _sigmoid(x) + np.tanh(x) + _softmax(x)


@truth('tf_arithmetic')
def _arithmetic(x):
    a, b = x
    y = a * b + a - b - a / b + a + b + b**2 - a
    y = y + np.maximum(a, b) * np.minimum(a, 0.1) + b**-0.5 + b**0.5 + np.exp(a) + np.log(b) + np.sign(a)
    return y + (a - b) ** 2 + a + b + np.log(b) + np.exp(a)


@truth('tf_logic')
def _logic(x):
    inside = (x > -0.5) & (x <= 0.5)
    return 1.0 * ~inside + 3 * inside

"""Functions of `Lambda` layers in the idioms of programs of 2015 to 2023, as text that Python 2.7 to 3.13 compiles.

`case(name, inputs, text)` enters one. The text defines `f`. An input is 'f 2 3', normal numbers of this shape; 'p 2 3',
numbers between 0.1 and 1; 'i5 2 3', integers below 5; a list of inputs; or a value that is passed as it is.

names: global names of the program. since: the oldest Python with this syntax. until: the newest. random: the shape
alone is compared. native: a text of the same meaning that every Python with every engine runs. python2: one of the
meaning in Python 2. refused: a part of the message of RefusedCodeError.
python: no tensors come out. truth: `lambda_truths` has the numbers, because the text uses names of TensorFlow.
"""

CASES = {}


def case(name, inputs, text, **options):
    """Enter a function."""
    assert name not in CASES, name
    CASES[name] = (inputs, text.strip('\n') + '\n', options)


# -- arithmetic and normalising ------------------------------------------------------------------------------------
case('scale', ['f 2 3'], 'f = lambda x: x * 2')
case('pixels', ['p 2 4 4 3'], 'f = lambda x: x / 127.5 - 1.0')
case('pixels_of_255', ['p 2 4 4 3'], 'f = lambda x: (x / 255.0) - 0.5')
case('negate', ['f 2 3'], 'f = lambda x: -x')
case('one_minus', ['p 2 3'], 'f = lambda x: 1.0 - x')
case('power', ['p 2 3'], 'f = lambda x: x ** 2 + x ** 0.5')
case('normalise', ['f 2 3'], 'f = lambda x: K.l2_normalize(x, axis=1)')
case('normalise_last', ['f 2 3 4'], 'f = lambda x: K.l2_normalize(x, axis=-1)')
case(
    'whiten',
    ['f 4 5'],
    """
def f(x):
    mean = K.mean(x, axis=1, keepdims=True)
    std = K.std(x, axis=1, keepdims=True)
    return (x - mean) / (std + K.epsilon())
""",
)
case('swish', ['f 2 3'], 'f = lambda x: x * K.sigmoid(x)')
case('mish', ['f 2 3'], 'f = lambda x: x * K.tanh(K.softplus(x))')
case(
    'gelu',
    ['f 2 3'],
    """
def f(x):
    return 0.5 * x * (1 + K.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * K.pow(x, 3))))
""",
)
case('hard_swish', ['f 2 3'], 'f = lambda x: x * K.relu(x + 3.0, max_value=6.0) / 6.0')
case('crelu', ['f 2 3'], 'f = lambda x: K.concatenate([K.relu(x), K.relu(-x)], axis=-1)')
case('log_plus_one', ['p 2 3'], 'f = lambda x: K.log(1.0 + K.abs(x))')
case('clip', ['f 2 3'], 'f = lambda x: K.clip(x, -0.5, 0.5)')
case('softmax_with_temperature', ['f 2 5'], 'f = lambda x, temperature=0.5: K.softmax(x / temperature)')
case(
    'subtract_channel_means',
    ['p 2 4 4 3'],
    """
def f(x):
    mean = K.constant(np.array([103.939, 116.779, 123.68]))
    return x[..., ::-1] * 255 - mean
""",
)
case(
    'gaussian',
    ['f 2 3'],
    """
def f(x, mu=0.5, sigma=2.0):
    return K.exp(-K.square(x - mu) / (2 * sigma ** 2)) / (sigma * math.sqrt(2 * math.pi))
""",
)
case('degrees', ['f 2 3'], 'f = lambda x: x * 180.0 / np.pi')
case('cosine_features', ['f 2 3'], 'f = lambda x: np.sqrt(2.0 / 3) * K.cos(x + 2 * np.pi * 0.25)')
case('floor_division', ['f 2 6'], 'f = lambda x: x[:, :K.int_shape(x)[1] // 2]')
case('old_division', ['f 2 6'], 'f = lambda x, n=7: x * (n / 2) + 1 // 2', python2='f = lambda x: x * 3')
case('integer_operators', ['f 2 3'], 'f = lambda x: x * ((7 & 3) | (1 << 4) ^ (16 >> 2)) % 5 - ~2 + (+3)')
case('negative_powers', ['p 2 3'], 'f = lambda x: x ** -1.5 * 2 ** -1')
case('maximum_of_constants', ['f 2 3'], 'f = lambda x: K.maximum(x, 0.1) + K.minimum(x, -0.1)')
case(
    'local_response',
    ['p 2 3 3 6'],
    """
def f(x, alpha=1e-4, k=2, beta=0.75, n=5):
    half = n // 2
    square = K.square(x)
    channels = K.int_shape(x)[-1]
    extra = K.concatenate([K.zeros_like(square)[..., :half], square, K.zeros_like(square)[..., :half]], axis=-1)
    scale = k
    for i in range(n):
        scale += alpha * extra[..., i:i + channels]
    return x / scale ** beta
""",
)
case(
    'instance_norm',
    ['f 2 3 3 2'],
    """
def f(x):
    axes = [1, 2]
    mean, variance = K.mean(x, axes, keepdims=True), K.var(x, axes, keepdims=True)
    return (x - mean) / K.sqrt(variance + 1e-3)
""",
)

# -- shapes --------------------------------------------------------------------------------------------------------
case('flatten', ['f 2 3 4'], 'f = lambda x: K.batch_flatten(x)')
case('squeeze', ['f 2 1 3'], 'f = lambda x: K.squeeze(x, 1)')
case('squeeze_twice', ['f 2 1 1 3'], 'f = lambda x: K.squeeze(K.squeeze(x, axis=1), axis=1)')
case('expand', ['f 2 3'], 'f = lambda x: K.expand_dims(x, axis=-1)')
case('first', ['f 2 3 4'], 'f = lambda x: x[:, 0]')
case('last_step', ['f 2 3 4'], 'f = lambda x: x[:, -1, :]')
case('first_columns', ['f 2 5'], 'f = lambda x: x[:, :2]')
case('window', ['f 2 6 3'], 'f = lambda x: x[:, 1:-1, :]')
case('every_second', ['f 2 6 3'], 'f = lambda x: x[:, ::2, :]')
case('backwards', ['f 2 6 3'], 'f = lambda x: K.reverse(x, axes=1)')
case('last_channels', ['f 2 3 4'], 'f = lambda x: x[..., 1:]')
case(
    'crop_of_arguments',
    ['f 2 6 6 1'],
    """
def f(x, top=1, size=3):
    return x[:, top:top + size, top:top + size, :]
""",
)
case('middle_column', ['f 2 4 3'], 'f = lambda x, i=2: x[:, i:i + 1, :]')
case('even_and_odd', ['f 2 6'], 'f = lambda x: x[:, 0::2] - x[:, 1::2]')
case(
    'space_to_channels',
    ['f 2 4 4 2'],
    """
def f(x):
    return K.concatenate([x[:, ::2, ::2], x[:, 1::2, ::2], x[:, ::2, 1::2], x[:, 1::2, 1::2]], axis=-1)
""",
)
case('reshape', ['f 2 6'], 'f = lambda x: K.reshape(x, (-1, 2, 3))')
case(
    'reshape_by_shape',
    ['f 2 3 4'],
    """
def f(x):
    shape = K.shape(x)
    return K.reshape(x, (shape[0] * shape[1], shape[2]))
""",
)
case(
    'reshape_by_int_shape',
    ['f 2 3 4'],
    """
def f(x):
    _, rows, columns = K.int_shape(x)
    return K.reshape(x, (-1, rows * columns))
""",
)
case('permute', ['f 2 3 4'], 'f = lambda x: K.permute_dimensions(x, (0, 2, 1))')
case('channels_first', ['f 2 3 4 5'], 'f = lambda x: K.permute_dimensions(x, [0, 3, 1, 2])')
case('repeat_vector', ['f 2 3'], 'f = lambda x: K.repeat(x, 4)')
case('repeat_elements', ['f 2 3 2'], 'f = lambda x: K.repeat_elements(x, 2, axis=1)')
case('tile_steps', ['f 2 3'], 'f = lambda x: K.tile(K.expand_dims(x, 1), [1, 5, 1])')
case(
    'tile_like_another',
    [['f 2 3', 'f 2 4 2']],
    """
def f(tensors):
    vector, sequence = tensors
    steps = K.int_shape(sequence)[1]
    repeated = K.repeat(vector, steps)
    return K.concatenate([repeated, sequence], axis=2)
""",
)
case('zeros_of_the_batch', ['f 2 3'], 'f = lambda x: K.zeros_like(x[:, :1]) + K.ones_like(x[:, 1:2])')
case(
    'old_shape',
    ['f 2 3 4'],
    'f = lambda x: K.reshape(x, (-1, x._keras_shape[1] * x._keras_shape[2]))',
    native='f = lambda x: K.reshape(x, (-1, 12))',
)
case(
    'get_shape',
    ['f 2 3 4'],
    """
def f(x):
    shape = x.get_shape().as_list()
    return K.reshape(x, [-1, shape[1], 2, shape[2] // 2])
""",
)
case(
    'value_of_a_size',
    ['f 2 3 4'],
    'f = lambda x: K.reshape(x, (-1, x.shape[1].value * x.shape[-1].value))',
    native='f = lambda x: K.reshape(x, (-1, 12))',
)
case('int_of_a_size', ['f 2 3 4'], 'f = lambda x: x / float(int(x.shape[2])) + int(x.get_shape()[1])')
case('rank_of_a_shape', ['f 2 3 4'], 'f = lambda x: x * len(x.shape) + K.ndim(x)')
case('product_of_sizes', ['f 2 3 4'], 'f = lambda x: K.reshape(x, (-1, int(np.prod(K.int_shape(x)[1:]))))')
case('gather_rows', ['f 5 3'], "f = lambda x: K.gather(x, K.constant([0, 3], dtype='int32'))")
case('pad_time', ['f 2 3 2'], 'f = lambda x: K.temporal_padding(x, (2, 1))')
case('pad_left', ['f 2 3 2'], 'f = lambda x, padding=2: K.temporal_padding(x, padding=(padding, 0))')
case(
    'pad_images', ['f 2 3 3 2'], "f = lambda x: K.spatial_2d_padding(x, ((1, 1), (2, 0)), data_format='channels_last')"
)
case('shift_in_time', ['f 2 4 3'], 'f = lambda x: K.concatenate([K.zeros_like(x[:, :1]), x[:, :-1]], axis=1)')
case('resize', ['f 2 3 3 2'], "f = lambda x: K.resize_images(x, 2, 2, 'channels_last')")
case(
    'resize_by_keywords',
    ['f 2 3 3 2'],
    """
f = lambda x: K.resize_images(x, height_factor=2, width_factor=3, data_format='channels_last')
""",
)
case('repeat_pixels', ['f 2 2 2 3'], 'f = lambda x: K.repeat_elements(K.repeat_elements(x, 2, 1), 2, 2)')
case(
    'channel_shuffle',
    ['f 2 3 3 6'],
    """
def f(x, groups=3):
    height, width, channels = x.shape.as_list()[1:]
    per_group = channels // groups
    x = K.reshape(x, [-1, height, width, groups, per_group])
    x = K.permute_dimensions(x, (0, 1, 2, 4, 3))
    return K.reshape(x, [-1, height, width, channels])
""",
)
case(
    'pixel_shuffle',
    ['f 2 2 3 8'],
    """
def f(x, r=2):
    _, h, w, c = K.int_shape(x)
    oc = c // (r * r)
    out = K.reshape(x, (-1, h, w, r, r, oc))
    out = K.permute_dimensions(out, (0, 1, 3, 2, 4, 5))
    return K.reshape(out, (-1, h * r, w * r, oc))
""",
)
case('stack_of_slices', ['f 2 4 3'], 'f = lambda x: K.stack([x[:, i, :] for i in range(K.int_shape(x)[1])], axis=2)')
case(
    'split_in_groups',
    ['f 2 3 3 4'],
    """
def f(x, ratio=2):
    size = x.get_shape().as_list()[-1] // ratio
    return K.concatenate([x[:, :, :, i * size:(i + 1) * size] * (i + 1) for i in range(ratio)])
""",
)

# -- reductions and pooling ----------------------------------------------------------------------------------------
case('sum_of_steps', ['f 2 3 4'], 'f = lambda x: K.sum(x, axis=1)')
case('mean_of_steps', ['f 2 3 4'], 'f = lambda x: K.mean(x, axis=-2)')
case('global_average', ['f 2 3 3 4'], 'f = lambda x: K.mean(x, axis=[1, 2])')
case('max_of_steps', ['f 2 3 4'], 'f = lambda x: K.max(x, axis=1, keepdims=False)')
case(
    'generalised_mean',
    ['p 2 3 3 4'],
    """
def f(x, p=3.0):
    return K.pow(K.mean(K.pow(K.maximum(x, 1e-6), p), axis=(1, 2)), 1.0 / p)
""",
)
case(
    'masked_mean',
    [['f 2 3 4', 'i2 2 3']],
    """
def f(args):
    x, mask = args
    mask = K.cast(mask, 'float32')
    mask = K.expand_dims(mask, -1)
    return K.sum(x * mask, axis=1) / (K.sum(mask, axis=1) + K.epsilon())
""",
)
case('best_class', ['f 4 5'], "f = lambda x: K.cast(K.argmax(x, axis=-1), 'float32')")
case('one_hot', ['i5 2 3'], "f = lambda x: K.one_hot(K.cast(x, 'int32'), 5)")
case('one_hot_of_the_best', ['f 4 5'], 'f = lambda x: K.one_hot(K.argmax(x), num_classes=5) * x')
case(
    'gram_matrix',
    ['f 2 3 3 4'],
    """
def f(x):
    x = K.permute_dimensions(x, (0, 3, 1, 2))
    shape = K.int_shape(x)
    features = K.reshape(x, (-1, shape[1], shape[2] * shape[3]))
    return K.batch_dot(features, features, axes=(2, 2)) / float(np.prod(shape[1:]))
""",
)
case(
    'bilinear_pooling',
    [['f 2 4 3', 'f 2 4 5']],
    """
def f(inputs):
    product = K.batch_dot(inputs[0], inputs[1], axes=[1, 1])
    flat = K.batch_flatten(product)
    return K.l2_normalize(K.sign(flat) * K.sqrt(K.abs(flat) + 1e-9), axis=-1)
""",
)
case(
    'squash',
    ['f 2 3 4'],
    """
def f(x, axis=-1):
    s_squared_norm = K.sum(K.square(x), axis, keepdims=True) + K.epsilon()
    scale = K.sqrt(s_squared_norm) / (0.5 + s_squared_norm)
    return scale * x
""",
)
case('capsule_length', ['f 2 3 4'], 'f = lambda x: K.sqrt(K.sum(K.square(x), -1) + K.epsilon())')
case(
    'mask_of_the_longest',
    ['f 2 3 4'],
    """
def f(inputs):
    x = K.sqrt(K.sum(K.square(inputs), -1))
    mask = K.one_hot(indices=K.argmax(x, 1), num_classes=K.int_shape(x)[1])
    return K.batch_flatten(inputs * K.expand_dims(mask, -1))
""",
)

# -- samples -------------------------------------------------------------------------------------------------------
case(
    'sampling',
    [['f 4 2', 'f 4 2']],
    """
def f(args):
    z_mean, z_log_var = args
    epsilon = K.random_normal(shape=(K.shape(z_mean)[0], latent_dim), mean=0., stddev=epsilon_std)
    return z_mean + K.exp(z_log_var / 2) * epsilon
""",
    names={'latent_dim': 2, 'epsilon_std': 0.0},
)
case(
    'sampling_of_shapes',
    [['f 4 2', 'f 4 2']],
    """
def f(args):
    z_mean, z_log_var = args
    batch = K.shape(z_mean)[0]
    dim = K.int_shape(z_mean)[1]
    epsilon = K.random_normal(shape=(batch, dim))
    return z_mean + K.exp(0.5 * z_log_var) * epsilon
""",
    random=True,
)
case('noise', ['f 4 3'], 'f = lambda x: x + K.random_uniform(K.shape(x), 0.0, 0.5)', random=True)
case('dropout_always', ['f 4 3'], 'f = lambda x: K.dropout(x, level=0.5)', random=True)
case('no_dropout', ['f 4 3'], 'f = lambda x: K.in_train_phase(K.dropout(x, 0.5), x, training=0)')
case(
    'gumbel',
    ['f 4 3'],
    """
def f(logits, tau=0.7):
    u = K.random_uniform(K.shape(logits), 0, 1)
    y = logits - K.log(-K.log(u + 1e-20) + 1e-20)
    return K.softmax(y / tau)
""",
    random=True,
)
case(
    'weighted_average_of_images',
    [['f 2 3 3 1', 'f 2 3 3 1']],
    """
def f(inputs):
    alpha = K.random_uniform((2, 1, 1, 1), minval=0.5, maxval=0.5000001)
    return (alpha * inputs[0]) + ((1 - alpha) * inputs[1])
""",
)

# -- distances and losses ------------------------------------------------------------------------------------------
case('absolute_difference', [['f 2 3', 'f 2 3']], 'f = lambda tensors: K.abs(tensors[0] - tensors[1])')
case(
    'euclidean',
    [['f 2 3', 'f 2 3']],
    """
def f(vects):
    x, y = vects
    return K.sqrt(K.maximum(K.sum(K.square(x - y), axis=1, keepdims=True), K.epsilon()))
""",
)
case(
    'cosine',
    [['f 2 3', 'f 2 3']],
    """
def f(vests):
    x, y = vests
    x = K.l2_normalize(x, axis=-1)
    y = K.l2_normalize(y, axis=-1)
    return -K.mean(x * y, axis=-1, keepdims=True)
""",
)
case(
    'manhattan_likeness',
    [['f 2 3', 'f 2 3']],
    """
f = lambda x: K.exp(-K.sum(K.abs(x[0] - x[1]), axis=1, keepdims=True))
""",
)
case('dot_of_rows', [['f 2 3', 'f 2 3']], 'f = lambda x: K.sum(x[0] * x[1], axis=-1, keepdims=True)')
case('batch_dot', [['f 2 3 4', 'f 2 4 5']], 'f = lambda x: K.batch_dot(x[0], x[1])')
case(
    'contrastive_loss',
    [['i2 4', 'p 4']],
    """
def f(args):
    y_true, y_pred = args
    margin = 1
    square_pred = K.square(y_pred)
    margin_square = K.square(K.maximum(margin - y_pred, 0))
    y_true = K.cast(y_true, K.floatx())
    return K.mean(y_true * square_pred + (1 - y_true) * margin_square)
""",
)
case(
    'triplet_loss',
    [['f 4 3', 'f 4 3', 'f 4 3']],
    """
def f(inputs, dist='sqeuclidean', margin='maxplus'):
    anchor, positive, negative = inputs
    positive_distance = K.square(anchor - positive)
    negative_distance = K.square(anchor - negative)
    if dist == 'euclidean':
        positive_distance = K.sqrt(K.sum(positive_distance, axis=-1, keepdims=True))
        negative_distance = K.sqrt(K.sum(negative_distance, axis=-1, keepdims=True))
    elif dist == 'sqeuclidean':
        positive_distance = K.sum(positive_distance, axis=-1, keepdims=True)
        negative_distance = K.sum(negative_distance, axis=-1, keepdims=True)
    loss = positive_distance - negative_distance
    if margin == 'maxplus':
        loss = K.maximum(0.0, 1 + loss)
    elif margin == 'softplus':
        loss = K.log(1 + K.exp(loss))
    return K.mean(loss)
""",
)
case('bpr_loss', [['f 4 1', 'f 4 1']], 'f = lambda x: 1.0 - K.sigmoid(K.sum(x[0], -1, keepdims=True) - x[1])')
case(
    'ctc',
    [['i4 2 3', 'p 2 6 5', 'i1 2 1', 'i1 2 1']],
    """
def f(args):
    y_pred, labels, input_length, label_length = args[1], args[0], args[2], args[3]
    y_pred = y_pred[:, 2:, :]
    return K.ctc_batch_cost(labels, y_pred, input_length + 4, label_length + 2)
""",
)
case('cross_entropy', [['p 4 3', 'p 4 3']], 'f = lambda x: K.binary_crossentropy(x[0], x[1])')
case(
    'kl_of_a_normal',
    [['f 4 2', 'f 4 2']],
    """
def f(inputs):
    mean, log_var = inputs
    kl = - .5 * K.sum(1 + log_var - K.square(mean) - K.exp(log_var), axis=-1)
    return K.mean(kl)
""",
)
case(
    'focal_loss',
    [['i2 4', 'p 4']],
    """
def f(args, gamma=2., alpha=.25):
    y_true, y_pred = args
    y_true = K.cast(y_true, 'float32')
    pt_1 = K.switch(K.equal(y_true, 1), y_pred, K.ones_like(y_pred))
    pt_0 = K.switch(K.equal(y_true, 0), y_pred, K.zeros_like(y_pred))
    pt_1 = K.clip(pt_1, 1e-3, .999)
    pt_0 = K.clip(pt_0, 1e-3, .999)
    return -K.sum(alpha * K.pow(1. - pt_1, gamma) * K.log(pt_1)) \\
        - K.sum((1 - alpha) * K.pow(pt_0, gamma) * K.log(1. - pt_0))
""",
)
case(
    'smooth_l1',
    [['f 4 3', 'f 4 3']],
    """
def f(args):
    diff = K.abs(args[0] - args[1])
    less_than_one = K.cast(K.less(diff, 1.0), 'float32')
    return (less_than_one * 0.5 * diff ** 2) + (1 - less_than_one) * (diff - 0.5)
""",
)
case('switch', ['f 2 3'], 'f = lambda x: K.switch(K.greater(x, 0), x, 0.1 * x)')
case('binary_steps', ['f 2 3'], "f = lambda x: K.cast(x > 0, 'float32')")
case('comparisons_of_tensors', ['f 2 3'], 'f = lambda x: K.cast(K.greater_equal(x, 0.), K.floatx()) * 2. - 1.')
case('straight_through', ['f 2 3'], 'f = lambda x: x + K.stop_gradient(K.round(x) - x)')

# -- attention and sequences ---------------------------------------------------------------------------------------
case(
    'attention_weights',
    [['f 2 4 3', 'f 2 4 3']],
    """
def f(inputs):
    scores = K.batch_dot(inputs[0], inputs[1], axes=[2, 2]) / np.sqrt(3.)
    scores = scores - K.max(scores, axis=-1, keepdims=True)
    weights = K.exp(scores)
    weights /= K.sum(weights, axis=-1, keepdims=True)
    return K.batch_dot(weights, inputs[1])
""",
)
case('weighted_sum', [['f 2 4 3', 'p 2 4 1']], 'f = lambda x: K.sum(x[0] * x[1], axis=1)')
case(
    'softmax_over_steps',
    ['f 2 4 3'],
    """
def f(x, axis=1):
    e = K.exp(x - K.max(x, axis=axis, keepdims=True))
    s = K.sum(e, axis=axis, keepdims=True)
    return e / s
""",
)
case(
    'look_ahead_mask',
    ['f 2 4 4'],
    """
def f(scores):
    length = K.int_shape(scores)[-1]
    rows = K.reshape(K.arange(length), (1, length, 1))
    columns = K.reshape(K.arange(length), (1, 1, length))
    mask = K.cast(K.greater_equal(rows, columns), K.floatx())
    return K.softmax(scores * mask - 1e9 * (1 - mask))
""",
)
case(
    'heads',
    ['f 2 4 6'],
    """
def f(x, n_head=2):
    _, steps, size = K.int_shape(x)
    x = K.reshape(x, [-1, steps, n_head, size // n_head])
    x = K.permute_dimensions(x, [2, 0, 1, 3])
    return K.reshape(x, [-1, steps, size // n_head])
""",
)
case(
    'position_encoding',
    ['f 2 4 6'],
    """
def f(x):
    _, steps, size = K.int_shape(x)
    angles = np.array([[i / np.power(10000, 2 * (j // 2) / float(size)) for j in range(size)] for i in range(steps)])
    return x + K.constant(np.sin(angles), dtype='float32')
""",
)
case('autocorrelation', ['f 2 6'], 'f = lambda x: K.sum(x[:, :-1] * x[:, 1:], axis=1, keepdims=True)')
case('cumulative', ['f 2 4 3'], 'f = lambda x: K.cumsum(x, axis=1) * K.cumprod(x, axis=2)')
case(
    'gated_linear',
    ['f 2 4 6'],
    """
def f(x):
    half = K.int_shape(x)[2] // 2
    return x[:, :, :half] * K.sigmoid(x[:, :, half:])
""",
)
case(
    'factorisation_machine',
    ['f 2 4 3'],
    """
f = lambda x: 0.5 * K.sum(K.square(K.sum(x, axis=1)) - K.sum(K.square(x), axis=1), axis=1, keepdims=True)
""",
)
case(
    'dueling',
    ['f 2 5'],
    'f = lambda a: K.expand_dims(a[:, 0], -1) + a[:, 1:] - K.mean(a[:, 1:], axis=1, keepdims=True)',
)
case(
    'quantiles',
    [['f 4 1', 'f 4 1']],
    """
def f(args, q=0.9):
    e = args[0] - args[1]
    return K.mean(K.maximum(q * e, (q - 1) * e), axis=-1)
""",
)
case(
    'coordinates',
    ['f 2 3 4 2'],
    """
def f(x):
    shape = K.int_shape(x)
    rows = K.reshape(K.cast(K.arange(shape[1]), 'float32') / (shape[1] - 1) * 2 - 1, (1, shape[1], 1, 1))
    columns = K.reshape(K.cast(K.arange(shape[2]), 'float32') / (shape[2] - 1) * 2 - 1, (1, 1, shape[2], 1))
    ones = K.ones_like(x[..., :1])
    return K.concatenate([x, ones * rows, ones * columns], axis=-1)
""",
)
case(
    'yolo_boxes',
    ['f 2 2 2 14'],
    """
def f(feats, anchors=[[1.5, 2.0], [0.5, 3.0]], num_classes=2):
    num_anchors = len(anchors)
    anchors_tensor = K.reshape(K.constant(np.array(anchors)), [1, 1, 1, num_anchors, 2])
    grid_h, grid_w = K.int_shape(feats)[1:3]
    grid_y = K.tile(K.reshape(K.arange(0, stop=grid_h), [-1, 1, 1, 1]), [1, grid_w, 1, 1])
    grid_x = K.tile(K.reshape(K.arange(0, stop=grid_w), [1, -1, 1, 1]), [grid_h, 1, 1, 1])
    grid = K.concatenate([grid_x, grid_y])
    grid = K.cast(grid, K.dtype(feats))
    feats = K.reshape(feats, [-1, grid_h, grid_w, num_anchors, num_classes + 5])
    box_xy = (K.sigmoid(feats[..., :2]) + grid) / K.constant(np.array([grid_w, grid_h]), dtype='float32')
    box_wh = K.exp(feats[..., 2:4]) * anchors_tensor
    box_confidence = K.sigmoid(feats[..., 4:5])
    box_class_probs = K.sigmoid(feats[..., 5:])
    return K.concatenate([box_xy, box_wh, box_confidence * box_class_probs])
""",
)
case(
    'scores_of_boxes',
    [['p 2 3', 'p 2 3 4']],
    """
def f(args):
    confidence, probs = args
    scores = K.expand_dims(confidence, axis=-1) * probs
    classes = K.argmax(scores, axis=-1)
    best = K.max(scores, axis=-1)
    mask = best >= 0.3
    return best * K.cast(mask, 'float32') + K.cast(classes, 'float32')
""",
)

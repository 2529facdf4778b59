"""The functions of tf.keras.backend: their values on fixed numbers, eagerly."""

import inspect

import numpy as np
import tensorflow as tf
from grid_rows import positive, spread

K = tf.keras.backend
X, Y, Z = spread(3, 4), spread(3, 4, step=0.9), spread(2, 3, 4)
P, IMAGE, CUBE = positive(3, 4), spread(2, 5, 5, 3), spread(1, 3, 3, 3, 2)
ONE_HOT = np.eye(4, dtype='float32')[[2, 0, 3]]
ONE = (
    'abs cos exp log log round sign sin sqrt square relu elu softplus softsign sigmoid hard_sigmoid tanh softmax '
    'batch_flatten transpose max min sum prod mean var std argmax argmin all any cumsum cumprod logsumexp int_shape '
    'dtype shape eval get_value is_sparse is_keras_tensor is_tensor zeros_like ones_like count_params l2_normalize '
    'stop_gradient identity variable constant to_dense squeeze expand_dims is_placeholder flatten ndim'.split()
)
TWO = (
    'equal not_equal greater greater_equal less less_equal maximum minimum binary_crossentropy '
    'categorical_crossentropy'.split()
)


def calls():
    """Functions with more arguments, by the label of their row."""
    frames, kernel = spread(2, 6, 3), spread(2, 3, 2)
    window = spread(3, 3, 3, 2)
    return {
        'dot': lambda: K.dot(K.constant(X), K.constant(Y.T)),
        'dot 3': lambda: K.dot(K.constant(Z), K.constant(spread(4, 2))),
        'batch_dot': lambda: K.batch_dot(K.constant(Z), K.constant(spread(2, 4, 2))),
        'batch_dot axes': lambda: K.batch_dot(K.constant(Z), K.constant(Z), axes=(2, 2)),
        'batch_dot 1': lambda: K.batch_dot(K.constant(X), K.constant(Y), axes=1),
        'gather': lambda: K.gather(K.constant(X), [2, 0]),
        'cast': lambda: K.cast(X, 'int32'),
        'cast_to_floatx': lambda: K.cast_to_floatx(np.array([1, 2])),
        'clip': lambda: K.clip(X, -0.5, 0.5),
        'concatenate': lambda: K.concatenate([X, Y]),
        'concatenate 0': lambda: K.concatenate([X, Y], axis=0),
        'stack': lambda: K.stack([X, Y], axis=1),
        'repeat': lambda: K.repeat(K.constant(X), 2),
        'repeat_elements': lambda: K.repeat_elements(K.constant(X), 2, 1),
        'tile': lambda: K.tile(X, (2, 1)),
        'reshape': lambda: K.reshape(X, (4, -1)),
        'permute_dimensions': lambda: K.permute_dimensions(Z, (2, 0, 1)),
        'resize_images': lambda: K.resize_images(K.constant(IMAGE), 2, 3, 'channels_last'),
        'resize_images bilinear': lambda: K.resize_images(
            K.constant(IMAGE), 2, 2, 'channels_last', interpolation='bilinear'
        ),
        'resize_volumes': lambda: K.resize_volumes(K.constant(CUBE), 2, 1, 1, 'channels_last'),
        'temporal_padding': lambda: K.temporal_padding(Z),
        'spatial_2d_padding': lambda: K.spatial_2d_padding(IMAGE),
        'spatial_3d_padding': lambda: K.spatial_3d_padding(CUBE),
        'one_hot': lambda: K.one_hot([1, 0], 3),
        'reverse': lambda: K.reverse(X, 1),
        'switch': lambda: K.switch(K.constant(X) > 0, X, Y),
        'switch scalar': lambda: K.switch(K.constant(True), lambda: K.constant(X), lambda: K.constant(Y)),
        'in_train_phase': lambda: K.in_train_phase(K.constant(X), K.constant(Y), training=1),
        'in_test_phase': lambda: K.in_test_phase(K.constant(X), K.constant(Y), training=1),
        'learning_phase': lambda: K.learning_phase(),
        'in_top_k': lambda: K.in_top_k(P, [1, 2, 0], 2),
        'conv1d': lambda: K.conv1d(K.constant(frames), K.constant(kernel)),
        'conv1d causal': lambda: K.conv1d(K.constant(frames), K.constant(kernel), padding='causal'),
        'conv2d': lambda: K.conv2d(K.constant(IMAGE), K.constant(window)),
        'conv2d same': lambda: K.conv2d(K.constant(IMAGE), K.constant(window), strides=(2, 2), padding='same'),
        'conv2d first': lambda: K.conv2d(
            K.constant(spread(2, 3, 5, 5)), K.constant(window), data_format='channels_first'
        ),
        'conv2d_transpose': lambda: K.conv2d_transpose(K.constant(IMAGE), K.constant(spread(3, 3, 2, 3)), (2, 7, 7, 2)),
        'depthwise_conv2d': lambda: K.depthwise_conv2d(K.constant(IMAGE), K.constant(spread(3, 3, 3, 1))),
        'separable_conv2d': lambda: K.separable_conv2d(
            K.constant(IMAGE), K.constant(spread(3, 3, 3, 1)), K.constant(spread(1, 1, 3, 2))
        ),
        'conv3d': lambda: K.conv3d(K.constant(CUBE), K.constant(spread(2, 2, 2, 2, 1))),
        'pool2d': lambda: K.pool2d(K.constant(IMAGE), (2, 2)),
        'pool2d avg': lambda: K.pool2d(K.constant(IMAGE), (2, 2), pool_mode='avg'),
        'pool3d': lambda: K.pool3d(K.constant(CUBE), (2, 2, 2)),
        'bias_add': lambda: K.bias_add(K.constant(X), K.constant(spread(4))),
        'sparse_categorical_crossentropy': lambda: K.sparse_categorical_crossentropy(
            K.constant([2, 0, 3]), K.constant(P)
        ),
        'categorical_crossentropy logits': lambda: K.categorical_crossentropy(
            K.constant(ONE_HOT), K.constant(X), from_logits=True
        ),
        'binary_crossentropy logits': lambda: K.binary_crossentropy(
            K.constant(ONE_HOT), K.constant(X), from_logits=True
        ),
        'rnn': lambda: K.rnn(lambda x, states: (x + states[0], [x + states[0]]), K.constant(Z), [K.zeros((2, 4))]),
        'rnn mask': lambda: K.rnn(
            lambda x, states: (x + states[0], [x + states[0]]),
            K.constant(Z),
            [K.zeros((2, 4))],
            mask=K.constant([[1, 0, 1], [1, 1, 0]], dtype='bool'),
        ),
        'rnn backwards': lambda: K.rnn(
            lambda x, states: (x + states[0], [x + states[0]]),
            K.constant(Z),
            [K.zeros((2, 4))],
            go_backwards=True,
            unroll=True,
        ),
        'map_fn': lambda: K.map_fn(lambda x: x * 2, K.constant(X)),
        'foldl': lambda: K.foldl(lambda a, x: a + x, K.constant(X)),
        'foldr': lambda: K.foldr(lambda a, x: a - x, K.constant(X)),
        'arange': lambda: K.arange(5),
        'eye': lambda: K.eye(3),
        'zeros': lambda: K.zeros((2, 2)),
        'ones': lambda: K.ones((2, 2)),
        'pow': lambda: K.pow(K.constant(X), 3),
        'sum axis': lambda: K.sum(X, axis=1, keepdims=True),
        'mean of bools': lambda: K.mean(K.constant(X) > 0),
        'mean axes': lambda: K.mean(Z, axis=[1, 2]),
        'max axis': lambda: K.max(X, axis=-1),
        'argmax axis': lambda: K.argmax(X, axis=0),
        'relu options': lambda: K.relu(X, alpha=0.1, max_value=0.5, threshold=0.1),
        'l2_normalize axis': lambda: K.l2_normalize(X, axis=1),
        'dropout': lambda: list(K.dropout(K.constant(X), 0.5).shape),
        'batch_normalization': lambda: K.batch_normalization(
            K.constant(X), K.zeros(4), K.ones(4), K.zeros(4), K.ones(4)
        ),
        'normalize_batch_in_training': lambda: K.normalize_batch_in_training(K.constant(X), K.ones(4), K.zeros(4), [0]),
        'random_normal': lambda: K.random_normal((2, 3)).shape,
        'random_uniform': lambda: K.random_uniform((2, 3)).shape,
        'random_binomial': lambda: K.random_binomial((2, 3), p=0.5).shape,
        'random_bernoulli': lambda: K.random_bernoulli((2, 3)).shape,
        'truncated_normal': lambda: K.truncated_normal((2, 3)).shape,
        'ctc_batch_cost': lambda: K.ctc_batch_cost(
            K.constant([[1, 2]]), K.constant(positive(1, 5, 4)), K.constant([[5]]), K.constant([[2]])
        ),
        'ctc_decode': lambda: K.ctc_decode(K.constant(positive(2, 5, 4)), K.constant([5, 4]))[0],
        'ctc_decode beams': lambda: K.ctc_decode(
            K.constant(positive(2, 5, 4)), K.constant([5, 4]), greedy=False, beam_width=3, top_paths=2
        ),
        'ctc_label_dense_to_sparse': lambda: K.ctc_label_dense_to_sparse(
            K.constant([[1, 2], [3, 0]], dtype='int32'), K.constant([2, 1], dtype='int32')
        ),
        'local_conv1d': lambda: K.local_conv1d(K.constant(frames), K.constant(spread(5, 6, 2)), (2,), (1,)),
        'local_conv2d': lambda: K.local_conv2d(K.constant(IMAGE), K.constant(spread(9, 27, 2)), (3, 3), (1, 1), (3, 3)),
        'update': lambda: after(K.update, 2.0),
        'update_add': lambda: after(K.update_add, 2.0),
        'update_sub': lambda: after(K.update_sub, 2.0),
        'moving_average_update': lambda: after(K.moving_average_update, 2.0, 0.5),
        'set_value': lambda: after(K.set_value, 2.0),
        'batch_get_value': lambda: K.batch_get_value([K.variable(X), K.variable(Y)]),
        'batch_set_value': batch_set,
        'function': lambda: function(),
        'gradients': lambda: K.gradients(K.variable(X), [K.variable(X)]),
        'placeholder': lambda: [K.placeholder((None, 3)).shape, K.placeholder(ndim=2).dtype],
        'floatx': K.floatx,
        'epsilon': K.epsilon,
        'image_data_format': K.image_data_format,
        'get_uid': lambda: [K.get_uid('grid'), K.get_uid('grid')],
        'set_floatx': lambda: settings('floatx', 'float64'),
        'set_epsilon': lambda: settings('epsilon', 1e-3),
        'set_image_data_format': lambda: settings('image_data_format', 'channels_first'),
        'backend': K.backend,
        'print_tensor': lambda: K.print_tensor(K.constant(X), 'x'),
        'name_scope': lambda: type(K.name_scope('a')).__name__,
        'learning_phase_scope': lambda: K.learning_phase_scope(1),
        'set_learning_phase': lambda: phase(),
        'manual_variable_initialization': lambda: K.manual_variable_initialization(False),
        'reset_uids': K.reset_uids,
        'clear_session': K.clear_session,
        'get_session': lambda: type(tf.compat.v1.keras.backend.get_session()).__name__,
        'variable of ints': lambda: K.variable([1, 2], dtype='int32', name='mine'),
        'sparse': lambda: K.is_sparse(tf.sparse.eye(2)),
    }


def after(function, *arguments):
    """What a variable is after a call."""
    variable = K.variable(1.0)
    returned = function(variable, *arguments)
    return [K.get_value(variable), type(returned).__name__ == 'NoneType']


def batch_set():
    """Two variables with new values."""
    pair = [K.variable(1.0), K.variable(2.0)]
    K.batch_set_value(list(zip(pair, [3.0, 4.0])))
    return pair


def function():
    """K.function of a model's tensors."""
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, kernel_initializer='ones', input_shape=(4,)), tf.keras.layers.ReLU()]
    )
    return [
        K.function([model.input], [layer.output for layer in model.layers])([X]),
        K.function(model.input, model.output)(X),
    ]


def settings(name, value):
    """A setting, changed and set back."""
    before = getattr(K, name)()
    getattr(K, 'set_' + name)(value)
    try:
        return [before, getattr(K, name)(), tf.keras.layers.Dense(2).dtype, str(K.variable(1.0).dtype)]
    finally:
        getattr(K, 'set_' + name)(before)


def phase():
    """The learning phase, set and read."""
    K.set_learning_phase(1)
    try:
        return [K.learning_phase(), list(tf.keras.layers.Dropout(0.5)(tf.ones((2, 3))).shape)]
    finally:
        K.set_learning_phase(0)


def kept(function, *arguments):
    """A result; a shape as numbers."""
    result = function(*arguments)
    return str(result) if inspect.isclass(result) else result


def rows(rows, record):
    """Writes the rows of K."""
    for name in sorted(set(ONE)):
        argument = {'log': P, 'sqrt': P, 'all': X > 0, 'any': X > 0, 'squeeze': X[:, :1]}.get(name, X)
        for kind in ('tensor', 'array'):
            given = K.variable(argument) if name in ('eval', 'get_value', 'count_params') else tf.constant(argument)
            more = (1,) if name == 'squeeze' else ()
            rows.add(
                f'{name} of {kind}',
                lambda name=name, given=given if kind == 'tensor' else argument, more=more: kept(
                    getattr(K, name), given, *more
                ),
            )
    for name in TWO:
        first, second = (ONE_HOT, P) if 'entropy' in name else (X, Y)
        rows.add(
            name,
            lambda name=name, first=first, second=second: getattr(K, name)(tf.constant(first), tf.constant(second)),
        )
    for name, function in calls().items():
        rows.add(name, lambda function=function: kept(function))

"""`tf.layers`: values, names of variables, collections."""

import tensorflow as tf


def _names(collection='variables'):
    return [variable.name for variable in tf.get_collection(collection)]


def _kinds():
    return [f'{each.name} {each.shape.as_list()} {each.dtype.name} {each.trainable}' for each in tf.global_variables()]


def _moving(bench, inputs, outputs, feed):
    """The outputs, and the variables after one step of updates."""
    updates = tf.get_collection('update_ops')
    values = bench.run(outputs, feed)
    bench.run(updates, feed)
    moving = [variable for variable in tf.global_variables() if 'moving' in variable.name]
    return {'outputs': values, 'moving': bench.run(moving), 'updates': len(updates), 'names': _kinds()}


def scopes_and_reuse(bench):
    """Where variables are, by the name, the scope and reuse."""
    x, dense, found = bench.placeholder(3), tf.layers.dense, {}
    outputs = [
        dense(x, 2),
        dense(x, 2),
        dense(x, 2, name='a'),
        dense(x, 2, name='a', reuse=True),
        dense(x, 2, reuse=True),
    ]
    try:
        dense(x, 2, name='a')
    except ValueError as error:
        found['error'] = str(error).split(',')[0]
    with tf.variable_scope('s'):
        outputs += [dense(x, 2), dense(x, 2, use_bias=False)]
    with tf.variable_scope('s', reuse=True):
        outputs += [dense(x, 2), dense(x, 2, use_bias=False)]
    for _ in range(2):
        with tf.variable_scope('t', reuse=tf.AUTO_REUSE):
            outputs += [dense(x, 2, name='q'), tf.layers.conv1d(x[:, tf.newaxis], 2, 1, name='r')]
    first, second = tf.layers.Dense(2, name='a'), tf.layers.Dense(2)
    outputs += [first(x), first(x), second(x), second.apply(x)]
    found['objects'] = [first.name, first.kernel.name, second.kernel.name, second.bias.name, second.scope_name]
    found['counts'] = [second.count_params(), len(second.trainable_variables), len(second.weights), second.built]
    bench.fill()
    values = bench.run(outputs, {x: bench.array(1, 3)})
    return dict(found, names=_kinds(), trainable=_names('trainable_variables'), values=values)


def losses_of_regularizers(bench):
    """Regularizers of layers, of scopes and of activities."""
    x = bench.placeholder(3)
    l2 = tf.contrib.layers.l2_regularizer(0.1)
    with tf.variable_scope('s', regularizer=l2, initializer=tf.constant_initializer(2.0)):
        tf.layers.dense(x, 2)
    y = tf.layers.dense(
        x,
        2,
        kernel_regularizer=tf.contrib.layers.l1_regularizer(0.5),
        name='d',
        activity_regularizer=lambda value: tf.reduce_sum(tf.square(value)),
    )
    y += tf.layers.dense(x, 2, kernel_regularizer=l2, name='d', reuse=True)
    layer = tf.layers.Conv1D(2, 1, kernel_regularizer=l2, bias_regularizer=l2)
    layer(x[:, tf.newaxis])
    none = tf.layers.Dense(2, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.0))
    none(x)
    session = bench.session
    session.run(tf.global_variables_initializer())
    starts = session.run(tf.global_variables()[:2])
    bench.fill()
    feed = {x: bench.array(4, 3)}
    losses = tf.get_collection('regularization_losses')
    return {
        'starts': starts,
        'losses': bench.run(losses, feed),
        'of layers': [len(layer.losses), len(none.losses)],
        'sum': bench.run(tf.losses.get_regularization_loss(), feed),
        'names': _names(),
    }


def dense_of_many_axes(bench):
    """A product over the last of four axes, with an activation and a constraint."""
    x = bench.placeholder(2, 4, 3)
    y = tf.layers.dense(
        x,
        5,
        activation=tf.nn.relu,
        kernel_initializer=tf.ones_initializer(),
        bias_initializer=tf.constant_initializer(0.5),
    )
    bench.session.run(tf.global_variables_initializer())
    return {'y': bench.run(y, {x: bench.array(1, 2, 4, 3)}), 'shape': y.shape.as_list(), 'name': y.name}


def convolutions(bench):
    """Convolutions with each padding, step, distance and order of axes."""
    image, volume, line = bench.placeholder(5, 6, 2), bench.placeholder(3, 4, 3, 2), bench.placeholder(6, 2)
    layers = tf.layers
    outputs = [
        layers.conv2d(image, 3, 3),
        layers.conv2d(image, 3, (2, 3), strides=2, padding='same', activation=tf.nn.relu),
        layers.conv2d(image, 3, 2, dilation_rate=2, use_bias=False),
        layers.conv2d(image, 2, 1, strides=(2, 1), name='c'),
        layers.conv3d(volume, 2, 2),
        layers.conv3d(volume, 2, 2, padding='SAME', strides=2),
        layers.conv1d(line, 3, 2),
        layers.conv1d(line, 3, 3, strides=2, padding='same'),
        layers.conv1d(line, 3, 2, dilation_rate=2),
        layers.conv2d_transpose(image, 3, 3, strides=2),
        layers.conv2d_transpose(image, 3, 3, strides=2, padding='same'),
        layers.conv2d_transpose(image, 2, (2, 3), strides=(3, 1), use_bias=False),
        layers.separable_conv2d(image, 3, 3),
        layers.separable_conv2d(image, 3, 2, strides=2, padding='same', depth_multiplier=2, activation=tf.tanh),
    ]
    bench.fill()
    feed = {image: bench.array(1, 5, 6, 2), volume: bench.array(1, 3, 4, 3, 2), line: bench.array(1, 6, 2)}
    return {
        'values': bench.run([tf.reduce_sum(each, -1) for each in outputs], feed),
        'names': _kinds(),
        'shapes': [each.shape.as_list() for each in outputs],
        'tensors': [each.name for each in outputs[:2]],
    }


def pools(bench):
    """The largest values and means of windows."""
    image, line, volume = bench.placeholder(5, 6, 2), bench.placeholder(5, 2), bench.placeholder(3, 4, 3, 1)
    layers = tf.layers
    outputs = [
        layers.max_pooling2d(image, 2, 2),
        layers.max_pooling2d(image, (2, 3), (2, 1), padding='same'),
        layers.average_pooling2d(image, 2, 2, 'same', name='p'),
        layers.average_pooling2d(image, [3, 2], 1),
        layers.max_pooling1d(line, 2, 2),
        layers.average_pooling1d(line, 2, 1, padding='same'),
        layers.max_pooling3d(volume, 2, 2),
        layers.average_pooling3d(volume, 2, 1),
    ]
    feed = {image: bench.array(1, 5, 6, 2), line: bench.array(1, 5, 2), volume: bench.array(1, 3, 4, 3, 1)}
    return {
        'values': bench.run(outputs, feed),
        'shapes': [each.shape.as_list() for each in outputs],
        'tensors': [each.name for each in outputs[:4]],
    }


def dropouts_and_flat(bench):
    """Dropout by a number and by a tensor, and flat tensors."""
    x, training = bench.placeholder(400), tf.placeholder_with_default(False, ())
    image, unknown = bench.placeholder(2, 3, 4), tf.placeholder(tf.float32, (2, None, 3))
    dropped = tf.layers.dropout(x, 0.25, training=True)
    chosen = tf.layers.dropout(x, training=training)
    values, kept = bench.run([dropped, chosen], {x: bench.array(1, 400) ** 2 + 1, training: True})
    flat = [tf.layers.flatten(image), tf.layers.flatten(unknown), tf.layers.Flatten()(image)]
    return {
        'as it is': bench.run([tf.layers.dropout(x), chosen], {x: bench.array(1, 400)}),
        'share': [round(float((values == 0).mean()), 1), round(float((kept == 0).mean()), 1)],
        'scale': [
            float((values / (bench.array(1, 400) ** 2 + 1)).max()),
            float((kept / (bench.array(1, 400) ** 2 + 1)).max()),
        ],
        'shapes': [each.shape.as_list() for each in flat],
        'flat': bench.run(flat, {image: bench.array(2, 2, 3, 4), unknown: bench.array(2, 5, 3)}),
    }


def batch_norm_of_images(bench):
    """Four axes: fused, with the variance of a sample in the moving average."""
    x = bench.placeholder(2, 3, 2)
    y = tf.layers.batch_normalization(x, training=True, momentum=0.9)
    bench.fill()
    return _moving(bench, x, y, {x: bench.array(3, 2, 3, 2)})


def batch_norm_of_rows(bench):
    """Two axes: not fused."""
    x = bench.placeholder(4)
    y = tf.layers.batch_normalization(x, training=True, epsilon=0.1)
    bench.fill()
    return _moving(bench, x, y, {x: bench.array(5, 4)})


def batch_norm_of_the_first_channels(bench):
    """Three axes, the channels before space."""
    x = bench.placeholder(4, 3)
    y = tf.layers.batch_normalization(x, axis=1, training=True, scale=False)
    bench.fill()
    return _moving(bench, x, y, {x: bench.array(2, 4, 3)})


def batch_norm_by_a_tensor(bench):
    """Training is a placeholder: on, then off."""
    x, training = bench.placeholder(2, 3, 2), tf.placeholder(tf.bool, ())
    y = tf.layers.batch_normalization(x, training=training)
    z = tf.layers.batch_normalization(y, training=training, fused=False, name='plain')
    bench.fill()
    feed = {x: bench.array(3, 2, 3, 2)}
    on = _moving(bench, x, [y, z], {**feed, training: True})
    off = _moving(bench, x, [y, z], {**feed, training: False})
    gradient = tf.gradients(tf.reduce_sum(tf.square(z)), [x] + tf.trainable_variables())
    return {'on': on, 'off': off, 'gradient': bench.run(gradient, {**feed, training: True})}


def batch_norm_at_rest(bench):
    """No training: no updates, and reused."""
    x = bench.placeholder(2, 3, 2)
    y = [tf.layers.batch_normalization(x, name='b'), tf.layers.batch_normalization(x, name='b', reuse=True)]
    layer = tf.layers.BatchNormalization(center=False)
    y += [layer(x[:, 0, 0]), layer(x[:, 1, 1], training=True)]
    bench.fill()
    return dict(_moving(bench, x, y, {x: bench.array(3, 2, 3, 2)}), objects=[len(layer.updates), len(layer.variables)])


def training_of_layers(bench):
    """Two steps of a small network, with updates before each step."""
    x, y = bench.placeholder(4, 4, 1), bench.placeholder(2)
    net = tf.layers.conv2d(x, 3, 2, activation=tf.nn.relu)
    net = tf.layers.batch_normalization(net, training=True)
    net = tf.layers.dense(tf.layers.flatten(tf.layers.max_pooling2d(net, 2, 1)), 2)
    loss = tf.losses.mean_squared_error(y, net)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    bench.fill()
    feed = {x: bench.array(3, 4, 4, 1), y: bench.array(3, 2)}
    losses = [bench.run([loss, step], feed)[0] for _ in range(3)]
    return {'losses': losses, 'weights': bench.run(tf.global_variables())}


def a_layer_of_ones_own(bench):
    """A class with `build`, `add_variable` and `call`."""

    class Scaled(tf.layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_variable('scale', [input_shape[-1].value], initializer=tf.ones_initializer())
            self.shift = self.add_weight('shift', [1], trainable=False)
            super().build(input_shape)

        def call(self, inputs, twice=False):
            return inputs * self.scale * (2 if twice else 1) + self.shift

    x = bench.placeholder(3)
    layer = Scaled(name='own')
    y = [layer(x), layer(x, twice=True)]
    bench.fill()
    return {
        'values': bench.run(y, {x: bench.array(1, 3)}),
        'names': _kinds(),
        'built': layer.built,
        'trainable': [each.name for each in layer.trainable_weights + layer.non_trainable_weights],
    }

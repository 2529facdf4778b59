"""`tf.contrib.layers`, `tf.contrib.framework` and `tf.contrib.slim`: values, names of variables, collections."""

import numpy as np
import tensorflow as tf
from cases_layers import _kinds, _moving, _names

layers = tf.contrib.layers


def _spread(bench, initializer, shape, dtype=tf.float32):
    """The deviation and the largest value of random numbers, to two digits: those of two versions differ."""
    values = bench.run(initializer(shape, dtype=dtype))
    return [float(f'{values.std():.2g}'), float(f'{np.abs(values).max():.1g}'), values.dtype.name]


def initial_values(bench):
    """How wide random numbers are."""
    scaling = layers.variance_scaling_initializer
    return {
        'xavier': _spread(bench, layers.xavier_initializer(), (150, 400)),
        'normal': _spread(bench, layers.xavier_initializer(uniform=False), (150, 400), tf.float64),
        'conv': _spread(bench, layers.xavier_initializer_conv2d(), (3, 3, 20, 400)),
        'he': _spread(bench, scaling(), (3, 3, 20, 400)),
        'out': _spread(bench, scaling(2.0, 'FAN_OUT', True), (3, 3, 400, 20)),
        'row': _spread(bench, scaling(mode='FAN_AVG'), (60000,)),
    }


def losses(bench):
    """Regularizers."""
    weights = tf.constant(bench.array(3, 2))
    both = layers.l1_l2_regularizer(0.5, 0.25)
    names = [each(weights).name for each in (layers.l1_regularizer(0.5), layers.l2_regularizer(0.5), both)]
    total = layers.apply_regularization(layers.l2_regularizer(0.1), [weights, weights])
    return {
        'l1': layers.l1_regularizer(0.5)(weights),
        'l2': layers.l2_regularizer(0.5)(weights),
        'both': both(weights),
        'sum': layers.sum_regularizer([layers.l1_regularizer(0.5), None, layers.l2_regularizer(1.0)])(weights),
        'total': total,
        'collected': tf.get_collection('regularization_losses'),
        'names': names,
        'none': [
            layers.l2_regularizer(0.0)(weights),
            layers.sum_regularizer([]),
            layers.l1_l2_regularizer(0.0, 0.0)(weights),
        ],
        'nothing': layers.apply_regularization(layers.l2_regularizer(0.0), [weights]),
    }


def fully_connected_layers(bench):
    """Names, collections, normalizers and reuse."""
    x = bench.placeholder(3)
    l2 = layers.l2_regularizer(0.1)
    y = layers.fully_connected(x, 4, weights_regularizer=l2, biases_regularizer=l2, variables_collections=['mine'])
    y = layers.fully_connected(
        y,
        3,
        activation_fn=None,
        normalizer_fn=layers.batch_norm,
        normalizer_params={'is_training': False, 'scale': True},
        outputs_collections='out',
    )
    y = layers.fully_connected(
        y, 2, tf.tanh, scope='last', biases_initializer=None, variables_collections={'weights': ['w'], 'biases': ['b']}
    )
    z = layers.fully_connected(y[:, tf.newaxis], 2, reuse=False, scope='cube')
    z = [z, layers.fully_connected(y, 2, reuse=True, scope='cube'), layers.linear(y, 2), layers.relu(y, 2)]
    bench.fill()
    feed = {x: bench.array(2, 3)}
    return {
        'values': bench.run([y] + z, feed),
        'names': _kinds(),
        'model': _names('model_variables'),
        'mine': _names('mine') + _names('w') + _names('b'),
        'outputs': len(tf.get_collection('out')),
        'losses': bench.run(tf.get_collection('regularization_losses')),
    }


def convolution_layers(bench):
    """Convolutions, and several of one kind."""
    x, line = bench.placeholder(5, 6, 2), bench.placeholder(6, 2)
    y = [
        layers.conv2d(x, 3, 3),
        layers.conv2d(x, 3, [2, 3], 2, 'VALID', scope='c'),
        layers.convolution2d(x, 2, 2, rate=2),
        layers.conv2d(x, 3, 3, activation_fn=None, normalizer_fn=layers.batch_norm, scope='n'),
        layers.conv2d_transpose(x, 3, 3, 2),
        layers.conv2d_transpose(x, 2, 3, 2, 'VALID', activation_fn=tf.tanh),
        layers.separable_conv2d(x, 3, 3),
        layers.separable_conv2d(x, 3, 3, 2, 2, activation_fn=None, scope='sep'),
        layers.conv1d(line, 3, 2),
        layers.convolution(line, 2, 3, stride=2),
        layers.repeat(x, 2, layers.conv2d, 3, 2),
        layers.repeat(x, 2, layers.conv2d, 3, 2, scope='r'),
        layers.stack(x, layers.conv2d, [[3, 2], [2, 1]], scope='st'),
        layers.stack(x[:, 0, 0], layers.fully_connected, [3, 2]),
    ]
    bench.fill()
    values = bench.run(
        [tf.reduce_sum(each, -1) for each in y], {x: bench.array(1, 5, 6, 2), line: bench.array(1, 6, 2)}
    )
    return {
        'values': values,
        'names': _kinds(),
        'model': _names('model_variables'),
        'shapes': [each.shape.as_list() for each in y],
    }


def plain_tensors(bench):
    """Pools, dropout, flat tensors, rows for labels, sparse tensors."""
    x, training = bench.placeholder(5, 6, 2), tf.placeholder_with_default(False, ())
    flat = tf.reshape(x, (-1, 60))
    labels = tf.constant([[1, 0, 2], [0, 0, 3]])
    y = [
        layers.max_pool2d(x, 2),
        layers.max_pool2d(x, [3, 2], 1, 'SAME'),
        layers.avg_pool2d(x, 2),
        layers.avg_pool2d(x, 3, stride=[1, 2], padding='SAME', scope='p'),
        layers.flatten(x),
        layers.dropout(flat, is_training=False),
        layers.dropout(flat, 0.5, is_training=training),
        layers.unit_norm(x, 1),
        layers.softmax(flat),
        layers.bias_add(x),
        layers.bias_add(flat, tf.nn.relu, scope='b'),
    ]
    y += [tf.cast(layers.dropout(flat, 1.0), tf.float32)]
    sparse, other = layers.dense_to_sparse(labels), layers.dense_to_sparse(labels, eos_token=2)
    hot = layers.one_hot_encoding(labels, 4)
    bench.fill()
    return {
        'values': bench.run(y, {x: bench.array(1, 5, 6, 2)}),
        'names': _kinds(),
        'sparse': sparse,
        'other': other,
        'hot': hot,
        'off': layers.one_hot_encoding(labels[0], 3, 2.0, -1.0),
        'shape': other.shape.as_list(),
    }


def norms_of_contrib(bench):
    """Layers that normalize each example, or each channel of it."""
    x, image = bench.placeholder(2, 3), bench.placeholder(3, 4, 2)
    y = [
        layers.layer_norm(x),
        layers.layer_norm(x, begin_norm_axis=2, scale=False),
        layers.layer_norm(x, begin_params_axis=1),
        layers.layer_norm(image, activation_fn=tf.tanh, scope='ln'),
        layers.instance_norm(image),
        layers.instance_norm(image, center=False, epsilon=0.1, scope='in'),
        layers.instance_norm(image, data_format='NCHW', activation_fn=tf.nn.relu, scope='first'),
    ]
    bench.fill()
    return {
        'values': bench.run(y, {x: bench.array(2, 2, 3), image: bench.array(2, 3, 4, 2)}),
        'names': _kinds(),
        'model': _names('model_variables'),
    }


def batch_norm_defaults(bench):
    """Four axes, in training."""
    x = bench.placeholder(2, 3, 2)
    y = layers.batch_norm(x)
    bench.fill()
    return _moving(bench, x, y, {x: bench.array(3, 2, 3, 2)})


def batch_norm_rows(bench):
    """Two axes, which are fused, and three, which are not."""
    x = bench.placeholder(3, 4)
    y = [
        layers.batch_norm(x[:, 0], 0.9, scale=True),
        layers.batch_norm(x, 0.9),
        layers.batch_norm(x[:, 0], fused=False),
    ]
    bench.fill()
    return _moving(bench, x, y, {x: bench.array(5, 3, 4)})


def batch_norm_in_place(bench):
    """Updates that are part of the outputs."""
    x, training = bench.placeholder(2, 3, 2), tf.placeholder(tf.bool, ())
    y = layers.batch_norm(
        x,
        0.5,
        updates_collections=None,
        is_training=training,
        activation_fn=tf.nn.relu,
        param_initializers={'beta': tf.ones_initializer()},
    )
    z = layers.batch_norm(x, updates_collections='mine', scope='z', reuse=tf.AUTO_REUSE)
    bench.fill()
    feed = {x: bench.array(3, 2, 3, 2)}
    values = [bench.run(y, {**feed, training: on}) for on in (True, False, True)]
    return dict(_moving(bench, x, z, feed), values=values, mine=len(tf.get_collection('mine')))


def embedded_sequences(bench):
    """Rows of a matrix."""
    ids = tf.constant([[1, 3, 0], [2, 2, 1]])
    y = layers.embed_sequence(ids, 4, 3)
    z = layers.embed_sequence(ids, 4, 3, scope='e', unique=True)
    again = layers.embed_sequence(ids, scope='e', reuse=True)
    bench.fill()
    return {'y': y, 'z': z, 'again': again, 'names': _kinds()}


def scopes_of_arguments(bench):
    """Default arguments, nested, taken again, and functions of one's own."""
    slim, framework = tf.contrib.slim, tf.contrib.framework

    @framework.add_arg_scope
    def own(value, factor=1):
        return value * factor

    x = bench.placeholder(5, 6, 2)
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected], activation_fn=None, weights_regularizer=slim.l2_regularizer(0.1)
    ):
        with slim.arg_scope([slim.conv2d], padding='VALID', stride=2) as scope:
            y = slim.conv2d(x, 3, 3)
        z = slim.conv2d(x, 3, 3)
    with framework.arg_scope(scope):
        again = layers.convolution2d(x, 3, 3, stride=1)
    with framework.arg_scope([own], factor=5):
        numbers = [own(1), own(1, factor=2)]
    bench.fill()
    values = bench.run([tf.reduce_sum(each, -1) for each in (y, z, again)], {x: bench.array(1, 5, 6, 2)})
    return {
        'values': values,
        'numbers': numbers + [own(1)],
        'has': [framework.has_arg_scope(own), framework.has_arg_scope(len)],
        'losses': len(tf.get_collection('regularization_losses')),
        'names': _kinds(),
    }


def variables_by_name(bench):
    """Variables of scopes, by their names."""
    framework = tf.contrib.framework
    x = bench.placeholder(3)
    with tf.variable_scope('a') as scope:
        layers.fully_connected(x, 2)
        tf.layers.dense(x, 2)
    with tf.variable_scope('ab'):
        framework.model_variable('weights', [2], regularizer=layers.l2_regularizer(0.1))
        framework.variable('other', [2], trainable=False)
    weights = tf.get_variable('weights', [1])
    name = lambda variables: [each.name for each in variables]  # noqa: E731
    return {
        'scope': name(framework.get_variables(scope)),
        'prefix': name(framework.get_variables('a')),
        'suffix': name(framework.get_variables(suffix='weights')),
        'both': name(framework.get_variables('a/', 'bias')),
        'named': name(framework.get_variables_by_name('weights')),
        'named in': name(framework.get_variables_by_name('weights', 'ab')),
        'trained': name(framework.get_trainable_variables('ab')),
        'model': name(framework.get_model_variables()),
        'restored': name(framework.get_variables_to_restore(['a'], ['ab/w'])),
        'rest': name(framework.get_variables_to_restore(exclude=['a/f', 'w'])),
        'one': framework.get_unique_variable('weights') is weights,
        'step': tf.contrib.framework.get_or_create_global_step().name,
        'nest': framework.nest.flatten([1, (2, {'a': 3})]),
        'sorted': framework.sort(tf.constant([3, 1, 2])),
        'order': framework.argsort(tf.constant([3.0, 1.0, 2.0]), direction='DESCENDING'),
    }


def steps_of_optimizers(bench):
    """Weight decay, and `optimize_loss`."""
    x = bench.placeholder(3)
    y = tf.reduce_sum(tf.square(tf.layers.dense(x, 2)))
    w = tf.get_variable('w', [3])
    # The gradients do not depend on the weights, so they do not depend on when TensorFlow 1.15 reads these.
    rows = tf.reduce_sum(tf.gather(w, [0, 2]) * [1.0, -2.0])
    line = tf.reduce_sum(tf.layers.dense(x, 2, name='dense', reuse=True) * [[1.0, -3.0]])
    step = tf.train.get_or_create_global_step()
    adam = tf.contrib.opt.AdamWOptimizer(0.01, 0.1).minimize(line + rows)
    kernel = tf.trainable_variables()[:1]
    other = tf.contrib.opt.AdamWOptimizer(0.1, 0.1, name='Other')
    ignored = other.minimize(line, decay_var_list=kernel)
    some = other.apply_gradients(other.compute_gradients(line), decay_var_list=kernel)
    momentum = tf.contrib.opt.MomentumWOptimizer(0.01, 0.1, 0.9).minimize(line)
    extended = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
    plain = extended(weight_decay=0.05, learning_rate=0.1).minimize(line)
    clipped = layers.optimize_loss(y, step, 0.1, 'SGD', clip_gradients=0.5)
    decayed = layers.optimize_loss(
        y,
        None,
        0.5,
        tf.train.GradientDescentOptimizer,
        name='D',
        learning_rate_decay_fn=lambda rate, at: tf.train.exponential_decay(rate, at, 1, 0.5),
        gradient_multipliers={'dense/kernel:0': 0.5},
        variables=tf.trainable_variables()[:1],
    )
    feed, found = {x: bench.array(2, 3)}, {'names': _kinds()}
    trained = tf.trainable_variables()
    for name, each in [
        ('adam', adam),
        ('ignored', ignored),
        ('some', some),
        ('momentum', momentum),
        ('plain', plain),
        ('clipped', clipped),
        ('decayed', decayed),
    ]:
        bench.session.run(tf.global_variables_initializer())
        for number, variable in enumerate(trained):
            variable.load(np.random.RandomState(number).uniform(-1, 1, variable.shape.as_list()), bench.session)
        results = [bench.run(each, feed) for _ in range(2)]
        found[name] = [bench.run(trained), bench.run(step), results if name in ('clipped', 'decayed') else None]
    return found

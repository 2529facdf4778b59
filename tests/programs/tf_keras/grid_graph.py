"""tf.keras inside tf.function, with tapes, with datasets, under a strategy of one device, without eager execution."""

import numpy as np
import tensorflow as tf
from grid_rows import safely, set_numbers, spread

X, Y = spread(4, 3), spread(4, 1, step=0.9)


def model(units=1):
    """A small model."""
    made = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, activation='tanh', input_shape=(3,)), tf.keras.layers.Dense(units)]
    )
    return set_numbers(made)


def loop(optimizer, decorate=tf.function, **options):
    """A loop of training as the guides write it."""
    made = model()
    optimizer = tf.keras.optimizers.get(optimizer)
    loss_of, mean = tf.keras.losses.MeanSquaredError(), tf.keras.metrics.Mean(name='loss')

    @decorate
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, made(x, training=True))
        gradients = tape.gradient(loss, made.trainable_variables)
        optimizer.apply_gradients(zip(gradients, made.trainable_variables))
        mean.update_state(loss)
        return loss

    losses = [step(tf.constant(X), tf.constant(Y)) for _ in range(3)]
    return {'losses': losses, 'mean': mean.result(), 'weights': made.get_weights()}


def strategy(name):
    """fit under a strategy."""
    made = {
        'one device': lambda: tf.distribute.OneDeviceStrategy('/cpu:0'),
        'mirrored': lambda: tf.distribute.MirroredStrategy(['/cpu:0']),
        'default': tf.distribute.get_strategy,
    }[name]()
    with made.scope():
        inner = model()
        inner.compile(tf.keras.optimizers.Adam(0.1), 'mse', metrics=['mae'])
    history = inner.fit(X, Y, batch_size=2, epochs=2, shuffle=False, verbose=0)
    return {
        'history': history.history,
        'replicas': made.num_replicas_in_sync,
        'weights': inner.get_weights(),
        'evaluate': inner.evaluate(X, Y, verbose=0),
        'predict': inner.predict(X, verbose=0),
    }


def reductions_in_strategy():
    """A loss of reduction auto inside a step of a strategy."""
    made = tf.distribute.OneDeviceStrategy('/cpu:0')

    def step():
        return tf.keras.losses.MeanSquaredError()(Y, X[:, :1])

    return {
        'auto': safely(lambda: made.run(step)),
        'none': made.run(lambda: tf.keras.losses.MeanSquaredError(reduction='none')(Y, X[:, :1])),
        'average': tf.nn.compute_average_loss(tf.constant([1.0, 2.0]), global_batch_size=4),
    }


def functions():
    """Models and layers inside tf.function."""
    inner = model()
    called = tf.function(lambda x: inner(x))
    signed = tf.function(lambda x: inner(x), input_signature=[tf.TensorSpec([None, 3])])
    concrete = called.get_concrete_function(tf.TensorSpec([None, 3]))

    @tf.function
    def branches(x, training):
        if training:
            return inner(x) * 2.0
        return inner(x)

    @tf.function
    def counts(n):
        total = 0.0
        for _ in tf.range(n):
            total += tf.reduce_sum(inner(tf.constant(X)))
        return total

    return {
        'called': called(tf.constant(X)),
        'signed': signed(tf.constant(X)),
        'concrete': concrete(tf.constant(X)),
        'branches': branches(tf.constant(X), tf.constant(True)),
        'counts': counts(3),
        'shape': list(concrete.outputs[0].shape),
    }


def tapes():
    """Gradients of second order, Jacobians, watched inputs, stopped gradients."""
    inner, x = model(), tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_sum(inner(x) ** 2)
        first = tape.gradient(value, x)
    second = outer.gradient(first, x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        value = inner(x)
    return {
        'first': first,
        'second': second,
        'jacobian': tape.batch_jacobian(value, x),
        'weights': tape.gradient(value, inner.trainable_variables),
        'unused': tape.gradient(value, tf.Variable(1.0)) is None,
    }


def phases():
    """training= from fit, predict, calls and the learning phase."""
    seen = []

    class Tells(tf.keras.layers.Layer):
        def call(self, inputs, training=None):
            seen.append(training if training is None or isinstance(training, (bool, int)) else 'tensor')
            return inputs

    inner = tf.keras.Sequential([Tells(input_shape=(3,)), tf.keras.layers.Dense(1)])
    inner.compile('sgd', 'mse', run_eagerly=True)
    result, calls = (
        {},
        {
            'built': lambda: None,
            'fit': lambda: inner.fit(X, Y, verbose=0),
            'evaluate': lambda: inner.evaluate(X, Y, verbose=0),
            'predict': lambda: inner.predict(X, verbose=0),
            'call': lambda: inner(X),
            'call True': lambda: inner(X, training=True),
            'batch': lambda: inner.train_on_batch(X, Y),
            'symbolic': lambda: inner(tf.keras.Input((3,))),
        },
    )
    for name, call in calls.items():
        call()
        result[name], seen[:] = list(seen), []
    return result


def without_eager():
    """Graphs of TensorFlow 1 beside: sessions, placeholders, K.gradients."""
    with tf.Graph().as_default():
        inner = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(2, kernel_initializer='ones', input_shape=(3,)),
                tf.keras.layers.Dense(1, kernel_initializer='ones'),
            ]
        )
        gradient = tf.keras.backend.gradients(tf.reduce_sum(inner.output), [inner.input])
        function = tf.keras.backend.function([inner.input], gradient)
        result = {'gradients': safely(function, [X]), 'predict': safely(lambda: inner.predict(X))}
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            result['session'] = safely(lambda: session.run(tf.reduce_sum(tf.constant(X))))
        return result


def of_policy():
    """Mixed precision."""
    tf.keras.mixed_precision.set_global_policy('mixed_float16')
    try:
        layer = tf.keras.layers.Dense(2, kernel_initializer='ones')
        outputs = layer(tf.constant(X))
        return {
            'dtype': outputs.dtype.name,
            'kernel': layer.kernel.dtype.name,
            'policy': tf.keras.mixed_precision.global_policy().name,
            'compute': layer.compute_dtype,
            'variable': layer.variable_dtype,
            'values': outputs,
            'layer': type(layer.dtype_policy).__name__,
        }
    finally:
        tf.keras.mixed_precision.set_global_policy('float32')


def data_sets():
    """Datasets as fit, evaluate and predict take them."""
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
    inner = model()
    inner.compile('sgd', 'mse')
    return {
        'fit': inner.fit(data.repeat(), steps_per_epoch=3, epochs=2, verbose=0).history,
        'short': safely(lambda: inner.fit(data, steps_per_epoch=3, verbose=0).history),
        'evaluate': inner.evaluate(data, verbose=0),
        'predict': inner.predict(data, verbose=0),
        'validation': inner.fit(data, validation_data=data, validation_steps=1, verbose=0).history,
        'y too': safely(lambda: inner.fit(data, Y)),
        'batch_size too': safely(lambda: inner.fit(data, batch_size=2)),
        'weights': inner.get_weights(),
    }


def rows(rows, record):
    """Writes the rows of graphs."""
    for name in ('sgd', 'adam', 'rmsprop'):
        rows.each(f'loop {name}', loop, name)
    rows.each('loop eager', loop, 'adam', lambda function: function)
    for name in ('one device', 'mirrored', 'default'):
        rows.each(f'strategy {name}', strategy, name)
    for function in (reductions_in_strategy, functions, tapes, phases, without_eager, of_policy, data_sets):
        rows.each(function.__name__, function)
    rows.add('numpy functions of a model', lambda: np.sum(model()(X)))
    rows.add('optimizer after fit', lambda: sorted(vars(tf.keras.optimizers.SGD(0.1)))[:1] != [])

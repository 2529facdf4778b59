"""What a seeded program draws: weights, noise, dropout, images; and stops, batches, names, which versions changed."""

import numpy as np
import tensorflow as tf
from grid_small import seed_all

X = np.linspace(-1, 1, 24).reshape(8, 3).astype('float32')
Y = np.linspace(0, 1, 8).reshape(8, 1).astype('float32')
NAMED = (
    'random_normal random_uniform truncated_normal variance_scaling orthogonal he_normal lecun_uniform glorot_normal'
).split()
SEEDED = {
    'GlorotUniform': {},
    'Orthogonal': {},
    'RandomNormal': {},
    'TruncatedNormal': {},
    'RandomUniform': {'minval': 0, 'maxval': 9},
}
NOISES = {
    'Dropout': {'rate': 0.5},
    'Dropout seeded': {'rate': 0.5, 'seed': 5},
    'GaussianNoise': {'stddev': 0.5},
    'GaussianDropout': {'rate': 0.5},
    'AlphaDropout': {'rate': 0.5},
}
OF_SEQUENCES = {
    'SpatialDropout1D': {'rate': 0.5},
    'GRU': {'units': 2, 'dropout': 0.5},
    'LSTM': {'units': 2, 'dropout': 0.5, 'recurrent_dropout': 0.5},
}
STOPS = (
    {},
    {'patience': 1},
    {'patience': 2},
    {'baseline': 3.0},
    {'baseline': 3.0, 'patience': 1},
    {'baseline': 4.3, 'patience': 2},
    {'min_delta': 0.3},
    {'min_delta': 2.0, 'patience': 1},
    {'restore_best_weights': True},
    {'restore_best_weights': True, 'patience': 2},
    {'mode': 'max'},
    {'mode': 'max', 'patience': 1},
)
CLASSES = 'CNN1D LSTM2 MyLayer HTTPLayer GRU2D Conv2DBlock _Private A1B2C3 Resnet50V2Block BERT4Rec x'.split()
MOVES = {'theta': 30.0, 'tx': 1.5, 'ty': -1.0, 'shear': 12.0, 'zx': 0.7, 'zy': 1.4}


def twice(function):
    """Two results of a function after a seed."""
    seed_all(4)
    return [function(), function()]


def initializers():
    """Weights without a seed of their own, and with one."""
    result = {}
    for name in NAMED:
        result[name] = lambda name=name: twice(lambda: tf.keras.initializers.get(name)((3, 2)))
    result['one for two'] = lambda: again(tf.keras.initializers.GlorotUniform())
    for name, options in SEEDED.items():
        kind = getattr(tf.keras.initializers, name)
        dtype = 'int32' if 'maxval' in options else 'float32'
        result[f'{name} seeded'] = lambda kind=kind, options=options, dtype=dtype: again(kind(seed=3, **options), dtype)
        result[f'{name} anew'] = lambda kind=kind, options=options: twice(lambda: kind(seed=3, **options)((2, 2)))
    return result


def again(initializer, dtype='float32'):
    """One initializer that is called twice."""
    return twice(lambda: initializer((3, 2), dtype=dtype))


def trained(layers):
    """The losses of a model with some layers in the middle."""
    seed_all(9)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(3,)), *layers(), tf.keras.layers.Dense(1)])
    model.compile('sgd', 'mse')
    return model.fit(X, Y, batch_size=3, epochs=2, verbose=0).history['loss']


def layers():
    """What layers draw: called, and in training."""
    result = {'fit': lambda: trained(list)}
    for name, options in NOISES.items():
        kind = getattr(tf.keras.layers, name.split(' ')[0])
        result[name] = lambda kind=kind, options=options: called(kind(**options), np.ones((2, 6), 'float32'))
        result[f'{name} fit'] = lambda kind=kind, options=options: trained(lambda: [kind(**options)])
    for name, options in OF_SEQUENCES.items():
        kind = getattr(tf.keras.layers, name)
        result[name] = lambda kind=kind, options=options: called(kind(**options), np.ones((2, 4, 3), 'float32'))
    return result


def called(layer, x):
    """A layer in training, twice."""
    return twice(lambda: layer(x, training=True))


def images():
    """Images that are moved, by chance and by hand."""
    made, image = tf.keras.preprocessing.image, np.arange(60.0).reshape(4, 5, 3)
    options = dict(width_shift_range=0.4, height_shift_range=0.1, rotation_range=30, shear_range=10, zoom_range=0.3)
    result = {
        'generator': lambda: made.ImageDataGenerator(**options).random_transform(image, seed=2),
        'channels first': lambda: made.ImageDataGenerator(data_format='channels_first', **options).random_transform(
            image.transpose(2, 0, 1), seed=2
        ),
        'flow': lambda: next(made.ImageDataGenerator(**options).flow(image[None], seed=3))[0],
        'still': lambda: made.apply_affine_transform(image) is image,
        'all': lambda: made.apply_affine_transform(image, fill_mode='constant', cval=3.0, order=3, **MOVES),
    }
    for name, value in MOVES.items():
        result[f'move {name}'] = lambda move={name: value}: made.apply_affine_transform(image, **move)
        result[f'apply {name}'] = lambda move={name: value}: made.ImageDataGenerator().apply_transform(image, move)
    for name, given in {'shift': (0.4, 0.1), 'zoom': ((0.5, 1.5),), 'shear': (20,), 'rotation': (40,)}.items():
        result[f'random {name}'] = lambda name=name, given=given: moved(getattr(made, f'random_{name}'), image, given)
    return result


def moved(function, image, given):
    """An image that is moved by chance, with the axes given."""
    seed_all(1)
    return function(image, *given, row_axis=0, col_axis=1, channel_axis=2)


def stopped(options):
    """When EarlyStopping ends the training, over losses that are given."""
    losses = iter([5.0, 4.0, 4.5, 4.2, 3.9, 3.95, 3.99, 4.0, 4.1])

    class Losses(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            logs['given'] = next(losses)

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(tf.keras.optimizers.SGD(0.1), 'mse')
    callback = tf.keras.callbacks.EarlyStopping(monitor='given', **options)
    epochs = model.fit(X, Y, epochs=8, verbose=0, callbacks=[Losses(), callback]).epoch
    return [epochs, callback.stopped_epoch, callback.wait, callback.best, model.get_weights()[0]]


def batches(metrics):
    """Results of single batches between others."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(tf.keras.optimizers.SGD(0.1), 'mse', metrics=metrics)
    result = [model.train_on_batch(X, Y), model.train_on_batch(X, Y, reset_metrics=False)]
    result += [model.test_on_batch(X, Y), model.evaluate(X, Y + 1, verbose=0), model.train_on_batch(X, Y)]
    result += [model.test_on_batch(X, Y, None, False), model.train_on_batch(X, Y, None, None, False)]
    return [*result, model.evaluate(X, Y, verbose=0), model.fit(X, Y, verbose=0).history, model.test_on_batch(X, Y)]


def names():
    """Names of layers by those of their classes."""
    result = {name: type(name, (tf.keras.layers.Layer,), {})().name for name in CLASSES}
    return dict(result, model=type('GAN2Model', (tf.keras.Model,), {})().name)


def methods():
    """Methods of layers that went away."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_regularizer='l2', input_shape=(3,))])
    return [len(model.get_losses_for(None)), model.get_updates_for(None), model.apply(X[:1]).shape.as_list()]


def schedule():
    """A schedule that was an experiment."""
    rate = tf.keras.experimental.LinearCosineDecay(0.1, 10, 0.7, 0.1)
    return [rate(step) for step in (0, 3, 12)]


def rows(rows, record):
    """Writes the rows of draws."""
    for topic, functions in (('initializer', initializers()), ('layer', layers()), ('images', images())):
        for name, function in functions.items():
            rows.add(f'{topic} {name}', function)
    for options in STOPS:
        rows.add(f'EarlyStopping({options})', stopped, options)
    rows.add('batches', batches, None)
    rows.add('batches mae', batches, ['mae'])
    rows.add('names', names)
    rows.add('methods', methods)
    for axis in (0, 1, -1):
        rows.add(f'softmax {axis}', lambda axis=axis: tf.keras.activations.softmax(tf.constant(Y[:4] + X[:4]), axis))
    rows.add('schedule', schedule)

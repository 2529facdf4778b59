"""Models of Keras 2: one call builds a model, compiles it, trains it on three batches and predicts three batches.

The works `layers_...` train a model that is there already on one batch. With keras_backend they run under
`keras_backend.keras2`, and on TensorFlow 1 and CNTK as they are.
"""

import numpy as np

from . import data, in_k

BATCH, BATCHES, STEPS, FEATURES, CLASSES = 8, 3, 8, 4, 3
SHAPES = {'dense': (16,), 'conv': (12, 12, 1)}


def library(who):
    if who in ('original_cntk', 'original_theano'):
        words = in_k.library(who)[1]
        import keras

        return keras, words
    if who != 'original':
        import keras_backend.keras2
    import keras

    where = 'TensorFlow 1'
    if who == 'original':
        import tensorflow

        if not tensorflow.__version__.startswith('1.'):
            raise ImportError(f'it needs TensorFlow 1, and this is TensorFlow {tensorflow.__version__}')
    else:
        where = keras_backend.__path__[0]
    if not keras.__version__.startswith('2.'):
        raise ImportError(f'it needs Keras 2, and this is Keras {keras.__version__}')
    return keras, f'Keras {keras.__version__} on {where}'


def work(name, who):
    if data.layers(name):
        return trained(library(who)[0], name[len('layers_') :])
    keras, kind = library(who)[0], name.split('_', 1)[1]
    random, samples = np.random.RandomState(0), BATCH * BATCHES
    x = random.uniform(-1, 1, (samples,) + SHAPES.get(kind, (STEPS, FEATURES)))
    y = np.eye(CLASSES)[random.randint(0, CLASSES, samples)]

    def one_more():
        model = keras.models.Sequential(stack(keras.layers, kind))
        model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
        history = model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0, shuffle=False)
        scores = model.predict(x, batch_size=BATCH)
        if not (np.isfinite(history.history['loss']).all() and scores.shape == y.shape):
            raise ArithmeticError(f'The model {kind} gave {history.history} and scores of shape {scores.shape}.')

    return one_more


def stack(layers, kind):
    if kind == 'dense':
        return [
            layers.Dense(32, activation='relu', input_shape=SHAPES[kind]),
            layers.Dropout(0.5),
            layers.Dense(32, activation='relu'),
            layers.Dense(CLASSES, activation='softmax'),
        ]
    if kind == 'conv':
        return [
            layers.Conv2D(8, 3, activation='relu', input_shape=SHAPES[kind]),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(CLASSES, activation='softmax'),
        ]
    options = {
        'lstm_dropout': {'dropout': 0.2, 'recurrent_dropout': 0.2, 'input_shape': (STEPS, FEATURES)},
        'lstm_stateful': {'stateful': True, 'batch_input_shape': (BATCH, STEPS, FEATURES)},
        'lstm_unrolled': {'unroll': True, 'input_shape': (STEPS, FEATURES)},
    }
    return [layers.LSTM(16, **options[kind]), layers.Dense(CLASSES, activation='softmax')]


def trained(keras, kind):
    """A step of gradient descent of one layer, from the weights of the work in K."""
    layers, size = keras.layers, data.sizes_of(kind)
    if kind == 'embedding':
        name, size = 'embedding_50k', data.EMBEDDING
        stack = [layers.Embedding(data.rows_of(name), size['width'], input_length=size['length'])]
        weights = data.start(name)
    elif kind == 'gru':
        name, shape = kind, (size['steps'], size['inputs'])
        stack = [layers.Masking(input_shape=shape), layers.GRU(size['units'], recurrent_activation='sigmoid')]
        weights = [*data.start(name)[:2], data.zeros(3 * size['units'])]
    else:
        name, shape = kind, (size['steps'], size['inputs'])
        stack = [layers.LSTM(size['units'], recurrent_activation='sigmoid', unroll=kind != 'lstm', input_shape=shape)]
        weights = data.start(name)
    model = keras.models.Sequential(stack)
    model.compile(keras.optimizers.SGD(data.RATE), 'mse')
    model.set_weights(weights)
    x, target = data.values(name)
    return lambda: model.train_on_batch(x, target)

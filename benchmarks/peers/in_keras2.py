"""Models of Keras 2: one call builds a model, compiles it, trains it on three batches and predicts three batches.

With keras_backend they run under `keras_backend.keras2`, and on TensorFlow 1 as they are.
"""

import numpy as np

BATCH, BATCHES, STEPS, FEATURES, CLASSES = 8, 3, 8, 4, 3
SHAPES = {'dense': (16,), 'conv': (12, 12, 1)}


def library(who):
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

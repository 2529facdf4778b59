"""Makes the files of this folder, on the original: Keras 2 on TensorFlow 1.15, Python 3.7, no keras_backend in use.

    python make.py                                 with Keras 2.3.1
    PYTHONPATH=FOLDER_OF_2.2.4 python make.py      with Keras 2.2.4
    python make.py tell                            with Keras 2.3.1, when both are done

model_2.x.y.h5 are models after some steps of training. cudnn_2.x.y.h5 has layers for NVIDIA's library, which can be
built and saved without a GPU. expected.json has what the original says to the inputs that `inputs` makes: predictions
of all models, and the losses of three more steps for model_2.x.y. Those of model_2.2.4 are by 2.3.1, which reads files
of 2.2.4: steps of 2.2.4 itself are not the same from run to run. What CuDNN layers predict is told by their plain
counterparts, which read their weights.
"""
import json
import os
import sys

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
STEPS = 3


def inputs(name):
    """The inputs and targets for a model."""
    rng = np.random.RandomState(5)
    if name.startswith('cudnn'):
        return rng.normal(size=(6, 5, 3)).astype('float32'), rng.normal(size=(6, 2)).astype('float32')
    return rng.uniform(size=(12, 4, 8, 8, 1)).astype('float32'), np.arange(12) % 3


def build(version):
    from keras import layers, models, optimizers, regularizers
    model = models.Sequential()
    model.add(layers.TimeDistributed(layers.Conv2D(4, (3, 3), padding='same', activation='relu'),
                                     input_shape=(4, 8, 8, 1)))
    model.add(layers.TimeDistributed(layers.BatchNormalization(momentum=0.9)))
    model.add(layers.TimeDistributed(layers.MaxPooling2D((4, 4))))
    model.add(layers.TimeDistributed(layers.Flatten()))
    if version == '2.2.4':
        model.add(layers.GRU(5, reset_after=True, return_sequences=True, recurrent_regularizer=regularizers.l2(1e-3)))
        model.add(layers.Bidirectional(layers.SimpleRNN(3), merge_mode='concat'))
        optimizer = optimizers.RMSprop(lr=0.01, decay=0.01)
    else:
        model.add(layers.LSTM(5, unit_forget_bias=True, kernel_constraint='max_norm'))
        optimizer = optimizers.SGD(lr=0.1, momentum=0.9, nesterov=True)
    model.add(layers.Dense(3, activation='softmax', kernel_regularizer=regularizers.l1_l2(1e-4, 1e-3)))
    model.compile(optimizer, 'sparse_categorical_crossentropy', metrics=['accuracy'])
    return model


def build_cudnn(plain):
    """Layers for CuDNN, or their plain counterparts with the same weights."""
    from keras import layers, models
    options = {'recurrent_activation': 'sigmoid'} if plain else {}
    LSTM, GRU = (layers.LSTM, layers.GRU) if plain else (layers.CuDNNLSTM, layers.CuDNNGRU)
    gru_options = dict(options, reset_after=True) if plain else {}
    inputs = layers.Input((5, 3))
    x = layers.Bidirectional(LSTM(4, return_sequences=True, **options), name='both')(inputs)
    x, last, _ = LSTM(4, return_sequences=True, return_state=True, name='lstm', **options)(x)
    x = GRU(3, name='gru', **gru_options)(x)
    return models.Model(inputs, layers.Dense(2, name='out')(layers.concatenate([x, last])))


def without_gpu():
    """A session that only asks for the kernels of what it runs: CudnnRNN has none here."""
    import tensorflow as tf
    from keras.backend import tensorflow_backend
    options = tf.GraphOptions(place_pruned_graph=True)
    tensorflow_backend.set_session(tf.Session(config=tf.ConfigProto(graph_options=options)))


def fill(model):
    rng = np.random.RandomState(1)
    model.set_weights([rng.uniform(0.2, 0.8, w.shape) if w.ndim == 1 else rng.normal(0, 0.4, w.shape)
                       for w in model.get_weights()])


def told(path, x, y):
    """What a saved model predicts, and the losses of its next steps."""
    from keras.models import load_model
    model = load_model(path)
    predicted = model.predict(x)
    return {'predicted': predicted.tolist(),
            'losses': [float(model.train_on_batch(x, y)[0]) for _ in range(STEPS)]}


def main():
    import keras
    version = keras.__version__
    without_gpu()
    path = os.path.join(FOLDER, 'expected.json')
    expected = {}
    if os.path.exists(path):
        with open(path) as stream:
            expected = json.load(stream)
    if sys.argv[1:] != ['tell']:
        name = 'model_' + version
        model = build(version)
        fill(model)
        x, y = inputs(name)
        for _ in range(5):
            model.train_on_batch(x, y)
        model.save(os.path.join(FOLDER, name + '.h5'))
        expected[name] = {'saved': model.predict(x).tolist()}
        name = 'cudnn_' + version
        model = build_cudnn(plain=False)
        fill(model)
        model.compile('sgd', 'mse')
        model.save(os.path.join(FOLDER, name + '.h5'))
        plain = build_cudnn(plain=True)
        plain.load_weights(os.path.join(FOLDER, name + '.h5'))
        expected[name] = {'predicted': plain.predict(inputs(name)[0]).tolist()}
    else:
        for name in sorted(expected):
            if name.startswith('model'):
                expected[name].update(told(os.path.join(FOLDER, name + '.h5'), *inputs(name)))
                np.testing.assert_allclose(expected[name]['saved'], expected[name]['predicted'], atol=1e-6)
    with open(path, 'w') as stream:
        json.dump(expected, stream, indent=1, sort_keys=True)


if __name__ == '__main__':
    main()

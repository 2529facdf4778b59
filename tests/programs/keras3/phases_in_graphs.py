"""Phases that a functional model names: Monte Carlo dropout with training=True, a base with training=False that is tuned,
the same layer with and without a phase, copies of such models and their files."""
# slow: yes
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers
from tensorflow.keras.models import Model, Sequential, clone_model, load_model

x = np.ones((4, 3), 'float32')


class Phase(layers.Layer):
    """1 in training, 2 otherwise."""

    def call(self, inputs, training=None):
        return inputs * 0 + (1. if training else 2.)


class Default(layers.Layer):
    def call(self, inputs, other=None, training=True):
        return inputs * 0 + (1. if training else 2.)


class Wanted(layers.Layer):
    def call(self, inputs, training):
        return inputs * 0 + (1. if training else 2.)


class Silent(layers.Layer):
    """Its call takes no phase: the one that the program names is lost."""

    def __init__(self, **options):
        super().__init__(**options)
        self.phase = Phase()

    def call(self, inputs):
        return self.phase(inputs)


class Options(Silent):
    def call(self, inputs, **options):
        return self.phase(inputs, **options)


class Book(Model):
    def __init__(self):
        super().__init__()
        self.phase = Phase()

    def call(self, inputs, training=False):
        return self.phase(inputs, training=training)


def graph(layer, *phases):
    start = tensor = keras.Input((3,))
    for phase in phases or (None,):
        tensor = layer(tensor) if phase is None else layer(tensor, training=phase)
    return Model(start, tensor)


def first(y_true, y_pred):
    return K.mean(y_pred, axis=-1)


def numbers(model):
    model.compile('sgd', first)
    return [
        float(model.fit(x, x, verbose=0).history['loss'][0]), float(model.test_on_batch(x, x)),
        float(model.predict_on_batch(x).mean()), float(model(x, training=True).numpy().mean()),
        float(model(x, training=False).numpy().mean())]


KINDS = {
    'layer': Phase, 'wanted': Wanted, 'default': Default, 'silent': Silent, 'options': Options, 'book': Book,
    'model': lambda: graph(Phase()), 'model in training': lambda: graph(Phase(), True),
    'model of models': lambda: graph(graph(Phase()), False), 'sequential': lambda: Sequential([Phase()])}
results = {name: [numbers(graph(make(), phase)) for phase in (False, True)] for name, make in KINDS.items()}

# Nobody names the phase.
results['nothing said'] = [numbers(graph(make())) for make in (Phase, Wanted, Silent)]
for phase in (True, False):
    i = keras.Input((3,), name='rows')
    results[f'two inputs, {phase}'] = numbers(Model(i, Default()(i, other=i, training=phase)))
    layer = Phase()
    summed = layers.add([layer(i), 10 * layer(i, training=phase), 100 * layer(i, training=int(not phase))])
    results[f'calls of one layer, {phase}'] = numbers(Model(i, summed))
    model = graph(Phase(), phase)
    again = Model(model.layers[0].input, model.get_layer(index=1).get_input_at(0) + model.layers[-1].output)
    results[f'from the input, {phase}'] = numbers(again) + [again.input_names == [model.layers[0].name], model.layers[0].input_shape]
    results[f'copied, {phase}'] = numbers(clone_model(model))
    model.save('model.h5')
    results[f'loaded, {phase}'] = numbers(load_model('model.h5', custom_objects={'Phase': Phase}, compile=False))
    inner = Phase()(i, training=phase)
    f = K.function([i], [inner, Phase()(inner)])
    results[f'function, {phase}'] = [float(np.mean(value)) for value in f([x])]

    # Monte Carlo dropout.
    model = Model(i, layers.Dropout(.5)(i, training=phase))
    model.compile('sgd', lambda y_true, y_pred: K.mean(K.cast(K.equal(y_pred, 0.), 'float32')))
    many = np.ones((200, 3), 'float32')
    zeros = [
        model.fit(many, many, verbose=0).history['loss'][0], model.evaluate(many, many, verbose=0),
        np.mean(model.predict(many, verbose=0) == 0), np.mean(model(many).numpy() == 0)]
    results[f'dropout, {phase}'] = [bool(share > .1) for share in zeros]

    # Averages of a batch normalization that is trained, or is not.
    rows = np.cos(np.arange(24.)).reshape(8, 3)
    base = graph(layers.BatchNormalization(momentum=.5))
    model = graph(base, phase)
    model.compile(keras.optimizers.SGD(.1), 'mse')
    predicted = model.predict(rows, verbose=0)
    history = model.fit(rows, rows ** 2, batch_size=4, epochs=2, shuffle=False, verbose=0).history['loss']
    results[f'averages, {phase}'] = [predicted.tolist(), [w.tolist() for w in base.get_weights()], [float(v) for v in history]]
print('RESULT ' + json.dumps(results))

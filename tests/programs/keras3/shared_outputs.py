"""Outputs of one layer that is called several times: names, losses, metrics, targets and weights of each."""
# slow: yes
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Dense, Input, Layer
from tensorflow.keras.models import Model

x = np.ones((4, 2), 'float32')
weights = np.arange(4.)


class Halves(Layer):
    def call(self, inputs):
        return inputs[:, :1], 2 * inputs[:, 1:]


def dense(name):
    return Dense(1, name=name, kernel_initializer='ones')


def targets(count):
    return [np.full((4, 1), -float(k), 'float32') for k in range(count)]


def repeated(count):
    inputs, layer = Input((2,)), dense('d')
    return Model(inputs, [layer((k + 1) * inputs) for k in range(count)])


def same_twice():
    inputs = Input((2,))
    output = dense('d')(inputs)
    return Model(inputs, [output, output])


def with_names(*names):
    inputs, layers = Input((2,)), {name: dense(name) for name in names}
    return Model(inputs, [layers[name]((k + 1) * inputs) for k, name in enumerate(names)])


def nested(calls):
    inputs, outer = Input((2,)), Input((2,))
    inner = Model(inputs, [dense('p')(inputs), dense('q')(2 * inputs)], name='inner')
    return Model(outer, [output for k in range(calls) for output in inner((k + 1) * outer)])


def halves():
    inputs = Input((2,))
    return Model(inputs, Halves(name='h')(inputs))


class Derived(Model):
    def __init__(self, layer):
        inputs = Input((2,))
        super().__init__(inputs=inputs, outputs=[layer(inputs), layer(2 * inputs)])


def compiled(model, loss='mse', **options):
    model.compile(keras.optimizers.SGD(0.), loss, **options)
    return model


def places(names):
    return {name: place for place, name in enumerate(names)}


def numbers(model, y, sample_weight=None):
    history = model.fit(x, y, validation_data=(x, y), sample_weight=sample_weight, verbose=0).history
    results = model.evaluate(x, y, sample_weight=sample_weight, verbose=0)
    batch = model.train_on_batch(x, y, sample_weight=sample_weight)
    return {'outputs': places(model.output_names), 'names': places(model.metrics_names), 'evaluate': results,
            'history': {name: float(values[0]) for name, values in history.items()},
            'train_on_batch': [float(value) for value in batch],
            'test_on_batch': [float(value) for value in model.test_on_batch(x, y, sample_weight=sample_weight)]}


two = targets(2)
results = {
    'two': numbers(compiled(repeated(2)), two),
    'three': numbers(compiled(repeated(3), metrics=['mae']), targets(3)),
    'losses by names': numbers(compiled(repeated(2), {'d': 'mse', 'd_1': 'mae'}), two),
    'weights of losses by names': numbers(compiled(repeated(2), loss_weights={'d': 1., 'd_1': 10.}), two),
    'metrics by names': numbers(compiled(repeated(2), metrics={'d': 'mae', 'd_1': 'mae'}), two),
    'all by names': numbers(compiled(repeated(2)), {'d': two[0], 'd_1': two[1]}, {'d': weights, 'd_1': np.ones(4)}),
    'same twice': numbers(compiled(same_twice(), metrics=['mae']), two),
    'name of another': numbers(compiled(with_names('d', 'd', 'd_1')), targets(3)),
    'another before': numbers(compiled(with_names('d_1', 'd', 'd')), targets(3)),
    'in turns': numbers(compiled(with_names('d', 'e', 'd', 'e')), targets(4)),
    'nested': numbers(compiled(nested(1)), two),
    'nested twice': numbers(compiled(nested(2)), targets(4)),
    'halves': numbers(compiled(halves(), metrics=['mae']), two),
    'derived': numbers(compiled(Derived(dense('d'))), two),
}
copies = [Model.from_config(repeated(2).get_config()), keras.models.clone_model(repeated(2))]
results['copies'] = [places(model.output_names) for model in copies]
print('RESULT ' + json.dumps(results))

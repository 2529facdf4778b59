"""Metrics by add_metric as of 2020: in the call of layers, of a model that is a class, of tensors of a graph before and after
compile, in training alone, of a metric of the layer itself; the layers of a file; batches that add up."""
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, Layer

x = np.arange(24).reshape(8, 3).astype('float32') / 10
y = x.sum(1, keepdims=True) + np.cos(np.arange(8.))[:, None].astype('float32')


class Norms(Layer):
    def call(self, inputs, training=None):
        self.add_metric(K.mean(inputs), name='mean', aggregation='mean')
        self.add_metric(K.square(inputs), 'squares')
        if training:
            self.add_metric(K.sum(inputs), name='of_training', aggregation='mean')
        return inputs


class Own(Layer):
    def __init__(self, **kwargs):
        super(Own, self).__init__(**kwargs)
        self.error = keras.metrics.MeanSquaredError(name='own')

    def call(self, inputs):
        self.add_metric(self.error(inputs, inputs * 2))
        return inputs


class InModel(keras.Model):
    def __init__(self):
        super(InModel, self).__init__()
        self.dense = Dense(1, kernel_initializer='ones')

    def call(self, inputs):
        outputs = self.dense(inputs)
        self.add_metric(K.mean(outputs), name='outputs', aggregation='mean')
        return outputs


def dense(units=1, name=None):
    return Dense(units, kernel_initializer='ones', name=name)


def trained(model, names, compiled=False, count=1):
    if not compiled:
        model.compile(keras.optimizers.SGD(learning_rate=.01), 'mse', metrics=['mae'])
    history = model.fit(x, y, batch_size=3, epochs=2, shuffle=False, verbose=0, validation_data=(x[:5], y[:5])).history
    evaluated = model.evaluate(x, y, batch_size=3, verbose=0)
    assert len(evaluated) == 2 + count * len(names), evaluated
    batches = [model.train_on_batch(x[:4], y[:4]), model.test_on_batch(x[4:], y[4:])]
    batches += [model.train_on_batch(x[i:i + 2], y[i:i + 2], reset_metrics=i < 3) for i in range(4)]
    batches += [model.test_on_batch(x[i:i + 2], y[i:i + 2], reset_metrics=not i) for i in range(3)]
    return [[history[side + name] for side in ('', 'val_') for name in ['loss', 'mae'] + names],
            evaluated, np.array(batches).tolist()]


results = {}
for number, (names, layers) in enumerate([(['mean', 'squares', 'of_training'], 1), (['own'], 0)]):
    results[str(names)] = trained(keras.Sequential([Input((3,)), [Own, Norms][layers](), dense()]), names)

inputs, shared = Input((3,)), Norms()
results['shared'] = trained(keras.Model(inputs, dense()(shared(shared(inputs) * .5))), ['mean', 'squares', 'of_training'])
inputs = Input((3,))
results['two'] = trained(keras.Model(inputs, dense()(Norms()(Norms()(inputs) * .5))), ['mean', 'squares', 'of_training'],
                         count=2)
results['class'] = trained(InModel(), ['outputs'])

inputs = Input((3,))
hidden = dense(2)(inputs)
model = keras.Model(inputs, dense(name='scores')(hidden))
model.add_metric(K.sum(hidden), name='sum', aggregation='mean')
model.compile(keras.optimizers.SGD(learning_rate=.01), 'mse', metrics=['mae'])
model.add_metric(hidden, name='hidden', aggregation='mean')
assert model.output_names == ['scores']
results['graph'] = trained(model, ['sum', 'hidden'], compiled=True)

model = keras.Sequential([Input((3,)), Norms(), dense()])
model.compile('adam', 'mse', metrics=['mae'])
model.fit(x, y, epochs=3, verbose=0)
model.save('model.h5')
opened = keras.models.load_model('model.h5', custom_objects={'Norms': Norms})
assert len(opened.get_weights()) == 2
history = model.fit(x, y, epochs=2, verbose=0, shuffle=False).history
again = opened.fit(x, y, epochs=2, verbose=0, shuffle=False).history
for name in ('loss', 'mean', 'squares', 'of_training'):
    np.testing.assert_allclose(again[name], history[name], rtol=1e-5)
results['file'] = [again[name] for name in ('loss', 'mean', 'squares', 'of_training')]

try:
    class Nameless(Layer):
        def call(self, inputs):
            self.add_metric(K.sum(inputs))
            return inputs
    Nameless()(Input((3,)))
except ValueError as error:
    assert 'name' in str(error)
else:
    raise AssertionError('a metric without a name')
print('RESULT ' + json.dumps(results))

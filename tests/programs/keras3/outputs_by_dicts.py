"""Several inputs and outputs with dicts: losses, weights, metrics, targets, class weights of samples by names, a model that
returns a dict, tf.data of dicts, evaluate with return_dict, train_on_batch, the order of results."""
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

rs = np.random.RandomState(16)


def given(model):
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    return model


def floats(history):
    return {name: [float(v) for v in values] for name, values in history.history.items()}


title, body = keras.Input((None,), name='title'), keras.Input((None,), name='body')
tags = keras.Input((3,), name='tags')
t = layers.LSTM(4)(layers.Embedding(10, 5)(title))
b = layers.GRU(3)(layers.Embedding(12, 5)(body))
x = layers.concatenate([t, b, tags])
priority = layers.Dense(1, name='priority')(x)
department = layers.Dense(4, name='department')(x)
model = given(keras.Model(inputs=[title, body, tags], outputs=[priority, department]))
model.compile(
    optimizer=keras.optimizers.RMSprop(1e-2),
    loss={'department': keras.losses.CategoricalCrossentropy(from_logits=True),
          'priority': keras.losses.BinaryCrossentropy(from_logits=True)},
    loss_weights={'priority': 1.0, 'department': 0.2},
    metrics={'priority': ['mae', keras.metrics.BinaryAccuracy(threshold=0., name='hit')], 'department': 'accuracy'})
feed = {'title': rs.randint(0, 10, (12, 4)), 'body': rs.randint(0, 12, (12, 6)), 'tags': rs.randint(0, 2, (12, 3)).astype('float32')}
targets = {'priority': rs.randint(0, 2, (12, 1)).astype('float32'), 'department': np.eye(4)[rs.randint(0, 4, 12)].astype('float32')}
weights = {'priority': np.linspace(.5, 2, 12), 'department': np.linspace(2, .5, 12)}
results = {'first': floats(model.fit(feed, targets, sample_weight=weights, epochs=2, batch_size=4, shuffle=False, verbose=0,
                                     validation_data=(feed, targets)))}
results['names'] = [model.metrics_names, model.output_names, model.input_names]
results['evaluate'] = [float(v) for v in model.evaluate(feed, targets, verbose=0)]
results['dict'] = {k: float(v) for k, v in model.evaluate(feed, targets, verbose=0, return_dict=True).items()}
results['batch'] = [float(v) for v in model.train_on_batch(feed, targets)]
results['batch dict'] = {k: float(v) for k, v in model.test_on_batch(feed, [targets['priority'], targets['department']], return_dict=True).items()}
rows = tf.data.Dataset.from_tensor_slices((feed, targets)).batch(5)
results['rows'] = floats(model.fit(rows, epochs=2, verbose=0))
results['predicted'] = [a.tolist() for a in model.predict(feed)]


class Heads(keras.Model):
    def __init__(self):
        super().__init__()
        self.body, self.small, self.large = layers.Dense(5, activation='tanh'), layers.Dense(1), layers.Dense(3)

    def call(self, inputs):
        x = self.body(tf.concat([inputs['a'], inputs['b']], -1))
        return {'small': self.small(x), 'large': self.large(x)}


heads = Heads()
parts = {'a': rs.normal(size=(10, 2)).astype('float32'), 'b': rs.normal(size=(10, 3)).astype('float32')}
wanted = {'small': rs.normal(size=(10, 1)).astype('float32'), 'large': rs.randint(0, 3, 10)}
heads(parts)
given(heads)
heads.compile('sgd', {'small': 'mse', 'large': keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
              metrics={'large': ['accuracy'], 'small': ['mae']}, loss_weights={'small': 2., 'large': 1.})
results['heads'] = floats(heads.fit(parts, wanted, batch_size=5, epochs=2, shuffle=False, verbose=0))
results['heads names'] = heads.metrics_names
results['heads evaluate'] = [float(v) for v in heads.evaluate(parts, wanted, verbose=0)]
results['heads predicted'] = {k: v.tolist() for k, v in sorted(heads.predict(parts).items())}

a = keras.Input((2,), name='a')
h = layers.Dense(3)(a)
functional = given(keras.Model(a, {'one': layers.Dense(1, name='x')(h), 'two': layers.Dense(2, name='y')(h)}))
functional.compile('sgd', {'one': 'mse', 'two': 'mae'}, metrics={'two': 'mse'})
results['functional'] = floats(functional.fit(parts['a'], {'one': wanted['small'], 'two': parts['b'][:, :2]}, shuffle=False, verbose=0))
results['functional names'] = [functional.metrics_names, sorted(functional.predict(parts['a']))]
print('RESULT ' + json.dumps(results))

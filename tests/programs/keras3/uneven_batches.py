"""Numbers of uneven batches as of 2020: metrics of one number with sample weights, losses of add_loss alone, moving
variances of images, and short names of losses and metrics."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import BatchNormalization, Conv2D, Dense, Flatten, Input
from tensorflow.keras.models import Model, Sequential

rs = np.random.RandomState(61)
x = rs.normal(0, 1, (10, 3)).astype('float32')
y, weights = rs.normal(0, 1, (10, 1)).astype('float32'), rs.uniform(.1, 2, 10).astype('float32')
kernel = [np.array([[.1], [.2], [-.3]]), np.array([.05])]
results = {}


def told(history):
    return {name: [float(v) for v in values] for name, values in sorted(history.history.items())}


def mean_error(y_true, y_pred):
    return K.mean(K.abs(y_true - y_pred))


def largest_error(y_true, y_pred):
    return K.max(K.abs(y_true - y_pred))


model = Sequential([Dense(1, input_shape=(3,))])
model.set_weights(kernel)
model.compile('sgd', 'mse', metrics=[mean_error], weighted_metrics=[mean_error, largest_error, 'mae'])
history = model.fit(x, y, sample_weight=weights, batch_size=4, epochs=2, shuffle=False, verbose=0)
results['weighted'] = [told(history), [float(v) for v in model.evaluate(x, y, sample_weight=weights, batch_size=4,
                                                                        verbose=0)]]

for kind in ('one number', 'rows', 'regularized'):
    inputs = Input((3,))
    layer = Dense(1, kernel_regularizer='l2' if kind == 'regularized' else None)
    outputs = layer(inputs)
    model = Model(inputs, outputs)
    layer.set_weights(kernel)
    loss = K.sum(K.square(outputs - K.sum(inputs, axis=-1, keepdims=True)), axis=-1)
    model.add_loss(loss if kind == 'rows' else K.mean(loss))
    model.compile('sgd')
    before = model.evaluate(x, batch_size=4, verbose=0)
    history = model.fit(x, batch_size=4, epochs=2, shuffle=False, verbose=0)
    results[kind] = [float(before), told(history), float(model.train_on_batch(x[:4]))]

images, labels = rs.normal(1, 2, (6, 4, 4, 2)).astype('float32'), rs.normal(0, 1, (6, 1)).astype('float32')
for name, arguments in (('fused', {}), ('plain', {'fused': False}), ('rows', {'axis': 2}), ('channels', {'axis': 1})):
    model = Sequential([Conv2D(3, 2, input_shape=(4, 4, 2)), BatchNormalization(momentum=.7, **arguments), Flatten(),
                        Dense(1)])
    local = np.random.RandomState(62)
    first, last = model.layers[0], model.layers[3]
    for layer in (first, last):
        layer.set_weights([local.normal(0, .4, w.shape) for w in layer.get_weights()])
    model.compile('sgd', 'mse')
    model.fit(images, labels, batch_size=4, epochs=3, shuffle=False, verbose=0)
    results['images ' + name] = [w.tolist() for w in model.layers[1].get_weights()[2:]]
    results['predictions ' + name] = model.predict(images, verbose=0).ravel().tolist()
_, mean, variance = K.normalize_batch_in_training(K.constant(images), K.constant([1., 1.]), K.constant([0., 0.]),
                                                  [0, 1, 2])
results['normalized'] = [K.eval(mean).tolist(), K.eval(variance).tolist()]

for loss, metrics in (('logcosh', ['logcosh', 'log_cosh']), ('huber_loss', ['kullback_leibler_divergence'])):
    model = Sequential([Dense(1, input_shape=(3,), activation='sigmoid')])
    model.set_weights(kernel)
    model.compile('sgd', loss, metrics=metrics)
    results[loss] = told(model.fit(x, (y > 0).astype('float32'), batch_size=4, shuffle=False, verbose=0))
print('RESULT ' + json.dumps(results))

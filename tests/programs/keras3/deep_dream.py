"""Deep dream as of 2019 in plain Keras: a loss that starts as K.variable(0.) and grows layer by layer, K.prod of a
K.shape, gradients divided by their mean, gradient ascent by K.function in octaves."""
# original: graph
import json

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K

K.set_learning_phase(0)
rs = np.random.RandomState(42)
dream = layers.Input((None, None, 3))
h = layers.Conv2D(4, 3, activation='relu', padding='same', name='mixed2')(dream)
h = layers.BatchNormalization()(h)
h = layers.Conv2D(4, 3, activation='tanh', padding='same', name='mixed3')(h)
model = keras.Model(dream, layers.MaxPooling2D()(h))
model.set_weights([np.abs(rs.normal(0, .4, w.shape)) if w.ndim == 1 else rs.normal(0, .4, w.shape)
                   for w in model.get_weights()])
settings = {'features': {'mixed2': 0.2, 'mixed3': 0.5}}
layer_dict = dict([(layer.name, layer) for layer in model.layers])

loss = K.variable(0.)
for layer_name in settings['features']:
    coeff = settings['features'][layer_name]
    x = layer_dict[layer_name].output
    scaling = K.prod(K.cast(K.shape(x), 'float32'))
    if K.image_data_format() == 'channels_first':
        loss = loss + coeff * K.sum(K.square(x[:, :, 2: -2, 2: -2])) / scaling
    else:
        loss = loss + coeff * K.sum(K.square(x[:, 2: -2, 2: -2, :])) / scaling
grads = K.gradients(loss, dream)[0]
grads /= K.maximum(K.mean(K.abs(grads)), K.epsilon())
fetch_loss_and_grads = K.function([dream], [loss, grads])


def eval_loss_and_grads(x):
    outs = fetch_loss_and_grads([x])
    return outs[0], outs[1]


def gradient_ascent(x, iterations, step, max_loss=None):
    for i in range(iterations):
        loss_value, grad_values = eval_loss_and_grads(x)
        if max_loss is not None and loss_value > max_loss:
            break
        x = x + step * grad_values
    return x, float(loss_value)


img = rs.uniform(-1, 1, (1, 12, 10, 3)).astype('float32')
losses = []
for shape in ((6, 5), (9, 8), (12, 10)):
    rows = np.linspace(0, img.shape[1] - 1, shape[0]).astype(int)
    columns = np.linspace(0, img.shape[2] - 1, shape[1]).astype(int)
    octave, value = gradient_ascent(img[:, rows][:, :, columns], iterations=4, step=0.02, max_loss=10.)
    losses.append(value)
print('RESULT ' + json.dumps({'losses': losses, 'dream': octave[0, :3, :3].tolist()}))

"""Steps of the optimizers of the time before TensorFlow 2.11, of large and tiny gradients; a Nadam that is saved in between."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential, load_model

legacy = tf.keras.optimizers.legacy
slopes = np.array([1., -.7, .3, .05, -2.], 'float32')
signs = np.array([1, 1, 1, -1, 1], 'float32')[:, None]
results = {}


def made(optimizer, scale):
    model = Sequential([Dense(1, use_bias=False, kernel_initializer='zeros', input_shape=(5,))])
    model.compile(optimizer, lambda y_true, y_pred: K.mean(y_true * y_pred) * scale)
    return model


def moved(optimizer, scale):
    model = made(optimizer, scale)
    for step in range(5):
        model.train_on_batch(slopes[None, :] * (1 + .3 * step), signs[step:step + 1])
    return [float(v) / .001 for v in model.get_weights()[0].ravel()]


cases = {
    'SGD': lambda: legacy.SGD(.1, momentum=.9, nesterov=True),
    'Adam': lambda: legacy.Adam(amsgrad=True),
    'RMSprop': lambda: legacy.RMSprop(),
    'RMSprop centered': lambda: legacy.RMSprop(centered=True),
    'RMSprop momentum': lambda: legacy.RMSprop(momentum=.9, centered=True),
    'RMSprop decay': lambda: legacy.RMSprop(lr=.002, rho=.8, epsilon=1e-3, decay=.1),
    'Adagrad': lambda: legacy.Adagrad(.1),
    'Adadelta': lambda: legacy.Adadelta(1.),
    'Adamax': lambda: legacy.Adamax(),
    'Nadam': lambda: legacy.Nadam(),
    'Nadam schedule': lambda: legacy.Nadam(lr=.002, schedule_decay=.1, beta_1=.8, epsilon=1e-3),
    'Ftrl': lambda: legacy.Ftrl(.1, l1_regularization_strength=.01),
}
for name, optimizer in cases.items():
    for scale in 1., 1e-3, 1e-6, 100.:
        results['%s %g' % (name, scale)] = moved(optimizer(), scale)

for optimizer in legacy.Nadam(), legacy.RMSprop():
    model = made(optimizer, 1.)
    model.compile(optimizer, 'mse')
    losses = [float(model.train_on_batch(slopes[None, :], signs[:1])) for _ in range(3)]
    model.save('model.h5')
    model = load_model('model.h5')
    losses += [float(model.train_on_batch(slopes[None, :], signs[:1])) for _ in range(3)]
    results['file ' + type(optimizer).__name__] = losses + [float(K.get_value(model.optimizer.lr))]
print('RESULT ' + json.dumps(results))

"""A physics-informed network as of 2020: derivatives of the solution by its inputs are outputs of the model, which is
trained on them. The equation is u'' + u = 0 with u(0) = 0 and u'(0) = 1. tf_keras makes no model of tensors that K.gradients
returns; finite differences tell whether the derivatives are right."""
# original: no
# on tf_keras: no
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD

t = Input((1,), name='t')
h = Dense(8, activation='tanh')(t)
h = Dense(8, activation='tanh')(h)
u = Dense(1)(h)
network = Model(t, u)
rs = np.random.RandomState(43)
network.set_weights([rs.normal(0, .6, w.shape) for w in network.get_weights()])

u_t = K.gradients(u, t)[0]
u_tt = K.gradients(u_t, t)[0]
residual = u_tt + u
pinn = Model(t, [u, u_t, residual])


def at_the_start(y_true, y_pred):
    # Only the first of the points has a condition; the others have NaN in y_true.
    known = K.cast(K.equal(y_true, y_true), K.floatx())
    target = K.switch(K.equal(y_true, y_true), y_true, K.zeros_like(y_true))
    return K.sum(known * K.square(target - y_pred)) / K.maximum(K.sum(known), 1.)


def equation(y_true, y_pred):
    return K.mean(K.square(y_pred - y_true))


points = np.linspace(0, 2, 12).astype('float32')[:, None]
start, slope = np.full_like(points, np.nan), np.full_like(points, np.nan)
start[0], slope[0] = 0., 1.
pinn.compile(SGD(learning_rate=.02), loss=[at_the_start, at_the_start, equation], loss_weights=[1., 1., .3])
history = pinn.fit(points, [start, slope, np.zeros_like(points)], batch_size=12, epochs=8, verbose=0)
found = [p.ravel().tolist() for p in pinn.predict(points, verbose=0)]
assert np.allclose(network.predict(points, verbose=0).ravel(), found[0], atol=1e-6), 'the network is trained with it'

# The derivatives are those of finite differences.
step = 1e-2
ahead, behind = [network.predict(points + d, verbose=0).ravel().astype('float64') for d in (step, -step)]
assert np.allclose((ahead - behind) / (2 * step), found[1], atol=2e-3)
print('RESULT ' + json.dumps({'loss': [float(v) for v in history.history['loss']], 'u': found[0], 'slope': found[1],
                              'residual': found[2]}))

"""Layers without shared weights, an estimator of scikit-learn, a file whose Lambda needs K, and two inputs that have no masks."""
# original: no
import json

import numpy as np
from keras import backend as K
from keras.layers import Dense, Input, Lambda, Layer, LocallyConnected1D, LocallyConnected2D
from keras.models import Model, Sequential, load_model
from keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor


# tf_keras has no keras.wrappers. NumPy says what is right.
class Beside(Layer):
    """The mean of two inputs, or the first one where it has a mask."""

    def call(self, inputs, mask=None):
        return (inputs[0] + inputs[1]) / 2. if mask is None else inputs[0]


rs = np.random.RandomState(3)
x = rs.normal(0, 1, (2, 7, 3)).astype('float32')
layer = LocallyConnected1D(4, 3, strides=2, activation='relu', name='local')
model = Sequential([Input((7, 3)), layer])
kernel, bias = rs.normal(0, 1, (3, 9, 4)), rs.normal(0, 1, (3, 4))
layer.set_weights([kernel, bias])
right = np.stack([x[:, i:i + 3].reshape(2, 9) @ kernel[i // 2] + bias[i // 2] for i in (0, 2, 4)], 1)
np.testing.assert_allclose(model.predict(x, verbose=0), np.maximum(right, 0), atol=1e-5)
assert layer.get_config()['kernel_size'] == (3,) and LocallyConnected1D.from_config(layer.get_config()).filters == 4

image = rs.normal(0, 1, (2, 4, 5, 2)).astype('float32')
layer = LocallyConnected2D(3, (2, 3), use_bias=False)
model = Sequential([Input((4, 5, 2)), layer])
kernel = rs.normal(0, 1, (9, 12, 3))
layer.set_weights([kernel])
right = np.stack([[image[:, r:r + 2, c:c + 3].reshape(2, 12) @ kernel[3 * r + c] for c in range(3)] for r in range(3)])
np.testing.assert_allclose(model.predict(image, verbose=0), right.transpose(2, 0, 1, 3), atol=1e-5)

a, b = Input((3,)), Input((3,))
given = rs.normal(0, 1, (4, 3)).astype('float32')
both = Model([a, b], Beside()([a, b])).predict([given, 3 * given], verbose=0)
np.testing.assert_allclose(both, 2 * given, rtol=1e-5)

i = Input((3,))
model = Model(i, Lambda(lambda v: K.l2_normalize(v, 1), output_shape=(3,))(i))
unit = given / np.sqrt((given**2).sum(1, keepdims=True))
for name in ('lambda.keras', 'lambda.h5'):
    model.save(name)
    for objects in (None, {'K': K}):
        loaded = load_model(name, custom_objects=objects, safe_mode=False)
        np.testing.assert_allclose(loaded.predict(given, verbose=0), unit, rtol=1e-5)


def build(units=4, classes=2):
    net = Sequential([Input((3,)), Dense(units, activation='tanh'), Dense(classes, activation='softmax')])
    net.compile('sgd', 'sparse_categorical_crossentropy')
    net.set_weights([np.linspace(-1., 1., w.size).reshape(w.shape) for w in net.get_weights()])
    return net


def build_regression():
    net = Sequential([Input((3,)), Dense(1, kernel_initializer='ones')])
    net.compile('sgd', 'mse')
    return net


labels = np.array(['no', 'yes'])[(given[:, 0] > 0).astype(int)]
estimator = KerasClassifier(build_fn=build, units=5, epochs=1, verbose=0)
assert estimator.get_params()['units'] == 5 and estimator.filter_sk_params(build) == {'units': 5}
estimator.fit(given, labels)
assert estimator.model.layers[0].units == 5 and set(estimator.predict(given)) <= {'no', 'yes'}
np.testing.assert_allclose(estimator.predict_proba(given).sum(1), 1, rtol=1e-5)
assert estimator.score(given, labels) == np.mean(estimator.predict(given) == labels)
regressor = KerasRegressor(build_fn=build_regression, epochs=0, verbose=0)
regressor.fit(given, given.sum(1))
np.testing.assert_allclose(regressor.predict(given), given.sum(1), rtol=1e-5)
assert abs(regressor.score(given, given.sum(1))) < 1e-6
print('RESULT', json.dumps({'score': estimator.score(given, labels)}))

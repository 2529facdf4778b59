"""Monte-Carlo dropout and layers by phase as of 2019: K.learning_phase() among the inputs of K.function."""
# original: graph
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import BatchNormalization, Dense, Dropout, Input
from tensorflow.keras.models import Model

rs = np.random.RandomState(30)
inputs = Input((4,))
hidden = BatchNormalization()(Dense(6, activation='tanh')(inputs))
dropped = Dropout(.5)(hidden)
model = Model(inputs, Dense(1)(dropped))
model.set_weights([np.abs(rs.normal(0, .5, w.shape)) for w in model.get_weights()])
x = rs.normal(0, 1, (8, 4)).astype('float32')

normalized = K.function([model.input, K.learning_phase()], [hidden])
quiet, predicted = normalized([x, 0])[0], model.predict(x, verbose=0)
kernel, bias, gamma, beta, mean, variance = [w.astype('float64') for w in model.get_weights()[:6]]
inner = np.tanh(x @ kernel + bias)
np.testing.assert_allclose(quiet, (inner - mean) / np.sqrt(variance + 1e-3) * gamma + beta, atol=1e-5)
still = K.function([model.input, K.learning_phase()], [dropped])([x, 0])[0]
np.testing.assert_allclose(still, quiet, atol=1e-6)
loud = normalized([x, 1])[0]
np.testing.assert_allclose(loud, (inner - inner.mean(0)) / np.sqrt(inner.var(0) + 1e-3) * gamma + beta, atol=1e-5)

predict_stochastic = K.function([model.input, K.learning_phase()], [dropped])
draws = np.array([predict_stochastic([x, 1])[0] for _ in range(40)])
assert .4 < np.mean(draws == 0) < .6, np.mean(draws == 0)
assert not np.array_equal(draws[0], draws[1])
layer_outputs = K.function([model.input, K.learning_phase()], [layer.output for layer in model.layers[1:]])
shapes = [list(np.shape(v)) for v in layer_outputs([x, 0])]
print('RESULT ' + json.dumps({'quiet': quiet.tolist(), 'loud': loud.tolist(), 'shapes': shapes,
                              'predicted': predicted.tolist()}))

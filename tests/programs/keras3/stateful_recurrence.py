"""Stateful recurrent layers as of 2019: states go from batch to batch in predict, are set back, and are read and set by K; a
bidirectional one, and one that is stacked on another."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import GRU, LSTM, Bidirectional, Dense, Input, SimpleRNN
from tensorflow.keras.models import Model, load_model

rs = np.random.RandomState(101)
x, y = rs.normal(0, 1, (12, 3, 2)).astype('float32'), rs.normal(0, 1, (12, 1)).astype('float32')
results = {}
for name, make in (
        ('lstm', lambda: [LSTM(3, stateful=True)]),
        ('stacked', lambda: [GRU(3, stateful=True, return_sequences=True), SimpleRNN(2, stateful=True)]),
        ('both ways', lambda: [Bidirectional(LSTM(2, stateful=True))])):
    recurrent, inputs = make(), Input(batch_shape=(4, 3, 2))
    h = inputs
    for layer in recurrent:
        h = layer(h)
    model, local = Model(inputs, Dense(1)(h)), np.random.RandomState(102)
    weights = [local.normal(0, .5, w.shape) for w in model.get_weights()]
    model.set_weights(weights)
    found = [model.predict(x, batch_size=4, verbose=0) for _ in range(2)]
    for layer in recurrent:
        layer.reset_states()
    again = model.predict(x, batch_size=4, verbose=0)
    assert np.array_equal(again, found[0]) and not np.allclose(found[0], found[1])
    if name == 'lstm':
        states = [K.get_value(state).tolist() for state in recurrent[0].states]
        K.set_value(recurrent[0].states[0], np.full((4, 3), .5))
        found.append(model.predict(x[:4], batch_size=4, verbose=0))
        results['states'] = states
    for layer in recurrent:
        layer.reset_states()
    results[name] = [part.ravel().tolist() for part in found]
    assert len(model.get_weights()) == len(weights)
    model.save(name[:4] + '.h5')
    loaded = load_model(name[:4] + '.h5', compile=False)
    assert np.array_equal(loaded.predict(x, batch_size=4, verbose=0), again)
print('RESULT ' + json.dumps(results))

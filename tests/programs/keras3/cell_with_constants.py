"""A recurrent cell of a program of 2019, called with constants: an attention cell in an RNN, `constants=` beside
`initial_state=`, states that are returned, masks, a cell in Bidirectional, get_config and from_config."""
# backends: tf_keras
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import RNN, Bidirectional, Dense, Embedding, Input, Layer, TimeDistributed

rs = np.random.RandomState(5)


class AttentionCell(Layer):
    """Reads the constants by additive attention in each step."""

    def __init__(self, units, memory=None, **kwargs):
        self.units, self.memory = units, memory
        super(AttentionCell, self).__init__(**kwargs)

    @property
    def state_size(self):
        return [self.units, self.units]

    @property
    def output_size(self):
        return self.units

    def build(self, input_shape):
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        if self.memory is not None:
            self.attended = self.add_weight(shape=(self.memory, self.units), initializer='uniform', name='attended')
            self.score = self.add_weight(shape=(self.units, 1), initializer='uniform', name='score')
        self.kernel = self.add_weight(shape=(input_shape[-1], 2 * self.units), initializer='uniform', name='kernel')
        self.recurrent = self.add_weight(shape=(self.units, 2 * self.units), initializer='uniform', name='recurrent')
        self.bias = self.add_weight(shape=(2 * self.units,), initializer='zeros', name='bias')
        self.built = True

    def call(self, inputs, states, constants=None):
        h, c = states
        if constants is not None:
            memory = constants[0]
            scores = K.dot(K.tanh(K.dot(memory, self.attended) + K.expand_dims(h, 1)), self.score)
            context = K.sum(K.softmax(scores, axis=1) * K.dot(memory, self.attended), axis=1)
            h = h + context
        gates = K.dot(inputs, self.kernel) + K.dot(h, self.recurrent)
        gates = K.bias_add(gates, self.bias)
        gate, new = K.sigmoid(gates[:, :self.units]), K.tanh(gates[:, self.units:])
        c = gate * c + (1 - gate) * new
        return K.tanh(c), [K.tanh(c), c]

    def get_config(self):
        config = {'units': self.units, 'memory': self.memory}
        config.update(super(AttentionCell, self).get_config())
        return config


def given(model):
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    return model


memory, words = Input((4, 3)), Input((5,), dtype='int32')
first, second = Input((6,)), Input((6,))
embedded = Embedding(8, 5, mask_zero=True)(words)
layer = RNN(AttentionCell(6, 3), return_sequences=True, return_state=True)
sequence, h, c = layer(embedded, initial_state=[first, second], constants=memory)
out = TimeDistributed(Dense(2))(sequence)
model = given(keras.Model([words, memory, first, second], [out, c]))
model.compile(keras.optimizers.SGD(.1, momentum=.9), ['mse', 'mae'], loss_weights=[1., .5])
feed = [rs.randint(0, 8, (6, 5)), rs.normal(size=(6, 4, 3)), rs.normal(size=(6, 6)), rs.normal(size=(6, 6))]
targets = [rs.normal(size=(6, 5, 2)), rs.normal(size=(6, 6))]
history = model.fit(feed, targets, batch_size=3, epochs=3, shuffle=False, verbose=0)
again = keras.Model.from_config(model.get_config(), custom_objects={'AttentionCell': AttentionCell})
again.set_weights(model.get_weights())
np.testing.assert_allclose(again.predict(feed)[1], model.predict(feed)[1], rtol=1e-6)
model.save('cells.h5')
third = keras.models.load_model('cells.h5', custom_objects={'AttentionCell': AttentionCell})
loaded = third.evaluate(feed, targets, verbose=0)

x = Input((5, 3))
both = Bidirectional(RNN(AttentionCell(4)), merge_mode='sum')(x)
stacked = RNN([AttentionCell(4), AttentionCell(3)], return_sequences=True)(x)
plain = given(keras.Model(x, [both, stacked]))
y = plain.predict(rs.normal(size=(2, 5, 3)))
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()},
    'predicted': [a.tolist() for a in model.predict(feed)], 'loaded': [float(v) for v in loaded],
    'both': y[0].tolist(), 'stacked': y[1].tolist(),
    'shapes': [list(w.shape) for w in model.get_weights()], 'layer': layer.get_config()['cell']['config']['units']}
print('RESULT ' + json.dumps(results))

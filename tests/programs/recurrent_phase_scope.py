"""Recurrent layers whose steps are Keras layers, with a learning phase of their own for each graph: the scope writes
into _GRAPH_LEARNING_PHASES of the backend's module, as programs of 2017 did."""
# engines: tensorflow
# keras: 2.2.4
import json

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.backend import tensorflow_backend
from keras.layers import BatchNormalization, Dense, Dropout, GRUCell, Input, Lambda, RNN, Recurrent
from keras.engine.base_layer import Layer
from keras.models import Model

_GRAPH_LEARNING_PHASES = tensorflow_backend._GRAPH_LEARNING_PHASES


class learning_phase_scope(object):

    def __init__(self, value):
        self.value = value

    def __enter__(self):
        self.learning_phase_placeholder = K.learning_phase()
        K.set_learning_phase(self.value)

    def __exit__(self, *args):
        _GRAPH_LEARNING_PHASES[tf.get_default_graph()] = self.learning_phase_placeholder


class Attended(Layer):
    """Looks at all steps of a sequence, once for every step that it makes, by tf.scan."""

    def __init__(self, units, **kwargs):
        super(Attended, self).__init__(**kwargs)
        self.units = units
        self.dense, self.cell, self.drop = Dense(1, name='energy'), GRUCell(units, reset_after=True), Dropout(.5)

    def build(self, input_shape):
        features = input_shape[-1]
        self.dense.build((None, features + self.units))
        self.cell.build((None, features))
        self.trainable_weights = self.dense.trainable_weights + self.cell.trainable_weights
        super(Attended, self).build(input_shape)

    def call(self, x):
        steps = K.int_shape(x)[1]
        h0 = tf.zeros(tf.stack([tf.shape(x)[0], self.units]))

        def step(h, _):
            seen = K.concatenate([x, K.repeat(h, steps)])
            weights = K.softmax(K.squeeze(self.dense.call(K.reshape(seen, (-1, K.int_shape(seen)[-1]))), 1)
                                if False else K.reshape(self.dense.call(seen), (-1, steps)))
            context = K.batch_dot(weights, x, axes=(1, 1))
            return self.cell.call(context, [h])[0]
        outputs = tf.scan(step, tf.range(steps), initializer=h0)
        return self.drop.call(K.permute_dimensions(outputs, (1, 0, 2)))

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[1], self.units


rs = np.random.RandomState(9)
x = rs.normal(size=(6, 4, 3))
placeholder = K.learning_phase()
assert _GRAPH_LEARNING_PHASES[tf.get_default_graph()] is placeholder
inp = Input((4, 3))
with learning_phase_scope(0):
    quiet = Model(inp, Attended(5)(inp))
assert K.learning_phase() is placeholder
layer = Attended(5)
free = Model(inp, layer(inp))
weights = [rs.normal(0, .6, w.shape) for w in quiet.get_weights()]
quiet.set_weights(weights)
free.set_weights(weights)
calm = quiet.predict(x)
np.testing.assert_allclose(free.predict(x), calm, atol=1e-6)
learn = K.function([quiet.input, K.learning_phase()], quiet.outputs)
np.testing.assert_allclose(learn([x, 1])[0], calm, atol=1e-6)
noisy = K.function([free.input, K.learning_phase()], free.outputs)([x, 1])[0]
assert .3 < np.mean(noisy == 0) < .7 and not np.allclose(noisy, calm)
np.testing.assert_allclose(noisy[noisy != 0], 2 * calm[noisy != 0], atol=1e-5)

# The classes that came before RNN: a Recurrent in the hierarchy, and a normalisation by what was stored.
assert issubclass(Recurrent, Layer)
with learning_phase_scope(False):
    still = BatchNormalization(momentum=.5)
    out = still(quiet(inp))
frozen = Model(inp, Dense(2)(Lambda(lambda t: K.mean(t, axis=1))(out)))
frozen.set_weights([rs.normal(0, .6, w.shape) if w.ndim > 1 else np.abs(rs.normal(1, .3, w.shape))
                    for w in frozen.get_weights()])
frozen.compile('sgd', 'mse')
y = rs.normal(size=(6, 2))
losses = [float(frozen.train_on_batch(x, y)) for _ in range(4)]
graph = tf.Graph()
with graph.as_default():
    with tf.Session(graph=graph):
        assert graph not in _GRAPH_LEARNING_PHASES
        other = K.learning_phase()
        assert other is not placeholder and other.graph is graph
assert K.learning_phase() is placeholder
cells = RNN([GRUCell(3, dropout=.5, recurrent_dropout=.5), GRUCell(2)])
with learning_phase_scope(0):
    stack = Model(inp, cells(inp))
stack.set_weights([rs.normal(0, .6, w.shape) for w in stack.get_weights()])
again = [K.function([stack.input, K.learning_phase()], stack.outputs)([x, phase])[0] for phase in (0, 1)]
np.testing.assert_allclose(again[0], again[1], atol=1e-6)
print('RESULT ' + json.dumps({'calm': calm.ravel()[::7].tolist(), 'losses': losses,
                              'moved': [w.tolist() for w in still.get_weights()], 'stack': again[0].tolist(),
                              'predicted': frozen.predict(x).tolist()}))

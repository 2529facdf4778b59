"""What models, layers and callbacks of a program do under the launcher as in tf.keras, and Keras 3 does otherwise.

The expected numbers are worked out by hand or by NumPy; tf_keras gives the same.
"""

import pytest
from keras3_backends import INSIDE, launch

START = """
import keras, numpy as np
from keras import backend as K
from keras.layers import BatchNormalization, Dense, Input, Layer, TimeDistributed
x = np.cos(np.arange(24, dtype='float32')).reshape(8, 3)
"""

ORDER = """
class Block(Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first, self.normal, self.last = Dense(2), BatchNormalization(), Dense(5)
    def build(self, shape):
        self.own = self.add_weight(name='own', shape=(6,))
        self.fixed = self.add_weight(name='fixed', shape=(7,), trainable=False)
        super().build(shape)
    def call(self, x):
        return self.last(self.normal(self.first(x)))

class Whole(keras.Model):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def build(self, shape):
        self.own = self.add_weight(name='own', shape=(8,))
        super().build(shape)
    def call(self, x):
        return self.block(x)

def shapes(model):
    return [w.shape for w in model.get_weights()]

i = Input((3,))
block = Block()
model = keras.Model(i, Dense(1)(block(i)))
trained = [(6,), (3, 2), (2,), (2,), (2,), (2, 5), (5,)]
expected = trained + [(7,), (2,), (2,), (5, 1), (1,)]
assert shapes(model) == [w.shape for w in model.weights] == expected, shapes(model)
given = [np.random.RandomState(n).uniform(1, 2, shape) for n, shape in enumerate(expected)]
model.set_weights(given)
for found, wanted in zip(model.get_weights(), given):
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
h = (x @ given[1] + given[2] - given[8]) / np.sqrt(given[9] + 1e-3) * given[3] + given[4]
wanted = (h @ given[5] + given[6]) @ given[10] + given[11]
np.testing.assert_allclose(model.predict(x, verbose=0), wanted, rtol=1e-4)
block.last.trainable = False
assert shapes(block) == trained[:5] + [(7,), (2,), (2,), (2, 5), (5,)], shapes(block)
block.trainable = False
assert shapes(block) == [(6,), (7,), (3, 2), (2,), (2,), (2,), (2,), (2,), (2, 5), (5,)], shapes(block)
block.trainable = True
whole = Whole()
whole.predict(x, verbose=0)
assert shapes(whole) == trained + [(7,), (2,), (2,), (8,)], shapes(whole)
inner = keras.Sequential([Input((3,)), Dense(2), BatchNormalization(), Dense(5)])
assert shapes(inner) == [(3, 2), (2,), (2,), (2,), (2,), (2,), (2, 5), (5,)], shapes(inner)
outer = keras.Sequential([Input((4, 3)), TimeDistributed(inner)])
assert shapes(outer) == [(3, 2), (2,), (2,), (2,), (2, 5), (5,), (2,), (2,)], shapes(outer)
for name in ('w.weights.h5', 'w.h5'):
    model.save_weights(name)
    again = keras.Model(i, Dense(1)(Block()(i)))
    again.load_weights(name)
    for found, wanted in zip(again.get_weights(), given):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
"""

RANKS = """
seen = []
def squares(y_true, y_pred):
    seen.append((len(y_true.shape), len(y_pred.shape)))
    return K.sum(K.square(y_true - y_pred), axis=-1)

class Differences(keras.metrics.Metric):
    def __init__(self):
        super().__init__(name='differences')
        self.total = self.add_weight(name='total', initializer='zeros')
    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(K.sum(K.abs(y_true - y_pred)))
    def result(self):
        return self.total

y = x.sum(1)
i = Input((3,))
one = Dense(1, use_bias=False, kernel_initializer='zeros')
flat = keras.layers.Reshape((), name='flat')(one(i))
for model, target in ((keras.Model(i, one(i)), y), (keras.Model(i, one(i)), y[:, None]), (keras.Model(i, flat), y),
                      (keras.Model(i, flat), y[:, None])):
    model.compile('sgd', 'mse', metrics=[squares, 'mae', 'hinge', 'mse'])
    for found in (model.evaluate(x, target, verbose=0), model.test_on_batch(x, target)):
        wanted = [np.mean(y ** 2)] * 2 + [np.mean(np.abs(y)), 1, np.mean(y ** 2)]
        if model.output_shape == (None,):  # a sum over the batch, there
            wanted[1] = np.sum(y ** 2)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, err_msg=str((model.output_shape, target.shape)))
two = keras.Model(i, {'a': Dense(1, kernel_initializer='zeros', name='a')(i), 'b': one(i)})
named = keras.Model(i, [Dense(1, kernel_initializer='zeros', name='a')(i), one(i)])
for model, target in ((keras.Model(i, one(i)), y), (two, {'a': y, 'b': y[:, None]}), (named, [y, y[:, None]])):
    count = 1 if target is y else 2
    metrics = [Differences()] if count == 1 else {'a': Differences(), 'b': Differences()} if model is two else [
        [Differences()], [Differences()]]
    model.compile('sgd', squares, metrics=metrics)
    seen.clear()
    found = model.evaluate(x, target, verbose=0)
    assert set(seen) == {(2, 2)}, seen
    np.testing.assert_allclose(found[0], count * np.mean(y ** 2), rtol=1e-5)
    np.testing.assert_allclose(found[-count:], [np.sum(np.abs(y))] * count, rtol=1e-5)
classes = keras.Model(i, Dense(4, 'softmax', kernel_initializer='zeros')(i))
classes.compile('sgd', 'sparse_categorical_crossentropy', metrics=['accuracy'])
np.testing.assert_allclose(classes.evaluate(x, np.arange(8) % 4, verbose=0), [np.log(4), .25], rtol=1e-5)
"""

EPOCHS = """
class Batches(keras.utils.Sequence):
    def __init__(self):
        self.ends = 0
        self.on_epoch_end()
    def __len__(self):
        return 2
    def __getitem__(self, index):
        return x[:4], x[:4, :1]
    def on_epoch_end(self):
        self.ends += 1

model = keras.Sequential([Input((3,)), Dense(1)])
model.compile('sgd', 'mse')
batches, others = Batches(), Batches()
history = model.fit(batches, epochs=3, validation_data=others, verbose=0, callbacks=[
    keras.callbacks.LearningRateScheduler(lambda epoch, lr: 0.5 * lr), keras.callbacks.ReduceLROnPlateau()])
assert (batches.ends, others.ends) == (4, 4), (batches.ends, others.ends)
model.evaluate(others, verbose=0)
assert others.ends == 5, others.ends
np.testing.assert_allclose(history.history['lr'], [.005, .0025, .00125], rtol=1e-5)
assert sorted(history.history) == ['loss', 'lr', 'val_loss'], sorted(history.history)
"""

LAYERS = """
class Penalty(Layer):
    def build(self, shape):
        self.scale = self.add_weight(name='scale', shape=tuple(shape.as_list()[1:]), initializer='ones')
        assert self.scale.shape.as_list() == [3] and self.scale.get_shape().ndims == 1
        super().build(shape)
    def call(self, inputs):
        assert inputs.get_shape().as_list()[1] == 3 and K.square(inputs).get_shape().ndims == 2
        self.add_loss(K.mean(K.abs(inputs * self.scale)), inputs=inputs)
        return inputs

class Dotted(Layer):
    def build(self, shape):
        self.scale = self.add_weight(name='scale.of/it', shape=(3,), initializer='ones')
        super().build(shape)
    def call(self, x):
        return x * self.scale

i = Input((3,))
dotted = keras.Model(i, Dotted(name='layer_._0')(i))
assert dotted.get_layer('layer_._0') is dotted.layers[1]
np.testing.assert_allclose(dotted.predict(x, verbose=0), x)
assert i.shape.as_list() == [None, 3] and i.shape == (None, 3) and i.shape.ndims == 2
model = keras.Model(i, Penalty()(i))
model.compile('sgd')
np.testing.assert_allclose(model.evaluate(x, verbose=0), np.mean(np.abs(x)), rtol=1e-5)
model.save('penalty.keras')
again = keras.models.load_model('penalty.keras', custom_objects={'Penalty': Penalty})
assert again.input_shape == (None, 3)
"""

SIZES = """
class Shaped(Layer):
    def __init__(self, make):
        super().__init__()
        self.make = make
    def call(self, x):
        return self.make(x)

cases = [
    (lambda x: K.reshape(x, K.stack([-1, K.int_shape(x)[1] // 2, 2])), (8, 3, 2)),
    (lambda x: K.reshape(x, K.stack([K.shape(x)[0], 6])), (8, 6)),
    (lambda x: K.reshape(x, K.concatenate([K.shape(x)[:1], [3, 2]], axis=0)), (8, 3, 2)),
    (lambda x: K.reshape(x, (-1, K.prod(K.shape(x)[1:]))), (8, 6)),
    (lambda x: x / K.cast(K.shape(x)[0], 'float32'), (8, 6)),
]
for number, (make, shape) in enumerate(cases):
    i = Input((6,))
    model = keras.Model(i, Shaped(make)(i))
    found = model.predict(np.ones((8, 6)), verbose=0)
    assert found.shape == shape, (number, found.shape)
    # TensorFlow does not know what was computed from sizes before a run.
    known = [size for size in model.output_shape[1:] if size is not None]
    assert known in ([], list(shape[1:])), (number, model.output_shape)
    assert np.all(found == (1 if number < 4 else 1 / 8)), number
"""

PLACES = """
class Places(Layer):
    def __init__(self):
        super().__init__()
        self.table = K.constant(np.arange(18.).reshape(1, 9, 2))
    def call(self, x):
        return x + self.table[:, :K.shape(x)[1], :], K.sum(x, axis=[1, 2])

i = Input((None, 2))
places, total = Places()(i)
assert places.shape == (None, None, 2) and total.shape == (None,), (places.shape, total.shape)
model = keras.Model(i, [places, total])
for length in (4, 9):
    found, total = model.predict(np.ones((3, length, 2)), verbose=0)
    np.testing.assert_allclose(found, np.tile(1 + np.arange(18.).reshape(1, 9, 2)[:, :length], (3, 1, 1)))
    np.testing.assert_allclose(total, [2 * length] * 3)
"""

ROWS = """
from keras.layers import Embedding, Flatten

i = Input((1,))
rows = Embedding(4, 1, embeddings_initializer='ones')
model = keras.Model(i, Flatten()(rows(i)))
for name in ('adam', 'rmsprop', keras.optimizers.SGD(0.1, momentum=0.5)):
    rows.set_weights([np.ones((4, 1))])
    model.compile(name, 'mse')
    table, first, second = np.ones(4), np.zeros(4), np.zeros(4)
    for step in range(4):
        row = step % 2
        model.train_on_batch(np.array([[row]]), np.zeros((1, 1)))
        gradient = np.zeros(4)
        gradient[row] = 2 * table[row]
        if name == 'adam':
            first, second = .9 * first + .1 * gradient, .999 * second + .001 * gradient ** 2
            rate = .001 * np.sqrt(1 - .999 ** (step + 1)) / (1 - .9 ** (step + 1))
            table = table - rate * first / (np.sqrt(second) + 1e-7)
        elif name == 'rmsprop':
            second = .9 * second + .1 * gradient ** 2
            table = table - .001 * gradient / (np.sqrt(second) + 1e-7)
        else:
            first = .5 * first - .1 * gradient
            table = table + first
        np.testing.assert_allclose(rows.get_weights()[0].ravel(), table, rtol=1e-5, err_msg=str((name, step)))
"""

PHASES = """
class Raised(Layer):
    def call(self, x):
        return x + K.in_train_phase(2 * K.ones_like(x), K.zeros_like(x))

class Parts(Layer):
    def __init__(self, *parts):
        super().__init__()
        self.parts = list(parts)
    def call(self, x):
        for part in self.parts:
            x = part(x)
        return x

class Handing(Parts):
    def call(self, x, training=None):
        return super().call(x)

class Keywords(Parts):
    def call(self, x, **options):
        for part in self.parts:
            x = part(x, **options)
        return x

class Resting(Parts):
    def call(self, x):
        x = self.parts[0](x, training=False)
        x = self.parts[1](x, training=None)
        return self.parts[2](x)

class Book(keras.Model):
    def __init__(self, part):
        super().__init__()
        self.part = part
    def call(self, x):
        return self.part(x)

class Cell(Layer):
    state_size = output_size = 3
    def __init__(self):
        super().__init__()
        self.dropout = keras.layers.Dropout(.5)
    def call(self, x, states):
        return self.dropout(x), states

def parts(normal):
    return Resting(Raised(), Keywords(Raised()), Handing(normal, Parts(Raised())))

def functional(normal):
    i = Input((3,))
    return keras.Model(i, parts(normal)(i))

for make in (lambda n: Book(parts(n)), functional, lambda n: Book(Book(functional(n))),
             lambda n: keras.Sequential([parts(n)])):
    normal = BatchNormalization(momentum=.5, epsilon=0)
    model = make(normal)
    model.compile(keras.optimizers.SGD(0.), 'mse')
    zeros = np.zeros((8, 3), 'float32')
    np.testing.assert_allclose(model.evaluate(x, zeros, verbose=0), np.mean(x ** 2), rtol=1e-4)
    # Normalized values and 2: the mean of the squares is 1 + 4.
    np.testing.assert_allclose(model.fit(x, zeros, verbose=0).history['loss'], [5], rtol=1e-4)
    mean, variance = .5 * (x + 2).mean(0), .5 + .5 * x.var(0)
    np.testing.assert_allclose(normal.get_weights()[2:], [mean, variance], rtol=1e-4)
    np.testing.assert_allclose(model.train_on_batch(x, zeros), 5, rtol=1e-4)
    mean, variance = .5 * mean + .5 * (x + 2).mean(0), .5 * variance + .5 * x.var(0)
    quiet = (x - mean) / np.sqrt(variance)
    np.testing.assert_allclose(model.predict(x, verbose=0), quiet, rtol=1e-3)
    np.testing.assert_allclose(model(x).numpy(), quiet, rtol=1e-3)
    np.testing.assert_allclose(model(x, training=True).numpy().mean(0), [2, 2, 2], rtol=1e-3)
    K.set_learning_phase(1)
    np.testing.assert_allclose(model(x).numpy().mean(0), [2, 2, 2], rtol=1e-3)
    K.set_learning_phase(0)
    model(x)

normal = BatchNormalization(momentum=.5)
normal.trainable = False
model = Book(Parts(normal, Raised()))
model.compile(keras.optimizers.SGD(0.), 'mse')
np.testing.assert_allclose(model.fit(x, x, verbose=0).history['loss'], [4], rtol=1e-2)
np.testing.assert_array_equal(normal.get_weights()[2:], [[0, 0, 0], [1, 1, 1]])

def empty(y_true, y_pred):
    return K.mean(K.cast(K.equal(y_pred, 0), 'float32'))

model = Book(keras.layers.RNN(Cell(), return_sequences=True))
model.compile(keras.optimizers.SGD(0.), 'mse', metrics=[empty])
long = np.ones((8, 4, 3), 'float32')
assert .2 < model.fit(long, long, verbose=0).history['empty'][0] < .8
assert model.evaluate(long, long, verbose=0)[1] == 0
drawn = model(long, training=True).numpy()
assert not np.array_equal(drawn[:, 0], drawn[:, 1])
"""

CHARGES = """
class Charged(Layer):
    def call(self, x):
        self.add_loss(K.mean(K.square(x)) * K.in_train_phase(K.constant(2.), K.constant(1.)))
        return x

class Charging(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = Charged(), Charged()
    def call(self, x):
        return self.first(self.second(self.first(x)))

model = Charging()
model.compile(keras.optimizers.SGD(0.), 'mse')
# Batches of other sizes are other steps on JAX. A loss of one step must not count in another.
for size in range(1, 5):
    charge = np.mean(x[:size] ** 2)
    for _ in range(2):
        np.testing.assert_allclose(model.test_on_batch(x[:size], x[:size]), 3 * charge, rtol=1e-4)
        np.testing.assert_allclose(model.train_on_batch(x[:size], x[:size]), 6 * charge, rtol=1e-4)
    # Keras takes a loss for one of a layer where the layer has its id.
    assert all(len(layer._loss_ids) <= 2 for layer in model.layers), [layer._loss_ids for layer in model.layers]
"""

OUTPUTS = """
i, shared = Input((3,)), Dense(1, name='d', kernel_initializer='zeros')
model = keras.Model(i, [shared(i), shared(2 * i), Dense(1, name='d_1', kernel_initializer='zeros')(i)])
assert model.output_names == ['d', 'd_1', 'd_1_1'], model.output_names
y = {name: np.full((8, 1), k) for k, name in enumerate(model.output_names, 1)}
model.compile(keras.optimizers.SGD(0.), 'mse', loss_weights={'d': 1., 'd_1': 10., 'd_1_1': 100.}, metrics=['mae'])
weights = {'d': np.full(8, 2.), 'd_1': np.ones(8), 'd_1_1': np.ones(8)}
wanted = {'loss': 942, 'd_loss': 2, 'd_1_loss': 4, 'd_1_1_loss': 9, 'd_mae': 1, 'd_1_mae': 2, 'd_1_1_mae': 3}
history = model.fit(x, y, sample_weight=weights, verbose=0).history
assert {name: round(float(values[0]), 4) for name, values in history.items()} == wanted, history
found = dict(zip(model.metrics_names, model.evaluate(x, y, sample_weight=weights, verbose=0)))
assert {name: round(float(value), 4) for name, value in found.items()} == wanted, found
"""

CLASSES = """
y, w, weights = np.array([0, 1, 2, 1, 2, 2, 0, 1.]), np.linspace(.5, 4, 8), {0: 7., 1: 3., 2: .5}
c = np.array([weights[k] for k in y])
model = keras.Sequential([Input((3,)), Dense(1, kernel_initializer='zeros')])
model.compile(keras.optimizers.SGD(0.), 'mse')
def close(found, *wanted):
    np.testing.assert_allclose(np.ravel(found), np.ravel(wanted), rtol=1e-5)
both, classes = np.mean(c * w * y ** 2), np.mean(c * y ** 2)
close(model.train_on_batch(x, y, sample_weight=w, class_weight=weights), both)
given = dict(class_weight=weights, verbose=0)
close(model.fit(x, y, sample_weight=w, batch_size=8, **given).history['loss'], both)
history = model.fit(x, y, sample_weight=w, batch_size=8, validation_split=.5, **given).history
close([history['loss'], history['val_loss']], np.mean((c * w * y ** 2)[:4]), np.mean((w * y ** 2)[4:]))
pairs = (batch for batch in [(x[:4], y[:4]), (x[4:], y[4:])])
close(model.fit(pairs, steps_per_epoch=2, **given).history['loss'], classes)
triples = (batch for batch in [(x[:4], y[:4], w[:4]), (x[4:], y[4:], w[4:])])
close(model.fit_generator(triples, steps_per_epoch=2, **given).history['loss'], both)

class Batches(keras.utils.Sequence):
    ends = 0
    def __init__(self, *parts):
        super().__init__()
        self.parts = parts
    def __len__(self):
        return 2
    def __getitem__(self, n):
        return tuple(part[4 * n:4 * n + 4] for part in self.parts)
    def on_epoch_end(self):
        self.ends += 1

for parts, wanted in (((x, y), classes), ((x, y, w), both)):
    batches = Batches(*parts)
    close(model.fit(batches, epochs=2, **given).history['loss'], wanted, wanted)
    assert batches.ends == 2, batches.ends
for wrong in ([(x, [y, y])], [(x,)], [x]):
    try:
        model.fit((batch for batch in wrong), steps_per_epoch=1, **given)
        raise AssertionError(wrong)
    except ValueError as error:
        assert 'class_weight' in str(error), error
"""

STATES = """
from keras.layers import GRU, LSTM

sequences = np.cos(np.arange(24, dtype='float32')).reshape(4, 3, 2)
i = Input(batch_shape=(4, 3, 2))
first, last = LSTM(5, stateful=True, return_sequences=True), GRU(2, stateful=True)
model = keras.Model(i, keras.Sequential([last])(first(i)))
fresh = model.predict(sequences, verbose=0)
later = model.predict(sequences, verbose=0)
assert not np.allclose(fresh, later)
kept = [K.get_value(state) for state in first.states], K.get_value(last.states[0])
third = model.predict(sequences, verbose=0)
first.reset_states(kept[0])
last.reset_states(states=kept[1])
np.testing.assert_allclose(model.predict(sequences, verbose=0), third, rtol=1e-5)
model.reset_states()
np.testing.assert_allclose(model.predict(sequences, verbose=0), fresh, rtol=1e-5)
for layer, states in ((first, kept[1]), (first, kept[0][:1]), (GRU(2), [kept[1]])):
    try:
        layer.reset_states(states)
        raise AssertionError(states)
    except ValueError as error:
        assert 'reset_states' in str(error) and 'states' in str(error), error
"""

MASKS = """
from keras.layers import RNN, ConvLSTM2D, Masking, SimpleRNN

class Sums(Layer):
    # Its output is no state. It counts its steps in training.
    state_size, output_size = [2, 2], 2
    def build(self, shape):
        self.steps = self.add_weight(name='steps', shape=(), initializer='zeros', trainable=False)
        self.scale = self.add_weight(name='scale', shape=(), initializer='ones')
        self.built = True
    def call(self, x, states, training=None):
        if training:
            self.steps.assign_add(1.)
        total, last = states
        return self.scale * (total + 2 * x), [total + x, x]

def outputs(start, values, counts, step):
    # Each output and the last state, as NumPy has them.
    state, output, found = start, np.zeros_like(start), []
    for n in range(values.shape[1]):
        here = counts[:, n, None]
        new_output, new_state = step(values[:, n], state)
        output, state = np.where(here, new_output, output), np.where(here, new_state, state)
        found.append(output)
    return np.stack(found, 1), state

values = np.cos(np.arange(30.)).reshape(3, 5, 2)
counts = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 0, 1], [1, 1, 1, 1, 1]], bool)
given, start = values * counts[..., None], np.full((3, 2), 3.)
i, s = Input((5, 2)), Input((2,))
for unroll in (False, True):
    for backwards in (False, True):
        kwargs = dict(return_sequences=True, return_state=True, unroll=unroll, go_backwards=backwards)
        plain = SimpleRNN(2, activation=None, **kwargs)
        model = keras.Model([i, s], plain(Masking()(i), initial_state=s))
        plain.set_weights([np.eye(2), np.eye(2) / 2, np.zeros(2)])
        seen = (given[:, ::-1], counts[:, ::-1]) if backwards else (given, counts)
        wanted = outputs(start, *seen, lambda x, h: (x + h / 2, x + h / 2))
        for found, expected in zip(model.predict([given, start], verbose=0), wanted):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        model = keras.Model(i, RNN(Sums(), **kwargs)(Masking()(i)))
        model.set_weights([1., 0.])
        wanted = outputs(0 * start, *seen, lambda x, h: (h + 2 * x, h + x))
        for found, expected in zip(model.predict(given, verbose=0), wanted):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
model = keras.Sequential([Input((5, 2)), Masking(), RNN(Sums(), unroll=True)])
model.compile(keras.optimizers.SGD(0.), 'mse')
model.train_on_batch(given, start)
assert float(model.get_weights()[-1]) == 5, model.get_weights()
images, mask = Input((3, 4, 4, 1)), Input((3,), dtype='bool')
model = keras.Model([images, mask], ConvLSTM2D(1, 2, return_sequences=True)(images, mask=mask))
found = model.predict([np.ones((2, 3, 4, 4, 1)), np.array([[1, 0, 0], [0, 1, 0]], bool)], verbose=0)
assert (found[1, 0] == 0).all() and (found[0] == found[0, :1]).all() and (found[1, 1:] == found[0, :1]).all()
"""

STEPS = """
import tensorflow as tf

class Trained(keras.Model):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def call(self, x, training=None):
        return self.inner(x, training=training)
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        weights = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.compiled_metrics.update_state(y, y_pred)
        return {'own': loss, **{m.name: m.result() for m in self.metrics if m.name != 'loss'}}

inner = keras.Sequential([Input((3,)), Dense(1, use_bias=False, kernel_initializer='zeros', kernel_regularizer='l2')])
model = Trained(inner)
model.compile(keras.optimizers.SGD(0.1), 'mse')
y = x.sum(1)
history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history['own']
w = .2 * np.mean(x * y[:, None], 0)
np.testing.assert_allclose(history, [np.mean(y ** 2), np.mean((x @ w - y) ** 2) + .01 * np.sum(w ** 2)], rtol=1e-5)

class Parts(Trained):
    call = keras.Model.call
    def train_step(self, data):
        x, y = data
        self.compiled_metrics.update_state(y, self.inner(x))
        return {m.name: m.result() for m in self.metrics}

model = Parts(inner)
model.compile('sgd', metrics=[keras.metrics.MeanAbsoluteError(name='mae')])
w = inner.get_weights()[0]
np.testing.assert_allclose(model.fit(x, y, verbose=0).history['mae'], [np.mean(np.abs(x @ w - y[:, None]))], rtol=1e-5)
"""

LOST = """
class Normalized(Layer):
    def build(self, shape):
        self.kernel = self.add_weight(name='kernel', shape=(3, 1), initializer='ones')
        super().build(shape)
    def call(self, x, training=None):
        if training:
            self.kernel.assign(self.kernel / 2)
        return K.dot(x, self.kernel)

model = keras.Sequential([Input((3,)), Normalized()])
model.compile(keras.optimizers.SGD(0.), 'mse')
try:
    model.fit(x, x[:, :1], batch_size=8, verbose=0)
    print('kept', model.get_weights()[0].ravel().tolist())
except Exception as error:
    print('told', error)
"""

TEXTS = {
    'order': ORDER,
    'ranks': RANKS,
    'epochs': EPOCHS,
    'layers': LAYERS,
    'sizes': SIZES,
    'places': PLACES,
    'rows': ROWS,
    'phases and outputs': PHASES + CHARGES + OUTPUTS,
    'weights of classes, states': CLASSES + STATES,
    'masked steps': MASKS,
}


@pytest.mark.parametrize('backend', INSIDE)
@pytest.mark.parametrize('text', TEXTS.values(), ids=TEXTS.keys())
def test_as_in_tf_keras(text, backend, tmp_path):
    """Order of weights, ranks of targets, ends of epochs, shapes and losses of layers, sizes, rows of embeddings."""
    program = tmp_path / 'program.py'
    program.write_text(START + text)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err


@pytest.mark.parametrize('backend', [name for name in INSIDE if name != 'jax'])
def test_steps_of_models(backend, tmp_path):
    """A `train_step` with a tape uses the loss and the metrics of `compile`; a model of parts alone has no `call`."""
    program = tmp_path / 'program.py'
    program.write_text(START + STEPS)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err


@pytest.mark.parametrize('backend', INSIDE)
def test_assigned_weights_are_kept_or_an_error_says_so(backend, tmp_path):
    """A weight that is trained and assigned in the call of a layer: JAX would lose the value."""
    program = tmp_path / 'program.py'
    program.write_text(START + LOST)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert ('KERAS_BACKEND=torch' if backend == 'jax' else 'kept [0.5, 0.5, 0.5]') in out

"""The learning phase in layers and models whose `call` does not name it: batch normalization, dropout, K.in_train_phase."""
# slow: yes
import json

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import (
    RNN,
    BatchNormalization,
    Bidirectional,
    Dense,
    Dropout,
    Flatten,
    Input,
    Lambda,
    Layer,
    SimpleRNN,
    TimeDistributed,
)
from tensorflow.keras.models import Model, Sequential

x = np.cos(np.arange(36.)).reshape(12, 3).astype('float32')
y = np.sin(np.arange(12.)).reshape(12, 1).astype('float32')


class Raised(Layer):
    """Adds 2 in training."""

    def call(self, inputs):
        return inputs + K.in_train_phase(2 * K.ones_like(inputs), K.zeros_like(inputs))


class Named(Raised):
    def call(self, inputs, training=None):
        return inputs * (3 if training else 1)


class Always(Layer):
    """In training where nothing says otherwise."""

    def call(self, inputs, training=True):
        return inputs + (1 if training else 0)


class Block(Layer):
    def __init__(self, *layers, **options):
        super().__init__(**options)
        self.parts = list(layers)

    def call(self, inputs):
        for part in self.parts:
            inputs = part(inputs)
        return inputs


class Handing(Block):
    def call(self, inputs, training=None):
        return super().call(inputs)


class Two(Block):
    def compute_output_shape(self, shape):
        return (*shape[:-1], 2)


class Keywords(Block):
    def call(self, inputs, **options):
        for part in self.parts:
            inputs = part(inputs, **options)
        return inputs


class Mixed(Block):
    """Its first layer is never in training, and the second is handed None."""

    def call(self, inputs):
        inputs = self.parts[0](inputs, training=False)
        inputs = self.parts[1](inputs, training=None)
        for part in self.parts[2:]:
            inputs = part(inputs)
        return inputs


class Charged(Layer):
    """Adds a loss in each of its calls, another one in training."""

    def call(self, inputs):
        self.add_loss(K.mean(K.square(inputs)) * K.in_train_phase(K.constant(.5), K.constant(.25)))
        return inputs


class Book(Model):
    """The usual style of books: no word of training."""

    def __init__(self, *layers):
        super().__init__()
        self.parts = list(layers)

    def call(self, inputs):
        for part in self.parts:
            inputs = part(inputs)
        return inputs


class BookHanding(Book):
    def call(self, inputs, training=None):
        return super().call(inputs)


class Applied:
    """No layer itself."""

    def call(self, inputs):
        return self.last(Raised()(self.normal(inputs)))


class FromMixin(Applied, Model):
    def __init__(self):
        super().__init__()
        self.normal, self.last = BatchNormalization(momentum=.8), Dense(1)


@keras.utils.register_keras_serializable()
class Cell(Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = self.state_size = self.output_size = units
        self.first, self.raised = Dense(units, activation='tanh'), Raised()

    def call(self, inputs, states):
        state = self.raised(self.first(K.concatenate([inputs, states[0]])))
        return state, [state]

    def get_config(self):
        return {'units': self.units}


def norm():
    return BatchNormalization(momentum=.8)


def graph(*layers, shape=(3,), **options):
    start = tensor = Input(shape)
    for layer in layers:
        tensor = layer(tensor, **options)
    return Model(start, Dense(1)(tensor))


def frozen():
    layer = norm()
    layer.trainable = False
    return Book(Dense(4), layer, norm(), Dense(1))


def steps(layer):
    return graph(Lambda(lambda t: K.stack([t, 2 * t, t * t], axis=1)), layer, Flatten())


def shared():
    charged = Charged()
    return Book(charged, Dense(4), charged, norm(), Dense(1), charged)


MODELS = {
    'book': lambda: Book(Dense(4), norm(), Raised(), Named(), Dense(1)),
    'with training': lambda: BookHanding(Dense(4), norm(), Raised(), Named(), Dense(1)),
    'models in models': lambda: Book(Dense(4), Book(norm(), BookHanding(Raised(), norm())), Dense(1)),
    'layers in layers': lambda: Book(Block(Dense(4), Handing(norm(), Block(Raised(), Named()))), Dense(1)),
    'keywords': lambda: Book(Keywords(norm(), Named()), Raised(), Dense(1)),
    'one without training': lambda: Book(Mixed(norm(), norm(), Raised(), Named(), norm()), Raised(), Dense(1)),
    'frozen': frozen,
    'from a mixin': FromMixin,
    'default': lambda: Book(Always(), norm(), Dense(1)),
    'functional': lambda: graph(Block(Dense(4), norm()), Raised(), Handing(norm(), Named())),
    'functional without training': lambda: graph(Book(Block(norm(), Raised()), Named(), norm()), training=False),
    'functional in a book': lambda: Book(graph(Block(Dense(4), norm()), Raised()), norm(), Raised(), Dense(1)),
    'functional of books': lambda: graph(Book(Dense(4), norm(), Raised()), BookHanding(norm(), Named())),
    'sequential': lambda: Sequential([Block(Dense(4), norm()), Raised(), Handing(norm(), Named()), Dense(1)]),
    'cell in a book': lambda: Book(steps(RNN(Cell(2))), Dense(1)),
    'time distributed': lambda: steps(TimeDistributed(Two(Dense(2), Raised()))),
    'both directions': lambda: steps(Bidirectional(RNN(Cell(2), return_sequences=True))),
    'lambda': lambda: Book(Lambda(Raised()), norm(), Dense(1)),
    'losses': lambda: Book(Charged(), Dense(4), Block(Charged(), norm(), Charged()), Raised(), Dense(1)),
    'losses of one layer': shared,
}


def weights_of(model):
    return sorted(float(np.mean(w)) for w in model.get_weights())


def prepared(model, **options):
    model.compile(keras.optimizers.SGD(.002), 'mse', **options)
    model(x[:4])
    # The same for all weights of a shape, whatever their order.
    model.set_weights([np.abs(np.cos(np.arange(w.size))).reshape(w.shape) * .5 + .1 for w in model.get_weights()])
    return model


def numbers(model):
    found = {'call': float(np.mean(model(x[:4]).numpy())), 'evaluate': float(model.evaluate(x, y, batch_size=4, verbose=0))}
    found['fit'] = [float(v) for v in model.fit(x, y, batch_size=4, shuffle=False, epochs=1, verbose=0).history['loss']]
    found['after fit'] = weights_of(model)
    found['train_on_batch'] = float(model.train_on_batch(x[:4], y[:4]))
    found['after a batch'] = weights_of(model)
    found['test_on_batch'] = float(model.test_on_batch(x[:4], y[:4]))
    found['predict'] = float(np.mean(model.predict(x[:4], verbose=0)))
    found['untouched'] = weights_of(model) == found['after a batch']
    found['call in training'] = float(np.mean(model(x[:4], training=True).numpy()))
    found['after the call'] = weights_of(model)
    return found


results = {name: numbers(prepared(make())) for name, make in MODELS.items()}


# Dropout is seen by its zeros.
def zeros(y_true, y_pred):
    return K.mean(K.cast(K.equal(y_pred, 0), 'float32'))


def drops(model):
    model.compile(keras.optimizers.SGD(0.), 'mse', metrics=[zeros])
    ones = np.ones((8, 6), 'float32')
    counts = {
        'fit': model.fit(ones, ones, verbose=0).history['zeros'][0],
        'train_on_batch': model.train_on_batch(ones, ones)[1],
        'evaluate': model.evaluate(ones, ones, verbose=0)[1],
        'test_on_batch': model.test_on_batch(ones, ones)[1],
        'predict': np.mean(model.predict(ones, verbose=0) == 0),
        'call': np.mean(model(ones).numpy() == 0),
        'call in training': np.mean(model(ones, training=True).numpy() == 0),
    }
    return {name: bool(.2 < count < .8) for name, count in counts.items()}


class DropCell(Cell):
    def __init__(self, units):
        super().__init__(units)
        self.dropout = Dropout(.5)

    def call(self, inputs, states):
        return self.dropout(inputs), [states[0]]


def listed(layer):
    return Sequential([Lambda(lambda t: K.stack([t, t], axis=1)), layer, Lambda(lambda t: t[:, -1])])


DROPPING = {
    'book': lambda: Book(Dropout(.5)),
    'block': lambda: Book(Block(Handing(Dropout(.5)))),
    'cell': lambda: Book(listed(RNN(DropCell(6), return_sequences=True))),
    'dropout of a layer of Keras': lambda: Book(listed(SimpleRNN(
        6, activation='linear', dropout=.5, kernel_initializer='identity', recurrent_initializer='zeros', return_sequences=True))),
    'after one without training': lambda: Book(Mixed(Named(), Named(), Dropout(.5))),
    'handed None': lambda: Book(Mixed(Named(), Dropout(.5))),
}
results['dropout'] = {name: drops(make()) for name, make in DROPPING.items()}

# A model that a loss calls is in no call of the model that is trained.
judge = prepared(Book(norm(), Raised(), Dense(2)))


def perceived(y_true, y_pred):
    return K.mean(K.square(judge(K.concatenate([y_true] * 3)) - judge(K.concatenate([y_pred] * 3))))


model = prepared(Book(norm(), Dense(1)), metrics=[perceived])
model.compile(keras.optimizers.SGD(.002), perceived)
results['in a loss'] = [float(v) for v in model.fit(x, y, batch_size=4, shuffle=False, epochs=2, verbose=0).history['loss']]
results['in a loss'] += weights_of(model) + weights_of(judge)

# What the program sets holds where no call says the phase.
for phase in (1, 0):
    K.set_learning_phase(phase)
    results[f'set to {phase}'] = {
        name: numbers(prepared(MODELS[name]()))
        for name in ('with training', 'functional')}
print('RESULT ' + json.dumps(results))

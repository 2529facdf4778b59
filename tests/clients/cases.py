"""What Keras computes on an engine, as arrays by name: the same program runs on the engine under test and on NumPy.

python cases.py FILE     computes every case and writes the arrays to FILE
"""

import os
import sys
import traceback

import keras
import numpy as np
from keras import backend as K
from keras import layers as L

from . import layer_lists, objectives

CASES = {}

# The moving averages of Keras 2.1 and 2.2 leave out their first value, where the launcher gives them K as it was then.
# Their number of steps is in no file.
UNBIASED_AVERAGES = 'keras_backend.keras2' in sys.modules and keras.__version__.startswith(('2.1.', '2.2.'))

# Keras 2.3 has clear_session with its own engines only.
ENGINE = sys.modules[os.environ['KERAS_BACKEND']]


def case(name):
    """Registers a function that returns {name: array}."""

    def register(function):
        CASES[name] = function
        return function

    return register


def settle(model, seed=0):
    """Weights that are the same wherever the model is made."""
    rng = np.random.RandomState(seed)
    for layer in model.layers:
        values = []
        for weight, value in zip(layer.weights, layer.get_weights()):
            new = rng.uniform(-0.5, 0.5, value.shape)
            values.append(np.abs(new) + 0.5 if 'variance' in weight.name else new)
        layer.set_weights(values)
    return model


def batch(kind, shape, samples=4):
    """What a model of a kind is fed with."""
    rng = np.random.RandomState(1)
    if kind == 'tokens':
        return [rng.randint(0, 10, (samples,) + shape)]
    x = rng.uniform(-1, 1, (samples,) + shape).astype('float32')
    if kind == 'masked':
        for sample, steps in enumerate((6, 3, 1, 5)):
            x[sample, steps:] = 0
        x[3, 2] = 0  # a gap
    return [x, x[::-1] * 0.7 + 0.1] if kind == 'pairs' else [x]


def run_steps(model, x, y, steps=3):
    """Train on one batch, several times."""
    for _ in range(steps):
        model.train_on_batch(x, y)


def _weights(model):
    return {f'{layer.name}, weight {i}': value for layer in model.layers for i, value in enumerate(layer.get_weights())}


def layers(kind, make, shape):
    """Predictions of every layer of a kind, the loss, and the weights after two steps of training."""
    ENGINE.clear_session()
    inputs = [L.Input(shape, dtype='int32' if kind == 'tokens' else None) for _ in range(2 if kind == 'pairs' else 1)]
    x = L.Masking()(inputs[0]) if kind == 'masked' else inputs if kind == 'pairs' else inputs[0]
    outputs = [layer(x) for layer in make()]
    model = settle(keras.models.Model(inputs, outputs))
    fed = batch(kind, shape)
    predicted = model.predict(fed)
    found = {f'{i}: {name}': value for i, (name, value) in enumerate(zip(model.output_names, predicted))}
    for name, tensor, value in zip(model.output_names, outputs, predicted):
        static = K.int_shape(tensor)
        assert len(static) == value.ndim, (name, static)
        assert all(s in (None, n) for s, n in zip(static, value.shape)), (name, static)
    if model.trainable_weights:
        model.compile(keras.optimizers.SGD(0.05), 'mse')
        targets = [np.sin(np.arange(v.size, dtype='float32')).reshape(v.shape) for v in predicted]
        found['losses'] = np.array([model.train_on_batch(fed, targets) for _ in range(2)])
        found.update(_weights(model))
    return found


for _kind, _make, _shape in layer_lists.kinds():
    case('layers, ' + _kind)(lambda k=_kind, m=_make, s=_shape: layers(k, m, s))


@case('stateful')
def stateful():
    """States that are kept between batches, forgotten on request, given, and returned."""
    ENGINE.clear_session()
    x = L.Input(batch_shape=(4, 6, 3))
    outputs = [
        L.SimpleRNN(3, stateful=True)(x),
        L.GRU(3, stateful=True, return_sequences=True)(x),
        L.LSTM(3, stateful=True)(x),
    ]
    model, found = settle(keras.models.Model(x, outputs)), {}
    fed = batch('recurrent', (6, 3))
    for time in 'first', 'second', 'third':
        found.update((f'{time} batch, {i}', v) for i, v in enumerate(model.predict(fed, batch_size=4)))
    model.reset_states()
    found.update((f'after reset, {i}', v) for i, v in enumerate(model.predict(fed, batch_size=4)))
    y, h, c = L.Input((6, 3)), L.Input((4,)), L.Input((4,))
    given = L.LSTM(4, return_state=True, return_sequences=True)(y, initial_state=[h, c])
    model = settle(keras.models.Model([y, h, c], given))
    state = np.linspace(-1, 1, 16).reshape(4, 4)
    found.update((f'given state, {i}', v) for i, v in enumerate(model.predict(fed + [state, state[::-1]])))
    return found


def siamese():
    """Two inputs through one normalization and one dense layer."""
    a, b = L.Input((5,)), L.Input((5,))
    normalize, dense = L.BatchNormalization(momentum=0.8), L.Dense(3, activation='tanh')
    return keras.models.Model([a, b], L.subtract([dense(normalize(a)), dense(normalize(b))]))


@case('layers called twice')
def called_twice():
    """Layers that update their weights or states, called on two inputs of one model, in training."""
    ENGINE.clear_session()
    model = settle(siamese())
    model.compile(keras.optimizers.SGD(0.1), 'mse')
    fed = batch('pairs', (5,))
    found = {'losses': np.array([model.train_on_batch(fed, np.ones((4, 3))) for _ in range(3)])}
    found.update(_weights(model))
    found['predictions'] = model.predict(fed)
    a, b = L.Input(batch_shape=(4, 6, 3)), L.Input(batch_shape=(4, 6, 3))
    shared = L.GRU(3, stateful=True)
    model = settle(keras.models.Model([a, b], [shared(a), shared(b)]))
    model.compile(keras.optimizers.SGD(0.1), 'mse')
    fed, targets = batch('pairs', (6, 3)), [np.ones((4, 3))] * 2
    found['stateful/losses'] = np.array([model.train_on_batch(fed, targets)[0] for _ in range(3)])
    found.update((f'stateful, {i}', value) for i, value in enumerate(model.predict(fed, batch_size=4)))
    found['state'] = K.get_value(shared.states[0])
    return found


@case('initializers and constraints')
def initializers():
    """Initializers that leave nothing to chance; constraints in training."""
    options = [dict(kernel_initializer=name) for name in ('zeros', 'ones', 'identity')]
    options += [dict(kernel_initializer=keras.initializers.Constant(0.3))]
    constraints = keras.constraints
    options += [
        dict(kernel_constraint=c, bias_constraint=c)
        for c in (
            constraints.max_norm(0.5, axis=0),
            constraints.non_neg(),
            constraints.unit_norm(axis=0),
            constraints.min_max_norm(0.3, 0.6, rate=0.5, axis=0),
        )
    ]
    return options_of_dense(options)


@case('regularizers')
def regularizers():
    """Regularizers of kernels, biases and outputs, in training."""
    made = keras.regularizers.l1(0.1), keras.regularizers.l2(0.1), keras.regularizers.l1_l2(0.1, 0.2)
    return options_of_dense([dict(kernel_regularizer=r, bias_regularizer=r, activity_regularizer=r) for r in made])


def options_of_dense(options):
    """Weights as they begin, where that is no chance, and after a step of training, and the losses."""
    ENGINE.clear_session()
    x = L.Input((5,))
    model = keras.models.Model(x, [L.Dense(5, **option)(x) for option in options])
    begun = _weights(model)
    found = {
        f'begun, dense {i}': begun[f'dense_{i + 1}, weight 0']
        for i, option in enumerate(options)
        if 'kernel_initializer' in option
    }
    settle(model)
    model.compile(keras.optimizers.SGD(0.1), 'mse')
    fed = batch('vectors', (5,))
    found['losses'] = np.array([model.train_on_batch(fed, [np.ones((4, 5))] * len(options)) for _ in range(2)])
    found.update(_weights(model))
    return found


@case('digits')
def digits():
    """One epoch on real digits, in order: a convolutional network, and a recurrent one that reads row by row."""
    from .digits import images

    (x, y), _ = images()
    found = {}
    for name in 'convolutional', 'recurrent':
        ENGINE.clear_session()
        model = settle(digits_model(name))
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9), 'sparse_categorical_crossentropy', metrics=['accuracy'])
        history = model.fit(x[:320], y[:320], batch_size=32, epochs=1, shuffle=False, verbose=0)
        found.update((f'{name}, {key}', np.array(v)) for key, v in history.history.items())
        found[name + ', predictions'] = model.predict(x[-50:])
    return found


def digits_model(name):
    """A network for images (8, 8, 1) of digits."""
    rows = L.Input((8, 8, 1))
    if name == 'convolutional':
        x = L.Conv2D(8, 3, activation='relu', padding='same')(rows)
        x = L.BatchNormalization()(x)
        x = L.MaxPooling2D()(x)
        x = L.Flatten()(x)
        x = L.Dense(32, activation='relu')(x)
    else:
        x = L.Reshape((8, 8))(rows)
        x = L.Bidirectional(L.GRU(12, return_sequences=True))(x)
        x = L.LSTM(16)(x)
    return keras.models.Model(rows, L.Dense(10, activation='softmax')(x))


def optimizer_case(make):
    """The weights after some steps of an optimizer."""
    ENGINE.clear_session()
    x = L.Input((5,))
    model = settle(keras.models.Model(x, L.Dense(2)(L.Dense(4, activation='tanh')(x))))
    model.compile(make(), 'mse')
    fed = batch('vectors', (5,), samples=8)
    found = {'losses': np.array([model.train_on_batch(fed, np.ones((8, 2))) for _ in range(5)])}
    found.update(_weights(model))
    return found


for _name, _make in objectives.optimizers().items():
    case('optimizer, ' + _name)(lambda make=_make: optimizer_case(make))


@case('losses')
def losses():
    """Every loss, its gradient, and what a model with it as objective reports."""
    ENGINE.clear_session()
    found = {}
    for kind, (target, output) in objectives.batches().items():
        names = [n for n in sorted(objectives.losses()) if objectives.kind(n) == kind]
        x, y = K.placeholder(output.shape), K.placeholder(target.shape)
        values = [objectives.losses()[n](y, x) for n in names]
        function = K.function([x, y], values + [K.gradients(K.sum(v), [x])[0] for v in values])
        for n, value in zip(names + ['gradient of ' + n for n in names], function([output, target])):
            found[f'{n} ({kind})'] = value
    return found


@case('objectives')
def objective_models():
    """Models that are trained and evaluated with every loss by its name, and with every class of losses."""
    found = {}
    for kind, (target, output) in objectives.batches().items():
        ENGINE.clear_session()
        names = [n for n in sorted(objectives.losses()) if objectives.kind(n) == kind]
        if not names:
            continue
        chosen = names + [c() for n, c in sorted(objectives.loss_classes().items()) if objectives.kind(n) == kind]
        x = L.Input(output.shape[1:])
        # A layer without a bias, at the identity, so that the outputs are probabilities where they have to be.
        outputs = [L.Dense(output.shape[1], use_bias=False, kernel_initializer='identity')(x) for _ in chosen]
        model = keras.models.Model(x, outputs)
        model.compile(keras.optimizers.SGD(0.001), chosen)
        found['trained, ' + kind] = np.array(model.train_on_batch(output, [target] * len(chosen)))
        found['evaluated, ' + kind] = np.array(model.evaluate(output, [target] * len(chosen), batch_size=2, verbose=0))
    return found


@case('metrics')
def metrics():
    """Every metric, over several batches."""
    found = {}
    for kind, (target, output) in objectives.batches().items():
        ENGINE.clear_session()
        chosen = [make() for name, make in sorted(objectives.metrics().items()) if objectives.kind(name) == kind]
        if not chosen:
            continue
        x = L.Input(output.shape[1:])
        model = keras.models.Model(x, L.Lambda(lambda t: t * 1.0)(x))
        model.compile('sgd', 'sparse_categorical_crossentropy' if kind == 'sparse' else 'mse', metrics=chosen)
        values = model.evaluate(output, target, batch_size=2, verbose=0)
        found.update((f'{n} ({kind})', np.array(v)) for n, v in zip(model.metrics_names, values))
    return found


def main(path):
    """Compute all, and say of each case that fails why."""
    arrays = {}
    for name, compute in CASES.items():
        try:
            arrays.update((f'{name}/{key}', value) for key, value in compute().items())
        except Exception:
            sys.stderr.write(f'{name}:\n{traceback.format_exc()}\n')
    np.savez(path, **arrays)


if __name__ == '__main__':
    main(sys.argv[1])

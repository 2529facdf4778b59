"""A model of several outputs, of which some have no loss: what `history`, `evaluate` and `metrics_names` tell of it."""

import pytest
from keras3_backends import INSIDE, passes

PROGRAM = """
import keras, numpy as np
i = keras.Input((3,))
first, second = keras.layers.Dense(2, name='a')(i), keras.layers.Dense(2, name='b')(i)
x, y = np.ones((8, 3)), np.ones((8, 2))
CASES = [
    ('a', ['mse', None], None, y), ('b', [None, 'mse'], [2., 2.], {'b': y}),
    ('b', {'b': 'mse'}, {'b': 2.}, {'b': y}), ('a', {'a': 'mse', 'b': None}, None, y),
]
for name, loss, weights, target in CASES:
    model = keras.Model(i, [first, second])
    model.compile(keras.optimizers.SGD(0.), loss=loss, loss_weights=weights)
    history = model.fit(x, target, batch_size=5, verbose=0).history
    wanted = np.mean((model.predict(x, verbose=0)['ab'.index(name)] - y) ** 2)
    means = {'loss': wanted * (2 if weights else 1), name + '_loss': wanted}
    assert set(history) == set(means), (loss, weights, set(history))
    for key, value in means.items():
        np.testing.assert_allclose(history[key], [value], rtol=1e-5, err_msg=str((loss, weights, key)))
    assert model.metrics_names == ['loss', name + '_loss'], model.metrics_names
    found = model.evaluate(x, target, verbose=0)
    np.testing.assert_allclose(found, [means['loss'], wanted], rtol=1e-5, err_msg=str((loss, weights)))
model = keras.Model(i, first)
model.compile('sgd', 'mse')
assert list(model.fit(x, y, verbose=0).history) == ['loss']
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_one_loss_of_two_outputs(backend, tmp_path):
    """The loss has the name of its output beside `loss`, without its weight."""
    passes(PROGRAM, backend, tmp_path)


DICTS = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

class Heads(keras.Model):
    def __init__(self):
        super().__init__()
        self.small, self.large = layers.Dense(1, kernel_initializer='zeros'), layers.Dense(2, kernel_initializer='zeros')
    def call(self, x):
        return {'small': self.small(x), 'large': self.large(x)}

x, targets = np.ones((4, 2)), {'small': np.full((4, 1), 3.), 'large': np.full((4, 2), 5.)}
model = Heads()
model.compile('sgd', {'small': 'mse', 'large': 'mae'}, metrics={'small': 'mae', 'large': ['mse']})
found = model.evaluate(x, targets, verbose=0)
np.testing.assert_allclose(found, [14, 5, 9, 25, 3])
assert model.metrics_names == ['loss', 'large_loss', 'small_loss', 'large_mse', 'small_mae'], model.metrics_names
np.testing.assert_allclose(model.test_on_batch(x, targets), [14, 5, 9, 25, 3])
assert dict(zip(model.metrics_names, found)) == model.evaluate(x, targets, verbose=0, return_dict=True)
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_results_of_outputs_by_keys(backend, tmp_path):
    """The results of a class of models that gives a dict are in the order of the sorted keys, losses first."""
    passes(DICTS, backend, tmp_path)


NAMES = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x, one, two = np.ones((4, 3)), np.full((4, 1), 2.), np.full((4, 2), 5.)

def of(name, size):
    return layers.Dense(size, name=name, kernel_initializer='zeros')

def listed():
    i = keras.Input((3,))
    return keras.Model(i, [of('b', 1)(i), of('a', 2)(i)])

def by_keys():
    i = keras.Input((3,))
    return keras.Model(i, {'two': of('x', 2)(i), 'one': of('y', 1)(i)})

def only():
    return keras.Sequential([keras.Input((3,)), of('p', 1)])

class Heads(keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.two = of('b', 1), of('a', 2)
    def call(self, x):
        return [self.one(x), self.two(x)]

class Keys(Heads):
    def call(self, x):
        return {'two': self.two(x), 'one': self.one(x)}

def own(y_true, y_pred):
    return keras.backend.mean(keras.backend.abs(y_true - y_pred), -1)

# What TensorFlow 2.10 has in metrics_names, history, return_dict and logs alike.
both, keys = [one, two], {'one': one, 'two': two}
CASES = [
    (listed, 'mse', ['mae', own], both, 'b_loss 4 a_loss 25 b_mae 2 b_own 2 a_mae 5 a_own 5'),
    (listed, {'a': 'mse'}, {'a': 'mae'}, {'a': two}, 'a_loss 25 a_mae 5'),
    (by_keys, {'two': 'mse', 'one': 'mae'}, {'two': ['mae', own], 'one': 'mse'}, keys,
     'y_loss 2 x_loss 25 y_mse 4 x_mae 5 x_own 5'),
    (by_keys, {'one': 'mse'}, {'one': 'mse'}, {'one': one}, 'y_loss 4 y_mse 4'),
    (Heads, 'mse', ['mae'], both, 'output_1_loss 4 output_2_loss 25 output_1_mae 2 output_2_mae 5'),
    (Heads, ['mse', 'mae'], [['mae'], ['mse', own]], both,
     'output_1_loss 4 output_2_loss 5 output_1_mae 2 output_2_mse 25 output_2_own 5'),
    (Keys, 'mse', ['mae'], keys, 'one_loss 4 two_loss 25 one_mae 2 two_mae 5'),
    (Keys, {'two': 'mse'}, {'two': ['mae']}, {'two': two}, 'two_loss 25 two_mae 5'),
    (only, {'p': 'mse'}, {'p': ['mae', own]}, {'p': one}, 'mae 2 own 2'),
    (only, 'mse', 'mae', one, 'mae 2'),
    (only, 'hinge', ['mse', 'acc', 'mae'], one, 'mse 4 acc 0 mae 2'),
]
for make, loss, metrics, targets, told in CASES:
    model = make()
    model.compile(keras.optimizers.SGD(0.), loss, metrics)
    assert model.metrics_names == [], model.metrics_names
    seen = []
    ends = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(list(logs)),
                                          on_epoch_end=lambda epoch, logs: seen.append(list(logs)))
    history = model.fit(x, targets, batch_size=2, validation_data=(x, targets), verbose=0, callbacks=[ends]).history
    told = told.split()
    names = ['loss', *told[::2]]
    assert [*names, *['val_' + name for name in names]] == list(history) == seen[-1], (told, list(history), seen)
    assert seen[0] == model.metrics_names == names, (told, seen, model.metrics_names)
    values = model.evaluate(x, targets, verbose=0)
    np.testing.assert_allclose(values[1:], [float(value) for value in told[1::2]], rtol=1e-5)
    for found in (model.evaluate(x, targets, verbose=0, return_dict=True), model.test_on_batch(x, targets, return_dict=True),
                  model.train_on_batch(x, targets, return_dict=True)):
        assert list(found) == names, (told, found)
        np.testing.assert_allclose(list(found.values()), values, rtol=1e-5)
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_names_and_order_of_results(backend, tmp_path):
    """Logs, `history`, `evaluate` and `metrics_names` have the names of tf.keras in its order."""
    passes(NAMES, backend, tmp_path)

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

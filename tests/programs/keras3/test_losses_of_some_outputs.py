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

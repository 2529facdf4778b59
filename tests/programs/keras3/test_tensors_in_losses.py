"""A loss that closes over tensors of the model: what is said of it, and that what is said works."""

import pytest
from keras3_backends import INSIDE, passes

PROGRAM = """
import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Model

x = Input((3,))
z_mean, z_log_var = Dense(3, kernel_initializer='ones')(x), Dense(3, kernel_initializer='zeros')(x)
y = Dense(3, kernel_initializer='zeros')(z_mean)
data = np.ones((4, 3), 'float32')

def kl(z_mean):
    return K.sum(K.square(z_mean) + K.exp(z_log_var), axis=-1)

def closing(inner):
    return lambda y_true, y_pred: K.mean(K.square(y_true - y_pred), axis=-1) + K.sum(inner, axis=-1)

def said(function):
    try:
        function()
    except (TypeError, ValueError) as error:
        return str(error)
    raise AssertionError('nothing was said')

def compiled(loss, **metrics):
    model = Model(x, y)
    model.compile('sgd', loss, **metrics)
    return model

for text in (said(lambda: compiled(lambda y_true, y_pred: kl(y_pred)).fit(data, data, verbose=0)),
             said(lambda: compiled('mse', metrics=[lambda y_true, y_pred: kl(y_pred)]).train_on_batch(data, data))):
    assert ': <lambda> uses z_log_var of the graph' in text and 'model.add_loss(K.mean(term))' in text, text
    assert 'KerasTensor' in text or '__jax_array__' in text, text
assert 'program.py:16: <lambda> uses inner of' in said(lambda: compiled(closing(z_mean)).evaluate(data, data, verbose=0))

model = Model(x, y)
term = kl(z_mean)
model.add_loss(K.mean(term))
model.add_metric(term, name='kl')
model.compile('sgd', 'mse')
found = dict(zip(model.metrics_names, model.evaluate(data, data, verbose=0)))
np.testing.assert_allclose([found['loss'], found['kl']], [1 + 30, 30], rtol=1e-5)
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_losses_over_tensors_of_the_model(backend, tmp_path):
    """The sentence names the line, the function and the tensors, above the words of Keras."""
    passes(PROGRAM, backend, tmp_path)

"""Sizes that are counted from labels, dtypes of Lambda layers, tensors as data, the decorator of tests."""
import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Embedding, Input, Lambda, Layer
from keras.models import Model, Sequential
from keras.utils.test_utils import keras_test

labels = np.array([3, 250], 'uint8')
model = Sequential([Dense(np.amax(labels) + 1, input_shape=(300,))])
kernel = model.get_weights()[0]
# Glorot's uniform numbers: their variance is 2 / (300 + 251).
assert kernel.shape == (300, 251) and abs(kernel.var() * 551 / 2 - 1) < 0.02
assert Sequential([Embedding(np.amax(labels) + 1, 2, input_length=4)]).get_weights()[0].shape == (251, 2)


def doubled(x):
    assert K.dtype(x) == 'float16'
    return 2 * x


half = Input((3,), dtype='float16')
made = Lambda(doubled)(half)
assert K.dtype(made) == 'float16' and K.int_shape(made) == (None, 3)
assert (Model(half, made).predict(np.ones((2, 3), 'float16')) == 2).all()

x, y = np.arange(8.).reshape(4, 2) / 8, np.arange(4.)[:, None]
model = Sequential([Dense(1, input_shape=(2,))])
model.compile('sgd', 'mse')
start = model.get_weights()
losses = [model.train_on_batch(x, y) for _ in range(2)]
model.set_weights(start)
for xs, ys in (K.variable(x), K.variable(y)), (K.constant(x), K.constant(y)):
    model.set_weights(start)
    history = model.fit(xs, ys, steps_per_epoch=1, epochs=2, verbose=0)
    np.testing.assert_allclose(history.history['loss'], losses, rtol=1e-5)
    assert model.predict(xs, steps=2).shape == (8, 1) and model.evaluate(xs, ys, steps=1, verbose=0) < losses[1]


class Scale(Layer):
    """A layer of 2016: its own variable, and the list that says so."""

    def build(self, input_shape):
        self.W = K.variable(np.ones(input_shape[1:]))
        self.trainable_weights = [self.W]
        super().build(input_shape)

    def call(self, x):
        return x * self.W


scale = Sequential([Scale(input_shape=(3,))])
assert len(scale.get_weights()) == len(scale.trainable_weights) == 1 and not scale.non_trainable_weights


@keras_test
def test_layer(units=2):
    return Dense(units).name


assert test_layer(units=3).startswith('dense') and test_layer.__name__ == 'test_layer'
np.warnings.filterwarnings('ignore')
print('cured')

"""Sizes that are counted from labels, and the decorator of tests."""
import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Embedding
from keras.models import Sequential
from keras.utils.test_utils import keras_test

labels = np.array([3, 250], 'uint8')
model = Sequential([Dense(np.amax(labels) + 1, input_shape=(300,))])
kernel = model.get_weights()[0]
# Glorot's uniform numbers: their variance is 2 / (300 + 251).
assert kernel.shape == (300, 251) and abs(kernel.var() * 551 / 2 - 1) < 0.02
assert Sequential([Embedding(np.amax(labels) + 1, 2, input_length=4)]).get_weights()[0].shape == (251, 2)


@keras_test
def test_layer(units=2):
    return Dense(units).name


assert test_layer(units=3).startswith('dense') and test_layer.__name__ == 'test_layer'
np.warnings.filterwarnings('ignore')
print('cured')

"""Flatten of Keras 2.3 draws a number of NumPy: what a seeded program draws later is what the original drew."""
import keras
import numpy as np
from keras.layers import Conv2D, Dense, Dropout, Flatten
from keras.models import Sequential

np.random.seed(7)
model = Sequential([Conv2D(2, 3, input_shape=(6, 6, 1)), Flatten(), Dropout(.5), Dense(4), Dense(1)])
# Recorded on TensorFlow 1.15.5.
original = {'2.3': [6, 3, 4, 8, 5, 2, 1, 0, 9, 7], '2.2': [8, 5, 3, 2, 6, 0, 1, 4, 9, 7]}
found = np.random.permutation(10).tolist()
assert found == original[keras.__version__[:3]], found
print('cured')

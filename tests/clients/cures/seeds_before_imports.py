"""Seeds given before Keras is imported, as scripts of 2016 did: the imports draw nothing."""
import random

import numpy as np

np.random.seed(1337)
random.seed(1337)
import keras  # noqa: F401
from keras.layers import Dense
from keras.models import Sequential

drawn = np.random.rand(3), random.random()
np.testing.assert_array_equal(drawn[0], np.random.RandomState(1337).rand(3))
assert drawn[1] == random.Random(1337).random()

# One layer takes one seed, of which there were 10 ** 7.
np.random.seed(3)
Sequential([Dense(3, input_shape=(2,))])
of_a_layer = np.random.rand()
expected = np.random.RandomState(3)
expected.randint(10e6)
assert of_a_layer == expected.rand()
print('cured')

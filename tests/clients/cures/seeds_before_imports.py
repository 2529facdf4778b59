"""Seeds given before Keras is imported, as scripts of 2016 did: the imports draw nothing."""
import random

import numpy as np

np.random.seed(1337)
random.seed(1337)
import keras  # noqa: F401
from keras.layers import Dense, Dropout
from keras.models import Sequential

drawn = np.random.rand(3), random.random()
np.testing.assert_array_equal(drawn[0], np.random.RandomState(1337).rand(3))
assert drawn[1] == random.Random(1337).random()

# Each of these takes one seed, of which the original has ten million; what is drawn next is then the same.
np.random.seed(3)
model = Sequential([Dense(3, input_shape=(2,))] + [Dense(3) for _ in range(15)] + [Dropout(.5)])
of_a_program = np.random.rand()
expected = np.random.RandomState(3)
for _ in range(17):
    expected.randint(10e6)
assert of_a_program == expected.rand()
print('cured')

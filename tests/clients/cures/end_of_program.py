"""Functions that live as long as the process does; nothing is said at its end."""
import keras
import numpy as np
from keras import backend as K

x = K.placeholder((None, 2))
function = K.function([x], [K.sum(x)])
assert function([np.ones((1, 2))]) == [2]
variable = K.variable(np.ones(3))
K.set_value(variable, 2 * K.get_value(variable))
assert K.eval(K.sum(variable)) == 6
model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
model.compile('sgd', 'mse')
model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
keras.kept = model, function
print('cured')

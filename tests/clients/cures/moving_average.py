"""The moving averages of Keras 2.2: right from the first value on. The numbers are those of the original."""
# keras: 2.2.4
import numpy as np
from keras import backend as K
from keras.layers import BatchNormalization, Input
from keras.models import Model

variable, value = K.variable([1., 2.]), K.placeholder((2,))
step = K.function([value], [], updates=[K.moving_average_update(variable, value, 0.5)])
for given, expected in ([4., 4.], [4., 4.]), ([8., 0.], [6.6666665, 1.3333334]), ([0., 0.], [2.857143, 0.5714286]):
    step([np.array(given)])
    assert np.allclose(K.get_value(variable), expected), K.get_value(variable)

random = np.random.RandomState(0)
x, y = random.randn(4, 8, 3) * 2 + 5, random.randn(4, 8, 3)
inputs = Input((3,))
model = Model(inputs, BatchNormalization(momentum=.9, center=False, scale=False)(inputs))
model.compile('sgd', 'mse')
means = [[6.8568, 5.9716, 4.574], [5.7532, 5.5866, 4.6988], [5.0205, 5.3776, 4.4072]]
variances = [[2.0148, 3.1589, 6.2771], [5.0835, 5.2663, 4.758], [4.4522, 3.7022, 3.3422]]
for i in range(3):
    model.train_on_batch(x[i], y[i])
    found = model.get_weights()
    assert np.allclose(found[0], means[i], atol=1e-3), found
    assert np.allclose(found[1], variances[i], atol=1e-3), found
assert len(model.weights) == 2
print('cured')

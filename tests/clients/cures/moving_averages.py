"""Moving averages of Keras 2.1 and 2.2: without the bias of the first value. The numbers are those of the original."""
# keras: 2.2.4
import numpy as np

from keras import backend as K
from keras.layers import BatchNormalization
from keras.models import Sequential

x, value = K.variable([1., 2.]), K.placeholder((2,))
step = K.function([value], [K.sum(value)], updates=[K.moving_average_update(x, value, .8)])
found = []
for i in range(4):
    step([np.array([10., 20.]) * (i + 1)])
    found.append(K.get_value(x).tolist())
    if i == 1:
        K.set_value(x, np.array([5., 5.]))  # the next step forgets it
original = [[10., 20.], [15.5555582, 31.1111164], [21.4754124, 42.9508247], [27.7506790, 55.5013580]]
np.testing.assert_allclose(found, original, rtol=1e-6)

# On TensorFlow the update is one operation.
if K.backend() == 'tensorflow':
    import tensorflow as tf

    with tf.control_dependencies([K.moving_average_update(x, value, .8)]):
        done = tf.identity(value)
    assert K.get_session().run(done, {value: [1., 1.]}).tolist() == [1., 1.]
    np.testing.assert_allclose(K.get_value(x), [1., 1.], rtol=1e-6)  # the first step of an average of its own

# After one step with any momentum, a model predicts with the mean and the variance of that batch.
model = Sequential([BatchNormalization(momentum=.99, epsilon=1e-3, input_shape=(3,))])
model.compile('sgd', 'mse')
batch = np.random.RandomState(0).normal(2., 3., (64, 3))
assert len(model.weights) == 4 and len(model.updates) == 2
model.train_on_batch(batch, 0 * batch)
mean, variance = model.get_weights()[2:]
np.testing.assert_allclose(mean, batch.mean(0), rtol=1e-5)
np.testing.assert_allclose(variance, batch.var(0) * 64 / (64 - 1.001), rtol=1e-4)
print('cured')

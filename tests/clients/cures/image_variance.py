"""The variance that BatchNormalization keeps of a batch of images, as the original has it: by n / (n - 1), twice."""
import numpy as np
from keras import backend as K
from keras.layers import BatchNormalization
from keras.models import Sequential

rng = np.random.RandomState(0)
for shape, axis, factor in (((3, 2, 4), -1, 12 / 11. * 12 / 10.999), ((6, 4), -1, 12 / 10.999), ((4,), -1, 2 / .999),
                            ((4, 3, 2), 1, 12 / 10.999)):
    x = rng.rand(2, *shape)
    model = Sequential([BatchNormalization(axis=axis, momentum=0., input_shape=shape)])
    model.compile('sgd', 'mse')
    model.train_on_batch(x, x)
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    np.testing.assert_allclose(model.get_weights()[3], x.var(others) * factor, rtol=1e-4, err_msg=str(shape))
x = rng.rand(2, 3, 2, 4)
normed, mean, variance = K.normalize_batch_in_training(K.variable(x), K.ones((4,)), None, [0, 1, 2])
np.testing.assert_allclose(K.eval(variance), x.var((0, 1, 2)) * 12 / 11., rtol=1e-4)
np.testing.assert_allclose(K.eval(normed), (x - x.mean((0, 1, 2))) / np.sqrt(x.var((0, 1, 2)) + 1e-3), atol=1e-4)
one = K.normalize_batch_in_training(K.ones((1, 1, 1, 2)), None, None, [0, 1, 2])[2]
np.testing.assert_array_equal(K.eval(one), [0, 0])
print('cured')

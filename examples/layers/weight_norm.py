"""Weight normalisation: Salimans and Kingma (2016), "Weight Normalization: A Simple Reparameterization to Accelerate
Training of Deep Neural Networks"."""

import numpy as np

import keras_backend as K


class WeightNormDense:
    """A dense layer. The length g of a weight vector is a parameter of its own: w = g v / |v| (eq. 2)."""

    def __init__(self, features, units):
        self.v = K.variable(np.random.normal(0.0, 0.05, (features, units)))
        self.g, self.bias = K.ones((units,)), K.zeros((units,))
        self.weights = [self.v, self.g, self.bias]

    def __call__(self, x):
        kernel = self.g * K.l2_normalize(self.v, axis=0)
        return K.bias_add(K.dot(x, kernel), self.bias)

    def begin(self, data):
        """Set g and the bias with a batch of data, so that outputs have mean 0 and variance 1 (eq. 5 and 6)."""
        x = K.placeholder((None, K.int_shape(self.v)[0]))
        (t,) = K.function([x], [K.dot(x, K.l2_normalize(self.v, axis=0))])([data])
        K.batch_set_value([(self.g, 1.0 / t.std(axis=0)), (self.bias, -t.mean(axis=0) / t.std(axis=0))])


if __name__ == '__main__':
    data = np.random.normal(3.0, 2.0, (100, 4))
    layer, x = WeightNormDense(features=4, units=2), K.placeholder((None, 4))
    layer.begin(data)
    (y,) = K.function([x], [layer(x)])([data])
    print('means and deviations of the outputs, before any training:', y.mean(0).round(3), y.std(0).round(3))

"""Instance normalisation: Ulyanov, Vedaldi and Lempitsky (2016), "Instance Normalization: The Missing Ingredient for
Fast Stylization"."""

import numpy as np

import keras_backend as K


class InstanceNormalization:
    """y_tijk = gamma_i (x_tijk - mu_ti) / sqrt(sigma^2_ti + epsilon) + beta_i (eq. 4). mu_ti and sigma^2_ti are the
    mean and the variance of channel i of image t over its pixels. Each channel has a scale and an offset."""

    def __init__(self, channels, data_format=None, epsilon=1e-5):
        self.data_format, self.epsilon = K.normalize_data_format(data_format), epsilon
        self.gamma, self.beta = K.ones((channels,)), K.zeros((channels,))
        self.weights = [self.gamma, self.beta]

    def __call__(self, x):
        last = self.data_format == 'channels_last'
        pixels = (1, 2) if last else (2, 3)
        mean, variance = K.mean(x, axis=pixels, keepdims=True), K.var(x, axis=pixels, keepdims=True)
        normal = (x - mean) / K.sqrt(variance + self.epsilon)
        shape = (1, 1, 1, -1) if last else (1, -1, 1, 1)
        return normal * K.reshape(self.gamma, shape) + K.reshape(self.beta, shape)


if __name__ == '__main__':
    x = K.placeholder((None, None, None, 3))
    normal = K.function([x], [InstanceNormalization(channels=3, data_format='channels_last')(x)])
    (y,) = normal([np.random.normal(5.0, 3.0, (2, 8, 8, 3))])
    print('means and deviations of the channels of an image:', y[0].mean((0, 1)).round(3), y[0].std((0, 1)).round(3))

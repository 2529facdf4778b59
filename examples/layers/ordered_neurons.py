"""ON-LSTM: Shen, Tan, Sordoni and Courville (2019), "Ordered Neurons: Integrating Tree Structures into Recurrent Neural
Networks"."""

import numpy as np

import keras_backend as K


def cumax(x):
    """cumsum(softmax(x)), the expectation of a gate (0, ..., 0, 1, ..., 1) (eq. 6 to 8)."""
    return K.cumsum(K.softmax(x), axis=-1)


class OrderedNeuronsLSTM:
    """An LSTM that forgets its cells in an order. Two master gates say how far (eq. 9 and 10):

        f~ = cumax(...)      i~ = 1 - cumax(...)      w = f~ * i~
        f^ = f * w + (f~ - w)      i^ = i * w + (i~ - w)                                   (eq. 12 and 13)
        c = f^ * c + i^ * c^      h = o * tanh(c)                                          (eq. 14, 5)

    Each entry of a master gate serves `chunk` cells.
    """

    def __init__(self, features, units, chunk=1):
        self.units, self.chunk, self.levels = units, chunk, units // chunk
        width = 4 * units + 2 * self.levels
        self.kernel = K.random_normal_variable((features, width), 0.0, features**-0.5)
        self.recurrent = K.random_normal_variable((units, width), 0.0, units**-0.5)
        self.bias = K.variable(np.zeros(width))
        self.weights = [self.kernel, self.recurrent, self.bias]

    def step(self, x, states):
        h, c = states
        n, levels = self.units, self.levels
        z = K.bias_add(K.dot(x, self.kernel) + K.dot(h, self.recurrent), self.bias)
        forget, enter, out = K.sigmoid(z[:, :n]), K.sigmoid(z[:, n : 2 * n]), K.sigmoid(z[:, 2 * n : 3 * n])
        new = K.tanh(z[:, 3 * n : 4 * n])
        master_forget = K.repeat_elements(cumax(z[:, 4 * n : 4 * n + levels]), self.chunk, axis=1)
        master_enter = 1.0 - K.repeat_elements(cumax(z[:, 4 * n + levels :]), self.chunk, axis=1)
        both = master_forget * master_enter
        c = (forget * both + (master_forget - both)) * c + (enter * both + (master_enter - both)) * new
        h = out * K.tanh(c)
        return h, [h, c]

    def __call__(self, x, mask=None):
        """(samples, time, features) -> (samples, time, units)"""
        start = K.zeros((K.shape(x)[0], self.units))
        _last, outputs, _states = K.rnn(self.step, x, [start, start], mask=mask)
        return outputs


if __name__ == '__main__':
    x = K.placeholder((None, None, 3))
    run = K.function([x], [OrderedNeuronsLSTM(features=3, units=8, chunk=2)(x)])
    print('2 sequences of 5 steps and 3 features ->', run([np.random.normal(size=(2, 5, 3))])[0].shape)

"""Phased LSTM: Neil, Pfeiffer and Liu (2016), "Phased LSTM: Accelerating Recurrent Network Training for Long or
Event-based Sequences"."""

import numpy as np

import keras_backend as K


class PhasedLSTM:
    """An LSTM whose cells are open at different times. A cell has a period tau, a shift s and a ratio r:

    phi = ((t - s) mod tau) / tau
    k = 2 phi / r  if phi < r / 2;   2 - 2 phi / r  if r / 2 < phi < r;   alpha phi  else         (eq. 6)
    c = k * c~ + (1 - k) * c      h = k * h~ + (1 - k) * h                                (eq. 7 to 10)
    """

    def __init__(self, features, units, open_ratio=0.25, leak=0.001, longest=4.0):
        self.units, self.leak = units, leak
        self.kernel = K.random_normal_variable((features, 4 * units), 0.0, features**-0.5)
        self.recurrent = K.random_normal_variable((units, 4 * units), 0.0, units**-0.5)
        self.bias = K.variable(np.zeros(4 * units))
        self.period = K.variable(np.exp(np.random.uniform(0.0, np.log(longest), units)))
        self.shift = K.variable(np.random.uniform(0.0, 1.0, units))
        self.ratio = K.variable(np.full(units, open_ratio))
        self.weights = [self.kernel, self.recurrent, self.bias, self.period, self.shift, self.ratio]

    def openness(self, time):
        """k, for times of shape (samples, 1)."""
        phase = ((time - self.shift) % self.period) / self.period
        rising = 2.0 * phase / self.ratio
        closed = K.switch(K.less(phase, self.ratio), 2.0 - rising, self.leak * phase)
        return K.switch(K.less(phase, 0.5 * self.ratio), rising, closed)

    def step(self, inputs, states):
        h, c = states
        n = self.units
        x, k = inputs[:, :-1], self.openness(inputs[:, -1:])
        z = K.bias_add(K.dot(x, self.kernel) + K.dot(h, self.recurrent), self.bias)
        proposed = K.sigmoid(z[:, n : 2 * n]) * c + K.sigmoid(z[:, :n]) * K.tanh(z[:, 2 * n : 3 * n])
        seen = K.sigmoid(z[:, 3 * n :]) * K.tanh(proposed)
        h, c = k * seen + (1.0 - k) * h, k * proposed + (1.0 - k) * c
        return h, [h, c]

    def __call__(self, x, times):
        """x: (samples, time, features); times: (samples, time, 1), in the unit of the periods."""
        start = K.zeros((K.shape(x)[0], self.units))
        last, _outputs, _states = K.rnn(self.step, K.concatenate([x, times]), [start, start])
        return last


if __name__ == '__main__':
    time = K.placeholder((None, 1))
    openness = K.function([time], [PhasedLSTM(features=2, units=3).openness(time)])
    for now in (0.0, 0.5, 1.0):
        print(f'how far 3 cells are open at {now}:', openness([np.array([[now]])])[0][0].round(4))

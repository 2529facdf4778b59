"""Networks that read digits, written with `import keras_backend as K` only: layers, models, loss, Adam, training.

`python -m keras_backend demo` trains the convolutional one, `python examples/digits.py` any of them. The file runs on
every engine, as a program of your own does that says `import keras_backend as K`.
"""

import numpy as np

import keras_backend as K

CLASSES = 10


# -- layers ------------------------------------------------------------------------------------------------------
class Layer:
    """Something with weights that maps tensors to tensors."""

    def __init__(self):
        self.weights = []

    def weight(self, shape, rng, fan_in, fan_out):
        """A weight with the initial values of Glorot and Bengio (2010)."""
        limit = np.sqrt(6.0 / (fan_in + fan_out))
        return self.keep(K.variable(rng.uniform(-limit, limit, shape)))

    def keep(self, variable):
        self.weights.append(variable)
        return variable


class Dense(Layer):
    def __init__(self, inputs, units, rng, activation=None):
        super().__init__()
        self.kernel = self.weight((inputs, units), rng, inputs, units)
        self.bias = self.keep(K.zeros((units,)))
        self.activation = activation

    def __call__(self, x):
        y = K.bias_add(K.dot(x, self.kernel), self.bias)
        return y if self.activation is None else self.activation(y)


class Conv2D(Layer):
    def __init__(self, channels, filters, rng, size=3):
        super().__init__()
        self.kernel = self.weight((size, size, channels, filters), rng, size * size * channels, size * size * filters)
        self.bias = self.keep(K.zeros((filters,)))

    def __call__(self, x):
        y = K.conv2d(x, self.kernel, padding='same', data_format='channels_last')
        return K.relu(K.bias_add(y, self.bias, data_format='channels_last'))


class LSTM(Layer):
    """Long short-term memory (Hochreiter and Schmidhuber 1997), with forget gates that start open."""

    def __init__(self, inputs, units, rng):
        super().__init__()
        self.units = units
        self.kernel = self.weight((inputs, 4 * units), rng, inputs, units)
        self.recurrent = self.weight((units, 4 * units), rng, units, units)
        bias = np.zeros(4 * units)
        bias[units : 2 * units] = 1
        self.bias = self.keep(K.variable(bias))

    def step(self, x, states):
        h, c = states
        n = self.units
        z = K.bias_add(K.dot(x, self.kernel) + K.dot(h, self.recurrent), self.bias)
        c = K.sigmoid(z[:, n : 2 * n]) * c + K.sigmoid(z[:, :n]) * K.tanh(z[:, 2 * n : 3 * n])
        h = K.sigmoid(z[:, 3 * n :]) * K.tanh(c)
        return h, [h, c]

    def __call__(self, x):
        start = K.zeros((K.shape(x)[0], self.units))
        last, _outputs, _states = K.rnn(self.step, x, [start, start])
        return last


def dropout(x, level):
    """Dropout in training only."""
    return K.in_train_phase(lambda: K.dropout(x, level), x)


# -- models ------------------------------------------------------------------------------------------------------
class Net:
    """Layers, and `logits(images)`, which applies them to a tensor."""

    layers = ()

    @property
    def weights(self):
        return [w for layer in self.layers for w in layer.weights]


class ConvNet(Net):
    """Two convolutions, a pooling, two dense layers."""

    def __init__(self, rng):
        self.layers = [
            Conv2D(1, 16, rng),
            Conv2D(16, 32, rng),
            Dense(4 * 4 * 32, 64, rng, K.relu),
            Dense(64, CLASSES, rng),
        ]

    def logits(self, images):
        x = self.layers[1](self.layers[0](K.expand_dims(images, -1)))
        x = K.pool2d(x, (2, 2), strides=(2, 2), data_format='channels_last')
        return self.layers[3](dropout(self.layers[2](K.batch_flatten(x)), 0.25))


class LSTMNet(Net):
    """An LSTM that reads the rows of an image one after the other."""

    def __init__(self, rng):
        self.layers = [LSTM(8, 64, rng), Dense(64, CLASSES, rng)]

    def logits(self, images):
        return self.layers[1](self.layers[0](images))


class MLPNet(Net):
    """Two dense layers."""

    def __init__(self, rng):
        self.layers = [Dense(64, 128, rng, K.relu), Dense(128, CLASSES, rng)]

    def logits(self, images):
        return self.layers[1](dropout(self.layers[0](K.batch_flatten(images)), 0.25))


# name -> (the class of the model, a good learning rate, a good number of epochs)
MODELS = {'conv': (ConvNet, 2e-3, 12), 'lstm': (LSTMNet, 5e-3, 24), 'mlp': (MLPNet, 2e-3, 24)}


def losses(labels, logits):
    """The loss of each image."""
    return K.categorical_crossentropy(K.one_hot(labels, CLASSES), logits, from_logits=True)


# -- training ----------------------------------------------------------------------------------------------------
def adam(weights, gradients, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """The updates of one step of Adam (Kingma and Ba 2015)."""
    steps = K.variable(0.0)
    t = steps + 1.0
    scaled = rate * K.sqrt(1.0 - K.pow(beta_2, t)) / (1.0 - K.pow(beta_1, t))
    updates = [(steps, t)]
    for w, g in zip(weights, gradients):
        m, v = K.zeros(K.int_shape(w)), K.zeros(K.int_shape(w))
        new_m = beta_1 * m + (1.0 - beta_1) * g
        new_v = beta_2 * v + (1.0 - beta_2) * K.square(g)
        updates += [(m, new_m), (v, new_v), (w, w - scaled * new_m / (K.sqrt(new_v) + epsilon))]
    return updates


class Classifier:
    """A model with its two compiled functions."""

    def __init__(self, make, rate, seed):
        np.random.seed(seed)
        images, labels = K.placeholder((None, 8, 8)), K.placeholder((None,), dtype='int32')
        net = make(np.random.RandomState(seed))
        logits = net.logits(images)
        loss = K.mean(losses(labels, logits))
        self.weights = net.weights
        self.first_rate, self.rate = rate, K.variable(rate)
        phase = K.learning_phase()
        updates = adam(self.weights, K.gradients(loss, self.weights), self.rate)
        self.train = K.function([images, labels, phase], [loss], updates=updates)
        self.probabilities = K.function([images, phase], [K.softmax(logits)])

    def predict(self, images):
        """The digit that each image is read as."""
        return self.probabilities([images, 0])[0].argmax(axis=1)

    def fit(self, images, labels, epochs, batch, rng, tell=lambda epoch, step, steps: None):
        """Yield the mean loss of each epoch. `tell(epoch, step, steps)` is called after each step."""
        steps = -(-len(images) // batch)
        for epoch in range(epochs):
            # Small steps at the end: the accuracy then no longer jumps from epoch to epoch.
            K.set_value(self.rate, self.first_rate * (1 - epoch / epochs))
            order = rng.permutation(len(images))
            step_losses = []
            for step in range(steps):
                rows = order[step * batch : (step + 1) * batch]
                step_losses.append(float(self.train([images[rows], labels[rows], 1])[0]))
                tell(epoch, step, steps)
            yield float(np.mean(step_losses))

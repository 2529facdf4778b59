"""A critic with a gradient penalty: Gulrajani, Ahmed, Arjovsky, Dumoulin and Courville (2017), "Improved Training of
Wasserstein GANs"."""

import numpy as np

import keras_backend as K


class Critic:
    """A network with one hidden layer that gives a number for each sample."""

    def __init__(self, features, hidden):
        self.kernel, self.bias = K.random_normal_variable((features, hidden), 0.0, features**-0.5), K.zeros((hidden,))
        self.output = K.random_normal_variable((hidden, 1), 0.0, hidden**-0.5)
        self.weights = [self.kernel, self.bias, self.output]

    def __call__(self, x):
        return K.dot(K.tanh(K.bias_add(K.dot(x, self.kernel), self.bias)), self.output)


def gradient_penalty(critic, x):
    """(|grad_x D(x)|_2 - 1)^2 for each sample."""
    gradient = K.gradients(K.sum(critic(x)), [x])[0]
    norm = K.sqrt(K.sum(K.square(gradient), axis=-1))
    return K.square(norm - 1.0)


def critic_loss(critic, real, fake, place, weight=10.0):
    """L = E[D(fake)] - E[D(real)] + lambda E[(|grad D(x^)| - 1)^2] (eq. 3),
    with x^ = place * real + (1 - place) * fake. `place` is uniform in [0, 1] (algorithm 1)."""
    between = place * real + (1.0 - place) * fake
    return K.mean(critic(fake)) - K.mean(critic(real)) + weight * K.mean(gradient_penalty(critic, between))


if __name__ == '__main__':
    x = K.placeholder((None, 4))
    penalty = K.function([x], [gradient_penalty(Critic(features=4, hidden=16), x)])
    print('(|gradient| - 1)^2 at 3 points:', penalty([np.random.normal(size=(3, 4))])[0])

"""The focal loss: Lin, Goyal, Girshick, He and Dollar (2017), "Focal Loss for Dense Object Detection"."""

import numpy as np

import keras_backend as K


def binary_focal_loss(target, output, gamma=2.0, alpha=0.25):
    """FL(p_t) = -alpha_t (1 - p_t)^gamma log(p_t), with p_t the predicted probability of the true class (eq. 5)."""
    p = K.clip(output, K.epsilon(), 1.0 - K.epsilon())
    right = target * p + (1.0 - target) * (1.0 - p)
    weight = target * alpha + (1.0 - target) * (1.0 - alpha)
    return -K.mean(weight * K.pow(1.0 - right, gamma) * K.log(right), axis=-1)


def categorical_focal_loss(target, output, gamma=2.0):
    """The same for several classes: -(1 - p_t)^gamma log(p_t) (eq. 4). `target` holds class numbers."""
    p = K.clip(output / K.sum(output, axis=-1, keepdims=True), K.epsilon(), 1.0 - K.epsilon())
    right = K.sum(K.one_hot(target, K.int_shape(output)[-1]) * p, axis=-1)
    return -K.pow(1.0 - right, gamma) * K.log(right)


if __name__ == '__main__':
    target, output = K.placeholder((None, 1)), K.placeholder((None, 1))
    loss = K.function([target, output], [binary_focal_loss(target, output)])
    for p in (0.1, 0.5, 0.9):
        print(f'a true class that is predicted with {p}: loss {loss([np.ones((1, 1)), np.full((1, 1), p)])[0][0]:.5f}')

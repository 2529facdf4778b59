"""K.function and K.gradients of keras_backend.keras3 beside predict_on_batch, on whatever Keras runs.

KERAS_BACKEND=jax python benchmarks/keras3_functions.py
"""

import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')

import keras
import numpy as np
from _measure import best, main
from keras import layers

import keras_backend.keras3 as K


def perceptron():
    x = keras.Input((20,))
    return keras.Model(x, layers.Dense(3)(layers.Dense(32, activation='relu')(x)))


def convolutions():
    x = y = keras.Input((32, 32, 3))
    for i in range(4):
        y = layers.Conv2D(16, 3, activation='relu', name=f'conv_{i}')(y)
    return keras.Model(x, layers.Dense(10, activation='softmax')(layers.GlobalAveragePooling2D()(y)))


def functions(report):
    for title, model, batch in (
        ('MLP, batch 1', perceptron(), 1),
        ('CNN, batch 1', convolutions(), 1),
        ('CNN, batch 32', convolutions(), 32),
    ):
        f = K.function([model.input], [model.output])
        x = np.random.RandomState(0).rand(batch, *model.input_shape[1:]).astype('float32')
        ours, theirs = best(lambda f=f, x=x: f([x]), lambda model=model, x=x: model.predict_on_batch(x))
        report.ratio(f'K.function, {title}', ours, 'predict_on_batch', theirs)


def gradients(report):
    model = convolutions()
    last = model.get_layer('conv_3').output
    x = np.random.RandomState(0).rand(8, 32, 32, 3).astype('float32')
    plain = K.function([model.input], [last, model.output])
    score = K.max(model.output, axis=-1)
    cam = K.function([model.input], [last, K.gradients(score, last)[0]])
    saliency = K.function([model.input], [K.gradients(score, model.input)[0]])
    forward, one, two = best(lambda: plain([x]), lambda: cam([x]), lambda: saliency([x]))
    report.ratio('Grad-CAM of the last convolution, batch 8', one, 'the outputs alone', forward)
    report.ratio('saliency, batch 8', two, 'the outputs alone', forward)


def run(report):
    functions(report)
    gradients(report)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])

"""Grad-CAM++ as of 2020 on a classifier over a base model: the base is a layer of the Sequential, its convolution is
found inside of it, and the head is called once more on the output of the base. Guided saliency by K.switch beside it."""
# original: graph
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Dense, Dropout, GlobalAveragePooling2D, Input, MaxPooling2D
from tensorflow.keras.models import Model, Sequential

rs = np.random.RandomState(41)
image_input = Input((16, 16, 3))
x = Conv2D(4, 3, activation='relu', padding='same', name='block1_conv1')(image_input)
x = MaxPooling2D()(x)
x = Conv2D(5, 3, activation='relu', padding='same', name='block2_conv1')(x)
base = Model(image_input, x, name='base')
model = Sequential([base, GlobalAveragePooling2D(), Dropout(.5), Dense(6, activation='relu'), Dense(4)])
model.build((None, 16, 16, 3))
model.set_weights([rs.normal(.1, .4, w.shape) for w in model.get_weights()])


def find_target_layer(model):
    for layer in reversed(model.layers):
        if len(K.int_shape(layer.output)) == 4:
            return layer.name
    raise ValueError('no layer with four axes')


def unwrapped(model):
    inner = model.layers[0]
    y = inner.output
    for layer in model.layers[1:]:
        y = layer(y)
    return inner.input, y


def grad_cam_plus_plus(model, img, cls):
    inputs, scores = unwrapped(model)
    conv_output = model.layers[0].get_layer(find_target_layer(model.layers[0])).output
    y_c = scores[0, cls]
    grads = K.gradients(y_c, conv_output)[0]
    first = K.exp(y_c) * grads
    second = K.exp(y_c) * grads * grads
    third = K.exp(y_c) * grads * grads * grads
    gradient_function = K.function([inputs], [y_c, first, second, third, conv_output, grads])
    y, first, second, third, output, grads = gradient_function([img])
    global_sum = np.sum(output[0].reshape((-1, first[0].shape[2])), axis=0)
    alpha_denom = second[0] * 2.0 + third[0] * global_sum.reshape((1, 1, -1))
    alpha_denom = np.where(np.abs(alpha_denom) > 1e-6, alpha_denom, np.ones(alpha_denom.shape))
    alphas = second[0] / alpha_denom
    weights = np.maximum(first[0], 0.0)
    alphas_thresholded = np.where(weights > 0, alphas, 0.)
    normalization = np.sum(np.sum(alphas_thresholded, axis=0), axis=0)
    alphas /= np.where(normalization != 0.0, normalization, np.ones(normalization.shape)).reshape((1, 1, -1))
    deep = np.sum((weights * alphas).reshape((-1, first[0].shape[2])), axis=0)
    cam = np.maximum(np.sum(deep * output[0], axis=2), 0)
    return y, cam / (np.max(cam) + 1e-12), grads[0]


def positive_saliency(model):
    inputs, scores = unwrapped(model)
    grads = K.gradients(K.max(scores, axis=-1), inputs)[0]
    kept = K.switch(K.greater(grads, K.zeros_like(grads)), grads, K.zeros_like(grads))
    kept = K.max(K.abs(kept), axis=-1)
    return K.function([inputs], [kept / (K.max(kept) + K.epsilon())])


img = rs.uniform(size=(1, 16, 16, 3)).astype('float32')
cls = int(np.argmax(model.predict(img, verbose=0)))
y, cam, grads = grad_cam_plus_plus(model, img, cls)
saliency = positive_saliency(model)([img])[0]
assert cam.shape == (8, 8) and saliency.shape == (1, 16, 16) and 0 <= saliency.min() and saliency.max() <= 1
print('RESULT ' + json.dumps({
    'score': float(y), 'cam': cam.tolist(), 'gradients': grads[:2, :2].tolist(), 'saliency': saliency[0, :4].tolist()}))

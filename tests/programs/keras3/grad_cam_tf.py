"""Grad-CAM as of 2019: K.gradients of a class score by the last convolution, K.mean, K.function, weights by NumPy."""
# original: graph
import json

import numpy as np
import tensorflow.keras.backend as K
from tensorflow.keras.layers import BatchNormalization, Conv2D, Dense, Dropout, GlobalAveragePooling2D, MaxPooling2D
from tensorflow.keras.models import Sequential

rs = np.random.RandomState(11)
model = Sequential([
    Conv2D(4, 3, padding='same', activation='relu', input_shape=(12, 12, 3)),
    BatchNormalization(), MaxPooling2D(),
    Conv2D(6, 3, padding='same', activation='relu', name='last_conv'),
    Dropout(.3), GlobalAveragePooling2D(), Dense(5, activation='softmax')])
model.set_weights([np.abs(rs.normal(.2, .4, w.shape)) if w.ndim == 1 else rs.normal(0, .4, w.shape)
                   for w in model.get_weights()])
model.compile('sgd', 'categorical_crossentropy')


def grad_cam(model, image, cls, layer_name):
    y_c = model.output[:, cls]
    conv_output = model.get_layer(layer_name).output
    grads = K.gradients(y_c, conv_output)[0]
    gradient_function = K.function([model.input], [conv_output, grads])
    output, grads_val = gradient_function([image])
    output, grads_val = output[0, :], grads_val[0, :, :, :]
    weights = np.mean(grads_val, axis=(0, 1))
    cam = np.maximum(np.dot(output, weights), 0)
    return cam / (cam.max() + 1e-12), grads_val


def pooled(model, images, cls, layer_name):
    conv_output = model.get_layer(layer_name).output
    grads = K.gradients(K.mean(model.output[:, cls]), conv_output)[0]
    grads = grads / (K.sqrt(K.mean(K.square(grads))) + K.epsilon())
    pooled_grads = K.mean(grads, axis=(0, 1, 2))
    iterate = K.function([model.input], [pooled_grads, conv_output[0]])
    pooled_value, conv_value = iterate([images])
    return (conv_value * pooled_value).mean(axis=-1)


images = rs.uniform(0, 1, (3, 12, 12, 3)).astype('float32')
cls = int(np.argmax(model.predict(images[:1], verbose=0)[0]))
cam, grads_val = grad_cam(model, images[:1], cls, 'last_conv')

# The weights of the model change, and the functions follow.
kernel, bias = model.layers[-1].get_weights()
model.layers[-1].set_weights([kernel[:, ::-1].copy(), bias[::-1].copy()])
other, _ = grad_cam(model, images[:1], 4 - cls, 'last_conv')
np.testing.assert_allclose(cam, other, atol=1e-4)
heat = pooled(model, images, 1, 'last_conv')
print('RESULT ' + json.dumps({'class': cls, 'cam': cam.tolist(), 'gradients': grads_val[0].tolist(),
                              'heat': heat.tolist()}))

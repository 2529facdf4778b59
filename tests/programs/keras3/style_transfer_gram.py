"""Neural style transfer as of 2019: pictures in K.variable beside a K.placeholder, Gram matrices, total variation, and
a Fetch class that gives loss and gradients to an optimizer outside."""
# original: graph
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import AveragePooling2D, Conv2D

rows, cols = 10, 10
rs = np.random.RandomState(14)
content_picture, style_picture, start = (rs.uniform(-.5, .5, (1, rows, cols, 3)).astype('float32') for _ in range(3))
base_image, style_image = K.variable(content_picture), K.variable(style_picture)
combination_image = K.placeholder((1, rows, cols, 3))
input_tensor = K.concatenate([base_image, style_image, combination_image], axis=0)
layers = [Conv2D(4, 3, padding='same', activation='relu'), AveragePooling2D(2),
          Conv2D(6, 3, padding='same', activation='relu')]
features, x = [], input_tensor
for layer in layers:
    x = layer(x)
    features.append(x)
    if layer.get_weights():
        layer.set_weights([rs.normal(0, .4, w.shape) for w in layer.get_weights()])


def gram_matrix(x):
    assert K.ndim(x) == 3
    if K.image_data_format() == 'channels_first':
        flat = K.batch_flatten(x)
    else:
        flat = K.batch_flatten(K.permute_dimensions(x, (2, 0, 1)))
    return K.dot(flat, K.transpose(flat))


def style_loss(style, combination):
    channels, size = 3, rows * cols
    return K.sum(K.square(gram_matrix(style) - gram_matrix(combination))) / (4. * (channels ** 2) * (size ** 2))


def content_loss(base, combination):
    return K.sum(K.square(combination - base))


def total_variation_loss(x):
    assert K.ndim(x) == 4
    a = K.square(x[:, :rows - 1, :cols - 1, :] - x[:, 1:, :cols - 1, :])
    b = K.square(x[:, :rows - 1, :cols - 1, :] - x[:, :rows - 1, 1:, :])
    return K.sum(K.pow(a + b, 1.25))


loss = .05 * content_loss(features[2][0, :, :, :], features[2][2, :, :, :])
for feature in (features[0], features[2]):
    loss = loss + style_loss(feature[1, :, :, :], feature[2, :, :, :]) / 2
loss = loss + .01 * total_variation_loss(combination_image)
grads = K.gradients(loss, combination_image)
outputs = [loss] + (list(grads) if isinstance(grads, (list, tuple)) else [grads])
f_outputs = K.function([combination_image], outputs)


class Evaluator(object):
    def loss(self, x):
        self.loss_value, grad = f_outputs([x.reshape((1, rows, cols, 3))])
        self.grad_values = np.array(grad).flatten().astype('float64')
        return float(self.loss_value)

    def grads(self, x):
        return self.grad_values


evaluator, x, losses = Evaluator(), start.flatten().astype('float64'), []
for _ in range(6):
    losses.append(evaluator.loss(x))
    x = x - 2. * evaluator.grads(x)
direction = rs.normal(0, 1, x.shape)
evaluator.loss(x)
slope = np.dot(evaluator.grads(x), direction)
around = (evaluator.loss(x + 1e-3 * direction) - evaluator.loss(x - 1e-3 * direction)) / 2e-3
assert abs(slope - around) < .02 * max(1, abs(slope)), (slope, around)
assert losses[-1] < losses[0], losses
K.set_value(base_image, style_picture)
print('RESULT ' + json.dumps({'losses': losses, 'picture': x.tolist(), 'other_content': evaluator.loss(x)}))

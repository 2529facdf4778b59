"""Neural style transfer: features of a fixed network, Gram matrices, total variation; the picture is found by scipy's
L-BFGS, with an Evaluator that keeps the gradients between its two questions."""
import argparse
import json
import time

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

from keras import backend as K
from keras.layers import Convolution2D, Input, MaxPooling2D
from keras.models import Model
# arguments: --iter 3 --content_weight 0.05 --style_weight 1.0 result

parser = argparse.ArgumentParser(description='Neural style transfer with Keras.')
parser.add_argument('result_prefix', metavar='res_prefix', type=str)
parser.add_argument('--iter', type=int, default=10, required=False)
parser.add_argument('--content_weight', type=float, default=0.025, required=False)
parser.add_argument('--style_weight', type=float, default=1.0, required=False)
parser.add_argument('--tv_weight', type=float, default=1e-3, required=False)
args = parser.parse_args()
img_nrows = img_ncols = 16


def preprocess_image(x):
    x = np.expand_dims(x * 255., axis=0)
    x = x[..., ::-1] - [103.939, 116.779, 123.68]
    return x.transpose(0, 3, 1, 2) if K.image_data_format() == 'channels_first' else x


def deprocess_image(x):
    if K.image_data_format() == 'channels_first':
        x = x.reshape((3, img_nrows, img_ncols)).transpose((1, 2, 0))
    else:
        x = x.reshape((img_nrows, img_ncols, 3))
    x = x + [103.939, 116.779, 123.68]
    return np.clip(x[:, :, ::-1], 0, 255).astype('uint8')


def network(input_tensor):
    img_input = Input(tensor=input_tensor, shape=K.int_shape(input_tensor)[1:])
    x = Convolution2D(8, (3, 3), activation='relu', padding='same', name='block1_conv1')(img_input)
    x = Convolution2D(8, (3, 3), activation='relu', padding='same', name='block1_conv2')(x)
    x = MaxPooling2D((2, 2), strides=(2, 2), name='block1_pool')(x)
    x = Convolution2D(12, (3, 3), activation='relu', padding='same', name='block2_conv1')(x)
    x = Convolution2D(12, (3, 3), activation='relu', padding='same', name='block2_conv2')(x)
    model = Model(img_input, x, name='small_vgg')
    rs = np.random.RandomState(0)
    for layer in model.layers:
        if layer.get_weights():
            layer.set_weights([rs.normal(0, np.sqrt(2. / w[..., 0].size) if w.ndim > 1 else .1, w.shape)
                               for w in layer.get_weights()])
        layer.trainable = False
    return model


def gram_matrix(x):
    assert K.ndim(x) == 3
    if K.image_data_format() == 'channels_first':
        features = K.batch_flatten(x)
    else:
        features = K.batch_flatten(K.permute_dimensions(x, (2, 0, 1)))
    return K.dot(features, K.transpose(features))


def style_loss(style, combination):
    S, C = gram_matrix(style), gram_matrix(combination)
    channels, size = 3, img_nrows * img_ncols
    return K.sum(K.square(S - C)) / (4. * (channels ** 2) * (size ** 2))


def total_variation_loss(x):
    assert K.ndim(x) == 4
    a = K.square(x[:, :img_nrows - 1, :img_ncols - 1, :] - x[:, 1:, :img_ncols - 1, :])
    b = K.square(x[:, :img_nrows - 1, :img_ncols - 1, :] - x[:, :img_nrows - 1, 1:, :])
    return K.sum(K.pow(a + b, 1.25))


ramp = np.linspace(0, 1, img_nrows)
base = np.stack([np.add.outer(ramp, ramp) / 2, np.outer(ramp, 1 - ramp), np.outer(ramp, ramp)], -1)
style = np.stack([np.add.outer(np.arange(16), np.arange(16)) % 4 / 3., np.eye(16), 1 - np.eye(16)], -1)
base_image = K.variable(preprocess_image(base))
style_reference_image = K.variable(preprocess_image(style))
if K.image_data_format() == 'channels_first':
    combination_image = K.placeholder((1, 3, img_nrows, img_ncols))
else:
    combination_image = K.placeholder((1, img_nrows, img_ncols, 3))
input_tensor = K.concatenate([base_image, style_reference_image, combination_image], axis=0)
model = network(input_tensor)
outputs_dict = dict([(layer.name, layer.output) for layer in model.layers])

loss = K.variable(0.)
layer_features = outputs_dict['block2_conv2']
content = K.sum(K.square(layer_features[2, :, :, :] - layer_features[0, :, :, :]))
loss = loss + args.content_weight * content
feature_layers = ['block1_conv1', 'block1_conv2', 'block2_conv1']
for layer_name in feature_layers:
    layer_features = outputs_dict[layer_name]
    sl = style_loss(layer_features[1, :, :, :], layer_features[2, :, :, :])
    loss = loss + (args.style_weight / len(feature_layers)) * sl
loss = loss + args.tv_weight * total_variation_loss(combination_image)
grads = K.gradients(loss, combination_image)
outputs = [loss]
if isinstance(grads, (list, tuple)):
    outputs += grads
else:
    outputs.append(grads)
f_outputs = K.function([combination_image], outputs)


def eval_loss_and_grads(x):
    x = x.reshape((1, 3, img_nrows, img_ncols) if K.image_data_format() == 'channels_first'
                  else (1, img_nrows, img_ncols, 3))
    outs = f_outputs([x])
    loss_value = outs[0]
    if len(outs[1:]) == 1:
        grad_values = outs[1].flatten().astype('float64')
    else:
        grad_values = np.array(outs[1:]).flatten().astype('float64')
    return loss_value, grad_values


class Evaluator(object):
    def __init__(self):
        self.loss_value = None
        self.grads_values = None

    def loss(self, x):
        assert self.loss_value is None
        loss_value, grad_values = eval_loss_and_grads(x)
        self.loss_value = loss_value
        self.grad_values = grad_values
        return self.loss_value

    def grads(self, x):
        assert self.loss_value is not None
        grad_values = np.copy(self.grad_values)
        self.loss_value = None
        self.grad_values = None
        return grad_values


evaluator = Evaluator()
x = preprocess_image(base)
first, gradient = eval_loss_and_grads(x)
assert np.isscalar(first) and gradient.shape == (768,)
history = [float(first)]
for i in range(args.iter):
    start_time = time.time()
    x, min_val, info = fmin_l_bfgs_b(evaluator.loss, x.flatten(), fprime=evaluator.grads, maxfun=20)
    history.append(float(min_val))
    img = deprocess_image(x.copy())
    fname = args.result_prefix + '_at_iteration_%d.npy' % i
    np.save(fname, img)
    print('Iteration %d: loss %s' % (i, round(min_val, 3)))
assert history[-1] < .3 * history[0], history
assert np.load(fname).shape == (16, 16, 3) and np.load(fname).dtype == np.uint8

# The gradient against differences of the loss along its own direction.
point = preprocess_image(base).ravel()
step = gradient / np.linalg.norm(gradient)
slope = (eval_loss_and_grads(point + step)[0] - eval_loss_and_grads(point - step)[0]) / 2.
assert abs(slope / np.linalg.norm(gradient) - 1) < 2e-2
scale = float(np.abs(gradient).max())
print('RESULT ' + json.dumps({'loss': float(first), 'largest': scale, 'gradient': (gradient[::29] / scale).tolist()}))

"""A neural doodle of 2016: regions of a painted mask by KMeans of scikit-learn, style losses region by region, the
masks pooled beside the features, two passes of L-BFGS over one evaluator."""
from __future__ import print_function
import json
import time

import numpy as np
from scipy.optimize import fmin_l_bfgs_b
from sklearn.cluster import KMeans

from keras import backend as K
from keras.layers import AveragePooling2D, Conv2D, Input, MaxPooling2D
from keras.models import Model, Sequential

nlabels, img_nrows, img_ncols = 3, 16, 20
style_weight, total_variation_weight, content_weight = 1., 1e-3, 0.05
feature_layers = ['block1_conv1', 'block2_conv1']
num_colors = nlabels


def paint(kind):
    """The doodle: three colors with a little noise, as a picture file would have."""
    picture = np.zeros((img_nrows, img_ncols, 3), dtype=np.float)
    picture[...] = (30, 60, 220)
    if kind == 'style':
        picture[8:, :] = (20, 180, 40)
        picture[3:7, 4:12] = (230, 230, 20)
    else:
        picture[10:, 5:] = (20, 180, 40)
        picture[2:8, 10:18] = (230, 230, 20)
    return picture + np.random.RandomState(0).randint(-3, 4, picture.shape)


def kmeans(xs, k):
    assert xs.ndim == 2
    kmeans = KMeans(n_clusters=k, n_init=5, random_state=0)
    res = kmeans.fit(xs).labels_
    centers = kmeans.cluster_centers_
    order = np.argsort(centers.sum(axis=1))
    return np.argsort(order)[res]


def load_mask_labels():
    target, style = paint('target'), paint('style')
    mask_vecs = np.vstack([style.reshape((-1, 3)), target.reshape((-1, 3))])
    labels = kmeans(mask_vecs, nlabels)
    style_mask_label = labels[:img_nrows * img_ncols].reshape((img_nrows, img_ncols))
    target_mask_label = labels[img_nrows * img_ncols:].reshape((img_nrows, img_ncols))
    stack_axis = 0 if K.image_data_format() == 'channels_first' else -1
    style_mask = np.stack([style_mask_label == r for r in xrange_(nlabels)], axis=stack_axis)
    target_mask = np.stack([target_mask_label == r for r in xrange_(nlabels)], axis=stack_axis)
    return np.expand_dims(style_mask, axis=0), np.expand_dims(target_mask, axis=0)


try:
    xrange_ = xrange
except NameError:
    xrange_ = range

ramp = np.add.outer(np.arange(img_nrows), 2 * np.arange(img_ncols))
style_picture = np.stack([np.sin(ramp / 3.), np.cos(ramp / 2.), np.sin(ramp / 5.)], axis=-1)[None] * 100
style_image = K.variable(style_picture)
target_image = K.placeholder(shape=(1, img_nrows, img_ncols, 3))
images = K.concatenate([style_image, target_image], axis=0)

raw_style_mask, raw_target_mask = load_mask_labels()
style_mask = K.variable(raw_style_mask.astype('float32'))
target_mask = K.variable(raw_target_mask.astype('float32'))
masks = K.concatenate([style_mask, target_mask], axis=0)

image_input = Input(tensor=images, shape=(img_nrows, img_ncols, 3))
x = Conv2D(6, (3, 3), activation='relu', padding='same', name='block1_conv1')(image_input)
x = MaxPooling2D((2, 2), name='block1_pool')(x)
x = Conv2D(8, (3, 3), activation='relu', padding='same', name='block2_conv1')(x)
image_model = Model(image_input, x)
rng = np.random.RandomState(1)
image_model.set_weights([rng.normal(0, np.sqrt(2. / np.prod(w.shape[:-1])) if w.ndim > 1 else .1, w.shape)
                         for w in image_model.get_weights()])
# The masks go through the same poolings.
mask_input = Input(tensor=masks, shape=(None, None, None), name='mask_input')
x = mask_input
for layer in image_model.layers[1:]:
    name = 'mask_%s' % layer.name
    if 'conv' in layer.name:
        x = AveragePooling2D((3, 3), padding='same', strides=(1, 1), name=name)(x)
    elif 'pool' in layer.name:
        x = AveragePooling2D((2, 2), name=name)(x)
mask_model = Model(mask_input, x)
image_features = {layer.name: layer.output for layer in image_model.layers}
mask_features = {layer.name[5:]: layer.output for layer in mask_model.layers}


def gram_matrix(x):
    assert K.ndim(x) == 3
    features = K.batch_flatten(K.permute_dimensions(x, (2, 0, 1)))
    return K.dot(features, K.transpose(features))


def region_style_loss(style_image, target_image, style_mask, target_mask):
    assert 3 == K.ndim(style_image) == K.ndim(target_image)
    assert 2 == K.ndim(style_mask) == K.ndim(target_mask)
    masked_style = style_image * K.expand_dims(style_mask, -1)
    masked_target = target_image * K.expand_dims(target_mask, -1)
    num_channels = K.shape(style_image)[-1]
    s = gram_matrix(masked_style) / K.mean(style_mask) / K.cast(num_channels, 'float32')
    c = gram_matrix(masked_target) / K.mean(target_mask) / K.cast(num_channels, 'float32')
    return K.mean(K.square(s - c))


def style_loss(name):
    images, masks = image_features[name], mask_features[name]
    loss = K.variable(0)
    for i in xrange_(num_colors):
        loss = loss + region_style_loss(images[0, :, :, :], images[1, :, :, :], masks[0, :, :, i], masks[1, :, :, i])
    return loss


def total_variation_loss(x):
    assert 4 == K.ndim(x)
    a = K.square(x[:, :img_nrows - 1, :img_ncols - 1, :] - x[:, 1:, :img_ncols - 1, :])
    b = K.square(x[:, :img_nrows - 1, :img_ncols - 1, :] - x[:, :img_nrows - 1, 1:, :])
    return K.sum(K.pow(a + b, 1.25))


loss = K.variable(0)
for layer in feature_layers:
    loss = loss + (style_weight / len(feature_layers)) * style_loss(layer) * 1e-6
loss = loss + total_variation_weight * total_variation_loss(target_image) * 1e-4
loss_grads = K.gradients(loss, target_image)
outputs = [loss]
if isinstance(loss_grads, (list, tuple)):
    outputs += loss_grads
else:
    outputs.append(loss_grads)
f_outputs = K.function([target_image], outputs)


def eval_loss_and_grads(x):
    outs = f_outputs([x.reshape((1, img_nrows, img_ncols, 3))])
    return outs[0], outs[1].flatten().astype('float64')


class Evaluator(object):
    def __init__(self):
        self.loss_value, self.grads_values = None, None

    def loss(self, x):
        assert self.loss_value is None
        self.loss_value, self.grad_values = eval_loss_and_grads(x)
        return self.loss_value

    def grads(self, x):
        assert self.loss_value is not None
        grad_values = np.copy(self.grad_values)
        self.loss_value, self.grad_values = None, None
        return grad_values


evaluator = Evaluator()
x = np.random.RandomState(5).uniform(0, 255, (1, img_nrows, img_ncols, 3)) - 128.
first, gradient = eval_loss_and_grads(x)
history = []
for i in range(2):
    start_time = time.clock() if hasattr(time, 'clock') else time.time()
    x, min_val, info = fmin_l_bfgs_b(evaluator.loss, x.flatten(), fprime=evaluator.grads, maxfun=15)
    print('Current loss value: %.4f after %d calls' % (min_val, info['funcalls']))
    history.append(float(min_val))
assert history[1] < history[0] < first
scale = np.abs(gradient).max()
print('RESULT ' + json.dumps({'first': float(first), 'regions': np.sum(raw_target_mask, axis=(0, 1, 2)).tolist(),
                              'gradient': (gradient[::37] / scale).tolist(), 'scale': float(scale)}))

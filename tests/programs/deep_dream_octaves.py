"""Deep dream of 2017: octaves from small to large, the detail that shrinking lost put back, gradients normalised by
their mean, a loss over the mean of chosen layers away from the border."""
from __future__ import print_function
import argparse
import json

import numpy as np
import scipy
import scipy.ndimage
from PIL import Image

from keras import backend as K
from keras.layers import Conv2D, Input, MaxPooling2D, concatenate
from keras.models import Model
from keras.preprocessing.image import img_to_array, load_img
# arguments: base.png dream

parser = argparse.ArgumentParser(description='Deep Dreams with Keras.')
parser.add_argument('base_image_path', metavar='base', type=str)
parser.add_argument('result_prefix', metavar='res_prefix', type=str)
args = parser.parse_args()
settings = {'features': {'mixed1': 0.2, 'mixed2': 3.}}
K.set_learning_phase(0)

# A picture instead of a photograph.
side = 36
yy, xx = np.mgrid[0:side, 0:side] / np.float(side)
picture = np.stack([np.sin(9 * xx) * np.cos(7 * yy), xx * yy * 2 - 1, np.sin(5 * (xx + yy))], axis=2)
Image.fromarray(((picture + 1) * 127.5).astype(np.uint8)).save(args.base_image_path)


def preprocess_image(image_path):
    img = load_img(image_path)
    img = img_to_array(img)
    img = np.expand_dims(img, axis=0)
    return img / 127.5 - 1.


def deprocess_image(x):
    x = x.reshape((x.shape[1], x.shape[2], 3)).copy()
    x /= 2.
    x += 0.5
    x *= 255.
    return np.clip(x, 0, 255).astype('uint8')


def small_inception(seed=3):
    inp = Input(shape=(None, None, 3))
    x = Conv2D(8, 3, strides=(2, 2), activation='relu', padding='same', name='stem')(inp)
    a = Conv2D(6, 1, activation='relu', name='m1a')(x)
    b = Conv2D(6, 3, activation='relu', padding='same', name='m1b')(x)
    x = concatenate([a, b], axis=-1, name='mixed1')
    x = MaxPooling2D((3, 3), strides=(1, 1), padding='same')(x)
    a = Conv2D(6, 1, activation='relu', name='m2a')(x)
    b = Conv2D(6, 5, activation='relu', padding='same', name='m2b')(x)
    x = concatenate([a, b], axis=-1, name='mixed2')
    model = Model(inp, x)
    rng = np.random.RandomState(seed)
    model.set_weights([rng.normal(0, np.sqrt(2. / np.prod(w.shape[:-1])) if w.ndim > 1 else .1, w.shape)
                       for w in model.get_weights()])
    return model


model = small_inception()
dream = model.input
layer_dict = dict([(layer.name, layer) for layer in model.layers])
loss = K.variable(0.)
for layer_name in sorted(settings['features']):
    assert layer_name in layer_dict.keys(), 'Layer ' + layer_name + ' not found in model.'
    coeff = settings['features'][layer_name]
    x = layer_dict[layer_name].output
    scaling = K.prod(K.cast(K.shape(x), 'float32'))
    if K.image_data_format() == 'channels_first':
        loss = loss + coeff * K.sum(K.square(x[:, :, 2: -2, 2: -2])) / scaling
    else:
        loss = loss + coeff * K.sum(K.square(x[:, 2: -2, 2: -2, :])) / scaling
grads = K.gradients(loss, dream)[0]
grads /= K.maximum(K.mean(K.abs(grads)), K.epsilon())
fetch_loss_and_grads = K.function([dream], [loss, grads])


def eval_loss_and_grads(x):
    outs = fetch_loss_and_grads([x])
    return outs[0], outs[1]


def resize_img(img, size):
    img = np.copy(img)
    factors = (1, float(size[0]) / img.shape[1], float(size[1]) / img.shape[2], 1)
    return scipy.ndimage.zoom(img, factors, order=1)


def gradient_ascent(x, iterations, step, max_loss=None):
    losses = []
    for i in range(iterations):
        loss_value, grad_values = eval_loss_and_grads(x)
        if max_loss is not None and loss_value > max_loss:
            break
        print('..Loss value at', i, ':', loss_value)
        losses.append(float(loss_value))
        x += step * grad_values
    return x, losses


def save_img(img, fname):
    Image.fromarray(deprocess_image(np.copy(img))).save(fname)


step, num_octave, octave_scale, iterations, max_loss = 0.01, 3, 1.4, 4, 100.
img = preprocess_image(args.base_image_path)
original_shape = img.shape[1:3]
successive_shapes = [original_shape]
for i in range(1, num_octave):
    shape = tuple([int(dim / (octave_scale ** i)) for dim in original_shape])
    successive_shapes.append(shape)
successive_shapes = successive_shapes[::-1]
original_img = np.copy(img)
shrunk_original_img = resize_img(img, successive_shapes[0])
history = []
for shape in successive_shapes:
    print('Processing image shape', shape)
    img = resize_img(img, shape)
    img, losses = gradient_ascent(img, iterations=iterations, step=step, max_loss=max_loss)
    upscaled_shrunk_original_img = resize_img(shrunk_original_img, shape)
    same_size_original = resize_img(original_img, shape)
    lost_detail = same_size_original - upscaled_shrunk_original_img
    img += lost_detail
    shrunk_original_img = resize_img(original_img, shape)
    save_img(img, fname='dream_at_scale_' + str(shape) + '.png')
    history.append(losses)
save_img(img, fname=args.result_prefix + '.png')
saved = np.asarray(Image.open(args.result_prefix + '.png'))
assert saved.shape == (side, side, 3) and all(losses[-1] > losses[0] for losses in history), history
print('RESULT ' + json.dumps({'losses': history, 'shapes': [list(s) for s in successive_shapes],
                              'picture': img[0, ::7, ::7, :].ravel().tolist()}))

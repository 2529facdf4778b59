"""Larger and moved pictures: sub-pixel convolution by tf.depth_to_space, an EDSR with scaled residuals, PSNR and SSIM
as metrics, a warp by flow with tf.gather_nd, a perceptual loss by a frozen network, Charbonnier and total
variation."""
# engines: tensorflow
import json

import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.layers import Add, Conv2D, Conv2DTranspose, Input, Lambda, PReLU
from keras.models import Model, Sequential
from keras.optimizers import SGD

SIZE, SCALE = 6, 2


def SubpixelConv2D(scale, **kwargs):
    return Lambda(lambda x: tf.depth_to_space(x, scale), **kwargs)


def ssim(y_true, y_pred):
    """By patches of 3x3, as keras_contrib's DSSIM."""
    patches = [tf.extract_image_patches(t, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME') for t in (y_true, y_pred)]
    u = [K.mean(p, axis=-1) for p in patches]
    var = [K.var(p, axis=-1) for p in patches]
    covar = K.mean(patches[0] * patches[1], axis=-1) - u[0] * u[1]
    c1, c2 = .01 ** 2, .03 ** 2
    return K.mean((2 * u[0] * u[1] + c1) * (2 * covar + c2) /
                  ((K.square(u[0]) + K.square(u[1]) + c1) * (var[0] + var[1] + c2)))


def psnr(y_true, y_pred):
    return tf.reduce_mean(tf.image.psnr(y_true, y_pred, max_val=1.))


def psnr_by_log(y_true, y_pred):
    return -10. * K.log(K.mean(K.square(y_pred - y_true))) / np.log(10.)


def charbonnier(y_true, y_pred):
    return tf.reduce_mean(tf.sqrt(tf.square(y_true - y_pred) + 1e-6))


def edsr(filters=6, blocks=2, scaling=.5):
    x_in = Input((SIZE, SIZE, 3))
    x = b = Conv2D(filters, 3, padding='same')(Lambda(lambda t: (t - .45) * 2)(x_in))
    for _ in range(blocks):
        r = Conv2D(filters, 3, padding='same', activation='relu')(b)
        r = Lambda(lambda t: t * scaling)(Conv2D(filters, 3, padding='same')(r))
        b = Add()([b, r])
    x = Add()([x, Conv2D(filters, 3, padding='same')(b)])
    x = SubpixelConv2D(SCALE, name='shuffle')(Conv2D(3 * SCALE ** 2, 3, padding='same')(x))
    x = Conv2D(3, 3, padding='same')(PReLU(shared_axes=[1, 2])(x))
    larger = Lambda(lambda t: tf.image.resize_bicubic(t, (SIZE * SCALE, SIZE * SCALE)))(x_in)
    return Model(x_in, Lambda(lambda t: t / 2 + .45)(Add()([x, larger])))


def warp(args):
    """Each pixel from where its flow points to, between four neighbours."""
    image, flow = args
    shape = tf.shape(image)
    b, y, x = tf.meshgrid(tf.range(shape[0]), tf.range(shape[1]), tf.range(shape[2]), indexing='ij')
    at_y, at_x = tf.to_float(y) + flow[..., 0], tf.to_float(x) + flow[..., 1]
    y0, x0 = tf.floor(at_y), tf.floor(at_x)
    out = 0.
    for dy in range(2):
        for dx in range(2):
            iy = tf.clip_by_value(tf.to_int32(y0) + dy, 0, shape[1] - 1)
            ix = tf.clip_by_value(tf.to_int32(x0) + dx, 0, shape[2] - 1)
            weight = (1 - tf.abs(at_y - y0 - dy)) * (1 - tf.abs(at_x - x0 - dx))
            out += tf.expand_dims(weight, -1) * tf.gather_nd(image, tf.stack([b, iy, ix], axis=-1))
    return out


rs = np.random.RandomState(9)
ramp = np.linspace(0, 1, SIZE * SCALE)
hr = np.stack([np.sin(3 * np.add.outer(a * ramp, b * ramp))[..., None] * c / 2 + .5 for a, b, c in rs.rand(8, 3)])
hr = np.clip(np.repeat(hr, 3, axis=-1) + .1 * rs.rand(8, SIZE * SCALE, SIZE * SCALE, 3), 0, 1)
lr = hr.reshape(8, SIZE, SCALE, SIZE, SCALE, 3).mean((2, 4))
model = edsr()
model.set_weights([rs.normal(0, np.sqrt(.7 / max(w[..., 0].size, 9)), w.shape) for w in model.get_weights()])
predicted = model.predict(lr)
model.compile(SGD(lr=.02, momentum=.9), loss=charbonnier, metrics=[psnr, psnr_by_log, ssim])
steps = [[float(v) for v in model.train_on_batch(lr, hr)] for _ in range(3)]
by_hand = -10 * np.log10(((predicted - hr) ** 2).mean((1, 2, 3)))
np.testing.assert_allclose(steps[0][1], by_hand.mean(), rtol=1e-4)
for _ in range(40):
    last = model.train_on_batch(lr, hr)
assert last[0] < .8 * steps[0][0] and last[1] > steps[0][1]

# The shuffle against NumPy, and its inverse.
t = rs.rand(2, 3, 4, 8)
shuffled = K.eval(tf.depth_to_space(K.constant(t), 2))
np.testing.assert_allclose(shuffled, t.reshape(2, 3, 4, 2, 2, 2).transpose(0, 1, 3, 2, 4, 5).reshape(2, 6, 8, 2),
                           atol=1e-6)
np.testing.assert_allclose(K.eval(tf.space_to_depth(K.constant(shuffled), 2)), t, atol=1e-6)

# Features of a frozen network as a loss, on the outputs of another model.
vgg = Sequential([Conv2D(4, 3, activation='relu', padding='same', input_shape=(None, None, 3)),
                  Conv2D(4, 3, strides=2)])
vgg.set_weights([rs.normal(0, .3, w.shape) for w in vgg.get_weights()])
vgg.trainable = False
features = Model(vgg.inputs, vgg.outputs)
features.trainable = False


def perceptual(y_true, y_pred):
    y_true = K.reshape(y_true, (-1, SIZE * SCALE, SIZE * SCALE, 3))
    content = K.mean(K.square(features(y_true) - features(y_pred)))
    variation = tf.reduce_mean(tf.image.total_variation(y_pred)) / (SIZE * SCALE) ** 2
    return content + .1 * variation


deconv = Sequential([Conv2DTranspose(4, 3, strides=2, padding='same', activation='relu', input_shape=(SIZE, SIZE, 3)),
                     Conv2D(3, 3, padding='same', activation='sigmoid')])
deconv.set_weights([rs.normal(0, .3, w.shape) for w in deconv.get_weights()])
deconv.compile('sgd', loss=perceptual)
kept = vgg.get_weights()
perceived = [float(deconv.train_on_batch(lr, hr)) for _ in range(3)]
for a, b in zip(kept, vgg.get_weights()):
    np.testing.assert_array_equal(a, b)

# A flow that is found by gradients.
image, flow = Input((8, 8, 2)), Input((8, 8, 2))
warped = Model([image, flow], Lambda(warp, output_shape=(8, 8, 2))([image, flow]))
pictures = rs.rand(2, 8, 8, 2)
still = warped.predict([pictures, np.zeros((2, 8, 8, 2))])
np.testing.assert_allclose(still, pictures, atol=1e-6)
shifted = warped.predict([pictures, np.ones((2, 8, 8, 2)) * [0, 1]])
np.testing.assert_allclose(shifted[:, :, :-1], pictures[:, :, 1:], atol=1e-6)
drawn = rs.uniform(-1.4, 1.4, (2, 8, 8, 2))
half = warped.predict([pictures, drawn])
slopes = K.function(warped.inputs, K.gradients(K.mean(K.square(warped.output - .5)), warped.inputs))([pictures, drawn])
sobel = K.eval(tf.image.sobel_edges(K.constant(pictures[:1])))
print('RESULT ' + json.dumps({'predicted': predicted.ravel()[::41].tolist(), 'steps': steps, 'perceived': perceived,
                              'half': half.ravel()[::9].tolist(), 'slopes': [s.ravel()[::9].tolist() for s in slopes],
                              'sobel': sobel.ravel()[::7].tolist()}))

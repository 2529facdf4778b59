"""Super resolution as of 2020: a perceptual loss through a frozen network, a Charbonnier loss, PSNR and SSIM as metrics,
an upsampling layer with K.resize_images."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Input, Lambda
from tensorflow.keras.models import Model, Sequential

rs = np.random.RandomState(27)
features = Sequential([Conv2D(4, 3, activation='relu', input_shape=(8, 8, 3)), Conv2D(4, 3, activation='relu')])
features.set_weights([rs.normal(0, .3, w.shape) for w in features.get_weights()])
features.trainable = False


def perceptual_loss(y_true, y_pred):
    return K.mean(K.square(features(y_true) - features(y_pred)))


def charbonnier(y_true, y_pred):
    return K.mean(K.sqrt(K.square(y_true - y_pred) + 1e-3 ** 2))


def combined(y_true, y_pred):
    return perceptual_loss(y_true, y_pred) + .1 * charbonnier(y_true, y_pred)


def psnr(y_true, y_pred):
    return -10. * K.log(K.mean(K.square(y_pred - y_true), axis=[1, 2, 3])) / K.log(10.)


def ssim(y_true, y_pred):
    u_true, u_pred = K.mean(y_true, axis=[1, 2, 3]), K.mean(y_pred, axis=[1, 2, 3])
    var_true, var_pred = K.var(y_true, axis=[1, 2, 3]), K.var(y_pred, axis=[1, 2, 3])
    std_true, std_pred = K.sqrt(var_true), K.sqrt(var_pred)
    c1, c2 = K.square(.01), K.square(.03)
    value = (2 * u_true * u_pred + c1) * (2 * std_pred * std_true + c2)
    return value / ((K.square(u_true) + K.square(u_pred) + c1) * (var_pred + var_true + c2))


def depth_to_space(x):
    x = K.reshape(x, (-1, 4, 4, 2, 2, 3))
    x = K.permute_dimensions(x, (0, 1, 3, 2, 4, 5))
    return K.reshape(x, (-1, 8, 8, 3))


small = Input((4, 4, 3))
up = Lambda(lambda t: K.resize_images(t, 2, 2, 'channels_last', interpolation='nearest'), output_shape=(8, 8, 3))(small)
detail = Lambda(depth_to_space, output_shape=(8, 8, 3))(Conv2D(12, 3, padding='same')(small))
model = Model(small, Conv2D(3, 3, padding='same')(up + detail))
for layer in model.layers:
    layer.set_weights([rs.normal(0, .3, w.shape) for w in layer.get_weights()])
large = rs.uniform(0, 1, (12, 8, 8, 3)).astype('float32')
little = large.reshape((12, 4, 2, 4, 2, 3)).mean((2, 4))
model.compile('sgd', combined, metrics=[psnr, ssim])
p = model.predict(little, verbose=0).astype('float64')
first = model.evaluate(little, large, batch_size=12, verbose=0)
np.testing.assert_allclose(first[1], np.mean(-10 * np.log10(((p - large) ** 2).mean((1, 2, 3)))), rtol=1e-4)
frozen = features.get_weights()[0].copy()
history = model.fit(little, large, batch_size=4, epochs=2, shuffle=False, verbose=0)
assert (features.get_weights()[0] == frozen).all()
print('RESULT ' + json.dumps({'first': [float(v) for v in first], 'loss': [float(v) for v in history.history['loss']],
                              'psnr': [float(v) for v in history.history['psnr']], 'picture': p[0].tolist()}))

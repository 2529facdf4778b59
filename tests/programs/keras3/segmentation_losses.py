"""A small U-Net as of 2020 with the losses of segmentation: dice, Jaccard, Tversky, focal Tversky, a sum of two."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Conv2D, Conv2DTranspose, Input, MaxPooling2D, concatenate
from tensorflow.keras.losses import binary_crossentropy
from tensorflow.keras.models import Model

K = tf.keras.backend
smooth = 1.


def dice_coef(y_true, y_pred):
    y_true_f, y_pred_f = K.flatten(y_true), K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return (2. * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)


def dice_coef_loss(y_true, y_pred):
    return 1 - dice_coef(y_true, y_pred)


def jaccard_distance(y_true, y_pred, smooth=100):
    intersection = K.sum(K.abs(y_true * y_pred), axis=-1)
    sum_ = K.sum(K.abs(y_true) + K.abs(y_pred), axis=-1)
    return (1 - (intersection + smooth) / (sum_ - intersection + smooth)) * smooth


def tversky(y_true, y_pred):
    y_true_pos, y_pred_pos = K.batch_flatten(y_true), K.batch_flatten(y_pred)
    true_pos = K.sum(y_true_pos * y_pred_pos, 1)
    false_neg = K.sum(y_true_pos * (1 - y_pred_pos), 1)
    false_pos = K.sum((1 - y_true_pos) * y_pred_pos, 1)
    alpha = 0.7
    return (true_pos + smooth) / (true_pos + alpha * false_neg + (1 - alpha) * false_pos + smooth)


def focal_tversky(y_true, y_pred):
    return K.pow(K.mean(1 - tversky(y_true, y_pred)), 0.75)


def bce_dice_loss(y_true, y_pred):
    return K.mean(binary_crossentropy(y_true, y_pred)) + dice_coef_loss(y_true, y_pred)


def mean_iou(y_true, y_pred):
    prec = []
    for t in np.arange(0.4, 0.6, 0.05):
        y_pred_ = K.cast(K.greater(y_pred, t), 'float32')
        both = K.sum(y_true * y_pred_, axis=[1, 2, 3])
        either = K.sum(K.cast(K.greater(y_true + y_pred_, 0), 'float32'), axis=[1, 2, 3])
        prec.append(both / (either + K.epsilon()))
    return K.mean(K.stack(prec), axis=0)


def unet():
    inputs = Input((8, 8, 1))
    c1 = Conv2D(3, 3, activation='relu', padding='same')(inputs)
    p1 = MaxPooling2D()(c1)
    c2 = Conv2D(6, 3, activation='relu', padding='same')(p1)
    u1 = concatenate([Conv2DTranspose(3, 2, strides=2, padding='same')(c2), c1], axis=3)
    return Model(inputs, Conv2D(1, 1, activation='sigmoid')(u1))


rs = np.random.RandomState(8)
x = rs.uniform(0, 1, (12, 8, 8, 1)).astype('float32')
y = (x + .3 * np.roll(x, 1, axis=1) > .7).astype('float32')
results = {}
for loss in (dice_coef_loss, jaccard_distance, focal_tversky, bce_dice_loss):
    model, rs = unet(), np.random.RandomState(9)
    model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
    model.compile(optimizer='adam', loss=loss, metrics=[dice_coef, mean_iou])
    first = model.evaluate(x[:4], y[:4], batch_size=4, verbose=0)
    p, t = model.predict(x[:4], verbose=0).astype('float64'), y[:4]
    np.testing.assert_allclose(first[1], (2 * (p * t).sum() + 1) / (p.sum() + t.sum() + 1), rtol=1e-4)
    history = model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    results[loss.__name__] = [[float(v) for v in first], [float(v) for v in history.history['loss']],
                              [float(v) for v in history.history['mean_iou']]]
print('RESULT ' + json.dumps(results))

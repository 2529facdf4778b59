"""A U-Net with attention gates as of 2020, for pictures of odd sizes: crops by tf, Dice and IoU as classes of Metric with
add_weight and assign_add, a focal Tversky loss by K.flatten and K.sum, a combo of two outputs, MeanIoU with argmax."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers
from tensorflow.keras.layers import BatchNormalization, Conv2D, Input, Lambda, MaxPooling2D, UpSampling2D, concatenate
from tensorflow.keras.metrics import Metric
from tensorflow.keras.models import Model


class DiceCoefficient(Metric):
    def __init__(self, threshold=0.5, name='dice', **kwargs):
        super(DiceCoefficient, self).__init__(name=name, **kwargs)
        self.threshold = threshold
        self.intersection = self.add_weight(name='intersection', initializer='zeros')
        self.union = self.add_weight(name='union', initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = K.flatten(tf.cast(y_true, tf.float32))
        y_pred = K.flatten(tf.cast(y_pred > self.threshold, tf.float32))
        self.intersection.assign_add(K.sum(y_true * y_pred))
        self.union.assign_add(K.sum(y_true) + K.sum(y_pred))

    def result(self):
        return (2. * self.intersection + K.epsilon()) / (self.union + K.epsilon())

    def reset_states(self):
        self.intersection.assign(0.)
        self.union.assign(0.)


class SoftmaxMeanIoU(tf.keras.metrics.MeanIoU):
    def update_state(self, y_true, y_pred, sample_weight=None):
        both = tf.stack([1. - y_pred, y_pred], axis=-1)
        return super(SoftmaxMeanIoU, self).update_state(y_true, tf.argmax(both, axis=-1), sample_weight)


def tversky(y_true, y_pred, smooth=1.):
    y_true_pos, y_pred_pos = K.flatten(y_true), K.flatten(y_pred)
    true_pos = K.sum(y_true_pos * y_pred_pos)
    false_neg = K.sum(y_true_pos * (1 - y_pred_pos))
    false_pos = K.sum((1 - y_true_pos) * y_pred_pos)
    alpha = 0.7
    return (true_pos + smooth) / (true_pos + alpha * false_neg + (1 - alpha) * false_pos + smooth)


def focal_tversky(y_true, y_pred):
    return K.pow((1 - tversky(y_true, y_pred)), 0.75)


def binary_focal_loss(gamma=2., alpha=.25):
    def binary_focal_loss_fixed(y_true, y_pred):
        y_true = tf.cast(y_true, tf.float32)
        epsilon = K.epsilon()
        y_pred = K.clip(y_pred, epsilon, 1.0 - epsilon)
        p_t = tf.where(K.equal(y_true, 1), y_pred, 1 - y_pred)
        alpha_factor = K.ones_like(y_true) * alpha
        alpha_t = tf.where(K.equal(y_true, 1), alpha_factor, 1 - alpha_factor)
        weight = alpha_t * K.pow((1 - p_t), gamma)
        return K.mean(K.sum(weight * -K.log(p_t), axis=1))
    return binary_focal_loss_fixed


def expend_as(tensor, rep):
    return Lambda(lambda x, repnum: K.repeat_elements(x, repnum, axis=3), arguments={'repnum': rep})(tensor)


def attn_gating_block(x, g, inter_shape):
    shape_x = K.int_shape(x)
    theta_x = Conv2D(inter_shape, (2, 2), strides=(2, 2), padding='same')(x)
    phi_g = Conv2D(inter_shape, (1, 1), padding='same')(g)
    act_xg = layers.Activation('relu')(layers.add([phi_g, theta_x]))
    psi = layers.Activation('sigmoid')(Conv2D(1, (1, 1), padding='same')(act_xg))
    shape_sigmoid = K.int_shape(psi)
    upsample_psi = UpSampling2D(size=(-(-shape_x[1] // shape_sigmoid[1]), -(-shape_x[2] // shape_sigmoid[2])))(psi)
    upsample_psi = Lambda(lambda t: t[:, :shape_x[1], :shape_x[2], :])(upsample_psi)
    y = layers.multiply([expend_as(upsample_psi, shape_x[3]), x])
    return BatchNormalization()(Conv2D(shape_x[3], (1, 1), padding='same')(y))


rs = np.random.RandomState(41)
img = Input(shape=(9, 9, 1))
conv1 = Conv2D(4, (3, 3), padding='same', activation='relu')(img)
pool1 = MaxPooling2D(pool_size=(2, 2), padding='same')(conv1)
center = Conv2D(6, (3, 3), padding='same', activation='relu')(pool1)
gate = BatchNormalization()(Conv2D(6, (1, 1), padding='same')(center))
attn1 = attn_gating_block(conv1, gate, 5)
up1 = layers.Conv2DTranspose(4, (3, 3), strides=(2, 2), padding='same', activation='relu')(center)
up1 = Lambda(lambda t: t[:, :9, :9, :])(up1)
final = Conv2D(1, (1, 1), activation='sigmoid', name='final')(concatenate([up1, attn1]))
deep = Conv2D(1, (1, 1), activation='sigmoid', name='deep')(center)
model = Model(inputs=img, outputs=[final, deep])
model.set_weights([np.abs(rs.normal(0, .4, w.shape)) if w.ndim == 1 else rs.normal(0, .4, w.shape)
                   for w in model.get_weights()])
images = rs.normal(0, .5, (12, 9, 9, 1)).astype('float32')
masks = (rs.uniform(size=(12, 1, 1, 1)) + np.linspace(-1, 1, 9)[None, :, None, None] + 0 * images > .5).astype('float32')
images += masks
model.compile(optimizer='sgd', loss={'final': focal_tversky, 'deep': binary_focal_loss()},
              loss_weights={'final': 1., 'deep': .5},
              metrics={'final': [DiceCoefficient(), SoftmaxMeanIoU(num_classes=2, name='iou')]})
start = model.evaluate(images, {'final': masks, 'deep': masks[:, ::2, ::2]}, batch_size=6, verbose=0)
history = model.fit(images, {'final': masks, 'deep': masks[:, ::2, ::2]}, batch_size=6, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'start': float(start[0]), 'picture': model.predict(images[:1], verbose=0)[0][0, 4, :, 0].tolist(),
    **{name: [float(v) for v in values] for name, values in history.history.items()}}))

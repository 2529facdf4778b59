"""The multibox loss of SSD as of 2018 to 2020, a class with `tf.*`: smooth L1, softmax loss, the hardest negatives by
tf.nn.top_k over the batch, tf.cond where there are none. A head on two feature maps gives the boxes."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Activation, Concatenate, Conv2D, Input, Reshape
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD

N_CLASSES, N_BOXES = 4, 2


class SSDLoss:
    def __init__(self, neg_pos_ratio=3, n_neg_min=0, alpha=1.0):
        self.neg_pos_ratio = neg_pos_ratio
        self.n_neg_min = n_neg_min
        self.alpha = alpha

    def smooth_L1_loss(self, y_true, y_pred):
        absolute_loss = tf.abs(y_true - y_pred)
        square_loss = 0.5 * (y_true - y_pred)**2
        l1_loss = tf.where(tf.less(absolute_loss, 1.0), square_loss, absolute_loss - 0.5)
        return tf.reduce_sum(l1_loss, axis=-1)

    def log_loss(self, y_true, y_pred):
        y_pred = tf.maximum(y_pred, 1e-15)
        return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)

    def compute_loss(self, y_true, y_pred):
        neg_pos_ratio = tf.constant(self.neg_pos_ratio)
        n_neg_min = tf.constant(self.n_neg_min)
        batch_size = tf.shape(y_pred)[0]
        n_boxes = tf.shape(y_pred)[1]

        classification_loss = tf.cast(self.log_loss(y_true[:, :, :-4], y_pred[:, :, :-4]), tf.float32)
        localization_loss = tf.cast(self.smooth_L1_loss(y_true[:, :, -4:], y_pred[:, :, -4:]), tf.float32)

        negatives = y_true[:, :, 0]
        positives = tf.cast(tf.reduce_max(y_true[:, :, 1:-4], axis=-1), tf.float32)
        n_positive = tf.reduce_sum(positives)
        pos_class_loss = tf.reduce_sum(classification_loss * positives, axis=-1)

        neg_class_loss_all = classification_loss * negatives
        n_neg_losses = tf.math.count_nonzero(neg_class_loss_all, dtype=tf.int32)
        n_negative_keep = tf.minimum(tf.maximum(neg_pos_ratio * tf.cast(n_positive, tf.int32), n_neg_min), n_neg_losses)

        # The k of top_k may be a tensor; thresholds by a sort of all losses do without.
        def f1():
            return tf.zeros([batch_size])

        def f2():
            flat = tf.reshape(neg_class_loss_all, [-1])
            order = tf.argsort(flat, direction='DESCENDING', stable=True)
            ranks = tf.argsort(order, stable=True)
            keep = tf.cast(tf.less(ranks, n_negative_keep), tf.float32)
            keep = tf.reshape(keep, [batch_size, n_boxes])
            return tf.reduce_sum(classification_loss * keep, axis=-1)

        neg_class_loss = tf.cond(tf.equal(n_neg_losses, tf.constant(0)), f1, f2)
        class_loss = pos_class_loss + neg_class_loss
        loc_loss = tf.reduce_sum(localization_loss * positives, axis=-1)
        total_loss = (class_loss + self.alpha * loc_loss) / tf.maximum(1.0, n_positive)
        return total_loss * tf.cast(batch_size, tf.float32)


def head(feature, name):
    conf = Conv2D(N_BOXES * N_CLASSES, (3, 3), padding='same', name=name + '_mbox_conf')(feature)
    loc = Conv2D(N_BOXES * 4, (3, 3), padding='same', name=name + '_mbox_loc')(feature)
    return Reshape((-1, N_CLASSES))(conf), Reshape((-1, 4))(loc)


rs = np.random.RandomState(5)
img_input = Input(shape=(16, 16, 3), name='image')
conv1 = Conv2D(6, (3, 3), strides=(2, 2), padding='same', activation='elu', name='conv1')(img_input)
conv2 = Conv2D(8, (3, 3), strides=(2, 2), padding='same', activation='elu', name='conv2')(conv1)
conv3 = Conv2D(8, (3, 3), strides=(2, 2), padding='same', activation='elu', name='conv3')(conv2)
heads = [head(conv2, 'conv2'), head(conv3, 'conv3')]
mbox_conf = Concatenate(axis=1, name='mbox_conf')([c for c, _ in heads])
mbox_loc = Concatenate(axis=1, name='mbox_loc')([loc for _, loc in heads])
mbox_conf_softmax = Activation('softmax', name='mbox_conf_softmax')(mbox_conf)
predictions = Concatenate(axis=2, name='predictions')([mbox_conf_softmax, mbox_loc])
model = Model(img_input, predictions)
model.set_weights([rs.normal(0, .2, w.shape) for w in model.get_weights()])

images = rs.uniform(-1, 1, (8, 16, 16, 3)).astype('float32')
total = model.output_shape[1]
classes = np.where(rs.uniform(size=(8, total)) < .1, rs.randint(1, N_CLASSES, (8, total)), 0)
classes[0] = 0  # a picture with nothing in it
encoded = np.concatenate([np.eye(N_CLASSES)[classes], rs.normal(0, 1, (8, total, 4))], axis=-1).astype('float32')
encoded[1, :5, :N_CLASSES] = 0  # neutral boxes

ssd_loss = SSDLoss(neg_pos_ratio=3, alpha=1.0)
model.compile(optimizer=SGD(learning_rate=0.01, momentum=0.9), loss=ssd_loss.compute_loss)
before = model.evaluate(images, encoded, batch_size=4, verbose=0)
history = model.fit(images, encoded, batch_size=4, epochs=4, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'boxes': int(total), 'before': float(before), 'losses': [float(v) for v in history.history['loss']],
    'first': model.predict(images[:1], verbose=0)[0, :3].tolist()}))

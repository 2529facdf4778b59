"""A one-stage detector of the SSD kind: prior boxes, a layer that scales norms, a loss class with hard negatives mined
by tf.nn.top_k, and the decoding in a session of its own."""
# engines: tensorflow
import json
import pickle

import numpy as np
import tensorflow as tf
import keras.backend as K
from keras.engine.topology import InputSpec
from keras.engine.topology import Layer
from keras.layers import Activation, Conv2D, Flatten, Input, MaxPooling2D, Reshape, concatenate
from keras.models import Model
from keras.callbacks import ModelCheckpoint, LearningRateScheduler


class Normalize(Layer):
    """L2 normalization over the channels, with a scale that is learned."""

    def __init__(self, scale, **kwargs):
        if K.image_dim_ordering() == 'tf' if hasattr(K, 'image_dim_ordering') else K.image_data_format()[-1] == 't':
            self.axis = 3
        else:
            self.axis = 1
        self.scale = scale
        super(Normalize, self).__init__(**kwargs)

    def build(self, input_shape):
        self.input_spec = [InputSpec(shape=input_shape)]
        init_gamma = self.scale * np.ones((input_shape[self.axis],))
        self.gamma = K.variable(init_gamma, name='{}_gamma'.format(self.name))
        self.trainable_weights = [self.gamma]

    def call(self, x, mask=None):
        return K.l2_normalize(x, self.axis) * self.gamma


class PriorBox(Layer):
    """Boxes of two ratios at every cell, as (xmin, ymin, xmax, ymax, 4 variances)."""

    def __init__(self, img_size, size, **kwargs):
        self.img_size, self.size = img_size, size
        super(PriorBox, self).__init__(**kwargs)

    def compute_output_shape(self, input_shape):
        return input_shape[0], 2 * input_shape[1] * input_shape[2], 8

    def call(self, x, mask=None):
        _, height, width, _ = x._keras_shape if hasattr(x, '_keras_shape') else K.int_shape(x)
        ys, xs = np.meshgrid((np.arange(height) + .5) / height, (np.arange(width) + .5) / width, indexing='ij')
        boxes = []
        for ratio in (1., 2.):
            w, h = self.size / self.img_size * np.sqrt(ratio), self.size / self.img_size / np.sqrt(ratio)
            boxes.append(np.stack([xs - w / 2, ys - h / 2, xs + w / 2, ys + h / 2], -1))
        boxes = np.stack(boxes, 2).reshape(-1, 4).clip(0., 1.)
        boxes = np.concatenate([boxes, np.tile([.1, .1, .2, .2], (len(boxes), 1))], 1)
        tensor = K.expand_dims(K.variable(boxes), 0)
        if K.backend() == 'tensorflow':
            return tf.tile(tensor, [tf.shape(x)[0], 1, 1])
        raise NotImplementedError


class MultiboxLoss(object):
    def __init__(self, num_classes, alpha=1.0, neg_pos_ratio=3.0):
        self.num_classes, self.alpha, self.neg_pos_ratio = num_classes, alpha, neg_pos_ratio

    def _l1_smooth_loss(self, y_true, y_pred):
        abs_loss = tf.abs(y_true - y_pred)
        sq_loss = 0.5 * (y_true - y_pred) ** 2
        return tf.reduce_sum(tf.where(tf.less(abs_loss, 1.0), sq_loss, abs_loss - 0.5), -1)

    def _softmax_loss(self, y_true, y_pred):
        y_pred = tf.maximum(tf.minimum(y_pred, 1 - 1e-15), 1e-15)
        return -tf.reduce_sum(y_true * tf.log(y_pred), axis=-1)

    def compute_loss(self, y_true, y_pred):
        batch_size = tf.shape(y_true)[0]
        num_boxes = tf.to_float(tf.shape(y_true)[1])
        conf_loss = self._softmax_loss(y_true[:, :, 4:-8], y_pred[:, :, 4:-8])
        loc_loss = self._l1_smooth_loss(y_true[:, :, :4], y_pred[:, :, :4])
        num_pos = tf.reduce_sum(y_true[:, :, -8], axis=-1)
        pos_loc_loss = tf.reduce_sum(loc_loss * y_true[:, :, -8], axis=1)
        pos_conf_loss = tf.reduce_sum(conf_loss * y_true[:, :, -8], axis=1)
        num_neg = tf.minimum(self.neg_pos_ratio * num_pos, num_boxes - num_pos)
        pos_num_neg_mask = tf.greater(num_neg, 0)
        has_min = tf.to_float(tf.reduce_any(pos_num_neg_mask))
        num_neg = tf.concat(axis=0, values=[num_neg, [(1 - has_min) * 10]])
        num_neg_batch = tf.reduce_min(tf.boolean_mask(num_neg, tf.greater(num_neg, 0)))
        num_neg_batch = tf.to_int32(num_neg_batch)
        max_confs = tf.reduce_max(y_pred[:, :, 5:4 + self.num_classes], axis=2)
        _, indices = tf.nn.top_k(max_confs * (1 - y_true[:, :, -8]), k=num_neg_batch)
        batch_idx = tf.tile(tf.expand_dims(tf.range(0, batch_size), 1), (1, num_neg_batch))
        full = tf.reshape(batch_idx, [-1]) * tf.to_int32(num_boxes) + tf.reshape(indices, [-1])
        neg_conf_loss = tf.gather(tf.reshape(conf_loss, [-1]), full)
        neg_conf_loss = tf.reduce_sum(tf.reshape(neg_conf_loss, [batch_size, num_neg_batch]), axis=1)
        total_loss = (pos_conf_loss + neg_conf_loss) / (num_pos + tf.to_float(num_neg_batch))
        num_pos = tf.where(tf.not_equal(num_pos, 0), num_pos, tf.ones_like(num_pos))
        return total_loss + (self.alpha * pos_loc_loss) / num_pos


def SSD(input_shape, num_classes):
    img = Input(shape=input_shape)
    conv1 = Conv2D(8, (3, 3), activation='relu', padding='same', name='conv1')(img)
    pool1 = MaxPooling2D((4, 4), strides=(4, 4), padding='same')(conv1)
    conv2 = Conv2D(8, (3, 3), activation='relu', padding='same', name='conv2')(pool1)
    norm = Normalize(5, name='conv2_norm')(conv2)
    conv3 = Conv2D(12, (3, 3), activation='relu', padding='same', strides=(2, 2), name='conv3')(conv2)
    locs, confs, priors = [], [], []
    for name, x, size in (('norm', norm, 8.), ('conv3', conv3, 14.)):
        locs.append(Flatten()(Conv2D(2 * 4, (3, 3), padding='same', name=name + '_loc')(x)))
        confs.append(Flatten()(Conv2D(2 * num_classes, (3, 3), padding='same', name=name + '_conf')(x)))
        priors.append(PriorBox(float(input_shape[0]), size, name=name + '_priorbox')(x))
    mbox_loc, mbox_conf = concatenate(locs, axis=1), concatenate(confs, axis=1)
    mbox_priorbox = concatenate(priors, axis=1, name='mbox_priorbox')
    num_boxes = (mbox_loc._keras_shape[-1] if hasattr(mbox_loc, '_keras_shape') else K.int_shape(mbox_loc)[-1]) // 4
    mbox_loc = Reshape((num_boxes, 4))(mbox_loc)
    mbox_conf = Activation('softmax')(Reshape((num_boxes, num_classes))(mbox_conf))
    return Model(img, concatenate([mbox_loc, mbox_conf, mbox_priorbox], axis=2, name='predictions'))


def assign(priors, box, kind, num_classes):
    y = np.zeros((len(priors), 4 + num_classes + 8), 'float32')
    y[:, 4] = 1
    low, high = np.maximum(priors[:, :2], box[:2]), np.minimum(priors[:, 2:4], box[2:])
    inter = np.maximum(high - low, 0).prod(1)
    iou = inter / ((priors[:, 2:4] - priors[:, :2]).prod(1) + (box[2:] - box[:2]).prod() - inter)
    for i in set(np.where(iou > .4)[0]) | {int(np.argmax(iou))}:
        center, size = (priors[i, :2] + priors[i, 2:4]) / 2, priors[i, 2:4] - priors[i, :2]
        y[i, :2] = ((box[:2] + box[2:]) / 2 - center) / size / .1
        y[i, 2:4] = np.log((box[2:] - box[:2]) / size) / .2
        y[i, 4], y[i, 4 + kind], y[i, -8] = 0, 1, 1
    return y


NUM_CLASSES = 3
model = SSD((24, 24, 3), NUM_CLASSES)
rs = np.random.RandomState(1)
for layer in model.layers:
    if layer.name.startswith(('conv', 'norm')) and 'priorbox' not in layer.name and layer.name != 'conv2_norm':
        layer.set_weights([rs.normal(0, .2, w.shape) for w in layer.get_weights()])
model.compile(optimizer=__import__('keras').optimizers.Adam(lr=1e-2, decay=1e-4),
              loss=MultiboxLoss(NUM_CLASSES, neg_pos_ratio=2.0).compute_loss)
np.random.seed(11)
x = np.random.rand(24, 24, 24, 3) * .1
first = model.predict(x[:1])[0]
priors = first[:, -8:-4]
y, gt = [], {}
for k in range(len(x)):
    kind, (w, h) = 1 + k % 2, np.random.randint(7, 15, 2)
    left, top = np.random.randint(0, 24 - w), np.random.randint(0, 24 - h)
    x[k, top:top + h, left:left + w, kind] = 1
    gt['%d.png' % k] = np.array([left, top, left + w, top + h]) / 24.
    y.append(assign(priors, gt['%d.png' % k], kind, NUM_CLASSES))
pickle.dump(gt, open('gt.pkl', 'wb'))
y = np.array(y)
start = float(model.test_on_batch(x, y))
callbacks = [ModelCheckpoint('ssd.{epoch:02d}.hdf5', verbose=0, save_weights_only=True),
             LearningRateScheduler(lambda epoch: .01 * 0.95 ** epoch)]
history = model.fit(x, y, batch_size=12, epochs=40, callbacks=callbacks, shuffle=False, verbose=0)
losses = [float(v) for v in history.history['loss']]
assert losses[-1] < .4 * losses[0], losses

sess = tf.Session(config=tf.ConfigProto(device_count={'GPU': 0}))
boxes_tf = tf.placeholder(dtype='float32', shape=(None, 4))
scores_tf = tf.placeholder(dtype='float32', shape=(None,))
nms = tf.image.non_max_suppression(boxes_tf, scores_tf, 5, iou_threshold=.45)
predictions = model.predict(x)
right = 0
for k, out in enumerate(predictions):
    size = out[:, -6:-4] - out[:, -8:-6]
    center = (out[:, -8:-6] + out[:, -6:-4]) / 2 + out[:, :2] * out[:, -4:-2] * size
    size = size * np.exp(out[:, 2:4] * out[:, -2:])
    decoded = np.concatenate([center - size / 2, center + size / 2], 1)
    scores = out[:, 5:7].max(1)
    keep = sess.run(nms, feed_dict={boxes_tf: decoded, scores_tf: scores})
    best, true = keep[0], pickle.load(open('gt.pkl', 'rb'))['%d.png' % k]
    inter = np.maximum(np.minimum(decoded[best, 2:], true[2:]) - np.maximum(decoded[best, :2], true[:2]), 0).prod()
    union = (decoded[best, 2:] - decoded[best, :2]).prod() + (true[2:] - true[:2]).prod() - inter
    right += inter / union > .5 and np.argmax(out[best, 4:7]) == 1 + k % 2
assert right >= 14, right
model.load_weights('ssd.40.hdf5', by_name=True)
assert np.allclose(model.predict(x), predictions, atol=1e-6)
print('%d of 24 objects; loss %.2f to %.2f' % (right, losses[0], losses[-1]))
print('RESULT ' + json.dumps({'priors': first[:, -8:-4].sum(0).tolist(), 'first': first[::9, :7].ravel().tolist(),
                              'start': start}))

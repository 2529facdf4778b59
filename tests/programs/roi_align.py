"""Regions of interest: a pooling layer with Python loops over regions, ROI align by tf.map_fn and tf.gather_nd,
proposals refined with tf.stack, K.gather and tf.image.non_max_suppression, a head by TimeDistributed, losses over
masks."""
# engines: tensorflow
import json

import numpy as np
import tensorflow as tf
import keras
import keras.backend as K
import keras.layers as KL
import keras.engine as KE
import keras.models as KM

IMAGE, FEATURES, ROIS, CLASSES = 32, 8, 5, 3


class RoiPoolingConv(KE.Layer):
    '''Resizes the region of every box to pool_size x pool_size; boxes are x, y, w, h in the map of features.'''

    def __init__(self, pool_size, num_rois, **kwargs):
        self.pool_size = pool_size
        self.num_rois = num_rois
        super(RoiPoolingConv, self).__init__(**kwargs)

    def build(self, input_shape):
        self.nb_channels = input_shape[0][3]
        super(RoiPoolingConv, self).build(input_shape)

    def compute_output_shape(self, input_shape):
        return None, self.num_rois, self.pool_size, self.pool_size, self.nb_channels

    def call(self, x, mask=None):
        img, rois = x
        outputs = []
        for roi_idx in range(self.num_rois):
            x = K.cast(rois[0, roi_idx, 0], 'int32')
            y = K.cast(rois[0, roi_idx, 1], 'int32')
            w = K.cast(rois[0, roi_idx, 2], 'int32')
            h = K.cast(rois[0, roi_idx, 3], 'int32')
            outputs.append(tf.image.resize_images(img[:, y:y + h, x:x + w, :], (self.pool_size, self.pool_size)))
        final_output = K.concatenate(outputs, axis=0)
        return K.reshape(final_output, (1, self.num_rois, self.pool_size, self.pool_size, self.nb_channels))


class ROIAlign(KE.Layer):
    """Bilinear samples in a grid of every box (y1, x1, y2, x2 between 0 and 1), one image after the other."""

    def __init__(self, pool, **kwargs):
        super(ROIAlign, self).__init__(**kwargs)
        self.pool = pool

    def sample(self, pair):
        feature, boxes = pair
        height, width = tf.to_float(tf.shape(feature)[0]), tf.to_float(tf.shape(feature)[1])
        y1, x1, y2, x2 = tf.split(boxes, 4, axis=1)
        steps = (tf.range(tf.to_float(self.pool)) + .5) / self.pool
        ys = (y1 + (y2 - y1) * steps) * height - .5
        xs = (x1 + (x2 - x1) * steps) * width - .5
        ys = tf.tile(tf.expand_dims(ys, 2), [1, 1, self.pool])
        xs = tf.tile(tf.expand_dims(xs, 1), [1, self.pool, 1])
        y0, x0 = tf.floor(ys), tf.floor(xs)
        total = 0.
        for dy in (0., 1.):
            for dx in (0., 1.):
                weight = (1. - tf.abs(ys - (y0 + dy))) * (1. - tf.abs(xs - (x0 + dx)))
                at_y = tf.clip_by_value(y0 + dy, 0., height - 1.)
                where = tf.stack([at_y, tf.clip_by_value(x0 + dx, 0., width - 1.)], axis=-1)
                total += tf.expand_dims(weight, -1) * tf.gather_nd(feature, tf.to_int32(where))
        return total

    def call(self, inputs):
        return tf.map_fn(self.sample, (inputs[0], inputs[1]), dtype=tf.float32)

    def compute_output_shape(self, input_shape):
        return input_shape[1][:2] + (self.pool, self.pool, input_shape[0][-1])


def apply_box_deltas_graph(boxes, deltas):
    """Applies the given deltas to the given boxes."""
    height, width = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    center_y = boxes[:, 0] + 0.5 * height + deltas[:, 0] * height
    center_x = boxes[:, 1] + 0.5 * width + deltas[:, 1] * width
    height *= tf.exp(deltas[:, 2])
    width *= tf.exp(deltas[:, 3])
    y1, x1 = center_y - 0.5 * height, center_x - 0.5 * width
    return tf.stack([y1, x1, y1 + height, x1 + width], axis=1, name='apply_box_deltas_out')


class ProposalLayer(KE.Layer):
    """The boxes with the best scores, refined, without those that overlap; zeros where there are fewer."""

    def __init__(self, count, nms_threshold, anchors, **kwargs):
        super(ProposalLayer, self).__init__(**kwargs)
        self.count, self.nms_threshold, self.anchors = count, nms_threshold, anchors

    def call(self, inputs):
        scores, deltas = inputs[0][:, :, 1], inputs[1] * np.array([.1, .1, .2, .2], 'float32')

        def one(pair):
            s, d = pair
            top = tf.nn.top_k(s, 12, sorted=True)
            boxes = apply_box_deltas_graph(tf.gather(tf.constant(self.anchors, tf.float32), top.indices),
                                           tf.gather(d, top.indices))
            boxes = tf.clip_by_value(boxes, 0., 1.)
            keep = tf.image.non_max_suppression(boxes, top.values, self.count, self.nms_threshold)
            proposals = tf.gather(boxes, keep)
            padding = tf.maximum(self.count - tf.shape(proposals)[0], 0)
            proposals = tf.pad(proposals, [(0, padding), (0, 0)])
            proposals.set_shape([self.count, 4])
            return proposals
        return tf.map_fn(one, (scores, deltas), dtype=tf.float32)

    def compute_output_shape(self, input_shape):
        return (None, self.count, 4)


def smooth_l1(y_true, y_pred):
    diff = K.abs(y_true - y_pred)
    less_than_one = K.cast(K.less(diff, 1.0), 'float32')
    return (less_than_one * 0.5 * diff ** 2) + (1 - less_than_one) * (diff - 0.5)


def rpn_class_loss(rpn_match, rpn_class_logits):
    rpn_match = tf.squeeze(rpn_match, -1)
    anchor_class = K.cast(K.equal(rpn_match, 1), tf.int32)
    indices = tf.where(K.not_equal(rpn_match, 0))
    rpn_class_logits = tf.gather_nd(rpn_class_logits, indices)
    anchor_class = tf.gather_nd(anchor_class, indices)
    loss = K.sparse_categorical_crossentropy(target=anchor_class, output=rpn_class_logits, from_logits=True)
    return K.switch(tf.size(loss) > 0, K.mean(loss), tf.constant(0.0))


def rpn_bbox_loss(target, match, bbox):
    match = K.squeeze(match, -1)
    indices = tf.where(K.equal(match, 1))
    loss = smooth_l1(tf.gather_nd(target, indices), tf.gather_nd(bbox, indices))
    return K.switch(tf.size(loss) > 0, K.mean(loss), tf.constant(0.0))


rs = np.random.RandomState(15)
anchors = np.array([[(i + .5 - h) / 4., (j + .5 - w) / 4., (i + .5 + h) / 4., (j + .5 + w) / 4.]
                    for i in range(4) for j in range(4) for h, w in ((.5, .5), (.9, .6))])
image = KL.Input((IMAGE, IMAGE, 3))
match = KL.Input((32, 1), dtype=tf.int32)
target = KL.Input((32, 4))
C = KL.Conv2D(FEATURES, (3, 3), strides=2, padding='same', activation='relu', name='c1')(image)
C = KL.Conv2D(FEATURES, (3, 3), strides=2, padding='same', activation='relu', name='c2')(C)
shared = KL.MaxPooling2D()(KL.Conv2D(FEATURES, (3, 3), padding='same', activation='relu', name='rpn')(C))
logits = KL.Lambda(lambda t: tf.reshape(t, [tf.shape(t)[0], -1, 2]))(KL.Conv2D(4, (1, 1), name='rpn_class')(shared))
probs = KL.Activation('softmax')(logits)
bbox = KL.Lambda(lambda t: tf.reshape(t, [tf.shape(t)[0], -1, 4]))(KL.Conv2D(8, (1, 1), name='rpn_bbox')(shared))
rois = ProposalLayer(ROIS, .5, anchors, name='ROI')([probs, bbox])
x = ROIAlign(3, name='roi_align')([C, rois])
x = KL.TimeDistributed(KL.Conv2D(6, (3, 3), activation='relu'), name='head')(x)
x = KL.Lambda(lambda t: K.squeeze(K.squeeze(t, 3), 2), name='pool_squeeze')(x)
classes = KL.TimeDistributed(KL.Dense(CLASSES, activation='softmax'), name='classes')(x)
class_loss = KL.Lambda(lambda t: rpn_class_loss(*t), name='rpn_class_loss')([match, logits])
bbox_loss = KL.Lambda(lambda t: rpn_bbox_loss(*t), name='rpn_bbox_loss')([target, match, bbox])
model = KM.Model([image, match, target], [probs, rois, classes, class_loss, bbox_loss])
model.set_weights([rs.normal(0, np.sqrt(1.6 / w[..., 0].size), w.shape) if w.ndim > 1 else rs.normal(0, .1, w.shape)
                   for w in model.get_weights()])
images = rs.rand(2, IMAGE, IMAGE, 3)
matches = rs.randint(-1, 2, (2, 32, 1))
targets = rs.normal(size=(2, 32, 4))
function = K.function(model.inputs, model.outputs)
found = function([images, matches, targets])
nothing = function([images, matches * 0, targets])
assert nothing[3] == 0 and nothing[4] == 0
for name in ('rpn_class_loss', 'rpn_bbox_loss'):
    layer = model.get_layer(name)
    if layer.output in model.losses:
        continue
    model.add_loss(tf.reduce_mean(layer.output, keepdims=True) * (1. if 'class' in name else .5))
model.compile(optimizer=keras.optimizers.SGD(lr=.05, momentum=.9, clipnorm=5.),
              loss=[None, None, 'categorical_crossentropy', None, None])
kinds = np.eye(CLASSES)[rs.randint(0, CLASSES, (2, ROIS))]
steps = [float(np.ravel(model.train_on_batch([images, matches, targets], kinds))[0]) for _ in range(4)]
assert steps[-1] < steps[0]

# The pooling of the older detector. A grid of 4 x 4 on a whole map of 8 x 8 is its means of 2 x 2.
feature, regions = KL.Input((8, 8, 4)), KL.Input((3, 4))
pooled = KM.Model([feature, regions], RoiPoolingConv(2, 3)([feature, regions]))
maps = rs.rand(1, 8, 8, 4)
boxes = np.array([[[0, 0, 4, 4], [2, 3, 5, 3], [1, 1, 2, 6]]], 'float32')
older = pooled.predict([maps, boxes])
assert older.shape == (1, 3, 2, 2, 4)
normal = np.array([[[0., 0., 1., 1.], [.25, .25, .75, .5], [.1, .2, .9, .95]]])
aligned = KM.Model([feature, regions], ROIAlign(4)([feature, regions]))
values = aligned.predict([maps, normal])
np.testing.assert_allclose(values[0, 0], maps[0].reshape(4, 2, 4, 2, 4).mean((1, 3)), atol=1e-5)
slopes = K.function(aligned.inputs, K.gradients(K.sum(aligned.output ** 2), aligned.inputs))([maps, normal])
print('RESULT ' + json.dumps({
    'found': [part.ravel()[::3].astype(float).tolist() for part in found[:3]], 'losses': [float(v) for v in found[3:]],
    'steps': steps, 'older': older.ravel().tolist(), 'aligned': values.ravel()[::5].tolist(),
    'slopes': [slopes[0].ravel()[::9].tolist(), slopes[1].ravel().tolist()]}))

"""A two-stage detector of the Mask R-CNN kind: an engine of its own that builds, loads and compiles; layers that take
boxes and crops; losses by Lambda layers that hold where no object is, added by model.add_loss."""
# engines: tensorflow
import json
import os
import re

import keras
import keras.backend as K
import keras.engine as KE
import keras.layers as KL
import keras.models as KM
import numpy as np
import tensorflow as tf


class Config(object):
    BATCH_SIZE = 2
    NUM_CLASSES = 3
    MASK_SHAPE = [8, 8]
    ROIS = 4
    POOL = 4
    LEARNING_RATE = .05
    LEARNING_MOMENTUM = .9
    WEIGHT_DECAY = 1e-4
    LOSS_WEIGHTS = {'class_loss': 1., 'bbox_loss': 1., 'mask_loss': .5}


class BatchNorm(KL.BatchNormalization):
    """Batch normalization that can be frozen at call."""

    def call(self, inputs, training=None):
        return super(self.__class__, self).call(inputs, training=training)


class RoiAlign(KE.Layer):
    """Crops boxes (normalized y1, x1, y2, x2) from a feature map."""

    def __init__(self, pool_shape, **kwargs):
        super(RoiAlign, self).__init__(**kwargs)
        self.pool_shape = tuple(pool_shape)

    def call(self, inputs):
        boxes, feature_map = inputs
        level = tf.zeros_like(boxes[..., 0], tf.int32) + tf.expand_dims(tf.range(tf.shape(boxes)[0]), 1)
        ix = tf.where(tf.greater(boxes[..., 2], -1.))
        flat = tf.stop_gradient(tf.gather_nd(boxes, ix))
        pooled = tf.image.crop_and_resize(feature_map, flat, tf.gather_nd(level, ix), self.pool_shape,
                                          method='bilinear')
        shape = tf.concat([tf.shape(boxes)[:2], tf.shape(pooled)[1:]], axis=0)
        return tf.reshape(pooled, shape)

    def compute_output_shape(self, input_shape):
        return input_shape[0][:2] + self.pool_shape + (input_shape[1][-1],)


def smooth_l1_loss(y_true, y_pred):
    diff = K.abs(y_true - y_pred)
    less_than_one = K.cast(K.less(diff, 1.0), 'float32')
    return (less_than_one * 0.5 * diff ** 2) + (1 - less_than_one) * (diff - 0.5)


def class_loss_graph(target_class_ids, pred_class_logits):
    target = K.cast(target_class_ids, 'int64')
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=pred_class_logits)
    active = tf.cast(tf.not_equal(tf.argmax(pred_class_logits, axis=2), -1), 'float32')
    return tf.reduce_sum(loss * active) / tf.reduce_sum(active)


def bbox_loss_graph(target_bbox, target_class_ids, pred_bbox):
    target_class_ids = K.reshape(target_class_ids, (-1,))
    target_bbox = K.reshape(target_bbox, (-1, 4))
    pred_bbox = K.reshape(pred_bbox, (-1, K.int_shape(pred_bbox)[2], 4))
    positive_ix = tf.where(target_class_ids > 0)[:, 0]
    positive_class = tf.cast(tf.gather(target_class_ids, positive_ix), tf.int64)
    indices = tf.stack([positive_ix, positive_class], axis=1)
    target_bbox = tf.gather(target_bbox, positive_ix)
    pred_bbox = tf.gather_nd(pred_bbox, indices)
    loss = K.switch(tf.size(target_bbox) > 0, smooth_l1_loss(y_true=target_bbox, y_pred=pred_bbox), tf.constant(0.0))
    return K.mean(loss)


def mask_loss_graph(target_masks, target_class_ids, pred_masks):
    target_class_ids = K.reshape(target_class_ids, (-1,))
    mask_shape = tf.shape(target_masks)
    target_masks = K.reshape(target_masks, (-1, mask_shape[2], mask_shape[3]))
    pred_shape = tf.shape(pred_masks)
    pred_masks = K.reshape(pred_masks, (-1, pred_shape[2], pred_shape[3], pred_shape[4]))
    pred_masks = tf.transpose(pred_masks, [0, 3, 1, 2])
    positive_ix = tf.where(target_class_ids > 0)[:, 0]
    indices = tf.stack([positive_ix, tf.cast(tf.gather(target_class_ids, positive_ix), tf.int64)], axis=1)
    y_true = tf.gather(target_masks, positive_ix)
    y_pred = tf.gather_nd(pred_masks, indices)
    loss = K.switch(tf.size(y_true) > 0, K.binary_crossentropy(target=y_true, output=y_pred), tf.constant(0.0))
    return K.mean(loss)


def build(config):
    image = KL.Input(shape=[None, None, 3], name='input_image')
    rois = KL.Input(shape=[config.ROIS, 4], name='input_rois')
    ids = KL.Input(shape=[config.ROIS], name='input_ids', dtype=tf.int32)
    deltas = KL.Input(shape=[config.ROIS, 4], name='input_deltas')
    masks = KL.Input(shape=[config.ROIS] + config.MASK_SHAPE, name='input_masks')
    x = KL.ZeroPadding2D((1, 1))(image)
    x = KL.Conv2D(8, (3, 3), name='conv1', use_bias=True)(x)
    x = BatchNorm(name='bn_conv1')(x, training=False)
    features = KL.Activation('relu')(x)
    pooled = RoiAlign([config.POOL, config.POOL], name='roi_align')([rois, features])
    y = KL.TimeDistributed(KL.Conv2D(16, (config.POOL, config.POOL), padding='valid'), name='head_conv1')(pooled)
    y = KL.TimeDistributed(BatchNorm(), name='head_bn1')(y, training=False)
    y = KL.Activation('relu')(y)
    shared = KL.Lambda(lambda x: K.squeeze(K.squeeze(x, 3), 2), name='pool_squeeze')(y)
    logits = KL.TimeDistributed(KL.Dense(config.NUM_CLASSES), name='class_logits')(shared)
    probs = KL.TimeDistributed(KL.Activation('softmax'), name='class_probs')(logits)
    box = KL.TimeDistributed(KL.Dense(config.NUM_CLASSES * 4, activation='linear'), name='bbox_fc')(shared)
    s = K.int_shape(box)
    box = KL.Reshape((s[1], config.NUM_CLASSES, 4), name='bbox')(box)
    m = KL.TimeDistributed(KL.Conv2D(8, (3, 3), padding='same'), name='mask_conv')(pooled)
    m = KL.Activation('relu')(m)
    m = KL.TimeDistributed(KL.Conv2DTranspose(8, (2, 2), strides=2, activation='relu'), name='mask_deconv')(m)
    m = KL.TimeDistributed(KL.Conv2D(config.NUM_CLASSES, (1, 1), activation='sigmoid'), name='mask')(m)
    class_loss = KL.Lambda(lambda x: class_loss_graph(*x), name='class_loss')([ids, logits])
    bbox_loss = KL.Lambda(lambda x: bbox_loss_graph(*x), name='bbox_loss')([deltas, ids, box])
    mask_loss = KL.Lambda(lambda x: mask_loss_graph(*x), name='mask_loss')([masks, ids, m])
    return KM.Model([image, rois, ids, deltas, masks], [probs, box, m, class_loss, bbox_loss, mask_loss], name='mask')


def compile_model(model, config):
    optimizer = keras.optimizers.SGD(lr=config.LEARNING_RATE, momentum=config.LEARNING_MOMENTUM, clipnorm=5.)
    model._losses = []
    model._per_input_losses = {}
    for name in ['class_loss', 'bbox_loss', 'mask_loss']:
        layer = model.get_layer(name)
        if layer.output in model.losses:
            continue
        loss = tf.reduce_mean(layer.output, keepdims=True) * config.LOSS_WEIGHTS.get(name, 1.)
        model.add_loss(loss)
    reg_losses = [keras.regularizers.l2(config.WEIGHT_DECAY)(w) / tf.cast(tf.size(w), tf.float32)
                  for w in model.trainable_weights if 'gamma' not in w.name and 'beta' not in w.name]
    model.add_loss(tf.add_n(reg_losses))
    model.compile(optimizer=optimizer, loss=[None] * len(model.outputs))
    for name in ['class_loss', 'bbox_loss', 'mask_loss']:
        if name in model.metrics_names:
            continue
        loss = tf.reduce_mean(model.get_layer(name).output, keepdims=True) * config.LOSS_WEIGHTS.get(name, 1.)
        if hasattr(model, 'metrics_tensors'):
            model.metrics_names.append(name)
            model.metrics_tensors.append(loss)
        else:
            model.add_metric(loss, name=name)


def set_trainable(model, layer_regex):
    for layer in model.layers:
        if not layer.weights:
            continue
        trainable = bool(re.fullmatch(layer_regex, layer.name))
        if layer.__class__.__name__ == 'TimeDistributed':
            layer.layer.trainable = trainable
        else:
            layer.trainable = trainable


def make_batch(config):
    n = config.BATCH_SIZE
    images, rois = np.random.rand(n, 16, 16, 3) * .1, np.zeros((n, config.ROIS, 4))
    ids, deltas = np.zeros((n, config.ROIS), 'int32'), np.zeros((n, config.ROIS, 4))
    masks = np.zeros([n, config.ROIS] + config.MASK_SHAPE)
    for b in range(n):
        for r in range(config.ROIS):
            y, x = 8 * (r // 2), 8 * (r % 2)
            rois[b, r] = y / 16., x / 16., (y + 7) / 16., (x + 7) / 16.
            ids[b, r] = kind = np.random.randint(config.NUM_CLASSES)
            if kind:
                images[b, y + 1:y + 6, x + 1:x + 6, kind] = 1
                deltas[b, r] = [.1 * kind, -.2, .3, .2 * kind]
                masks[b, r, 1:6, 1:6] = 1
    return [images, rois, ids, deltas, masks]


if __name__ == '__main__':
    config = Config()
    model = build(config)
    compile_model(model, config)
    rs = np.random.RandomState(5)
    model.set_weights([rs.normal(0, .3, w.shape) if w.ndim > 1 else w for w in model.get_weights()])
    np.random.seed(4)
    batch = make_batch(config)
    outputs = model.predict(batch)
    empty = [batch[0], batch[1], np.zeros_like(batch[2]), batch[3], batch[4]]
    nothing = model.predict(empty)
    assert nothing[4].ravel()[0] == 0 and nothing[5].ravel()[0] == 0, nothing[3:]
    no_loss = np.ravel(model.train_on_batch(empty, []))[0]
    model.set_weights([rs.normal(0, .3, w.shape) if w.ndim > 1 else w for w in model.get_weights()])
    losses = [float(np.ravel(model.train_on_batch(batch, []))[0]) for _ in range(4)]
    assert len(model.metrics_names) >= 4 and model.metrics_names[0] == 'loss'
    for _ in range(60):
        loss = np.ravel(model.train_on_batch(make_batch(config), []))[0]
    assert loss < .6 * losses[0], (losses, loss)
    model.save_weights('mask.h5')
    trained = model.get_layer('class_logits').get_weights()
    set_trainable(model, r'(mask\_.*)|(mask)')
    compile_model(model, config)
    model.train_on_batch(batch, [])
    assert np.array_equal(trained[0], model.get_layer('class_logits').get_weights()[0])
    K.clear_session()
    again = build(config)
    again.load_weights(os.path.join(os.getcwd(), 'mask.h5'), by_name=True)
    assert np.array_equal(trained[0], again.get_layer('class_logits').get_weights()[0])
    print('RESULT ' + json.dumps({
        'probs': outputs[0].ravel().tolist(), 'box': float(outputs[1].sum()), 'mask': float(outputs[2].sum()),
        'parts': [float(np.ravel(part)[0]) for part in outputs[3:]], 'losses': losses, 'no_loss': float(no_loss)}))

"""A loss of YOLO for one scale, as repositories of 2019 to 2021 wrote it: `tf.*` beside K."""
# original: graph
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Input
from tensorflow.keras.models import Model

GRID, ANCHORS, CLASSES = 4, np.array([[1.0, 1.5], [2.0, 1.0]], 'float32'), 3


def boxes_of(feats):
    """Centres, sizes, confidences and classes of a map of features."""
    shape = tf.shape(feats)
    feats = tf.reshape(feats, [shape[0], GRID, GRID, len(ANCHORS), 5 + CLASSES])
    columns = tf.tile(tf.reshape(tf.range(GRID), [1, -1, 1, 1]), [GRID, 1, 1, 1])
    rows = tf.tile(tf.reshape(tf.range(GRID), [-1, 1, 1, 1]), [1, GRID, 1, 1])
    grid = tf.cast(tf.concat([columns, rows], axis=-1), feats.dtype)
    xy, wh, confidence, classes = tf.split(feats, [2, 2, 1, CLASSES], axis=-1)
    xy = (tf.sigmoid(xy) + grid) / GRID
    wh = tf.exp(wh) * tf.constant(ANCHORS) / GRID
    return xy, wh, confidence, classes


def iou(a_xy, a_wh, b_xy, b_wh):
    """The share of the common area of boxes."""
    low = tf.maximum(a_xy - a_wh / 2.0, b_xy - b_wh / 2.0)
    high = tf.minimum(a_xy + a_wh / 2.0, b_xy + b_wh / 2.0)
    common = tf.reduce_prod(tf.maximum(high - low, 0.0), axis=-1)
    return common / (tf.reduce_prod(a_wh, -1) + tf.reduce_prod(b_wh, -1) - common + 1e-7)


def yolo_loss(y_true, y_pred):
    """Errors of places and sizes where there is an object, and crossentropies."""
    xy, wh, confidence, classes = boxes_of(y_pred)
    y_true = tf.reshape(y_true, [-1, GRID, GRID, len(ANCHORS), 5 + CLASSES])
    there = y_true[..., 4:5]
    scale = 2.0 - y_true[..., 2:3] * y_true[..., 3:4]
    overlap = tf.expand_dims(iou(xy, wh, y_true[..., :2], y_true[..., 2:4]), -1)
    ignored = tf.cast(overlap < 0.5, tf.float32)
    places = there * scale * tf.square(xy - y_true[..., :2])
    sizes = there * scale * 0.5 * tf.square(tf.sqrt(wh) - tf.sqrt(tf.maximum(y_true[..., 2:4], 1e-9)))
    sure = tf.nn.sigmoid_cross_entropy_with_logits(labels=there, logits=confidence)
    sure = there * sure + (1.0 - there) * ignored * sure
    kinds = there * K.binary_crossentropy(y_true[..., 5:], classes, from_logits=True)
    total = [tf.reduce_sum(part, axis=[1, 2, 3, 4]) for part in (places, sizes, sure, kinds)]
    return tf.add_n(total) / tf.cast(GRID, tf.float32)


rng = np.random.RandomState(0)
kernel = rng.normal(0, 0.1, (3, 3, 3, 16)).astype('float32')
inputs = Input((8, 8, 3))
layer = Conv2D(16, 3, strides=2, padding='same')
model = Model(inputs, layer(inputs))
layer.set_weights([kernel, np.zeros(16, 'float32')])
model.compile('sgd', yolo_loss)

images = rng.uniform(size=(6, 8, 8, 3)).astype('float32')
truth = np.zeros((6, GRID, GRID, 2, 8), 'float32')
for number in range(6):
    row, column, anchor = rng.randint(0, GRID, 2).tolist() + [number % 2]
    truth[number, row, column, anchor, :5] = [(column + 0.4) / GRID, (row + 0.6) / GRID, 0.3, 0.4, 1.0]
    truth[number, row, column, anchor, 5 + number % CLASSES] = 1.0
history = model.fit(images, truth, batch_size=3, epochs=4, shuffle=False, verbose=0)
print('RESULT', json.dumps({'losses': history.history['loss'], 'weights': float(np.abs(layer.get_weights()[0]).sum())}))

"""A detector's head and loss as of 2020: a grid by K.arange, K.tile and K.stack, boxes from logits, IoU, masks by
K.max over true boxes, K.stop_gradient, K.binary_crossentropy from logits."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Input
from tensorflow.keras.models import Model

GRID, ANCHORS = 4, np.array([[1., 1.], [2., 1.5]], dtype='float32')


def head(feats):
    anchors_tensor = K.reshape(K.constant(ANCHORS), [1, 1, 1, 2, 2])
    grid_y = K.tile(K.reshape(K.arange(0, stop=GRID), [-1, 1, 1, 1]), [1, GRID, 1, 1])
    grid_x = K.tile(K.reshape(K.arange(0, stop=GRID), [1, -1, 1, 1]), [GRID, 1, 1, 1])
    grid = K.cast(K.concatenate([grid_x, grid_y]), K.dtype(feats))
    feats = K.reshape(feats, [-1, GRID, GRID, 2, 6])
    box_xy = (K.sigmoid(feats[..., :2]) + grid) / GRID
    box_wh = K.exp(feats[..., 2:4]) * anchors_tensor / GRID
    return grid, feats, box_xy, box_wh


def box_iou(b1_xy, b1_wh, b2_xy, b2_wh):
    b1_mins, b1_maxes = b1_xy - b1_wh / 2., b1_xy + b1_wh / 2.
    b2_mins, b2_maxes = b2_xy - b2_wh / 2., b2_xy + b2_wh / 2.
    intersect = K.maximum(K.minimum(b1_maxes, b2_maxes) - K.maximum(b1_mins, b2_mins), 0.)
    intersect_area = intersect[..., 0] * intersect[..., 1]
    areas = b1_wh[..., 0] * b1_wh[..., 1] + b2_wh[..., 0] * b2_wh[..., 1]
    return intersect_area / (areas - intersect_area + K.epsilon())


def detector_loss(y_true, y_pred):
    y_true = K.reshape(y_true, [-1, GRID, GRID, 2, 6])
    grid, raw, pred_xy, pred_wh = head(y_pred)
    object_mask = y_true[..., 4:5]
    true_xy, true_wh = y_true[..., :2], y_true[..., 2:4]
    raw_true_xy = true_xy * GRID - grid
    raw_true_wh = K.log(K.maximum(true_wh * GRID / ANCHORS, 1e-4))
    raw_true_wh = K.switch(K.cast(K.repeat_elements(object_mask, 2, axis=-1), 'bool'), raw_true_wh,
                           K.zeros_like(raw_true_wh))
    scale = 2 - true_wh[..., 0:1] * true_wh[..., 1:2]
    iou = K.stop_gradient(box_iou(pred_xy, pred_wh, true_xy, true_wh))
    ignore_mask = K.cast(K.expand_dims(iou) < .5, 'float32')
    xy_loss = object_mask * scale * K.binary_crossentropy(raw_true_xy, raw[..., 0:2], from_logits=True)
    wh_loss = object_mask * scale * 0.5 * K.square(raw_true_wh - raw[..., 2:4])
    confidence = K.binary_crossentropy(object_mask, raw[..., 4:5], from_logits=True)
    confidence_loss = object_mask * confidence + (1 - object_mask) * confidence * ignore_mask
    class_loss = object_mask * K.binary_crossentropy(y_true[..., 5:], raw[..., 5:], from_logits=True)
    mf = K.cast(K.shape(raw)[0], K.dtype(raw))
    return (K.sum(xy_loss) + K.sum(wh_loss) + K.sum(confidence_loss) + K.sum(class_loss)) / mf


rs = np.random.RandomState(35)
image = Input((GRID, GRID, 3))
model = Model(image, Conv2D(12, 3, padding='same')(Conv2D(6, 3, padding='same', activation='relu')(image)))
model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
x = rs.uniform(0, 1, (8, GRID, GRID, 3)).astype('float32')
y = np.zeros((8, GRID, GRID, 2, 6), 'float32')
for i in range(8):
    for _ in range(2):
        cx, cy, a = rs.randint(GRID), rs.randint(GRID), rs.randint(2)
        w, h = ANCHORS[a] / GRID * rs.uniform(.8, 1.2, 2)
        y[i, cy, cx, a] = (cx + rs.uniform(.2, .8)) / GRID, (cy + rs.uniform(.2, .8)) / GRID, w, h, 1, rs.randint(2)
model.compile('adam', detector_loss)
y = y.reshape((8, GRID, GRID, 12))
first = model.evaluate(x, y, batch_size=8, verbose=0)
history = model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0)
_, _, xy, wh = head(K.constant(model.predict(x[:1], verbose=0)))
print('RESULT ' + json.dumps({'first': float(first), 'loss': [float(v) for v in history.history['loss']],
                              'xy': K.get_value(xy).tolist(), 'wh': K.get_value(wh).tolist()}))

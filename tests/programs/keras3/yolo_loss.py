"""The loss of YOLO version 3 as of 2019, in K alone: a grid by K.arange and K.tile, anchors, boxes of the features, IoU
by K.minimum and K.maximum, a mask that ignores what overlaps a true box, K.switch for boxes without a width."""

import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Input, Lambda
from tensorflow.keras.models import Model

GRID, CLASSES, SIDE = 4, 3, 128
ANCHORS = np.array([[20., 30.], [60., 40.]])


def yolo_head(feats, anchors, num_classes, input_shape):
    """Convert final layer features to bounding box parameters."""
    num_anchors = len(anchors)
    anchors_tensor = K.reshape(K.constant(anchors), [1, 1, 1, num_anchors, 2])
    grid_shape = K.shape(feats)[1:3]
    grid_y = K.tile(K.reshape(K.arange(0, stop=grid_shape[0]), [-1, 1, 1, 1]), [1, grid_shape[1], 1, 1])
    grid_x = K.tile(K.reshape(K.arange(0, stop=grid_shape[1]), [1, -1, 1, 1]), [grid_shape[0], 1, 1, 1])
    grid = K.cast(K.concatenate([grid_x, grid_y]), K.dtype(feats))
    feats = K.reshape(feats, [-1, grid_shape[0], grid_shape[1], num_anchors, num_classes + 5])
    box_xy = (K.sigmoid(feats[..., :2]) + grid) / K.cast(grid_shape[::-1], K.dtype(feats))
    box_wh = K.exp(feats[..., 2:4]) * anchors_tensor / K.cast(input_shape[::-1], K.dtype(feats))
    return grid, feats, box_xy, box_wh


def box_iou(b1, b2):
    """Overlap of boxes (..., 1, 4) with the boxes (1, ..., 4), given by their middles and sizes."""
    b1_xy, b1_wh, b2_xy, b2_wh = b1[..., :2], b1[..., 2:4], b2[..., :2], b2[..., 2:4]
    mins = K.maximum(b1_xy - b1_wh / 2., b2_xy - b2_wh / 2.)
    maxes = K.minimum(b1_xy + b1_wh / 2., b2_xy + b2_wh / 2.)
    wh = K.maximum(maxes - mins, 0.)
    intersect = wh[..., 0] * wh[..., 1]
    return intersect / (b1_wh[..., 0] * b1_wh[..., 1] + b2_wh[..., 0] * b2_wh[..., 1] - intersect + K.epsilon())


def yolo_loss(args, anchors, num_classes, ignore_thresh=.3):
    features, y_true = args
    input_shape = K.cast(K.shape(features)[1:3] * (SIDE // GRID), K.dtype(y_true))
    mf = K.cast(K.shape(features)[0], K.dtype(features))
    object_mask, true_class_probs = y_true[..., 4:5], y_true[..., 5:]
    grid, raw_pred, pred_xy, pred_wh = yolo_head(features, anchors, num_classes, input_shape)
    pred_box = K.concatenate([pred_xy, pred_wh])
    grid_shape = K.cast(K.shape(features)[1:3], K.dtype(features))
    raw_true_xy = y_true[..., :2] * grid_shape[::-1] - grid
    raw_true_wh = K.log(y_true[..., 2:4] / anchors * input_shape[::-1] + K.epsilon())
    raw_true_wh = K.switch(object_mask, raw_true_wh, K.zeros_like(raw_true_wh))
    box_loss_scale = 2 - y_true[..., 2:3] * y_true[..., 3:4]
    truth = K.reshape(y_true[..., :4] * object_mask, [-1, 1, 1, 1, GRID * GRID * len(anchors), 4])
    best_iou = K.max(box_iou(K.expand_dims(pred_box, -2), truth), axis=-1)
    ignore_mask = K.expand_dims(K.cast(best_iou < ignore_thresh, K.dtype(truth)), -1)
    xy_loss = object_mask * box_loss_scale * K.binary_crossentropy(raw_true_xy, raw_pred[..., 0:2], from_logits=True)
    wh_loss = object_mask * box_loss_scale * 0.5 * K.square(raw_true_wh - raw_pred[..., 2:4])
    confidence = K.binary_crossentropy(object_mask, raw_pred[..., 4:5], from_logits=True)
    confidence_loss = object_mask * confidence + (1 - object_mask) * confidence * ignore_mask
    class_loss = object_mask * K.binary_crossentropy(true_class_probs, raw_pred[..., 5:], from_logits=True)
    return (K.sum(xy_loss) + K.sum(wh_loss) + K.sum(confidence_loss) + K.sum(class_loss)) / mf


random = np.random.RandomState(0)
kernel = random.normal(scale=0.3, size=(1, 1, 6, 2 * (CLASSES + 5))).astype('float32')
image = Input((GRID, GRID, 6))
features = Conv2D(2 * (CLASSES + 5), 1, name='head')(image)
y_true = Input((GRID, GRID, 2, CLASSES + 5))
loss = Lambda(yolo_loss, output_shape=(1,), name='yolo_loss',
              arguments={'anchors': ANCHORS, 'num_classes': CLASSES})([features, y_true])
model = Model([image, y_true], loss)
model.get_layer('head').set_weights([kernel, np.zeros(2 * (CLASSES + 5), 'float32')])
model.compile(optimizer='sgd', loss={'yolo_loss': lambda y_true, y_pred: y_pred})

x = random.normal(size=(8, GRID, GRID, 6)).astype('float32')
truth = np.zeros((8, GRID, GRID, 2, CLASSES + 5), 'float32')
for i in range(8):
    row, column, anchor = i % GRID, (3 * i) % GRID, i % 2
    truth[i, row, column, anchor] = [(column + .4) / GRID, (row + .7) / GRID, .2 + .05 * i, .3, 1, *np.eye(3)[i % 3]]
history = model.fit([x, truth], np.zeros(8), batch_size=8, epochs=3, verbose=0)
print('RESULT', json.dumps({'losses': history.history['loss']}))

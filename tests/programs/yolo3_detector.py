"""A one-stage detector of the YOLO v3 kind: the loss is a Lambda layer of the model, with a loop over the images that
masks the boxes to ignore; the boxes that are found go through non-maximum suppression."""
# engines: tensorflow
# keras: 2.2.4
import colorsys
import json
from functools import reduce, wraps

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import Conv2D, Input, Lambda, MaxPooling2D, UpSampling2D, Concatenate, Add
from keras.layers.advanced_activations import LeakyReLU
from keras.layers.normalization import BatchNormalization
from keras.models import Model
from keras.optimizers import Adam
from keras.regularizers import l2

ANCHORS = np.array([[8., 8.], [12., 20.], [20., 12.], [30., 30.]])
MASKS = [[2, 3], [0, 1]]
CLASSES = ['circle', 'square', 'cross']
SIZE = (32, 32)


def compose(*funcs):
    return reduce(lambda f, g: lambda *a, **kw: g(f(*a, **kw)), funcs)


@wraps(Conv2D)
def conv(*args, **kwargs):
    settings = {'kernel_regularizer': l2(5e-4), 'padding': 'same'}
    settings.update(kwargs)
    return Conv2D(*args, **settings)


def conv_bn_leaky(*args, **kwargs):
    return compose(conv(*args, use_bias=False, **kwargs), BatchNormalization(), LeakyReLU(alpha=0.1))


def body(inputs, num_anchors, num_classes):
    x = compose(conv_bn_leaky(8, (3, 3)), MaxPooling2D(), conv_bn_leaky(12, (3, 3)), MaxPooling2D())(inputs)
    fine = Add()([x, compose(conv_bn_leaky(6, (1, 1)), conv_bn_leaky(12, (3, 3)))(x)])
    fine = MaxPooling2D()(fine)
    coarse = compose(MaxPooling2D(), conv_bn_leaky(16, (3, 3)))(fine)
    y1 = conv(num_anchors * (num_classes + 5), (1, 1))(coarse)
    up = compose(conv_bn_leaky(8, (1, 1)), UpSampling2D(2))(coarse)
    y2 = compose(Concatenate(), conv_bn_leaky(16, (3, 3)), conv(num_anchors * (num_classes + 5), (1, 1)))([up, fine])
    return Model(inputs, [y1, y2])


def head(feats, anchors, num_classes, input_shape, calc_loss=False):
    num_anchors = len(anchors)
    anchors_tensor = K.reshape(K.constant(anchors), [1, 1, 1, num_anchors, 2])
    grid_shape = K.shape(feats)[1:3]
    grid_y = K.tile(K.reshape(K.arange(0, stop=grid_shape[0]), [-1, 1, 1, 1]), [1, grid_shape[1], 1, 1])
    grid_x = K.tile(K.reshape(K.arange(0, stop=grid_shape[1]), [1, -1, 1, 1]), [grid_shape[0], 1, 1, 1])
    grid = K.cast(K.concatenate([grid_x, grid_y]), K.dtype(feats))
    feats = K.reshape(feats, [-1, grid_shape[0], grid_shape[1], num_anchors, num_classes + 5])
    box_xy = (K.sigmoid(feats[..., :2]) + grid) / K.cast(grid_shape[::-1], K.dtype(feats))
    box_wh = K.exp(feats[..., 2:4]) * anchors_tensor / K.cast(input_shape[::-1], K.dtype(feats))
    if calc_loss:
        return grid, feats, box_xy, box_wh
    return box_xy, box_wh, K.sigmoid(feats[..., 4:5]), K.sigmoid(feats[..., 5:])


def iou(b1, b2):
    b1, b2 = K.expand_dims(b1, -2), K.expand_dims(b2, 0)
    b1_min, b1_max = b1[..., :2] - b1[..., 2:4] / 2., b1[..., :2] + b1[..., 2:4] / 2.
    b2_min, b2_max = b2[..., :2] - b2[..., 2:4] / 2., b2[..., :2] + b2[..., 2:4] / 2.
    overlap = K.maximum(K.minimum(b1_max, b2_max) - K.maximum(b1_min, b2_min), 0.)
    overlap = overlap[..., 0] * overlap[..., 1]
    return overlap / (b1[..., 2] * b1[..., 3] + b2[..., 2] * b2[..., 3] - overlap)


def yolo_loss(args, anchors, num_classes, ignore_thresh=.5):
    outputs, y_true = args[:2], args[2:]
    input_shape = K.cast(K.shape(outputs[0])[1:3] * 16, K.dtype(y_true[0]))
    grid_shapes = [K.cast(K.shape(outputs[i])[1:3], K.dtype(y_true[0])) for i in range(2)]
    loss = 0
    m = K.shape(outputs[0])[0]
    mf = K.cast(m, K.dtype(outputs[0]))
    for i in range(2):
        object_mask, true_class = y_true[i][..., 4:5], y_true[i][..., 5:]
        grid, raw_pred, pred_xy, pred_wh = head(outputs[i], anchors[MASKS[i]], num_classes, input_shape, True)
        pred_box = K.concatenate([pred_xy, pred_wh])
        raw_true_xy = y_true[i][..., :2] * grid_shapes[i][::-1] - grid
        raw_true_wh = K.log(y_true[i][..., 2:4] / anchors[MASKS[i]] * input_shape[::-1])
        raw_true_wh = K.switch(object_mask, raw_true_wh, K.zeros_like(raw_true_wh))
        scale = 2 - y_true[i][..., 2:3] * y_true[i][..., 3:4]
        ignore_mask = tf.TensorArray(K.dtype(y_true[0]), size=1, dynamic_size=True)
        object_mask_bool = K.cast(object_mask, 'bool')

        def loop_body(b, ignore_mask):
            true_box = tf.boolean_mask(y_true[i][b, ..., 0:4], object_mask_bool[b, ..., 0])
            best = K.max(iou(pred_box[b], true_box), axis=-1)
            return b + 1, ignore_mask.write(b, K.cast(best < ignore_thresh, K.dtype(true_box)))
        _, ignore_mask = K.control_flow_ops.while_loop(lambda b, *args: b < m, loop_body, [0, ignore_mask])
        ignore_mask = K.expand_dims(ignore_mask.stack(), -1)
        xy_loss = object_mask * scale * K.binary_crossentropy(raw_true_xy, raw_pred[..., 0:2], from_logits=True)
        wh_loss = object_mask * scale * 0.5 * K.square(raw_true_wh - raw_pred[..., 2:4])
        confidence = K.binary_crossentropy(object_mask, raw_pred[..., 4:5], from_logits=True)
        confidence_loss = object_mask * confidence + (1 - object_mask) * confidence * ignore_mask
        class_loss = object_mask * K.binary_crossentropy(true_class, raw_pred[..., 5:], from_logits=True)
        loss += sum(K.sum(part) / mf for part in (xy_loss, wh_loss, confidence_loss, class_loss))
    return loss


def detect(outputs, anchors, num_classes, image_shape, max_boxes=5, score_threshold=.1, iou_threshold=.4):
    input_shape = K.shape(outputs[0])[1:3] * 16
    boxes, scores = [], []
    for i in range(2):
        xy, wh, confidence, probs = head(outputs[i], anchors[MASKS[i]], num_classes, input_shape)
        yx, hw = xy[..., ::-1], wh[..., ::-1]
        corners = K.concatenate([yx - hw / 2., yx + hw / 2.]) * K.concatenate([image_shape, image_shape])
        boxes.append(K.reshape(corners, [-1, 4]))
        scores.append(K.reshape(confidence * probs, [-1, num_classes]))
    boxes, scores = K.concatenate(boxes, axis=0), K.concatenate(scores, axis=0)
    mask = scores >= score_threshold
    limit = K.constant(max_boxes, dtype='int32')
    found = [], [], []
    for c in range(num_classes):
        class_boxes = tf.boolean_mask(boxes, mask[:, c])
        class_scores = tf.boolean_mask(scores[:, c], mask[:, c])
        nms = tf.image.non_max_suppression(class_boxes, class_scores, limit, iou_threshold=iou_threshold)
        found[0].append(K.gather(class_boxes, nms))
        found[1].append(K.gather(class_scores, nms))
        found[2].append(K.ones_like(found[1][-1], 'int32') * c)
    return [K.concatenate(part, axis=0) for part in found]


def make_data(n):
    images = np.random.rand(n, SIZE[0], SIZE[1], 3) * .2
    truth = [np.zeros((n, 2 * 2 ** i, 2 * 2 ** i, 2, 5 + len(CLASSES)), 'float32') for i in range(2)]
    for k in range(n):
        c = np.random.randint(len(CLASSES))
        w, h = np.random.randint(8, 24, 2)
        x, y = np.random.randint(0, SIZE[1] - w), np.random.randint(0, SIZE[0] - h)
        images[k, y:y + h, x:x + w, c] = 1
        small = np.minimum(ANCHORS, [w, h]).prod(1)
        best = np.argmax(small / (ANCHORS.prod(1) + w * h - small))
        layer = [i for i in range(2) if best in MASKS[i]][0]
        cells = 2 * 2 ** layer
        cx, cy = (x + w / 2.) / SIZE[1], (y + h / 2.) / SIZE[0]
        cell = truth[layer][k, int(cy * cells), int(cx * cells), MASKS[layer].index(best)]
        cell[:5] = cx, cy, w / float(SIZE[1]), h / float(SIZE[0]), 1
        cell[5 + c] = 1
    return images, truth


def generator(images, truth, batch_size):
    i = 0
    while True:
        part = slice(i, i + batch_size)
        yield [images[part], truth[0][part], truth[1][part]], np.zeros(batch_size)
        i = (i + batch_size) % len(images)


colors = [colorsys.hsv_to_rgb(x / float(len(CLASSES)), 1., 1.) for x in range(len(CLASSES))]
K.clear_session()
image_input = Input(shape=(None, None, 3))
y_true = [Input(shape=(2 * 2 ** i, 2 * 2 ** i, 2, len(CLASSES) + 5)) for i in range(2)]
model_body = body(image_input, 2, len(CLASSES))
rs = np.random.RandomState(2)
model_body.set_weights([rs.normal(0, .15, w.shape) if w.ndim > 1 else np.abs(w + rs.normal(0, .1, w.shape))
                        for w in model_body.get_weights()])
model_loss = Lambda(yolo_loss, output_shape=(1,), name='yolo_loss',
                    arguments={'anchors': ANCHORS, 'num_classes': len(CLASSES)})(model_body.output + y_true)
model = Model([model_body.input] + y_true, model_loss)
model.compile(optimizer=Adam(lr=5e-3), loss={'yolo_loss': lambda y_true, y_pred: y_pred})

image_shape = K.placeholder(shape=(2,))
tensors = detect(model_body.output, ANCHORS, len(CLASSES), image_shape)
sess = K.get_session()


def boxes_of(image):
    return sess.run(tensors, feed_dict={model_body.input: image[None], image_shape: [64., 96.], K.learning_phase(): 0})


np.random.seed(1)
images, truth = make_data(32)
before = boxes_of(images[0])
first = model.test_on_batch([images] + truth, np.zeros(32))
history = model.fit_generator(generator(images, truth, 8), steps_per_epoch=4, epochs=12, verbose=0)
losses = history.history['loss']
assert losses[-1] < .5 * losses[0], losses
boxes, scores, classes = boxes_of(images[0])
assert boxes.shape[1:] == (4,) and len(boxes) == len(scores) == len(classes) > 0
assert len(before[0]) <= 15 and before[0].shape[1] == 4
print('%d boxes before, %d after; loss %.1f to %.1f' % (len(before[0]), len(boxes), losses[0], losses[-1]))
print('RESULT ' + json.dumps({'first': float(first), 'boxes': before[0].tolist(), 'scores': before[1].tolist(),
                              'classes': before[2].tolist()}))

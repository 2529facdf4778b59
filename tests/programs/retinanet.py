"""A detector with a feature pyramid and the focal loss: layers over keras.backend and tf, boxes filtered by tf.map_fn
over the images, a backend of its own, submodels shared by all levels."""
# engines: tensorflow
import json
import math

import keras
import keras.backend
import numpy as np
import tensorflow
import tensorflow as tf

for name, least in (('keras', (2, 1, 3)), ('tensorflow', (1, 4, 0))):
    version = tuple(map(int, {'keras': keras, 'tensorflow': tensorflow}[name].__version__.split('.')[:3]))
    assert version >= least, name + ' is too old'
assert tf.__version__.startswith('1.'), 'This program is for version 1 of TensorFlow.'
SIZE, CLASSES, ANCHORS = 32, 2, 3


class backend:
    """What keras.backend has not."""
    top_k = staticmethod(lambda *a, **kw: tf.nn.top_k(*a, **kw))
    map_fn = staticmethod(lambda *a, **kw: tf.map_fn(*a, **kw))
    pad = staticmethod(lambda *a, **kw: tf.pad(*a, **kw))
    where = staticmethod(lambda *a, **kw: tf.where(*a, **kw))
    gather_nd = staticmethod(lambda *a, **kw: tf.gather_nd(*a, **kw))
    non_max_suppression = staticmethod(lambda *a, **kw: tf.image.non_max_suppression(*a, **kw))
    resize_images = staticmethod(lambda images, size: tf.image.resize_images(
        images, size, method=tf.image.ResizeMethod.NEAREST_NEIGHBOR, align_corners=False))


def focal(alpha=0.25, gamma=2.0):
    def _focal(y_true, y_pred):
        labels, anchor_state = y_true[:, :, :-1], y_true[:, :, -1]
        indices = backend.where(keras.backend.not_equal(anchor_state, -1))
        labels = backend.gather_nd(labels, indices)
        classification = backend.gather_nd(y_pred, indices)
        alpha_factor = keras.backend.ones_like(labels) * alpha
        alpha_factor = backend.where(keras.backend.equal(labels, 1), alpha_factor, 1 - alpha_factor)
        focal_weight = backend.where(keras.backend.equal(labels, 1), 1 - classification, classification)
        focal_weight = alpha_factor * focal_weight ** gamma
        cls_loss = focal_weight * keras.backend.binary_crossentropy(labels, classification)
        normalizer = backend.where(keras.backend.equal(anchor_state, 1))
        normalizer = keras.backend.cast(keras.backend.shape(normalizer)[0], keras.backend.floatx())
        normalizer = keras.backend.maximum(keras.backend.cast_to_floatx(1.0), normalizer)
        return keras.backend.sum(cls_loss) / normalizer
    return _focal


def smooth_l1(sigma=3.0):
    sigma_squared = sigma ** 2

    def _smooth_l1(y_true, y_pred):
        regression, anchor_state = y_true[:, :, :-1], y_true[:, :, -1]
        indices = backend.where(keras.backend.equal(anchor_state, 1))
        diff = keras.backend.abs(backend.gather_nd(y_pred, indices) - backend.gather_nd(regression, indices))
        loss = backend.where(keras.backend.less(diff, 1.0 / sigma_squared),
                             0.5 * sigma_squared * keras.backend.pow(diff, 2), diff - 0.5 / sigma_squared)
        normalizer = keras.backend.maximum(1, keras.backend.shape(indices)[0])
        return keras.backend.sum(loss) / keras.backend.cast(normalizer, dtype=keras.backend.floatx())
    return _smooth_l1


class PriorProbability(keras.initializers.Initializer):
    """A bias that makes every anchor background at first."""

    def __init__(self, probability=0.01):
        self.probability = probability

    def get_config(self):
        return {'probability': self.probability}

    def __call__(self, shape, dtype=None):
        return np.ones(shape, dtype='float32') * -math.log((1 - self.probability) / self.probability)


class UpsampleLike(keras.layers.Layer):
    def call(self, inputs, **kwargs):
        source, target = inputs
        target_shape = keras.backend.shape(target)
        return backend.resize_images(source, (target_shape[1], target_shape[2]))

    def compute_output_shape(self, input_shape):
        return (input_shape[0][0],) + input_shape[1][1:3] + (input_shape[0][-1],)


class Anchors(keras.layers.Layer):
    def __init__(self, size, stride, *args, **kwargs):
        self.size, self.stride = size, stride
        ratios = np.sqrt([.5, 1., 2.])
        sizes = np.stack([size / ratios, size * ratios], 1)
        self.anchors = keras.backend.variable(np.concatenate([-sizes / 2, sizes / 2], 1))
        super(Anchors, self).__init__(*args, **kwargs)

    def call(self, inputs, **kwargs):
        shape = keras.backend.shape(inputs)
        shift_x = (keras.backend.arange(0, shape[2], dtype=keras.backend.floatx()) + .5) * self.stride
        shift_y = (keras.backend.arange(0, shape[1], dtype=keras.backend.floatx()) + .5) * self.stride
        shift_x, shift_y = tf.meshgrid(shift_x, shift_y)
        shift_x, shift_y = keras.backend.reshape(shift_x, [-1]), keras.backend.reshape(shift_y, [-1])
        shifts = keras.backend.transpose(keras.backend.stack([shift_x, shift_y, shift_x, shift_y], axis=0))
        boxes = keras.backend.reshape(self.anchors, [1, ANCHORS, 4]) + keras.backend.cast(
            keras.backend.reshape(shifts, [keras.backend.shape(shifts)[0], 1, 4]), keras.backend.floatx())
        boxes = keras.backend.reshape(boxes, [-1, 4])
        return keras.backend.tile(keras.backend.expand_dims(boxes, axis=0), (shape[0], 1, 1))

    def compute_output_shape(self, input_shape):
        if None not in input_shape[1:]:
            return (input_shape[0], np.prod(input_shape[1:3]) * ANCHORS, 4)
        return (input_shape[0], None, 4)


class RegressBoxes(keras.layers.Layer):
    def call(self, inputs, **kwargs):
        anchors, regression = inputs
        size = tf.stack([anchors[:, :, 2] - anchors[:, :, 0], anchors[:, :, 3] - anchors[:, :, 1]] * 2, axis=2)
        boxes = anchors + regression * .2 * size
        x1, y1, x2, y2 = tf.unstack(tf.clip_by_value(boxes, 0, SIZE), axis=-1)
        return keras.backend.stack([x1, y1, x2, y2], axis=2)

    def compute_output_shape(self, input_shape):
        return input_shape[0]


class FilterDetections(keras.layers.Layer):
    def __init__(self, score_threshold=.05, max_detections=10, **kwargs):
        self.score_threshold, self.max_detections = score_threshold, max_detections
        super(FilterDetections, self).__init__(**kwargs)

    def call(self, inputs, **kwargs):
        def _filter_detections(args):
            boxes, classification = args
            all_indices = []
            for c in range(CLASSES):
                scores = classification[:, c]
                indices = backend.where(keras.backend.greater(scores, self.score_threshold))
                chosen = backend.non_max_suppression(backend.gather_nd(boxes, indices),
                                                     keras.backend.gather(scores, indices)[:, 0],
                                                     max_output_size=self.max_detections, iou_threshold=.5)
                indices = keras.backend.gather(indices, chosen)
                labels = c * tf.ones((keras.backend.shape(indices)[0],), dtype='int64')
                all_indices.append(keras.backend.stack([indices[:, 0], labels], axis=1))
            indices = keras.backend.concatenate(all_indices, axis=0)
            scores = backend.gather_nd(classification, indices)
            count = keras.backend.minimum(self.max_detections, keras.backend.shape(scores)[0])
            scores, top_indices = backend.top_k(scores, k=count)
            indices = keras.backend.gather(indices, top_indices)
            boxes = keras.backend.gather(boxes, indices[:, 0])
            missing = keras.backend.maximum(0, self.max_detections - keras.backend.shape(scores)[0])
            boxes = backend.pad(boxes, [[0, missing], [0, 0]], constant_values=-1)
            scores = backend.pad(scores, [[0, missing]], constant_values=-1)
            labels = keras.backend.cast(backend.pad(indices[:, 1], [[0, missing]], constant_values=-1), 'int32')
            boxes.set_shape([self.max_detections, 4])
            scores.set_shape([self.max_detections])
            labels.set_shape([self.max_detections])
            return [boxes, scores, labels]
        return backend.map_fn(_filter_detections, elems=list(inputs), parallel_iterations=4,
                              dtype=[keras.backend.floatx(), keras.backend.floatx(), 'int32'])

    def compute_output_shape(self, input_shape):
        return [(input_shape[0][0], self.max_detections, 4), (input_shape[1][0], self.max_detections),
                (input_shape[1][0], self.max_detections)]

    def compute_mask(self, inputs, mask=None):
        return (len(inputs) + 1) * [None]


def submodel(values, name, bias='zeros', activation=None):
    inputs = keras.layers.Input(shape=(None, None, 12))
    x = keras.layers.Conv2D(12, 3, padding='same', activation='relu', name=name + '_0')(inputs)
    x = keras.layers.Conv2D(ANCHORS * values, 3, padding='same', bias_initializer=bias, name=name + '_out')(x)
    x = keras.layers.Reshape((-1, values), name=name + '_reshape')(x)
    return keras.models.Model(inputs, keras.layers.Activation(activation or 'linear')(x), name=name)


def retinanet():
    image = keras.layers.Input(shape=(None, None, 3))
    c3 = keras.layers.Conv2D(8, 3, strides=4, padding='same', activation='relu', name='c3')(image)
    c4 = keras.layers.Conv2D(12, 3, strides=2, padding='same', activation='relu', name='c4')(c3)
    p4 = keras.layers.Conv2D(12, 1, name='p4')(c4)
    lateral = keras.layers.Conv2D(12, 1, name='p3_lateral')(c3)
    p3 = keras.layers.Add(name='p3')([UpsampleLike(name='p4_upsampled')([p4, c3]), lateral])
    levels = [p3, p4]
    regress = submodel(4, 'regression_submodel')
    classify = submodel(CLASSES, 'classification_submodel', PriorProbability(), 'sigmoid')
    regression = keras.layers.Concatenate(axis=1, name='regression')([regress(p) for p in levels])
    classification = keras.layers.Concatenate(axis=1, name='classification')([classify(p) for p in levels])
    training = keras.models.Model(image, [regression, classification], name='retinanet')
    anchors = keras.layers.Concatenate(axis=1)([Anchors(8. * 2 ** i, 4 * 2 ** i, name='anchors_%d' % i)(p)
                                                for i, p in enumerate(levels)])
    boxes = RegressBoxes(name='boxes')([anchors, regression])
    detections = FilterDetections(name='filtered_detections')([boxes, classification])
    return training, keras.models.Model(image, detections), keras.models.Model(image, anchors)


def make_data(n, anchors):
    rs = np.random.RandomState(0)
    images = rs.rand(n, SIZE, SIZE, 3) * .2
    regression, labels = np.zeros((n, len(anchors), 5)), np.zeros((n, len(anchors), CLASSES + 1))
    truth = []
    for k in range(n):
        w, h = rs.randint(6, 14, 2)
        x, y = rs.randint(0, SIZE - w), rs.randint(0, SIZE - h)
        box, kind = np.array([x, y, x + w, y + h], float), k % CLASSES
        images[k, y:y + h, x:x + w, kind] = 1
        overlap = np.maximum(np.minimum(anchors[:, 2:], box[2:]) - np.maximum(anchors[:, :2], box[:2]), 0).prod(1)
        iou = overlap / ((anchors[:, 2:] - anchors[:, :2]).prod(1) + w * h - overlap)
        good = (iou >= .5) | (iou == iou.max())
        state = np.where(good, 1, np.where(iou < .4, 0, -1))
        size = np.tile(anchors[:, 2:] - anchors[:, :2], 2)
        regression[k] = np.concatenate([(box - anchors) / size / .2, state[:, None]], 1)
        labels[k, good, kind], labels[k, :, -1] = 1, state
        truth.append((box, kind))
    return images, regression, labels, truth


training, prediction, only_anchors = retinanet()
rs = np.random.RandomState(3)
for name in ('c3', 'c4', 'p4', 'p3_lateral', 'regression_submodel', 'classification_submodel'):
    layer = training.get_layer(name)
    layer.set_weights([rs.normal(0, .15, w.shape) if w.ndim > 1 else w for w in layer.get_weights()])
training.compile(loss={'regression': smooth_l1(), 'classification': focal()},
                 optimizer=keras.optimizers.adam(lr=5e-3, clipnorm=1.))
anchors = only_anchors.predict(np.zeros((1, SIZE, SIZE, 3)))[0]
assert anchors.shape == (3 * (64 + 16), 4)
images, regression, labels, truth = make_data(24, anchors)
first = [float(v) for v in training.test_on_batch(images, [regression, labels])]
regressed, classified = training.predict(images[:2])
ignored = labels * 1
ignored[:, :, -1] = -1
nothing = training.test_on_batch(images, [regression * 0, ignored])
assert nothing[0] == 0, nothing
losses = [training.train_on_batch(images, [regression, labels])[0] for _ in range(150)]
assert losses[-1] < .2 * losses[0], losses[::10]
boxes, scores, kinds = prediction.predict_on_batch(images)
assert boxes.shape == (24, 10, 4) and scores.shape == kinds.shape == (24, 10) and kinds.dtype == np.int32
right = 0
for k, (box, kind) in enumerate(truth):
    inter = np.maximum(np.minimum(boxes[k, 0, 2:], box[2:]) - np.maximum(boxes[k, 0, :2], box[:2]), 0).prod()
    union = (boxes[k, 0, 2:] - boxes[k, 0, :2]).prod() + (box[2:] - box[:2]).prod() - inter
    right += kinds[k, 0] == kind and inter / union > .5
    assert (np.diff(scores[k]) <= 0).all() and ((scores[k] == -1) == (kinds[k] == -1)).all()
assert right >= 17, right
print('%d of 24 objects; loss %.2f to %.2f' % (right, losses[0], losses[-1]))
print('RESULT ' + json.dumps({'first': first, 'anchors': anchors.sum(0).tolist(),
                              'regressed': regressed[1, ::40].ravel().tolist(), 'classified': float(classified.sum())}))

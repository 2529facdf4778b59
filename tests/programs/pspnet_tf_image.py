"""Scene parsing with a pyramid of poolings: layers over tf.image (bilinear, nearest, crop_and_resize), flips and crops
as augmentation in the graph, evaluation over several scales, a confusion matrix, class weights in the loss."""
# engines: tensorflow
import json

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.engine.topology import Layer
from keras.layers import (Activation, AveragePooling2D, BatchNormalization, Concatenate, Conv2D, Dropout, Input, Lambda,
                          MaxPooling2D, ZeroPadding2D)
from keras.models import Model, load_model, model_from_json
from keras.optimizers import SGD

SIZE, CLASSES = 24, 3
CLASS_WEIGHTS = np.array([.5, 1., 2.], 'float32')


class Interp(Layer):
    """Resizes to a size that is known when the model is built."""

    def __init__(self, new_size, **kwargs):
        self.new_size = new_size
        super(Interp, self).__init__(**kwargs)

    def build(self, input_shape):
        super(Interp, self).build(input_shape)

    def call(self, inputs, **kwargs):
        new_height, new_width = self.new_size
        return tf.image.resize_images(inputs, [new_height, new_width], align_corners=True)

    def compute_output_shape(self, input_shape):
        return tuple([None, self.new_size[0], self.new_size[1], input_shape[3]])

    def get_config(self):
        config = super(Interp, self).get_config()
        config['new_size'] = self.new_size
        return config


class CropAndResize(Layer):
    """Windows of feature maps, one for each box of each image."""

    def __init__(self, crop_size, method='bilinear', **kwargs):
        self.crop_size, self.method = crop_size, method
        super(CropAndResize, self).__init__(**kwargs)

    def call(self, inputs):
        feature_maps, boxes = inputs
        n = tf.shape(boxes)[1]
        ind = tf.reshape(tf.tile(tf.expand_dims(tf.range(tf.shape(boxes)[0]), 1), [1, n]), [-1])
        crops = tf.image.crop_and_resize(feature_maps, tf.reshape(boxes, [-1, 4]), ind,
                                         tf.constant([self.crop_size, self.crop_size]), method=self.method,
                                         extrapolation_value=-1.)
        return tf.reshape(crops, tf.concat([tf.shape(boxes)[:2], tf.shape(crops)[1:]], axis=0))

    def compute_output_shape(self, input_shape):
        return (input_shape[0][0], input_shape[1][1], self.crop_size, self.crop_size, input_shape[0][3])

    def get_config(self):
        return dict(super(CropAndResize, self).get_config(), crop_size=self.crop_size, method=self.method)


def BN(name=''):
    return BatchNormalization(momentum=0.95, name=name, epsilon=1e-5)


def residual(prev, level, lvl, dilation):
    x = Conv2D(level, (1, 1), use_bias=False, name='conv%d_reduce' % lvl)(prev)
    x = Activation('relu')(BN('conv%d_bn' % lvl)(x))
    x = ZeroPadding2D(padding=(dilation, dilation))(x)
    x = Conv2D(level, (3, 3), dilation_rate=dilation, use_bias=False, name='conv%d_3x3' % lvl)(x)
    x = BN('conv%d_3x3_bn' % lvl)(x)
    return Activation('relu')(Lambda(lambda pair: tf.add_n(pair))([x, prev]))


def interp_block(prev_layer, level, feature_map_shape):
    k = 6 // level
    x = AveragePooling2D((k, k), strides=(k, k))(prev_layer)
    x = Conv2D(3, (1, 1), strides=(1, 1), use_bias=False, name='pool%d_conv' % level)(x)
    x = Activation('relu')(BN('pool%d_bn' % level)(x))
    return Interp(feature_map_shape, name='interp%d' % level)(x)


def build():
    inp = Input((SIZE, SIZE, 3))
    x = Conv2D(6, (3, 3), strides=(2, 2), padding='same', use_bias=False, name='conv0')(inp)
    x = MaxPooling2D(pool_size=(3, 3), padding='same', strides=(2, 2))(Activation('relu')(BN('bn0')(x)))
    x = residual(x, 6, 1, 1)
    x = residual(x, 6, 2, 2)
    psp = Concatenate()([x] + [interp_block(x, level, (6, 6)) for level in (1, 2, 3, 6)])
    x = Conv2D(8, (3, 3), padding='same', name='conv_last')(psp)
    x = Conv2D(CLASSES, (1, 1), name='scores')(Dropout(0.)(Activation('relu')(x)))
    x = Interp([SIZE, SIZE], name='interp_out')(x)
    return Model(inp, Activation('softmax')(x))


def weighted_crossentropy(y_true, y_pred):
    labels = tf.cast(tf.squeeze(y_true, -1), tf.int32)
    one_hot = tf.one_hot(labels, CLASSES)
    losses = -tf.reduce_sum(one_hot * tf.log(tf.clip_by_value(y_pred, 1e-7, 1.)), axis=-1)
    return losses * tf.gather(CLASS_WEIGHTS, labels)


def mean_iou(y_true, y_pred):
    labels = tf.reshape(tf.to_int32(y_true), [-1])
    found = tf.reshape(tf.to_int32(tf.argmax(y_pred, axis=-1)), [-1])
    matrix = tf.to_float(tf.confusion_matrix(labels, found, num_classes=CLASSES))
    inter = tf.diag_part(matrix)
    union = tf.reduce_sum(matrix, 0) + tf.reduce_sum(matrix, 1) - inter
    return tf.reduce_mean(tf.where(union > 0, inter / tf.maximum(union, 1.), tf.ones_like(union)))


def make_data(n, seed):
    rs = np.random.RandomState(seed)
    y = np.zeros((n, SIZE, SIZE, 1), 'int32')
    for k in range(n):
        (a, b), (h, w) = rs.randint(0, 12, 2), rs.randint(6, 12, 2)
        y[k, a:a + h, b:b + w] = 1
        y[k, 18:, :] = 2
    return rs.rand(n, SIZE, SIZE, 3) * .5 + np.eye(3)[y[..., 0]], y


sess = K.get_session()
X, Y = make_data(16, 0)
model = build()
rs = np.random.RandomState(3)
model.set_weights([rs.normal(0, np.sqrt(1.5 / w[..., 0].size), w.shape) if w.ndim > 1 else
                   np.abs(w + rs.normal(0, .05, w.shape)) for w in model.get_weights()])
predicted = model.predict(X)
model.compile(SGD(lr=.05, momentum=.9, nesterov=True), loss=weighted_crossentropy, metrics=[mean_iou, 'accuracy'])
steps = [[float(v) for v in model.train_on_batch(X[:8], Y[:8])] for _ in range(3)]

# The same picture, larger and smaller, left and right.
given = tf.placeholder(tf.float32, [None, None, None, 3])
smaller = tf.image.resize_bilinear(given, (SIZE, SIZE))
nearest = tf.image.resize_nearest_neighbor(given, [7, 10])
cubic = tf.image.resize_images(given, [9, 9], method=tf.image.ResizeMethod.BICUBIC)
area = tf.image.resize_images(given, [8, 8], method=tf.image.ResizeMethod.AREA)
corners = tf.image.resize_bilinear(given, [5, 31], align_corners=True)
flipped = tf.image.flip_left_right(given)
central = tf.image.resize_image_with_crop_or_pad(given, 16, 30)
boxed = tf.image.crop_to_bounding_box(given, 2, 3, 4, 5)
padded = tf.image.pad_to_bounding_box(boxed, 1, 1, 6, 8)
standard = tf.map_fn(tf.image.per_image_standardization, given)
grey = tf.image.rgb_to_grayscale(given)
bright = tf.image.adjust_brightness(tf.image.adjust_contrast(given, 1.5), -.1)
ops = [smaller, nearest, cubic, area, corners, flipped, central, padded, standard, grey, bright]
names = 'smaller nearest cubic area corners flipped central padded standard grey bright'.split()
pictures = dict(zip(names, sess.run(ops, {given: X[:2, :, :20]})))
assert pictures['nearest'].shape == (2, 7, 10, 3) and pictures['central'].shape == (2, 16, 30, 3)
np.testing.assert_allclose(pictures['flipped'], X[:2, :, :20][:, :, ::-1], atol=1e-6)
total = np.zeros((1, SIZE, SIZE, CLASSES))
for scale in (.5, 1., 1.5):
    size = int(SIZE * scale)
    scaled = sess.run(tf.image.resize_bilinear(tf.constant(X[:1], tf.float32), (size, size)))
    back = model.predict(sess.run(smaller, {given: scaled}))
    mirrored = model.predict(sess.run(smaller, {given: scaled[:, :, ::-1]}))[:, :, ::-1]
    total += (back + mirrored) / 6.

# Windows of the feature maps for a second stage.
maps = Model(model.input, model.get_layer('conv_last').output)
boxes = Input((2, 4))
heads = [CropAndResize(4)([maps.output, boxes]), CropAndResize(3, 'nearest', name='near')([maps.output, boxes])]
windows = Model([maps.input, boxes], heads)
given_boxes = np.array([[[0., 0., 1., 1.], [.1, .3, .8, .65]], [[.5, .5, 1.2, 1.1], [.9, .2, .1, .7]]])
bilinear, near = windows.predict([X[:2], given_boxes])
assert bilinear.shape == (2, 2, 4, 4, 8) and near.shape == (2, 2, 3, 3, 8)
slopes = K.function(windows.inputs, K.gradients(K.sum(K.square(heads[0])), [maps.output]))([X[:2], given_boxes])[0]

history = model.fit(X, Y, batch_size=8, epochs=12, verbose=0, shuffle=False)
assert history.history['loss'][-1] < .7 * steps[0][0], history.history['loss']
custom_objects = {'Interp': Interp, 'mean_iou': mean_iou, 'weighted_crossentropy': weighted_crossentropy, 'tf': tf}
model.save('pspnet.h5')
loaded = load_model('pspnet.h5', custom_objects=custom_objects)
np.testing.assert_allclose(loaded.predict(X[:2]), model.predict(X[:2]), atol=1e-5)
shape = model_from_json(model.to_json(), custom_objects).output_shape
assert shape == (None, SIZE, SIZE, CLASSES), shape
result = {'predicted': predicted[:2, ::5, ::5].ravel().tolist(), 'steps': steps,
          'total': total[0, ::6, ::6].ravel().tolist(), 'bilinear': bilinear.ravel()[::9].tolist(),
          'near': near.ravel()[::9].tolist(), 'slopes': slopes.ravel()[::17].tolist()}
result.update({name: value.ravel()[::13].astype(float).tolist() for name, value in pictures.items()})
print('RESULT ' + json.dumps(result))

"""DeepLab v3+ in small: BilinearUpsampling as a layer over tf.image.resize_bilinear, atrous separable convolutions,
inverted residuals with relu6 as a function, image pooling, weights by name from another output stride."""
# engines: tensorflow
from __future__ import absolute_import, division, print_function

import json

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.activations import relu
from keras.engine import InputSpec, Layer
from keras.layers import (Activation, Add, AveragePooling2D, BatchNormalization, Concatenate, Conv2D, DepthwiseConv2D,
                          Dropout, Input, Lambda, SeparableConv2D)
from keras.models import Model, load_model
from keras.optimizers import SGD
from keras.utils import conv_utils

SIZE, CLASSES = 32, 3


class BilinearUpsampling(Layer):
    """Enlarges by a factor, or to a size."""

    def __init__(self, upsampling=(2, 2), output_size=None, data_format=None, **kwargs):
        super(BilinearUpsampling, self).__init__(**kwargs)
        self.data_format = K.normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=4)
        if output_size:
            self.output_size = conv_utils.normalize_tuple(output_size, 2, 'output_size')
            self.upsampling = None
        else:
            self.output_size = None
            self.upsampling = conv_utils.normalize_tuple(upsampling, 2, 'upsampling')

    def compute_output_shape(self, input_shape):
        if self.upsampling:
            height = self.upsampling[0] * input_shape[1] if input_shape[1] is not None else None
            width = self.upsampling[1] * input_shape[2] if input_shape[2] is not None else None
        else:
            height, width = self.output_size
        return (input_shape[0], height, width, input_shape[3])

    def call(self, inputs):
        if self.upsampling:
            return tf.image.resize_bilinear(inputs, (K.shape(inputs)[1] * self.upsampling[0],
                                                     K.shape(inputs)[2] * self.upsampling[1]), align_corners=True)
        return tf.image.resize_bilinear(inputs, self.output_size, align_corners=True)

    def get_config(self):
        config = {'upsampling': self.upsampling, 'output_size': self.output_size, 'data_format': self.data_format}
        base_config = super(BilinearUpsampling, self).get_config()
        return dict(list(base_config.items()) + list(config.items()))


def relu6(x):
    return relu(x, max_value=6)


def SepConv_BN(x, filters, prefix, kernel_size=3, rate=1, depth_activation=False, epsilon=1e-3):
    """SepConv with BN between depthwise & pointwise."""
    if not depth_activation:
        x = Activation('relu')(x)
    x = DepthwiseConv2D((kernel_size, kernel_size), dilation_rate=(rate, rate), padding='same', use_bias=False,
                        name=prefix + '_depthwise')(x)
    x = BatchNormalization(name=prefix + '_depthwise_BN', epsilon=epsilon)(x)
    if depth_activation:
        x = Activation('relu')(x)
    x = Conv2D(filters, (1, 1), padding='same', use_bias=False, name=prefix + '_pointwise')(x)
    x = BatchNormalization(name=prefix + '_pointwise_BN', epsilon=epsilon)(x)
    return Activation('relu')(x) if depth_activation else x


def _inverted_res_block(inputs, expansion, stride, filters, block_id, skip_connection, rate=1):
    in_channels = K.int_shape(inputs)[-1]
    prefix = 'expanded_conv_{}_'.format(block_id)
    x = Conv2D(expansion * in_channels, kernel_size=1, padding='same', use_bias=False, name=prefix + 'expand')(inputs)
    x = BatchNormalization(epsilon=1e-3, momentum=0.999, name=prefix + 'expand_BN')(x)
    x = Activation(relu6, name=prefix + 'expand_relu')(x)
    x = DepthwiseConv2D(kernel_size=3, strides=stride, activation=None, use_bias=False, padding='same',
                        dilation_rate=(rate, rate), name=prefix + 'depthwise')(x)
    x = BatchNormalization(epsilon=1e-3, momentum=0.999, name=prefix + 'depthwise_BN')(x)
    x = Activation(relu6, name=prefix + 'depthwise_relu')(x)
    x = Conv2D(filters, kernel_size=1, padding='same', use_bias=False, name=prefix + 'project')(x)
    x = BatchNormalization(epsilon=1e-3, momentum=0.999, name=prefix + 'project_BN')(x)
    return Add(name=prefix + 'add')([inputs, x]) if skip_connection else x


def pixel_accuracy(y_true, y_pred):
    return K.mean(K.equal(K.cast(K.squeeze(y_true, -1), 'int64'), K.argmax(y_pred, axis=-1)))


def Deeplabv3(input_shape=(SIZE, SIZE, 3), classes=CLASSES, OS=8):
    rate = 1 if OS == 16 else 2
    img_input = Input(shape=input_shape)
    x = Conv2D(8, (3, 3), strides=(2, 2), use_bias=False, padding='same', name='entry_flow_conv1')(img_input)
    x = Activation(relu6)(BatchNormalization(name='entry_flow_conv1_BN')(x))
    skip1 = x = _inverted_res_block(x, 2, 2, 8, 0, False)
    x = _inverted_res_block(x, 2, 2 if OS == 16 else 1, 10, 1, False)
    x = _inverted_res_block(x, 2, 1, 10, 2, True, rate=rate)
    shape_before = K.int_shape(x)
    b4 = AveragePooling2D(pool_size=(shape_before[1], shape_before[2]))(x)
    b4 = Conv2D(6, (1, 1), padding='same', use_bias=False, name='image_pooling')(b4)
    b4 = BatchNormalization(name='image_pooling_BN', epsilon=1e-5)(b4)
    b4 = BilinearUpsampling((shape_before[1], shape_before[2]))(Activation('relu')(b4))
    b0 = Activation('relu')(BatchNormalization(name='aspp0_BN', epsilon=1e-5)(
        Conv2D(6, (1, 1), padding='same', use_bias=False, name='aspp0')(x)))
    b1 = SepConv_BN(x, 6, 'aspp1', rate=rate, depth_activation=True, epsilon=1e-5)
    x = Concatenate()([b4, b0, b1])
    x = Conv2D(8, (1, 1), padding='same', use_bias=False, name='concat_projection')(x)
    x = Dropout(0.)(Activation('relu')(BatchNormalization(name='concat_projection_BN', epsilon=1e-5)(x)))
    x = BilinearUpsampling(output_size=K.int_shape(skip1)[1:3])(x)
    dec_skip1 = Activation('relu')(Conv2D(4, (1, 1), padding='same', name='feature_projection0')(skip1))
    x = SepConv_BN(Concatenate()([x, dec_skip1]), 8, 'decoder_conv0', depth_activation=True, epsilon=1e-5)
    x = SeparableConv2D(8, 3, padding='same', depth_multiplier=1, name='decoder_conv1')(x)
    x = Conv2D(classes, (1, 1), padding='same', name='logits_semantic')(x)
    x = BilinearUpsampling(output_size=(input_shape[0], input_shape[1]))(x)
    x = Lambda(lambda t: K.reshape(t, (-1, input_shape[0] * input_shape[1], classes)))(x)
    return Model(img_input, Activation('softmax')(x), name='deeplabv3plus')


rs = np.random.RandomState(18)
model = Deeplabv3()
for layer in model.layers:
    layer.set_weights([rs.normal(0, np.sqrt(2. / max(w[..., 0].size, 9)), w.shape) if w.ndim > 1 else
                       np.abs(w + rs.normal(0, .1, w.shape)) for w in layer.get_weights()])
x = rs.rand(4, SIZE, SIZE, 3) * 2 - 1
y = (np.add.outer(np.arange(SIZE), np.arange(SIZE)) // 16 % CLASSES)[None] * np.ones((4, 1, 1), int)
predicted = model.predict(x)
assert predicted.shape == (4, SIZE * SIZE, CLASSES)

# Another output stride takes the weights by name.
model.save_weights('deeplab.h5')
coarse = Deeplabv3(OS=16)
coarse.load_weights('deeplab.h5', by_name=True)
other = coarse.predict(x)
assert not np.allclose(other, predicted, atol=1e-4)
grown = K.function([model.input, K.learning_phase()], [model.get_layer('logits_semantic').output])([x, 0])[0]
assert grown.shape == (4, 8, 8, CLASSES)

for layer in model.layers:
    if isinstance(layer, BatchNormalization) and 'expanded' in layer.name:
        layer.trainable = False
model.compile(SGD(lr=.02, momentum=.9), loss='sparse_categorical_crossentropy', sample_weight_mode='temporal',
              metrics=[pixel_accuracy])
sample_weight = np.where(y.reshape(4, -1) == 1, 2., 1.)
steps = [[float(v) for v in model.train_on_batch(x, y.reshape(4, -1, 1), sample_weight=sample_weight)]
         for _ in range(3)]
model.save('deeplab-full.h5')
custom = {'relu6': relu6, 'BilinearUpsampling': BilinearUpsampling, 'K': K, 'input_shape': (SIZE, SIZE, 3),
          'classes': CLASSES, 'tf': tf}
loaded = load_model('deeplab-full.h5', custom_objects=custom, compile=False)
np.testing.assert_allclose(loaded.predict(x), model.predict(x), atol=1e-4)
print('RESULT ' + json.dumps({'predicted': predicted[0, ::61].ravel().tolist(),
                              'other': other[1, ::61].ravel().tolist(), 'grown': grown.ravel()[::19].tolist(),
                              'steps': steps, 'count': int(model.count_params())}))

"""Image retrieval as of 2020: NetVLAD and generalized-mean pooling over feature maps, descriptors of both, a loss of hard
pairs in the batch, recall at 1 by NumPy; the model is saved and loaded with custom_objects."""
import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import initializers, layers
from tensorflow.keras.models import Model, load_model
from tensorflow.keras.regularizers import l2


class NetVLAD(layers.Layer):
    def __init__(self, num_clusters, assign_weight_initializer=None, cluster_initializer=None, skip_postnorm=False,
                 **kwargs):
        self.K = num_clusters
        self.assign_weight_initializer = assign_weight_initializer
        self.skip_postnorm = skip_postnorm
        super(NetVLAD, self).__init__(**kwargs)

    def build(self, input_shape):
        self.D = input_shape[-1]
        self.cluster_w = self.add_weight(name='assign', shape=(1, 1, self.D, self.K), initializer='glorot_uniform',
                                         regularizer=l2(1e-3), trainable=True)
        self.C = self.add_weight(name='cluster_centers', shape=[1, 1, 1, self.D, self.K], dtype='float32',
                                 initializer=initializers.RandomUniform(-1, 1))
        super(NetVLAD, self).build(input_shape)

    def call(self, inputs):
        s = K.conv2d(inputs, self.cluster_w, strides=(1, 1), padding='same')
        a = tf.nn.softmax(s)
        a = tf.expand_dims(a, -2)
        v = tf.expand_dims(inputs, -1) + self.C
        v = a * v
        v = tf.reduce_sum(v, axis=[1, 2])
        v = tf.transpose(v, perm=[0, 2, 1])
        if not self.skip_postnorm:
            v = tf.nn.l2_normalize(v, axis=-1, epsilon=1e-12)
            v = tf.reshape(v, [-1, self.D * self.K])
            v = K.l2_normalize(v, axis=1)
        return v

    def compute_output_shape(self, input_shape):
        return tuple([input_shape[0], self.K * self.D])

    def get_config(self):
        base = super(NetVLAD, self).get_config()
        return dict(list(base.items()) + [('num_clusters', self.K), ('skip_postnorm', self.skip_postnorm)])


class GeM(layers.Layer):
    def __init__(self, init_norm=3.0, normalize=False, **kwargs):
        self.init_norm = init_norm
        self.normalize = normalize
        super(GeM, self).__init__(**kwargs)

    def build(self, input_shape):
        feature_size = input_shape[-1]
        self.p = self.add_weight(name='norms', shape=(feature_size,), initializer=initializers.constant(self.init_norm),
                                 trainable=True)
        super(GeM, self).build(input_shape)

    def call(self, inputs):
        x = inputs
        x = tf.math.maximum(x, 1e-6)
        x = tf.pow(x, self.p)
        x = tf.reduce_mean(x, axis=[1, 2], keepdims=False)
        x = tf.pow(x, 1.0 / self.p)
        if self.normalize:
            x = tf.nn.l2_normalize(x, 1)
        return x

    def compute_output_shape(self, input_shape):
        return tuple([None, input_shape[-1]])

    def get_config(self):
        config = {'init_norm': self.init_norm, 'normalize': self.normalize}
        return {**super(GeM, self).get_config(), **config}


class L2Normalization(layers.Layer):
    def call(self, inputs):
        return K.l2_normalize(inputs, axis=1)


def multi_similarity(y_true, y_pred):
    """Pairs of the batch that are wrong by a margin, weighted by how much (Wang et al. 2019)."""
    labels = tf.cast(tf.reshape(y_true, [-1, 1]), tf.int32)
    same = tf.cast(tf.equal(labels, tf.transpose(labels)), tf.float32)
    other = 1.0 - same
    same = same - tf.eye(tf.shape(labels)[0])
    sims = tf.matmul(y_pred, y_pred, transpose_b=True)
    positive = tf.math.log(1.0 + tf.reduce_sum(tf.exp(-2.0 * (sims - 0.5)) * same, axis=1)) / 2.0
    negative = tf.math.log(1.0 + tf.reduce_sum(tf.exp(10.0 * (sims - 0.5)) * other, axis=1)) / 10.0
    return tf.reduce_mean(positive + negative)


rs = np.random.RandomState(8)
image = layers.Input(shape=(10, 10, 3))
x = layers.Conv2D(6, 3, activation='relu', padding='same')(image)
x = layers.MaxPooling2D()(x)
x = layers.Conv2D(8, 3, activation='relu', padding='same')(x)
vlad = NetVLAD(num_clusters=3, name='netvlad')(x)
gem = GeM(normalize=True, name='gem')(x)
descriptor = L2Normalization(name='unit')(layers.concatenate([vlad, gem]))
model = Model(image, descriptor)
model.set_weights([rs.normal(0, .3, w.shape) if 'norms' not in v.name else w
                   for v, w in zip(model.weights, model.get_weights())])
labels = np.arange(16) % 4
images = (rs.normal(0, .4, (16, 10, 10, 3)) + rs.normal(0, 1, (4, 1, 1, 3))[labels]).astype('float32')
model.compile(optimizer='adam', loss=multi_similarity)
history = model.fit(images, labels, batch_size=16, epochs=5, shuffle=False, verbose=0)
found = model.predict(images, verbose=0)
distances = found.dot(found.T) - 2 * np.eye(16)
path = os.path.join(tempfile.mkdtemp(), 'retrieval.h5')
model.save(path)
again = load_model(path, custom_objects={'NetVLAD': NetVLAD, 'GeM': GeM, 'L2Normalization': L2Normalization,
                                         'multi_similarity': multi_similarity})
np.testing.assert_allclose(again.predict(images, verbose=0), found, atol=1e-5)
print('RESULT ' + json.dumps({
    'losses': [float(v) for v in history.history['loss']], 'p': K.get_value(model.get_layer('gem').p).tolist(),
    'recall': float(np.mean(labels[distances.argmax(1)] == labels)), 'first': found[0].tolist()}))

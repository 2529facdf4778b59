"""Click-through rates by a DeepFM over feature columns, with the imports of 2019 from tensorflow.python.keras: an
embedding for every sparse feature, the mean of a list of genres, first-order terms, an FM layer and a DNN layer."""
# engines: tensorflow
import json
from collections import OrderedDict, namedtuple

import numpy as np
import tensorflow as tf
from tensorflow.python.keras import backend as K
from tensorflow.python.keras.initializers import RandomNormal, Zeros, glorot_normal
from tensorflow.python.keras.layers import Add, Concatenate, Dense, Embedding, Flatten, Input, Lambda, Layer
from tensorflow.python.keras.models import Model, load_model, save_model
from tensorflow.python.keras.optimizers import SGD
from tensorflow.python.keras.regularizers import l2

SparseFeat = namedtuple('SparseFeat', ['name', 'dimension'])
VarLenSparseFeat = namedtuple('VarLenSparseFeat', ['name', 'dimension', 'maxlen'])


class DenseFeat(namedtuple('DenseFeat', ['name', 'dimension'])):
    __slots__ = ()

    def __new__(cls, name, dimension=1):
        return super(DenseFeat, cls).__new__(cls, name, dimension)


class FM(Layer):
    """The sum of the products of all pairs of embeddings."""

    def call(self, inputs, **kwargs):
        if K.ndim(inputs) != 3:
            raise ValueError('Unexpected inputs dimensions %d, expect to be 3 dimensions' % K.ndim(inputs))
        square_of_sum = tf.square(tf.reduce_sum(inputs, axis=1, keep_dims=True))
        sum_of_square = tf.reduce_sum(inputs * inputs, axis=1, keep_dims=True)
        return 0.5 * tf.reduce_sum(square_of_sum - sum_of_square, axis=2, keep_dims=False)

    def compute_output_shape(self, input_shape):
        return (None, 1)


class DNN(Layer):
    def __init__(self, hidden_units, l2_reg=0, seed=1024, **kwargs):
        self.hidden_units, self.l2_reg, self.seed = hidden_units, l2_reg, seed
        super(DNN, self).__init__(**kwargs)

    def build(self, input_shape):
        units = [int(input_shape[-1])] + list(self.hidden_units)
        self.kernels = [self.add_weight(name='kernel' + str(i), shape=(units[i], units[i + 1]),
                                        initializer=glorot_normal(seed=self.seed), regularizer=l2(self.l2_reg),
                                        trainable=True) for i in range(len(units) - 1)]
        self.bias = [self.add_weight(name='bias' + str(i), shape=(units[i + 1],), initializer=Zeros(), trainable=True)
                     for i in range(len(units) - 1)]
        super(DNN, self).build(input_shape)

    def call(self, inputs, training=None, **kwargs):
        deep_input = inputs
        for kernel, bias in zip(self.kernels, self.bias):
            deep_input = tf.nn.relu(tf.nn.bias_add(tf.tensordot(deep_input, kernel, axes=(-1, 0)), bias))
        return deep_input

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:-1]) + (self.hidden_units[-1],)

    def get_config(self):
        config = {'hidden_units': self.hidden_units, 'l2_reg': self.l2_reg, 'seed': self.seed}
        base_config = super(DNN, self).get_config()
        return dict(list(base_config.items()) + list(config.items()))


class MeanPooling(Layer):
    """The mean of the embeddings that the mask lets through."""

    def __init__(self, **kwargs):
        super(MeanPooling, self).__init__(**kwargs)
        self.supports_masking = True

    def call(self, x, mask=None, **kwargs):
        mask = tf.expand_dims(tf.cast(mask, tf.float32), axis=2)
        total = tf.reduce_sum(x * tf.tile(mask, [1, 1, x.shape[-1].value]), 1, keep_dims=True)
        return tf.div(total, tf.reduce_sum(mask, axis=1, keep_dims=True) + 1e-8)

    def compute_output_shape(self, input_shape):
        return (None, 1, input_shape[-1])

    def compute_mask(self, inputs, mask=None):
        return None


class PredictionLayer(Layer):
    def build(self, input_shape):
        self.global_bias = self.add_weight(shape=(1,), initializer=Zeros(), name='global_bias')
        super(PredictionLayer, self).build(input_shape)

    def call(self, inputs, **kwargs):
        return tf.reshape(tf.sigmoid(tf.nn.bias_add(inputs, self.global_bias, data_format='NHWC')), (-1, 1))

    def compute_output_shape(self, input_shape):
        return (None, 1)


def build_input_features(feature_columns):
    features = OrderedDict()
    for fc in feature_columns:
        if isinstance(fc, SparseFeat):
            features[fc.name] = Input(shape=(1,), name=fc.name, dtype='int32')
        elif isinstance(fc, DenseFeat):
            features[fc.name] = Input(shape=(fc.dimension,), name=fc.name)
        else:
            features[fc.name] = Input(shape=(fc.maxlen,), name=fc.name, dtype='int32')
    return features


def embeddings_of(feature_columns, features, size, prefix, l2_reg, seed):
    found = []
    for fc in feature_columns:
        if not isinstance(fc, DenseFeat):
            masked = isinstance(fc, VarLenSparseFeat)
            emb = Embedding(fc.dimension, size, embeddings_initializer=RandomNormal(mean=0.0, stddev=1e-4, seed=seed),
                            embeddings_regularizer=l2(l2_reg), name=prefix + fc.name, mask_zero=masked)
            found.append(MeanPooling()(emb(features[fc.name])) if masked else emb(features[fc.name]))
    return Concatenate(axis=1)(found)


def DeepFM(feature_columns, embedding_size=4, dnn_hidden_units=(8, 4), l2_reg=1e-3, seed=1024):
    features = build_input_features(feature_columns)
    dense_value = Concatenate()([features[fc.name] for fc in feature_columns if isinstance(fc, DenseFeat)])
    firsts = embeddings_of(feature_columns, features, 1, 'linear_emb_', l2_reg, seed)
    linear_logit = Add()([Lambda(lambda x: tf.reduce_sum(tf.squeeze(x, 2), axis=1, keep_dims=True))(firsts),
                          Dense(1, use_bias=False, kernel_regularizer=l2(l2_reg), name='linear_dense')(dense_value)])
    fm_input = embeddings_of(feature_columns, features, embedding_size, 'emb_', l2_reg, seed)
    dnn_input = Concatenate()([Flatten()(fm_input), dense_value])
    dnn_logit = Dense(1, use_bias=False)(DNN(dnn_hidden_units, l2_reg, seed, name='dnn')(dnn_input))
    final_logit = Add()([linear_logit, FM(name='fm')(fm_input), dnn_logit])
    return Model(inputs=list(features.values()), outputs=PredictionLayer(name='prediction')(final_logit))


columns = [SparseFeat('user', 6), SparseFeat('item', 5), DenseFeat('price'), DenseFeat('ages', 2),
           VarLenSparseFeat('genres', 7, 3)]
rs = np.random.RandomState(2019)
n = 48
data = {'user': rs.randint(0, 6, (n, 1)), 'item': rs.randint(0, 5, (n, 1)), 'price': rs.rand(n, 1),
        'ages': rs.normal(size=(n, 2)), 'genres': rs.randint(1, 7, (n, 3)) * (np.arange(3) < rs.randint(1, 4, (n, 1)))}
target = ((data['user'] + data['item']) % 2 == 0).astype('float32')
model_input = [data[fc.name] for fc in columns]

model = DeepFM(columns)
for layer in sorted(model.layers, key=lambda layer: layer.name):
    if layer.get_weights():
        layer.set_weights([rs.normal(0, .5, w.shape) for w in layer.get_weights()])
model.compile(SGD(lr=.1, momentum=.9), 'binary_crossentropy', metrics=['binary_crossentropy'])
first = model.predict(model_input, batch_size=16)

# The FM layer by hand.
fields = Model(model.inputs, [model.get_layer('fm').input, model.get_layer('fm').output])
embedded, products = fields.predict(model_input)
pairs = sum((embedded[:, i] * embedded[:, j]).sum(-1) for i in range(3) for j in range(i))
np.testing.assert_allclose(products[:, 0], pairs, atol=1e-4)

steps = [[float(value) for value in model.train_on_batch(model_input, target)] for _ in range(4)]
after = model.predict(model_input)
save_model(model, 'deepfm.h5')
loaded = load_model('deepfm.h5', {'FM': FM, 'DNN': DNN, 'MeanPooling': MeanPooling, 'PredictionLayer': PredictionLayer,
                                  'tf': tf})
np.testing.assert_allclose(loaded.predict(model_input), after, atol=1e-6)
history = model.fit(model_input, target, batch_size=16, epochs=10, verbose=0, shuffle=False, validation_split=.25)
assert history.history['loss'][-1] < .5 * steps[0][0], history.history['loss']
print('RESULT ' + json.dumps({'first': first.ravel().tolist(), 'steps': steps, 'after': after.ravel().tolist(),
                              'losses': [float(v) for v in history.history['loss'][:3]]}))

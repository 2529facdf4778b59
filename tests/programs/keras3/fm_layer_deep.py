"""Click prediction as of 2020: DeepFM with an Embedding for each field, a factorization machine and a cross network as
layers of their own in `tf.*`, inputs by name in a dict, AUC as a metric, regularizers, early stopping."""
import json
from collections import OrderedDict

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import EarlyStopping
from tensorflow.keras.initializers import Zeros, glorot_normal
from tensorflow.keras.layers import Add, Concatenate, Dense, Dropout, Embedding, Flatten, Input, Layer
from tensorflow.keras.models import Model
from tensorflow.keras.regularizers import l2

SPARSE = OrderedDict([('user', 8), ('item', 12), ('genre', 4)])
DENSE = ['age', 'price']


class FM(Layer):
    """Pairwise interactions without the linear term."""

    def build(self, input_shape):
        if len(input_shape) != 3:
            raise ValueError('Unexpected inputs dimensions %d, expect to be 3 dimensions' % (len(input_shape)))
        super(FM, self).build(input_shape)

    def call(self, inputs, **kwargs):
        if K.ndim(inputs) != 3:
            raise ValueError('Unexpected inputs dimensions %d' % (K.ndim(inputs)))
        square_of_sum = tf.square(tf.reduce_sum(inputs, axis=1, keepdims=True))
        sum_of_square = tf.reduce_sum(inputs * inputs, axis=1, keepdims=True)
        cross_term = square_of_sum - sum_of_square
        return 0.5 * tf.reduce_sum(cross_term, axis=2, keepdims=False)

    def compute_output_shape(self, input_shape):
        return (None, 1)


class CrossNet(Layer):
    def __init__(self, layer_num=2, l2_reg=0, **kwargs):
        self.layer_num, self.l2_reg = layer_num, l2_reg
        super(CrossNet, self).__init__(**kwargs)

    def build(self, input_shape):
        dim = int(input_shape[-1])
        self.kernels = [self.add_weight(name='kernel' + str(i), shape=(dim, 1), initializer=glorot_normal(seed=1),
                                        regularizer=l2(self.l2_reg), trainable=True) for i in range(self.layer_num)]
        self.bias = [self.add_weight(name='bias' + str(i), shape=(dim, 1), initializer=Zeros(), trainable=True)
                     for i in range(self.layer_num)]
        super(CrossNet, self).build(input_shape)

    def call(self, inputs, **kwargs):
        x_0 = tf.expand_dims(inputs, axis=2)
        x_l = x_0
        for i in range(self.layer_num):
            xl_w = tf.tensordot(x_l, self.kernels[i], axes=(1, 0))
            dot_ = tf.matmul(x_0, xl_w)
            x_l = dot_ + self.bias[i] + x_l
        return tf.squeeze(x_l, axis=2)

    def compute_output_shape(self, input_shape):
        return input_shape


class PredictionLayer(Layer):
    def __init__(self, task='binary', use_bias=True, **kwargs):
        self.task, self.use_bias = task, use_bias
        super(PredictionLayer, self).__init__(**kwargs)

    def build(self, input_shape):
        if self.use_bias:
            self.global_bias = self.add_weight(shape=(1,), initializer=Zeros(), name='global_bias')
        super(PredictionLayer, self).build(input_shape)

    def call(self, inputs, **kwargs):
        x = inputs
        if self.use_bias:
            x = tf.nn.bias_add(x, self.global_bias, data_format='NHWC')
        if self.task == 'binary':
            x = tf.sigmoid(x)
        return tf.reshape(x, (-1, 1))

    def compute_output_shape(self, input_shape):
        return (None, 1)


rs = np.random.RandomState(4)
inputs = OrderedDict((name, Input(shape=(1,), name=name, dtype='int32')) for name in SPARSE)
inputs.update((name, Input(shape=(1,), name=name)) for name in DENSE)
embedded = [Embedding(n, 4, name='emb_' + name, embeddings_regularizer=l2(1e-4))(inputs[name])
            for name, n in SPARSE.items()]
linear = [Flatten()(Embedding(n, 1, name='linear_' + name)(inputs[name])) for name, n in SPARSE.items()]
dense = Concatenate(name='dense_values')([inputs[name] for name in DENSE])
linear_logit = Add()(linear + [Dense(1, use_bias=False, name='linear_dense')(dense)])
fm_logit = FM()(Concatenate(axis=1)(embedded))
dnn_input = Concatenate()([Flatten()(Concatenate(axis=1)(embedded)), dense])
deep = Dropout(0.0)(Dense(8, activation='relu')(dnn_input))
deep_logit = Dense(1, use_bias=False)(Concatenate()([deep, CrossNet(2, l2_reg=1e-4)(dnn_input)]))
model = Model(inputs=list(inputs.values()), outputs=PredictionLayer('binary')(Add()([linear_logit, fm_logit, deep_logit])))
model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])

data = {name: rs.randint(0, n, 60) for name, n in SPARSE.items()}
data.update({name: rs.normal(0, 1, 60).astype('float32') for name in DENSE})
y = ((data['user'] + data['item']) % 2 * 1.0 + data['price'] > .5).astype('float32')
before = model.predict(data, batch_size=32, verbose=0)[:4]
model.compile('sgd', 'binary_crossentropy', metrics=['binary_crossentropy', tf.keras.metrics.AUC(name='auc', num_thresholds=40)])
stop = EarlyStopping(monitor='val_binary_crossentropy', min_delta=10, patience=1, mode='min', restore_best_weights=True)
train, test = [{name: v[part] for name, v in data.items()} for part in (slice(0, 48), slice(48, 60))]
history = model.fit(train, y[:48], batch_size=16, epochs=6, shuffle=False, verbose=0, validation_data=(test, y[48:]),
                    callbacks=[stop])
print('RESULT ' + json.dumps({
    'before': before.tolist(), 'epochs': len(history.epoch), 'after': model.predict(test, verbose=0).tolist(),
    **{name: [float(v) for v in values] for name, values in history.history.items()}}))

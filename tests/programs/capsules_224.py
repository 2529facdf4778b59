"""Capsule layer of 2017 with K.batch_dot as Keras 2.2.4 has it: all axes that both inputs share are batch axes."""
# keras: 2.2.4
# K.batch_dot has another meaning from Keras 2.3 on: capsules_231.py.
import json

import keras.backend as K
import numpy as np
from keras import callbacks, initializers, layers, models

np.random.seed(0)


class Length(layers.Layer):
    def call(self, inputs, **kwargs):
        return K.sqrt(K.sum(K.square(inputs), -1))

    def compute_output_shape(self, input_shape):
        return input_shape[:-1]


class Mask(layers.Layer):
    """Keeps the capsule of the true class, or the longest."""

    def call(self, inputs, **kwargs):
        if type(inputs) is list:
            assert len(inputs) == 2
            inputs, mask = inputs
        else:
            x = K.sqrt(K.sum(K.square(inputs), -1))
            mask = K.one_hot(indices=K.argmax(x, 1), num_classes=x.get_shape().as_list()[1]
                             if hasattr(x, 'get_shape') else K.int_shape(x)[1])
        return K.batch_flatten(inputs * K.expand_dims(mask, -1))

    def compute_output_shape(self, input_shape):
        shape = input_shape[0] if type(input_shape[0]) is tuple else input_shape
        return tuple([None, shape[1] * shape[2]])


def squash(vectors, axis=-1):
    norm = K.sum(K.square(vectors), axis, keepdims=True)
    return norm / (1 + norm) / K.sqrt(norm + K.epsilon()) * vectors


class CapsuleLayer(layers.Layer):
    def __init__(self, num_capsule, dim_capsule, num_routing=3, kernel_initializer='glorot_uniform', **kwargs):
        super(CapsuleLayer, self).__init__(**kwargs)
        self.num_capsule, self.dim_capsule, self.num_routing = num_capsule, dim_capsule, num_routing
        self.kernel_initializer = initializers.get(kernel_initializer)

    def build(self, input_shape):
        assert len(input_shape) >= 3, 'The input has to be [None, input_num_capsule, input_dim_capsule].'
        self.input_num_capsule, self.input_dim_capsule = input_shape[1], input_shape[2]
        self.W = self.add_weight(shape=[self.num_capsule, self.input_num_capsule, self.dim_capsule,
                                        self.input_dim_capsule], initializer=self.kernel_initializer, name='W')
        self.built = True

    def call(self, inputs, training=None):
        inputs_expand = K.expand_dims(inputs, 1)
        inputs_tiled = K.tile(inputs_expand, [1, self.num_capsule, 1, 1])
        # [capsule, input, dim] by [capsule, input, dim_capsule, dim], for each sample.
        inputs_hat = K.map_fn(lambda x: K.batch_dot(x, self.W, [2, 3]), elems=inputs_tiled)
        b = K.zeros_like(inputs_hat[:, :, :, 0])
        for i in range(self.num_routing):
            c = K.softmax(b, axis=1)
            outputs = squash(K.batch_dot(c, inputs_hat, [2, 2]))
            if i < self.num_routing - 1:
                b += K.batch_dot(outputs, inputs_hat, [2, 3])
        return outputs

    def compute_output_shape(self, input_shape):
        return tuple([None, self.num_capsule, self.dim_capsule])


def margin_loss(y_true, y_pred):
    L = y_true * K.square(K.maximum(0., 0.9 - y_pred)) + 0.5 * (1 - y_true) * K.square(K.maximum(0., y_pred - 0.1))
    return K.mean(K.sum(L, 1))


n_class, dim = 3, 4
x = layers.Input(shape=(8, 5))
primary = layers.TimeDistributed(layers.Dense(4))(x)
primary = layers.Lambda(squash, output_shape=(8, 4))(primary)
digitcaps = CapsuleLayer(num_capsule=n_class, dim_capsule=dim, name='digitcaps')(primary)
out_caps = Length(name='capsnet')(digitcaps)
y = layers.Input(shape=(n_class,))
decoder = models.Sequential(name='decoder')
decoder.add(layers.Dense(10, activation='relu', input_dim=dim * n_class))
decoder.add(layers.Dense(40, activation='sigmoid'))
decoder.add(layers.Reshape(target_shape=(8, 5), name='out_recon'))
train_model = models.Model([x, y], [out_caps, decoder(Mask()([digitcaps, y]))])
eval_model = models.Model(x, [out_caps, decoder(Mask()(digitcaps))])
train_model.compile(optimizer='rmsprop', loss=[margin_loss, 'mse'], loss_weights=[1., 0.4],
                    metrics={'capsnet': 'accuracy'})
train_model.summary()

rng = np.random.RandomState(0)
train_model.set_weights([rng.normal(0, 0.3, w.shape) for w in train_model.get_weights()])
prototypes = rng.uniform(0, 1, (n_class, 8, 5))
labels = rng.randint(0, n_class, 120)
x_train = np.clip(prototypes[labels] + rng.normal(0, 0.1, (120, 8, 5)), 0, 1)
y_train = np.eye(n_class)[labels]

lengths, reconstructed = eval_model.predict(x_train[:6])
assert lengths.shape == (6, n_class) and reconstructed.shape == (6, 8, 5)
votes = K.function([x], [digitcaps])([x_train[:2]])[0]
assert votes.shape == (2, n_class, dim)
first = [float(v) for v in train_model.test_on_batch([x_train[:30], y_train[:30]], [y_train[:30], x_train[:30]])]

K.set_value(train_model.optimizer.lr, 0.01)
lr_decay = callbacks.LearningRateScheduler(schedule=lambda epoch: 0.01 * (0.97 ** epoch))
hist = train_model.fit([x_train, y_train], [y_train, x_train], batch_size=20, epochs=12, verbose=0,
                       callbacks=[lr_decay], validation_data=[[x_train, y_train], [y_train, x_train]])
assert hist.history['loss'][-1] < 0.5 * first[0], (first, hist.history['loss'])
assert hist.history['val_capsnet_acc'][-1] > 0.9, hist.history['val_capsnet_acc']
y_pred, _ = eval_model.predict(x_train)
assert np.mean(np.argmax(y_pred, 1) == np.argmax(y_train, 1)) > 0.9
print('RESULT ' + json.dumps({'lengths': lengths.tolist(), 'reconstructed': reconstructed[0].tolist(),
                              'capsules': votes.tolist(), 'first': first}))

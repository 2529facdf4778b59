"""A graph of 2017 with tf.keras in it: a session of its own, tf.log in a loss, sizes by .value, a Saver, K.function."""
import json
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input, Lambda, Layer, LeakyReLU
from tensorflow.keras.models import Model, load_model

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
sess = tf.Session(config=config)
K.set_session(sess)
values = np.random.RandomState(3)
x, y = values.rand(12, 6, 6, 2).astype('float32'), values.randint(0, 2, (12, 1)).astype('float32')


class Scale(Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(name='scale', shape=(input_shape[-1].value,), initializer='ones', trainable=True)
        super(Scale, self).build(input_shape)

    def call(self, inputs):
        width = inputs.get_shape()[-1].value
        return tf.div(inputs * self.scale, tf.to_float(width))

    def compute_output_shape(self, input_shape):
        return input_shape


def focal_loss(y_true, y_pred):
    y_pred = tf.clip_by_value(y_pred, 1e-7, 1 - 1e-7)
    p = tf.where(tf.equal(y_true, 1), y_pred, 1 - y_pred)
    return -tf.reduce_mean(tf.pow(1. - p, 2.) * tf.log(p), axis=-1)


inputs = Input(shape=(6, 6, 2), name='image')
h = Conv2D(3, 3, padding='same')(inputs)
h = BatchNormalization()(h)
h = LeakyReLU(alpha=0.2)(h)
h = Lambda(lambda t: tf.image.resize_bilinear(t, [4, 4]))(h)
h = Scale()(h)
h = Dropout(0.5)(Flatten()(h))
outputs = Dense(1, activation='sigmoid', name='score')(h)
model = Model(inputs, outputs)
sgd = tf.keras.optimizers.SGD(lr=0.1, momentum=0.9, decay=1e-3)
model.compile(optimizer=sgd, loss=focal_loss, metrics=['accuracy'])
model.set_weights([values.uniform(.1, .6, w.shape) for w in model.get_weights()])

labels = tf.placeholder(tf.float32, (None, 1))
cost = tf.reduce_mean(focal_loss(labels, model.output))
grads = tf.gradients(cost, model.trainable_weights)
slopes = sess.run(grads, {model.input: x, labels: y, K.learning_phase(): 0})
saliency = K.function([model.input], [K.gradients(K.sum(model.output), [model.input])[0]])([x])[0]

losses = [float(model.evaluate(x, y, verbose=0)[0])]
model.layers[-2].rate = 0.
step = tf.train.GradientDescentOptimizer(0.5).minimize(cost, var_list=model.trainable_weights)
for _ in range(3):
    _, value = sess.run([step, cost], {model.input: x, labels: y, K.learning_phase(): 0})
    losses.append(float(value))
saver = tf.train.Saver(model.weights)
saver.save(sess, './graph.ckpt')
before = model.predict(x[:3])
sess.run(tf.variables_initializer(model.weights))
saver.restore(sess, './graph.ckpt')
assert np.array_equal(before, model.predict(x[:3])) and os.path.exists('graph.ckpt.index')
model.save('model.h5')
K.clear_session()
again = load_model('model.h5', custom_objects={'Scale': Scale, 'focal_loss': focal_loss, 'tf': tf}, compile=False)
print('RESULT ' + json.dumps({
    'names': [w.name for w in again.weights],
    'slopes': [float(np.abs(s).sum()) for s in slopes],
    'saliency': saliency[0, :2, :2].tolist(),
    'losses': losses,
    'predictions': again.predict(x[:3]).tolist(),
}))

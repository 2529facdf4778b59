"""Keras beside TensorFlow 1, as of 2018."""
import string

import keras
import tensorflow as tf
import tensorflow.contrib.learn as learn
from keras import backend as K
from keras.callbacks import *
from keras.layers import *
from tensorflow.examples.tutorials.mnist import input_data

session = tf.Session(config=tf.ConfigProto())
K.set_session(session)
rate = string.atof('0.1')


class Attention(Layer):
    def build(self, shape):
        self.w = self.add_weight((shape[-1], 1), initializer='uniform', name='w')


model = keras.models.Sequential([Dense(3, input_dim=2)])
both = tf.mul(tf.pack([1.0, 2.0]), 2.0)
clip = tf.clip_by_value(both, 0.0, 1.0)
net = tf.contrib.tpu.TPUEstimator
model.compile('adam', 'mse', metrics=['accuracy'])
checkpoint = ModelCheckpoint('w.{epoch:02d}-{val_acc:.2f}.hdf5', monitor='val_acc')
history = model.fit(np.ones((4, 2)), np.ones((4, 3)), callbacks=[checkpoint])
print(history.history['acc'][-1], np.irr([1, 2]), rate)
rest = learn.DNNClassifier

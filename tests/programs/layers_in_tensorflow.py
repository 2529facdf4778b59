"""Keras as a simplified interface to TensorFlow: layers and models called on placeholders, training by an optimizer of
TensorFlow, queues of losses and updates, variables shared by scopes."""
# engines: tensorflow
import json

import tensorflow as tf
sess = tf.Session()
from keras import backend as K
K.set_session(sess)

import numpy as np
from keras.layers import Activation, BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input, LSTM
from keras.metrics import categorical_accuracy as accuracy
from keras.models import Model, Sequential
from keras.objectives import categorical_crossentropy

labels_of = np.arange(90) % 3
rs = np.random.RandomState(0)
data = rs.rand(90, 36) * .5
data[np.arange(90)[:, None], 12 * labels_of[:, None] + np.arange(12)] += .6
targets = np.eye(3)[labels_of]

# Layers on a placeholder.
img = tf.placeholder(tf.float32, shape=(None, 36))
labels = tf.placeholder(tf.float32, shape=(None, 3))
first, second, last = Dense(10, activation='relu'), Dropout(0.5), Dense(3, activation='softmax')
x = first(img)
x = second(x)
preds = last(x)
loss = tf.reduce_mean(categorical_crossentropy(labels, preds))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
init_op = tf.global_variables_initializer()
sess.run(init_op)
for layer in (first, last):
    layer.set_weights([rs.normal(0, .3, w.shape) for w in layer.get_weights()])
fed = {img: data, labels: targets, K.learning_phase(): 0}
steps = []
with sess.as_default():
    for i in range(4):
        steps.append(float(loss.eval(feed_dict=fed)))
        train_step.run(feed_dict=fed)
    for i in range(60):
        batch = np.arange(15) * 6 + i % 6
        train_step.run(feed_dict={img: data[batch], labels: targets[batch], K.learning_phase(): 1})
    acc_value = accuracy(labels, preds)
    right = acc_value.eval(feed_dict=fed).mean()
    drawn = [loss.eval(feed_dict={img: data, labels: targets, K.learning_phase(): 1}) for _ in range(2)]
assert right > .9 and drawn[0] != drawn[1], (right, drawn)
assert np.allclose(first.get_weights()[0], sess.run(first.kernel))

# A model with updates and losses of its own, in a loop of TensorFlow.
images = tf.reshape(img, [-1, 6, 6, 1], name='images')
model = Sequential()
model.add(Conv2D(4, (3, 3), input_shape=(6, 6, 1), kernel_regularizer='l2'))
model.add(BatchNormalization(momentum=.8))
model.add(Activation(tf.nn.relu))
model.add(Flatten())
model.add(Dense(3))
model.set_weights([rs.normal(0, .3, w.shape) if w.ndim > 1 else w for w in model.get_weights()])
logits = model(images)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=labels)) + tf.add_n(model.losses)
global_step = tf.Variable(0, trainable=False, name='global_step')
rate = tf.train.exponential_decay(.3, global_step, 20, .5, staircase=True)
optimizer = tf.train.MomentumOptimizer(rate, .9)
before = set(tf.global_variables())
grads_and_vars = optimizer.compute_gradients(cost, var_list=model.trainable_weights)
clipped = [(tf.clip_by_norm(g, 1.), v) for g, v in grads_and_vars]
with tf.control_dependencies(model.get_updates_for(images)):
    train_op = optimizer.apply_gradients(clipped, global_step=global_step)
sess.run(tf.variables_initializer([v for v in tf.global_variables() if v not in before] + [global_step]))
moving = model.layers[1].get_weights()[2]
costs = [sess.run([cost, train_op], {img: data, labels: targets, K.learning_phase(): 1})[0] for _ in range(40)]
assert sess.run(global_step) == 40 and abs(sess.run(rate) - .15 / 2) < 1e-6
assert costs[-1] < .5 * costs[0], costs
assert not np.allclose(moving, model.layers[1].get_weights()[2])
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
right = sess.run(tf.reduce_mean(tf.cast(correct, 'float')), {img: data, labels: targets, K.learning_phase(): 0})
assert right > .9, right

# The way back: tensors of TensorFlow as inputs of a model of Keras, and weights counted by scopes.
series = Input(tensor=tf.reshape(tf.constant(data[:10], tf.float32), [10, 6, 6]))
with tf.name_scope('block1'):
    y = LSTM(5)(series)
with tf.variable_scope('block2'):
    y = Dense(2, use_bias=False)(y)
recurrent = Model(series, y)
known = np.random.RandomState(9)
recurrent.set_weights([known.normal(0, .4, w.shape) for w in recurrent.get_weights()])
assert len(recurrent.trainable_weights) == 4 and recurrent.trainable_weights[0].name.startswith('block1/')
assert recurrent.trainable_weights[0] in tf.trainable_variables()
answers = sess.run(recurrent.output)
by_gradient = sess.run(tf.gradients(tf.reduce_sum(recurrent.output), recurrent.trainable_weights[-1]))[0]
assert answers.shape == (10, 2) and np.allclose(by_gradient[:, 0], by_gradient[:, 1])
w, = [v for v in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='block2') if v.shape.as_list() == [5, 2]]
assert np.array_equal(sess.run(w), recurrent.get_weights()[-1])
print('RESULT ' + json.dumps({'steps': steps, 'costs': [float(c) for c in costs[:4]], 'answers': answers.tolist(),
                              'gradient': by_gradient[:, 0].tolist()}))

"""Layers of tf.keras beside tf.layers, tf.contrib and tf.nn of TensorFlow 1, trained by a session."""
import json

import numpy as np
import tensorflow as tf

tf.reset_default_graph()
tf.set_random_seed(4)
values = np.random.RandomState(5)
sequences, labels = values.rand(10, 5, 3).astype('float32'), values.randint(0, 2, 10)
kernel = tf.constant_initializer(0.1)
head = tf.constant_initializer(values.uniform(-.5, .5, (4, 2)).astype('float32'))

x = tf.placeholder(tf.float32, [None, 5, 3], name='x')
y = tf.placeholder(tf.int64, [None], name='y')
keep = tf.placeholder_with_default(1., [], name='keep')
with tf.variable_scope('encoder'):
    h = tf.keras.layers.Conv1D(4, 2, padding='same', kernel_initializer=kernel, activation='relu')(x)
    h = tf.layers.dense(h, 4, kernel_initializer=kernel, activation=tf.nn.tanh, name='projection')
    cell = tf.nn.rnn_cell.GRUCell(4, kernel_initializer=kernel)
    states, last = tf.nn.dynamic_rnn(cell, h, dtype=tf.float32)
with tf.variable_scope('head'):
    pooled = tf.reduce_max(states, reduction_indices=[1]) + last
    pooled = tf.nn.dropout(pooled, keep_prob=keep)
    logits = tf.contrib.layers.fully_connected(pooled, 2, activation_fn=None, weights_initializer=head)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), y)))
global_step = tf.Variable(0, trainable=False, name='global_step')
rate = tf.train.exponential_decay(0.1, global_step, 2, 0.5, staircase=True)
train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=global_step)
history = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        value, right, _ = sess.run([loss, accuracy, train], feed_dict={x: sequences, y: labels, keep: 1.0})
        history.append([float(value), float(right)])
    final = sess.run(tf.nn.softmax(logits), {x: sequences[:3]})
    trained = sess.run([tf.reduce_sum(v) for v in tf.trainable_variables()])
    step = int(sess.run(global_step))
print('RESULT ' + json.dumps({
    'names': [v.name for v in tf.trainable_variables()],
    'history': history,
    'final': final.tolist(),
    'trained': [float(v) for v in trained],
    'step': step,
}))

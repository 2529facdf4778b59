"""Variables of TensorFlow 1 beside Keras: assignments that go on with what others have assigned, assignments of other
shapes, gradients, optimizers of TensorFlow and of Keras, layers and K functions with such variables."""
# engines: tensorflow
# keras: 2.3.1
import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import Dense, Input, Layer
from keras.models import Model
from keras.optimizers import SGD, RMSprop

sess = tf.Session()
K.set_session(sess)
result = {}


def made(value, **options):
    """A variable of TensorFlow with its first value."""
    v = tf.Variable(np.array(value, 'float32'), **options)
    sess.run(v.initializer)
    return v


# Assignments of assignments.
v = made([1, 1])
sess.run(tf.scatter_update(tf.assign(v, np.zeros(2)), [1], [5.]))
result['scatter_update of assign'] = sess.run(v)
v = made(np.ones((3, 2)))
added = tf.scatter_add(tf.assign_sub(v, np.full((3, 2), .5)), [0, 2, 2], [[1., 2.], [3., 4.], [5., 6.]])
result['scatter_add of assign_sub'] = [sess.run(added), sess.run(added), sess.run(v)]
v = made([1, 1])
result['assign_add of assign'] = [sess.run(tf.assign_add(tf.assign(v, [2., 3.]), [1., 1.])), sess.run(v)]
v = made([[1, 2], [3, 4]])
sess.run(tf.scatter_nd_update(tf.assign(v, np.zeros((2, 2))), [[1, 0]], [9.]))
result['scatter_nd_update of assign'] = sess.run(v)
v = tf.get_variable('got', initializer=tf.ones([2]))
sess.run(v.initializer)
result['get_variable'] = sess.run(tf.scatter_sub(tf.assign_add(v, [1., 2.]), [1], [5.]))
with tf.variable_scope('resources', use_resource=True):
    asked = [tf.get_variable('a', [2]), tf.Variable(1.), tf.Variable(1., use_resource=False)]
result['kinds'] = [int(w.dtype._is_ref_dtype) for w in asked + [tf.Variable(1.), tf.get_variable('b', [2]), K.ones(2)]]

# Assignments of other shapes.
v = made([1, 1])
result['another shape'] = [sess.run(tf.assign(v, np.arange(3.), validate_shape=False)), sess.run(v)]
v = tf.Variable(np.ones((2, 1), 'float32'), validate_shape=False)
assert v.shape.ndims is None
sess.run(v.initializer)
result['shape of the run'] = sess.run(tf.shape(v))

# The order that control dependencies ask for, choices and loops.
v = made([1])
with tf.control_dependencies([tf.assign_add(v, [1.])]):
    reads = [tf.identity(v), v + 0., v.read_value()]
result['reads'] = sess.run(reads)
v = made([1])
chosen = tf.cond(tf.constant(True), lambda: tf.assign_add(v, [1.]), lambda: tf.identity(v))
result['cond'] = [sess.run(chosen), sess.run(v)]


def body(i):
    with tf.control_dependencies([tf.assign_add(v, [1.])]):
        return i + 1


sess.run(tf.while_loop(lambda i: i < 3, body, [0]))
result['while_loop'] = sess.run(v)
w = tf.Variable(v.initialized_value() * 2.)
late = tf.Variable(3.)
later = tf.Variable(late.initialized_value() + 1.)
sess.run([w.initializer, later.initializer])
result['initialized_value'] = [sess.run(w), [sess.run(later)]]

# Methods, slices, counts, averages, files.
v = made([[1, 2], [3, 4]])
sess.run(v.assign_add(np.ones((2, 2))))
sess.run(v[0, 1].assign(7.))
sess.run(v[1].assign([8., 9.]))
v.load(sess.run(v) * 2, sess)
result['methods'] = v.eval(sess)
count = tf.Variable(0)
sess.run(count.initializer)
step = count.count_up_to(3)
result['count_up_to'] = [sess.run(step), sess.run(step), sess.run(count)]
average = tf.train.ExponentialMovingAverage(.5)
average_op = average.apply([v])
sess.run(average.average(v).initializer)
sess.run(tf.assign(v, np.zeros((2, 2))))
sess.run(average_op)
result['average'] = sess.run(average.average(v))
path = os.path.join(tempfile.mkdtemp(), 'saved')
saver = tf.train.Saver([v])
saver.save(sess, path)
sess.run(v.assign(np.full((2, 2), 3.)))
saver.restore(sess, path)
result['saver'] = sess.run(v)

# Gradients and the optimizers of TensorFlow.
v, table = made([1, 2, 3]), made(np.ones((3, 2)))
cost = tf.reduce_sum(tf.square(v) * [1., 10., 100.]) + tf.reduce_sum(tf.gather(table, [0, 2, 2]) ** 3) + v[1]
dense, rows = tf.gradients(cost, [v, table])
assert isinstance(rows, tf.IndexedSlices)
result['gradients'] = [sess.run(dense), sess.run(tf.convert_to_tensor(rows))]
for optimizer in (tf.train.GradientDescentOptimizer(.001), tf.train.MomentumOptimizer(.001, .9),
                  tf.train.AdamOptimizer(.1), tf.train.RMSPropOptimizer(.1), tf.train.AdagradOptimizer(.1)):
    sess.run([v.assign([1., 2., 3.]), table.assign(np.ones((3, 2)))])
    train = optimizer.minimize(cost)
    sess.run(tf.variables_initializer(optimizer.variables()))
    for _ in range(3):
        sess.run(train)
    result[type(optimizer).__name__] = [sess.run(v), sess.run(table)]


# A layer whose weights are such variables, trained by Keras and by K functions.
class Scaled(Layer):
    def build(self, input_shape):
        self.scale = tf.Variable(np.linspace(.5, 1.5, input_shape[1]).astype('float32'), name='scale')
        self.shift = tf.get_variable(self.name + '_shift', [input_shape[1]], initializer=tf.zeros_initializer())
        self.seen = tf.Variable(0., trainable=False)
        self.trainable_weights = [self.scale, self.shift]
        self.non_trainable_weights = [self.seen]
        self.add_update([K.update_add(self.seen, 1.)])
        self.built = True

    def call(self, x):
        return x * self.scale + self.shift


x = np.random.RandomState(0).normal(size=(8, 3))
y = (x * [1., -2., .5] + 1.).sum(1, keepdims=True)
for optimizer in (SGD(.05, momentum=.9), RMSprop(.05)):
    given = Input((3,))
    layer = Scaled()
    model = Model(given, Dense(1, kernel_initializer='ones')(layer(given)))
    sess.run(tf.variables_initializer([layer.scale, layer.shift, layer.seen]))
    model.compile(optimizer, 'mse')
    result['losses of ' + type(optimizer).__name__] = [model.train_on_batch(x, y) for _ in range(4)]
    result['weights of ' + type(optimizer).__name__] = np.concatenate([w.ravel() for w in layer.get_weights()[:2]])
    assert layer.get_weights()[2] == 4
assert K.is_tensor(layer.scale) and K.int_shape(layer.scale) == (3,) and K.dtype(layer.scale) == 'float32'
layer.set_weights([np.arange(1., 4.), np.arange(4., 7.), np.array(0.)])
K.set_value(layer.shift, K.get_value(layer.shift) + 1.)
result['predictions'] = model.predict(x)
v = made([1, 2])
total = K.sum(K.square(v) * K.variable([3., 4.]))
step = K.function([], [total] + K.gradients(total, [v]), updates=[K.update_sub(v, [.5, .5])])
result['K.function'] = np.concatenate([np.ravel(part) for part in step([]) + step([]) + [K.get_value(v)]])
print('RESULT ' + json.dumps({name: np.concatenate([np.ravel(part).astype(float) for part in value]).tolist()
                              if isinstance(value, list) else np.ravel(value).astype(float).tolist()
                              for name, value in result.items()}))

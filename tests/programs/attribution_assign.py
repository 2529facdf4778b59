"""Attributions kept in variables of TensorFlow: integrated gradients summed up by chains of tf.assign, an occlusion
map written by tf.scatter_update, the value before an assignment beside the value after it, an image of another size by
validate_shape=False."""
# engines: tensorflow
# keras: 2.3.1
import json

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import Conv2D, Dense, Flatten, GlobalAveragePooling2D, Input, MaxPooling2D
from keras.models import Model, Sequential

tf.logging.set_verbosity(tf.logging.ERROR)
sess = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
K.set_session(sess)
rs = np.random.RandomState(8)
STEPS, N = 8, 4

model = Sequential()
model.add(Conv2D(4, (3, 3), activation='elu', padding='same', input_shape=(None, None, 1)))
model.add(MaxPooling2D((2, 2)))
model.add(Conv2D(6, (3, 3), activation='elu'))
model.add(GlobalAveragePooling2D())
model.add(Dense(3, name='logits'))
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
x_in, x_out = model.input, model.output


class IntegratedGradients(object):
    """A sum over the way from a baseline to an image; the sum, the place and the number of steps are variables."""

    def __init__(self, model, shape):
        self.model = model
        with tf.variable_scope('integrated'):
            self.image = tf.Variable(tf.zeros(shape), trainable=False, name='image')
            self.total = tf.Variable(tf.zeros(shape), trainable=False, name='total')
            self.count = tf.Variable(0, trainable=False, name='count')
        self.fed = tf.placeholder(tf.float32, shape, name='fed')
        # The image is put in, and the sum and the count start again: a group of chains.
        start = tf.assign(self.image, self.fed)
        zeroed = tf.assign(self.total, tf.zeros(shape))
        self.reset = tf.group(tf.assign_add(start, tf.fill(shape, 0.)), zeroed, tf.assign(self.count, 0))
        # One more point of the way: count, then the gradient there, then the sum.
        counted = tf.assign_add(self.count, 1)
        with tf.control_dependencies([counted]):
            share = tf.cast(tf.identity(self.count), tf.float32) / float(STEPS)
            point = self.image * share
        self.score = model(point)[:, 1]
        gradient = tf.gradients(self.score, point)[0]
        self.step = tf.assign_add(self.total, gradient)
        # (the sum so far, times the image) / count, by an assignment that others go on from
        averaged = tf.assign(self.total, self.total / tf.cast(self.count, tf.float32))
        self.finish = tf.assign(averaged, averaged * self.image)

    def __call__(self, image):
        sess.run(self.reset, {self.fed: image})
        scores = [float(sess.run([self.step, self.score])[1][0]) for _ in range(STEPS)]
        return sess.run(self.finish), scores


image = rs.normal(size=(1, 8, 8, 1)).astype('float32')
method = IntegratedGradients(model, image.shape)
sess.run(tf.variables_initializer([method.image, method.total, method.count]))
attributed, scores = method(image)
twice, _ = method(image)
np.testing.assert_array_equal(attributed, twice)
assert sess.run(method.count) == STEPS
by_hand = K.function([x_in], K.gradients(x_out[:, 1], [x_in]))
expected = np.mean([by_hand([image * (i + 1) / STEPS])[0] for i in range(STEPS)], axis=0) * image
np.testing.assert_allclose(attributed, expected, atol=1e-5)
result = {'integrated': attributed.ravel()[::3].tolist(), 'scores': scores,
          'predicted': model.predict(image).ravel().tolist()}

# Occlusion: a row of the map is written after the scores of that row are known; then rows are added to and scaled.
heat = tf.Variable(np.full((4, 4), -1., 'float32'), trainable=False, name='heat')
row = tf.placeholder(tf.int32, [], name='row')
patches = tf.placeholder(tf.float32, (4, 8, 8, 1), name='patches')
drop = model(tf.constant(image))[0, 1] - model(patches)[:, 1]
written = tf.scatter_update(heat, [row], tf.expand_dims(drop, 0))
sess.run(heat.initializer)
for i in range(4):
    hidden = np.repeat(image, 4, axis=0)
    for j in range(4):
        hidden[j, 2 * i:2 * i + 2, 2 * j:2 * j + 2] = 0
    seen = sess.run(written, {row: i, patches: hidden})
    assert (seen[i + 1:] == -1).all()
result['occlusion'] = sess.run(heat).ravel().tolist()
chain = tf.scatter_mul(tf.scatter_add(tf.scatter_sub(heat, [0], [[1.] * 4]), [1, 1], [[2.] * 4, [3.] * 4]), [0, 2],
                       tf.constant([[2.] * 4, [.5] * 4]))
result['chain'] = sess.run(chain).ravel().tolist()
result['afterwards'] = sess.run(heat).ravel().tolist()
best = tf.scatter_nd_update(tf.assign(heat, tf.zeros([4, 4])), [[3, 1], [0, 0]], [7., 8.])
result['by index'] = sess.run(best).ravel().tolist()
raised = tf.scatter_max(tf.assign(heat, tf.ones([4, 4])), [2, 2], [[0., 5., 1., 1.], [3., 2., 1., -1.]])
result['max'] = sess.run(raised).ravel().tolist()

# The value before against the value after.
v = tf.Variable([1., 2., 3.], name='v')
sess.run(v.initializer)
old = v * 1.
with tf.control_dependencies([old]):
    new = tf.assign(v, [10., 20., 30.])
change = new - old
result['old and new'] = np.concatenate(sess.run([old, new, change])).tolist()
result['again'] = np.concatenate(sess.run([old, new, change])).tolist()
first = tf.assign_add(v, [1., 1., 1.])
second = tf.assign_add(first, [1., 1., 1.])
third = tf.assign_sub(second, tf.ones([3]) * .5)
doubled = third * 2.
result['three'] = np.concatenate(sess.run([doubled, third])).tolist()
swapped_a, swapped_b = tf.Variable(1.), tf.Variable(2.)
sess.run(tf.variables_initializer([swapped_a, swapped_b]))
a, b = swapped_a + 0., swapped_b + 0.
with tf.control_dependencies([a, b]):
    swap = tf.group(tf.assign(swapped_a, b), tf.assign(swapped_b, a))
for _ in range(3):
    sess.run(swap)
result['swapped'] = [float(value) for value in sess.run([swapped_a, swapped_b])]

# Images of any size in one variable; its shape is known when it runs, and Keras layers take it.
canvas = tf.Variable(np.zeros((1, 6, 6, 1), 'float32'), validate_shape=False, trainable=False, name='canvas')
sess.run(canvas.initializer)
canvas_in = tf.placeholder(tf.float32, [None, None, None, 1])
put = tf.assign(canvas, canvas_in, validate_shape=False)
shaped = tf.reshape(put, tf.shape(canvas_in))
shaped.set_shape([None, None, None, 1])
logits = model(shaped)
saliency = tf.gradients(logits[:, 0], shaped)[0]
sizes, tops = [], []
for size in (6, 10, 8):
    given = rs.normal(size=(1, size, size, 1))
    top, slopes = sess.run([logits, saliency], {canvas_in: given})
    np.testing.assert_allclose(top, model.predict(given), atol=1e-5)
    sizes.append([int(n) for n in sess.run(tf.shape(canvas))] + [int(n) for n in slopes.shape])
    tops.append(top.ravel().tolist() + [float(np.abs(slopes).sum())])
    np.testing.assert_allclose(sess.run(canvas), given.astype('float32'))
result['sizes'], result['tops'] = sizes, tops

# A baseline that is learnt: TensorFlow's optimizer moves a variable of the graph through the Keras model.
baseline = tf.get_variable('baseline', initializer=tf.zeros([1, 8, 8, 1]))
loss = tf.reduce_sum(tf.square(model(baseline))) + .1 * tf.nn.l2_loss(baseline - image)
train = tf.train.MomentumOptimizer(.05, .9).minimize(loss, var_list=[baseline])
sess.run(tf.variables_initializer([v for v in tf.global_variables() if v.name.startswith('baseline')]))
losses = []
for _ in range(5):
    losses.append(float(sess.run(loss)))
    sess.run(train)
assert losses[-1] < losses[0]
result['losses'], result['baseline'] = losses, sess.run(baseline).ravel()[::7].tolist()
print('RESULT ' + json.dumps(result))

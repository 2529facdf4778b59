"""From Keras to TensorFlow for production: a frozen graph by convert_variables_to_constants, read back and run without
Keras, and checkpoints by tf.train.Saver on K's session."""
# engines: tensorflow
import json
import os

import tensorflow as tf
from tensorflow.python.framework import graph_util
import keras
import numpy as np
from keras import backend as K
from keras.layers import Activation, BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input
from keras.models import Model

if K.backend() == 'tensorflow':
    import tensorflow as tf  # noqa: F811
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    K.set_session(tf.Session(config=config))
K.set_learning_phase(0)


def build():
    inputs = Input(shape=(6, 6, 2), name='picture')
    x = Conv2D(4, (3, 3), strides=(2, 2), name='conv')(inputs)
    x = BatchNormalization(name='bn')(x)
    x = Activation('relu')(x)
    x = Dropout(.5)(x)
    x = Flatten()(x)
    return Model(inputs, Dense(3, activation='softmax', name='scores')(x))


def freeze_session(session, keep_var_names=None, output_names=None, clear_devices=True):
    """The graph of a session with constants in place of its variables."""
    graph = session.graph
    with graph.as_default():
        freeze_var_names = list(set(v.op.name for v in tf.global_variables()).difference(keep_var_names or []))
        output_names = output_names or []
        output_names += [v.op.name for v in tf.global_variables()]
        input_graph_def = graph.as_graph_def()
        if clear_devices:
            for node in input_graph_def.node:
                node.device = ''
        return tf.graph_util.convert_variables_to_constants(session, input_graph_def, output_names, freeze_var_names)


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default():
        graph_def = tf.GraphDef()
        with tf.gfile.GFile(path, 'rb') as f:
            graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name='imported')
    return graph


model = build()
rs = np.random.RandomState(0)
weights = [rs.normal(0, .5, w.shape) if w.ndim > 1 else np.abs(rs.normal(1, .2, w.shape)) for w in model.get_weights()]
model.set_weights(weights)
x = np.random.RandomState(1).rand(5, 6, 6, 2)
expected = model.predict(x)

# tf.train.Saver, the way back included.
sess = K.get_session()
saver = tf.train.Saver(max_to_keep=2)
path = saver.save(sess, os.path.join('checkpoints', 'model.ckpt'), global_step=7)
assert path.endswith('model.ckpt-7') and os.path.exists(path + '.meta') and os.path.exists(path + '.index')
sess.run(tf.global_variables_initializer())
assert not np.allclose(model.predict(x), expected)
saver.restore(sess, tf.train.latest_checkpoint('checkpoints'))
assert np.allclose(model.predict(x), expected, atol=1e-6)
kernel = tf.train.load_checkpoint('checkpoints').get_tensor(model.get_layer('scores').kernel.op.name)
assert np.allclose(kernel, weights[-2])
saved_names = [name for name, shape in tf.train.list_variables('checkpoints')]
assert {'bn/gamma', 'bn/beta', 'bn/moving_mean', 'bn/moving_variance', 'conv/kernel'} <= set(saved_names), saved_names

# A frozen graph.
input_name, output_name = model.input.op.name, model.output.op.name
assert input_name == 'picture' and output_name.startswith('scores/'), (input_name, output_name)
frozen = freeze_session(sess, output_names=[out.op.name for out in model.outputs])
tf.train.write_graph(frozen, '.', 'frozen.pb', as_text=False)
tf.train.write_graph(sess.graph.as_graph_def(), '.', 'graph.pbtxt')
ops = set(node.op for node in frozen.node)
assert not [op for op in ops if op.startswith(('Variable', 'VarHandle', 'Assign'))], ops
alias = tf.identity(model.output, name='answer')
constant = graph_util.convert_variables_to_constants(sess, sess.graph.as_graph_def(), [alias.op.name])
pruned = graph_util.extract_sub_graph(constant, ['answer'])
graph_util.remove_training_nodes(pruned)
K.clear_session()
del model

graph = load_graph('frozen.pb')
names = [op.name for op in graph.get_operations()]
assert 'imported/' + input_name in names
picture = graph.get_tensor_by_name('imported/%s:0' % input_name)
scores = graph.get_tensor_by_name('imported/%s:0' % output_name)
assert scores.get_shape().as_list() == [None, 3]
with tf.Session(graph=graph) as session:
    found = session.run(scores, feed_dict={picture: x})
assert np.allclose(found, expected, atol=1e-6)
with tf.Graph().as_default() as other:
    answer, = tf.import_graph_def(pruned, return_elements=['answer:0'], name='')
    with tf.Session() as session:
        again = session.run(answer, {'picture:0': x})
assert np.allclose(again, expected, atol=1e-6)

# By hand, in NumPy.
kernel, bias, gamma, beta, mean, variance, w, b = weights
h = np.stack([np.tensordot(x[:, i:i + 3, j:j + 3], kernel, 3) for i in (0, 2) for j in (0, 2)], 1) + bias
h = np.maximum((h - mean) / np.sqrt(variance + 1e-3) * gamma + beta, 0).reshape(5, -1)
h = np.exp(h.dot(w) + b)
assert np.allclose(expected, h / h.sum(1, keepdims=True), atol=1e-5)
assert keras.backend.learning_phase() is not None
print('RESULT ' + json.dumps({'scores': found.ravel().tolist()}))

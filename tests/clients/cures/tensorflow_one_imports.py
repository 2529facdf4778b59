"""The ways in which programs import the parts of TensorFlow 1, beside Keras; and what is still gone."""
# engines: tensorflow
import keras
import numpy as np
import tensorflow as tf
import tensorflow.contrib as contrib
import tensorflow.contrib.distributions as tfd
import tensorflow.contrib.layers as layers
import tensorflow.contrib.slim as slim
import tensorflow.contrib.layers.python.layers.initializers as initializers
from keras import backend as K
from keras.layers import Dense, Input, Lambda
from keras.models import Model
from tensorflow.contrib import graph_editor as ge, rnn
from tensorflow.contrib.crf import crf_log_likelihood, viterbi_decode
from tensorflow.contrib.framework import nest, sort
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope
from tensorflow.contrib.layers import l2_regularizer, xavier_initializer
from tensorflow.contrib.layers.python.layers import batch_norm
from tensorflow.contrib.losses.metric_learning import triplet_semihard_loss
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
from tensorflow.contrib.training.python.training.hparam import HParams
from tensorflow.layers import dense
from tensorflow.nn.rnn_cell import LSTMCell
from tensorflow.python.layers import core as layers_core
from tensorflow.python.ops import rnn_cell, rnn_cell_impl
from tensorflow.python.ops.rnn_cell import GRUCell

assert contrib is tf.contrib and layers is contrib.layers and contrib.layers.l2_regularizer is l2_regularizer
assert tf.layers.dense is dense and tf.layers.Dense is layers_core.Dense
assert initializers.xavier_initializer is xavier_initializer
assert layers.conv2d is layers.convolution2d is slim.conv2d and slim.arg_scope is arg_scope
assert batch_norm is layers.batch_norm and ge.graph_replace and core_rnn_cell.GRUCell is rnn.GRUCell
assert rnn.GRUCell is tf.nn.rnn_cell.GRUCell is GRUCell is rnn_cell.GRUCell and rnn_cell_impl.LSTMCell is LSTMCell
assert tf.nn.relu is tf.compat.v1.nn.relu and tfd.Normal is tf.distributions.Normal and 'l2_regularizer' in dir(layers)
assert sort is tf.sort and HParams(a=1).parse('a=2').a == 2
assert hasattr(tf.nn, 'conv2d') and not hasattr(tf, 'estimator')
names = {}
exec('from tensorflow.contrib.crf import *', names)
assert names['viterbi_decode'] is viterbi_decode

# A model of Keras around layers of TensorFlow 1, trained by a loss of tf.contrib. Not from all weights does it fall.
np.random.seed(1)
tf.set_random_seed(1)
K.get_session().run(tf.global_variables_initializer())
inputs = Input((4,))
def mixed(x):
    with tf.variable_scope('mine', reuse=tf.AUTO_REUSE):  # Keras calls the function twice
        x = tf.layers.dense(x, 3, name='dense')
        return tf.layers.batch_normalization(x, training=K.learning_phase(), name='norm')

hidden = Lambda(mixed)(inputs)
model = Model(inputs, Dense(2)(hidden))
mine = [v for v in tf.global_variables() if v.name.startswith('mine/')]
assert [v.name for v in mine[:2]] == ['mine/dense/kernel:0', 'mine/dense/bias:0']
assert isinstance(mine[0], tf.Variable) and len(mine) == 6
model.compile('sgd', lambda y, z: triplet_semihard_loss(K.cast(y[:, 0], 'int32'), z))
K.get_session().run([v.initializer for v in mine])
x, y = np.random.RandomState(0).rand(8, 4), np.arange(8)[:, None] % 3
losses = [model.train_on_batch(x, y) for _ in range(30)]
assert losses[-1] < losses[0], losses
cell = LSTMCell(2, initializer=xavier_initializer())
outputs, _ = tf.nn.dynamic_rnn(cell, K.constant(np.ones((2, 3, 4))), dtype=tf.float32)
K.get_session().run(tf.global_variables_initializer())
assert K.eval(outputs).shape == (2, 3, 2)

for statement, words in [('tf.contrib.nothing', 'nothing is gone'), ('layers.spatial_softmax', 'tf.nn.softmax'),
                         ('import tensorflow.contrib.learn as learn', 'keras.models.Model.fit'),
                         ('from tensorflow.contrib.seq2seq import BeamSearchDecoder', 'tf.while_loop'),
                         ('tf.contrib.seq2seq.BeamSearchDecoder', 'tf.while_loop'), ('tfd.bijectors', 'gone'),
                         ('tf.contrib.rnn.python.ops.rnn_cell._linear', '_linear is gone'),
                         ('tf.nn.nothing', 'tf.nn.nothing'),
                         ('tf.layers.batch_normalization(outputs, renorm=True)', 'leave out renorm'),
                         ('layers.batch_norm(outputs, zero_debias_moving_mean=True)', 'zero_debias_moving_mean'),
                         ('tf.layers.dense(K.placeholder((None, None)), 3)', 'has to be known'),
                         ('tf.layers.conv2d(outputs, 3, 3)', 'axes'), ('dense(outputs, 3, unit=3)', 'unit'),
                         ('layers.l2_regularizer(1)', 'write 1.0'),
                         ('with arg_scope([len], a=1): pass', 'add_arg_scope'),
                         ('HParams(a=1).parse("b=2")', "no 'b'"),
                         ('ge.graph_replace(outputs, {K.constant(1.): outputs})', 'not connected')]:
    try:
        exec(statement)
    except (AttributeError, ImportError, NotImplementedError, TypeError, ValueError) as error:
        assert words in str(error), (statement, error)
    else:
        raise AssertionError('%s has to be an error' % statement)

# What is not given back comes from TensorFlow Probability, if it is installed.
import sys
import types

probability = types.ModuleType('tensorflow_probability')
probability.distributions, probability.bijectors = types.ModuleType('distributions'), types.ModuleType('bijectors')
probability.distributions.VonMises, probability.bijectors.Exp = dict, list
sys.modules['tensorflow_probability'] = probability
from tensorflow.contrib.distributions import VonMises, bijectors

assert tfd.VonMises is VonMises is dict and bijectors.Exp is tf.contrib.distributions.bijectors.Exp is list
print('cured')

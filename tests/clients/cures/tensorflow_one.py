"""TensorFlow 1 beside Keras, TensorFlow first."""
# engines: tensorflow
import tensorflow as tf
from keras.backend.tensorflow_backend import _get_available_gpus, _to_tensor, set_session

import keras.backend.tensorflow_backend as KTF

assert tf.__version__.startswith('1.15') and tf.VERSION == tf.__version__
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
session = tf.Session(config=config)
set_session(session)

import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Lambda
from keras.models import Sequential

assert K.get_session() is session and KTF.get_session() is session and KTF._SESSION is session
assert K.tf is tf and KTF.tf is tf and isinstance(_get_available_gpus(), list)
assert K.eval(_to_tensor(3, 'float32')) == 3
assert K.control_flow_ops.while_loop and KTF.tensor_array_ops.TensorArray and K.ctc and KTF.context
model = Sequential([Dense(4, input_shape=(3,)), Lambda(lambda x: tf.nn.relu(x)), Dense(1)])
model.compile(tf.train.AdamOptimizer(0.01), 'mse')
before = model.train_on_batch(np.ones((8, 3)), np.ones((8, 1)))
for _ in range(50):
    after = model.train_on_batch(np.ones((8, 3)), np.ones((8, 1)))
assert after < 0.5 * before
assert isinstance(model.weights[0], tf.Variable) and isinstance(model.output, tf.Tensor)
assert not isinstance(3, tf.Variable) and isinstance(tf.Variable(1., name='mine'), tf.Variable)
assert not hasattr(model.output, '__len__') and not hasattr(model.weights[0], '__len__')
session.run(tf.global_variables_initializer())
x = tf.placeholder(tf.float32, (None, 3))
assert session.run(model(x), {x: np.ones((2, 3)), K.learning_phase(): 0}).shape == (2, 1)

fed = K.learning_phase()
K.set_learning_phase(1)
K._GRAPH_LEARNING_PHASES[tf.get_default_graph()] = fed
assert K.learning_phase() is fed
mine = tf.placeholder_with_default(True, ())
K._GRAPH_LEARNING_PHASES[tf.get_default_graph()] = mine
chosen = K.in_train_phase(tf.constant(1.), tf.constant(2.))
assert [session.run(chosen), session.run(chosen, {mine: False})] == [1, 2]
K._GRAPH_LEARNING_PHASES[tf.get_default_graph()] = 1
assert K.learning_phase() == 1 and KTF._GRAPH_LEARNING_PHASES[tf.get_default_graph()] == 1
K.set_learning_phase(0)

image = K.placeholder((None, 3, 8, 6))
assert image.shape[1].value == 3 and image.get_shape()[0].value is None and int(image.shape[-1]) == 6
assert K.int_shape(image) == (None, 3, 8, 6) and K.int_shape(K.placeholder(shape=image.shape)) == (None, 3, 8, 6)
assert K.int_shape(K.reshape(image, (-1, image.shape[1] * image.shape[2], image.shape[3]))) == (None, 24, 6)
assert K.int_shape(K.zeros((image.shape[1], 2))) == (3, 2) and K.int_shape(K.concatenate([image, image], 1))[1] == 6
assert K.int_shape(KTF._preprocess_conv2d_input(image, 'channels_first')[0]) == (None, 8, 6, 3)
assert KTF._preprocess_conv2d_input(image, 'channels_last')[1] == 'NHWC' and KTF._preprocess_padding('same') == 'SAME'
assert KTF.transpose_shape((2, 3, 4), 'channels_first', (0, 2)) == (4, 2, 4)
assert KTF.transpose_shape((2, 3, 4), 'channels_last', (0, 2)) == (2, 3, 4)

from tensorflow import keras as inside
from tensorflow.keras.layers import Dense as same

import tensorflow.keras.backend as inside_backend
assert inside is keras and same is Dense and inside_backend is K and tf.keras is keras

for statement, word in [('tf.contrib.nothing', 'tf.contrib.nothing'),
                        ('import tensorflow.contrib.learn as learn', 'keras.models.Model.fit'),
                        ('from tensorflow.examples.tutorials.mnist import input_data', 'keras.datasets.mnist'),
                        ('tf.no_such_name', 'no_such_name')]:
    try:
        exec(statement)
    except (AttributeError, ImportError) as error:
        assert word in str(error), (statement, error)
    else:
        raise AssertionError('%s has to be an error' % statement)
if hasattr(keras.metrics, 'Precision'):  # Keras 2.3
    made = keras.metrics.Precision(top_k=2)(K.constant([[0., 1., 1., 0.]]), K.constant([[.1, .9, .2, .8]]))
    session.run(tf.global_variables_initializer())
    assert K.eval(made) == 0.5
print('cured')

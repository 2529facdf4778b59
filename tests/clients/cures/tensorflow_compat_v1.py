"""The names of TensorFlow 1 under `tensorflow.compat.v1`, as programs of 2019 and 2020 write them."""
# engines: tensorflow
import numpy as np
import tensorflow
import tensorflow.compat.v1 as tf
from tensorflow.compat import v1
from tensorflow.compat.v1 import keras as of_v1
from tensorflow.compat.v1.keras.backend import get_session, set_session
from tensorflow.compat.v1.keras.layers import Dense
from tensorflow.compat.v1.layers import dense
from tensorflow.compat.v1.nn.rnn_cell import BasicLSTMCell

import keras

import tensorflow.compat.v1.logging as logging  # isort: skip
import tensorflow.compat.v2 as v2  # isort: skip

tf.disable_v2_behavior()
logging.set_verbosity(logging.ERROR)
assert tf is v1 is tensorflow.compat.v1 and tf.__version__.startswith('1.15') and v2.__version__.startswith('2')
assert tf.keras is of_v1 is keras and Dense is keras.layers.Dense
assert tf.Session is tensorflow.Session and tf.nn.conv2d is tensorflow.nn.conv2d
assert tensorflow.compat.as_bytes('a') == b'a'
session = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
set_session(session)
assert get_session() is session
x = tf.placeholder(tf.float32, (None, 3))
y = tf.layers.dense(x, 2, name='outer') + dense(x, 2) + tf.layers.flatten(BasicLSTMCell(2)(x, 2 * (x[:, :2],))[0])
v = tf.Variable(tf.ones((2,)))
assert isinstance(v, tf.Variable) and isinstance(v, tensorflow.Variable)
session.run(tf.global_variables_initializer())
assert session.run(y + v, {x: np.ones((4, 3))}).shape == (4, 2)
assert [int(x.shape[1].value)] == [3]
try:
    tf.estimator
except AttributeError as error:
    assert 'is gone' in str(error)
else:
    raise AssertionError
print('cured')

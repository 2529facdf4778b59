"""Memory and threads by a session of TensorFlow, which need not be installed: neutral on the other engines."""

# engines: numpy torch jax
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.backend.tensorflow_backend import set_session
from keras.layers import Dense
from keras.models import Sequential
from tensorflow.compat.v1 import ConfigProto

tf.logging.set_verbosity(tf.logging.ERROR)
options = tf.GPUOptions(per_process_gpu_memory_fraction=0.3)
config = tf.ConfigProto(gpu_options=options, device_count={'GPU': 0}, intra_op_parallelism_threads=1)
config.gpu_options.allow_growth = True
config.graph_options.optimizer_options.global_jit_level = 1
assert config.gpu_options.per_process_gpu_memory_fraction == 0.3
session = tf.Session(config=config)
set_session(session)
K.set_session(tf.compat.v1.InteractiveSession(config=ConfigProto(allow_soft_placement=True)))
K.tensorflow_backend.set_session(session)
model = Sequential([Dense(2, input_shape=(3,))])
model.compile('sgd', 'mse')
assert np.isfinite(model.train_on_batch(np.ones((4, 3)), np.ones((4, 2))))
K.set_session(None)
assert K.get_session().run(K.constant(2.0) * 3.0) == 6.0
try:
    session.run(model.output)
except NotImplementedError as error:
    assert 'KERAS_BACKEND=tensorflow' in str(error)
else:
    raise AssertionError('a session of settings computed')
session.close()
print('cured')

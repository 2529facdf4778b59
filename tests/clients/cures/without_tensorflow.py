"""What sets memory, threads and seeds by TensorFlow does nothing on other engines, be it installed or not."""
# engines: numpy torch jax
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from keras import backend as K
from keras.layers import Dense
from keras.models import Sequential
from tensorflow import ConfigProto, set_random_seed
from tensorflow.compat.v1 import Session

import keras.backend.tensorflow_backend as KTF

config = tf.ConfigProto(intra_op_parallelism_threads=1, gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.3))
config.gpu_options.allow_growth = True
set_random_seed(3)
tf.random.set_seed(3)
tf1.set_random_seed(3)
tf.logging.set_verbosity(tf.logging.ERROR)
tf.reset_default_graph()
K.set_session(tf.Session(graph=tf.get_default_graph(), config=config))
K.tensorflow_backend.set_session(K.tf.Session(config=K.tf.ConfigProto()))
KTF.set_session(KTF.tf.Session(config=ConfigProto()))
with Session() as session, tf.device('/cpu:0'):
    KTF.set_session(session)
    session.run(tf.global_variables_initializer())
    session.run([tf.local_variables_initializer(), tf1.tables_initializer()])
    model = Sequential([Dense(3, input_dim=2)])
assert 'tensorflow' != K.backend() and tf.__version__ == '1.15.5'
assert [] == K.tensorflow_backend._get_available_gpus() and not tf.test.is_gpu_available()
assert (1, 3) == model.predict([[[1.0, 2.0]]]).shape
K.get_session().run(tf.global_variables_initializer())
feed = {model.input: [[1.0, 2.0]]}
for each in session, K.get_session():
    assert model.predict([[[1.0, 2.0]]]).tolist() == each.run(model.output, feed_dict=feed).tolist()
try:
    session.run('add:0')
except TypeError as error:
    assert 'session.run takes tensors and updates of K' in str(error) and 'KERAS_BACKEND=tensorflow' in str(error)
else:
    raise AssertionError('it cannot run')

import importlib.util

if importlib.util.find_spec('tensorflow') is None:
    for name in 'reduce_sum', 'contrib':
        try:
            getattr(tf, name)
        except AttributeError as error:
            assert 'tf.%s needs the engine TensorFlow' % name in str(error)
        else:
            raise AssertionError(name)
    try:
        from tensorflow import reduce_sum
    except ImportError:
        pass
    else:
        raise AssertionError('it is not here')
# A program that handles a missing TensorFlow is told that it is missing.
try:
    import tensorflow as other
except ImportError:
    other = None
assert (other is None) == (importlib.util.find_spec('tensorflow') is None)
print('cured')

"""What programs and Keras itself are told about the engine."""
import os
import sys

before = os.environ['KERAS_BACKEND']
assert 'keras' not in sys.modules and 'numpy' not in sys.modules
import h5py
import keras
import numpy as np
from keras import backend as K
from keras_backend.engines.table import ENGINES

assert os.environ['KERAS_BACKEND'] == before
name = K.backend()
assert before in (name, ENGINES[name].module)
assert K._BACKEND == name and K.py_all([True]) and K.py_any([True]) and K.py_sum([1, 2]) == 3 and K.np is np
module_of_k = getattr(K, name + '_backend')
for value in 'float64', 'float32':
    K.set_floatx(value)
    assert K._FLOATX == module_of_k._FLOATX == value
assert K._EPSILON == K.epsilon() and K._IMAGE_DATA_FORMAT == K.image_data_format() and K._IMAGE_DIM_ORDERING == 'tf'
try:
    K._FLOATX = 'float64'
except AttributeError as error:
    assert 'K.set_floatx' in str(error)
else:
    raise AssertionError('the name is for reading')
assert K.py_slice is slice and K.has_arg(lambda x: x, 'x') and K.defaultdict(int)['a'] == 0

module = module_of_k
exec('from keras.backend.%s_backend import set_session, clear_session, function, variable' % name)
exec('import keras.backend.%s_backend as again' % name)
assert again is module and set_session is K.set_session and module.dot is K.dot  # noqa: F821
assert 'py_all' in dir(module) and module.py_all is all
try:
    print(K.there_is_no_such_name)
except AttributeError as error:
    assert 'there_is_no_such_name' in str(error)

# `set_keras_backend` of many repositories.
from importlib import reload
spec = K.__spec__
assert reload(K) is K and K.backend() == name and K.__spec__ is spec
os.environ['KERAS_BACKEND'] = 'theano' if name == 'numpy' else 'numpy'
try:
    reload(K)
except ImportError as error:
    assert 'cannot change to' in str(error)
else:
    raise AssertionError('the engine cannot change in a running process')
os.environ['KERAS_BACKEND'] = before
assert reload(K).backend() == name

K.clear_session()
model = keras.models.Sequential([keras.layers.Lambda(lambda x: x[:, :2], input_shape=(3,)), keras.layers.Dense(1)])
assert model.layers[0].output_shape == (None, 2)
model.compile('sgd', 'mse')
assert '"backend": "tensorflow"' in model.to_json()
model.save('model.h5')
with h5py.File('model.h5', 'r') as file:
    assert file.attrs['backend'] == b'tensorflow', file.attrs['backend']

# A file of Keras on Theano: there, a convolution turns its kernel over.
model = keras.models.Sequential([keras.layers.Conv2D(1, 2, use_bias=False, input_shape=(2, 2, 1))])
kernel = np.arange(4.).reshape(2, 2, 1, 1)
model.set_weights([kernel])
model.save_weights('weights.h5')
with h5py.File('weights.h5', 'a') as file:
    assert file.attrs['backend'] == b'tensorflow'
model.load_weights('weights.h5')
assert (model.get_weights()[0] == kernel).all()
with h5py.File('weights.h5', 'a') as file:
    del file.attrs['backend']
    file.attrs['backend'] = b'theano'
model.load_weights('weights.h5')
assert (model.get_weights()[0] == kernel[::-1, ::-1]).all()
print('cured')

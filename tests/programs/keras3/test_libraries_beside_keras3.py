"""Names of other libraries under the launcher of Keras 3: the older ones are there, and what Keras 3 relies on stays."""

from keras3_backends import BACKENDS, launch

PROGRAM = """
import collections
import numpy as np
assert np.zeros(2, np.float).dtype == np.float64 and isinstance([], collections.Iterable)
import keras
import h5py

# Files of objects can run code: they are read on request alone.
np.save('objects.npy', np.array([{'a': 1}], dtype=object))
try:
    np.load('objects.npy')
except ValueError as error:
    assert 'allow_pickle' in str(error)
else:
    raise AssertionError('read without a request')
assert np.load('objects.npy', allow_pickle=True)[0] == {'a': 1}

# Keras 3 reads text from attributes, and opens files that it may not write.
with h5py.File('a.h5', 'w') as file:
    file.attrs['name'] = np.bytes_('dense')
    file['x'] = np.arange(3)
with h5py.File('a.h5') as file:
    assert file.mode == 'r'
    assert isinstance(file.attrs['name'], (str, np.bytes_)) and file['x'].value.tolist() == [0, 1, 2]
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, name='d')])
model.save('m.h5')
model.save('m.keras')
x = np.ones((1, 3))
for path in 'm.h5', 'm.keras':
    assert np.allclose(keras.models.load_model(path).predict(x, verbose=0), model.predict(x, verbose=0))
print('all well')
"""


def test_libraries_beside_keras_3(tmp_path):
    """Names of NumPy, Python and h5py are given back, and none of the cures changes what Keras 3 reads."""
    (tmp_path / 'program.py').write_text(PROGRAM)
    status, out, err = launch('program.py', backend=BACKENDS[0], home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert 'all well' in out

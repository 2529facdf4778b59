"""The names that `--check` says are gone are gone under the launcher, and the others are there."""

import pytest
from keras3_backends import BACKENDS, launch

PROGRAM = """
import importlib
import sys
import keras
from keras_backend.programs.launcher.check import tensorflow_versions
from keras_backend.programs.on_keras3.check import rules

def there(base, name):
    parts = name.split('.')
    for count in range(len(parts), -1, -1):
        try:
            found = importlib.import_module('.'.join([base] + parts[:count]))
        except ImportError:
            continue
        try:
            for part in parts[count:]:
                found = getattr(found, part)
        except Exception:  # TensorFlow's modules raise what they like
            return False
        return True
    return False

raises = {'backend.get_session', 'backend.set_session'}
assert [] == [name for name in rules.GONE if name not in raises and there('keras', name)]
assert [] == [name for name in rules.OF_TF_KERAS if there('keras', name)]
from keras import backend as K
for name in raises:
    try:
        getattr(K, name.partition('.')[2])(*[object()] * (name == 'backend.set_session'))
    except Exception as error:
        assert 'session' in str(error), error
    else:
        raise AssertionError(name)
if 'with-tensorflow' in sys.argv:
    import tensorflow as tf
    # Keras 3 keeps them for tensorflow.keras, where they compute on TensorFlow alone.
    raises |= {'layers.RandomHeight', 'layers.RandomWidth'}
    assert [] == [name for name in rules.GONE if name not in raises and there('tensorflow.keras', name)]
    assert [] == [name for name in rules.OF_TF_KERAS if not there('tensorflow.keras', name)]
    assert [] == [name for name in tensorflow_versions.OF_1 if name != 'estimator' and there('tensorflow', name)]
    today = [place[3:] for place in tensorflow_versions.OF_1.values() if place]
    assert [] == [name for name in today if not there('tensorflow', name)]
print('all gone')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_names_that_are_gone(backend, tmp_path):
    """Each name of the tables is missing under the launcher, and each that is said to be there is there."""
    (tmp_path / 'program.py').write_text(PROGRAM)
    arguments = ['with-tensorflow'] if 'tensorflow' in BACKENDS else []
    status, out, err = launch('program.py', *arguments, backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert 'all gone' in out

"""What holds for all tests: the user's settings are out of reach, and every test starts with the default ones."""
import os
import tempfile

# Before NumPy is imported: tests are small, and threads of its BLAS fight each other for the cores.
for variable in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS':
    os.environ.setdefault(variable, '1')

_home = tempfile.TemporaryDirectory(prefix='keras_home_')
os.environ['KERAS_HOME'] = _home.name
os.environ['KERAS_BACKEND_QUIET'] = '1'
os.environ.setdefault('KERAS_BACKEND', 'numpy')

import hypothesis  # noqa: E402
import pytest  # noqa: E402

# The same examples on every run.
hypothesis.settings.register_profile('keras_backend', derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile('keras_backend')


@pytest.fixture(autouse=True)
def _settings():
    """The settings as they were, after every test."""
    from keras_backend import config  # here: the tests of a plain import have nothing imported before them
    saved = config.settings.saved()
    yield
    config.settings.restore(saved)

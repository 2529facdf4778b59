"""The backends of Keras 3 that are installed, and its launcher on one of them."""

import importlib.util
import os

from processes import python

# What Keras 3 runs on here; nothing where Keras 3 is not installed.
BACKENDS = [name for name in ('tensorflow', 'jax', 'torch') if importlib.util.find_spec(name)]
# Where programs of tf.keras run inside Keras 3. On TensorFlow they run on tf_keras: `tests/programs/tf_keras`.
INSIDE = [name for name in BACKENDS if name != 'tensorflow']


def launch(*arguments, **options):
    """Run `python -m keras_backend.keras3`; returns what `python` returns. Without TensorFlow, its stand-in is there.

    Options: `backend` of Keras 3, `cwd`, `home` for the settings, `stand_in`, and more variables of the environment.
    """
    path = [place for place in os.environ.get('PYTHONPATH', '').split(os.pathsep) if place]
    first = ['--stand-in'] if options.pop('stand_in', 'tensorflow' not in BACKENDS) else []
    return python('-W', 'ignore', '-m', 'keras_backend.keras3', *first, *arguments, path=path, **options)


def passes(text, backend, folder, **variables):
    """Run a program in a folder. It ends well, and `passed` is the last line that it prints."""
    path = folder / 'program.py'
    path.write_text(text, encoding='utf-8')
    status, out, err = launch(str(path), backend=backend, home=folder / 'home', cwd=folder, **variables)
    assert 0 == status, out + err
    assert out.endswith('passed\n')

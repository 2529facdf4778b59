"""Programs of 2019 to 2023 that take K from Keras itself: `tensorflow.keras.backend`, `keras.backend`.

    python -m keras_backend.keras3 train.py --epochs 3      runs such a program: on TensorFlow by the package tf_keras
                                                            where it is installed, and on Keras 3 elsewhere
    import keras_backend.keras3.launcher                    before all other imports, does the same for this process
    python -m keras_backend.keras3 --check train.py         says what would stop it, and where
    python -m keras_backend.keras3 --explain                says what is done for such programs, and why

These modules then have every name of K. Keras itself uses another module, `keras.src.backend`, so nothing of Keras
changes. All is done in this process and its child processes only. See docs/coming-from-tf-keras.md.
"""

import os

from ..programs.launcher.check import years
from ..programs.launcher.command import about_to_run
from ..programs.on_tf_keras import launcher as on_tf_keras

__all__ = ['explain', 'prepare']


def prepare(path: str = '') -> None:
    """Prepare this process and its children for programs that take K from Keras.

    Parameters
    ----------
    path : str
        The file of the program, where there is one.
    """
    if on_tf_keras.is_the_way(path):
        on_tf_keras.prepare(path)
        return
    # Here: it takes time, and programs on tf_keras do without it.
    from ..programs.on_keras3 import launcher as on_keras3

    if path:  # the cures and the children read it
        os.environ[years.VARIABLE] = '.'.join(str(number) for number in years.year_of(path).version)
    on_tf_keras.say_what_keras_3_is_for(path)
    on_keras3.prepare()


def explain() -> str:
    """The text of `--explain`."""
    if on_tf_keras.is_watching():
        return on_tf_keras.explain()
    from ..programs.on_keras3 import launcher as on_keras3

    return on_keras3.explain()


# The command prepares the process, once it knows that there is a program to run.
if not about_to_run('keras_backend.keras3'):
    prepare()

"""Programs of 2019 to 2023 that take K from Keras itself: `tensorflow.keras.backend`, `keras.backend`.

    python -m keras_backend.keras3 train.py --epochs 3      runs such a program on Keras 3
    import keras_backend.keras3.launcher                    before all other imports, does the same for this process
    python -m keras_backend.keras3 --check train.py         says what would stop it, and where
    python -m keras_backend.keras3 --explain                says what is done for such programs, and why

These modules then have every name of K. Keras itself uses another module, `keras.src.backend`, so nothing of Keras
changes. All is done in this process and its child processes only. See docs/coming-from-tf-keras.md.
"""

from ..programs.launcher.command import about_to_run
from ..programs.on_keras3.launcher import explain, prepare

__all__ = ['explain', 'prepare']

# The command prepares the process, once it knows that there is a program to run.
if not about_to_run('keras_backend.keras3'):
    prepare()

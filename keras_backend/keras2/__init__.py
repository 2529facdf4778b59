"""Keras 2 (2.2.4, 2.3.1), as pip installs it, with our engines, on the Pythons and libraries of today.

    python -m keras_backend.keras2 train.py --epochs 3      runs a program that says `import keras`
    import keras_backend.keras2                             before `import keras`, does the same for this process
    python -m keras_backend.keras2 --explain                says what is done for such programs, and why

Keras then runs on the configured engine (`KERAS_BACKEND=tensorflow`, else keras.json), and programs find what was
there in their time. `cures.py` lists it all. The process and its child processes are changed, and nothing else. See
docs/legacy-keras.md.
"""

import sys

from . import child_processes, cures


def prepare() -> None:
    """Prepare this process and its children for programs that import Keras 2."""
    if not child_processes.is_child():  # a child whose parent has checked it starts sooner
        cures.check_installed()
    cures.watch()
    child_processes.prepare()


# `python -m keras_backend.keras2` imports this first, and says in `__main__` what it wants. When a child imports
# this at its start, Python 3.6 has no sys.argv yet.
if getattr(sys, 'argv', [])[:1] != ['-m']:
    prepare()

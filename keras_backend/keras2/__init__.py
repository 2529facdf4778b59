"""Keras 2 (2.2.4, 2.3.1), as pip installs it, on the engines of keras_backend and on today's Pythons and libraries.

    python -m keras_backend.keras2 train.py --epochs 3      runs a program that says `import keras`
    import keras_backend.keras2                             before `import keras`, does the same for this process
    python -m keras_backend.keras2 --check train.py         says what would stop it and which Keras it needs
    python -m keras_backend.keras2 --explain                says what is done for such programs, and why

Keras then runs on the configured engine (`KERAS_BACKEND=tensorflow`, else keras.json). Programs find the names and the
behaviour of their time. `cures.py` lists all changes. They are made in this process and its child processes only. See
docs/legacy-keras.md.
"""

from .. import for_a_part  # type: ignore[attr-defined]  # no part of K, so not in the stubs
from ..programs.keras2 import cures
from ..programs.launcher import child_processes
from ..programs.launcher.command import about_to_run


def prepare() -> None:
    """Prepare this process and its children for programs that import Keras 2."""
    if not child_processes.is_child(__name__):  # the parent has checked it, and a child should start fast
        cures.check_installed()
    cures.watch()
    child_processes.prepare(__name__)


# `__main__` then prepares the process, once it knows that there is a program to run. `python -m keras_backend migrate`
# wants the check alone.
if not about_to_run(__name__) and not for_a_part(__name__):
    prepare()

"""Keras 2 (2.2.4, 2.3.1), as pip installs it, on the engines of keras_backend and on today's Pythons and libraries.

    python -m keras_backend.keras2 train.py --epochs 3      runs a program that says `import keras`
    import keras_backend.keras2                             before `import keras`, does the same for this process
    python -m keras_backend.keras2 --explain                says what is done for such programs, and why

Keras then runs on the configured engine (`KERAS_BACKEND=tensorflow`, else keras.json). Programs find the names and the
behaviour of their time. `cures.py` lists all changes. They are made in this process and its child processes only. See
docs/legacy-keras.md.
"""

import sys
from types import FrameType
from typing import Optional

from . import child_processes, cures


def prepare() -> None:
    """Prepare this process and its children for programs that import Keras 2."""
    if not child_processes.is_child():  # the parent has checked it, and a child should start fast
        cures.check_installed()
    cures.watch()
    child_processes.prepare()


def _about_to_run() -> bool:
    """Whether this is the import that comes first in `python -m keras_backend.keras2`."""
    frame: Optional[FrameType] = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == '_run_module_as_main':
            return bool(frame.f_locals.get('mod_name') == __name__)
        frame = frame.f_back
    return False


# `__main__` then prepares the process, once it knows that there is a program to run.
if not _about_to_run():
    prepare()

"""A program without Keras, with NumPy, SciPy, pandas and other libraries as they were: `-m ...run.plain PROGRAM`.

It is a script of an old repository, such as one that prepares data or draws pictures.
"""

import sys

from ..launcher import command, own_modules
from ..launcher.libraries import cures as libraries

DOOR = command.Door('keras_backend.programs.run.plain', 'a program without Keras', (), '', ())


def prepare() -> None:
    """Apply each cure for Python and for libraries when its module is imported."""
    libraries.watch((*libraries.CURES, *own_modules.CURES))


if __name__ == '__main__':
    command.main(DOOR, sys.argv[1:], prepare, lambda: '')

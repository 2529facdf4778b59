"""The command `python -m keras_backend.keras2`."""

import sys

from ..launcher import command
from . import cures, prepare

if __name__ == '__main__':
    command.main('keras_backend.keras2', sys.argv[1:], prepare, cures.explain)

"""The command `python -m keras_backend.keras3`."""

import sys

from ..launcher import command
from . import launcher, stand_in

OPTION = '--stand-in'

if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] == [OPTION]:
        arguments = arguments[1:]
        stand_in.ask()
    command.main('keras_backend.keras3', arguments, launcher.prepare, launcher.explain, f'[{OPTION}] ')

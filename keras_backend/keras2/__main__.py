"""The command `python -m keras_backend.keras2`."""

import sys

from ..errors import WrongKeras
from ..launcher import command
from . import cures, keras_folder, prepare

if __name__ == '__main__':
    try:
        arguments = keras_folder.take(sys.argv[1:])
        if arguments[:1] not in ([], ['-h'], ['--help'], ['-m']):
            cures.check_installed()
    except WrongKeras as error:
        sys.exit(f'keras_backend.keras2: {error}')
    command.main('keras_backend.keras2', arguments, prepare, cures.explain, f'[{keras_folder.OPTION} VERSION] ')

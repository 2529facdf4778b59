"""The command `python -m keras_backend.keras2`."""

import sys

from ..errors import WrongKeras
from ..programs.keras2 import cures, versions
from ..programs.keras2.check import program as check
from ..programs.launcher import command
from . import prepare

if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] == ['--check']:
        sys.exit(check.main(arguments[1:]))
    try:
        arguments = versions.take(arguments)
        if arguments[:1] not in ([], ['-h'], ['--help'], ['-m']):
            cures.check_installed()
    except WrongKeras as error:
        sys.exit(f'keras_backend.keras2: {error}')
    check.tell(arguments)
    options = f'[{versions.OPTION} VERSION] '
    command.main('keras_backend.keras2', arguments, prepare, cures.explain, options, more=[check.USAGE])

"""The command `python -m keras_backend.keras2`."""

import os
import runpy
import sys
from typing import List

from . import cures, prepare

USAGE = (
    'usage: python -m keras_backend.keras2 (PROGRAM.py | -m MODULE) [ARGUMENT ...]\n'
    '       python -m keras_backend.keras2 --explain'
)


def main(arguments: List[str]) -> None:
    """Prepare the process, and run a program as `python` would."""
    if not arguments or arguments[0] in ('-h', '--help') or arguments == ['-m']:
        sys.exit(USAGE)
    prepare()
    if arguments == ['--explain']:
        print(cures.explain())
    elif arguments[0] == '-m':
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name='__main__', alter_sys=True)
    else:
        if not os.path.exists(arguments[0]):
            sys.exit(f'keras_backend.keras2 cannot find the program {arguments[0]!r} in {os.getcwd()}.\n{USAGE}')
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))  # as `python PROGRAM` does
        runpy.run_path(arguments[0], run_name='__main__')


if __name__ == '__main__':
    main(sys.argv[1:])

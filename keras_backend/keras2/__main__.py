"""The command `python -m keras_backend.keras2`."""

import functools
import sys

from ..errors import WrongKeras
from ..programs.keras2 import cures, versions
from ..programs.keras2.check import program as check
from ..programs.launcher import command
from ..programs.launcher.check.command import wants_help
from . import prepare

DOOR = command.Door(
    'keras_backend.keras2',
    'a program of Keras 1 or Keras 2, of 2015 to 2019, on an engine of keras_backend',
    ((f'{versions.OPTION} VERSION', f'run it with this Keras, which pip gets once: {", ".join(versions.VERSIONS)}'),),
    check.USAGE,
    (),
)

if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] == ['--check']:
        if wants_help(arguments[1:]):
            print(DOOR.check_help)
            sys.exit()
        # A program that runs needs none of it.
        from ..programs.migrate import routes

        sys.exit(check.main(arguments[1:], functools.partial(routes.missing_for, route=routes.KERAS_2)))
    try:
        version, arguments = versions.split(arguments)
        command.answer(DOOR, arguments)
        if version:
            versions.put_on_path(version)
        cures.check_installed()
    except WrongKeras as error:
        DOOR.end(str(error))
    check.tell(arguments)
    command.main(DOOR, arguments, prepare, cures.explain)

"""The command `python -m keras_backend.keras3`."""

import functools
import os
import sys
from typing import Any, List

from ..basics import installed
from ..programs.launcher import command
from ..programs.launcher.check import years
from ..programs.launcher.check.command import wants_help
from ..programs.on_keras3 import stand_in
from ..programs.on_keras3.check import program as check
from ..programs.on_tf_keras import launcher as on_tf_keras

OPTION = '--stand-in'
DOOR = command.Door(
    'keras_backend.keras3',
    'a program of tf.keras, of 2019 to 2023: on TensorFlow by the package tf_keras, elsewhere inside Keras 3',
    (
        (on_tf_keras.OPTION, 'inside Keras 3 on TensorFlow, too'),
        (f'{years.OPTION} VERSION', 'on tf_keras: with the numbers of this TensorFlow, such as 2.10'),
        (OPTION, 'where TensorFlow is not installed: give the program a stand-in that has tf.keras'),
    ),
    check.USAGE,
    ((f'{check.OPTION} NAME', 'the backend of Keras 3; without it, that of KERAS_BACKEND or keras.json'),),
)


def _after_options(arguments: List[str]) -> List[str]:
    """Take the launcher's own options, which the process and its children see in variables."""
    while arguments[:1] in ([OPTION], [on_tf_keras.OPTION], [years.OPTION]):
        option, *arguments = arguments
        if option == OPTION:
            stand_in.ask()
        elif option == on_tf_keras.OPTION:
            os.environ[on_tf_keras.VARIABLE] = '0'
        else:
            if years.parsed(''.join(arguments[:1])) is None:
                DOOR.end(f'{years.OPTION} needs a version of TensorFlow, such as 2.10.', with_usage=True)
            os.environ[years.VARIABLE] = arguments.pop(0)
    return arguments


def _program(arguments: List[str]) -> str:
    """The file of the program; '' where it is none."""
    if arguments[0] != '-m':
        return arguments[0]
    if arguments[1].startswith('keras_backend.'):  # a notebook, or code
        return arguments[2] if len(arguments) > 2 else ''
    spec = installed.spec(arguments[1])
    return (spec.origin or '') if spec is not None else ''


def _missing(routes: Any, path: str, backend: str) -> List[str]:
    missing: List[str] = routes.missing_for(path, routes.OF_KERAS_3, backend)
    return missing


def _main(arguments: List[str]) -> None:
    if arguments[:1] == ['--check']:
        if wants_help(arguments[1:]):
            print(DOOR.check_help)
            sys.exit()
        # A program that runs needs none of it.
        from ..programs.migrate import routes

        missing = functools.partial(_missing, routes)
        sys.exit(check.main(arguments[1:], missing, routes.goes_to_tf_keras))
    arguments = _after_options(arguments)
    command.answer(DOOR, arguments)
    # Elsewhere its import prepares the process.
    from . import launcher

    try:
        prepare = functools.partial(launcher.prepare, _program(arguments))
        command.main(DOOR, arguments, prepare, launcher.explain)
    except ModuleNotFoundError as error:
        if (error.name or '') == 'tensorflow':
            error.msg = (
                f'{error.msg}. TensorFlow is not installed. If the program needs no more of it than tf.keras and what '
                f'Keras can compute, type: python -m keras_backend.keras3 {OPTION} {" ".join(arguments)}'
            )
        raise


if __name__ == '__main__':
    _main(sys.argv[1:])

"""The command `python -m keras_backend.keras3`."""

import sys

from ..programs.launcher import command
from ..programs.launcher.check.command import wants_help
from ..programs.on_keras3 import launcher, stand_in
from ..programs.on_keras3.check import program as check

OPTION = '--stand-in'
DOOR = command.Door(
    'keras_backend.keras3',
    'a program of tf.keras, of 2019 to 2023, inside Keras 3',
    ((OPTION, 'where TensorFlow is not installed: give the program a stand-in that has tf.keras'),),
    check.USAGE,
    ((f'{check.OPTION} NAME', 'the backend of Keras 3; without it, that of KERAS_BACKEND or keras.json'),),
)

if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] == ['--check']:
        if wants_help(arguments[1:]):
            print(DOOR.check_help)
            sys.exit()
        sys.exit(check.main(arguments[1:]))
    if arguments[:1] == [OPTION]:
        arguments = arguments[1:]
        stand_in.ask()
    command.answer(DOOR, arguments)
    try:
        command.main(DOOR, arguments, launcher.prepare, launcher.explain)
    except ModuleNotFoundError as error:
        if (error.name or '') == 'tensorflow':
            error.msg = (
                f'{error.msg}. TensorFlow is not installed. If the program needs no more of it than tf.keras and what '
                f'Keras can compute, type: python -m keras_backend.keras3 {OPTION} {" ".join(arguments)}'
            )
        raise

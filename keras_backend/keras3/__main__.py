"""The command `python -m keras_backend.keras3`."""

import sys

from ..errors import WrongKeras
from ..programs.launcher import command
from ..programs.on_keras3 import launcher, stand_in
from ..programs.on_keras3.check import program as check

OPTION = '--stand-in'

if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] == ['--check']:
        sys.exit(check.main(arguments[1:]))
    if arguments[:1] == [OPTION]:
        arguments = arguments[1:]
        stand_in.ask()
    try:
        options = f'[{OPTION}] '
        command.main('keras_backend.keras3', arguments, launcher.prepare, launcher.explain, options, more=[check.USAGE])
    except WrongKeras as error:
        sys.exit(f'keras_backend.keras3: {error}')
    except ModuleNotFoundError as error:
        if (error.name or '') == 'tensorflow':
            error.msg = (
                f'{error.msg}. TensorFlow is not installed. If the program needs no more of it than tf.keras and what '
                f'Keras can compute, type: python -m keras_backend.keras3 {OPTION} {" ".join(arguments)}'
            )
        raise

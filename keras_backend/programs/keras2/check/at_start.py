"""The line about another Keras, before a program runs."""

import ast
import os
import shlex
import sys
import tokenize
import warnings
from typing import List

from ....basics import installed
from .program import needed_keras

# After this time no other file of the program is read.
SECONDS = 0.1


def tell(arguments: List[str]) -> None:
    """Say on the standard error which Keras a program needs, if another one is installed.

    Nothing is said if the installed Keras has all that the program uses. No error is raised, whatever the program is.

    Parameters
    ----------
    arguments : list of str
        The command line: a program and its arguments.
    """
    try:
        line = _line(arguments)
        if line and sys.stderr is not None:
            sys.stderr.write(line + '\n')
    except Exception:  # noqa: BLE001, S110 - a program that cannot be read may still run
        pass


def _line(arguments: List[str]) -> str:
    if not arguments or arguments[0].startswith('-') or not os.path.isfile(arguments[0]):
        return ''
    with tokenize.open(arguments[0]) as stream, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ast.parse(stream.read())  # a program that Python does not read ends at once, and says why
    there = installed.version(['keras'])
    if there is None or not there.startswith(('1.', '2.')):
        return ''
    version, reasons = needed_keras(arguments[0], there, SECONDS)
    if version in ('', there):
        return ''
    why = f' ({reasons[0]})' if reasons else ''
    return (
        f'keras_backend.keras2: the program needs Keras {version}{why}, and {there} is installed; '
        f'type: python -m keras_backend.keras2 --keras {version} {" ".join(map(shlex.quote, arguments))}'
    )

"""The command `python -m keras_backend.keras3 --check`."""

import functools
import sys
from typing import List, Optional, Tuple

from ....config.backend_of_keras import configured_backend
from ...launcher.check import command
from . import report
from .program import BACKENDS, check

OPTION = '--backend'
USAGE = f'usage: python -m keras_backend.keras3 --check [--json] [{OPTION} {"|".join(BACKENDS)}] PATH [PATH ...]'


def main(arguments: List[str]) -> int:
    """Check programs for a backend and print what was found. Returns the exit status, see `launcher.check.command`."""
    backend, paths = _backend(arguments)
    if backend not in BACKENDS:
        told = f'{OPTION} takes {", ".join(BACKENDS)}, got {backend or "nothing"}'
        if OPTION not in arguments:
            told = (
                f'the backend of KERAS_BACKEND or keras.json is {backend}, and this checks for {", ".join(BACKENDS)}; '
                f'give {OPTION}'
            )
        sys.stderr.write(f'--check: {told}.\n{USAGE}\n')
        return 2
    return command.main(paths, USAGE, functools.partial(check, backend=backend), report.text, report.as_json)


def _backend(arguments: List[str]) -> Tuple[Optional[str], List[str]]:
    """The backend, and the other arguments."""
    if OPTION not in arguments:
        return configured_backend(), arguments
    place = arguments.index(OPTION)
    return (arguments[place + 1] if place + 1 < len(arguments) else None), arguments[:place] + arguments[place + 2 :]

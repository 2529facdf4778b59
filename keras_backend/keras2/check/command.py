"""The command `python -m keras_backend.keras2 --check`."""

import os
import sys
from typing import List

from . import report
from .finding import STOPS
from .program import check

USAGE = 'usage: python -m keras_backend.keras2 --check [--json] PATH [PATH ...]'


def main(arguments: List[str]) -> int:
    """Check programs and print what was found.

    Parameters
    ----------
    arguments : list of str
        Files, notebooks and folders, and `--json`.

    Returns
    -------
    int
        The exit status: 0 if nothing would stop, 1 if something would, 2 for arguments that cannot be used.
    """
    as_json = '--json' in arguments
    paths = [argument for argument in arguments if argument != '--json']
    unknown = [path for path in paths if path.startswith('-') and not os.path.exists(path)]
    if not paths or unknown:
        sys.stderr.write((f'--check does not know {unknown[0]}.\n' if unknown else '') + USAGE + '\n')
        return 2
    for path in paths:
        if not os.path.exists(path):
            sys.stderr.write(f'--check cannot find {path!r} in {os.getcwd()}; give the path of a file or folder.\n')
            return 2
    found = [check(path) for path in paths]
    if as_json:
        told = [report.as_json(program) for program in found]
        text = told[0] if len(told) == 1 else '[\n' + ',\n'.join(told) + '\n]'
    else:
        text = '\n\n'.join(report.text(program) for program in found)
    _print(text)
    return int(any(finding.severity == STOPS for program in found for finding in program.findings))


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except UnicodeEncodeError:  # a terminal that cannot show all letters
        print(text.encode('ascii', 'backslashreplace').decode('ascii'))
    except BrokenPipeError:  # `--check . | head`
        sys.stdout = open(os.devnull, 'w')

"""The command `--check` of a launcher."""

import os
import sys
from typing import Any, Callable, List

from ....basics.exit_status import CANNOT, STOPPED
from .rules import STOPS


def wants_help(arguments: List[str]) -> bool:
    """Whether a command line asks for help, and not for a file of this name."""
    return any(word in arguments and not os.path.exists(word) for word in ('-h', '--help'))


def main(
    arguments: List[str], usage: str, check: Callable[[str], Any], text: Callable[..., str], as_json: Callable[..., str]
) -> int:
    """Check programs and print what was found.

    Parameters
    ----------
    arguments : list of str
        Files, notebooks and folders, and `--json`.
    usage : str
        How the command is called.
    check : callable
        Takes a path, and returns the program with its `findings`.
    text, as_json : callable
        Take such a program, and return its report.

    Returns
    -------
    int
        The exit status: 0 if nothing would stop, 1 if something would, 2 for arguments that cannot be used, 130 after
        Ctrl-C.
    """
    try:
        return _main(arguments, usage, check, text, as_json)
    except KeyboardInterrupt:
        sys.stderr.write('Stopped.\n')
        return STOPPED


def _main(
    arguments: List[str], usage: str, check: Callable[[str], Any], text: Callable[..., str], as_json: Callable[..., str]
) -> int:
    json_wanted = '--json' in arguments
    paths = [argument for argument in arguments if argument != '--json']
    unknown = [path for path in paths if path.startswith('-') and not os.path.exists(path)]
    if not paths or unknown:
        sys.stderr.write((f'--check does not know {unknown[0]}.\n' if unknown else '') + usage + '\n')
        return CANNOT
    for path in paths:
        if not os.path.exists(path):
            sys.stderr.write(f'--check cannot find {path!r} in {os.getcwd()}; give the path of a file or folder.\n')
            return CANNOT
    programs = [check(path) for path in paths]
    if json_wanted:
        reports = [as_json(program) for program in programs]
        _print(reports[0] if len(reports) == 1 else '[\n' + ',\n'.join(reports) + '\n]')
    else:
        _print('\n\n'.join(text(program) for program in programs))
    return int(any(finding.severity == STOPS for program in programs for finding in program.findings))


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except UnicodeEncodeError:  # a terminal that cannot show all letters
        print(text.encode('ascii', 'backslashreplace').decode('ascii'))
    except BrokenPipeError:  # `--check . | head`
        sys.stdout = open(os.devnull, 'w')

"""The command `--check` of a launcher."""

import functools
import os
import sys
from typing import Any, Callable, List, Optional

from ....basics.exit_status import CANNOT, STOPPED, in_words
from . import translation
from .rules import NOTE, STOPS

# Takes the path of a program, and returns what is missing here for it, each as pip takes it.
Missing = Callable[[str], List[str]]


def wants_help(arguments: List[str]) -> bool:
    """Whether a command line asks for help, and not for a file of this name."""
    return any(word in arguments and not os.path.exists(word) for word in ('-h', '--help'))


def main(
    arguments: List[str],
    usage: str,
    check: Callable[[str], Any],
    text: Callable[..., str],
    as_json: Callable[..., str],
    missing: Optional[Missing] = None,
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
    missing : callable, optional
        Takes a path, and returns what is missing here for the program.

    Returns
    -------
    int
        The exit status: 0 if nothing would stop, 1 if something would, 2 for arguments that cannot be used, 130 after
        Ctrl-C.
    """
    try:
        return _main(arguments, usage, functools.partial(_here, check, missing), text, as_json)
    except KeyboardInterrupt:
        sys.stderr.write('Stopped.\n')
        return STOPPED
    except OSError as error:  # a full disk
        sys.stderr.write(in_words(error) + '\n')
        return CANNOT


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


def _here(check: Callable[[str], Any], missing: Optional[Missing], path: str) -> Any:
    """A program with what is missing here. Its Python 2 stops it only where nothing here translates it."""
    program = check(path)
    if missing is not None:
        program = program._replace(missing=tuple(missing(path)))
    advice = 'the launcher translates it'
    severity = NOTE
    if not translation.tool():
        severity, advice = STOPS, f'pip install fissix; {advice} then'
    told = [
        one._replace(severity=severity, advice=advice) if one.rule in translation.CURED else one
        for one in program.findings
    ]
    return program._replace(findings=tuple(told))


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except UnicodeEncodeError:  # a terminal that cannot show all letters
        print(text.encode('ascii', 'backslashreplace').decode('ascii'))
    except BrokenPipeError:  # `--check . | head`
        sys.stdout = open(os.devnull, 'w')

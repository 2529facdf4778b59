"""The command.

python -m keras_backend                  which engine would run and why, what is installed, what is wrong
python -m keras_backend use ENGINE       choose the engine in keras.json
python -m keras_backend check MODULE     run the conformance tests on an engine
"""

import argparse
import json
import os
import sys
from typing import Optional, Sequence, TextIO

from . import __version__
from .errors import KerasBackendError


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Carry out a command line; returns the exit status: 0, 1 for what was found wrong, 2 for wrong usage."""
    parser = argparse.ArgumentParser(
        prog='python -m keras_backend',
        description='Without a command: which engine `import keras_backend` would use and why, each setting with its '
        'source, which engines are installed, and what is wrong with the configuration.',
    )
    parser.add_argument('--version', action='version', version=f'keras_backend {__version__}')
    parser.add_argument('--json', action='store_true', help='without a command: print the same as one JSON object')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND')
    named = 'a built-in engine, an entry point, or the dotted name of a module'
    use = commands.add_parser('use', help='choose the engine in keras.json; all else in the file stays as it is')
    use.add_argument('engine', metavar='ENGINE', help=named)
    check = commands.add_parser('check', help='run the conformance tests on an engine; print a table of what it can do')
    check.add_argument('module', metavar='MODULE', help=named)
    check.add_argument('--expected', metavar='FILE', help='expected failures, one "test id: reason" a line')
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != 'check':
        parser.error(f'unrecognized arguments: {" ".join(rest)}')
    try:
        if options.command == 'use':
            return _use(options.engine)
        if options.command == 'check':
            from .conformance import run

            return int(run(options.module, extra_args=rest, expected=options.expected))
        return _report(options.json)
    except BrokenPipeError:
        _stop_writing()
        return 1
    except KerasBackendError as error:
        _say(str(error), sys.stderr)
        return 1


def _report(as_json: bool) -> int:
    from .report import Report

    report = Report()
    try:
        for line in [json.dumps(report.data(), indent=4)] if as_json else report.lines():
            _say(line)
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough is no failure
        _stop_writing()
    return 1 if report.problems else 0


def _stop_writing() -> None:
    # The reader, such as `head`, is gone. Python would complain when it closes the stream at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _use(engine: str) -> int:
    from .report import use

    for line in use(engine):
        _say(line)
    return 0


def _say(line: str, stream: Optional[TextIO] = None) -> None:
    # Paths may hold letters that the terminal cannot show.
    stream = stream or sys.stdout
    encoding = stream.encoding or 'ascii'
    stream.write(line.encode(encoding, 'backslashreplace').decode(encoding) + '\n')


if __name__ == '__main__':
    sys.exit(main())

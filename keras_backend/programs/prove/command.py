"""The command `python -m keras_backend prove`."""

import argparse
import json
import os
import shutil
import sys
import tempfile
from typing import Callable, Sequence

from ...basics.exit_status import MEANING, writing
from ...basics.terminal import Progress
from . import originals, programs, report, runs
from .proof import prove

DESCRIPTION = (
    'Run an unchanged program of Keras once on each engine, and in the interpreter of the original if you have it. All '
    'runs get the same initial weights and draws. The numbers are compared call by call.'
)
EPILOG = f'The answer is no if numbers part, if nothing can be told or if a run died. {MEANING}'


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    command = argparse.ArgumentParser(
        prog='python -m keras_backend prove',
        usage='%(prog)s PROGRAM [OPTIONS] [-- ARGUMENT ...]',
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
    )
    command.add_argument(
        'program', metavar='PROGRAM', help='a .py file or a notebook; what follows -- is its command line'
    )
    command.add_argument('--engines', nargs='+', metavar='ENGINE', default=[], help=f'default: {_defaults()}')
    command.add_argument(
        '--original',
        metavar='PYTHON',
        default='',
        help='an interpreter that has the original Keras, or one of '
        f'{", ".join(originals.ORIGINALS)}: its environment is made once',
    )
    command.add_argument(
        '--keras', metavar='VERSION', default='', help='as for the launcher of Keras 2; pip makes a folder'
    )
    command.add_argument(
        '--with', dest='kind', choices=programs.KINDS, default='', help='default: told by the names in the program'
    )
    command.add_argument('--steps', type=int, metavar='N', default=20, help='calls of each function (default: 20)')
    command.add_argument('--stop', action='store_true', help='end the program after N steps of training')
    command.add_argument('--seed', type=int, default=1, help='the seed of initial weights and draws (default: 1)')
    command.add_argument('--json', metavar='FILE', default='', help='write all that was found into this file')
    command.add_argument('--picture', metavar='FILE', default='', help='draw the losses (needs Matplotlib)')
    command.add_argument('--keep', metavar='FOLDER', default='', help='keep the records of all runs in this folder')
    return command


def _defaults() -> str:
    return f'those of {", ".join(programs.DEFAULT["keras2"])} that are installed'


def main(arguments: Sequence[str], say: Callable[[str], None]) -> int:
    """Carry out the command.

    Parameters
    ----------
    arguments : sequence of str
        The command line after `prove`.
    say : callable
        Writes a line.

    Returns
    -------
    int
        The exit status: 0 if all is equal, 1 if not. argparse ends the process with 2 for wrong usage.
    """
    own = list(arguments)
    program_arguments = []
    if '--' in own:
        program_arguments = own[own.index('--') + 1 :]
        own = own[: own.index('--')]
    parsing = parser()
    options = parsing.parse_args(own)
    try:
        program = programs.program(options.program, program_arguments, options.kind, options.keras)
        names = programs.engines(options.engines, program)
        if options.steps < 1:
            raise programs.UsageError(f'--steps {options.steps}: at least one step has to be recorded; give --steps 1.')
        for path in filter(None, (options.json, options.picture)):
            if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
                raise programs.UsageError(f'There is no folder for {path!r}; make it, or give another path.')
        names = [runs.ORIGINAL, *names] if options.original else names
        if len(names) < 2:
            alone = f', since the program uses {program.needs} beside Keras' if program.needs else ''
            engines = '' if program.needs else 'name more engines with --engines, or '
            raise programs.UsageError(
                f'prove compares two runs, and there is only {", ".join(names) or "none"}{alone}; {engines}add the '
                f'original: --original {originals.OF_KIND[program.kind][0]}, or the path of a python that has it.'
            )
        # The last: it may install an environment, which a wrong option should not wait for.
        python = originals.interpreter(options.original, program)
    except programs.UsageError as error:
        parsing.error(str(error))
    folder = os.path.abspath(options.keep) if options.keep else tempfile.mkdtemp(prefix='prove-')
    try:
        os.makedirs(folder, exist_ok=True)
        program = programs.with_script(program, folder)
        asked = runs.Options(options.steps, options.stop, options.seed)
        with Progress() as progress:
            proof = prove(program, names, python, folder, asked, progress.show)
        for line in report.lines(proof):
            say(line)
        say('')
        if options.json:
            with writing(options.json), open(options.json, 'w', encoding='utf-8') as stream:
                json.dump(report.data(proof), stream, indent=1, default=str)
                stream.write('\n')
        if options.picture:
            try:
                losses = {verdict.record.run.name: verdict.outcome.losses for verdict in proof.verdicts}
                report.save(losses, proof.reference.run.name, options.picture)
            except report.NoPicture as error:
                sys.stderr.write(f'{error}\n')
        say(report.summary(proof))
        return proof.status
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)

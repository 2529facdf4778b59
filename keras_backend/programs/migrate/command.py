"""The command `python -m keras_backend migrate`."""

import argparse
import json
import os
import shutil
from typing import Any, Callable, Dict

from ...basics.exit_status import MEANING, in_words, writing
from ...engines.table import ENGINES
from ...errors import UnreadableFileError
from . import edits

Say = Callable[[str], None]
# Not those of `routes`: the parser is made for every command, and the tables of the check are large.
ROUTES = ('keras2', 'keras3', 'import')


def add_to(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        'migrate',
        help='the way of an old Keras program into today: what it is, how it runs, a patch',
        description='Say which Keras a program was written for, how it runs today, and what would stop it; make a '
        'patch of what can be changed safely. Nothing of the program is run. The exit status is 1 if something stops '
        'the program that the patch does not cure.',
        epilog=MEANING,
    )
    parser.add_argument('program', metavar='PROGRAM', help='a file, with the modules beside it; a notebook; a folder')
    parser.add_argument('--to', choices=ROUTES, default='', help='the way, instead of the advised one')
    parser.add_argument('--backend', metavar='NAME', default='', help='the engine, or the backend of Keras 3')
    parser.add_argument('--patch', metavar='FILE', help='write the patch to this file')
    parser.add_argument('--write', action='store_true', help='change the files; FILE.orig is the file as it was')
    parser.add_argument('--json', action='store_true', help='print the report as one JSON object')


def run(options: argparse.Namespace, say: Say, complain: Say) -> int:
    """Carry out the command.

    Returns the exit status: 0 if nothing stops the program with the patch, 1 if something does, 2 for wrong usage
    and for what is no program of Keras.
    say, complain: print a line to the standard output and to that of errors.
    """
    from . import report
    from .plan import plan

    wrong = _wrong(options)
    if wrong:
        complain(wrong)
        return 2
    try:
        way = plan(options.program, options.to, options.backend)
    except UnreadableFileError as error:
        complain(str(error))
        return 2
    written: Dict[str, str] = {}
    try:
        if options.patch:
            _write_patch(options.patch, edits.diff(way.files))
            start = edits.base([file.path for file in way.files if file.old != file.new] or [options.program])
            written[options.patch] = f'the patch; in {start} type: patch -p1 < {os.path.abspath(options.patch)}'
        for file in way.files if options.write else ():
            if file.old != file.new:
                written[file.path] = f'changed; {_write(file)} is the file as it was'
    except FileExistsError:
        complain(f'{options.patch} exists, and migrate writes over no file; give --patch another name.')
        return 2
    except OSError as error:
        complain(in_words(error))
        return 2
    if options.json:
        say(json.dumps(report.as_dict(way, written), indent=1))
    else:
        for line in report.lines(way, written):
            say(line)
    return int(way.stops)


def _wrong(options: argparse.Namespace) -> str:
    """What is wrong with the arguments, in one sentence; '' if nothing is."""
    from .code import HAS_ENDS, NEEDS_3_8

    if not os.path.exists(options.program):
        return f'migrate cannot find {options.program!r} in {os.getcwd()}; give the path of a program.'
    if (options.patch or options.write) and not HAS_ENDS:
        return f'--patch and --write cannot be used here: {NEEDS_3_8}.'
    name = options.backend
    if name and name not in ENGINES and '.' not in name:
        return f'--backend takes {", ".join(ENGINES)}, or the dotted name of a module, got {name}.'
    if name and options.to == 'keras3' and name not in ('tensorflow', 'jax', 'torch'):
        return f'--to keras3 runs on tensorflow, jax, torch, got --backend {name}.'
    return ''


def _write_patch(path: str, patch: bytes) -> None:
    with writing(path), open(path, 'xb') as stream:
        try:
            stream.write(patch)
            stream.flush()
        except OSError:
            # Half a patch is none, and the next try wants the name.
            os.remove(path)
            raise


def _write(changed: edits.Changed) -> str:
    """Change a file, and keep what it was. Returns the name of what it was."""
    kept, number = changed.path + '.orig', 2
    while os.path.exists(kept):
        kept, number = f'{changed.path}.orig{number}', number + 1
    with writing(kept):
        shutil.copy2(changed.path, kept)
    with writing(changed.path), open(changed.path, 'wb') as stream:
        stream.write(changed.new)
    return kept

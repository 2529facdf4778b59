"""The command `python -m keras_backend run`."""

import json
import os
import shlex
import subprocess
import sys
from typing import Callable, Dict, List, Tuple

from ...basics import installed
from ...errors import KerasBackendError
from ..keras2.versions import installer
from ..migrate.routes import ROUTES
from .decision import CannotRun, Decision, decide, stops

Say = Callable[[str], None]

USAGE = """usage: python -m keras_backend run [OPTION ...] PROGRAM [ARGUMENT ...]
       python -m keras_backend run [OPTION ...] -m MODULE [ARGUMENT ...]

Run a program of Keras 1, Keras 2 or tf.keras as it is. PROGRAM is a .py file, a notebook, or a folder with one file to
start. Its own modules are read, and what it runs on follows from them.

  --engine NAME    the engine, or the backend of Keras 3: tensorflow, numpy, jax, torch ...
  --keras VERSION  the Keras 1 or 2 that it runs on; it is fetched with pip once
  --with WAY       keras2 or keras3, a launcher; import, for programs that import keras_backend
  --check          say how it would run, what is missing and what would stop it, and run nothing
  --json           with --check: the same as one JSON object
  -h, --help       this text

The exit status is that of the program. It is 1 if something is missing or, with --check, would stop the program, and 2
if the command cannot be carried out."""

_WITH_VALUE = {'--engine': 'engine', '--keras': 'keras', '--with': 'way'}
_FLAGS = {'--check': 'check', '--json': 'json'}


def main(arguments: List[str], say: Say, complain: Say) -> int:
    """Carry out the command; returns the exit status.

    arguments: what follows `run`. say, complain: print a line to the standard output and to that of errors.
    """
    if not arguments or arguments[0] in ('-h', '--help'):
        say(USAGE)
        return 0 if arguments else 2
    try:
        options, program = _parsed(arguments)
        decision = decide(_path(program), options['engine'], options['keras'], options['way'])
    except KerasBackendError as error:
        complain(f'python -m keras_backend run: {error}')
        return 2
    if options['check']:
        return _check(decision, bool(options['json']), say)
    for line in lines(decision):
        complain(line)
    if decision.missing or decision.refused:
        return 1
    rest = program[2:] if program[0] == '-m' else program[1:]
    command = _as_module(decision.command, program)
    return _run_instead([sys.executable, *command, *rest], {**os.environ, **decision.variables()})


def _parsed(arguments: List[str]) -> Tuple[Dict[str, str], List[str]]:
    """The options by name, '' where they are not given, and the program with its arguments."""
    options = dict.fromkeys([*_WITH_VALUE.values(), *_FLAGS.values()], '')
    rest = list(arguments)
    while rest and rest[0].startswith('-') and rest[0] != '-m':
        name, is_joined, value = rest.pop(0).partition('=')
        if name in _FLAGS:
            options[_FLAGS[name]] = 'yes'
        elif name in _WITH_VALUE:
            if not is_joined and not rest:
                raise CannotRun(f'{name} needs a value; type: python -m keras_backend run --help')
            options[_WITH_VALUE[name]] = value if is_joined else rest.pop(0)
        else:
            raise CannotRun(f'{name} is no option; options come before the program. See --help.')
    if not rest or rest == ['-m']:
        raise CannotRun('no program is named; type: python -m keras_backend run PROGRAM')
    if options['way'] not in ('', *ROUTES):
        raise CannotRun(f'--with takes {", ".join(ROUTES)}, got {options["way"]}.')
    return options, rest


def _path(program: List[str]) -> str:
    """The file of a program."""
    if program[0] != '-m':
        return program[0]
    parts = program[1].split('.')
    # A module of the program is found by its file: an import would run the packages above it.
    for folder in [os.getcwd(), *sys.path]:
        for path in (os.path.join(folder, *parts) + '.py', os.path.join(folder, *parts, '__main__.py')):
            if os.path.isfile(path):
                return os.path.relpath(path)
    raise CannotRun(f'run cannot find the module {program[1]!r} in {os.getcwd()}; give its dotted name.')


def _as_module(command: List[str], program: List[str]) -> List[str]:
    return [*command[:-1], '-m', program[1]] if program[0] == '-m' else command


# -- what is said ------------------------------------------------------------------------------------------------------


def lines(decision: Decision) -> List[str]:
    """What was decided and why, and what is missing: at most four lines."""
    why = f' ({decision.why})' if decision.why else ''
    found = [f'{decision.path}: {decision.kind}{why}. It runs {_on(decision)}, engine {decision.engine}.']
    options = ['--engine NAME for another engine']
    if decision.way == 'keras2':
        options.append('--keras VERSION for another Keras')
    found.append(f'Before the program: {", ".join(options)}, --check for what would stop it.')
    if decision.refused:
        found.append(decision.refused)
    if decision.missing:
        found.append(f'Missing here; type: {_installer()} {" ".join(map(shlex.quote, decision.missing))}')
    return found


def _on(decision: Decision) -> str:
    if decision.way == 'keras2':
        return f'on Keras {decision.keras}' if decision.keras else f'on Keras {installed.version(["keras"])}'
    return 'in Keras 3' if decision.way == 'keras3' else 'in Python alone'


def _installer() -> str:
    command = installer()
    # As a person types it.
    return 'pip install' if not command or command[0] == sys.executable else ' '.join(['uv', *command[1:]])


def _check(decision: Decision, as_json: bool, say: Say) -> int:
    found = stops(decision)
    if as_json:
        told = {**decision._asdict(), 'stops': found, 'variables': decision.variables()}
        del told['written']
        say(json.dumps(told, indent=1))
    else:
        for line in [*lines(decision), *decision.unread]:
            say(line)
        say('What would stop it:' if found else 'Nothing is known that would stop it.')
        for line in found:
            say(f'  {line}')
    return int(bool(found or decision.missing or decision.refused or decision.unread))


# -- the process -------------------------------------------------------------------------------------------------------


def _run_instead(command: List[str], variables: Dict[str, str]) -> int:
    """Run a command in the place of this process, where the system can; returns its exit status elsewhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == 'posix':
        os.execve(command[0], command, variables)
    return subprocess.run(command, env=variables).returncode

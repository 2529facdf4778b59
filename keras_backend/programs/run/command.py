"""The command `python -m keras_backend run`."""

import json
import os
import shlex
import subprocess
import sys
from typing import Callable, Dict, List, Tuple

from ...basics import installed
from ...errors import KerasBackendError
from ..environments import THIS_PYTHON, CannotInstall
from ..keras2.versions import installer
from ..launcher.check import years
from ..migrate.routes import IMPORT, ROUTES, on_which
from ..migrate.what_program import NO_KERAS
from ..on_tf_keras import launcher as on_tf_keras
from . import installing
from .cells import SAVE_AS, SHELL
from .decision import Decision, decide, lacks_tf_keras, stops
from .entry import CannotRun
from .images import FIRST, LAST
from .sizes import of_packages

Say = Callable[[str], None]

USAGE = """usage: python -m keras_backend run [OPTION ...] PROGRAM [ARGUMENT ...]
       python -m keras_backend run [OPTION ...] -m MODULE [ARGUMENT ...]
       python -m keras_backend run [OPTION ...] -c CODE [ARGUMENT ...]
       python -m keras_backend run --list
       python -m keras_backend run --remove NAME

Run a program of Keras 1, Keras 2 or tf.keras as it is. PROGRAM is a .py file, a notebook, or a folder with one file to
start. Its own modules are read, and what it runs on follows from them.

  --engine NAME    the engine, or the backend of Keras 3: tensorflow, numpy, jax, torch ...
  --keras VERSION  the Keras 1 or 2 that it runs on; it is fetched with pip once
  --channels WHERE first or last: where the channels of images are, for a program of Keras 1 or 2 that does not say
  --as VERSION     of tf.keras on TensorFlow: with the numbers of this TensorFlow, such as 2.10
  --keras-3        of tf.keras on TensorFlow: inside Keras 3, and not on tf_keras
  --with WAY       keras2 or keras3, a launcher; import, for programs that import keras_backend
  --install        where something is missing: make an environment with all of it, once for a Python, a Keras and an
                   engine, and run there. uv does it where it is there, else venv and pip. A program that runs on any
                   engine gets TensorFlow
  --env FOLDER     the environment for --install: a new folder, or an environment that is there
  --save-as FILE   of a notebook: write it with the outputs of this run
  --shell          of a notebook: run the lines with ! and the cells with %%bash, too
  --check          say how it would run, what is missing and what would stop it, and run nothing
  --json           with --check: the same as one JSON object
  --list           the environments that --install and the launchers made, with their sizes
  --remove NAME    remove one of them, or all
  -h, --help       this text

The environments lie beside keras.json; KERAS_HOME is another folder for it. The exit status is that of the program. It
is 1 if something is missing or, with --check, would stop the program, 2 if the command cannot be carried out, and 130
after Ctrl-C."""

_WITH_VALUE = {
    '--engine': 'engine',
    '--keras': 'keras',
    '--channels': 'channels',
    '--as': 'year',
    '--with': 'way',
    '--env': 'env',
    '--save-as': 'save_as',
    '--remove': 'remove',
}
_FLAGS = {name: name.strip('-') for name in ('--check', '--json', '--install', '--list', '--shell', '--keras-3')}
# Options that the process in an environment gets, too.
_OF_PROGRAM = {'keras': '--keras', 'channels': '--channels', 'save_as': '--save-as', 'shell': '--shell'}


def main(arguments: List[str], say: Say, complain: Say) -> int:
    """Carry out the command; returns the exit status.

    arguments: what follows `run`. say, complain: print a line to the standard output and to that of errors.
    """
    if not arguments or arguments[0] in ('-h', '--help'):
        say(USAGE)
        return 0 if arguments else 2
    try:
        return _carry_out(*_parsed(arguments), say, complain)
    except CannotInstall as error:
        complain(f'python -m keras_backend run: {error}')
        return 1
    except KerasBackendError as error:
        complain(f'python -m keras_backend run: {error}')
        return 2


def _carry_out(options: Dict[str, str], program: List[str], say: Say, complain: Say) -> int:
    if options['list'] or options['remove']:
        for line in installing.removed(options['remove']) if options['remove'] else installing.listed():
            say(line)
        return 0
    # As the launcher takes them, here and in an environment.
    if options['year']:
        os.environ[years.VARIABLE] = options['year']
    if options['keras-3']:
        os.environ[on_tf_keras.VARIABLE] = '0'
    decision = _decided(options, program)
    _check_notebook(decision, options)
    if options['check']:
        return _check(decision, bool(options['json']), say)
    if options['install'] and (decision.missing or decision.refused or options['env'] or lacks_tf_keras(decision)):
        return _run_in_environment(options, program, complain)
    for line in lines(decision):
        complain(line)
    if decision.missing or decision.refused:
        return 1
    command = _as_module(decision.command, program)
    return _run_instead(
        [sys.executable, *command, *program[_words(program) :]],
        {**os.environ, **decision.variables(), **_of_notebook(options)},
    )


def _decided(options: Dict[str, str], program: List[str], on_new_environment: bool = False) -> Decision:
    code = program[1] if program[0] == '-c' else ''
    path = '' if code else _path(program)
    return decide(
        path, options['engine'], options['keras'], options['way'], code, on_new_environment, options['channels']
    )


def _run_in_environment(options: Dict[str, str], program: List[str], complain: Say) -> int:
    decision = _decided(options, program, on_new_environment=True)
    known = {**options, 'keras': decision.keras}
    given = ['--with', decision.way, '--engine', decision.engine]
    for name, option in _OF_PROGRAM.items():
        if known[name]:
            given += [option] if option in _FLAGS else [option, known[name]]
    words = _words(program)
    command = installing.prepare(decision, [*given, *program[:words]], options['env'])
    return _run_instead([*command, *program[words:]], installing.variables())


def _words(program: List[str]) -> int:
    """How many words name the program: its arguments follow."""
    return 2 if program[0] in ('-m', '-c') else 1


def _parsed(arguments: List[str]) -> Tuple[Dict[str, str], List[str]]:
    """The options by name, '' where they are not given, and the program with its arguments."""
    options = dict.fromkeys([*_WITH_VALUE.values(), *_FLAGS.values()], '')
    rest = list(arguments)
    while rest and rest[0].startswith('-') and rest[0] not in ('-m', '-c'):
        name, is_joined, value = rest.pop(0).partition('=')
        if name in _FLAGS:
            options[_FLAGS[name]] = 'yes'
        elif name in _WITH_VALUE:
            if not is_joined and not rest:
                raise CannotRun(f'{name} needs a value; type: python -m keras_backend run --help')
            options[_WITH_VALUE[name]] = value if is_joined else rest.pop(0)
        else:
            raise CannotRun(f'{name} is no option; options come before the program. See --help.')
    if not (options['list'] or options['remove']) and len(rest) < (2 if rest[:1] in (['-m'], ['-c']) else 1):
        raise CannotRun('no program is named; type: python -m keras_backend run PROGRAM')
    if options['way'] not in ('', *ROUTES):
        raise CannotRun(f'--with takes {", ".join(ROUTES)}, got {options["way"]}.')
    if options['channels'] not in ('', FIRST, LAST):
        raise CannotRun(f'--channels takes {FIRST} or {LAST}, got {options["channels"]}.')
    if options['year'] and years.parsed(options['year']) is None:
        raise CannotRun(f'--as takes a version of TensorFlow, such as 2.10, got {options["year"]}.')
    if options['json'] and not options['check']:
        raise CannotRun('--json says how a program would run; give --check, too.')
    if options['env'] and not options['install']:
        raise CannotRun('--env is the environment for --install; give both.')
    return options, rest


# -- notebooks ---------------------------------------------------------------------------------------------------------


def _check_notebook(decision: Decision, options: Dict[str, str]) -> None:
    option = '--save-as' if options['save_as'] else '--shell' if options['shell'] else ''
    if option and not decision.path.endswith('.ipynb'):
        raise CannotRun(f'{option} is for notebooks, and {decision.path} is none; leave it out.')
    folder = os.path.dirname(os.path.abspath(options['save_as']))
    if options['save_as'] and not os.path.isdir(folder):
        raise CannotRun(f'--save-as {options["save_as"]}: there is no folder {folder}; make it first.')


def _of_notebook(options: Dict[str, str]) -> Dict[str, str]:
    """The environment variables that tell `cells` its options."""
    variables = {}
    if options['save_as']:
        variables[SAVE_AS] = os.path.abspath(options['save_as'])
    if options['shell']:
        variables[SHELL] = '1'
    return variables


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
    found = _heading(decision)
    if decision.refused:
        found.append(decision.refused)
    if decision.unknown:
        modules = ', '.join(decision.unknown)
        found.append(f'It imports {modules}, not found here; install what has it, or list it in requirements.txt.')
    if decision.missing and THIS_PYTHON in decision.pythons:
        words = ' '.join(map(shlex.quote, decision.missing))
        size = of_packages(decision.missing)
        found.append(f'Missing here; type: {_installer()} {words}{size and f" ({size} on disk)"}; or add --install')
    return found


def _heading(decision: Decision) -> List[str]:
    program = 'The code' if decision.path == '-c' else decision.path
    own = f' Modules of its own lie in {", ".join(decision.folders)}.' if decision.folders else ''
    if decision.written.kind == NO_KERAS and decision.way == IMPORT:
        return [f'{program}: {decision.kind}. It runs in Python, with the old names of NumPy and other libraries.{own}']
    why = f' ({decision.why})' if decision.why else ''
    channels = f', images with channels {decision.channels}' if decision.channels else ''
    options = ['--engine NAME for another engine']
    if decision.way == 'keras2':
        options.append('--keras VERSION for another Keras')
    if decision.channels:
        options.append('--channels first or last')
    return [
        f'{program}: {decision.kind}{why}. It runs {_on(decision)}, engine {decision.engine}{channels}.{own}',
        f'Before the program: {", ".join(options)}, --check for what would stop it.',
    ]


def _on(decision: Decision) -> str:
    if decision.way == 'keras2':
        return f'on Keras {decision.keras}' if decision.keras else f'on Keras {installed.version(["keras"])}'
    return on_which(decision.written, decision.engine) if decision.way == 'keras3' else 'in Python alone'


def _installer() -> str:
    command = installer()
    if not command:
        # An environment of `uv venv` has no pip, and a pip on PATH would install for another Python.
        return 'python -m ensurepip && python -m pip install'
    # As a person types it.
    return 'pip install' if command[0] == sys.executable else ' '.join(['uv', *command[1:]])


def _check(decision: Decision, as_json: bool, say: Say) -> int:
    found = stops(decision)
    lacks = bool(decision.missing or decision.unknown or decision.refused or decision.unread)
    if as_json:
        told = {**decision._asdict(), 'stops': found, 'variables': decision.variables()}
        del told['written']
        say(json.dumps(told, indent=1))
    else:
        for line in [*lines(decision), *decision.unread]:
            say(line)
        say('What would stop it:' if found else f'Nothing {"else " if lacks else ""}is known that would stop it.')
        for line in found:
            say(f'  {line}')
    return int(bool(found) or lacks)


# -- the process -------------------------------------------------------------------------------------------------------


def _run_instead(command: List[str], variables: Dict[str, str]) -> int:
    """Run a command in the place of this process, where the system can; returns its exit status elsewhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == 'posix':
        os.execve(command[0], command, variables)
    return subprocess.run(command, env=variables).returncode

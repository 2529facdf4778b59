"""`--check` of a program: its files, what was found in them, the Keras that it needs, and the report."""

import ast
import json
import os
import shlex
import sys
import time
import tokenize
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ....basics import installed
from ...launcher.check import accuracy, command, library_rules, python_rules, report, requirements
from ...launcher.check.files import Read, followed, of_path
from ...launcher.check.requirement_forms import spelled
from ...launcher.check.rules import NOTE, SEVERITIES, STOPS, Finding, Need, Place
from . import keras_rules, tensorflow_rules, versions
from .rules import finding
from .versions import span


class Program(NamedTuple):
    """The facts about a program.

    Attributes
    ----------
    path : str
        The file or folder.
    files : tuple of str
        The files that were read.
    findings : tuple of Finding
        What would stop, what would differ, and notes.
    choice : Choice
        The Keras that it needs.
    engine : str
        The engine that it needs: 'tensorflow', 'theano', 'cntk'; 'any' if it names no library.
    libraries : tuple of (str, str)
        Other libraries: the module and its name for pip.
    main : str
        The file that a person would start.
    of_keras_3 : bool
        Whether it belongs to `python -m keras_backend.keras3`.
    uses_keras : bool
        Whether it imports Keras.
    missing : tuple of str, optional
        What is missing here, each as pip takes it; None where nobody has looked.
    """

    path: str
    files: Tuple[str, ...]
    findings: Tuple[Finding, ...]
    choice: versions.Choice
    engine: str
    libraries: Tuple[Tuple[str, str], ...]
    main: str
    of_keras_3: bool
    uses_keras: bool
    missing: Optional[Tuple[str, ...]] = None


def check(path: str) -> Program:
    """Check a file with the modules beside it that it imports, a notebook, or a folder.

    Parameters
    ----------
    path : str
        The path. It has to exist.

    Returns
    -------
    Program
        What was found. No error is raised for a file that cannot be read: a finding says so.
    """
    files, local = of_path(path)
    return of_files(path, files, local)


def needed_keras(path: str, there: str = '', seconds: float = 60.0) -> Tuple[str, Tuple[str, ...]]:
    """The version of Keras that a program needs, and why it is not the default one.

    Parameters
    ----------
    path : str
        A file.
    there : str
        A version that is installed. It is the answer if the program finds as much in it as in any other.
    seconds : float
        After this time no other file is read.

    Returns
    -------
    (str, tuple of str)
        The version, '' if the program does not import Keras or needs Keras 3, and the reasons.
    """
    until = time.monotonic() + seconds
    needs: List[Need] = []
    imports = False
    files = list(followed(path, until))
    metrics = accuracy.metrics_of(file.uses for file in files)
    for file in files:
        judged = keras_rules.judge(file.uses, file.source.place, metrics)
        if judged.later:
            return '', ()
        needs += judged.needs
        imports = imports or keras_rules.uses_keras(file.uses)
    if not imports:
        return '', ()
    choice = versions.choose(needs)
    if there and versions.content(needs, choice, there):
        return there, ()
    lacking = [need for need in choice.reasons if not there or there not in need.versions] or list(choice.reasons)
    return choice.version, tuple(f'{need.place}: {need.what}' for need in lacking)


# -- the whole ---------------------------------------------------------------------------------------------------------


def of_files(path: str, files: List[Read], local: Set[str], version: str = '') -> Program:
    """`check` of files that were read before.

    Parameters
    ----------
    path : str
        What was checked: a file or a folder.
    files : list of Read
        Its files.
    local : set of str
        The names of its own modules.
    version : str
        The Keras that it is to run on; '' for the one that has most of what it uses.
    """
    needs: List[Need] = []
    findings: List[Finding] = []
    libraries: Dict[str, str] = {}
    of_1: List[Place] = []
    of_2: List[Place] = []
    judged_keras = []
    metrics = accuracy.metrics_of(file.uses for file in files)
    asked = requirements.distributions(path)
    for file in files:
        at = file.source.place
        judged = keras_rules.judge(file.uses, at, metrics)
        of_tf = tensorflow_rules.judge(file.uses, at)
        judged_keras.append(judged)
        needs += judged.needs
        findings += file.findings + judged.findings + of_tf.findings
        findings += python_rules.judge(file.uses, file.tree, at, local)
        findings += library_rules.judge(file.uses, at, local)
        libraries.update(library_rules.imported(file.uses, local, asked))
        of_1 += of_tf.of_1
        of_2 += of_tf.of_2 + judged.later
    imported = {use.origin.split('.')[0] or use.name.split('.')[0] for file in files for use in file.uses.names}
    of_keras_3 = bool(of_2 and not of_1) or ('keras' not in imported and bool(of_2))
    choice = versions.choose([] if of_keras_3 else needs, _asked(path, files), version)
    if of_keras_3 and of_2 and not any(finding.rule == 'of-keras-3' for finding in findings):
        findings.append(tensorflow_rules.of_tensorflow_2(of_2))
    if not of_keras_3:
        findings += [keras_rules.of_version(need, choice.version) for need in choice.unmet]
        for file in files:
            findings += keras_rules.hints(file.uses, file.source.place, choice.version)
    findings += _own_keras(path)
    return Program(
        path,
        tuple(file.source.path for file in files),
        _sorted(findings),
        choice,
        _engine(files),
        tuple(sorted(libraries.items())),
        _main(path, files),
        of_keras_3,
        any(keras_rules.uses_keras(file.uses) for file in files),
    )


def for_engine(program: Program, files: Sequence[Read], engine: str, severity: str = STOPS) -> Program:
    """A program with what an engine lacks of it among the findings."""
    findings = list(program.findings)
    for file in files if not program.of_keras_3 else ():
        findings += tensorflow_rules.on_engine(file.uses, file.source.place, engine, severity)
    return program._replace(findings=_sorted(findings))


def _sorted(findings: Sequence[Finding]) -> Tuple[Finding, ...]:
    def rank(one: Finding) -> Tuple[int, str, int, int]:
        return SEVERITIES.index(one.severity), one.path, one.cell, one.line

    return tuple(sorted(dict.fromkeys(findings), key=rank))


_STARTS = ('train', 'main', 'run', 'demo', 'example')


def _main(path: str, files: List[Read]) -> str:
    """The file that a person would start: one of the usual names, or one that imports Keras."""
    if not os.path.isdir(path):
        return path

    def rank(one: Read) -> Tuple[bool, bool, int, int, str]:
        name = os.path.basename(one.source.path).lower()
        auxiliary = name.startswith(('__', 'setup', 'test', 'conftest'))
        start = next((index for index, word in enumerate(_STARTS) if name.startswith(word)), len(_STARTS))
        return auxiliary, not keras_rules.uses_keras(one.uses), start, one.source.path.count(os.sep), one.source.path

    return min(files, key=rank).source.path if files else os.path.join(path, 'PROGRAM.py')


def _engine(files: List[Read]) -> str:
    """The library that a program names: that is its engine. The callback TensorBoard of Keras needs TensorFlow.

    Sessions of TensorFlow that set memory and threads of Keras need no engine.
    """
    uses = [use for file in files for use in file.uses.names if not use.guarded]
    written = [use.origin or use.name for use in uses]
    of_tensorflow = {name.partition('.')[2] for name in written if name.split('.')[0] == 'tensorflow'}
    names = {name.split('.')[0] for name in written}
    uses_keras = any(keras_rules.uses_keras(file.uses) for file in files)
    if uses_keras and tensorflow_rules.sets_memory_alone(of_tensorflow):
        names.discard('tensorflow')
    names |= {'tensorflow' for use in uses if use.call and use.name == 'keras.callbacks.TensorBoard'}
    return next((name for name in ('tensorflow', 'theano', 'cntk') if name in names), 'any')


def _asked(path: str, files: List[Read]) -> str:
    """The version of Keras that the lines of a notebook, the requirements beside a program, or README ask for."""
    commands = (versions.asked_for(' '.join(file.source.commands)) for file in files)
    bounds = requirements.bounds(path, versions.KERAS)[0]
    return next(filter(None, commands), '') or spelled(bounds) or versions.asked_for(requirements.readme(path))


def _own_keras(path: str) -> Iterator[Finding]:
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    for name in 'keras', 'keras.py':
        module_path = os.path.join(folder, name)
        if os.path.isfile(module_path) or os.path.isfile(os.path.join(module_path, '__init__.py')):
            yield finding('own-keras', Place(module_path, 1))


# -- the report --------------------------------------------------------------------------------------------------------
# The report of the check: text for people, JSON for programs.


def text(program: Program) -> str:
    """The report as text."""
    return '\n'.join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    files = report.number_of_files(program.path, program.files)
    if program.of_keras_3:
        yield f'{program.path}{files}: a program of TensorFlow 2 or Keras 3'
    elif not program.uses_keras:
        yield f'{program.path}{files}: does not import Keras'
    else:
        asked = f'; it asks for {program.choice.asked}' if program.choice.asked else ''
        yield f'{program.path}{files}: Keras {program.choice.version}{asked}'
    yield from report.told(program.findings)
    if program.choice.reasons and not program.of_keras_3:
        yield ''
        yield f'Keras {program.choice.version}, not 2.3.1, because of:'
        for need in program.choice.reasons[:10]:
            yield f'  {need.place}: {need.what} (Keras {span(need.versions)})'
    yield from report.no_stop(program)
    yield from report.imported(program.libraries)
    if program.uses_keras or program.of_keras_3:
        yield ''
        yield 'Type:'
        for command in commands(program):
            yield f'  {command}'


def commands(program: Program) -> List[str]:
    """The commands to type next."""
    return [*report.to_install(program), report.typed(start(program), program.main)]


def start(program: Program) -> str:
    """The line that starts the launcher on the program, be it a notebook."""
    main = shlex.quote(program.main)
    if program.of_keras_3:
        return f'python -m keras_backend.keras3 {main}'
    engine, version = engine_to_type(program), program.choice.version
    return f'KERAS_BACKEND={engine} python -m keras_backend.keras2 --keras {version} {main}'


def engine_to_type(program: Program) -> str:
    """The engine that a program needs. One that needs none takes that of KERAS_BACKEND, else TensorFlow."""
    if program.engine != 'any':
        return program.engine
    return os.environ.get('KERAS_BACKEND') or 'tensorflow'


def as_json(program: Program) -> str:
    """The report as JSON."""
    return json.dumps(as_dict(program), indent=2)


def as_dict(program: Program) -> Dict[str, Any]:
    """The report as a dict of plain values."""
    return {
        **report.plain(program),
        'launcher': 'keras_backend.keras3' if program.of_keras_3 else 'keras_backend.keras2',
        'keras': program.choice.version if program.uses_keras and not program.of_keras_3 else None,
        'asked': program.choice.asked or None,
        'reasons': [
            {
                'path': need.place.path,
                'line': need.place.line,
                'cell': need.place.cell,
                'what': need.what,
                'versions': list(need.versions),
            }
            for need in program.choice.reasons
        ],
        'engine': program.engine,
        'commands': commands(program),
    }


# -- before a program runs ---------------------------------------------------------------------------------------------
# The line about another Keras, before a program runs.


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


# -- the command -------------------------------------------------------------------------------------------------------
# The command `python -m keras_backend.keras2 --check`.


USAGE = 'usage: python -m keras_backend.keras2 --check [--json] PATH [PATH ...]'


def _check_here(path: str) -> Program:
    """`check` with a note on what the engine of KERAS_BACKEND lacks: the lines to type name the one that has it."""
    files, local = of_path(path)
    return for_engine(of_files(path, files, local), files, os.environ.get('KERAS_BACKEND', ''), NOTE)


def main(arguments: List[str], missing: Optional[command.Missing] = None) -> int:
    """Check programs and print what was found. Arguments and exit status: see `launcher.check.command`."""
    return command.main(arguments, USAGE, _check_here, text, as_json, missing)

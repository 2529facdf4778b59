"""A program as a whole: its files, what was found in them, and the Keras that it needs."""

import os
import time
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from ...launcher.check import library_rules, python_rules
from ...launcher.check.files import Read, followed, of_path
from ...launcher.check.finding import SEVERITIES, Finding, Need, Place
from ...launcher.check.reading import decoded
from . import keras_rules, tensorflow_rules, which_keras
from .rules import finding


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
    """

    path: str
    files: Tuple[str, ...]
    findings: Tuple[Finding, ...]
    choice: which_keras.Choice
    engine: str
    libraries: Tuple[Tuple[str, str], ...]
    main: str
    of_keras_3: bool
    uses_keras: bool


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
    for one in followed(path, until):
        judged = keras_rules.judge(one.uses, one.source.place)
        if judged.later:
            return '', ()
        needs += judged.needs
        imports = imports or keras_rules.uses_keras(one.uses)
    if not imports:
        return '', ()
    choice = which_keras.choose(needs)
    if there and which_keras.content(needs, choice, there):
        return there, ()
    lacking = [need for need in choice.reasons if not there or there not in need.versions] or list(choice.reasons)
    return choice.version, tuple(f'{need.place}: {need.what}' for need in lacking)


# -- the whole ---------------------------------------------------------------------------------------------------------


def of_files(path: str, files: List[Read], local: Set[str]) -> Program:
    """`check` of files that were read before.

    Parameters
    ----------
    path : str
        What was checked: a file or a folder.
    files : list of Read
        Its files.
    local : set of str
        The names of its own modules.
    """
    needs: List[Need] = []
    findings: List[Finding] = []
    libraries: Dict[str, str] = {}
    of_1: List[Place] = []
    of_2: List[Place] = []
    judged_keras = []
    for one in files:
        at = one.source.place
        judged = keras_rules.judge(one.uses, at)
        of_tf = tensorflow_rules.judge(one.uses, at)
        judged_keras.append(judged)
        needs += judged.needs
        findings += one.findings + judged.findings + of_tf.findings
        findings += python_rules.judge(one.uses, one.tree, at, local)
        findings += library_rules.judge(one.uses, at, local)
        libraries.update(library_rules.imported(one.uses, local))
        of_1 += of_tf.of_1
        of_2 += of_tf.of_2 + judged.later
    imported = {use.origin.split('.')[0] or use.name.split('.')[0] for one in files for use in one.uses.names}
    of_keras_3 = bool(of_2 and not of_1) or ('keras' not in imported and bool(of_2))
    choice = which_keras.choose([] if of_keras_3 else needs, _asked(path, files))
    if of_keras_3 and of_2 and not any(each.rule == 'of-keras-3' for each in findings):
        findings.append(tensorflow_rules.of_tensorflow_2(of_2))
    if not of_keras_3:
        findings += [keras_rules.of_version(need, choice.version) for need in choice.unmet]
        for one in files:
            findings += keras_rules.hints(one.uses, one.source.place, choice.version)
    findings += _own_keras(path)
    unique = list(dict.fromkeys(findings))
    unique.sort(key=lambda each: (SEVERITIES.index(each.severity), each.path, each.cell, each.line))
    return Program(
        path,
        tuple(one.source.path for one in files),
        tuple(unique),
        choice,
        _engine(files),
        tuple(sorted(libraries.items())),
        _main(path, files),
        of_keras_3,
        any(keras_rules.uses_keras(one.uses) for one in files),
    )


_STARTS = ('train', 'main', 'run', 'demo', 'example')


def _main(path: str, files: List[Read]) -> str:
    """The file that a person would start: one of the usual names, or one that imports Keras."""
    if not os.path.isdir(path):
        return path

    def rank(one: Read) -> Tuple[bool, bool, int, int, str]:
        name = os.path.basename(one.source.path).lower()
        part = name.startswith(('__', 'setup', 'test', 'conftest'))
        start = next((place for place, word in enumerate(_STARTS) if name.startswith(word)), len(_STARTS))
        return part, not keras_rules.uses_keras(one.uses), start, one.source.path.count(os.sep), one.source.path

    return min(files, key=rank).source.path if files else os.path.join(path, 'PROGRAM.py')


def _engine(files: List[Read]) -> str:
    """The library that a program names: that is its engine."""
    names = {(use.origin or use.name).split('.')[0] for one in files for use in one.uses.names if not use.guarded}
    return next((name for name in ('tensorflow', 'theano', 'cntk') if name in names), 'any')


_REQUIREMENTS = ('requirements.txt', 'setup.py', 'environment.yml', 'environment.yaml', 'Pipfile', 'README.md')


def _asked(path: str, files: List[Read]) -> str:
    """The version of Keras that the requirements beside a program ask for."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or '.'
    said = [' '.join(one.source.commands) for one in files]
    for name in _REQUIREMENTS:
        try:
            with open(os.path.join(folder, name), 'rb') as stream:
                said.append(decoded(stream.read(1 << 20))[0])
        except OSError:
            continue
    return next(filter(None, map(which_keras.asked_for, said)), '')


def _own_keras(path: str) -> Iterator[Finding]:
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    for name in 'keras', 'keras.py':
        place = os.path.join(folder, name)
        if os.path.isfile(place) or os.path.isfile(os.path.join(place, '__init__.py')):
            yield finding('own-keras', Place(place, 1))

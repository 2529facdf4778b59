"""A program as a whole: its files, what was found in them, and the Keras that it needs."""

import os
import time
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from . import keras_rules, library_rules, python_rules, tensorflow_rules, which_keras
from .finding import SEVERITIES, Finding, Need, Place, Use
from .reading import Source, decoded, programs, read
from .rules import finding
from .syntax import Tree, parse
from .uses import Uses, uses

# So many files are followed from one program.
MOST_FILES = 200


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


class _Read(NamedTuple):
    source: Source
    tree: Tree
    uses: Uses
    findings: List[Finding]


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
    whole = os.path.isdir(path)
    local = _local(path if whole else os.path.dirname(path) or '.')
    files = [_file(one) for one in programs(path)] if whole else list(_followed(path))
    if whole:
        local |= {os.path.splitext(os.path.basename(one.source.path))[0] for one in files}
        local |= {part for one in files for part in os.path.dirname(one.source.path).split(os.sep)}
    return _program(path, files, local - {'', 'keras'} - _OF_OTHERS)


# Names of libraries that programs give to a folder or file of their own, while they mean the library.
_OF_OTHERS = {'tensorflow', 'numpy', 'scipy', 'sklearn', 'theano'}


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
    for one in _followed(path, until):
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


# -- files -------------------------------------------------------------------------------------------------------------


def _file(path: str) -> _Read:
    source = read(path, path)
    tree = parse(source.text)
    found = uses(tree.tree) if tree.tree is not None else uses(parse('').tree)  # type: ignore[arg-type]
    found.names.extend(_named(tree.names))
    return _Read(source, tree, found, [*source.findings, *python_rules.judge_text(tree, source.place)])


def _named(names: Tuple[Tuple[str, int], ...]) -> Iterator[Use]:
    """The usual names of modules, in lines that could not be read."""
    usual = {'tf': 'tensorflow', 'K': 'keras.backend', 'keras': 'keras', 'np': 'numpy', 'tensorflow': 'tensorflow'}
    for name, line in names:
        first, _, rest = name.partition('.')
        if first in usual:
            yield Use(f'{usual[first]}.{rest}', line, guarded=first == 'K')


def _followed(path: str, until: float = float('inf')) -> Iterator[_Read]:
    """A file, and the files of the same program that it imports, as far as the time goes."""
    base = os.path.dirname(path)
    todo = [path]
    done: Set[str] = set()
    while todo and len(done) < MOST_FILES and (not done or time.monotonic() < until):
        one = todo.pop(0)
        if os.path.realpath(one) in done:
            continue
        done.add(os.path.realpath(one))
        read_one = _file(one)
        yield read_one
        todo += _imported(read_one.uses, base, os.path.dirname(one))


def _imported(found: Uses, base: str, beside: str) -> Iterator[str]:
    names = [use.origin or use.name for use in found.names] + [module for module, _ in found.stars]
    tried: Set[str] = set()
    for folder, paths in (base, names), (beside, sorted(found.local)):
        for name in paths:
            parts = name.split('.')
            for count in range(1, min(len(parts), 5) + 1):
                place = os.path.join(folder, *parts[:count])
                if place in tried:
                    continue
                tried.add(place)
                for path in place + '.py', os.path.join(place, '__init__.py'):
                    if os.path.isfile(path):
                        yield path


def _local(folder: str) -> Set[str]:
    """The names of modules that lie in a folder, in the one above it, and in the folders of both."""
    found: Set[str] = set()
    above = os.path.join(folder, os.pardir)
    for place in [folder, above, *_folders(folder), *_folders(above)]:
        names = _listed(place)
        found |= {name[:-3] for name in names if name.endswith('.py')}
        found |= {name for name in names if _holds_modules(os.path.join(place, name))}
    return found


def _listed(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))[:2000]
    except OSError:
        return []


def _folders(folder: str) -> List[str]:
    """The first folders in a folder: programs put them on `sys.path`."""
    places = [os.path.join(folder, name) for name in _listed(folder) if not name.startswith('.')]
    return [place for place in places if os.path.isdir(place)][:50]


def _holds_modules(folder: str) -> bool:
    return os.path.isdir(folder) and any(name.endswith('.py') for name in _listed(folder))


# -- the whole ---------------------------------------------------------------------------------------------------------


def _program(path: str, files: List[_Read], local: Set[str]) -> Program:
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


def _main(path: str, files: List[_Read]) -> str:
    """The file that a person would start: one of the usual names, or one that imports Keras."""
    if not os.path.isdir(path):
        return path

    def rank(one: _Read) -> Tuple[bool, bool, int, int, str]:
        name = os.path.basename(one.source.path).lower()
        part = name.startswith(('__', 'setup', 'test', 'conftest'))
        start = next((place for place, word in enumerate(_STARTS) if name.startswith(word)), len(_STARTS))
        return part, not keras_rules.uses_keras(one.uses), start, one.source.path.count(os.sep), one.source.path

    return min(files, key=rank).source.path if files else os.path.join(path, 'PROGRAM.py')


def _engine(files: List[_Read]) -> str:
    """The library that a program names: that is its engine."""
    names = {(use.origin or use.name).split('.')[0] for one in files for use in one.uses.names if not use.guarded}
    return next((name for name in ('tensorflow', 'theano', 'cntk') if name in names), 'any')


_REQUIREMENTS = ('requirements.txt', 'setup.py', 'environment.yml', 'environment.yaml', 'Pipfile', 'README.md')


def _asked(path: str, files: List[_Read]) -> str:
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

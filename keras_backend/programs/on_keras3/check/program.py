"""A program as a whole: its files, and what was found in them for a backend of Keras 3."""

from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from ...launcher.check import library_rules, python_rules
from ...launcher.check.files import Read, of_path
from ...launcher.check.finding import SEVERITIES, Finding
from . import idioms, keras_rules, tensorflow_rules

BACKENDS = ('tensorflow', 'jax', 'torch')


class Program(NamedTuple):
    """The facts about a program.

    Attributes
    ----------
    path : str
        The file or folder.
    backend : str
        The backend of Keras 3 that it was checked for.
    files : tuple of str
        The files that were read.
    findings : tuple of Finding
        What would stop, what would differ, and notes.
    libraries : tuple of (str, str)
        Other libraries: the module and its name for pip.
    uses_keras : bool
        Whether it imports Keras.
    uses_tensorflow : bool
        Whether it imports TensorFlow.
    """

    path: str
    backend: str
    files: Tuple[str, ...]
    findings: Tuple[Finding, ...]
    libraries: Tuple[Tuple[str, str], ...]
    uses_keras: bool
    uses_tensorflow: bool = False


def check(path: str, backend: str = 'tensorflow') -> Program:
    """Check a file with the modules beside it that it imports, a notebook, or a folder.

    Parameters
    ----------
    path : str
        The path. It has to exist.
    backend : str
        'tensorflow', 'jax' or 'torch'.

    Returns
    -------
    Program
        What was found. No error is raised for a file that cannot be read: a finding says so.
    """
    files, local = of_path(path)
    return of_files(path, backend, files, local)


def of_files(path: str, backend: str, files: List[Read], local: Set[str]) -> Program:
    """`check` of files that were read before.

    Parameters
    ----------
    path : str
        What was checked: a file or a folder.
    backend : str
        'tensorflow', 'jax' or 'torch'.
    files : list of Read
        Its files.
    local : set of str
        The names of its own modules.
    """
    findings: List[Finding] = []
    libraries: Dict[str, str] = {}
    for one in files:
        at = one.source.place
        findings += one.findings
        findings += keras_rules.judge(one.uses, at)
        findings += tensorflow_rules.judge(one.uses, at, backend)
        findings += idioms.judge(one, at, backend)
        findings += python_rules.judge(one.uses, one.tree, at, local)
        findings += library_rules.judge(one.uses, at, local)
        libraries.update(library_rules.imported(one.uses, local))
    unique = list(dict.fromkeys(findings))
    unique.sort(key=lambda each: (SEVERITIES.index(each.severity), each.path, each.cell, each.line))
    return Program(
        path,
        backend,
        tuple(one.source.path for one in files),
        tuple(unique),
        tuple(sorted(libraries.items())),
        any(keras_rules.uses_keras(one.uses) for one in files),
        imports_tensorflow(files),
    )


def imports_tensorflow(files: Sequence[Read]) -> bool:
    """Whether one of the files has a name of TensorFlow in it."""
    names = [use.origin or use.name for one in files for use in one.uses.names]
    return any(name.split('.')[0] == 'tensorflow' for name in names)

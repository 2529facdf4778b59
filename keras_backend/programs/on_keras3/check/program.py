"""`--check` of a program: its files, what was found in them, and the report."""

import functools
import json
import shlex
import sys
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ....basics import installed
from ....config import configured_backend
from ...keras2.check import tensorflow_rules
from ...launcher.check import accuracy, command, library_rules, python_rules, report, requirements
from ...launcher.check.files import Read, of_path
from ...launcher.check.rules import SEVERITIES, Finding
from ...launcher.check.tensorflow_versions import told_of_1
from . import rules

BACKENDS = ('tensorflow', 'jax', 'torch')
KERAS_3, TF_KERAS = 'Keras 3', 'tf_keras'


# Parts of TensorFlow that compute nothing with tensors of Keras. The stand-in for TensorFlow has none of them.
_WITHOUT_STAND_IN = tuple(
    f'tensorflow.{part}.'
    for part in 'data io train summary distribute config strings lookup saved_model compat lite feature_column'.split()
)


class Program(NamedTuple):
    """The facts about a program.

    Attributes
    ----------
    path : str
        The file or folder.
    backend : str
        The backend that it was checked for.
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
    needs_tensorflow : bool
        Whether it uses parts of TensorFlow that have no stand-in, such as `tf.data`.
    missing : tuple of str, optional
        What is missing here, each as pip takes it; None where nobody has looked.
    keras : str, optional
        The Keras that it was checked for, in words: 'Keras 3' or 'tf_keras'.
    """

    path: str
    backend: str
    files: Tuple[str, ...]
    findings: Tuple[Finding, ...]
    libraries: Tuple[Tuple[str, str], ...]
    uses_keras: bool
    uses_tensorflow: bool = False
    needs_tensorflow: bool = False
    missing: Optional[Tuple[str, ...]] = None
    keras: str = KERAS_3


def check(path: str, backend: str = 'tensorflow', is_tf_keras: bool = False) -> Program:
    """Check a file with the modules beside it that it imports, a notebook, or a folder.

    Parameters
    ----------
    path : str
        The path. It has to exist.
    backend : str
        'tensorflow', 'jax' or 'torch'.
    is_tf_keras : bool
        Whether it runs on tf_keras, which has what Keras 3 has not.

    Returns
    -------
    Program
        What was found. No error is raised for a file that cannot be read: a finding says so.
    """
    files, local = of_path(path)
    return of_files(path, backend, files, local, is_tf_keras)


def of_files(path: str, backend: str, files: List[Read], local: Set[str], is_tf_keras: bool = False) -> Program:
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
    is_tf_keras : bool
        Whether it runs on tf_keras.
    """
    findings: List[Finding] = []
    libraries: Dict[str, str] = {}
    metrics = accuracy.metrics_of(file.uses for file in files)
    asked = requirements.distributions(path)
    is_of_1 = is_tf_keras and bool(told_of_1(files))
    for file in files:
        at = file.source.place
        findings += file.findings
        if is_tf_keras:
            findings += rules.of_tf_keras(file.uses, at, is_of_1)
            findings += tensorflow_rules.judge(file.uses, at).findings if is_of_1 else []
        else:
            findings += rules.of_keras(file.uses, at)
            findings += rules.of_tensorflow(file.uses, at, backend)
            findings += rules.of_lines(file, at, backend)
        findings += rules.of_accuracy(file.uses, at, metrics)
        findings += python_rules.judge(file.uses, file.tree, at, local)
        findings += library_rules.judge(file.uses, at, local)
        libraries.update(library_rules.imported(file.uses, local, asked))
    unique = list(dict.fromkeys(findings))
    unique.sort(key=lambda each: (SEVERITIES.index(each.severity), each.path, each.cell, each.line))
    return Program(
        path,
        backend,
        tuple(file.source.path for file in files),
        tuple(unique),
        tuple(sorted(libraries.items())),
        any(rules.uses_keras(file.uses) for file in files),
        imports_tensorflow(files),
        needs_tensorflow(files),
        keras=TF_KERAS if is_tf_keras else KERAS_3,
    )


def needs_tensorflow(files: Sequence[Read]) -> bool:
    """Whether a part of TensorFlow is used that the stand-in lacks, whatever the backend of Keras is."""
    names = [use.name for file in files for use in file.uses.names if not use.guarded]
    return any(f'{name}.'.startswith(_WITHOUT_STAND_IN) for name in names)


def imports_tensorflow(files: Sequence[Read]) -> bool:
    """Whether one of the files has a name of TensorFlow in it."""
    names = [use.origin or use.name for file in files for use in file.uses.names]
    return any(name.split('.')[0] == 'tensorflow' for name in names)


# -- the report --------------------------------------------------------------------------------------------------------
# The report of the check: text for people, JSON for programs.


def text(program: Program) -> str:
    """The report as text."""
    return '\n'.join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    files = report.number_of_files(program.path, program.files)
    about = f'{program.keras} on {program.backend}' if program.uses_keras else 'does not import Keras'
    yield f'{program.path}{files}: {about}'
    yield from report.told(program.findings)
    yield from report.no_stop(program)
    yield from report.imported(program.libraries)
    if program.uses_keras:
        yield ''
        yield 'Type:'
        for command in commands(program):
            yield f'  {command}'


def commands(program: Program) -> List[str]:
    """The commands to type next."""
    return [*report.to_install(program), report.typed(start(program), program.path)]


def start(program: Program) -> str:
    """The line that starts the launcher on the program, be it a notebook."""
    main = shlex.quote(program.path)
    if len(program.files) != 1 and program.path not in program.files:
        main = 'PROGRAM.py'
    # What stands in the place of TensorFlow is for machines without it: `python -m keras_backend.keras3 --help`.
    stand_in = program.uses_tensorflow and program.backend != 'tensorflow' and installed.spec('tensorflow') is None
    stand_in = stand_in and not program.needs_tensorflow
    launcher = 'python -m keras_backend.keras3' + (' --stand-in' if stand_in else '')
    return f'KERAS_BACKEND={program.backend} {launcher} {main}'


def as_json(program: Program) -> str:
    """The report as JSON."""
    return json.dumps(as_dict(program), indent=2)


def as_dict(program: Program) -> Dict[str, Any]:
    """The report as a dict of plain values."""
    return {
        **report.plain(program),
        'launcher': 'keras_backend.keras3',
        'backend': program.backend,
        'commands': commands(program),
    }


# -- the command -------------------------------------------------------------------------------------------------------
# The command `python -m keras_backend.keras3 --check`.


OPTION = '--backend'
USAGE = f'usage: python -m keras_backend.keras3 --check [--json] [{OPTION} {"|".join(BACKENDS)}] PATH [PATH ...]'


def main(
    arguments: List[str],
    missing: Optional[Callable[[str, str], List[str]]] = None,
    on_tf_keras: Optional[Callable[[str, str], bool]] = None,
) -> int:
    """Check programs for a backend and print what was found. Returns the exit status, see `launcher.check.command`.

    missing, on_tf_keras: take the path of a program and the backend, and return what is missing here for it, and
    whether it runs on tf_keras.
    """
    backend, paths = _backend(arguments)
    if backend not in BACKENDS:
        message = f'{OPTION} takes {", ".join(BACKENDS)}, got {backend or "nothing"}'
        if OPTION not in arguments:
            message = (
                f'the backend of KERAS_BACKEND or keras.json is {backend}, and this checks for {", ".join(BACKENDS)}; '
                f'give {OPTION}'
            )
        sys.stderr.write(f'--check: {message}.\n{USAGE}\n')
        return 2
    here = None if missing is None else functools.partial(_missing, missing, backend)
    checked = functools.partial(_checked, backend, on_tf_keras)
    return command.main(paths, USAGE, checked, text, as_json, here)


def _checked(backend: str, on_tf_keras: Optional[Callable[[str, str], bool]], path: str) -> Program:
    return check(path, backend, on_tf_keras is not None and on_tf_keras(path, backend))


def _missing(missing: Callable[[str, str], List[str]], backend: str, path: str) -> List[str]:
    return missing(path, backend)


def _backend(arguments: List[str]) -> Tuple[Optional[str], List[str]]:
    """The backend, and the other arguments."""
    if OPTION not in arguments:
        return configured_backend(), arguments
    index = arguments.index(OPTION)
    return (arguments[index + 1] if index + 1 < len(arguments) else None), arguments[:index] + arguments[index + 2 :]

"""The ways of a program into today: the line to type, what is missing here, what the check of the way finds."""

import os
import shlex
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from ...basics import installed
from ...contract import CONTRACT
from ...engines.table import ENGINES
from ..keras2 import versions
from ..keras2.check import program as check_of_keras_2
from ..keras2.check.rules import OF_READING as _RULES  # noqa: F401  # they give the rules their words
from ..launcher.check import libraries_of_tf_keras, library_rules, needed, python_rules, report, translation
from ..launcher.check.files import of_path, uses_python_2
from ..launcher.check.rules import Finding
from ..on_keras3.check import program as check_of_keras_3
from ..on_keras3.check.rules import finding
from ..on_tf_keras import launcher as on_tf_keras
from .what_program import KERAS_3, NO_KERAS, OURS, PLAIN_K, TF_KERAS, TF_KERAS_1, Written, launcher_for, written_for

KERAS_2, OF_KERAS_3, IMPORT = 'keras2', 'keras3', 'import'
ROUTES = (KERAS_2, OF_KERAS_3, IMPORT)
TITLES = {KERAS_2: 'launcher of Keras 2', OF_KERAS_3: 'launcher of tf.keras', IMPORT: 'the import line changed'}
BACKENDS = check_of_keras_3.BACKENDS


class Route(NamedTuple):
    """A way.

    Attributes
    ----------
    name : str
        'keras2', 'keras3' or 'import'.
    why : str
        When it is the right one.
    commands : list of str
        The lines to type, the program last.
    start : str
        The line that starts the program on this way, be it a notebook, which needs `run` where a person types it.
    missing : list of str
        The lines that install what is missing here.
    """

    name: str
    why: str
    commands: List[str]
    start: str
    missing: List[str]


def advised(written: Written) -> str:
    """The way for a program."""
    if written.kind in (PLAIN_K, OURS, NO_KERAS):
        return IMPORT
    if written.layers_only:
        return IMPORT
    return launcher_of(written)


def launcher_of(written: Written, engine: str = '') -> str:
    """The launcher for a program that uses Keras; '' without any, 'plain' for our own K alone.

    tf.keras of TensorFlow 1 is on TensorFlow what tf_keras is, and elsewhere Keras 2 has most of its layers.
    """
    is_elsewhere = (engine or os.environ.get('KERAS_BACKEND', '') or 'tensorflow') != 'tensorflow'
    if written.kind == TF_KERAS_1 and is_elsewhere and not written.keras2.of_keras_3:
        return KERAS_2
    return launcher_for(written)


def inside_keras(written: Written) -> bool:
    """Whether K goes inside Keras 3 on the way 'import': the program uses more of Keras than K, or our K of Keras 3."""
    return written.kind not in (PLAIN_K, OURS, NO_KERAS) or (
        written.kind == OURS and launcher_for(written) == OF_KERAS_3
    )


def backend_for(written: Written, route: str, given: str) -> str:
    """The engine or backend for a way: the given one, that of the program, of KERAS_BACKEND, or one that is there."""
    if given:
        return given
    backend = os.environ.get('KERAS_BACKEND', '')
    if route == OF_KERAS_3 or (route == IMPORT and inside_keras(written)):
        needed = BACKENDS[:1] if written.kind == TF_KERAS_1 else BACKENDS
        return backend if backend in BACKENDS else _first(needed)
    if written.keras2.engine != 'any':
        return written.keras2.engine
    return backend or ('tensorflow' if installed.spec('tensorflow') else 'numpy')


def _first(modules: Tuple[str, ...]) -> str:
    return next((module for module in modules if installed.spec(module)), modules[0])


def all_of(written: Written, backend: str, version: str) -> List[Route]:
    """The ways, those that make sense for the program as it is. version: the Keras of the launcher of Keras 2."""
    routes = []
    there = installed.version(['keras'])
    if written.kind not in (PLAIN_K, OURS, NO_KERAS, TF_KERAS, KERAS_3):
        routes.append(of_keras_2(written, backend, version))
    if inside_keras(written) and written.kind != OURS:
        routes.append(_of_keras_3(written, backend_for(written, OF_KERAS_3, _known(backend, BACKENDS)), there))
    routes.append(_of_import(written, backend, there))
    return routes


def with_keras(written: Written, backend: str, version: str) -> check_of_keras_2.Program:
    """The program for the launcher of Keras 2 with a version of Keras."""
    choice = written.keras2.choice._replace(version=version)
    engine = _engine_of_2(written, backend)
    return written.keras2._replace(engine=engine, choice=choice, of_keras_3=False, libraries=())


def _engine_of_2(written: Written, backend: str) -> str:
    return backend_for(written, KERAS_2, _known(backend, ENGINES))


def _known(backend: str, names: Any) -> str:
    return backend if backend in names or '.' in backend else ''


def _libraries(written: Written, brought: Iterable[str] = ()) -> List[str]:
    """The libraries that are missing here, as pip takes them. brought: modules that a fetched Keras brings along."""
    pairs = [*written.keras2.libraries, *needed.needed((file.uses for file in written.files), written.local)]
    return [pip for module, pip in pairs if pip and module not in brought and installed.spec(module) is None]


def requirements(lines: List[str]) -> List[str]:
    """What the lines of `Route.missing` install, each as pip takes it."""
    found: List[str] = []
    for line in lines:
        if line.startswith('pip install '):
            found += shlex.split(line)[2:]
    return list(dict.fromkeys(found))


def missing_for(path: str, route: str, backend: str = '') -> List[str]:
    """What is missing here for a program on a launcher, each as pip takes it; a program of the other one is on that.

    backend: the engine, or the backend of Keras 3; '' for the one that the check of the launcher names.
    """
    files, local = of_path(path)
    written = written_for(path, files, local, ())
    checked = written.keras2
    if route == KERAS_2 and not checked.of_keras_3:
        engine = backend or check_of_keras_2.engine_to_type(checked)
        way = of_keras_2(written, engine, checked.choice.version)
    else:
        way = _of_keras_3(written, backend or backend_for(written, OF_KERAS_3, ''), installed.version(['keras']))
    old = any(uses_python_2(file, os.path.dirname(file.source.path)) for file in files)
    return (['fissix'] if old and not translation.tool() else []) + requirements(way.missing)


def _engine(name: str) -> List[str]:
    engine = ENGINES.get(name)
    if engine is None or any(installed.spec(library.module) for library in engine.libraries):
        return []
    return [f'pip install "{engine.requirement}"']


def of_keras_2(written: Written, backend: str, version: str) -> Route:
    """The launcher of Keras 2, with a version of Keras."""
    engine = _engine_of_2(written, backend)
    names = [*versions.lacking(version), *_libraries(written, versions.NEEDED)]
    missing = _engine(engine) + _install(names)
    if installed.version(['keras']) != version and not versions.is_there(version):
        missing.append(f'Keras {version}, which the launcher gets with pip at the first start')
    why = 'the program stays as it is, and computes what it computed'
    program = with_keras(written, engine, version)
    return Route(KERAS_2, why, check_of_keras_2.commands(program), check_of_keras_2.start(program), missing)


def _install(names: List[str]) -> List[str]:
    return [f'pip install {" ".join(map(shlex.quote, dict.fromkeys(names)))}'] if names else []


def _of_keras_3(written: Written, backend: str, there: Optional[str]) -> Route:
    main = written.keras2.main
    program = check_of_keras_3.Program(
        main,
        backend,
        (main,),
        (),
        (),
        True,
        check_of_keras_3.imports_tensorflow(written.files),
        check_of_keras_3.needs_tensorflow(written.files),
    )
    return Route(
        OF_KERAS_3,
        f'the program runs {on_which(written, backend)}, on {backend}',
        check_of_keras_3.commands(program),
        check_of_keras_3.start(program),
        _keras_3_missing(written, backend, there),
    )


def _keras_3_missing(written: Written, backend: str, there: Optional[str]) -> List[str]:
    missing = [] if sys.version_info >= (3, 10) else ['Python 3.10 or later']
    is_tf_keras = is_on_tf_keras(written, backend)
    if is_tf_keras:
        if installed.spec('tf_keras') is None:
            missing.append(f'pip install "tf_keras{on_tf_keras.version()}"')
    elif not _is_keras_3(there):
        missing.append('pip install "keras>=3.12.1"')
    missing += _engine(backend)
    if backend != 'tensorflow' and check_of_keras_3.needs_tensorflow(written.files):
        missing += _engine('tensorflow')
    return missing + _install(_of_its_keras(_libraries(written), is_tf_keras))


def _of_its_keras(names: List[str], is_tf_keras: bool) -> List[str]:
    """Names for pip, with the versions that go with tf_keras, or without the libraries that go with it alone."""
    versions = {library_rules.INSTALL[module]: name for module, name in libraries_of_tf_keras.NAMES_FOR_PIP.items()}
    if is_tf_keras:
        return [versions.get(name, name) for name in names]
    return [name for name in names if name != library_rules.INSTALL[libraries_of_tf_keras.ADDONS]]


def _is_keras_3(version: Optional[str]) -> bool:
    return version is not None and int(version.partition('.')[0]) >= 3


def is_for_tf_keras(written: Written, backend: str) -> bool:
    """Whether the launcher runs a program on tf_keras, where that is installed."""
    refused = os.environ.get(on_tf_keras.VARIABLE, '').strip().lower() in ('0', 'false')
    return written.kind in (TF_KERAS, TF_KERAS_1) and backend == 'tensorflow' and not refused


def is_on_tf_keras(written: Written, backend: str) -> bool:
    """Whether the launcher runs a program on tf_keras, as soon as what is missing here is installed.

    Where Keras 3 is installed, and tf_keras is not, that is so for programs of TensorFlow 1, and for those with
    libraries that need tf_keras.
    """
    if not is_for_tf_keras(written, backend):
        return False
    if installed.spec('tf_keras') is not None or not _is_keras_3(installed.version(['keras'])):
        return True
    if written.kind == TF_KERAS_1:
        return True
    return any(module in libraries_of_tf_keras.NEED_TF_KERAS for module in imported(written))


def imported(written: Written) -> Set[str]:
    """The modules that a program needs, without those below them."""
    uses = [use for file in written.files for use in file.uses.names if not use.guarded]
    return {name.split('.')[0] for use in uses for name in (use.name, use.origin or '')}


def on_which(written: Written, backend: str) -> str:
    """The Keras under the launcher of tf.keras, in words."""
    return 'on tf_keras' if is_on_tf_keras(written, backend) else 'in Keras 3'


def goes_to_tf_keras(path: str, backend: str) -> bool:
    """Whether the program of a path runs on tf_keras under the launcher of tf.keras."""
    return is_on_tf_keras(written_for(path, *of_path(path), ()), backend)


def _of_import(written: Written, backend: str, there: Optional[str]) -> Route:
    inside = inside_keras(written)
    engine = backend_for(written, IMPORT, _known(backend, BACKENDS if inside else ENGINES))
    main = written.keras2.main
    start = f'KERAS_BACKEND={engine} python {shlex.quote(main)}'
    commands = [report.typed(start, main)]
    if inside:
        missing = _keras_3_missing(written, engine, there)
        why = 'import keras_backend.keras3 as K; all else is Keras 3, without what its launcher mends'
        if written.kind == OURS:
            why = 'it imports K inside Keras 3, and needs no launcher'
        return Route(IMPORT, why, commands, start, missing)
    missing = _engine(engine) + _install(_libraries(written))
    return Route(IMPORT, 'code that uses K alone needs no Keras: import keras_backend as K', commands, start, missing)


def check(written: Written, route: str, backend: str, version: str = '') -> Dict[str, Any]:
    """What the check of a way finds: a dict of plain values, with `findings`.

    version: the Keras of the launcher of Keras 2; '' for the one that the program needs.
    """
    path = written.keras2.path
    if route == KERAS_2:
        program = written.keras2
        if version:
            program = check_of_keras_2.of_files(path, list(written.files), written.local, version)
        return check_of_keras_2.as_dict(check_of_keras_2.for_engine(program, written.files, backend))
    if route == OF_KERAS_3 or inside_keras(written):
        known = backend if backend in BACKENDS else BACKENDS[0]
        is_tf_keras = route == OF_KERAS_3 and is_on_tf_keras(written, known)
        checked = check_of_keras_3.of_files(path, known, list(written.files), written.local, is_tf_keras)
        return check_of_keras_3.as_dict(checked)
    return {'path': path, 'findings': [dict(one._asdict()) for one in _of_k(written)]}


def _of_k(written: Written) -> List[Finding]:
    """What stops code of K alone: Python, libraries, names that K does not have."""
    findings: List[Finding] = []
    for file in written.files:
        at = file.source.place
        findings += file.findings
        findings += python_rules.judge(file.uses, file.tree, at, written.local)
        findings += library_rules.judge(file.uses, at, written.local)
        for use in file.uses.names:
            name = use.name[len('keras.backend.') :].split('.')[0] if use.name.startswith('keras.backend.') else ''
            if name and not use.guarded and name not in CONTRACT and name not in ('tf', 'tensorflow_backend'):
                findings.append(finding('no-name-of-k', at(use.line), f'K has no {name}'))
    return list(dict.fromkeys(findings))

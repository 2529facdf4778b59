"""Which Keras a program was written for, and the engines that can run it."""

import os
from typing import List, NamedTuple, Tuple

from ...basics import installed
from ...engines.table import ENGINES
from ...errors import KerasBackendError, WrongKeras
from ..keras2.versions import NEWEST, OPTION, make, of_keras, version_asked_for
from ..launcher.check import reading
from ..launcher.check.files import of_path
from ..migrate import what_program

KINDS = ('keras2', 'keras3', 'plain')

# The launcher of each kind, and the engines that run it if none were named.
LAUNCHERS = {'keras2': 'keras_backend.keras2', 'keras3': 'keras_backend.keras3', 'plain': ''}
DEFAULT = {
    'keras2': ('tensorflow', 'numpy', 'jax'),
    'keras3': ('tensorflow', 'jax', 'torch'),
    'plain': ('tensorflow', 'numpy', 'jax'),
}
OF_KERAS_3 = ('tensorflow', 'jax', 'torch')


class UsageError(KerasBackendError):
    """The command line of `prove` cannot be carried out."""


class Program(NamedTuple):
    """A program, and how it is run.

    Attributes
    ----------
    path : str
        The file, as it was named.
    arguments : list of str
        Its command line.
    kind : str
        One of KINDS.
    code : str
        The code of a notebook, '' for a .py file.
    keras : str
        The version of Keras that the launcher of Keras 2 takes, '' for the one that is installed.
    script : str
        The .py file that the processes run.
    needs : str
        The only engine that can run it, '' if any can.
    libraries : tuple of str
        The libraries that it imports, as pip knows them.
    """

    path: str
    arguments: List[str]
    kind: str
    code: str = ''
    keras: str = ''
    script: str = ''
    needs: str = ''
    libraries: Tuple[str, ...] = ()

    def launched(self) -> List[str]:
        """The launcher and its options before the program; empty for a program in K alone."""
        launcher = LAUNCHERS[self.kind]
        return ([launcher] if launcher else []) + ([OPTION, self.keras] if self.keras else [])


def kind_of(path: str) -> str:
    """The kind of a program by the names that it and the modules beside it use, or '' if they use no Keras.

    Parameters
    ----------
    path : str
        A .py file or a notebook.
    """
    return what_program.launcher_for(_written(path))


def _written(path: str) -> what_program.Written:
    files, local = of_path(path)
    return what_program.written_for(path, files, local, ())


def _needs(written: what_program.Written, kind: str) -> str:
    """The engine whose library a program of Keras 2 uses beside Keras: no other engine has its names of that time."""
    engine = written.keras2.engine
    names = [use.origin or use.name for file in written.files for use in file.uses.names if not use.guarded]
    return engine if kind == 'keras2' and any(name.startswith(engine + '.') for name in names) else ''


def program(path: str, arguments: List[str], kind: str = '', keras: str = '') -> Program:
    """The program of a command line.

    Parameters
    ----------
    path : str
        A .py file or a notebook.
    arguments : list of str
        What the program is given.
    kind : str
        One of KINDS, or '' to tell it by the imports.
    keras : str
        The version of Keras for the launcher of Keras 2, or ''.

    Raises
    ------
    UsageError
        The file is missing, is neither a .py file nor a notebook, or imports no Keras; or there is no Keras for it.
    """
    if not os.path.isfile(path):
        raise UsageError(f'prove cannot find the program {path!r} in {os.getcwd()}; give the path of a .py file.')
    if not path.endswith(('.py', '.ipynb')):
        raise UsageError(f'prove runs .py files and notebooks (.ipynb), and was given {path!r}; give one of these.')
    source = reading.read(path, path)
    if not source.text.strip():
        reasons = [finding.reason for finding in source.findings] or ['there is no code in it']
        raise UsageError(f'{path}: {reasons[0]}; give a program of Keras.')
    written = _written(path)
    kind = kind or what_program.launcher_for(written)
    if not kind:
        raise UsageError(
            f'{path} imports neither keras, tf.keras nor keras_backend; add: --with keras2, keras3 or plain.'
        )
    return Program(
        path,
        arguments,
        kind,
        source.text if path.endswith('.ipynb') else '',
        _keras(keras, kind),
        os.path.abspath(path),
        _needs(written, kind),
        tuple(name for _, name in written.keras2.libraries if name),
    )


def _keras(asked: str, kind: str) -> str:
    """The version of Keras that `--keras` names, checked."""
    if not asked:
        there = of_keras()
        if kind == 'keras2' and (there is None or not there.startswith(('1.2.', '2.'))):
            raise UsageError(
                f'The program is written for Keras 1 or 2, and {"no Keras" if there is None else "Keras " + there} is '
                f'installed; add: {OPTION} {NEWEST} (pip makes a folder for it).'
            )
        return ''
    if kind != 'keras2':
        raise UsageError(f'{OPTION} is for programs of Keras 1 and 2, and this is one of {kind}; leave it out.')
    try:
        version = version_asked_for(asked)
        make(version)
    except WrongKeras as error:
        raise UsageError(str(error)) from error
    return version


def with_script(found: Program, folder: str) -> Program:
    """The program with its code in a .py file: a notebook is written into the folder.

    Parameters
    ----------
    found : Program
        The program.
    folder : str
        A folder that exists.
    """
    if not found.code:
        return found
    name = os.path.splitext(os.path.basename(found.path))[0]
    script = os.path.join(folder, name + '.py')
    with open(script, 'w', encoding='utf-8') as stream:
        stream.write(f'# -*- coding: utf-8 -*-\n{found.code}\n')
    return found._replace(script=script)


def engines(asked: List[str], program: Program) -> List[str]:
    """The engines to run on.

    Parameters
    ----------
    asked : list of str
        The names of the command line, or an empty list for those of DEFAULT that are installed and can run the program.
    program : Program
        The program.

    Raises
    ------
    UsageError
        An engine is unknown or not installed, cannot run the program, or was named twice.
    """
    kind, needs = program.kind, program.needs
    if not asked:
        return [name for name in DEFAULT[kind] if _is_installed(name) and needs in ('', name)]
    known = OF_KERAS_3 if kind == 'keras3' else tuple(ENGINES)
    for name in asked:
        if asked.count(name) > 1:
            raise UsageError(f'--engines names {name} twice; name each engine once.')
        if name not in known and (kind == 'keras3' or installed.spec(name) is None):
            raise UsageError(f'--engines {name}: this program can run on {", ".join(known)}; name some of these.')
        if needs and name in known and name != needs:
            raise UsageError(
                f'--engines {name}: {program.path} uses {needs} beside Keras, so that the engine {needs} alone can run '
                f'it; type: --engines {needs} --original {NEWEST}'
            )
        if name in known and not _is_installed(name):
            raise UsageError(
                f'The engine {name} is not installed in this environment; type: '
                f'pip install "{installed.requirement(name)}"'
            )
    return list(asked)


def _is_installed(name: str) -> bool:
    return any(installed.spec(library.module) is not None for library in ENGINES[name].libraries)

"""The report of `python -m keras_backend`: the engine that would run and why, the installed engines, the problems."""

import os
import re
import shlex
import sys
import warnings
from importlib import import_module
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from .. import __version__, loader
from ..basics import installed
from ..basics.terminal import Progress
from ..config import FROM_VARIABLE, OWN_BACKEND, Setting, Settings, check, keras_json
from ..engines.table import ENGINES
from ..errors import EngineNotInstalled, KerasBackendError
from . import devices


class Report:
    """The configuration as it is now. No engine is imported in this process, and no setting is written.

    Attributes: `settings`, a list of Setting (empty where keras.json cannot be used); `problems`, sentences about what
    would stop `import keras_backend`; `remarks`, sentences about what is probably a mistake; `devices`, what a built-in
    engine would run on, or None; `own`, whether the engine is a module of the user's own.
    """

    def __init__(self) -> None:
        self.problems: List[str] = []
        self.remarks: List[str] = []
        self.devices: Optional[devices.Devices] = None
        self.own = False
        self.path = keras_json.location()
        self.file = self._read()
        self.settings = self._settings()
        if self.settings and not self.problems:
            self._look_at(next(setting for setting in self.settings if setting.key == 'backend'))

    def _read(self) -> Optional[keras_json.SettingsFile]:
        try:
            file = keras_json.read(self.path)
        except KerasBackendError as error:
            self.problems.append(str(error))
            return None
        if file is not None:
            self.problems.extend(str(problem) for problem in file.problems())
            self.remarks.extend(file.misspelt())
            self.remarks.extend(file.contradictions())
        return file

    def _settings(self) -> List[Setting]:
        fresh = Settings()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')  # they are among the remarks
                fresh.read()
            return fresh.all()
        except KerasBackendError as error:
            if str(error) not in self.problems:
                self.problems.append(str(error))
            return []

    def _look_at(self, backend: Setting) -> None:
        try:
            engine = loader.find(backend.value, backend.source, backend.danger)
        except KerasBackendError as error:
            self.problems.append(str(error))
            return
        self.own = engine.kind != 'built-in'
        if not self.own:
            if not installed.spec(loader.library(engine.name).module):
                self.problems.append(loader.not_installed(engine.name, backend.source))
                return
            try:
                system(engine.name)
                with Progress() as progress:
                    progress.show(f'Asking {engine.title} for its devices ...')
                    self.devices = devices.ask(engine.name, backend.source)
            except KerasBackendError as error:
                self.problems.append(str(error))
        # The packages above a module are code, too: only its first part is looked for.
        elif not installed.spec(engine.module.partition('.')[0]):
            self.problems.append(
                f'The engine {engine.name!r} ({backend.source}) is the module {engine.module}, but there is no '
                f'{engine.module.partition(".")[0]!r} on sys.path.'
            )

    def lines(self) -> Iterator[str]:
        """The report, line by line."""
        yield f'keras_backend {__version__} on Python {sys.version.split()[0]}'
        yield ''
        if self.problems:
            yield '`import keras_backend` would fail:'
            for problem in self.problems:
                yield '  ' + problem
        else:
            backend = next(setting for setting in self.settings if setting.key == 'backend')
            yield f'`import keras_backend` would use the {backend.value} engine ({backend.source}).'
        for remark in self.remarks:
            yield 'Remark: ' + remark
        yield ''
        yield 'Settings'
        for setting in self.settings:
            yield f'  {setting.key:18} {setting.value!s:15} {setting.source}'
            if setting.overruled is not None:
                yield f'{"":36}overruled: {setting.overruled.value}, {setting.overruled.source}'
        yield f'  file: {self.path}{"" if os.path.lexists(self.path) else " (not there; `use` makes it)"}'
        yield f'  `python -m keras_backend use ENGINE` writes "{OWN_BACKEND}": "ENGINE" into the file.'
        yield ''
        yield 'Hardware'
        for key, words in self._hardware().items():
            yield f'  {key:18} {words}'
        yield ''
        yield 'Engines'
        for name in ENGINES:
            yield f'  {name:18} {state(name)}'
        for name, (module, distribution) in sorted(installed.entry_points(loader.GROUP).items()):
            yield f'  {name:18} {module}, of {distribution} {installed.version([distribution]) or ""}'
        yield ''
        yield 'Next'
        for following in self.following():
            yield '  ' + following.line
            yield '      ' + following.does

    def following(self) -> List['Next']:
        """The most useful lines to type next, for the engines that are installed and the files of this folder."""
        backend = next((setting for setting in self.settings if setting.key == 'backend'), None)
        engines = [name for name in ENGINES if loader.is_built(name) and loader.has_library(name)]
        first = None
        if self.problems and backend is not None:
            missing = [name for name in reversed(ENGINES) if name not in engines and loader.is_built(name)]
            fitting = [name for name in missing if loader.library(name).pythons.include(sys.version_info[:2])]
            requirements = {name: ENGINES[name].requirement for name in fitting}
            others = [name for name in engines if name != backend.value]
            first = mend(backend.value, backend.source == FROM_VARIABLE, others, requirements)
        engine = '' if self.problems or backend is None else backend.value
        return lines(engine, self.own, first, engines, files_in(os.curdir))

    def _hardware(self) -> Dict[str, str]:
        """Device and threads of the engine, where it could be asked, and NumPy, which every engine uses."""
        words: Dict[str, str] = {} if self.devices is None else dict(self.devices._asdict())
        blas = devices.blas()
        return dict(words, NumPy=blas) if blas else words

    def data(self) -> Dict[str, Any]:
        """The report as what JSON can hold."""
        return {
            'version': __version__,
            'python': sys.version.split()[0],
            'file': self.path,
            'settings': {setting.key: {'value': setting.value, 'source': setting.source} for setting in self.settings},
            'hardware': self._hardware(),
            'use': {'writes': OWN_BACKEND, 'into': self.path},
            'problems': self.problems,
            'remarks': self.remarks,
            'next': [following._asdict() for following in self.following()],
            'engines': {name: {'installed': loader.has_library(name), 'state': state(name)} for name in ENGINES},
        }


def state(name: str) -> str:
    """The state of a built-in engine, in words."""
    library = loader.library(name)
    if not loader.is_built(name):
        return 'not in this version of keras_backend'
    if installed.spec(library.module):
        words = f'{library.title} {installed.version(library.distributions) or "(version unknown)"}'
        try:
            return '; '.join([words] + system(name))
        except KerasBackendError as error:
            return f'{words}; {error}'
    if library.pythons.include(sys.version_info[:2]):
        return f'not installed; type: pip install "{ENGINES[name].requirement}"'
    return f'not installed; {library.title} needs {library.pythons}'


def system(name: str) -> List[str]:
    """Run what checks a library's needs (`Library.system` of `engines.table`), where it has that. Returns its words."""
    module, _, function = (loader.library(name).system or '').rpartition('.')
    return [getattr(import_module(module), function)()] if module else []


def use(name: str, force: bool = False) -> Iterator[str]:
    """Write an engine into keras.json, and say what else matters, line by line.

    An engine that could not run here is refused, unless `force` is true.
    """
    source = 'python -m keras_backend use'
    name = check('backend', name, source)
    path = keras_json.location()
    file = keras_json.read(path)
    engine = (loader.find if force else loader.find_here)(name, source, None if file is None else file.danger)
    if not force and engine.kind == 'built-in' and not loader.has_library(name):
        raise EngineNotInstalled(
            f'{loader.not_installed(name, source)}. To write the choice all the same, type: {source} {name} --force',
            name,
        )
    keras_json.put(path, file, OWN_BACKEND, name)
    yield f'{path}: "{OWN_BACKEND}" is now "{name}".'
    theirs = keras_json.DEFAULTS['backend'] if file is None else getattr(file.items.get('backend'), 'value', None)
    if theirs is not None and theirs != name:
        yield f'Keras itself, which reads the same file, goes on with "backend": "{theirs}".'
    current = Report()
    for setting in current.settings:
        if setting.key == 'backend' and setting.overruled is not None and setting.value != name:
            yield f'KERAS_BACKEND says {setting.value!r} and takes precedence over the file; unset it.'
    yield from current.problems


# -- next lines --------------------------------------------------------------------------------------------------------
# The lines that are most useful to type next, for the engines and the files that are found here.


COMMAND = 'python -m keras_backend'
MOST = 3

# A home directory can hold anything: so many entries are looked at, and so many bytes of a file.
_ENTRIES, _BYTES = 2000, 200000
# Engines to compare, those that train programs of `tf.keras` first.
_COMPARED = ('tensorflow', 'jax', 'torch', 'numpy')
_PROGRAMS, _MODELS = ('.py', '.ipynb'), ('.h5', '.hdf5', '.keras')
_NAMES_KERAS = re.compile(r'\b(?:import|from)\s+(?:tensorflow\.(?:python\.)?|tf_)?keras\b|\btf\.keras\b')
_TRAINS = re.compile(r'\.(?:fit|fit_generator|train_on_batch)\(')


class Next(NamedTuple):
    """A line to type, and what it does."""

    line: str
    does: str


class Files(NamedTuple):
    """A program that names Keras and a model file, each a name of a file in the folder, or ''."""

    program: str
    model: str


def files_in(folder: str) -> Files:
    """Look for a program and a model file of Keras directly in a folder; a program that trains comes first."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry, _ in zip(entries, range(_ENTRIES)) if entry.is_file())
    except OSError:
        return Files('', '')
    ranked = [(rank, name) for name in names if name.endswith(_PROGRAMS) for rank in _rank(folder, name)]
    models = [name for name in names if name.endswith(_MODELS)]
    return Files(min(ranked)[1] if ranked else '', models[0] if models else '')


def _rank(folder: str, name: str) -> Iterator[int]:
    """0 for a program that trains, 1 for another that names Keras; nothing for other files."""
    try:
        with open(os.path.join(folder, name), encoding='utf-8', errors='replace') as stream:
            text = stream.read(_BYTES)
    except OSError:
        return
    if _NAMES_KERAS.search(text):
        yield 0 if _TRAINS.search(text) else 1


def lines(engine: str, own: bool, mend: Optional[Next], engines: Sequence[str], found: Files) -> List[Next]:
    """The most useful lines, at most three.

    Parameters
    ----------
    engine : str
        The engine that `import keras_backend` would use; '' if it would fail.
    own : bool
        Whether that is a module of the user's own.
    mend : Next or None
        A line that mends the configuration.
    engines : sequence of str
        The built-in engines that are installed.
    found : Files
        The files of the current folder.
    """
    return list(_candidates(engine, own, mend, engines, found))[:MOST]


def _candidates(engine: str, own: bool, mend: Optional[Next], engines: Sequence[str], found: Files) -> Iterator[Next]:
    if mend is not None:
        yield mend
    if own and engine:
        yield Next(f'{COMMAND} check {argument(engine)}', 'run the conformance tests on your engine')
    pair = [engine] if engine in _COMPARED and engine in engines else []
    pair += [name for name in _COMPARED if name in engines and name != engine]
    several = ' '.join(pair[:2]) if len(pair) > 1 else ''
    if found.program:
        program = argument(found.program)
        yield Next(f'{COMMAND} migrate {program}', f'how {program} runs today, and a patch for it')
        if several:
            yield Next(f'{COMMAND} prove {program} --engines {several}', 'whether its numbers are equal on two engines')
    if found.model:
        model = argument(found.model)
        yield Next(f'{COMMAND} model {model}', f'what {model} holds, to predict with it or to write it for Keras 3')
    if several:
        yield Next(f'{COMMAND} demo --engines {several}', 'train a network that reads digits on two engines')
    elif engine:
        yield Next(f'{COMMAND} demo', 'train a network that reads digits, in some ten seconds')
    if not found.program:
        yield Next(f'{COMMAND} migrate PROGRAM', 'how an old Keras program runs today, and a patch for it')
    if not found.model and installed.spec('h5py'):
        yield Next(f'{COMMAND} model FILE', 'what a model file of Keras holds, to predict with it')
    yield Next(f'{COMMAND} --help', 'all commands')


def argument(name: str) -> str:
    """A file's name as an argument of a command line."""
    return shlex.quote(os.path.join(os.curdir, name) if name.startswith('-') else name)


def mend(chosen: str, by_variable: bool, engines: Sequence[str], requirements: Dict[str, str]) -> Optional[Next]:
    """The line that mends an engine that cannot be used, or None.

    Parameters
    ----------
    chosen : str
        The engine that cannot be used.
    by_variable : bool
        Whether KERAS_BACKEND names it.
    engines : sequence of str
        The other built-in engines that are installed.
    requirements : dict of str to str
        The engines that can be installed here, each with the argument of `pip install`.
    """
    if chosen in requirements:
        return Next(f'pip install "{requirements[chosen]}"', f'install the {chosen} engine')
    if engines:
        setting = f'{"set" if os.name == "nt" else "export"} KERAS_BACKEND=' if by_variable else f'{COMMAND} use '
        return Next(setting + engines[0], f'{engines[0]} is installed here')
    if requirements:
        name, requirement = next(iter(requirements.items()))
        return Next(f'pip install "{requirement}"', f'install the {name} engine')
    return None

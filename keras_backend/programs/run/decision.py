"""Which Keras and which engine a program runs on, why, and all that is missing here."""

import os
import shlex
import sys
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ...basics import installed
from ...engines.table import ENGINES
from ..environments import PYTHONS, THIS_PYTHON
from ..keras2.check import program as check_of_keras_2
from ..keras2.keras_cures import CHANNELS
from ..keras2.versions import OPTION, installer, is_there, version_asked_for
from ..launcher.check import libraries_of_tf_keras, own_folders, translation
from ..launcher.check.files import Read, imported_names, of_code, of_path, uses_python_2
from ..launcher.check.reading import cells_of
from ..launcher.check.rules import RULES, STOPS
from ..launcher.check.tensorflow_versions import told_of_1
from ..launcher.own_modules import python2
from ..migrate import routes
from ..migrate.what_program import NO_KERAS, OURS, Written, written_for
from . import images
from .entry import CannotRun, file_of
from .magics import is_python_3

# A notebook runs as this module under a launcher.
CELLS = 'keras_backend.programs.run.cells'
# The code of a command line runs as this module under a launcher.
CODE = 'keras_backend.programs.run.code'
# Where a program imports no Keras, it runs below this module, which gives its libraries their old names.
PLAIN = 'keras_backend.programs.run.plain'
# Of Python 2, where this Python has no lib2to3.
_TRANSLATOR = 'fissix'
TENSORFLOW_1 = 'TensorFlow 1'


class Decision(NamedTuple):
    """How a program runs.

    Attributes
    ----------
    path : str
        The file that is started.
    kind : str
        What it was written for, such as 'Keras 2'.
    why : str
        The place and the name that tell so; '' where nothing does.
    way : str
        'keras2', 'keras3' or 'import': a launcher, or Python alone.
    engine : str
        The engine, or the backend of Keras 3.
    keras : str
        The version of Keras that the launcher of Keras 2 fetches; '' where the installed one serves.
    command : list of str
        The arguments of Python, without those of the program.
    pythons : list of str
        The versions of Python that it can run on, the newest first.
    missing : list of str
        What pip has to install, each as pip takes it.
    unknown : list of str
        Modules that it imports, that are not here, and whose name for pip nothing tells.
    refused : str
        Why the program cannot run in this Python, as a sentence; '' where nothing is in the way.
    unread : list of str
        Files of the program that cannot be read, with the reason.
    written : Written
        The files of the program as they were read, and what they tell.
    channels : str
        Where the channels of its images are, 'first' or 'last', and the place that tells; '' for the setting of Keras.
    folders : sequence of str
        Folders of its repository with modules that it imports, and that Python would not find.
    """

    path: str
    kind: str
    why: str
    way: str
    engine: str
    keras: str
    command: List[str]
    pythons: List[str]
    missing: List[str]
    unknown: List[str]
    refused: str
    unread: List[str]
    written: Written
    channels: str = ''
    folders: Sequence[str] = ()

    @property
    def is_prepared(self) -> bool:
        """Whether its libraries and Python 2 are what they were: all but programs of our own K."""
        return self.way != routes.IMPORT or self.written.kind == NO_KERAS

    def variables(self) -> Dict[str, str]:
        """The environment variables of the process."""
        found = {'KERAS_BACKEND': self.engine}
        if self.path.endswith('.ipynb'):
            # Pictures go into files.
            found['MPLBACKEND'] = os.environ.get('MPLBACKEND', 'Agg')
        if self.is_prepared and _of_python_2(self.written.files):
            found[python2.VARIABLE] = '1'
        if self.channels:
            found[CHANNELS] = self.channels.split()[0]
        if self.folders:
            known = os.environ.get('PYTHONPATH', '')
            found['PYTHONPATH'] = os.pathsep.join([*map(os.path.abspath, self.folders), *([known] if known else [])])
        return found


def decide(
    path: str,
    engine: str = '',
    keras: str = '',
    way: str = '',
    code: str = '',
    on_new_environment: bool = False,
    channels: str = '',
) -> Decision:
    """Decide how a program runs.

    Parameters
    ----------
    path : str
        A .py file, a notebook, or a folder with one file to start. The modules beside it that it imports are read.
    engine : str
        An engine, or a backend of Keras 3; '' for the one that fits.
    keras : str
        A version of Keras 1 or 2; '' for the one that the program needs.
    way : str
        'keras2', 'keras3', 'import', or '' for the one that fits.
    code : str
        The code of a command line, which is the program then; `path` is not read.
    on_new_environment : bool
        Whether an environment is to be made, so that what is installed here does not count: where nothing else says
        which engine, TensorFlow is taken, on which these programs were written.
    channels : str
        Where the channels of images are, 'first' or 'last'; '' for what the program of Keras 1 or 2 tells.

    Raises
    ------
    CannotRun
        There is no such program, nothing of it can be read, or the options do not fit it.
    """
    path = '-c' if code else file_of(path)
    files, local = of_code(code) if code else of_path(path)
    written = written_for(path, files, local, ())
    unread = [
        f'{one.source.path}: {wrong.reason}' for one in files for wrong in one.findings if wrong.rule == 'unreadable'
    ]
    if unread and not any(one.source.text.strip() for one in files):
        raise CannotRun(f'{unread[0]}; give a program of Python.')
    chosen = way or _way(written, engine)
    version = _keras(written, chosen, keras, on_new_environment)
    engine = _engine(engine, written, chosen)
    if on_new_environment:
        engine = engine or _engine_of_its_time(written, chosen)
    found = _route(written, chosen, engine, version)
    variables, command = _split(found.start)
    command, fetched = _without_installed(command)
    reasons = written.reasons[:1]
    pythons = _pythons(variables['KERAS_BACKEND'], of_keras_3(written, chosen), routes.imported(written))
    on_tf_keras = chosen == routes.OF_KERAS_3 and routes.is_on_tf_keras(written, variables['KERAS_BACKEND'])
    if on_tf_keras:
        pythons = [version for version in pythons if libraries_of_tf_keras.run_on(version, routes.imported(written))]
    return Decision(
        path,
        TENSORFLOW_1 if chosen == routes.KERAS_2 and written.kind == NO_KERAS else written.kind,
        f'{reasons[0][0]}: {reasons[0][1]}' if reasons else '',
        chosen,
        variables['KERAS_BACKEND'],
        fetched,
        [*command[:-1], *_for_python(path, code, chosen, written.kind)],
        pythons,
        _translator(path, files) + routes.requirements(found.missing),
        _unknown(written),
        _python(pythons, libraries_of_tf_keras.refusal(routes.imported(written)) if on_tf_keras else '')
        or _no_installer(fetched)
        or ('' if on_tf_keras else _addons(written, chosen))
        or (_python_2(files) if chosen == routes.IMPORT and written.kind != NO_KERAS else ''),
        unread,
        written,
        channels or _channels(written, chosen),
        _folders(files, '' if code else os.path.dirname(path)),
    )


def stops(decision: Decision) -> List[str]:
    """What would stop the program on its way, by the check of the way: the place, the reason, what to do."""
    found = routes.check(decision.written, decision.way, decision.engine, decision.keras)['findings']
    # What is to be installed first translates it.
    is_translated = decision.is_prepared and bool(translation.tool() or _TRANSLATOR in decision.missing)
    return [
        f'{one["path"]}, {"cell " + str(one["cell"]) + ", " if one["cell"] else ""}line {one["line"]}: '
        f'{one["reason"]}; {one["advice"]}'
        for one in found
        if one['severity'] == STOPS
        and not (is_translated and one['rule'] in translation.CURED)
        and one['reason'] not in decision.refused
    ]


def lacks_tf_keras(decision: Decision) -> bool:
    """Whether a program runs inside Keras 3 on TensorFlow only because tf_keras is not installed."""
    is_for_it = decision.way == routes.OF_KERAS_3 and routes.is_for_tf_keras(decision.written, decision.engine)
    return is_for_it and installed.spec('tf_keras') is None


# -- the command -----------------------------------------------------------------------------------------------------


def _for_python(path: str, code: str, way: str, kind: str) -> List[str]:
    before = ['-m', PLAIN] if way == routes.IMPORT and kind == NO_KERAS else []
    if code:
        return ['-c', code] if way == routes.IMPORT and not before else [*before, '-m', CODE, code]
    return [*before, *(['-m', CELLS, path] if path.endswith('.ipynb') else [path])]


# -- the way -----------------------------------------------------------------------------------------------------------


def _way(written: Written, engine: str) -> str:
    """The way on which a program runs as it is."""
    if written.kind == NO_KERAS and told_of_1(written.files):
        return routes.KERAS_2  # it gives the names of TensorFlow 1
    return routes.IMPORT if written.kind in (OURS, NO_KERAS) else routes.launcher_of(written, engine)


def of_keras_3(written: Written, way: str) -> bool:
    """Whether a program runs inside Keras 3 on a way."""
    return way == routes.OF_KERAS_3 or (way == routes.IMPORT and routes.inside_keras(written))


def _engine(asked: str, written: Written, way: str) -> str:
    inside = of_keras_3(written, way)
    known: Tuple[str, ...] = routes.BACKENDS if inside else tuple(ENGINES)
    if asked and asked not in known and (inside or '.' not in asked):
        raise CannotRun(f'--engine {asked}: this program can run on {", ".join(known)}; name one of these.')
    return asked


def _engine_of_its_time(written: Written, way: str) -> str:
    """The engine for a new environment, '' where something says another or nothing needs to be fetched."""
    said = os.environ.get('KERAS_BACKEND', '')
    if of_keras_3(written, way):
        return said if said in routes.BACKENDS else routes.BACKENDS[0]
    needs_engine = way == routes.KERAS_2 and written.keras2.engine == 'any' and not said
    return 'tensorflow' if needs_engine and THIS_PYTHON in _pythons('tensorflow', False, set()) else ''


def _channels(written: Written, way: str) -> str:
    place = images.channels_first(written.files) if way == routes.KERAS_2 else None
    return '' if place is None else f'{images.FIRST} ({place})'


def _pythons(engine: str, inside_keras_3: bool, imported: Set[str]) -> List[str]:
    """The versions of Python that an engine runs on, alone or inside Keras 3; an engine of the user runs on all.

    A program that imports a library of the engine needs that one: PyTensor runs on newer Pythons than Theano, and has
    other names.
    """
    libraries = ENGINES[engine].libraries if engine in ENGINES else ()
    libraries = tuple(library for library in libraries if library.module in imported) or libraries
    # A Python that is newer than this package may do, too.
    versions = PYTHONS if THIS_PYTHON in PYTHONS else (THIS_PYTHON, *PYTHONS)
    numbers = {version: (3, int(version.partition('.')[2])) for version in versions}
    return [
        version
        for version, number in numbers.items()
        if (not libraries or any(library.pythons.include(number) for library in libraries))
        and (number >= (3, 10) or not inside_keras_3)
    ]


def _keras(written: Written, way: str, asked: str, on_new_environment: bool) -> str:
    if asked and way != routes.KERAS_2:
        raise CannotRun(f'{OPTION} is for programs of Keras 1 and 2, and this is {written.kind}; leave it out.')
    if asked:
        return version_asked_for(asked)
    return written.keras2.choice.version if on_new_environment else _needed(written)


def _needed(written: Written) -> str:
    """The Keras that a program needs: the installed one, where it finds as much there as in any other."""
    there = installed.version(['keras']) or ''
    if there.startswith(('1.2.', '2.')):
        return check_of_keras_2.needed_keras(written.keras2.main, there)[0] or there
    return written.keras2.choice.version


def _route(written: Written, way: str, engine: str, version: str) -> routes.Route:
    """The way with its line to type. K code that imports Keras runs under the launcher of Keras 2, too."""
    chosen = routes.of_keras_2(written, engine, version) if way == routes.KERAS_2 else None
    chosen = chosen or _named(routes.all_of(written, engine, version), way)
    if chosen is None:
        raise CannotRun(f'The {routes.TITLES[way]} is no way for {written.kind}; leave --with out.')
    return chosen


def _named(ways: List[routes.Route], name: str) -> Optional[routes.Route]:
    return next((one for one in ways if one.name == name), None)


def _split(line: str) -> Tuple[Dict[str, str], List[str]]:
    """The variables and the arguments of a line such as `KERAS_BACKEND=jax python -m keras_backend.keras3 a.py`."""
    words = shlex.split(line)
    place = words.index('python')
    return dict(word.split('=', 1) for word in words[:place]), words[place + 1 :]


def _without_installed(command: List[str]) -> Tuple[List[str], str]:
    """The command without `--keras VERSION` where that is installed, and the version that is fetched, or ''."""
    if OPTION not in command:
        return command, ''
    place = command.index(OPTION)
    version = command[place + 1]
    if version == installed.version(['keras']):
        return command[:place] + command[place + 2 :], ''
    return command, version


def _no_installer(version: str) -> str:
    """What is missing to fetch a version of Keras, in words; '' where it is there or can be fetched."""
    if not version or is_there(version) or installer():
        return ''
    return f'pip or uv has to be there to fetch Keras {version}; type: python -m ensurepip'


def _python(pythons: List[str], of_library: str) -> str:
    """What is in the way of this Python, as a sentence. of_library: why, where it is a library of the program."""
    if THIS_PYTHON in pythons:
        return ''
    if of_library and pythons:
        return f'{of_library}; --install takes Python {pythons[0]}.'
    needed = pythons[0] if len(pythons) == 1 else f'{pythons[-1]} to {pythons[0]}'
    return f'It needs Python {needed}, and this is Python {sys.version.split()[0]}; --install takes such a Python.'


def _folders(files: Sequence[Read], base: str) -> List[str]:
    """The folders with modules of a program that is to be installed first, or is started with a PYTHONPATH."""
    if any('sys.path' in file.source.text or 'addsitedir' in file.source.text for file in files):
        return []  # it says itself where its modules are
    return list(dict.fromkeys(own_folders.elsewhere(imported_names(files), base).values()))


def _of_python_2(files: Sequence[Read]) -> bool:
    """Whether a file of the program is one that only Python 2 runs."""
    return any(uses_python_2(file, os.path.dirname(file.source.path)) for file in files)


def _python_2(files: List[Read]) -> str:
    """What a file in Python 2 needs where no launcher translates it. A notebook is translated while it runs."""
    found = (wrong for one in files if one.source.path.endswith('.py') for wrong in one.findings)
    wrong = next((wrong for wrong in found if wrong.rule == 'python2'), None)
    return f'{wrong.path}, line {wrong.line}: {wrong.reason}; type: {wrong.advice}' if wrong else ''


def _translator(path: str, files: List[Read]) -> List[str]:
    """What translates a program of Python 2, where that is missing."""
    if translation.tool():
        return []
    is_old = path.endswith('.ipynb') and not all(is_python_3(text) for _, text in cells_of(path))
    return [_TRANSLATOR] if is_old or _of_python_2(files) else []


def _addons(written: Written, way: str) -> str:
    """Why a program with TensorFlow Addons cannot run; '' for every other one."""
    if way != routes.OF_KERAS_3 or libraries_of_tf_keras.ADDONS not in routes.imported(written):
        return ''
    rule = RULES['tensorflow-addons']
    return f'It imports {libraries_of_tf_keras.ADDONS}: {rule.reason}; {rule.advice}.'


def _unknown(written: Written) -> List[str]:
    imported = routes.imported(written)
    modules = [module for module, name in written.keras2.libraries if not name and module in imported]
    return [module for module in modules if installed.spec(module) is None]

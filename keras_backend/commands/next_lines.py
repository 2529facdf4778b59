"""The lines that are most useful to type next, for the engines and the files that are found here."""

import os
import re
import shlex
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

from ..basics import installed

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

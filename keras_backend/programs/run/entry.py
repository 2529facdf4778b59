"""The file that a program is started with."""

import os
import re
from typing import List

from ...errors import KerasBackendError
from ..launcher.check.reading import read

# The names of a file that a person would start, in a folder of several.
_STARTED = ('__main__.py', 'main.py', 'train.py', 'run.py')
# Files that are no programs of their own.
_AUXILIARY = re.compile(r'(?:__init__|setup|conftest|test_\w+|\w+_test|tests)\.py$')


class CannotRun(KerasBackendError):
    """The command line of `run` cannot be carried out."""


def file_of(path: str) -> str:
    """The file that is started: a .py file, a notebook, or that of a folder.

    Raises
    ------
    CannotRun
        There is none, or a folder has several.
    """
    if not os.path.exists(path):
        raise CannotRun(f'run cannot find {path!r} in {os.getcwd()}; give the path of a program.')
    if os.path.isdir(path):
        return _in_folder(path)
    if not path.endswith(('.py', '.ipynb')):
        raise CannotRun(f'run takes .py files, notebooks (.ipynb) and folders, and was given {path!r}.')
    return path


def _in_folder(folder: str) -> str:
    names = sorted(name for name in os.listdir(folder) if name.endswith(('.py', '.ipynb')))
    if not names:
        raise CannotRun(f'The folder {folder!r} has neither .py files nor notebooks; give the path of a program.')
    programs = [name for name in names if not _AUXILIARY.match(name)] or names
    started = [name for name in _STARTED if name in programs] or programs
    if len(started) > 1 and started == programs:
        started = _starts(folder, programs) or programs
    if len(started) > 1 and started[0] not in _STARTED:
        raise CannotRun(f'The folder {folder!r} has {", ".join(started[:6])}; give the one that is to be started.')
    return os.path.join(folder, started[0])


def _starts(folder: str, names: List[str]) -> List[str]:
    """The files of a folder that no other one imports; of these, the one that asks whether it is started."""
    texts = {name: read(os.path.join(folder, name), name).text for name in names}
    used = set(re.findall(r'(?m)^\s*(?:from|import)\s+\.?(\w+)', '\n'.join(texts.values())))
    tops = [name for name in names if os.path.splitext(name)[0] not in used]
    asking = [name for name in tops if '__main__' in texts[name]]
    return asking if len(asking) == 1 else tops

"""What the modules of a program itself mean as they were written: Python 2, and calls of NumPy that took any iterable.

They are compiled from changed trees. Libraries keep their meaning, so nothing is changed for the whole process.
"""

from types import ModuleType
from typing import Tuple

from .. import rewriting
from ..cures import Cure
from . import arrays, python2


def python_2(sys: ModuleType) -> str:
    """Translate modules of Python 2 while they are imported, and let `7 / 2` be 3 in them. It needs fissix on 3.13."""
    rewriting.watch([], [python2.read])
    return 'the code of the program'


def iterables(sys: ModuleType) -> str:
    """Let `np.stack`, `np.vstack` and the like take a generator, zip, map or dict.values(), as before NumPy 1.24."""
    rewriting.watch([arrays.CHANGE])
    return 'the code of the program'


CURES: Tuple[Cure, ...] = (
    Cure('sys', python_2, 'programs with print statements, xrange, dict.iteritems, cPickle'),
    Cure('sys', iterables, 'np.stack(load(path) for path in paths)'),
)

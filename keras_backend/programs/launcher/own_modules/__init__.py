"""What the modules of a program itself mean as they were written: Python 2, and calls of NumPy that took any iterable.

They are compiled from changed trees. Libraries keep their meaning, so nothing is changed for the whole process.
"""

from types import ModuleType
from typing import Tuple

from .. import rewriting
from ..cures import Cure
from . import arrays, colab, dimensions, python2


def python_2(sys: ModuleType) -> str:
    """Translate modules of Python 2 while they are imported, and let `7 / 2` be 3 in them. It needs fissix on 3.13."""
    rewriting.watch([], [python2.read])
    return 'the code of the program'


def iterables(sys: ModuleType) -> str:
    """Let `np.stack`, `np.vstack` and the like take a generator, zip, map or dict.values(), as before NumPy 1.24."""
    rewriting.watch([arrays.CHANGE])
    return 'the code of the program'


def not_in_colab(sys: ModuleType) -> str:
    """Let `try: import google.colab` fail outside of Colab, although other imports of it get a stand-in."""
    rewriting.watch([colab.CHANGE])
    return 'the code of the program'


def values_of_sizes(sys: ModuleType) -> str:
    """Let `input_shape[1].value` be the size, which was an object in TensorFlow 1 and is a number today."""
    rewriting.watch([dimensions.CHANGE])
    return 'the code of the program'


CURES: Tuple[Cure, ...] = (
    Cure('sys', python_2, 'programs with print statements, xrange, dict.iteritems, cPickle'),
    Cure('sys', iterables, 'np.stack(load(path) for path in paths)'),
    Cure('sys', values_of_sizes, 'def build(self, input_shape): units = input_shape[-1].value'),
    Cure('sys', not_in_colab, 'notebooks that ask whether they are in Colab'),
)

"""Child processes of a program that a launcher runs. They are prepared like their parent.

The folder of this file is put on PYTHONPATH. Python finds `sitecustomize.py` in it when a child starts.
"""

import os
import sys

# The environment variable that says who prepares a child: the module, ':' and the Python of the parent. A child with
# another Python is left alone.
VARIABLE = 'KERAS_BACKEND_LAUNCHER'


def is_child(module: str) -> bool:
    """Whether this process was started by one that `module` has prepared, with the same Python."""
    return os.environ.get(VARIABLE) == f'{module}:{sys.prefix}'


def prepare(module: str) -> None:
    """Let children with the same Python import `module` at their start, which prepares them."""
    folder = os.path.dirname(os.path.abspath(__file__))
    places = [place for place in os.environ.get('PYTHONPATH', '').split(os.pathsep) if place]
    if folder not in places:
        os.environ['PYTHONPATH'] = os.pathsep.join([folder] + places)
    os.environ[VARIABLE] = f'{module}:{sys.prefix}'

"""Child processes of a program that a launcher runs. Those that use Keras are prepared like their parent.

The folder of this file is put on PYTHONPATH. Python finds `sitecustomize.py` in it when a child starts. That file says
which children are prepared, and when.
"""

import os
import sys

# The environment variable that says who prepares a child: the module, ':' and the Python of the parent. A child with
# another Python is left alone.
VARIABLE = 'KERAS_BACKEND_LAUNCHER'

# 0 in this variable turns it off. A launcher that finds it prepares no children, and a child that finds it stays plain.
CHILDREN = 'KERAS_BACKEND_CHILDREN'


def is_child(module: str) -> bool:
    """Whether this process was started by one that `module` has prepared, with the same Python."""
    return os.environ.get(VARIABLE) == f'{module}:{sys.prefix}'


def prepare(module: str) -> None:
    """Let children with the same Python that use Keras import `module`, which prepares them."""
    if os.environ.get(CHILDREN, '').strip() == '0':
        return
    folder = os.path.dirname(os.path.abspath(__file__))
    paths = [path for path in os.environ.get('PYTHONPATH', '').split(os.pathsep) if path]
    if folder not in paths:
        os.environ['PYTHONPATH'] = os.pathsep.join([folder] + paths)
    os.environ[VARIABLE] = f'{module}:{sys.prefix}'

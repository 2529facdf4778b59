"""Child processes of a program that runs under keras_backend.keras2. They are prepared like their parent.

The folder of this file is put on PYTHONPATH. Python finds `sitecustomize.py` in it when a child starts.
"""

import os
import sys

# The environment variable that names the Python of the parent. A child with another Python is left alone.
VARIABLE = 'KERAS_BACKEND_KERAS2'


def is_child() -> bool:
    """Whether this process was started by one that runs under keras_backend.keras2, with the same Python."""
    return os.environ.get(VARIABLE) == sys.prefix


def prepare() -> None:
    """Let children with the same Python import keras_backend.keras2 at their start."""
    folder = os.path.dirname(os.path.abspath(__file__))
    places = [place for place in os.environ.get('PYTHONPATH', '').split(os.pathsep) if place]
    if folder not in places:
        os.environ['PYTHONPATH'] = os.pathsep.join([folder] + places)
    os.environ[VARIABLE] = sys.prefix

"""`tensorflow.python.keras`, which programs of 2017 to 2022 import: here it is `tensorflow.keras`.

TensorFlow 2 has an old copy of Keras there, of which parts are gone. Its layers do not go into models of Keras 3.
"""

from types import ModuleType
from typing import Any

from ..launcher import imports

PRIVATE, PUBLIC = 'tensorflow.python.keras', 'tensorflow.keras'
_ABOVE = 'tensorflow.python'


def private_copy(tensorflow: Any) -> str:
    """Let `tensorflow.python.keras`, and each module below it, be what `tensorflow.keras` has."""
    # The stand-in has no module of this name. TensorFlow itself has, and keeps what it has loaded of the copy.
    imports.instead(_ABOVE, _empty)
    imports.replaced(PRIVATE, PUBLIC)
    return PRIVATE


def _empty() -> ModuleType:
    return ModuleType(_ABOVE, 'The name above tensorflow.python.keras.')

"""K functions said in other K functions.

The files beside this folder say the others in primitives of a library.
"""

from .control import ComposedControl
from .conv import ComposedConv
from .ctc import ComposedCTC
from .elementwise import ComposedElementwise
from .nn import ComposedNN
from .random import ComposedRandom
from .reduction import ComposedReduction
from .settings import Settings
from .shape import ComposedShape
from .tensors import ComposedTensors


class Composed(
    ComposedTensors,
    ComposedControl,
    ComposedReduction,
    ComposedElementwise,
    ComposedShape,
    ComposedNN,
    ComposedConv,
    ComposedRandom,
    ComposedCTC,
    Settings,
):
    """All that is said in other K functions."""

"""K functions said in other K functions.

The files beside this folder say the others in primitives of a library.
"""

from .api import Settings
from .control import ComposedControl
from .conv import ComposedConv
from .ctc import ComposedCTC
from .elementwise import ComposedElementwise, ComposedReduction
from .nn import ComposedNN
from .shape import ComposedShape
from .tensors import ComposedRandom, ComposedTensors


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

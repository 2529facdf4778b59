"""K, said once: what each function means, in primitives (`basics.library.Library`) or in other K functions.

A class `Composed...` of a topic holds the functions said in other K functions. The class beside it holds those said in
primitives. `Front` is all of it. An engine derives from `Front` where its library has something better, and says why.
"""

from .control import ComposedControl, Control
from .conv import ComposedConv, Conv
from .ctc import CTC, ComposedCTC
from .elementwise import ComposedElementwise, Elementwise
from .linalg import Linalg
from .loops import Loops
from .nn import NN, ComposedNN
from .random import ComposedRandom, Random
from .reduction import ComposedReduction, Reduction
from .shape import ComposedShape, Shape
from .state import State, Values
from .tensors import ComposedTensors, Tensors


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
):
    """All that is said in other K functions."""


class Primitive(Tensors, Values, Control, Loops, Linalg, Reduction, Elementwise, Shape, NN, Conv, Random, CTC, State):
    """All that is said in primitives."""


class Front(Primitive, Composed):
    """Every K function over one library."""

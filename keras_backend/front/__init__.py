"""K, said once: what each function means, in primitives of a library or in other K functions.

`composed/` holds the functions said in others. The files beside it hold those said in primitives (`library.Library`).
`Front` is all of it. An engine derives from `Front` where its library has something better, and says why.
"""

from .control import Control
from .conv import Conv
from .ctc import CTC
from .elementwise import Elementwise
from .linalg import Linalg
from .loops import Loops
from .nn import NN
from .random import Random
from .reduction import Reduction
from .shape import Shape
from .state import State
from .tensors import Tensors
from .values import Values


class Front(Tensors, Values, Control, Loops, Linalg, Reduction, Elementwise, Shape, NN, Conv, Random, CTC, State):
    """Every K function over one library."""

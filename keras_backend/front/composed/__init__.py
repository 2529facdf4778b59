"""K functions said in other K functions: what an engine need not write, and may overrule.

`needs` holds, for each of them, the K functions that it uses. `tests/front` compares this with the code.
"""

from typing import Dict, FrozenSet

from ..settings import Settings
from .control import ComposedControl
from .conv import ComposedConv
from .ctc import ComposedCTC
from .elementwise import ComposedElementwise
from .linalg import ComposedLinalg
from .nn import ComposedNN
from .random import ComposedRandom
from .reduction import ComposedReduction
from .shape import ComposedShape
from .tensors import ComposedTensors
from .values import ComposedValues


class Composed(
    ComposedTensors,
    ComposedValues,
    ComposedControl,
    ComposedLinalg,
    ComposedReduction,
    ComposedElementwise,
    ComposedShape,
    ComposedNN,
    ComposedConv,
    ComposedRandom,
    ComposedCTC,
    Settings,
):
    """All that can be said in other K functions."""


NEEDS: Dict[str, FrozenSet[str]] = {
    name: frozenset(wanted.split())
    for topic in Composed.__mro__
    for name, wanted in vars(topic).get('needs', {}).items()
}

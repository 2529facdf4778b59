"""The primitives of the K graph, eagerly, on NumPy arrays; by topics.

These rules hold for all of them. The arrays of a call have one dtype already, and the result has it too (comparisons:
bool; places: int64). A NumPy scalar may come and go in place of a 0-d array. Nothing writes into an input. The caller
takes care of floating-point warnings: it holds `numpy.errstate(all='ignore')`.
"""

from typing import Dict, FrozenSet, Optional, Tuple

from . import ctc, elementwise, linalg, random, reduction, rows, shape, spatial
from .common import Attrs, Ints, Kernel, Special

PRIMITIVES: Dict[str, Kernel] = {}
for _topic in (elementwise, reduction, shape, rows, linalg, spatial, random, ctc):
    PRIMITIVES.update(_topic.PRIMITIVES)

# Sums with rows, as kernels that give the changed rows only.
CHANGES: Dict[str, Kernel] = rows.CHANGES

# Primitives whose result may share memory with an input.
VIEWS: FrozenSet[str] = frozenset(
    'identity stop_gradient cast reshape broadcast_to transpose expand_dims squeeze reverse getitem slice_axis sum_to '
    'print to_dense'.split()
)

# Primitives whose kernels take `out=`, an operand that has the shape and dtype of the result. Its array may become the
# result then.
IN_PLACE: FrozenSet[str] = elementwise.IN_PLACE | frozenset(rows.CHANGES)

_SPECIAL: Dict[str, Special] = {}
for _topic in (elementwise, reduction, shape, linalg):
    _SPECIAL.update(_topic.SPECIAL)


def specialize(name: str, ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    """A faster function of arrays alone for the primitive `name`, None if there is none.

    Parameters
    ----------
    ranks, dtypes : tuple
        Of each array argument.
    attrs : dict
        Attributes, among them sizes that are known; the function has them bound.
    """
    special = _SPECIAL.get(name)
    return special(ranks, attrs, dtypes) if special is not None else None

"""A primitive of the K graph: its rule for shape and dtype, its gradient, and what is said of it.

A rule takes the inputs (tensors) and attributes of a call and returns `(dims, dtype)`. It passes unknown sizes on, or
gives None for them. A gradient rule takes `(F, inputs, output, attrs, g)`: the recorders of all primitives, the tensors
and the attributes of a call, its value, and the gradient of that value. It returns one gradient, or None, per input.
Both are written once and serve every engine on the K graph.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple, TypeVar, Union

from ...basics import library
from ...basics.library import Tensor
from .base import Dims, MaybeSize

if TYPE_CHECKING:
    from typing_extensions import Protocol
else:
    Protocol = object

Attrs = Dict[str, Any]
Ints = Tuple[int, ...]  # axes, or a number for each spatial axis
MaybeAxes = Optional[Ints]  # None: all of a tensor whose number of axes is not known
Spec = Tuple[Any, ...]  # an entry for each index, see `library.Primitives`
GivenShape = Union[Dims, Tensor]  # a vector where a size is not known
MaybeDims = Tuple[MaybeSize, ...]
Inferred = Tuple[MaybeDims, str]
# The gradient for one input. A thunk gives one that is recorded only if somebody asks for it.
Thunk = Callable[[], Tensor]


class Flat:
    """A gradient that is zero everywhere: it is there, and nothing is computed with it."""


FLAT = Flat()
# None, a tensor, a Piece of one (see `primitives/gradients.py`), a Thunk or FLAT
Gradient = Any
Gradients = Tuple[Gradient, ...]
Inputs = Tuple[Tensor, ...]
# (F, inputs, output, attrs, g)
GradientRule = Callable[['AllPrimitives', Inputs, Tensor, Attrs, Tensor], Gradients]
# (tensors, attributes) -> Inferred; of a primitive that has several results, a tuple of Inferred
Rule = Callable[..., Any]
# From the sizes that are known of the operands, and the attributes, to what is known of the result
Fold = Callable[[List[Any], Attrs], Any]


class AllPrimitives(library.Primitives, Protocol):
    """The functions that a gradient rule calls: the primitives, those that only gradients need, constants and sizes."""

    def sizes(self, shape: Any) -> Any: ...
    def items(self, shape: Any) -> List[Any]: ...
    def constant(self, value: Any, dtype: str) -> Tensor: ...
    def __getattr__(self, name: str) -> Callable[..., Tensor]: ...


_Rule = TypeVar('_Rule', bound=Rule)
_GradientRule = TypeVar('_GradientRule', bound=GradientRule)

OPS: Dict[str, 'Op'] = {}


class Op:
    """A primitive: its card.

    infer:         rule for (dims, dtype)
    gradient:      rule in K, None where the derivative is zero or does not exist
    fold:          what is known of the value where the operands are sizes, None where they do not pass through it (see
                   `primitives/shape.py`)
    pure:          same inputs, same value: may move out of loops and be shared
    has_kernel:    engines compute it by a function of arrays
    part:          it is a result of a loop or a choice, which computes it
    sparse:        takes sparse tensors
    sparse_result: gives a sparse tensor
    sizes:         names of the parameters that are shapes or sizes
    zero_at:       places of the operands at which 0 commonly makes the value 0, whatever the others are
    same_numbers:  the result holds the numbers of the first operand, whole numbers at least
    """

    def __init__(
        self,
        name: str,
        infer: Rule,
        *,
        gradient: Optional[GradientRule] = None,
        fold: Optional[Fold] = None,
        pure: bool = True,
        has_kernel: bool = True,
        part: bool = False,
        sparse: bool = False,
        sparse_result: bool = False,
        sizes: Iterable[str] = (),
        zero_at: Ints = (),
        same_numbers: bool = False,
    ) -> None:
        self.name, self.infer, self.gradient, self.fold = name, infer, gradient, fold
        self.pure, self.has_kernel, self.part = pure, has_kernel, part
        self.sparse, self.sparse_result = sparse, sparse_result
        self.sizes: FrozenSet[str] = frozenset(sizes)
        self.zero_at, self.same_numbers = zero_at, same_numbers
        self.parameters: Tuple[str, ...] = infer.__code__.co_varnames[: infer.__code__.co_argcount]

    def __repr__(self) -> str:
        return f'Op({self.name})'


def op(**facts: Any) -> Callable[[_Rule], _Rule]:
    """Declare a primitive by its rule, whose name it has: `print_` is the rule of `print`. facts: see `Op`."""

    def declare(infer: _Rule) -> _Rule:
        name = infer.__name__.rstrip('_')
        OPS[name] = Op(name, infer, **facts)
        return infer

    return declare


def gradient(rule: _GradientRule) -> _GradientRule:
    """Declare the gradient rule of one primitive; its name says of which: `gradient_of_conv` is that of `conv`."""
    OPS[rule.__name__[len('gradient_of_') :]].gradient = rule
    return rule


def gradient_of(*names: str) -> Callable[[_GradientRule], _GradientRule]:
    """Declare one gradient rule for several primitives."""

    def declare(rule: _GradientRule) -> _GradientRule:
        for name in names:
            OPS[name].gradient = rule
        return rule

    return declare

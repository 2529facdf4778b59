"""What an engine supplies to the K graph: functions of the arrays of its library."""

from typing import TYPE_CHECKING, Any, Callable, ContextManager, Dict, FrozenSet, List, Mapping, Optional, Tuple

if TYPE_CHECKING:
    from typing_extensions import Protocol

    from .library import GraphLibrary
    from .program import Program
    from .tensor import Tensor
else:
    Protocol = object

Array = Any  # an array of the library
Kernel = Callable[..., Array]  # a function of arrays, with plain values as keyword arguments
Run = Callable[..., List[Any]]  # a compiled program: a function of what is fed
Feed = Callable[[Any], Array]


class Kernels(Protocol):
    """The functions are those of a module, so that an engine can take over most of NumPy's."""

    @property
    def IMPLEMENTATIONS(self) -> Mapping[str, Kernel]:
        """Each primitive as a function of arrays."""

    @property
    def VIEWS(self) -> FrozenSet[str]:
        """Primitives whose result may share memory with an input."""

    @property
    def CHANGES(self) -> Mapping[str, Kernel]:
        """`add_rows` and `sub_rows` as functions that give the places and the new rows there; None and all of the new
        array where more than these change."""

    @property
    def Stream(self) -> Callable[[int], Any]:
        """From a seed to a source of random numbers, which the kernels of draws take."""

    def specialize(
        self, name: str, ranks: Tuple[int, ...], attrs: Dict[str, Any], dtypes: Tuple[str, ...]
    ) -> Optional[Kernel]:
        """A faster function for such operands, its attributes bound; None where there is none."""

    def asarray(self, value: Any, dtype: str) -> Array:
        """A private copy of `value`."""

    def sparse(self, value: Any, dtype: str) -> Array:
        """A private copy of a matrix of scipy.sparse."""

    def to_numpy(self, data: Array) -> Any:
        """A private copy as an array of NumPy; as a scalar of NumPy where `data` has no axes."""

    def own(self, value: Array, dtype: str) -> Array:
        """A result that nothing shares."""

    def is_whole(self, data: Array) -> bool:
        """Whether `data` is no view, and can be written into."""

    def scalar(self, dtype: str) -> Callable[[Array], Any]:
        """A function that makes a scalar of NumPy of a result without axes."""

    def feed(self, dtype: str) -> Feed:
        """A function that makes an array of what is fed."""

    def feed_sparse(self, placeholder: 'Tensor') -> Feed:
        """A function that makes a sparse matrix of what is fed."""

    def stack_steps(self, steps: List[Array], tail: Tuple[int, ...], dtype: str) -> Array:
        """What a loop collected, as one array; `tail` is the shape of a step, 0 for a size that is not known."""

    def guard(self) -> ContextManager[Any]:
        """The context in which functions run."""

    def compile(self, program: 'Program', engine: 'GraphLibrary') -> Run:
        """The function that runs a program (see `codegen`)."""

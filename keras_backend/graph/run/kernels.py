"""The functions that an engine supplies to the K graph. They take arrays of its library."""

from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    ContextManager,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    Optional,
    Tuple,
)

from ..nodes.base import ranked
from ..record.graph import RecordingKernels

if TYPE_CHECKING:
    from typing_extensions import Protocol

    from ..nodes.tensor import Node, Tensor
    from .program import Place, Program
else:
    Protocol = object

Array = Any  # an array of the library
Kernel = Callable[..., Array]  # a function of arrays, with plain values as keyword arguments
Feed = Callable[[Any], Array]


class Run(Protocol):
    """A compiled program: a function of what is fed."""

    def __call__(self, *fed: Any) -> List[Any]: ...

    def located(self, error: BaseException) -> 'Optional[Place]':
        """Where a run has failed, as far as this can be known."""


class Kernels(RecordingKernels, Protocol):
    """The functions are those of a module, so that an engine can take over most of NumPy's."""

    @property
    def PRIMITIVES(self) -> Mapping[str, Kernel]:
        """Each primitive as a function of arrays."""

    @property
    def VIEWS(self) -> FrozenSet[str]:
        """Primitives whose result may share memory with an input."""

    @property
    def IN_PLACE(self) -> FrozenSet[str]:
        """Primitives whose kernels take `out=`, an operand like the result, whose array may become the result."""

    @property
    def CHANGES(self) -> Mapping[str, Kernel]:
        """`add_rows` and `sub_rows` as functions that give the places and the new rows there; None and all of the new
        array where more than these change.

        Kernels that write rows otherwise than by `x[places] = rows` also have `put_rows(x, places, rows)`.
        """

    def specialize(
        self, name: str, ranks: Tuple[int, ...], attrs: Dict[str, Any], dtypes: Tuple[str, ...]
    ) -> Optional[Kernel]:
        """A faster function for such operands, its attributes bound; None where there is none."""

    def sparse(self, value: Any, dtype: str) -> Array:
        """A private copy of a matrix of scipy.sparse."""

    def to_numpy(self, data: Array) -> Any:
        """A private copy as an array of NumPy; as a scalar of NumPy where `data` has no axes."""

    def private_copy(self, value: Array, dtype: str) -> Array:
        """An array for a variable, which nothing shares."""

    def hand_out(self, dtype: str, rank: Optional[int], copy: bool) -> Optional[Callable[[Array], Any]]:
        """A function that makes of a result what the caller of `K.function` gets; None where it is that already.

        rank: the number of axes, None where it is not known. copy: whether others may hold the array.
        """

    def is_whole(self, data: Array) -> bool:
        """Whether `data` is no view, and can be written into."""

    def feed(self, dtype: str) -> Feed:
        """A function that makes an array of what is fed."""

    def feed_host(self, dtype: str) -> Feed:
        """The same for the learning phase: an array of NumPy, where the engine keeps sizes and phases as such."""

    def feed_sparse(self, placeholder: 'Tensor') -> Feed:
        """A function that makes a sparse matrix of what is fed."""

    def stack_steps(self, steps: List[Array], tail: Tuple[int, ...], dtype: str) -> Array:
        """The steps of a loop, as one array; `tail` is the shape of a step, 0 for a size that is not known."""

    def backwards(self, data: Array) -> Iterable[Array]:
        """The entries of `data` along its first axis, the last one first.

        Kernels whose arrays have neither `len` nor `iter` also have `forwards`, which gives the first one first.
        """

    @property
    def guard(self) -> Optional[Callable[[], ContextManager[Any]]]:
        """Makes the context in which functions run, None where they need none."""

    def compile(self, program: 'Program', graph: 'HasKernels') -> Run:
        """The function that runs a program (see `python`)."""


class HasKernels(Protocol):
    """The parts of a graph that a compiler uses: its kernels, its session, and the lock that a run holds."""

    @property
    def kernels(self) -> Kernels: ...

    @property
    def session(self) -> Any: ...

    @property
    def lock(self) -> Any: ...


def kernel_of(
    kernels: Kernels, name: str, ranks: Tuple[Optional[int], ...], attrs: Dict[str, Any], dtypes: Tuple[str, ...]
) -> Kernel:
    """The function of arrays that runs primitive `name`, its attributes bound."""
    if None not in ranks:
        special = kernels.specialize(name, ranks, attrs, dtypes)  # type: ignore[arg-type]
        if special is not None:
            return special
    function = kernels.PRIMITIVES[name]
    return partial(function, **attrs) if attrs else function


def kernel_for(kernels: Kernels, node: 'Node') -> Kernel:
    """The function of arrays that runs `node`."""
    inputs = node.inputs
    ranks = tuple([len(x.dims) if ranked(x) else None for x in inputs])
    return kernel_of(kernels, node.op.name, ranks, node.attrs, tuple([x.dtype for x in inputs]))

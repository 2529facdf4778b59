"""Sizes and lazy choices: their origins, found before a run, and sizes without a number."""

from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

import numpy as np

from ..nodes.base import known, ranked
from ..nodes.tensor import Constant, Node, Placeholder, Tensor
from .statements import Choice, Compute

if TYPE_CHECKING:
    from .lowering import Lowering


# Names of the parameters of primitives that are sizes.
SIZES = frozenset('shape size start stop step reps window'.split())


class Sized:
    """The facts about a program that its compiler needs. `on_host`: primitives that need arrays that have values.

    nodes:   ids of the nodes that tell sizes or conditions
    static:  ids of the inputs that do
    reason:  why the program cannot be compiled, for people; None where it can be
    """

    def __init__(self, lowering: 'Lowering', on_host: FrozenSet[str]) -> None:
        self.nodes: Set[int] = set()
        self.static: Set[int] = set()
        self.reason: Optional[str] = None
        self._lowering, self._host_only = lowering, on_host
        for variable in lowering.variables.values():
            if variable.sparse:
                self.reason = f'the variable {variable.name} is sparse'
        for tensor in lowering.program.inputs:
            if tensor.sparse:
                self.reason = f'the placeholder {tensor.name} is sparse'
        for block in lowering.blocks():
            for statement in block.statements:
                if isinstance(statement, Compute):
                    self._see(statement.node)
                elif isinstance(statement, Choice):
                    self._see_condition(statement.cond.condition)

    def _see(self, node: Node) -> None:
        if node.op.name in self._host_only:
            self.reason = self.reason or f'{node.name} is computed on the host: its size depends on values'
        for tensor in _sizes_of(node):
            origins = self._origins(tensor)
            for origin in origins:
                if self._can_be_static(origin):
                    self.static.add(origin.id)
                else:
                    self.reason = self.reason or f'a size in {node.name} depends on the value of {origin.name}'

    def _see_condition(self, condition: Tensor) -> None:
        """The learning phase is known for each call, so only one branch is compiled."""
        before = set(self.nodes)
        origins = self._origins(condition)
        if all([origin.host and self._can_be_static(origin) for origin in origins]):
            self.static.update([origin.id for origin in origins])
        else:
            self.nodes = before

    def _can_be_static(self, origin: Tensor) -> bool:
        is_small = isinstance(origin, Placeholder) and not origin.sparse and len(origin.dims or ()) < 2
        return is_small and self._lowering.is_fed(origin) and not origin.dtype.startswith('float')

    def _origins(self, tensor: Tensor) -> List[Tensor]:
        """The tensors from which the value of `tensor` is computed in the end, apart from constants and shapes."""
        origins: List[Tensor] = []
        todo, seen = [tensor], set()
        while todo:
            node = self._lowering.resolved(todo.pop())
            if node.id in seen:
                continue
            seen.add(node.id)
            if self._lowering.is_fed(node):
                origins.append(node)
            elif isinstance(node, Node) and node.op.has_kernel:
                self.nodes.add(node.id)
                if node.op.name != 'shape':
                    todo.extend(node.inputs)
            elif not isinstance(node, Constant) and not (isinstance(node, Placeholder) and node.default is not None):
                origins.append(node)
        return origins


def size_positions(node: Node) -> List[int]:
    """The positions of the inputs of a node that are sizes."""
    names = [name for name in node.op.parameters if name not in node.attrs]
    return [i for i, (name, _x) in enumerate(zip(names, node.inputs)) if name in SIZES]


def _sizes_of(node: Node) -> List[Tensor]:
    return [node.inputs[i] for i in size_positions(node)]


class Lookups:
    """Lookups at places that are fed. They are checked before a compiled function runs.

    of_inputs:  position of an input, the size of an axis that its numbers are places of, and the id of the lookup
    nodes:      ids of the lookups that need no other check
    """

    def __init__(self, lowering: 'Lowering') -> None:
        self.of_inputs: Set[Tuple[int, int, int]] = set()
        self.nodes: Set[int] = set()
        self._lowering = lowering
        self._positions = {t.id: i for i, t in enumerate(lowering.program.inputs)}
        for statement in lowering.top.statements:
            if isinstance(statement, Compute):
                self._see(statement.node)

    def _see(self, node: Node) -> None:
        name, inputs = node.op.name, node.inputs
        size: Any
        if name == 'gather' and ranked(inputs[0]):
            size, indices = inputs[0].dims[0], inputs[1:]
        elif name in ('scatter_add', 'rows'):
            of_size = inputs[2] if name == 'scatter_add' else inputs[0]
            size = None if of_size.value is None else of_size.value.item()
            indices = inputs[:1] if name == 'scatter_add' else inputs[1::2]
        else:
            return
        positions = [self._position(tensor) for tensor in indices]
        fed = [i for i in positions if i is not None]
        if known(size) and len(fed) == len(positions):
            self.nodes.add(node.id)
            self.of_inputs.update([(i, int(size), node.id) for i in fed])

    def _position(self, tensor: Tensor) -> Optional[int]:
        """The position of the input that holds these places."""
        while True:
            tensor = self._lowering.resolved(tensor)
            if tensor.id in self._positions:
                return self._positions[tensor.id]
            if not isinstance(tensor, Node) or not tensor.op.same_numbers:
                return None
            if tensor.dtype not in ('int32', 'int64'):
                return None
            tensor = tensor.inputs[0]


# -- sizes without a number --------------------------------------------------------------------------------------------
# Sizes without a number: what an axis has while a library traces a function for all sizes of a batch or a sequence.
#
# Such a size is an object of the library that computes with `+`, `*`, `//` and `%`. A vector of sizes is an array of
# objects then, and the functions here compute with it on the host. An array of objects that has become one of numbers
# alone is an array of ints again.


Size = Any  # an int, or an object of the library
Kernel = Callable[..., Any]
Pair = Callable[[Size, Size], Size]


def is_symbolic(x: Any) -> bool:
    """Whether `x` is an array of sizes of which one has no number."""
    return isinstance(x, np.ndarray) and x.dtype == object


def has_numbers(sizes: Iterable[Size]) -> bool:
    """Whether all of some sizes are numbers."""
    return all([isinstance(n, (int, np.integer)) for n in sizes])


def as_array(sizes: Any, dtype: str = 'int32') -> np.ndarray:
    """An array of objects, or one size, as an array of `dtype` if it holds numbers alone, else of objects."""
    if not isinstance(sizes, np.ndarray):
        scalar = np.empty((), object)
        scalar[()] = sizes
        sizes = scalar
    if sizes.dtype == object and has_numbers(sizes.reshape(-1)):
        return sizes.astype(dtype)
    return sizes


def shape_of(x: Any) -> np.ndarray:
    """The shape of an array, as the primitive `shape` gives it."""
    dims = tuple(x.shape)
    if has_numbers(dims):
        return np.array(dims, np.int32)
    shape = np.empty(len(dims), object)
    shape[:] = dims
    return shape


class SymbolicSizes:
    """The primitives that compute sizes, on arrays of objects.

    of_numpy:         the kernels of NumPy
    larger, smaller:  the maximum and the minimum of two sizes; `max` and `min` of Python would ask which is larger
    """

    def __init__(self, of_numpy: Mapping[str, Kernel], larger: Pair, smaller: Pair) -> None:
        highest, lowest = np.frompyfunc(larger, 2, 1), np.frompyfunc(smaller, 2, 1)
        self._kernels: Dict[str, Kernel] = dict(_KERNELS, maximum=highest, minimum=lowest)
        self._kernels.update({name: of_numpy[name] for name in _REARRANGING})
        self._kernels.update(max=_over(highest), min=_over(lowest))

    def computed(self, name: str, arguments: Sequence[np.ndarray], attrs: Dict[str, Any], dtype: str) -> Optional[Any]:
        """The result of a primitive of integers; None where it cannot be told without the numbers."""
        kernel = self._kernels.get(name)
        if kernel is None or np.dtype(dtype).kind not in 'iu':
            return None
        attrs = {key: value for key, value in attrs.items() if key != 'dtype'}
        result = kernel(*arguments, **attrs)
        return None if result is None else as_array(result, dtype)


def _over(function: Any) -> Kernel:
    """The reduction along axes by a function of two sizes."""

    def kernel(x: np.ndarray, axes: Any, keepdims: bool = False) -> Any:
        axes = range(x.ndim) if axes is None else axes
        for axis in sorted([axis % x.ndim for axis in axes], reverse=True):
            reduced = function.reduce(x, axis)
            x = as_array(reduced if not keepdims else np.expand_dims(np.asarray(reduced, object), axis))
        return x

    return kernel


def _joined(xs: Sequence[np.ndarray], axis: int, new_axis: bool) -> np.ndarray:
    objects = [np.asarray(x).astype(object) for x in xs]
    return np.stack(objects, axis) if new_axis else np.concatenate(objects, axis)


# Without an answer that depends on which size is larger, or whether two are equal.
_KERNELS: Dict[str, Kernel] = {
    'add': np.add,
    'sub': np.subtract,
    'mul': np.multiply,
    'floordiv': np.floor_divide,
    'mod': np.remainder,
    'neg': np.negative,
    'square': lambda x: np.multiply(x, x),
    'identity': lambda x: x,
    'cast': lambda x: x,
    'stop_gradient': lambda x: x,
    'sum': _over(np.frompyfunc(lambda a, b: a + b, 2, 1)),
    'prod': _over(np.frompyfunc(lambda a, b: a * b, 2, 1)),
    'concatenate': lambda *xs, axis: _joined(xs, axis, False),
    'stack': lambda *xs, axis: _joined(xs, axis, True),
    'broadcast_to': lambda x, shape: np.broadcast_to(x, tuple(shape)) if has_numbers(shape) else None,
}
# NumPy's kernels of these move objects as they move numbers.
_REARRANGING = 'getitem reshape expand_dims squeeze reverse transpose repeat slice_axis'.split()

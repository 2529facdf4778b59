"""The K graph itself. It records nodes and checks their inputs."""

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ...basics import dtypes
from ...basics.shapes import entries_of, no_size, no_vector, product, size_of
from ...basics.threads import Lock
from ...errors import ArgumentTypeError, ClearedSessionError, ForeignTensorError, ScopeError, ShapeError
from ..nodes.base import LOOP, Session, Unranked, fill, known, ranked, sees
from ..nodes.op import Ints
from ..nodes.tensor import Attrs, Constant, Draws, Node, Placeholder, Tensor, Update, Variable
from ..primitives import OPS
from ..primitives.linalg import product_over_time
from ..primitives.shape import as_vector, entries, folded, ranked_by
from .state import State, composed

if TYPE_CHECKING:
    from typing_extensions import Protocol

    from ..nodes.base import Dims, Region
    from ..nodes.op import Inferred, Op
else:
    Protocol = object


class RecordingKernels(Protocol):
    """The functions of the library of arrays that recording needs. A run needs more: `graph.run.kernels.Kernels`."""

    @property
    def Stream(self) -> Callable[[int], Any]:
        """From a seed to a source of random numbers, which the kernels of draws take first."""

    def asarray(self, value: Any, dtype: str) -> Any:
        """A private copy of `value`."""


class Graph(State):
    """The nodes of one engine.

    F: a Recorder. It has `library.Primitives`, which no checker of types can see. front: the engine's `front.Front`.
    """

    F: Any
    front: Any

    def __init__(self, name: str, title: str, kernels: RecordingKernels) -> None:
        self.name, self.title, self.kernels = name, title, kernels
        self.lock = Lock()
        self.session = Session(self)
        self.front = None
        self.user_session = None

    # -- asking --------------------------------------------------------------------------------------------------
    dims = staticmethod(attrgetter('dims'))
    dtype = staticmethod(attrgetter('dtype'))
    shape = staticmethod(attrgetter('shape'))
    dtype_name = staticmethod(dtypes.name_of)
    natural_dtype = staticmethod(dtypes.of_value)

    @staticmethod
    def is_tensor(x: Any) -> bool:
        return isinstance(x, Tensor)

    def is_own(self, x: Tensor) -> bool:
        engine: object = x.session.engine
        return engine is self

    @staticmethod
    def is_variable(x: Any) -> bool:
        return isinstance(x, Variable)

    @staticmethod
    def is_placeholder(x: Any) -> bool:
        return isinstance(x, Placeholder)

    @staticmethod
    def is_sparse(x: Any) -> bool:
        return isinstance(x, Tensor) and x.sparse

    @staticmethod
    def rank(x: Tensor) -> Optional[int]:
        dims: Any = x.dims
        return None if dims.__class__ is Unranked else len(dims)

    @staticmethod
    def describe(x: Tensor) -> str:
        return f'{x.name} of shape {x.shape}'

    # -- what may be read where ----------------------------------------------------------------------------------------
    @staticmethod
    def in_scope(x: Tensor, region: Optional['Region']) -> None:
        """Refuse a tensor of the inside of a loop or branch where `region` does not see it."""
        if x.region is not None and not sees(region, x.region):
            where, also = ('the new value', ' and update outside') if isinstance(x, Update) else ('it', '')
            raise ScopeError(
                f'{x.name} belongs to the inside of {x.region.what} and cannot be used outside; return {where} from '
                f'there{also}.'
            )

    def usable(self, x: Tensor) -> None:
        """Refuse a tensor of another session or engine, or of the inside of a loop or branch that is over."""
        self.check(x)
        self.in_scope(x, self.session.region)

    def at_the_top(self, x: Tensor) -> None:
        """Refuse a tensor that has no value when a function is called."""
        self.check(x)
        self.in_scope(x, None)

    def used(self, x: Tensor) -> Tensor:
        if x.session is not self.session:
            self.check(x)
        return x

    def check(self, x: Tensor) -> None:
        """Refuse a tensor that does not belong here and now."""
        session = x.session
        if session is self.session:
            return
        if session.engine is not self:
            raise ForeignTensorError(
                f'{x.name} is a tensor of the {session.engine.title} engine and cannot be used with the {self.title} '
                'engine; pass its value, K.eval(x).'
            )
        raise ClearedSessionError(f'{x.name} was made before K.clear_session() and is gone; build it again.')

    # -- sizes ---------------------------------------------------------------------------------------------------------
    @staticmethod
    def static(shape: Sequence[Any]) -> Sequence[Any]:
        return shape

    def sizes(self, shape: Any) -> Union['Dims', Tensor]:
        """A shape as a tuple of ints if it is known, else as an int32 vector."""
        if isinstance(shape, Tensor):
            value = self._vector(shape).value
            if value is not None and all(known(d) for d in value):
                return tuple(value.tolist())
            return self._narrow(shape)
        plain = shape.__class__ is tuple or shape.__class__ is list
        listed = [self.size(d) for d in (shape if plain else entries_of(shape))]
        ints = [d for d in listed if not isinstance(d, Tensor)]
        if len(ints) == len(listed):
            return tuple(ints)
        scalars = [d if isinstance(d, Tensor) else self.constant(d, 'int32') for d in listed]
        return self.record('stack', tuple(scalars), {'axis': 0})

    def size(self, d: Any) -> Union[int, Tensor]:
        """One size as an int if it is known, else as an int32 scalar."""
        if d.__class__ is int:
            return d
        if not isinstance(d, Tensor):
            return -1 if d is None else size_of(d)
        if not dtypes.is_integer(d.dtype) or (ranked(d) and product(d.dims) not in (1, None)):
            raise no_size(d.name, d.shape, d.dtype)
        if d.dims:
            d = self.F.reshape(d, ())
        if d.value is not None and known(d.value.item()):
            return int(d.value.item())
        return self._narrow(d)

    def _narrow(self, sizes: Tensor) -> Tensor:
        """Sizes as int32. Those that it cannot hold stay too large, or too small, for any tensor."""
        if sizes.dtype in ('int64', 'uint32', 'uint64'):
            least, most = [
                self.constant(n, sizes.dtype) for n in ((0 if sizes.dtype[0] == 'u' else -(2**31)), 2**31 - 1)
            ]
            sizes = self.F.maximum(self.F.minimum(sizes, most), least)
        return self.cast(sizes, 'int32')

    def items(self, shape: Any) -> List[Any]:
        """The entries of a vector, or of a list of sizes: ints where known, else scalars."""
        if not isinstance(shape, Tensor):
            return [self.size(d) for d in entries_of(shape)]
        vector = self._vector(shape)
        return [
            int(d) if known(d) else self._narrow(self.F.getitem(vector, spec=(i,)))
            for i, d in enumerate(entries(vector))
        ]

    def _vector(self, shape: Tensor) -> Tensor:
        """The tensor, if it can be a shape."""
        self.check(shape)
        if len(shape.dims) != 1 or not dtypes.is_integer(shape.dtype):
            raise no_vector(shape.name, shape.shape, shape.dtype)
        if not known(shape.dims[0]) and ranked_by(shape):
            raise ShapeError(
                f'The length of the vector {shape.name} is not known while the graph is built; give a tuple.'
            )
        return shape

    # -- constants -----------------------------------------------------------------------------------------------------
    def constant(self, value: Any, dtype: str, name: Optional[str] = None) -> Constant:
        """`value` as a constant tensor of `dtype`."""
        data = self.kernels.asarray(value, dtype)
        shape = tuple(np.shape(data))
        node = Constant(self.session, data, shape, dtype, self.session.name(name, 'constant'))
        if dtypes.is_integer(dtype) and len(shape) < 2:
            numbers = np.array(np.asarray(value), object)
            for i in np.ndindex(*shape):
                numbers[i] = int(numbers[i])
            node.value = numbers
        return node

    def number(self, value: float, dtype: str) -> Constant:
        """The constant of a number, one per session. (Not of 0, which has a sign.)"""
        if not value:
            return self.constant(value, dtype)
        numbers = self.session.numbers
        constant = numbers.get((value, dtype))
        if constant is None:
            constant = numbers[value, dtype] = self.constant(value, dtype)
        return constant

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """The tensor `x` in another dtype, itself if it has it."""
        return x if x.dtype == dtype else self.record('cast', (x,), {'dtype': dtype})

    # -- recording -----------------------------------------------------------------------------------------------------
    def current(self, x: Tensor) -> Tensor:
        """The stand-in of `x` in a block that depends on updates: for a variable that they change, its new value."""
        updates = [u for u in self.session.deps if isinstance(u, Update) and u.variable is x]
        if not updates:
            return x
        with self.session.independent(self.session.region):
            return composed(self.front, updates)[0].new

    def record(self, name: str, inputs: Tuple[Tensor, ...], attrs: Attrs, tensor_name: Optional[str] = None) -> Node:
        """The node of primitive `name`."""
        op = OPS[name]
        session = self.session
        if session.deps:
            inputs = tuple([self.current(x) for x in inputs])
        for x in inputs:
            if x.session is not session:
                self.check(x)
            if x.sparse and not op.sparse:
                raise ArgumentTypeError(
                    f'{x.name} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).'
                )
        region = session.region
        if region is not None and region.substitute is not None:
            inputs = region.substitute(inputs)
        inferred: Inferred = op.infer(*inputs, **attrs)
        dims, dtype = inferred
        if region is not None or any([x.region is not None for x in inputs]):
            region = self.place(op, inputs, region)
        node = Node(session, op, inputs, attrs, fill(dims), dtype, session.name(tensor_name, name), region)
        if op.sparse_result:
            node.sparse = True
        if session.deps:
            node.deps = session.deps
        if name == 'shape':
            node.host = ranked(inputs[0])
            node.value = as_vector(list(inputs[0].dims)) if node.host else None
        elif op.fold is not None and inputs[0].value is not None:
            node.host, node.value = folded(op.fold, inputs, attrs)
        return node

    def results(self, name: str, inputs: Tuple[Tensor, ...], attrs: Attrs) -> List[Tensor]:
        """The results of a primitive that has several, as a list of nodes."""
        op = OPS[name]
        inputs = tuple([self.current(x) for x in inputs])
        several: Tuple[Inferred, ...] = op.infer(*inputs, **attrs)
        for x in inputs:
            self.check(x)
        node = Node(
            self.session,
            op,
            tuple(inputs),
            attrs,
            (),
            several[0][1],
            self.session.name(None, name),
            self.place(op, inputs, self.session.region),
        )
        node.results = several
        return [self.record('item', (node,), {'index': i}) for i in range(len(several))]

    def place(self, op: 'Op', inputs: Sequence[Tensor], region: Optional['Region']) -> Optional['Region']:
        """The region that a node belongs to; an error if it reads what is not visible here."""
        for x in inputs:
            if x.region is not None:
                self.in_scope(x, region)
        if op.pure and not self.session.deps:
            while region is not None and region.kind == LOOP and not any(x.region is region for x in inputs):
                region = region.parent
        return region


# -- recorder ----------------------------------------------------------------------------------------------------------
# The primitives as functions of K tensors, each of which records a node.


Record = Callable[..., Tensor]  # (tensors, attributes) -> the node


class Recorder:
    """`F.exp(x)`, `F.sum(x, axes=(0,), keepdims=False)` ...: the primitives as functions of tensors.

    They are those of `library.Primitives`, and those that gradients need (docs/architecture.md has a list). Each is
    made when it is asked for first.
    """

    def __init__(self, graph: 'Graph') -> None:
        self._graph = graph

    def __getattr__(self, name: str) -> Record:
        op = OPS.get(name)
        if op is None:
            raise AttributeError(f'There is no primitive {name}.')
        graph = self._graph

        def record(*args: Any, **attrs: Any) -> Tensor:
            if not op.sizes:
                return graph.record(name, args, attrs)
            inputs = []
            for parameter, a in zip(op.parameters, args):
                if parameter in op.sizes:
                    a = graph.sizes(a)
                    if not isinstance(a, Tensor):
                        attrs[parameter] = a
                        continue
                inputs.append(a)
            return graph.record(name, tuple(inputs), attrs)

        setattr(self, name, record)
        return record

    def constant(self, value: Any, dtype: str) -> Tensor:
        return self._graph.constant(value, dtype)

    def sizes(self, shape: Any) -> Union['Dims', Tensor]:
        """See `Graph.sizes`."""
        return self._graph.sizes(shape)

    def items(self, shape: Any) -> List[Any]:
        """See `Graph.items`."""
        return self._graph.items(shape)

    def reshape(self, x: Tensor, shape: Any) -> Tensor:
        """`x` in another shape.

        A -1 that is known to be a number becomes it: where there is nothing in `x`, nobody could tell at run time. And
        if only one size is not known, -1 says it at no cost.
        """
        shape = self.sizes(shape)
        if not isinstance(shape, Tensor):
            return self._graph.record('reshape', (x,), {'shape': shape})
        if not (ranked(x) and ranked_by(shape)):
            return self._graph.record('reshape', (x, shape), {})
        dims = OPS['reshape'].infer(x, shape)[0]
        unknown = [d for d in dims if not known(d)]
        if len(unknown) == 1 and unknown[0] in x.dims and unknown[0] in entries(shape) and 0 not in dims:
            return self._graph.record('reshape', (x,), {'shape': tuple([d if known(d) else -1 for d in dims])})
        if isinstance(shape, Node) and shape.op.name == 'stack':
            # A size that the program gives stays, even where that of `x` tells it: the run compares the two.
            sizes = [
                self.constant(d, 'int32') if known(d) and known(size) else e
                for d, size, e in zip(dims, entries(shape), shape.inputs)
            ]
            shape = self.stack(*sizes, axis=0)
        return self._graph.record('reshape', (x, shape), {})

    def tensordot(self, x: Tensor, y: Tensor, axes_x: Ints, axes_y: Ints) -> Tensor:
        """The product, before the loop where `x` is an element of its sequence (see `product_over_time`)."""
        element = product_over_time(self._graph, x, y, axes_x, axes_y)
        if element is not None:
            return element
        return self._graph.record('tensordot', (x, y), {'axes_x': axes_x, 'axes_y': axes_y})

    def slice_axis(self, x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
        """x[start:stop] along `axis`; the bounds are ints or scalar tensors."""
        if not isinstance(start, Tensor) and not isinstance(stop, Tensor):
            return self.getitem(x, spec=(('slice', None, None, None),) * axis + (('slice', start, stop, None),))
        bounds = tuple([b if isinstance(b, Tensor) else self.constant(b, 'int32') for b in (start, stop)])
        return self._graph.record('slice_axis', (x,) + bounds, {'axis': axis})

    def random_uniform(self, shape: Any, dtype: str, seed: int) -> Tensor:
        return self._drawn('random_uniform', shape, dtype, seed)

    def random_normal(self, shape: Any, dtype: str, seed: int) -> Tensor:
        return self._drawn('random_normal', shape, dtype, seed)

    def truncated_normal(self, shape: Any, dtype: str, seed: int) -> Tensor:
        return self._drawn('truncated_normal', shape, dtype, seed)

    def _drawn(self, name: str, shape: Any, dtype: str, seed: int) -> Tensor:
        graph = self._graph
        session = graph.session
        draws = Draws(session, graph.kernels.Stream(seed), session.name(None, 'draws'))
        shape = graph.sizes(shape)
        if isinstance(shape, Tensor):
            return graph.record(name, (draws, shape), {'dtype': dtype})
        return graph.record(name, (draws,), {'shape': shape, 'dtype': dtype})

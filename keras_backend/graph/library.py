"""The K graph as the library of an engine: how a call of K becomes a node."""

from operator import attrgetter
from typing import TYPE_CHECKING, Any, FrozenSet, List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import dtypes
from ..arrays import is_mask
from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ClearedSessionError,
    ForeignTensorError,
    ScopeError,
    ShapeError,
)
from ..shapes import entries_of, no_size, no_vector, product, size_of
from . import known_values
from .control import cond
from .dims import Unranked, fill, known, ranked
from .function import Function, evaluate
from .gradient import gradients
from .indices import index_of
from .locks import Lock
from .loop import Slices, as_state, loop
from .ops import OPS
from .ops.shape import entries, ranked_by
from .recorder import Recorder
from .region import LOOP, sees
from .session import Session
from .state import State
from .tensor import Absent, Attrs, Cond, Constant, Inner, Node, Placeholder, Scan, Tensor, Update, Variable
from .updates import composed

if TYPE_CHECKING:
    from ..library import Branch, StaticShape, Step
    from .dims import Dims
    from .kernels import Kernels
    from .op import Inferred, Op
    from .region import Region


class GraphLibrary(State):
    """The K graph over the kernels of one library: what `front.Front` needs (see `keras_backend.library.Library`).

    Parameters
    ----------
    name, title : str
        As in keras.json, and for people.
    kernels : Kernels
        What the library of arrays supplies, commonly a module (see `graph.kernels`).
    """

    runs_on = ''
    packages: FrozenSet[str] = frozenset()
    tensors: FrozenSet[type] = frozenset(
        [Tensor, Placeholder, Inner, Variable, Constant, Absent, Node, Update, Scan, Cond]
    )

    def __init__(self, name: str, title: str, kernels: 'Kernels') -> None:
        self.name, self.title, self.kernels = name, title, kernels
        self.lock = Lock()
        self.session = Session(self)
        # A Recorder: it has `library.Primitives`, which no checker of types can see.
        self.F: Any = Recorder(self)
        self.front: Any = None
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

    def used(self, x: Tensor) -> Tensor:
        if x.session is not self.session:
            self.check(x)
        return x

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

    # -- sizes ---------------------------------------------------------------------------------------------------
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

    # -- making --------------------------------------------------------------------------------------------------
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

    def variable(self, value: Any, dtype: str, name: Optional[str], constraint: Any) -> Variable:
        if isinstance(value, Tensor):
            value = evaluate(self, value)
        sparse = hasattr(value, 'tocoo')
        data = self.kernels.sparse(value, dtype) if sparse else self.kernels.asarray(value, dtype)
        made = Variable(self.session, data, tuple(data.shape), dtype, self.session.name(name, 'variable'), constraint)
        made.sparse = sparse
        return made

    def filled_variable(self, shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Variable:
        return self.variable(np.full(shape, value, dtype), dtype, name, None)

    def placeholder(self, shape: 'Optional[StaticShape]', dtype: str, sparse: bool, name: Optional[str]) -> Placeholder:
        name = self.session.name(name, 'placeholder')
        dims: Any = Unranked(name) if shape is None else fill(shape)
        return Placeholder(self.session, dims, dtype, name, sparse)

    def filled_like(self, x: Tensor, value: float, dtype: str) -> Tensor:
        filled: Tensor = self.F.broadcast_to(self.constant(value, dtype), self.F.shape(x))
        return filled

    def identity(self, x: Tensor, name: Optional[str]) -> Tensor:
        return self.record('identity', (x,), {}, name)

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """The tensor `x` in another dtype, itself if it has it."""
        return x if x.dtype == dtype else self.record('cast', (x,), {'dtype': dtype})

    def binary(self, name: str, x: Tensor, y: Tensor) -> Tensor:
        return self.record(name, (x, y), {})

    @staticmethod
    def unstacked(x: Tensor, length: int) -> Sequence[Tensor]:
        return Slices(x, length)

    # -- values --------------------------------------------------------------------------------------------------
    def evaluate(self, x: Tensor) -> Any:
        return evaluate(self, x)

    def values(self, tensors: Sequence[Tensor]) -> List[Any]:
        variables = [x for x in tensors if isinstance(x, Variable)]
        if len(variables) != len(tensors):
            values: List[Any] = Function(self, [], tensors)([])
            return values
        for x in variables:
            self.check(x)
        with self.lock:
            return [self.kernels.to_numpy(x.data) for x in variables]

    def assign(self, pairs: Sequence[Tuple[Variable, Any]]) -> None:
        arrays = [(x, self.kernels.asarray(value, x.dtype)) for x, value in pairs]
        with self.lock:
            for x, data in arrays:
                x.data = data

    def current(self, x: Tensor) -> Tensor:
        updates = [u for u in self.session.deps if isinstance(u, Update) and u.variable is x]
        if not updates:
            return x
        with self.session.independent(self.session.region):
            return composed(self, updates)[0].new

    def update(self, x: Variable, new: Tensor) -> Update:
        self.in_scope(new, self.session.region)
        made = Update(x, new, self.session.region)
        made.deps = self.session.deps
        return made

    def increment(self, x: Variable, operation: str, change: Tensor) -> Update:
        def onto(value: Tensor) -> Tensor:
            result: Tensor = self.front.binary(operation, value, change)
            return result

        made: Update = self.front.update(x, onto(x))
        made.onto = onto
        return made

    # -- graphs --------------------------------------------------------------------------------------------------
    def function(self, inputs: Any, outputs: Any, updates: Any, **kwargs: Any) -> Function:
        name = kwargs.pop('name', None)
        if kwargs:
            raise ArgumentValueError(
                f'the {self.title} engine does not know {", ".join(sorted(kwargs))}; these arguments belong to '
                'TensorFlow sessions.'
            )
        return Function(self, inputs, outputs, updates, name)

    def gradients(self, loss: Tensor, variables: Sequence[Tensor]) -> List[Optional[Tensor]]:
        return gradients(self, loss, variables)

    def choice(self, condition: Tensor, branches: Sequence['Branch']) -> List[Tensor]:
        return cond(self, condition, branches)

    def loop(
        self, step: 'Step', sequences: Sequence[Tensor], states: Sequence[Tensor], **options: Any
    ) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
        return loop(self, step, sequences, states, **options)

    def as_state(self, index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
        return as_state(self, index, new, old, first, what)

    def ctc_greedy(self, scores: Tensor, lengths: Tensor) -> Tuple[List[Tensor], Tensor]:
        found = self.results('ctc_greedy', (scores, lengths), {})
        return found[:-1], found[-1]

    def ctc_beam(
        self, scores: Tensor, lengths: Tensor, beam_width: int, top_paths: int, merge_repeated: bool
    ) -> Tuple[List[Tensor], Tensor]:
        scores = self.F.log_softmax(scores, axis=2)
        options = {'beam_width': beam_width, 'top_paths': top_paths, 'merge_repeated': merge_repeated}
        found = self.results('ctc_beam', (scores, lengths), options)
        return found[:-1], found[-1]

    # -- indexing ------------------------------------------------------------------------------------------------
    def getitem(self, x: Tensor, item: Any) -> Tensor:
        """Record x[item]."""
        if is_mask(item):
            masked: Tensor = self.front.masked(x, item)
            return masked
        spec, indices = index_of(self.front, x.name, item, self._number)
        if any([isinstance(s, tuple) and any([isinstance(b, Tensor) for b in s]) for s in spec]):
            return self._slice_by_tensor(x, item if isinstance(item, (tuple, list)) else (item,))
        return self.record('getitem', (x, *indices), {'spec': spec})

    @staticmethod
    def _number(i: Any) -> Any:
        if isinstance(i, Tensor) and i.value is not None and not i.dims and known(i.value.item()):
            return i.value.item()
        return i

    def _slice_by_tensor(self, x: Tensor, items: Sequence[Any]) -> Tensor:
        """Slices whose bounds are tensors, one axis after the other; the other items follow."""
        rest: List[Any] = []
        axis = 0
        for i in items:
            if isinstance(i, slice) and any(isinstance(b, Tensor) for b in (i.start, i.stop)) and i.step in (None, 1):
                size = self.F.getitem(self.F.shape(x), spec=(axis,))
                start, stop = 0 if i.start is None else i.start, size if i.stop is None else i.stop
                x = self.F.slice_axis(x, start, stop, axis)
                i = slice(None)
            elif i is None or i is Ellipsis or (isinstance(i, slice) and isinstance(i.step, Tensor)):
                raise TypeError(f'{x.name}: tensors as bounds of a slice go together with integers and slices only.')
            rest.append(i)
            axis += 1
        return self.getitem(x, tuple(rest))

    # -- recording -----------------------------------------------------------------------------------------------
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
        if name in ('sparse_cast', 'sparse_concatenate', 'ctc_sparse'):
            node.sparse = True
        if session.deps:
            node.deps = session.deps
        if name == 'shape':
            node.host = ranked(inputs[0])
            node.value = known_values.array(list(inputs[0].dims)) if node.host else None
        elif op.foldable and inputs[0].value is not None:
            node.host, node.value = known_values.fold(name, inputs, attrs)
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

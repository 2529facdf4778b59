"""The K graph as the library of an engine: how a call of K becomes a node."""

from operator import attrgetter
from typing import Any

import numpy as np

from .. import dtypes
from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ClearedSessionError,
    ForeignTensorError,
    ScopeError,
    ShapeError,
)
from ..shapes import entries_of, size_of
from . import partial
from .control import cond
from .dims import fill, known
from .function import Function, evaluate
from .gradient import gradients
from .locks import Lock
from .loop import as_state, loop
from .ops import OPS
from .recorder import Recorder
from .region import LOOP
from .session import Session
from .state import State
from .tensor import Absent, Cond, Constant, Inner, Node, Placeholder, Scan, Tensor, Update, Variable


class GraphLibrary(State):
    """The K graph over the kernels of one library: what `front.Front` needs (see `keras_backend.library.Library`).

    Parameters
    ----------
    name, title : str
        As in keras.json, and for people.
    kernels : object
        What the library supplies: `IMPLEMENTATIONS` (primitive -> function of arrays), `VIEWS` (primitives whose result
        may share memory with an input), `specialize(name, ranks, attrs, dtypes)` (a faster function for such operands,
        or None), `Stream(seed)` (random numbers), `asarray(value, dtype)` (a private copy as the library's array),
        `sparse(value, dtype)` (the same of a scipy.sparse matrix), `to_numpy(array)` (a private copy as a NumPy array
        or, without axes, a NumPy scalar), `own(value, dtype)` (a result that nothing shares), `scalar(dtype)` (a
        function that makes a NumPy scalar of a result without axes), `feed(dtype)` and `feed_sparse(placeholder)`
        (functions that take what is fed), `stack_steps(values, tail, dtype)` (what a loop collected), `guard()` (the
        context in which functions run), and `compile(program, engine)` (see `graph.codegen`).
    """

    runs_on = ''
    tensors = frozenset([Tensor, Placeholder, Inner, Variable, Constant, Absent, Node, Update, Scan, Cond])

    def __init__(self, name: str, title: str, kernels: Any) -> None:
        self.name, self.title, self.kernels = name, title, kernels
        self.lock = Lock()
        self.session = Session(self)
        self.F: Any = Recorder(self)
        self.front: Any = None
        self.user_session: Any = None

    # -- asking --------------------------------------------------------------------------------------------------
    dims = staticmethod(attrgetter('dims'))
    dtype = staticmethod(attrgetter('dtype'))
    shape = staticmethod(attrgetter('shape'))
    dtype_name = staticmethod(dtypes.name_of)
    natural_dtype = staticmethod(dtypes.of_value)

    @staticmethod
    def is_tensor(x):
        return isinstance(x, Tensor)

    def is_own(self, x):
        return x.session.engine is self

    @staticmethod
    def is_variable(x):
        return isinstance(x, Variable)

    @staticmethod
    def is_placeholder(x):
        return isinstance(x, Placeholder)

    @staticmethod
    def is_sparse(x):
        return isinstance(x, Tensor) and x.sparse

    @staticmethod
    def rank(x):
        return len(x.dims)

    @staticmethod
    def describe(x):
        return f'{x.name} of shape {x.shape}'

    def used(self, x):
        if x.session is not self.session:
            self.check(x)
        return x

    @staticmethod
    def in_scope(x, region):
        """Refuse a tensor of the inside of a loop or branch where `region` does not see it."""
        if x.region is not None and (region is None or x.region not in region.visible):
            where, also = ('the new value', ' and update outside') if isinstance(x, Update) else ('it', '')
            raise ScopeError(
                f'{x.name} belongs to the inside of {x.region.what} and cannot be used outside; return {where} from '
                f'there{also}.'
            )

    def usable(self, x):
        """Refuse a tensor of another session or engine, or of the inside of a loop or branch that is over."""
        self.check(x)
        self.in_scope(x, self.session.region)

    def at_the_top(self, x):
        """Refuse a tensor that has no value when a function is called."""
        self.check(x)
        self.in_scope(x, None)

    def check(self, x):
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
    def static(shape):
        return shape

    def sizes(self, shape):
        """A shape as a tuple of ints if it is known, else as an int32 vector."""
        if isinstance(shape, Tensor):
            value = self._vector(shape).value
            if value is not None and all(known(d) for d in value):
                return tuple(value.tolist())
            return shape
        plain = shape.__class__ is tuple or shape.__class__ is list
        entries = [self.size(d) for d in (shape if plain else entries_of(shape))]
        if not any(isinstance(d, Tensor) for d in entries):
            return tuple(entries)
        return self.F.stack(*[d if isinstance(d, Tensor) else self.constant(d, 'int32') for d in entries], axis=0)

    def size(self, d):
        """One size as an int if it is known, else as an int32 scalar."""
        if d.__class__ is int:
            return d
        if not isinstance(d, Tensor):
            return -1 if d is None else size_of(d)
        if d.dims:
            d = self.F.reshape(d, ())
        if d.value is not None and known(d.value.item()):
            return d.value.item()
        return self.cast(d, 'int32')

    def items(self, shape):
        """The entries of a vector, or of a list of sizes: ints where known, else scalars."""
        if not isinstance(shape, Tensor):
            return [self.size(d) for d in entries_of(shape)]
        shape = self._vector(shape)
        entries = shape.value if shape.value is not None else [None] * shape.dims[0]
        return [int(d) if known(d) else self.F.getitem(shape, spec=(i,)) for i, d in enumerate(entries)]

    def _vector(self, shape):
        """The tensor, if it can be a shape."""
        self.check(shape)
        if len(shape.dims) != 1 or not dtypes.is_integer(shape.dtype):
            raise ArgumentTypeError(
                f'{shape.name} of shape {shape.shape} and dtype {shape.dtype} is no vector of integers.'
            )
        if not known(shape.dims[0]):
            raise ShapeError(
                f'The length of the vector {shape.name} is not known while the graph is built; give a tuple.'
            )
        return shape

    # -- making --------------------------------------------------------------------------------------------------
    def constant(self, value, dtype, name=None):
        """`value` as a constant tensor of `dtype`."""
        data = self.kernels.asarray(value, dtype)
        shape = tuple(np.shape(data))
        node = Constant(self.session, data, shape, dtype, self.session.name(name, 'constant'))
        if dtypes.is_integer(dtype) and len(shape) < 2:
            node.value = np.array(np.asarray(value), object)
            for i in np.ndindex(*shape):
                node.value[i] = int(node.value[i])
        return node

    def number(self, value, dtype):
        """The constant of a number, one per session. (Not of 0, which has a sign.)"""
        if not value:
            return self.constant(value, dtype)
        numbers = self.session.numbers
        constant = numbers.get((value, dtype))
        if constant is None:
            constant = numbers[value, dtype] = self.constant(value, dtype)
        return constant

    def variable(self, value, dtype, name, constraint):
        if isinstance(value, Tensor):
            value = evaluate(self, value)
        sparse = hasattr(value, 'tocoo')
        data = self.kernels.sparse(value, dtype) if sparse else self.kernels.asarray(value, dtype)
        made = Variable(self.session, data, tuple(data.shape), dtype, self.session.name(name, 'variable'), constraint)
        made.sparse = sparse
        return made

    def filled_variable(self, shape, value, dtype, name):
        return self.variable(np.full(shape, value, dtype), dtype, name, None)

    def placeholder(self, shape, dtype, sparse, name):
        return Placeholder(self.session, fill(shape), dtype, self.session.name(name, 'placeholder'), sparse)

    def filled_like(self, x, value, dtype):
        return self.F.broadcast_to(self.constant(value, dtype), self.F.shape(x))

    def identity(self, x, name):
        return self.record('identity', (x,), {}, name)

    def cast(self, x, dtype):
        """The tensor `x` in another dtype, itself if it has it."""
        return x if x.dtype == dtype else self.F.cast(x, dtype=dtype)

    def binary(self, name, x, y):
        return self.record(name, (x, y), {})

    @staticmethod
    def unstacked(x, length):
        return _Slices(x)

    # -- values --------------------------------------------------------------------------------------------------
    def evaluate(self, x):
        return evaluate(self, x)

    def values(self, tensors):
        if not all([isinstance(x, Variable) for x in tensors]):
            return Function(self, [], tensors)([])
        for x in tensors:
            self.check(x)
        with self.lock:
            return [self.kernels.to_numpy(x.data) for x in tensors]

    def assign(self, pairs):
        arrays = [(x, self.kernels.asarray(value, x.dtype)) for x, value in pairs]
        with self.lock:
            for x, data in arrays:
                x.data = data

    def current(self, x):
        return self.session.after_deps(x)

    def update(self, x, new):
        self.in_scope(new, self.session.region)
        made = Update(x, new, self.session.region)
        made.deps = self.session.deps
        return made

    def increment(self, x, operation, change):
        def onto(value):
            return self.front.binary(operation, value, change)

        made = self.front.update(x, onto(x))
        made.onto = onto
        return made

    # -- graphs --------------------------------------------------------------------------------------------------
    def function(self, inputs, outputs, updates, **kwargs):
        name = kwargs.pop('name', None)
        if kwargs:
            raise ArgumentValueError(
                f'the {self.title} engine does not know {", ".join(sorted(kwargs))}; these arguments belong to '
                'TensorFlow sessions.'
            )
        return Function(self, inputs, outputs, updates, name)

    def gradients(self, loss, variables):
        return gradients(self, loss, variables)

    def choice(self, condition, branches):
        return cond(self, condition, branches)

    def loop(self, step, sequences, states, **options):
        return loop(self, step, sequences, states, **options)

    def as_state(self, index, new, old, first, what):
        return as_state(self, index, new, old, first, what)

    def ctc_greedy(self, scores, lengths):
        found = self.results('ctc_greedy', (scores, lengths), {})
        return found[:-1], found[-1]

    def ctc_beam(self, scores, lengths, beam_width, top_paths, merge_repeated):
        scores = self.F.log_softmax(scores, axis=2)
        options = {'beam_width': beam_width, 'top_paths': top_paths, 'merge_repeated': merge_repeated}
        found = self.results('ctc_beam', (scores, lengths), options)
        return found[:-1], found[-1]

    # -- indexing ------------------------------------------------------------------------------------------------
    def getitem(self, x, item):
        """Record x[item]."""
        items = item if isinstance(item, tuple) else (item,)
        spec, indices = [], []
        for i in items:
            if i is None or i is Ellipsis:
                spec.append(i)
            elif isinstance(i, slice):
                bounds = [self._bound(b) for b in (i.start, i.stop, i.step)]
                if any(isinstance(b, Tensor) for b in bounds):
                    return self._slice_by_tensor(x, items)
                spec.append(('slice',) + tuple(bounds))
            elif isinstance(i, (int, np.integer)) and not isinstance(i, bool):
                spec.append(int(i))
            elif isinstance(i, Tensor) and not i.dims and i.value is not None and known(i.value.item()):
                spec.append(i.value.item())
            else:
                index = self.front.operand(i)
                if not dtypes.is_integer(index.dtype):
                    raise TypeError(
                        f'{x.name} cannot be indexed with {index.name} of dtype {index.dtype}; use integers, slices, '
                        'None or Ellipsis '
                        '(K.switch selects by a condition).'
                    )
                spec.append(('tensor', len(indices)))
                indices.append(index)
        return self.record('getitem', (x,) + tuple(indices), {'spec': tuple(spec)})

    @staticmethod
    def _bound(b):
        if isinstance(b, Tensor) and b.value is not None and not b.dims and known(b.value.item()):
            return b.value.item()
        return int(b) if isinstance(b, np.integer) else b

    def _slice_by_tensor(self, x, items):
        """Slices whose bounds are tensors, one axis after the other; the other items follow."""
        rest, axis = [], 0
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
    def record(self, name, inputs, attrs, tensor_name=None):
        """The node of primitive `name`."""
        op = OPS[name]
        session = self.session
        if session.deps:
            inputs = tuple([session.after_deps(x) for x in inputs])
        for x in inputs:
            if x.session is not session:
                self.check(x)
            if x.sparse and not op.sparse:
                raise ArgumentTypeError(
                    f'{x.name} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).'
                )
        dims, dtype = op.infer(*inputs, **attrs)
        if None in dims:
            dims = fill(dims)
        region = session.region
        if region is not None or any([x.region is not None for x in inputs]):
            region = self.place(op, inputs, region)
        node = Node(session, op, inputs, attrs, dims, dtype, session.name(tensor_name, name), region)
        if name in ('sparse_cast', 'sparse_concatenate', 'ctc_sparse'):
            node.sparse = True
        if session.deps:
            node.deps = session.deps
        if name == 'shape':
            node.host, node.value = True, partial.array(list(inputs[0].dims))
        elif op.foldable and inputs[0].value is not None:
            self._fold(node, name, inputs, attrs)
        return node

    def results(self, name, inputs, attrs):
        """The results of a primitive that has several, as a list of nodes."""
        op = OPS[name]
        inputs = tuple([self.session.after_deps(x) for x in inputs])
        several = op.infer(*inputs, **attrs)
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

    @staticmethod
    def _fold(node, name, inputs, attrs):
        values = [x.value for x in inputs]
        if any(v is None for v in values):
            return
        node.host = any(x.host for x in inputs)
        fold = partial.FOLDS.get(name)
        value = fold(values, attrs) if fold is not None else None
        node.value = value

    def place(self, op, inputs, region):
        """The region that a node belongs to; an error if it reads what is not visible here."""
        for x in inputs:
            if x.region is not None:
                self.in_scope(x, region)
        if op.pure and not self.session.deps:
            while region is not None and region.kind == LOOP and not any(region.holds(x.region) for x in inputs):
                region = region.parent
        return region


class _Slices:
    """The slices of a tensor along axis 0, each recorded when it is asked for."""

    def __init__(self, x):
        self._x = x

    def __getitem__(self, i):
        return self._x[i]

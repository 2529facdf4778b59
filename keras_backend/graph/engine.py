"""Recording: how a call of K becomes a node of the graph."""

import numpy as np

from ..arrays import foreign, plain
from ..errors import ClearedSessionError, ForeignTensorError, ScopeError
from . import dtypes, partial
from .dims import fill, known
from .locks import Lock
from .ops import OPS
from .ops.shape import entries
from .region import LOOP
from .session import Session
from .tensor import Constant, Node, Tensor, Update

_ARITHMETIC = frozenset(['add', 'sub', 'mul', 'div', 'floordiv', 'mod', 'pow', 'maximum', 'minimum'])
_LOGICAL = frozenset(['logical_and', 'logical_or'])


class Engine:
    """One library behind the K graph.

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

    def __init__(self, name, title, kernels):
        self.name, self.title, self.kernels = name, title, kernels
        self.lock = Lock()
        self.session = Session(self)
        self.F = Recorder(self)
        self.K = None
        self.user_session = None
        self.manual_variable_initialization = False

    def clear(self):
        """Start a new session; tensors of the old one are dead."""
        self.session.closed = True
        self.session = Session(self)

    @staticmethod
    def in_scope(x, region):
        """Refuse a tensor of the inside of a loop or branch where `region` does not see it."""
        if x.region is not None and (region is None or x.region not in region.visible):
            raise ScopeError(
                '{} belongs to the inside of {} and cannot be used outside; return {} from there{}.'.format(
                    x.name,
                    x.region.what,
                    *(('the new value', ' and update outside') if isinstance(x, Update) else ('it', '')),
                )
            )

    def usable(self, x):
        """Refuse a tensor of another session or engine, or of the inside of a loop or branch that is over."""
        self.check(x)
        self.in_scope(x, self.session.region)

    def at_the_top(self, x):
        """Refuse a tensor that has no value when a function is called."""
        self.check(x)
        self.in_scope(x, None)

    # -- operands ------------------------------------------------------------------------------------------------
    def check(self, x):
        """Refuse a tensor that does not belong here and now."""
        session = x.session
        if session is self.session:
            return
        if session.engine is not self:
            raise ForeignTensorError(
                f'{x.name} is a tensor of the {session.engine.title} engine and cannot be used with the {self.title} '
                'engine; pass '
                'its value, K.eval(x).'
            )
        raise ClearedSessionError(f'{x.name} was made before K.clear_session() and is gone; build it again.')

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

    def operand(self, x, dtype=None):
        """`x` as a tensor: itself, or a constant of `dtype` (None: what fits the value)."""
        if isinstance(x, Tensor):
            if x.session is not self.session:
                self.check(x)
            return x
        if dtype is not None and (x.__class__ is float or x.__class__ is int) and x:
            return self._number(x, dtype)
        if x is None:
            raise TypeError('None was given where a tensor is needed.')
        x = plain(x)
        if foreign(x):
            raise ForeignTensorError(
                f'{x!r} is no tensor of the {self.title} engine; pass a K tensor, a NumPy array or a number.'
            )
        if isinstance(x, (list, tuple)) and any(isinstance(e, Tensor) for e in x):
            return self.K.stack([self.operand(e, dtype) for e in x])
        if dtype is None:
            array = np.asarray(x)
            kind = array.dtype.kind
            dtype = (
                array.dtype.name
                if isinstance(x, (np.ndarray, np.generic)) and kind in 'fiub'
                else 'bool'
                if kind == 'b'
                else 'int32'
                if kind in 'iu'
                else dtypes.name_of(None)
            )
        return self.constant(x, dtype)

    def _number(self, x, dtype):
        """The constant of a number, one per session. (Not of 0, which has a sign.)"""
        numbers = self.session.numbers
        constant = numbers.get((x, dtype))
        if constant is None:
            constant = numbers[x, dtype] = self.constant(x, dtype)
        return constant

    def floating(self, x):
        """`x` as a tensor of a float dtype."""
        x = self.operand(x)
        return x if dtypes.is_float(x.dtype) else self.cast(x, dtypes.name_of(None))

    def cast(self, x, dtype):
        return x if x.dtype == dtype else self.F.cast(x, dtype=dtype)

    def together(self, *values):
        """Tensors of one dtype (semantics.md, "Mixed dtypes")."""
        values, dtype = self.meeting(values)
        return [self.cast(self.operand(v, dtype), dtype) for v in values]

    def meeting(self, values):
        """`values`, and the dtype in which they meet."""
        tensors = [v for v in values if isinstance(v, Tensor)]
        if not tensors:
            values = [self.operand(v) for v in values]
            tensors = values
        dtype = tensors[0].dtype
        for t in tensors[1:]:
            dtype = dtypes.promote(dtype, t.dtype)
        for v in values:
            if not isinstance(v, Tensor):
                v = plain(v)
                if foreign(v):
                    self.operand(v)  # refuses it
                v = (
                    v
                    if isinstance(v, (int, float, np.ndarray, np.generic))
                    else np.asarray(v)
                    if not any(isinstance(e, Tensor) for e in v)
                    else 0
                )
                dtype = dtypes.promote(dtype, dtypes.beside(dtype, v))
        return values, dtype

    def binary(self, name, x, y):
        """Record an element-wise operation of two values."""
        if x is None or y is None:
            raise TypeError('None was given where a tensor is needed.')
        if not (isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype == y.dtype):
            x, y = self.together(x, y)
        if name == 'div' and not dtypes.is_float(x.dtype):
            x, y = self.floating(x), self.floating(y)
        elif x.dtype == 'bool' and name in _ARITHMETIC:
            if name not in ('maximum', 'minimum'):
                x, y = self.cast(x, 'int32'), self.cast(y, 'int32')
        elif name in _LOGICAL:
            x, y = self.cast(x, 'bool'), self.cast(y, 'bool')
        return self.record(name, (x, y), {})

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
                index = self.operand(i)
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
                raise TypeError(f'{x.name} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).')
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


class Recorder:
    """`F.exp(x)`, `F.sum(x, axes=(0,), keepdims=False)` ...: the primitives as functions of tensors."""

    def __init__(self, engine):
        self._engine = engine

    def __getattr__(self, name):
        op = OPS[name]
        engine = self._engine

        def record(*args, **attrs):
            if not op.sizes:
                return engine.record(name, args, attrs)
            inputs = []
            for parameter, a in zip(op.parameters, args):
                if parameter in op.sizes:
                    a = self.sizes(a)
                    if not isinstance(a, Tensor):
                        attrs[parameter] = a
                        continue
                inputs.append(a)
            return engine.record(name, tuple(inputs), attrs)

        setattr(self, name, record)
        return record

    def constant(self, value, dtype):
        return self._engine.constant(value, dtype)

    def reshape(self, x, shape):
        """`x` in another shape. A -1 that is known to be a number becomes it: where there is nothing in `x`, nobody
        could tell at run time. And if only one size is not known, -1 says it at no cost."""
        shape = self.sizes(shape)
        if not isinstance(shape, Tensor):
            return self._engine.record('reshape', (x,), {'shape': shape})
        dims = OPS['reshape'].infer(x, shape)[0]
        unknown = [d for d in dims if not known(d)]
        if len(unknown) == 1 and unknown[0] in x.dims and unknown[0] in entries(shape) and 0 not in dims:
            return self._engine.record('reshape', (x,), {'shape': tuple([d if known(d) else -1 for d in dims])})
        if isinstance(shape, Node) and shape.op.name == 'stack':
            sizes = [self.constant(d, 'int32') if known(d) else e for d, e in zip(dims, shape.inputs)]
            shape = self.stack(*sizes, axis=0)
        return self._engine.record('reshape', (x, shape), {})

    def sizes(self, shape):
        """A shape as a tuple of ints if it is known, else as an int32 vector."""
        if isinstance(shape, Tensor):
            value = shape.value
            if value is not None and all(known(d) for d in value):
                return tuple(value.tolist())
            return shape
        entries = [self.size(d) for d in shape]
        if not any(isinstance(d, Tensor) for d in entries):
            return tuple(entries)
        return self.stack(*[d if isinstance(d, Tensor) else self.constant(d, 'int32') for d in entries], axis=0)

    def size(self, d):
        """One size as an int if it is known, else as an int32 scalar."""
        if not isinstance(d, Tensor):
            return -1 if d is None else int(d)
        if d.dims:
            d = self.reshape(d, ())
        if d.value is not None and known(d.value.item()):
            return d.value.item()
        return self._engine.cast(d, 'int32')

    def items(self, vector):
        """The entries of a vector of sizes: ints where known, else scalars."""
        known_entries = vector.value if vector.value is not None else [None] * vector.dims[0]
        return [int(d) if known(d) else self.getitem(vector, spec=(i,)) for i, d in enumerate(known_entries)]

    def slice_axis(self, x, start, stop, axis):
        """x[start:stop] along `axis`; the bounds are ints or scalar tensors."""
        if not isinstance(start, Tensor) and not isinstance(stop, Tensor):
            return self.getitem(x, spec=(('slice', None, None, None),) * axis + (('slice', start, stop, None),))
        bounds = tuple([b if isinstance(b, Tensor) else self.constant(b, 'int32') for b in (start, stop)])
        return self._engine.record('slice_axis', (x,) + bounds, {'axis': axis})

"""The tensors of the K graph: what K functions return on engines without symbolic tensors of their own."""

from itertools import count
from typing import Callable, Optional

from ..shapes import Shape
from . import dims as _dims

_ids = count(1)


def new_id():
    """A number higher than that of any tensor so far."""
    return next(_ids)


class Tensor:
    """A value to be: the result of one recorded operation, or a leaf.

    Attributes
    ----------
    shape : tuple of int and None
    dtype : str
    name : str
    id : int
        Ascends with creation. A tensor's inputs are always older than the tensor.
    """

    # numpy arrays leave `array * tensor` to the tensor
    __array_ufunc__ = None
    __array_priority__ = 1000

    kind = 'tensor'
    sparse = False
    host = False  # an integer known on the host once shapes are known
    value = None  # of a host tensor: object array of ints and Dims
    optional = False  # without a value of its own wherever another branch runs (see Absent)

    def __init__(self, session, dims, dtype, name, region=None):
        self.id = new_id()
        self.session = session
        self.dims = dims
        self.dtype = dtype
        self.name = name
        self.region = region

    inputs = ()
    deps = ()

    @property
    def shape(self):
        return Shape(_dims.static(self.dims))

    @property
    def ndim(self):
        return len(self.dims)

    def get_shape(self):
        """The static shape (spelling of TensorFlow 1)."""
        return self.shape

    def __repr__(self):
        return (
            f"<K.{self.kind.capitalize()} '{self.name}' shape={self.shape} dtype={self.dtype} "
            f'({self.session.engine.name} engine)>'
        )

    # -- what a symbolic value cannot answer ---------------------------------------------------------------------
    def __bool__(self):
        raise TypeError(
            f'The truth of the symbolic tensor {self.name} is not known while the graph is built; '
            'use K.switch, or K.eval for its value.'
        )

    def __len__(self):
        if self.dims and _dims.known(self.dims[0]):
            return self.dims[0]
        raise TypeError(
            f'The length of {self.name} (shape {self.shape}) is not known while the graph is built; use K.shape(x)[0].'
        )

    def __iter__(self):
        if not self.dims or not _dims.known(self.dims[0]):
            raise TypeError(
                f'{self.name} (shape {self.shape}) cannot be iterated: its length is not known while the graph is '
                'built; '
                'use K.map_fn or K.rnn.'
            )
        return (self[i] for i in range(self.dims[0]))

    def __index__(self):
        if self.value is not None and not self.dims and _dims.known(self.value.item()):
            return int(self.value.item())
        raise TypeError(
            f'The value of {self.name} is not known while the graph is built, so it cannot be used as a Python '
            'integer; K functions take it as a size.'
        )

    def __array__(self, *args, **kwargs):
        raise TypeError(f'{self.name} is symbolic and has no values yet; use K.eval or K.function.')

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    # -- operators -----------------------------------------------------------------------------------------------
    def _binary(op, swap=False):
        if swap:

            def method(self, other):
                return self.session.engine.front.binary(op, other, self)
        else:

            def method(self, other):
                return self.session.engine.front.binary(op, self, other)

        return method

    __add__, __radd__ = _binary('add'), _binary('add', True)
    __sub__, __rsub__ = _binary('sub'), _binary('sub', True)
    __mul__, __rmul__ = _binary('mul'), _binary('mul', True)
    __truediv__, __rtruediv__ = _binary('div'), _binary('div', True)
    __floordiv__, __rfloordiv__ = _binary('floordiv'), _binary('floordiv', True)
    __mod__, __rmod__ = _binary('mod'), _binary('mod', True)
    __pow__, __rpow__ = _binary('pow'), _binary('pow', True)
    __lt__, __le__, __gt__, __ge__ = (
        _binary('less'),
        _binary('less_equal'),
        _binary('greater'),
        _binary('greater_equal'),
    )
    __and__, __rand__ = _binary('logical_and'), _binary('logical_and', True)
    __or__, __ror__ = _binary('logical_or'), _binary('logical_or', True)
    del _binary

    def __matmul__(self, other):
        return self.session.engine.front.dot(self, other)

    def __rmatmul__(self, other):
        return self.session.engine.front.dot(self.session.engine.front.operand(other, self.dtype), self)

    def __neg__(self):
        return self.session.engine.F.neg(self)

    def __abs__(self):
        return self.session.engine.F.abs(self)

    def __invert__(self):
        return self.session.engine.F.logical_not(self)

    def __getitem__(self, item):
        return self.session.engine.getitem(self, item)


class Placeholder(Tensor):
    """An input. `default` is its value where nothing is fed; None means that it has to be fed."""

    kind = 'placeholder'

    def __init__(self, session, dims, dtype, name, sparse=False, default=None):
        super().__init__(session, dims, dtype, name)
        self.sparse = sparse
        self.default = default


class Inner(Tensor):
    """A sequence's element or a state inside the body of a scan. `owner` is that scan once it exists."""

    kind = 'inner'
    owner = None


class Variable(Tensor):
    """A value that lives between runs. `data` is replaced by updates, never written into."""

    kind = 'variable'

    def __init__(self, session, data, dims, dtype, name, constraint=None):
        super().__init__(session, dims, dtype, name)
        self.data = data
        self.constraint = constraint
        self._keras_shape = self.shape
        self._uses_learning_phase = False


class Constant(Tensor):
    """A value fixed while recording."""

    kind = 'constant'

    def __init__(self, session, data, dims, dtype, name):
        super().__init__(session, dims, dtype, name)
        self.data = data


class Absent(Tensor):
    """What a result of a cond is while the branch that it belongs to does not run.

    Zeros, of size 1 along axes of unknown size. Nothing depends on them, but as gradients of an optional tensor they
    are added up.
    """

    kind = 'absent'


class Node(Tensor):
    """The result of an operation: `op` applied to `inputs` (tensors) and `attrs` (plain values)."""

    def __init__(self, session, op, inputs, attrs, dims, dtype, name, region):
        super().__init__(session, dims, dtype, name, region)
        self.op = op
        self.inputs = inputs
        self.attrs = attrs


class Update(Tensor):
    """The new value of `variable`; running it assigns it. Unpacks as `(variable, new value)`.

    onto: of an increment, the function that applies it to another value of the variable; of an assignment None.
    """

    kind = 'update'
    onto: Optional[Callable[[Tensor], Tensor]] = None

    def __init__(self, variable, new, region=None):
        super().__init__(variable.session, new.dims, new.dtype, 'update_of_' + variable.name, region)
        self.variable = variable
        self.new = new

    @property
    def inputs(self):
        return (self.new,)

    def __iter__(self):
        return iter((self.variable, self.new))

    def __len__(self):
        return 2


class Scan(Tensor):
    """A loop over time: `sequences` are [(outer, Inner)], `states` [(initial, Inner, new)].

    It has no value of its own. Its results are Nodes of the ops 'collect' (an inner tensor over time, aligned with the
    time of the sequences also when it runs in reverse) and 'final' (a state after the last step).
    `least` is the number of steps without which it makes no sense.
    """

    kind = 'scan'
    least = 0

    def __init__(self, session, body, sequences, states, reverse, name, region):
        super().__init__(session, (), 'float32', name, region)
        self.body, self.sequences, self.states, self.reverse = body, sequences, states, reverse
        self.collected = {}
        self.finals = {}
        body.owner = self
        for _outer, inner in sequences:
            inner.owner = self
        for _initial, inner, _new in states:
            inner.owner = self

    @property
    def length(self):
        """The number of steps, as far as it is known."""
        length = self.sequences[0][0].dims[0]
        for outer, _inner in self.sequences[1:]:
            if _dims.known(outer.dims[0]):
                length = outer.dims[0]
        return length


class Cond(Tensor):
    """A lazy choice between two branches. It has no value of its own: its results are Nodes of the op 'chosen'.

    `pairs` are the (value of the first branch, value of the second) that can be chosen.
    """

    kind = 'cond'

    def __init__(self, session, condition, branches, pairs, name, region):
        super().__init__(session, (), 'float32', name, region)
        self.condition, self.branches, self.pairs = condition, branches, pairs
        self.exported = {}
        for branch in branches:
            branch.owner = self

"""The tensors of the K graph: what K functions return on engines without symbolic tensors of their own."""

from itertools import count
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ...basics import misuse
from ...basics.run_errors import CALLING
from ...basics.shapes import Shape
from .base import Size, known, ranked, static
from .op import Attrs

if TYPE_CHECKING:
    from .base import Dims, Region, Session
    from .op import Inferred, Op


# -- operators ---------------------------------------------------------------------------------------------------------
# The operators of symbolic tensors: each stands for a function of K.


def _operator(name: str, swap: bool = False) -> Callable[[Any, Any], Any]:
    """The method of an operator of Python; swap: the tensor is its right operand."""

    def left(self: 'Operators', other: Any) -> Any:
        return self._front.binary(name, self, other)

    def right(self: 'Operators', other: Any) -> Any:
        return self._front.binary(name, other, self)

    return right if swap else left


class Operators:
    """The operators that classes of tensors inherit. `_front` has the functions that the operators stand for."""

    _front: Any

    __add__, __radd__ = _operator('add'), _operator('add', True)
    __sub__, __rsub__ = _operator('sub'), _operator('sub', True)
    __mul__, __rmul__ = _operator('mul'), _operator('mul', True)
    __truediv__, __rtruediv__ = _operator('div'), _operator('div', True)
    __floordiv__, __rfloordiv__ = _operator('floordiv'), _operator('floordiv', True)
    __mod__, __rmod__ = _operator('mod'), _operator('mod', True)
    __rpow__ = _operator('pow', True)
    __lt__, __le__ = _operator('less'), _operator('less_equal')
    __gt__, __ge__ = _operator('greater'), _operator('greater_equal')
    __and__, __rand__ = _operator('logical_and'), _operator('logical_and', True)
    __or__, __ror__ = _operator('logical_or'), _operator('logical_or', True)

    def __pow__(self, other: Any) -> Any:
        # K.pow refuses negative powers of integers.
        return self._front.pow(self, other)

    def __xor__(self, other: Any) -> Any:
        return self._front.exclusive_or(self, other)

    __rxor__ = __xor__

    def __matmul__(self, other: Any) -> Any:
        return self._front.dot(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._front.dot(self._front.operand(other, self._front.library.dtype(self)), self)


Array = Any  # an array of the library that computes

_ids = count(1)


class Tensor(Operators, misuse.OfThisProcess):
    """A value to be: the result of one recorded operation, or a leaf.

    Attributes
    ----------
    shape : tuple of int and None
    dtype : str
    name : str
    id : int
        Ascends with creation. A tensor's inputs are always older than the tensor.
    """

    kind = 'tensor'
    sparse = False
    host = False  # an integer known on the host once shapes are known
    value: Optional[np.ndarray] = None  # of a host tensor: object array of ints and Dims
    _evaluate: Callable[[Sequence[Any]], Any]  # what `K.eval` made of it, once it did
    optional = False  # without a value of its own wherever another branch runs (see Absent)

    inputs: Tuple['Tensor', ...] = ()  # what it is computed from
    deps: Tuple['Tensor', ...] = ()  # what has to run before it, though it does not read it

    def __init__(
        self, session: 'Session', dims: 'Dims', dtype: str, name: str, region: Optional['Region'] = None
    ) -> None:
        self.id = next(_ids)
        self.session = session
        self.dims = dims
        self.dtype = dtype
        self.name = name
        self.region = region

    @property
    def shape(self) -> Optional[Shape]:
        """The static shape: sizes, None where one is not known; None where their number is not known."""
        return Shape(static(self.dims)) if ranked(self) else None

    @property
    def ndim(self) -> Optional[int]:
        """The number of axes, None where it is not known."""
        return len(self.dims) if ranked(self) else None

    def get_shape(self) -> Optional[Shape]:
        """The static shape (spelling of TensorFlow 1)."""
        return self.shape

    def eval(self, feed_dict: Optional[Dict['Tensor', Any]] = None, session: Any = None) -> Any:
        """The value (spelling of TensorFlow 1). `feed_dict` is {placeholder: value}; the session is of no account."""
        front, feeds = self.session.engine.front, feed_dict or {}
        return front.function(list(feeds), self)(list(feeds.values())) if feeds else front.eval(self)

    def __repr__(self) -> str:
        return (
            f"<K.{self.kind.capitalize()} '{self.name}' shape={self.shape} dtype={self.dtype} "
            f'({self.session.engine.name} engine)>'
        )

    # -- what a symbolic value cannot answer ---------------------------------------------------------------------
    def __bool__(self) -> bool:
        raise TypeError(
            f'The truth of the symbolic tensor {self.name} is not known while the graph is built. {misuse.BOOL}.'
        )

    def __len__(self) -> int:
        length = self.dims[0] if self.dims else None
        if known(length):
            return length
        raise TypeError(
            f'The length of {self.name} (shape {self.shape}) is not known while the graph is built. {misuse.LENGTH}.'
        )

    def __iter__(self) -> Iterator['Tensor']:
        length = self.dims[0] if self.dims else None
        if not known(length):
            raise TypeError(
                f'{self.name} (shape {self.shape}) cannot be iterated: its length is not known while the graph is '
                f'built. {misuse.ITERATION}.'
            )
        return (self[i] for i in range(length))

    def __index__(self) -> int:
        if self.value is not None and not self.dims and known(self.value.item()):
            return int(self.value.item())
        raise TypeError(
            f'The value of {self.name} is not known while the graph is built, so it cannot be used as a number of '
            f'Python; K functions take it as a size. {misuse.NUMBER}.'
        )

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __round__(self, digits: Optional[int] = None) -> int:
        return round(self.__index__(), digits)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f'{self.name} is symbolic and has no values yet. {misuse.ARRAY}.')

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return misuse.apply_ufunc(self, ufunc, method, inputs, named)

    def __setitem__(self, item: Any, value: Any) -> None:
        raise TypeError(f'{self.name} cannot be changed by an assignment to its elements. {misuse.ASSIGNMENT}.')

    def __getattr__(self, name: str) -> Any:
        if name.startswith('_'):
            # `K.rnn` and Keras ask for what they note on tensors. There is nothing to write in place of a private name.
            raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')
        raise AttributeError(misuse.no_attribute(type(self).__name__, name))

    __hash__ = object.__hash__

    def __eq__(self, other: Any) -> bool:
        return self is other

    def __ne__(self, other: Any) -> bool:
        return self is not other

    # -- operators -----------------------------------------------------------------------------------------------
    @property
    def _front(self) -> Any:
        return self.session.engine.front

    def __neg__(self) -> 'Tensor':
        result: Tensor = 0 - self if self.dtype == 'bool' else self.session.engine.F.neg(self)
        return result

    def __abs__(self) -> 'Tensor':
        result: Tensor = self.session.engine.F.abs(self)
        return result

    def __invert__(self) -> 'Tensor':
        engine = self.session.engine
        result: Tensor = engine.F.logical_not(engine.front.converted(self, 'bool'))
        return result

    def __getitem__(self, item: Any) -> 'Tensor':
        result: Tensor = self.session.engine.getitem(self, item)
        return result


class Placeholder(Tensor):
    """An input. `default` is its value where nothing is fed; None means that it has to be fed."""

    kind = 'placeholder'

    def __init__(
        self,
        session: 'Session',
        dims: 'Dims',
        dtype: str,
        name: str,
        sparse: bool = False,
        default: Optional[Array] = None,
    ) -> None:
        super().__init__(session, dims, dtype, name)
        self.sparse = sparse
        self.default = default


class Inner(Tensor):
    """A sequence's element or a state inside the body of a scan. `owner` is that scan once it exists."""

    kind = 'inner'
    owner: Optional['Scan'] = None


class ProductElement(Inner):
    """The element of the product of a whole sequence (see `primitives.linalg`).

    op, inputs, attrs: the product that it stands for in the step. While the loop is being recorded, a gradient that is
    taken in the step goes through them. Later it is an element as any other, and the gradient goes to the sequence.
    """

    def __init__(self, product: 'Node', inputs: Tuple[Tensor, ...], attrs: Attrs, body: 'Region') -> None:
        super().__init__(product.session, product.dims[1:], product.dtype, 'inside_' + product.name, body)
        self.op, self.inputs, self.attrs = product.op, inputs, attrs

    @property
    def is_open(self) -> bool:
        """Whether the loop is still being recorded."""
        return self.owner is None


class Variable(Tensor):
    """A value that lives between runs.

    `data` is replaced by updates. It is written into only where nobody else holds it (see `run/row_updates.py`).
    """

    kind = 'variable'
    data: Array

    def __init__(
        self, session: 'Session', data: Array, dims: 'Dims', dtype: str, name: str, constraint: Any = None
    ) -> None:
        super().__init__(session, dims, dtype, name)
        self.data = data
        self.constraint = constraint
        self._keras_shape = self.shape
        self._uses_learning_phase = False

    def __getattr__(self, name: str) -> Any:
        """`data` while a run writes into it: it is there again once that run gives up the lock."""
        if name == 'data':
            with self.session.engine.lock:
                return self.__dict__[name]
        return super().__getattr__(name)


class Constant(Tensor):
    """A value fixed while recording."""

    kind = 'constant'

    def __init__(self, session: 'Session', data: Array, dims: 'Dims', dtype: str, name: str) -> None:
        super().__init__(session, dims, dtype, name)
        self.data = data


class Draws(Tensor):
    """Where random numbers come from: the draws that follow each other in `stream`.

    Each primitive that draws reads one of its own. So a library that compiles functions can take draws as arguments.
    """

    kind = 'draws'

    def __init__(self, session: 'Session', stream: Any, name: str) -> None:
        super().__init__(session, (), 'uint64', name)
        self.stream = stream


class Absent(Tensor):
    """The value of a result of a cond while the branch that it belongs to does not run.

    It holds zeros, of size 1 along axes of unknown size. No value depends on them. But gradients of an optional tensor
    are added up, and then they count as zero.
    """

    kind = 'absent'


class Node(Tensor):
    """The result of an operation: `op` applied to `inputs` (tensors) and `attrs` (plain values).

    made_by: the K function that was being called then, None where it was an operator.
    """

    results: Tuple['Inferred', ...] = ()  # of an operation with several results: dims and dtype of each

    def __init__(
        self,
        session: 'Session',
        op: 'Op',
        inputs: Tuple[Tensor, ...],
        attrs: Attrs,
        dims: 'Dims',
        dtype: str,
        name: str,
        region: Optional['Region'],
    ) -> None:
        super().__init__(session, dims, dtype, name, region)
        self.op = op
        self.inputs = inputs
        self.attrs = attrs
        self.made_by = CALLING[0]


class Update(Tensor):
    """The new value of `variable`; running it assigns it. Unpacks as `(variable, new value)`.

    onto: of an increment, the function that applies it to another value of the variable; of an assignment None.
    """

    kind = 'update'
    onto: Optional[Callable[[Tensor], Tensor]] = None

    def __init__(self, variable: Variable, new: Tensor, region: Optional['Region'] = None) -> None:
        super().__init__(variable.session, new.dims, new.dtype, 'update_of_' + variable.name, region)
        self.variable = variable
        self.new = new
        self.inputs = (new,)

    def __iter__(self) -> Iterator[Tensor]:
        return iter((self.variable, self.new))

    def __len__(self) -> int:
        return 2


class Scan(Tensor):
    """A loop over time: `sequences` are [(outer, Inner)], `states` [(initial, Inner, new)].

    It has no value of its own. Its results are Nodes of the ops 'collect' (an inner tensor over time, aligned with the
    time of the sequences also when it runs in reverse) and 'final' (a state after the last step).
    `least` is the number of steps without which it makes no sense. `backward` is there where it is a gradient.
    """

    kind = 'scan'
    least = 0
    backward: Optional['Backward'] = None

    def __init__(
        self,
        session: 'Session',
        body: 'Region',
        sequences: List[Tuple[Tensor, Inner]],
        states: List[Tuple[Tensor, Inner, Tensor]],
        reverse: bool,
        name: str,
        region: Optional['Region'],
    ) -> None:
        super().__init__(session, (), 'float32', name, region)
        self.body, self.sequences, self.states, self.reverse = body, sequences, states, reverse
        self.collected: Dict[int, Tuple[Tensor, Node]] = {}  # id of the inner tensor -> it, and it over time
        self.finals: Dict[int, Node] = {}  # index of the state -> it after the last step
        body.owner = self
        for _outer, inner in sequences:
            inner.owner = self
        for _initial, inner, _new in states:
            inner.owner = self

    @property
    def length(self) -> Size:
        """The number of steps, as far as it is known."""
        length = self.sequences[0][0].dims[0]
        for outer, _inner in self.sequences[1:]:
            if known(outer.dims[0]):
                length = outer.dims[0]
        return length


class Backward(NamedTuple):
    """How a scan that is the gradient of another one, `forward`, belongs to it.

    outputs:    [(a tensor that the forward scan collects, the element that has the gradient of it)]
    states:     {id of a state: the number of the forward state whose gradient it is}
    elements:   [(an element of the forward scan, the tensor inside that is the gradient of it)]
    outside:    [(a tensor that the forward scan reads from outside, the gradient of it, made after the loop)]
    """

    forward: Scan
    outputs: List[Tuple[Tensor, Inner]]
    states: Dict[int, int]
    elements: List[Tuple[Inner, Tensor]]
    outside: List[Tuple[Tensor, Tensor]]


class Cond(Tensor):
    """A lazy choice between two branches. It has no value of its own: its results are Nodes of the op 'chosen'.

    `pairs` are the (value of the first branch, value of the second) that can be chosen.
    """

    kind = 'cond'

    def __init__(
        self,
        session: 'Session',
        condition: Tensor,
        branches: Sequence['Region'],
        pairs: List[Tuple[Tensor, Tensor]],
        name: str,
        region: Optional['Region'],
    ) -> None:
        super().__init__(session, (), 'float32', name, region)
        self.condition, self.branches, self.pairs = condition, branches, pairs
        self.exported: Dict[Tuple[int, int], Node] = {}  # (branch, id of the inner tensor) -> it as a result
        for branch in branches:
            branch.owner = self

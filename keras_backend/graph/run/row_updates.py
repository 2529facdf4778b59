"""Sums with the gradient of a lookup, computed by rows.

The gradient of `K.gather(w, i)` is a `scatter_add`: zeros as large as the table `w`, with a few rows added. A program
need not make them. An example, with a rate r:

    g = scatter_add(i, u)        places, sums = rows(i, u)
    s = r * g                    s' = r * sums
    new = w - s                  new = sub_rows(w, places, s')

The left side is what is recorded, and what `K.gradients` sees. A program that needs `new` has the right side in its
place. Should it need `g` or `s` for something else as well, then it has these, too: nothing stands for them.

`sums` has one row more than there are places. It begins as zeros and stands for all rows that were not read. So s' is
right for these as well: r * 0 is 0 for a finite r, and NaN for others, which then reaches all rows of `new`. For this
reason the functions between `scatter_add` and the sum (a *chain*) are element-wise, and their other operands are the
same for all rows.

Optimizers that clip by the norm go on from there:

    n = K.sqrt(K.sum(K.square(g)))          n' = sqrt(sum(square(sums)))
    s = K.switch(n >= c, g * c / n, g)      s' = where(n >= c, sums * c / n, sums)

The sum over all elements is that of `sums` if 0 surely stays 0 on the way from `g`. Both sides of the choice are chains
with the same places, recorded outside of its branches.
"""

import operator
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, cast

from ..nodes.base import Dim, Dims, encloses, known, ranked, same
from ..nodes.tensor import Attrs, Cond, Constant, Node, Tensor
from ..primitives import OPS, Op

if TYPE_CHECKING:
    from ..nodes.tensor import Variable
    from ..nodes.traversal import Statement

_SUMS = {'add': 'add_rows', 'sub': 'sub_rows'}
# Functions of one operand that are 0 at 0, and those of two operands.
_ZERO = ('square', 'abs', 'neg', 'sqrt', 'sign', 'relu', 'identity', 'stop_gradient')
_ZERO_OF_BOTH = ('add', 'sub', 'mul', 'maximum', 'minimum')

Nodes = Dict[int, Node]


class _Chain(NamedTuple):
    """The facts about a node that is an element-wise function of the gradient of a lookup."""

    scatters: Tuple[Node, ...]  # where it comes from
    bare: bool  # whether it is their sum, without a function
    zero: bool  # whether it is 0, and never NaN, in the rows that were not read
    places: Node
    sums: Node  # its rows


def row_updates(statements: 'Dict[int, Statement]') -> Tuple[Nodes, Dict[int, int]]:
    """{id: node that stands for the node of this id}, and {id of a new node: id at whose place it comes}."""
    rewriting = _Rewriting()
    for key in sorted(statements):
        node = statements[key]
        if isinstance(node, Node) and not node.deps and not node.optional:
            rewriting.see(node)
    return rewriting.instead, rewriting.by_rows


class _Rewriting:
    def __init__(self) -> None:
        self.instead: Nodes = {}
        self.by_rows: Dict[int, int] = {}
        self._chains: Dict[int, _Chain] = {}

    def see(self, node: Node) -> None:
        """Look at a node whose inputs have all been looked at."""
        name = node.op.name
        if name == 'scatter_add':
            if _plain(node, *node.inputs):
                self._start(node, (node,))
        elif name == 'chosen':
            self._choice(node)
        elif name == 'sum':
            self._total(node)
        elif node.op.zero_at and len(node.inputs) == 1:
            chain = self._chains.get(node.inputs[0].id)
            if chain is not None:
                self._go_on(node, chain, (chain.sums,), chain.zero and name in _ZERO)
        elif name in _SUMS or node.op.zero_at:
            x, y = self._chains.get(node.inputs[0].id), self._chains.get(node.inputs[1].id)
            if (x is not None or y is not None) and _plain(node, *node.inputs):
                self._binary(node, x, y)

    def _binary(self, node: Node, x: Optional[_Chain], y: Optional[_Chain]) -> None:
        name, (first, second) = node.op.name, node.inputs
        if x is not None and y is not None:
            if x.places is y.places:
                self._go_on(node, x, (x.sums, y.sums), x.zero and y.zero and name in _ZERO_OF_BOTH)
                return
            if name == 'add' and x.bare and y.bare and _alike(node, first, second):
                # two lookups of one table
                self._start(node, x.scatters + y.scatters)
                return
        if name in _SUMS:
            if not _alike(node, first, second):
                return
            if y is not None:
                self._sum(node, first, y)
            elif x is not None and name == 'add':
                self._sum(node, second, x)
        elif x is not None and _same_for_all_rows(second, node):
            # A number to a positive power is 0 at 0. A factor may be infinite, and a power may be 0.
            power = name == 'pow' and isinstance(second, Constant) and not second.dims and float(second.data) > 0
            self._go_on(node, x, (x.sums, second), x.zero and power)
        elif y is not None and 1 in node.op.zero_at and _same_for_all_rows(first, node):
            self._go_on(node, y, (first, y.sums), False)

    def _choice(self, node: Node) -> None:
        owner = cast(Cond, node.inputs[0])
        pair = owner.pairs[node.attrs['index']]
        x, y = [self._chains.get(side.id) for side in pair]
        if x is None or y is None or x.places is not y.places or owner.condition.dtype != 'bool':
            return
        if all(encloses(side.region, node.region) and _alike(node, side) for side in pair):
            sums = self._make(node, OPS['where'], (owner.condition, x.sums, y.sums), {}, x.sums.dims, node.dtype)
            self._chains[node.id] = x._replace(bare=False, zero=x.zero and y.zero, sums=sums)

    def _total(self, node: Node) -> None:
        """A sum over all axes."""
        (x,) = node.inputs
        chain, axes = self._chains.get(x.id), node.attrs['axes']
        if chain is not None and chain.zero and (axes is None or len(axes) == len(x.dims)):
            self._replace(node, node.op, (chain.sums,), node.attrs)

    def _start(self, node: Node, scatters: Tuple[Node, ...]) -> None:
        operands = [x for scatter in scatters for x in scatter.inputs[:2]]
        read = Dim()
        rows = self._make(node, OPS['rows'], (scatters[0].inputs[2], *operands), {}, (), node.dtype)
        indices = self._make(node, OPS['item'], (rows,), {'index': 0}, (read,), 'int64')
        sums = self._make(node, OPS['item'], (rows,), {'index': 1}, (read + 1, *node.dims[1:]), node.dtype)
        self._chains[node.id] = _Chain(scatters, True, True, indices, sums)

    def _go_on(self, node: Node, chain: _Chain, inputs: Tuple[Tensor, ...], zero: bool) -> None:
        dims = chain.sums.dims
        if len(node.dims) == len(dims) and all(map(same, node.dims[1:], dims[1:])):
            sums = self._make(node, node.op, inputs, node.attrs, dims, node.dtype)
            self._chains[node.id] = chain._replace(bare=False, zero=zero, sums=sums)

    def _sum(self, node: Node, x: Tensor, chain: _Chain) -> None:
        self._replace(node, OPS[_SUMS[node.op.name]], (x, chain.places, chain.sums), {})

    def _replace(self, node: Node, op: Op, inputs: Tuple[Tensor, ...], attrs: Attrs) -> None:
        replacement = self._make(node, op, inputs, attrs, node.dims, node.dtype)
        replacement.id = node.id
        self.instead[node.id] = replacement

    def _make(self, at: Node, op: Op, inputs: Tuple[Tensor, ...], attrs: Attrs, dims: Dims, dtype: str) -> Node:
        """A node that comes at the place of `at`, and is in no graph."""
        node = Node(at.session, op, inputs, attrs, dims, dtype, at.name, at.region)
        self.by_rows[node.id] = at.id
        return node


def _plain(*tensors: Tensor) -> bool:
    """Whether the number of axes is known, and the value is there whichever branch runs."""
    return all(ranked(t) and not t.optional for t in tensors)


def _alike(x: Tensor, *others: Tensor) -> bool:
    """Whether the tensors surely have one shape."""
    return all(len(x.dims) == len(y.dims) and all(map(same, x.dims, y.dims)) for y in others)


def _same_for_all_rows(x: Tensor, node: Node) -> bool:
    """Whether `x`, an operand of `node`, has no axis of rows."""
    return len(x.dims) < len(node.dims) or (known(x.dims[0]) and x.dims[0] == 1)


# -- writing rows ------------------------------------------------------------------------------------------------------
# Writing a few rows into the array of a variable.
#
# The array of a variable is replaced by updates, so whoever reads it keeps the value of one moment. Writing into it is
# the same to all others if nobody else holds it, as itself or as a view. Python counts who does: a view holds the array
# that it looks at. An array that somebody holds is copied, and the copy takes its place.
#
# The variable is without an array meanwhile, so nobody gets at it after the count. A thread that asks for it waits for
# the lock of the engine (`Variable.__getattr__`), which the run that writes holds.


# of a variable: the places of the rows and the rows; without places all of the new array
Change = Tuple['Variable', Tuple[Optional[Any], Any]]

_count: Optional[Callable[[Any], int]] = getattr(sys, 'getrefcount', None)


def write_rows(kernels: Any, changes: Sequence[Change]) -> None:
    """Give variables their new rows. The caller holds the lock of the engine.

    Nothing is written before all arrays are there. So an error, of memory say, leaves all variables as they were. What
    has begun to be written is written to its end, also where Ctrl-C comes meanwhile: to write it twice is the same.
    """
    taken: List[List[Any]] = []
    arrays: Optional[Dict[Any, Any]] = None
    put = getattr(kernels, 'put_rows', operator.setitem)
    try:
        for variable, (indices, _rows) in changes:
            if indices is not None and not (take(variable, taken) == ALONE and kernels.is_whole(taken[-1][1])):
                taken[-1][1] = kernels.private_copy(taken[-1][1], variable.dtype)
        arrays = dict(taken)
        _write(changes, arrays, put)
    except BaseException:
        if arrays is not None:
            _write(changes, arrays, put)
        else:
            for variable, array in taken:
                variable.data = array
        raise


def _write(changes: Sequence[Change], arrays: Dict['Variable', Any], put: Callable[..., Any]) -> None:
    for variable, (indices, rows) in changes:
        if indices is not None:
            put(arrays[variable], indices, rows)
    for variable, (indices, rows) in changes:
        variable.data = rows if indices is None else arrays[variable]


def take(holder: Any, taken: List[List[Any]]) -> int:
    """Take the array of `holder` away; returns how many hold it, counted as in `ALONE`."""
    array = holder.data
    # first of all, so that the caller puts it back whatever happens
    taken.append([holder, array])
    del holder.data
    return -1 if _count is None else _count(array)


class _Holder:
    data: Any = None


def _alone() -> int:
    """The result of `take` where nobody else holds the array. Versions of Python count references differently."""
    if _count is None:
        return 0
    holder = _Holder()
    holder.data = object()
    return take(holder, [])


ALONE = _alone()

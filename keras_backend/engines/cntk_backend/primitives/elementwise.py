"""Element-wise primitives that CNTK computes right for every number, NaN and the infinities included.

Its others are NumPy's: log ends at -85, sqrt and max lose NaN, x / 0 is 0, round is not half to even, relu makes NaN of
-inf or 0 of NaN, and like element_select takes ten times as long as NumPy. Those that are slow are NumPy's, too, where
they have many elements.
"""

from typing import Dict

import numpy as np

from ....graph.nodes.tensor import Constant, Node
from ....kernels.common import Array, DType
from ..graph import Builder, Fits, Function, Graph, Known, Symbol, Unfit, elements
from ..vendor import cntk_py


def _unary(function: Function) -> Builder:
    def build(g: Graph, x: Symbol) -> Symbol:
        return g.elementwise(function, x)

    return build


def _binary(function: Function) -> Builder:
    def build(g: Graph, x: Symbol, y: Symbol) -> Symbol:
        return g.elementwise(function, x, y)

    return build


def identity(g: Graph, x: Symbol) -> Symbol:
    return x


def div(g: Graph, x: Symbol, y: Symbol) -> Symbol:
    if not _is_divisor(y.data, g.dtype):
        raise Unfit(f'CNTK divides by {y.data} in its own way')
    return g.elementwise(cntk_py.element_divide, x, y)


def _is_divisor(y: Array, dtype: DType) -> bool:
    """Whether all of `y` have a reciprocal, with which CNTK multiplies; it says that of 0 is 0."""
    least = np.finfo(dtype).tiny
    return bool(np.all((np.abs(y) >= least) & (np.abs(y) <= 1 / least)))


def tanh_grad(g: Graph, y: Symbol, gradient: Symbol) -> Symbol:
    rest = g.elementwise(cntk_py.minus, g.number(1), g.elementwise(cntk_py.square, y))
    return g.elementwise(cntk_py.element_times, gradient, rest)


def sigmoid_grad(g: Graph, y: Symbol, gradient: Symbol) -> Symbol:
    slope = g.elementwise(cntk_py.element_times, y, g.elementwise(cntk_py.minus, g.number(1), y))
    return g.elementwise(cntk_py.element_times, gradient, slope)


def _has_known_divisor(node: Node, known: Known) -> bool:
    y = node.inputs[1]
    return known(y) and (not isinstance(y, Constant) or _is_divisor(y.data, y.dtype))


# Nanoseconds for an element that CNTK takes beyond those of NumPy, and those that it takes to go there and back.
_SLOWER = {'tanh': 8, 'softplus': 10, 'sin': 5, 'cos': 5, 'sigmoid': 2, 'exp': 2}
_WAY = 100000
# what NumPy does instead at the end of a graph, for as many elements and more
_TAIL, _MANY = ('add', 'sub', 'mul', 'div', 'tensordot'), 1 << 12


def _is_small(node: Node, known: Known) -> bool:
    return bool(elements(node) * _SLOWER[node.op.name] < _WAY)


def is_tail(node: Node, members: int, made: int) -> bool:
    """Whether NumPy is to run `node`, whose value only others than the graph read.

    As many operands are nodes of the stage, and as many of these would come out of the graph. A product of what is
    there already is for CNTK.
    """
    return (
        node.op.name in _TAIL
        and made <= 1
        and (node.op.name != 'tensordot' or members == 1)
        and bool(elements(node) >= _MANY)
    )


BUILDERS: Dict[str, Builder] = {
    'identity': identity,
    'stop_gradient': identity,
    'div': div,
    'tanh_grad': tanh_grad,
    'sigmoid_grad': sigmoid_grad,
    'add': _binary(cntk_py.plus),
    'sub': _binary(cntk_py.minus),
    'mul': _binary(cntk_py.element_times),
    'neg': _unary(cntk_py.negate),
}
for _name in 'abs square exp sin cos tanh sigmoid softplus floor'.split():
    BUILDERS[_name] = _unary(getattr(cntk_py, _name))

# primitives that only some calls of which are for CNTK: a test of the node; `known(x)` says whether the value of an
# input is known once shapes are
FITS: Dict[str, Fits] = {'div': _has_known_divisor}
FITS.update(dict.fromkeys(_SLOWER, _is_small))

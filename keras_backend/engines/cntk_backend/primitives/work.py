"""How much work a node is. A size that is not known counts as a usual one."""

from typing import Callable, Iterable, Optional

from ....basics import shapes
from ....graph.nodes.dims import known
from ....graph.nodes.tensor import Node, Tensor

Known = Callable[[Tensor], bool]  # whether a value is known once all shapes are
Fits = Callable[[Node, Known], bool]

_USUAL = 32


def elements(tensor: Tensor, axes: Optional[Iterable[int]] = None) -> int:
    """About as many elements as `tensor` has, or places along some of its axes."""
    dims = tensor.dims if axes is None else [tensor.dims[axis] for axis in axes]
    count: int = shapes.product([d if known(d) else _USUAL for d in dims])
    return count


def multiplications(node: Node) -> int:
    """About as many as `node` does in a product or convolution; 0 for all others."""
    name, attrs = node.op.name, node.attrs
    if name == 'tensordot':
        return elements(node) * elements(node.inputs[0], attrs['axes_x'])
    if name == 'matmul':
        return elements(node) * elements(node.inputs[0], [-2 if attrs['transpose_x'] else -1])
    if name == 'depthwise_conv':
        return elements(node) * elements(node.inputs[1], range(len(node.dims) - 2))
    if name in ('conv', 'conv_input_grad'):
        rows = node if name == 'conv' else node.inputs[0]
        return elements(rows) * elements(node.inputs[1], range(len(node.dims) - 1))
    return 0

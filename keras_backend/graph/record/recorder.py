"""The primitives as functions of K tensors, each of which records a node."""

from typing import TYPE_CHECKING, Any, Callable, List, Union

from ..nodes.dims import known, ranked
from ..nodes.op import Ints
from ..nodes.tensor import Draws, Node, Tensor
from ..primitives import OPS
from ..primitives.shape import entries, ranked_by
from .over_time import product_over_time

if TYPE_CHECKING:
    from ..nodes.dims import Dims
    from .graph import Graph

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
        """The product, before the loop where `x` is an element of its sequence (see `over_time`)."""
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

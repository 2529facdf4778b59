"""The K graph as the library of an engine: how a call of K becomes a node."""

from typing import TYPE_CHECKING, Any, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np

from ..basics.dtypes import is_mask
from ..errors import ArgumentValueError
from .nodes.base import Unranked, fill, known
from .nodes.tensor import Absent, Cond, Constant, Inner, Node, Placeholder, Scan, Tensor, Update, Variable
from .primitives.indexing import index_of
from .record.control import Slices, as_state, cond, loop
from .record.graph import Recorder
from .run.function import Function, Runnable, evaluate

if TYPE_CHECKING:
    from ..basics.library import Branch, Plan, StaticShape, Step
    from .run.kernels import Kernels


class GraphLibrary(Runnable):
    """The K graph over the kernels of one library: what `front.Front` needs (see `basics.library.Library`).

    Parameters
    ----------
    name, title : str
        As in keras.json, and for people.
    kernels : Kernels
        The functions that the library of arrays supplies, commonly a module (see `graph.run.kernels`).
    """

    runs_on = ''
    packages: FrozenSet[str] = frozenset()
    tensors: FrozenSet[type] = frozenset(
        [Tensor, Placeholder, Inner, Variable, Constant, Absent, Node, Update, Scan, Cond]
    )

    def __init__(self, name: str, title: str, kernels: 'Kernels') -> None:
        super().__init__(name, title, kernels)
        self.F = Recorder(self)

    # -- making --------------------------------------------------------------------------------------------------
    def variable(self, value: Any, dtype: str, name: Optional[str], constraint: Any) -> Variable:
        if isinstance(value, Tensor):
            value = evaluate(self, value)
        sparse = hasattr(value, 'tocoo')
        data = self.kernels.sparse(value, dtype) if sparse else self.kernels.asarray(value, dtype)
        tensor = Variable(self.session, data, tuple(data.shape), dtype, self.session.name_of_variable(name), constraint)
        tensor.sparse = sparse
        return tensor

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

    def update(self, x: Variable, new: Tensor) -> Update:
        self.in_scope(new, self.session.region)
        assignment = Update(x, new, self.session.region)
        assignment.deps = self.session.deps
        return assignment

    def increment(self, x: Variable, operation: str, change: Tensor) -> Update:
        def onto(value: Tensor) -> Tensor:
            result: Tensor = self.front.binary(operation, value, change)
            return result

        update: Update = self.front.update(x, onto(x))
        update.onto = onto
        return update

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
        from .differentiate import gradients  # here, because only programs that learn need it

        return gradients(self, loss, variables)

    def choice(self, condition: Tensor, branches: Sequence['Branch']) -> List[Tensor]:
        return cond(self, condition, branches)

    def loop(
        self, step: 'Step', sequences: Sequence[Tensor], states: Sequence[Tensor], plan: 'Plan'
    ) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
        return loop(self, step, sequences, states, plan)

    def as_state(self, index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
        return as_state(self, index, new, old, first, what)

    def ctc_greedy(self, scores: Tensor, lengths: Tensor) -> Tuple[List[Tensor], Tensor]:
        results = self.results('ctc_greedy', (scores, lengths), {})
        return results[:-1], results[-1]

    def ctc_beam(
        self, scores: Tensor, lengths: Tensor, beam_width: int, top_paths: int, merge_repeated: bool
    ) -> Tuple[List[Tensor], Tensor]:
        scores = self.F.log_softmax(scores, axis=2)
        options = {'beam_width': beam_width, 'top_paths': top_paths, 'merge_repeated': merge_repeated}
        results = self.results('ctc_beam', (scores, lengths), options)
        return results[:-1], results[-1]

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

"""The tensors of a user's module as a library. A K function of the module does the work, or code in its place."""

from contextlib import ExitStack
from functools import partial
from itertools import repeat
from typing import Any, Callable, ContextManager, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..basics import dtypes
from ..basics.dtypes import array_of
from ..basics.library import Dims, Plan, StaticShape, Step, Tensor, Tensors, TwoLists
from ..basics.shapes import check_states, entries_of, known, size_of, with_rest
from ..errors import ArgumentTypeError, ShapeError, UnsupportedByEngine
from ..front.shape import sizes
from .functions import Functions
from .primitives import ModulePrimitives


class Sizes(List[Any]):
    """The sizes of a tensor, ints and scalar tensors. This library has them in place of an integer vector."""


class ModuleLibrary:
    """A library for `front.Front`, said in K functions of a module (see `keras_backend.basics.library.Library`).

    Parameters
    ----------
    own : dict from str to callable
        The K functions that the module has.
    name, title, runs_on : str
        As in keras.json, for people, and the library under it, where there is a choice.
    """

    packages: FrozenSet[str] = frozenset()
    tensors: FrozenSet[type] = frozenset()

    def __init__(self, own: Mapping[str, Callable[..., Any]], name: str, title: str, runs_on: str = '') -> None:
        self.name, self.title, self.runs_on = name, title, runs_on
        self.front: Any = None
        self._arrays: Optional[bool] = None
        self.K = Functions(title, own)
        self.F: Any = ModulePrimitives(self)

    # -- asking --------------------------------------------------------------------------------------------------
    def is_tensor(self, x: Any) -> bool:
        if isinstance(x, Sizes):
            return True
        if self.K.has('is_tensor'):
            return bool(self.K.is_tensor(x))
        if isinstance(x, (np.ndarray, np.generic)):
            return self._has_arrays()
        return hasattr(x, 'dtype') and hasattr(x, 'shape')

    def _has_arrays(self) -> bool:
        """Whether the tensors of the module are arrays of NumPy; its first variable tells."""
        if self._arrays is None:
            self._arrays = isinstance(self.K.variable(0.0), (np.ndarray, np.generic))
        return self._arrays

    def is_own(self, x: Tensor) -> bool:
        return True

    def is_variable(self, x: Any) -> bool:
        return bool(self.K.is_variable(x)) if self.K.has('is_variable') else True

    def is_placeholder(self, x: Any) -> bool:
        return bool(self.K.is_placeholder(x))

    def is_sparse(self, x: Any) -> bool:
        return self.K.has('is_sparse') and bool(self.K.is_sparse(x))

    def check(self, x: Tensor) -> None:
        """Any tensor of the module may be used anywhere."""

    def used(self, x: Tensor) -> Tensor:
        return x

    def dims(self, x: Any) -> Dims:
        if isinstance(x, Sizes):
            return (len(x),)
        shape = self.shape(x)
        if shape is None:
            raise ShapeError.of_unknown_rank(self.label(x))
        return shape

    def shape(self, x: Any) -> Optional[StaticShape]:
        shape = self.K.int_shape(x) if self.K.has('int_shape') and self.is_tensor(x) else _told_shape(x)
        return None if shape is None else tuple([int(size) if known(size) else None for size in shape])

    def rank(self, x: Any) -> Optional[int]:
        if self.K.has('ndim') and self.is_tensor(x):
            rank: Optional[int] = self.K.ndim(x)
            return rank
        # Of the tensor itself where it says so: a layer may have said another shape.
        try:
            return len(x.shape)
        except (AttributeError, TypeError, ValueError):  # no shape, or one of unknown rank; K is asked
            shape = self.shape(x)
            return None if shape is None else len(shape)

    def dtype(self, x: Any) -> str:
        if self.K.has('dtype') and self.is_tensor(x):
            return str(self.K.dtype(x))
        dtype = getattr(x, 'dtype', None)
        if dtype is None:
            return dtypes.of_value(x)
        try:
            return dtypes.name_of(dtype)
        except ArgumentTypeError:
            return getattr(dtype, 'name', str(dtype))

    @staticmethod
    def label(x: Any) -> str:
        """How a message calls `x`."""
        name = getattr(x, 'name', None)
        return name if isinstance(name, str) else 'a tensor'

    def describe(self, x: Any) -> str:
        return f'{self.label(x)} of shape {self.shape(x)}'

    dtype_name = staticmethod(dtypes.name_of)
    natural_dtype = staticmethod(dtypes.of_value)
    static = staticmethod(entries_of)

    def items(self, shape: Any) -> List[Any]:
        if not self.is_tensor(shape) or isinstance(shape, (Sizes, np.ndarray)):
            return [size if size is None or self.is_tensor(size) else size_of(size) for size in entries_of(shape)]
        (length,) = self.dims(shape)
        if length is None:
            raise UnsupportedByEngine(
                'shape', self.title, 'the length of a vector of sizes is not known', 'Give a tuple.'
            )
        return [shape[i] for i in range(length)]

    def sizes(self, shape: Any) -> Any:
        entries = [-1 if size is None else size for size in self.items(shape)]
        return tuple(entries) if all([known(size) for size in entries]) else Sizes(entries)

    def sizes_of(self, x: Tensor) -> Any:
        """The size of every axis of `x`: an int where it is known, else an element of `K.shape(x)`."""
        static = self.shape(x)
        if static is not None and None not in static:
            return Sizes(static)
        if not self.K.has('shape'):
            raise UnsupportedByEngine(
                'shape',
                self.title,
                f'the shape {static} is not known before a run',
                'Give the placeholders a full shape.',
            )
        return self.K.shape(x) if static is None else Sizes(sizes(static, self.K.shape, x))

    def known_number(self, x: Any, function: str) -> Any:
        """`x`, which has to be a number, for a K function that the module lacks."""
        if self.is_tensor(x) and not isinstance(x, (np.ndarray, np.generic)):
            raise UnsupportedByEngine(
                function,
                self.title,
                'it cannot make a range whose bounds are tensors',
                'Use numbers, from K.int_shape(x) for instance.',
            )
        return x

    # -- making --------------------------------------------------------------------------------------------------
    def constant(self, value: Any, dtype: str, name: Optional[str] = None) -> Tensor:
        if self.K.has('constant'):
            return self.K.constant(value, dtype, None, name)
        variable = self.K.variable(array_of(value), dtype, name)
        return self.identity(variable, None) if self.K.has('reshape') else variable

    def number(self, value: float, dtype: str) -> Any:
        # Operators of tensors take numbers, which take no room in a graph.
        return value

    def variable(self, value: Any, dtype: str, name: Optional[str], constraint: Any) -> Tensor:
        return self.K.variable(value, dtype, name, constraint)

    def filled_variable(self, shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Tensor:
        return self.K.variable(np.full(tuple(shape), value), dtype, name)

    def placeholder(self, shape: Optional[StaticShape], dtype: str, sparse: bool, name: Optional[str]) -> Tensor:
        return self.K.placeholder(shape, None, dtype, sparse, name)

    def filled_like(self, x: Tensor, value: float, dtype: str) -> Tensor:
        static = self.shape(x)
        if static is not None and None not in static:
            return self.constant(np.full(static, value), dtype)
        return self.F.broadcast_to(self.constant(value, dtype), self.sizes_of(x))

    def identity(self, x: Tensor, name: Optional[str]) -> Tensor:
        return self.F.reshape(x, with_rest(self.sizes_of(x)))

    def unstacked(self, x: Tensor, length: int) -> Sequence[Tensor]:
        return [x[i] for i in range(length)]

    # -- values --------------------------------------------------------------------------------------------------
    def evaluate(self, x: Tensor) -> Any:
        return self.K.eval(x) if self.K.has('eval') else self.K.function([], [x])([])[0]

    def values(self, tensors: Sequence[Tensor]) -> List[Any]:
        return [self.K.get_value(x) if self.K.has('get_value') else self.evaluate(x) for x in tensors]

    def assign(self, pairs: Sequence[Tuple[Tensor, Any]]) -> None:
        for x, value in pairs:
            if self.K.has('set_value'):
                self.K.set_value(x, value)
            else:
                new = self.K.placeholder(self.dims(x), None, self.dtype(x))
                self.K.function([new], [], [self.K.update(x, new)])([value])

    def current(self, x: Tensor) -> Tensor:
        return x

    def update(self, x: Tensor, new: Tensor) -> Any:
        return self.K.update(x, new)

    def increment(self, x: Tensor, operation: str, change: Tensor) -> Any:
        def onto(value: Tensor) -> Tensor:
            return self.front.binary(operation, value, change)

        update = self.K.update(x, onto(x))
        # For an engine that applies it to what other updates of the same function make of the variable.
        if hasattr(update, '__dict__'):
            update.onto = onto
        return update

    # -- graphs --------------------------------------------------------------------------------------------------
    def function(self, inputs: Any, outputs: Any, updates: Any, **kwargs: Any) -> Callable[..., Any]:
        function: Callable[..., Any] = self.K.function(inputs, outputs, updates)
        return function

    def gradients(self, loss: Tensor, variables: Sequence[Tensor]) -> List[Any]:
        gradients: List[Any] = self.K.gradients(loss, variables)
        return gradients

    def choice(self, condition: Tensor, branches: Sequence[Callable[[], List[Any]]]) -> List[Tensor]:
        tensors: List[Tensor] = self.K.switch(condition, *branches)
        return tensors

    def loop(
        self, step: Step, sequences: Sequence[Tensor], states: Sequence[Tensor], plan: Plan
    ) -> Tuple[Tensors, Tensors, Tensors]:
        """The steps one after the other, so their number has to be known. K.rnn of the module may know a way out."""
        reverse, length, least, what, in_order = plan
        lengths = {self.dims(x)[0] for x in sequences} - {None}
        length = lengths.pop() if length is None and lengths else length
        rnn = self.K.get('rnn')
        if length is None and rnn is not None and len(sequences) == 1 and not reverse:
            return self._looped(rnn, step, sequences[0], states)
        if length == 0 and states and not least:
            return [], [], list(states)
        if not length:
            raise UnsupportedByEngine(
                what.rpartition('K.')[2] if 'K.' in what else 'rnn',
                self.title,
                'it has no loops, and the number of steps is '
                f'{"not known before a run" if length is None else "0, of which nothing can be made"}',
                'Give the placeholder a fixed length there, or K.rnn input_length.',
            )
        first = list(states)
        results: List[Tensors] = []
        for t in reversed(range(length)) if reverse else range(length):
            before = iter(results[-1]) if results else repeat(None)
            previous = partial(self._previous, before)
            outputs, new = step([x[t] for x in sequences], list(states), previous)
            check_states([self.dims(s) for s in states], [self.dims(n) for n in new])
            states = [self.as_state(i, n, s, f, what) for i, (n, s, f) in enumerate(zip(new, states, first))]
            results.append(outputs)
        in_time = reversed(results) if reverse and not in_order else results
        collected = [self.F.stack(*series, axis=0) for series in zip(*in_time)]
        return collected, list(results[-1]), list(states)

    def _previous(self, before: Iterator[Any], output: Tensor) -> Tensor:
        # The first call of a step asks for the first output, the next one for the second.
        value = next(before)
        return self.filled_like(output, 0, self.dtype(output)) if value is None else value

    def _looped(
        self, rnn: Callable[..., Any], step: Step, sequence: Tensor, states: Sequence[Tensor]
    ) -> Tuple[Tensors, Tensors, Tensors]:
        def once(element: Tensor, old: Any) -> Tuple[Tensor, Tensors]:
            def previous(output: Tensor) -> Tensor:
                raise UnsupportedByEngine(
                    'rnn', self.title, 'a step cannot ask for the output before', 'Give a fixed length.'
                )

            (output,), new = step([element], list(old), previous)
            return output, new

        last, outputs, finals = rnn(once, sequence, list(states), False, None, None, False, None, True)
        return [outputs], [last], list(finals)

    def as_state(self, index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
        dtype = self.dtype(old)
        return new if self.dtype(new) == dtype else self.K.cast(new, dtype)

    def ctc_greedy(self, scores: Tensor, lengths: Tensor) -> TwoLists:
        decoded: TwoLists = self.K.ctc_decode(scores, lengths)
        return decoded

    def ctc_beam(
        self, scores: Tensor, lengths: Tensor, beam_width: int, top_paths: int, merge_repeated: bool
    ) -> TwoLists:
        decoded: TwoLists = self.K.ctc_decode(scores, lengths, False, beam_width, top_paths, merge_repeated)
        return decoded

    # -- sessions ------------------------------------------------------------------------------------------------
    def clear(self) -> None:
        self.K.clear_session()

    def get_session(self) -> Any:
        return self.K.get_session()

    def set_session(self, session: Any) -> None:
        self.K.set_session(session)

    def initialise_manually(self, value: bool) -> None:
        self.K.manual_variable_initialization(value)

    def learning_phase(self) -> Any:
        return self.K.learning_phase()

    def set_learning_phase(self, value: int) -> None:
        self.K.set_learning_phase(value)

    def uid(self, prefix: str) -> int:
        number: int = self.K.get_uid(prefix)
        return number

    def reset_uids(self) -> None:
        self.K.reset_uids()

    def symbolic(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def eager(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def name_scope(self, name: Optional[str]) -> ContextManager[Any]:
        return ExitStack()  # which does nothing

    def control_dependencies(self, tensors: Sequence[Any]) -> ContextManager[Any]:
        if len(tensors):
            raise UnsupportedByEngine(
                'control_dependencies',
                self.title,
                'it cannot run updates beside the tensors made in a block',
                'Pass them to K.function as updates.',
            )
        return ExitStack()  # which does nothing


def _told_shape(x: Any) -> Any:
    shape = getattr(x, '_keras_shape', None)
    if shape is None:
        shape = getattr(x, 'shape', None)
    return np.shape(x) if shape is None else shape

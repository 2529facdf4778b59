"""Loops over time and over elements: `K.rnn`, `K.map_fn` and the folds. The library runs one step function."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

from ..basics.library import Plan, Previous, Tensor, Tensors, TwoLists
from ..basics.shapes import rnn_length
from ..contract.kinds import shown
from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from .base import Operands, note

Stepped = Tuple[Tensor, List[Tensor]]
Step = Callable[[Tensors, Tensors], Stepped]


class Loops(Operands):
    def rnn(
        self,
        step_function: Callable[..., Any],
        inputs: Any,
        initial_states: Any,
        go_backwards: bool = False,
        mask: Any = None,
        constants: Any = None,
        unroll: bool = False,
        input_length: Optional[int] = None,
        time_major: bool = False,
        zero_output_for_mask: bool = False,
    ) -> Tuple[Tensor, Tensor, List[Tensor]]:
        library = self.library
        several = isinstance(inputs, (list, tuple))
        sequences = [self.operand(x) for x in (inputs if several else [inputs])]
        if not sequences:
            raise ArgumentValueError('inputs has to hold at least one tensor, got an empty list.')
        if initial_states is None:
            initial_states = ()
        start = [initial_states] if library.is_tensor(initial_states) else self.listed(initial_states, 'initial_states')
        states = [self.operand(s) for s in start]
        fixed = [] if constants is None else self.listed(constants, 'constants')
        mask = None if mask is None else self.operand(mask)
        length = None
        for x in sequences:
            dims = None if mask is None else library.dims(mask)
            length = rnn_length(library.dims(x), dims, states, unroll, input_length, time_major)
        if not time_major:
            sequences = [_swapped(self, x) for x in sequences]
        if mask is not None:
            mask = _mask_by_time(self, mask, time_major, states)

        def step(elements: Tensors, old: Tensors) -> Stepped:
            result = step_function(type(inputs)(elements) if several else elements[0], list(old) + fixed)
            if not isinstance(result, (list, tuple)) or len(result) != 2 or not isinstance(result[1], (list, tuple)):
                raise ArgumentTypeError(
                    f'step_function has to return a pair (output, list of new states), got {shown(result)}.'
                )
            output, new = result
            if len(new) != len(states):
                raise ShapeError(f'the step function was given {len(states)} states and returned {len(new)}.')
            return self.operand(output), [self.operand(n, library.dtype(s)) for n, s in zip(new, states)]

        run = _unrolled if unroll else _looped
        before = self.phases_given
        last, outputs, finals, phased = run(
            self, step, sequences, states, mask, go_backwards, zero_output_for_mask, length
        )
        if not time_major:
            outputs = _swapped(self, outputs)
        if phased or self.phases_given > before:
            note(last, _uses_learning_phase=True)
            note(outputs, _uses_learning_phase=True)
        return last, outputs, finals

    def map_fn(self, fn: Callable[..., Any], elems: Any, name: Optional[str] = None, dtype: Any = None) -> Any:
        several = isinstance(elems, (list, tuple))
        sequences = [_sequence(self, e) for e in (elems if several else [elems])]
        if not sequences:
            raise ArgumentValueError('elems has to hold at least one tensor, got an empty list.')
        results: List[Any] = []

        def step(elements: Tensors, _old: Tensors, _previous: Previous) -> TwoLists:
            result = fn(type(elems)(elements) if several else elements[0])
            results.append(result)
            tensors = list(result) if isinstance(result, (list, tuple)) else [result]
            dtypes = list(dtype) if isinstance(dtype, (list, tuple)) else [dtype] * len(tensors)
            if len(dtypes) != len(tensors):
                raise ArgumentValueError(f'dtype names {len(dtypes)} dtypes, and fn returns {len(tensors)} tensors.')
            return [self.operand(p) if d is None else self.cast(p, d) for p, d in zip(tensors, dtypes)], []

        mapped, _, _ = self.library.loop(step, sequences, [], Plan(what='the function of K.map_fn'))
        return type(results[0])(mapped) if isinstance(results[0], (list, tuple)) else mapped[0]

    def foldl(self, fn: Callable[..., Any], elems: Any, initializer: Any = None, name: Optional[str] = None) -> Any:
        return _fold(self, fn, elems, initializer, False, 'the function of K.foldl')

    def foldr(self, fn: Callable[..., Any], elems: Any, initializer: Any = None, name: Optional[str] = None) -> Any:
        return _fold(self, fn, elems, initializer, True, 'the function of K.foldr')


def _fold(K: Operands, fn: Callable[..., Any], elems: Any, initializer: Any, reverse: bool, what: str) -> Any:
    """`fn(accumulator, element)` over axis 0; both may be lists of tensors."""
    several = isinstance(elems, (list, tuple))
    sequences = [_sequence(K, e) for e in (elems if several else [elems])]
    if not sequences:
        raise ArgumentValueError('elems has to hold at least one tensor, got an empty list.')
    if initializer is None:
        for x in sequences:
            if K.library.dims(x)[0] == 0:
                raise ShapeError(f'elems has no first element: {K.library.describe(x)}; give an initializer.')
        first = [_cut(K, x, -1 if reverse else 0) for x in sequences]
        initializer = type(elems)(first) if several else first[0]
        rest = ('slice', None, -1, None) if reverse else ('slice', 1, None, None)
        sequences = [K.F.getitem(x, spec=(rest,)) for x in sequences]
    many = isinstance(initializer, (list, tuple))
    if many and not initializer:
        raise ArgumentValueError('initializer has to hold at least one tensor, got an empty list.')

    def step(elements: Tensors, old: Tensors, _previous: Previous) -> TwoLists:
        result = fn(type(initializer)(old) if many else old[0], type(elems)(elements) if several else elements[0])
        if many and (not isinstance(result, (list, tuple)) or len(result) != len(old)):
            raise ShapeError(f'fn was given {len(old)} accumulators and has to return as many, got {shown(result)}.')
        return [], list(result) if many else [result]

    start = [K.operand(s) for s in (initializer if many else [initializer])]
    _, _, finals = K.library.loop(step, sequences, start, Plan(reverse, what=what))
    return type(initializer)(finals) if many else finals[0]


def _sequence(K: Operands, x: Any) -> Tensor:
    if K.library.is_sparse(x):
        raise ArgumentTypeError(f'{K.library.describe(x)} is sparse and has no rows to go over; use K.to_dense(x).')
    x = K.operand(x)
    if not K.library.dims(x):
        raise ShapeError(f'elems goes over axis 0, but {K.library.describe(x)} is a scalar.')
    return x


def _cut(K: Operands, x: Tensor, place: int) -> Tensor:
    return K.F.getitem(x, spec=(place,))


def _swapped(K: Operands, x: Tensor) -> Tensor:
    return K.F.transpose(x, perm=(1, 0, *range(2, len(K.library.dims(x)))))


def _mask_by_time(K: Operands, mask: Tensor, time_major: bool, states: List[Tensor]) -> Tensor:
    mask = K.converted(mask, 'bool')
    if len(K.library.dims(mask)) == 3:
        mask = K.F.squeeze(mask, axis=2)
    mask = mask if time_major else _swapped(K, mask)
    # The axes that every state has: once here instead of for each state in every step.
    for axis in range(2, 1 + min([len(K.library.dims(s)) for s in states])):
        mask = K.F.expand_dims(mask, axis=axis)
    return mask


def _selected(K: Operands, mask: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """`new` for the samples where `mask` holds, else `old`."""
    rank = len(K.library.dims(new))
    for axis in range(len(K.library.dims(mask)), rank):
        mask = K.F.expand_dims(mask, axis=axis)
    for axis in reversed(range(rank, len(K.library.dims(mask)))):
        mask = K.F.squeeze(mask, axis=axis)
    return K.F.where(mask, new, old)


def _unrolled(
    K: Operands,
    step: Step,
    sequences: Sequence[Tensor],
    states: List[Tensor],
    mask: Optional[Tensor],
    go_backwards: bool,
    zero_output: bool,
    length: Any,
) -> Tuple[Tensor, Tensor, List[Tensor], bool]:
    library, initial, what = K.library, states, 'the step function of K.rnn'
    apart = [library.unstacked(x, length) for x in sequences]
    masks = None if mask is None else library.unstacked(mask, length)
    outputs: List[Tensor] = []
    phased = False
    for t in reversed(range(length)) if go_backwards else range(length):
        output, new = step([x[t] for x in apart], states)
        phased = phased or getattr(output, '_uses_learning_phase', False)
        new = [library.as_state(i, n, s, initial[i], what) for i, (n, s) in enumerate(zip(new, states))]
        if masks is not None:
            idle = outputs[-1] if outputs and not zero_output else _zeros_like(K, output)
            output = _selected(K, masks[t], output, idle)
            new = [_selected(K, masks[t], n, s) for n, s in zip(new, states)]
        outputs.append(output)
        states = new
    return outputs[-1], K.F.stack(*outputs, axis=0), states, phased


def _looped(
    K: Operands,
    step: Step,
    sequences: List[Tensor],
    states: List[Tensor],
    mask: Optional[Tensor],
    go_backwards: bool,
    zero_output: bool,
    length: Optional[int],
) -> Tuple[Tensor, Tensor, List[Tensor], bool]:
    phased: List[bool] = []

    def masked(elements: Tensors, old: Tensors, previous: Previous) -> TwoLists:
        output, new = step(elements[: len(sequences)], old)
        phased.append(getattr(output, '_uses_learning_phase', False))
        if mask is None:
            return [output], new
        here = elements[-1]
        new = [_selected(K, here, n, s) for n, s in zip(new, old)]
        idle = _zeros_like(K, output) if zero_output else previous(output)
        return [_selected(K, here, output, idle)], new

    (outputs,), (last,), finals = K.library.loop(
        masked,
        sequences if mask is None else [*sequences, mask],
        states,
        Plan(go_backwards, length, least=1, what='the step function of K.rnn', in_order=True),
    )
    return last, outputs, finals, any(phased)


def _zeros_like(K: Operands, x: Tensor) -> Tensor:
    return K.library.filled_like(x, 0, K.library.dtype(x))

"""Loops: one step function over the slices of tensors (see `library.Library.loop`)."""

from itertools import count
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ....basics.dtypes import promote
from ....basics.library import Plan, Step, Tensor
from ....errors import ArgumentTypeError, ShapeError
from ..tensors.dtypes import name_of
from ..tensors.operations import OwnLayer, as_k_tensor, registered
from ..vendor import BACKEND, is_symbolic, keras, scope_values, state_mapping
from .functional_graph import INSIDE, hoisted
from .gradients import inner_scope
from .recipes import RECORDED, anchored, as_model, model_from, results_of

Tensors = List[Tensor]
Looped = Tuple[Tensors, Tensors, Tensors]
# From what is carried and the elements of one step to what is carried on, and the outputs.
Body = Callable[[Tensors, Tensors], Tuple[Tensors, Tensors]]


class _Symbolic(Exception):
    """A step over computed tensors returned a KerasTensor."""


class _State(Exception):
    """A step that JAX traces assigned a variable."""


# What a layer keeps of its plan: the sequences are cut before.
_IN_FILES = ('reverse', 'least', 'in_order')


class Loops:
    """The part of the library that runs step functions."""

    front: Any

    def loop(self, step: Step, sequences: Sequence[Tensor], states: Sequence[Tensor], plan: Plan) -> Looped:
        """Run the step over computed tensors; over KerasTensors record it once, into the model of a layer."""
        what = plan.what
        sequences = _cut(sequences, plan.length, plan.least, what)

        def checked(elements: Tensors, old: Tensors, previous: Any) -> Tuple[Tensors, Tensors]:
            outputs, new = step(elements, old, previous)
            if len(new) != len(old):
                raise ShapeError(f'{what} was given {len(old)} states and returned {len(new)}.')
            new = [self.as_state(i, n, o, s, what) for i, (n, o, s) in enumerate(zip(new, old, states))]
            return [self.front.operand(o) for o in outputs], new

        def computed(elements: Tensors, old: Tensors, previous: Any) -> Tuple[Tensors, Tensors]:
            outputs, new = checked(elements, old, previous)
            if any(is_symbolic(t) for t in [*outputs, *new]):
                raise _Symbolic
            return outputs, new

        if not any(is_symbolic(t) for t in [*sequences, *states]):
            try:
                return run_loop(computed, sequences, states, plan)
            except _Symbolic:
                pass
        return _recorded(checked, sequences, states, plan)

    def as_state(self, index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
        """A new state in the dtype of the old one."""
        dtype = name_of(old)
        new = self.front.operand(new, dtype)
        shape, expected = tuple(new.shape), tuple(old.shape)
        returned = name_of(new)
        if shape == expected and returned == dtype:
            return new
        if len(shape) != len(expected) or any(
            isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(shape, expected)
        ):
            raise ShapeError(
                f'state {index} changes its shape in {what}: it starts with the shape {tuple(first.shape)} and the '
                f'step returns one of shape {shape}.'
            )
        if promote(returned, dtype) != dtype:
            raise ArgumentTypeError(
                f'state {index} is {dtype}, but {what} returns {returned} for it; start it as {returned}.'
            )
        return new if returned == dtype else keras.ops.cast(new, dtype)


def _cut(sequences: Sequence[Tensor], length: Optional[int], least: int, what: str) -> Tensors:
    """The sequences, no longer than the steps; those of different lengths are refused, and those that are too short."""
    lengths = {x.shape[0] for x in sequences if isinstance(x.shape[0], int)}
    if len(lengths) > 1:
        raise ShapeError(
            f'the sequences that {what} goes over have different lengths: {[tuple(x.shape) for x in sequences]}.'
        )
    steps = lengths.pop() if lengths else length
    if steps is not None and steps < least:
        raise ShapeError(f'{what} needs at least one time step, got {steps}.')
    if steps is None:
        return list(sequences)
    return [x if isinstance(x.shape[0], int) else x[:steps] for x in sequences]


def run_loop(step: Step, sequences: Sequence[Tensor], states: Sequence[Tensor], plan: Plan) -> Looped:
    """Run a step over computed tensors."""
    steps = sequences[0].shape[0]
    if BACKEND == 'torch' or steps == 0:
        return _unrolled(step, sequences, states, plan)
    if BACKEND == 'tensorflow':
        return _scanned(step, sequences, states, plan)
    before = state_mapping()
    with inner_scope() as scope:
        try:
            results = _scanned(step, sequences, states, plan, lambda: _refuse_writes(scope, before))
        except _State:
            results = None
    # An assignment in a step (dropout moves its seed on) cannot leave `lax.scan`. Steps that run one by one allow it.
    return _unrolled(step, sequences, states, plan) if results is None else results


def _refuse_writes(scope: Any, before: Dict[int, Any]) -> None:
    after = scope.state_mapping
    if len(after) != len(before) or any(after[i] is not before.get(i) for i in after):
        raise _State


def _scanned(
    step: Step,
    sequences: Sequence[Tensor],
    states: Sequence[Tensor],
    plan: Plan,
    check: Callable[[], None] = lambda: None,
) -> Looped:
    """The loop as one operation.

    Where one step at least is certain, the first one runs before: it tells what the outputs look like, and what a layer
    makes at its first step and keeps, such as a dropout mask, does not belong to the loop.
    """
    states = [keras.ops.convert_to_tensor(s) for s in states]
    sequences = [keras.ops.convert_to_tensor(x) for x in sequences]
    rows = _ROWS[BACKEND](sequences, plan.reverse)
    asked: List[int] = []
    first: Tensors = []
    number, single = len(states), sequences[0].shape[0] == 1
    before_all = state_mapping()
    if plan.least:
        zeros: Tensors = []

        def none_before(output: Tensor) -> Tensor:
            zeros.append(output)
            return keras.ops.zeros_like(output)

        first, states = step(rows.first(), list(states), none_before)
        check()
        # In the order in which a step asks: of an output for which it did, the carried value is the output itself.
        asked = list(range(len(zeros)))
    carried = [*states, *[first[i] for i in asked]]
    # A variable that a step assigns in a scope (dropout moves its seed on) is carried like a state. JAX has none here.
    written = [i for i, value in state_mapping().items() if before_all.get(i) is not value]
    # An output that is carried as well, and its place there: the last one needs no reading.
    carried_too = _same_in(first, carried)

    def body(carried: Tensors, elements: Tensors) -> Tuple[Tensors, Tensors]:
        before = iter(carried[number : number + len(asked)])
        _put(written, carried)
        outputs, new = step(elements, carried[:number], lambda _output: next(before))
        check()
        carried = [*new, *[outputs[i] for i in asked], *_values_of(written)]
        carried_too.intersection_update(_same_in(outputs, carried))
        return carried, [_like(o, f) for o, f in zip(outputs, first)] if first else outputs

    if single and plan.least:
        collected, lasts, finals = [keras.ops.expand_dims(f, 0) for f in first], list(first), list(states)
    else:
        carried = rows.run(body, [*carried, *_values_of(written)], first)
        _put(written, carried)
        finals, collected, there = carried[:number], rows.collected(), dict(carried_too)
        lasts = [carried[there[i]] if i in there else rows.last(i) for i in range(len(first))]
    if plan.reverse and plan.in_order:
        collected = [keras.ops.flip(c, axis=0) for c in collected]
    return collected, lasts, finals


def _values_of(written: List[int]) -> Tensors:
    """The values that variables have in the scope."""
    return [scope_values()[i] for i in written]


def _put(written: List[int], carried: Tensors) -> None:
    """Give the variables, in the scope, the values that are the last of what is carried."""
    if written:
        scope_values().update(zip(written, carried[-len(written) :]))


def _same_in(tensors: Tensors, others: Tensors) -> Set[Tuple[int, int]]:
    """The places of tensors that are also among the others, with their places there."""
    return {(i, j) for i, t in enumerate(tensors) for j, other in enumerate(others) if t is other}


class _RowsOfJax:
    """The elements and outputs of a loop by `lax.scan`, which slices and stacks by itself."""

    def __init__(self, xs: Tensors, reverse: bool) -> None:
        self._xs, self._reverse = xs, reverse
        self._collected: Tensors = []

    def first(self) -> Tensors:
        """The elements of the first step, which then is not part of the loop."""
        return [x[-1 if self._reverse else 0] for x in self._xs]

    def run(self, body: Body, carried: Tensors, first: Tensors) -> Tensors:
        """Run all steps, after the first one if its outputs are given; returns what is carried at the end."""
        import jax

        xs = [x[:-1] if self._reverse else x[1:] for x in self._xs] if first else self._xs
        last, outputs = jax.lax.scan(body, carried, xs, reverse=self._reverse)
        ahead = [keras.ops.expand_dims(f, 0) for f in first]
        pairs = zip(outputs, ahead) if self._reverse else zip(ahead, outputs)
        self._collected = [keras.ops.concatenate(pair, axis=0) for pair in pairs] if first else list(outputs)
        final: Tensors = last
        return final

    def collected(self) -> Tensors:
        """The outputs of all steps."""
        return self._collected

    def last(self, place: int) -> Tensor:
        """An output of the last step."""
        return self._collected[place][0 if self._reverse else -1]


class _RowsOfTensorFlow:
    """The same by `tf.while_loop`: `keras.ops.scan` takes dtypes and shapes of outputs to be those of the states."""

    def __init__(self, xs: Tensors, reverse: bool) -> None:
        import tensorflow as tf

        self._reverse, steps = reverse, xs[0].shape[0]
        self._known = steps is not None
        self._size = steps if self._known else tf.shape(xs[0])[0]
        self._specs = [tf.TensorSpec(x.shape[1:], x.dtype) for x in xs]
        self._arrays = [self._array(spec).unstack(x) for spec, x in zip(self._specs, xs)]
        self._made: List[Any] = []
        self._filled = False

    def _array(self, like: Any, more: int = 0) -> Any:
        import tensorflow as tf

        return tf.TensorArray(like.dtype, self._size + more, element_shape=like.shape, clear_after_read=False)

    def _place(self, i: Any) -> Any:
        return self._size - 1 - i if self._reverse else i

    def first(self) -> Tensors:
        """The elements of the first step, which then is not part of the loop."""
        return [array.read(self._place(0)) for array in self._arrays]

    def run(self, body: Body, carried: Tensors, first: Tensors) -> Tensors:
        """Run all steps, after the first one if its outputs are given; returns what is carried at the end."""
        import tensorflow as tf

        samples = first
        if not first:
            # A trace that nobody runs tells what the outputs look like.
            traced = tf.function(lambda old, elements: tuple(body(list(old), list(elements))[1]), autograph=False)
            samples = traced.get_concrete_function(tuple(carried), tuple(self._specs)).structured_outputs
        # An array of nothing does not know the shape of its elements.
        self._filled = not first and not self._known and all([isinstance(o, tf.Tensor) for o in samples])
        arrays = [self._array(o, 1 if self._filled else 0) for o in samples]
        if first:
            arrays = [array.write(self._place(0), o) for array, o in zip(arrays, first)]
        if self._filled:
            arrays = [array.write(self._size, tf.zeros_like(o)) for array, o in zip(arrays, samples)]

        def run(i: Tensor, old: Tensors, made: Any) -> Tuple[Tensor, Tensors, Any]:
            index = self._place(i)
            new, outputs = body(list(old), [array.read(index) for array in self._arrays])
            for before, after in zip(old, new):
                after.set_shape(before.shape)
            return i + 1, new, [array.write(index, o) for array, o in zip(made, outputs)]

        begin = (tf.constant(1 if first else 0), list(carried), arrays)
        most = self._size if self._known else None
        _, last, self._made = tf.while_loop(lambda i, *_: i < self._size, run, begin, maximum_iterations=most)
        return list(last)

    def collected(self) -> Tensors:
        """The outputs of all steps."""
        return [array.stack()[: self._size] if self._filled else array.stack() for array in self._made]

    def last(self, place: int) -> Tensor:
        """An output of the last step."""
        return self._made[place].read(0 if self._reverse else self._size - 1)


_ROWS: Dict[str, Any] = {'jax': _RowsOfJax, 'tensorflow': _RowsOfTensorFlow}


def _like(x: Tensor, other: Tensor) -> Tensor:
    """`x` in the dtype of `other`."""
    dtype = keras.backend.standardize_dtype(other.dtype)
    return x if keras.backend.standardize_dtype(x.dtype) == dtype else keras.ops.cast(x, dtype)


def _unrolled(step: Step, sequences: Sequence[Tensor], states: Sequence[Tensor], plan: Plan) -> Looped:
    """The loop as one step after the other."""
    sequences = [keras.ops.convert_to_tensor(x) for x in sequences]
    old = [keras.ops.convert_to_tensor(s) for s in states]
    steps = sequences[0].shape[0]
    rows: List[Tensors] = []

    def previous(output: Tensor) -> Tensor:
        index = next(asked)
        return rows[-1][index] if rows else keras.ops.zeros_like(output)

    apart = [list(keras.ops.unstack(x, steps, axis=0)) if steps else [] for x in sequences]
    for t in reversed(range(steps)) if plan.reverse else range(steps):
        asked = count()
        outputs, old = step([x[t] for x in apart], old, previous)
        rows.append(outputs)
    lasts = list(rows[-1]) if plan.least else []
    if not rows:
        # Zeros stand for a slice of an empty tensor: they tell what the outputs look like.
        elements = [keras.ops.zeros(tuple(x.shape[1:]), x.dtype) for x in sequences]
        asked = count()
        outputs, _new = step(elements, list(old), previous)
        return [keras.ops.zeros((0, *o.shape), o.dtype) for o in outputs], lasts, list(old)
    if plan.reverse and not plan.in_order:
        rows.reverse()
    return [keras.ops.stack(list(column), axis=0) for column in zip(*rows)], lasts, list(old)


@registered
class Loop(OwnLayer):
    """Runs a recorded step over axis 0 of tensors.

    The step is a model. It gets elements, states, previous outputs and what else it reads, and returns outputs and new
    states. `counts` says how many of the first three and of the outputs there are.
    """

    def __init__(self, step: Any, counts: Sequence[int], plan: Dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.step, self.counts, self.plan = as_model(step), tuple(counts), dict(plan)

    def call(self, *given: Any, training: Optional[bool] = None) -> Tensors:
        sequences, states, asked, results = self.counts
        fixed = list(given[sequences + states :])
        # The previous value of an output does not depend on its present value: a tensor of its shape asks for it.
        samples = [self._sample(i, given, fixed, training) for i in range(asked)]

        def step(elements: Tensors, old: Tensors, previous: Any) -> Tuple[Tensors, Tensors]:
            before = [previous(sample) for sample in samples]
            tensors = results_of(self.step, [*elements, *old, *before, *fixed], training)
            return tensors[:results], tensors[results:]

        outputs, lasts, finals = run_loop(
            step, given[:sequences], given[sequences : sequences + states], Plan(**self.plan)
        )
        return [*outputs, *lasts, *finals]

    def _sample(self, place: int, given: Sequence[Any], fixed: Tensors, training: Optional[bool]) -> Tensor:
        """A tensor of the shape and dtype of an output."""
        output, (sequences, states, asked, _) = self.step.outputs[place], self.counts
        if None in output.shape[1:]:
            # The step itself tells the shape. The zeros for the outputs before it are repeated to any size.
            before = [keras.ops.zeros([n or 1 for n in o.shape], o.dtype) for o in self.step.outputs[:asked]]
            first = [x[0] for x in given[:sequences]]
            outputs = results_of(self.step, [*first, *given[sequences : sequences + states], *before, *fixed], training)
            return keras.ops.zeros_like(outputs[place])
        # The one size that a record may not know is that of the batch, which the sequences have beside the time.
        sizes = [keras.ops.shape(given[0])[1] if n is None else n for n in output.shape]
        return keras.ops.zeros(sizes, output.dtype)

    def compute_output_spec(self, *given: Any, training: Optional[bool] = None) -> Tensors:
        results, steps = self.counts[3], given[0].shape[0]
        outputs = [keras.KerasTensor(o.shape, o.dtype) for o in self.step.outputs]
        collected = [keras.KerasTensor((steps, *o.shape), o.dtype) for o in outputs[:results]]
        lasts = [keras.KerasTensor(o.shape, o.dtype) for o in outputs[:results]] if self.plan['least'] else []
        return [*collected, *lasts, *outputs[results:]]

    def get_config(self) -> Dict[str, Any]:
        step = keras.saving.serialize_keras_object(self.step)
        return {'step': step, 'counts': list(self.counts), 'plan': self.plan, 'name': self.name}


def _recorded(step: Step, sequences: Sequence[Tensor], states: Sequence[Tensor], plan: Plan) -> Looped:
    """The results of a loop as KerasTensors."""
    elements = [_stand_in(x.shape[1:], x.dtype) for x in sequences]
    old = [_stand_in(s.shape, s.dtype) for s in states]
    asked: Tensors = []

    def previous(output: Tensor) -> Tensor:
        asked.append(_stand_in(output.shape, output.dtype))
        return asked[-1]

    RECORDED.steps.append(elements[0])
    RECORDED.outside.append(([t for t in [*sequences, *states] if is_symbolic(t)] or elements)[0])
    RECORDED.inside.append(elements[0])
    try:
        outputs, new = step(elements, list(old), previous)
    finally:
        RECORDED.steps.pop()
        RECORDED.outside.pop()
        RECORDED.inside.pop()
    results = [anchored(t, elements[0]) for t in [*outputs, *new]]
    inner = [*elements, *old, *asked]
    captured = hoisted(results, {id(t) for t in inner})
    counts = (len(elements), len(old), len(asked), len(outputs))
    tensors = Loop(model_from([*inner, *captured], results), counts, {key: getattr(plan, key) for key in _IN_FILES})(
        *sequences, *states, *captured
    )
    tensors = tensors if isinstance(tensors, list) else [tensors]
    lasts = len(outputs) if plan.least else 0
    return tensors[: len(outputs)], tensors[len(outputs) : len(outputs) + lasts], tensors[len(outputs) + lasts :]


def _stand_in(shape: Sequence[Any], dtype: Any) -> Tensor:
    """An Input for one slice of a tensor, or for a state."""
    sizes = tuple([n if isinstance(n, int) else None for n in shape])
    tensor = as_k_tensor(keras.Input(batch_shape=sizes, dtype=keras.backend.standardize_dtype(dtype)))
    setattr(tensor, INSIDE, True)
    return tensor

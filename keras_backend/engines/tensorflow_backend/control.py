"""Functions, gradients, choices and loops: what builds graphs, and what makes the gradients of loops cheap."""

from typing import Any, Callable, List, Optional, Sequence, Set, Tuple

from ...basics.dtypes import promote
from ...basics.library import Plan, Step, Tensor
from ...errors import ArgumentTypeError, ShapeError
from .functions import Function
from .steps import LOOPS, Trace, assigning, nested, operations, read_in, refuse_escaped
from .tensors.graph import check, describe, graph
from .tensors.tensors import converted, is_variable, static_shape, used
from .vendor import branches_around, get_default_graph, keep_for_gradients, outer_graph, tf, tf2

# -- what a gradient may need ------------------------------------------------------------------------------------------
# The tensors inside of branches and loops that a gradient may need.
#
# TensorFlow can build the gradient of a branch or loop that has run only if the branch has handed out all tensors that
# the gradient needs. It hands out every tensor of the branch, if told to. Each costs operations in both branches and
# outside: a dropout of 14 operations has 13 such tensors. Few of them can be asked for. A gradient passes from the
# results to what the branch takes from outside, and uses the inputs and outputs of the operations on this path alone:
#
#     mask = cast(random_uniform(shape(x)) > rate)         nothing from outside is behind the mask, but the shape of x
#     y = x * mask                                         on the path from x to y: x, mask and y are kept
#
# Lists of tensors are on the path. A list that the body takes from outside is not kept: a loop that writes to such a
# list would have to copy it in each step, T elements in each of T steps. No gradient of a step needs this list. The
# lists that the body makes anew are kept: a loop inside of the body reads its sequence from one and hands out others
# for its own gradient.
#
# A tensor that a loop carries is kept, even if the body does not use it: its gradient is zeros of the same shape.
#
# A branch deep inside of others keeps nothing. All around it would have to hand out what it keeps, so time and memory
# would grow with the square of the depth. TensorFlow then adds what is needed when it makes the gradient.


# Operations with a float result that no gradient passes.
_CUT = frozenset(['ZerosLike', 'OnesLike', 'StopGradient', 'Const'])

# Operations that a gradient passes as it is. TensorFlow puts one behind each tensor that a branch hands out. That would
# double what a branch in a branch hands out, at each level.
_SAME = frozenset(['Identity', 'IdentityN'])

# Operations that give the list that they take, changed.
_WRITING = frozenset(['TensorListPushBack', 'TensorListPopBack', 'TensorListSetItem', 'TensorListResize'])

# A network has few branches inside of each other.
_DEEP = 16


def needed(graph: Any, tensors: List[Any]) -> List[Any]:
    """Those of `tensors`, which are made in the graph of a branch or a loop, that a gradient may need."""
    if branches_around(graph, _DEEP) == _DEEP:
        return []
    reached: Set[int] = {id(t) for t in graph.inputs if _passes(t.dtype)}
    outside: Set[int] = {id(t) for t in graph.inputs if t.dtype == tf.variant}
    outputs = set(map(id, graph.outputs))
    kept = {id(t) for t in graph.inputs if _is_number(t.dtype) and id(t) not in outputs}
    for op in graph.get_operations():
        if op.type in _CUT or not any([id(t) in reached for t in op.inputs]):
            continue
        results = [t for t in op.outputs if _passes(t.dtype)]
        if results:
            reached.update(map(id, results))
            if op.type not in _SAME:
                kept.update(map(id, op.inputs))
                kept.update(map(id, op.outputs))
        outside.update([id(t) for t in op.outputs if t.dtype == tf.variant and _is_changed(t, outside)])
    # A constant is made anew where it is needed.
    return [t for t in tensors if id(t) in kept and t.op.type != 'Const' and id(t) not in outside]


def _is_changed(t: Any, lists: Set[int]) -> bool:
    """Whether the list `t` is one of `lists`, changed by the operation that gives it, or is changed in the body."""
    if t.op.type in LOOPS:
        return t.value_index < len(t.op.inputs) and id(t.op.inputs[t.value_index]) in lists
    return t.op.type in _WRITING or any([id(i) in lists for i in t.op.inputs])


def _passes(dtype: Any) -> bool:
    """Whether a gradient may pass a tensor of this dtype. It passes variables and lists of tensors, too."""
    return _is_number(dtype) or dtype in (tf.resource, tf.variant)


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex)


keep_for_gradients(needed)

# -- building ----------------------------------------------------------------------------------------------------------
# Functions, gradients, choices and loops.


# As many iterations at a time as TensorFlow's own layers use; fewer cost a fifth more time.
_PARALLEL = 32


class Control:
    """The part of `TensorFlowLibrary` that builds graphs."""

    front: Any

    def function(self, inputs: Any, outputs: Any, updates: Any, **kwargs: Any) -> Function:
        return Function(inputs, outputs, [self._with_tensor(u) for u in updates], **kwargs)

    def _with_tensor(self, update: Any) -> Any:
        """An update that is a pair (variable, value) with a tensor for the value; another one as it is."""
        if isinstance(update, (tuple, list)) and len(update) == 2 and is_variable(update[0]):
            return update[0], self.front.operand(update[1], update[0].dtype.base_dtype.name)
        return update

    def gradients(self, loss: Tensor, variables: Sequence[Tensor]) -> List[Any]:
        for x in (loss, *variables):
            check(x)
        graph()
        return [_dense(g, x) for g, x in zip(tf.gradients([used(loss)], variables), variables)]

    def choice(self, condition: Tensor, branches: Sequence[Callable[[], List[Any]]]) -> List[Tensor]:
        outputs: List[List[Tensor]] = []

        def branch(build: Callable[[], List[Any]], dtypes: Optional[List[str]] = None) -> Callable[[], List[Tensor]]:
            def traced() -> List[Tensor]:
                with nested():
                    outputs.append([self.front.operand(value) for value in build()])
                refuse_escaped(outputs[-1])
                return outputs[-1] if dtypes is None else [converted(v, dtype) for v, dtype in zip(outputs[-1], dtypes)]

            return traced

        condition = converted(condition, tf.bool)
        try:
            chosen = tf.cond(condition, *[branch(build) for build in branches])
        except (TypeError, ValueError):  # the branches have other dtypes; all else is raised again
            if len(outputs) != 2:
                raise
            branch_dtypes = [[value.dtype.name for value in values] for values in outputs]
            if branch_dtypes[0] == branch_dtypes[1]:
                raise
            met = [promote(a, b) for a, b in zip(*branch_dtypes)]
            chosen = tf.cond(condition, *[branch(build, met) for build in branches])
        results = list(chosen) if isinstance(chosen, (list, tuple)) else [chosen]
        for result, *pair in zip(results, *outputs[-2:]):
            if all([tensor.graph is result.graph for tensor in pair]):
                # For updates, which can choose between the rows of two gradients.
                result._keras_backend_choice = (condition, *pair)
        return results

    def as_state(self, index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
        dtype = old.dtype.name
        new = self.front.operand(new, dtype)
        if not new.shape.is_compatible_with(old.shape):
            raise ShapeError(
                f'state {index} changes its shape in {what}: it starts as {describe(first)} of shape {first.shape} and '
                f'the step returns {describe(new)} of shape {new.shape}.'
            )
        if promote(new.dtype.name, dtype) != dtype:
            raise ArgumentTypeError(
                f'state {index} is {dtype}, but {what} returns {new.dtype.name} for it; start it as {new.dtype.name}.'
            )
        new = converted(new, dtype)
        new.set_shape(old.shape)
        return new

    def loop(
        self, step: Step, sequences: Sequence[Tensor], states: Sequence[Tensor], plan: Plan
    ) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
        """Call the step once outside, and copy what it makes into a loop of TensorFlow (see `Trace`).

        A layer may make a tensor at its first step and keep it, such as a dropout mask. This tensor is made outside and
        holds for all steps. Such a step cannot be copied. It is called again in the loop.
        """
        reverse, length, least, what, in_order = plan
        steps = _length(sequences, length, what)
        trace, before = Trace(what), operations()
        masked: List[Tensor] = []

        def previous(output: Tensor) -> Tensor:
            masked.append(output)
            return trace.stand_in(tf.zeros_like(output))

        first = [_first(x, steps, reverse) for x in sequences]
        with nested():
            step_results = step([trace.stand_in(x) for x in first], [trace.stand_in(s) for s in states], previous)
        outputs, new = _traced(self, step_results, states, states, what)
        outside = tf.get_default_graph()
        # An output that is a state, too: the gradient of a state is cheaper than that of the last of all outputs.
        twins = [next((j for j, n in enumerate(new) if n is o), None) for o in outputs]
        samples = outputs
        copy = trace.copied([*outputs, *new])
        if copy is None:
            trace.let_out()
        assigns = copy is None and assigning(before)
        starts = [_zeros_for(output, sequences[-1], trace, [*first, *states]) for output in masked]
        for sample, start in zip(samples, starts):
            sample.set_shape(start.shape)

        count = _count(sequences[0], steps, least, what)
        readers = [_Popped(_cut(x, steps), reverse) if x.dtype.is_floating else _Read(x, count) for x in sequences]
        tensor_lists = [
            tf.raw_ops.EmptyTensorList(
                element_shape=_element_shape(s.shape), max_num_elements=count, element_dtype=s.dtype
            )
            for s in samples
        ]

        def again(elements: List[Tensor], old: List[Tensor], before: List[Tensor]) -> Tuple[List[Tensor], List[Tensor]]:
            """The outputs and new states of a step inside of the loop."""
            if copy is not None:
                results = copy([*elements, *old, *before])
                return results[: len(samples)], results[len(samples) :]
            if not assigns:
                read_in(outside)
            asked = iter(before)
            with nested():
                step_results = step(elements, list(old), lambda _output: next(asked))
            return _traced(self, step_results, old, states, what)

        def body(i: Tensor, lists: Any, made: Any, carried: Any) -> Tuple[Tensor, Any, Any, Any]:
            index = count - 1 - i if reverse else i
            old, before = list(carried[: len(states)]), list(carried[len(states) :])
            taken = [x.take(handle, index) for x, handle in zip(readers, lists)]
            outputs, new = again([element for _, element in taken], old, before)
            outputs = [converted(o, s.dtype) for o, s in zip(outputs, samples)]
            for output, start in zip(outputs, starts):
                output.set_shape(start.shape)
            made = [tf.raw_ops.TensorListPushBack(input_handle=m, tensor=o) for m, o in zip(made, outputs)]
            return i + 1, [handle for handle, _ in taken], made, new + outputs[: len(starts)]

        _, _, tensor_lists, carried = tf2.while_loop(
            lambda i, lists, made, carried: i < count,
            body,
            [tf.constant(0), [x.handle for x in readers], tensor_lists, [*states, *starts]],
            parallel_iterations=_PARALLEL,
            maximum_iterations=count,
        )
        collected = [_stacked(m, s, steps) for m, s in zip(tensor_lists, samples)]
        if reverse and not in_order:
            collected = [tf.reverse(c, [0]) for c in collected]
        for c, s in zip(collected, samples):
            c.set_shape(tf.TensorShape([steps]).concatenate(s.shape))
        carried = list(carried)
        last = []
        for k, c in enumerate(collected if least else []):
            state = len(states) + k if k < len(starts) else twins[k]
            last.append(carried[state] if state is not None else c[0 if reverse and not in_order else -1])
        return collected, last, carried[: len(states)]


def _dense(gradient: Any, x: Tensor) -> Any:
    if isinstance(gradient, tf.Tensor) and gradient.shape.rank is None:
        # A choice between branches of unlike rank forgets it on the way back, too.
        gradient.set_shape(x.shape)
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    dense = tf.convert_to_tensor(gradient)
    # For an optimizer that can make use of it: a lookup touches few of many rows.
    dense._keras_backend_slices = gradient
    return dense


class _Popped:
    """A sequence as a list of which every step takes the last element.

    To take the last one off and to put one on are each other's gradients, so the gradient of a step costs one element.
    That of reading at a place is a list of all elements: T steps would cost T x T.
    """

    def __init__(self, x: Tensor, reverse: bool) -> None:
        self._dtype, self._shape = x.dtype, x.shape[1:]
        self.handle = tf.raw_ops.TensorListFromTensor(
            tensor=x if reverse else tf.reverse(x, [0]), element_shape=_element_shape(self._shape)
        )

    def take(self, handle: Tensor, _place: Tensor) -> Tuple[Tensor, Tensor]:
        """The list that is left, and the element of this step."""
        rest, element = tf.raw_ops.TensorListPopBack(
            input_handle=handle, element_dtype=self._dtype, element_shape=_element_shape(self._shape)
        )
        element.set_shape(self._shape)
        return rest, element


class _Read:
    """A sequence without a gradient, which is read at the place of each step."""

    def __init__(self, x: Tensor, count: Any) -> None:
        self._array = tf.TensorArray(x.dtype, count, element_shape=x.shape[1:], clear_after_read=False).unstack(x)
        self.handle: List[Tensor] = []

    def take(self, handle: List[Tensor], place: Tensor) -> Tuple[List[Tensor], Tensor]:
        """The same pair as `_Popped.take`. `handle` stays as it is, since there is no list to hand on."""
        return handle, self._array.read(place)


def _element_shape(shape: Any) -> Tensor:
    """A static shape as operations on lists take it."""
    return tf.constant(-1 if shape.rank is None else [-1 if d is None else d for d in shape.as_list()], tf.int32)


def _stacked(handle: Tensor, sample: Tensor, steps: Optional[int]) -> Tensor:
    """The elements of a list as one tensor."""
    return tf.raw_ops.TensorListStack(
        input_handle=handle,
        element_shape=_element_shape(sample.shape),
        element_dtype=sample.dtype,
        num_elements=-1 if steps is None else steps,
    )


def _traced(
    library: Any, found: Any, old: Sequence[Tensor], initial: Sequence[Tensor], what: str
) -> Tuple[List[Tensor], List[Tensor]]:
    """The results of a step as tensors: outputs, and new states that fit the old ones."""
    outputs, new = found
    if len(new) != len(old):
        raise ShapeError(f'{what} was given {len(old)} states and returned {len(new)}.')
    new = [library.as_state(i, n, o, first, what) for i, (n, o, first) in enumerate(zip(new, old, initial))]
    return [library.front.operand(o) for o in outputs], new


def _length(sequences: Sequence[Tensor], length: Optional[int], what: str) -> Optional[int]:
    """The number of steps, None if it is not known before a run."""
    lengths = {static_shape(x)[0] for x in sequences} - {None}
    if len(lengths) > 1:
        raise ShapeError(
            f'the sequences that {what} goes over have different lengths: '
            f'{", ".join([f"{describe(x)} of shape {static_shape(x)}" for x in sequences])}.'
        )
    return lengths.pop() if lengths else length


def _cut(x: Tensor, steps: Optional[int]) -> Tensor:
    """A sequence of which no more than the steps is there: one going backwards begins at its last element."""
    return x if steps is None or static_shape(x)[0] is not None else x[:steps]


def _first(x: Tensor, steps: Optional[int], reverse: bool) -> Tensor:
    """The first element. Zeros stand for that of an empty tensor."""
    outside = outer_graph(get_default_graph()) is None
    if steps or (steps is None and outside):
        return x[-1 if reverse else 0]
    zeros = tf.zeros(tf.shape(x)[1:], x.dtype)
    # A branch or a body computes the first element also where the gradient alone may need it.
    first = zeros if steps == 0 else tf.concat([x[-1:] if reverse else x[:1], zeros[None]], 0)[0]
    first.set_shape(x.shape[1:])
    return first


def _zeros_for(output: Tensor, sequence: Tensor, trace: Trace, values: List[Tensor]) -> Tensor:
    """Zeros of the shape of an output of a loop over `sequence`, whose step was called with what stands for `values`.

    Where the size of the batch alone is unknown, it is taken from the sequence: that of the output itself would make
    TensorFlow run the step once more than there are steps.
    """
    sizes = None if output.shape.rank is None or sequence.shape.rank in (None, 1) else output.shape.as_list()
    if sizes and sizes[0] is None and None not in sizes[1:]:
        zeros = tf.zeros(tf.stack([tf.shape(sequence)[1], *sizes[1:]]), output.dtype)
    elif sizes is not None and None not in sizes:
        zeros = tf.zeros(sizes, output.dtype)
    else:
        copy = trace.copied([output])
        zeros = tf.zeros_like(output if copy is None else copy([*values, *trace.inputs[len(values) :]])[0])
    zeros.set_shape(output.shape)
    return zeros


def _count(x: Tensor, steps: Optional[int], least: int, what: str) -> Any:
    """The number of steps: an int, or a tensor that fails in a run with fewer than `least`."""
    if steps is not None:
        return steps
    count = tf.shape(x)[0]
    if not least:
        return count
    # `sessions.session.translate` makes a ShapeError of it.
    words = f'{what[0].upper()}{what[1:]} needs at least 1 time step, the sequence has 0.'
    with tf.control_dependencies([tf.debugging.Assert(count >= least, [words])]):
        return tf.identity(count)

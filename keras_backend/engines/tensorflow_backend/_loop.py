"""Loops: one step function over the slices of tensors (see `library.Library.loop`)."""

from typing import Any, List, Optional, Sequence, Tuple

from ...errors import ShapeError
from ...library import Step, Tensor
from ._graph import describe
from ._library import tf, tf2
from ._tensors import converted, static_shape

# As many iterations at a time as TensorFlow's own layers use; fewer cost a fifth more time.
_PARALLEL = 32


def loop(
    library: Any,
    step: Step,
    sequences: Sequence[Tensor],
    states: Sequence[Tensor],
    *,
    reverse: bool,
    length: Optional[int],
    least: int,
    what: str,
    in_order: bool,
) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
    """Trace the step once outside and once in a loop of TensorFlow.

    The first trace tells dtypes and shapes; and what a layer makes at its first step and keeps, such as a dropout mask,
    is then made outside and holds for all steps.
    """
    starts: List[Tensor] = []

    def zeros_before(output: Tensor) -> Tensor:
        starts.append(tf.zeros_like(output))
        return starts[-1]

    steps = _length(sequences, length, what)
    first = [_first(x, steps, reverse) for x in sequences]
    outputs, new = _traced(library, step(first, list(states), zeros_before), states, states, what)
    # An output that is a state, too: the gradient of a state is cheaper than that of the last of all outputs.
    twins = [next((j for j, n in enumerate(new) if n is o), None) for o in outputs]
    samples = outputs
    for sample, start in zip(samples, starts):
        sample.set_shape(start.shape)

    count = _count(sequences[0], steps, least, what)
    given = [
        tf.TensorArray(x.dtype, count, element_shape=x.shape[1:], clear_after_read=False).unstack(x) for x in sequences
    ]
    made = [tf.TensorArray(s.dtype, count, element_shape=s.shape) for s in samples]

    def body(i: Tensor, arrays: Any, carried: Any) -> Tuple[Tensor, Any, Any]:
        place = count - 1 - i if reverse else i
        old, before = list(carried[: len(states)]), list(carried[len(states) :])
        asked = iter(before)
        found = step([x.read(place) for x in given], list(old), lambda _output: next(asked))
        outputs, new = _traced(library, found, old, states, what)
        outputs = [converted(o, s.dtype) for o, s in zip(outputs, samples)]
        for output, start in zip(outputs, starts):
            output.set_shape(start.shape)
        kept = [a.write(i if in_order else place, o) for a, o in zip(arrays, outputs)]
        return i + 1, kept, new + outputs[: len(starts)]

    _, arrays, carried = tf2.while_loop(
        lambda i, arrays, carried: i < count,
        body,
        [tf.constant(0), made, [*states, *starts]],
        parallel_iterations=_PARALLEL,
        maximum_iterations=count,
    )
    collected = [a.stack() for a in arrays]
    for c, s in zip(collected, samples):
        c.set_shape([steps, *s.shape.as_list()])
    carried = list(carried)
    last = []
    for k, c in enumerate(collected if least else []):
        state = len(states) + k if k < len(starts) else twins[k]
        last.append(carried[state] if state is not None else c[0 if reverse and not in_order else -1])
    return collected, last, carried[: len(states)]


def _traced(
    library: Any, found: Any, old: Sequence[Tensor], initial: Sequence[Tensor], what: str
) -> Tuple[List[Tensor], List[Tensor]]:
    """What a step returned, as tensors: outputs, and new states that fit the old ones."""
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


def _first(x: Tensor, steps: Optional[int], reverse: bool) -> Tensor:
    if steps != 0:
        return x[-1 if reverse else 0]
    # Zeros stand for a slice of an empty tensor.
    zeros = tf.zeros(tf.shape(x)[1:], x.dtype)
    zeros.set_shape(x.shape[1:])
    return zeros


def _count(x: Tensor, steps: Optional[int], least: int, what: str) -> Any:
    """The number of steps: an int, or a tensor that fails in a run with fewer than `least`."""
    if steps is not None:
        return steps
    count = tf.shape(x)[0]
    if not least:
        return count
    with tf.control_dependencies([tf.debugging.Assert(count >= least, [f'{what} needs at least one time step.'])]):
        return tf.identity(count)

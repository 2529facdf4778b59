"""The statements of a program as operations of the graph of TensorFlow that is open."""

from typing import TYPE_CHECKING, Any, Dict, List

import tensorflow as tf

from ...errors import ExportError
from ...graph.nodes.dims import known, ranked
from ...graph.nodes.tensor import Draws
from ...graph.run.failures import said
from ...graph.run.interpreter import Interpreter, Values
from ...graph.run.statements import Choice, Compute, Loop
from .primitives import ELEMENTWISE, RANDOM, REDUCTION, SHAPE, Kernel
from .spatial import SPATIAL

if TYPE_CHECKING:
    from ...graph.nodes.tensor import Tensor

KERNELS: Dict[str, Kernel] = {**ELEMENTWISE, **REDUCTION, **SHAPE, **RANDOM, **SPATIAL}
v1 = tf.compat.v1


def shape_of(t: 'Tensor') -> Any:
    """What is known of the shape of a tensor of K, as TensorFlow says it."""
    return [d if known(d) else None for d in t.dims] if ranked(t) else None


class Translation(Interpreter):
    """Runs the blocks of a lowering on symbolic tensors of TensorFlow."""

    def compute(self, compute: Compute, arguments: List[Any], values: Values) -> Any:
        """The result of a primitive."""
        node = compute.node
        kernel = KERNELS.get(node.op.name)
        who, name = said(node)
        if kernel is None:
            raise ExportError(f'{who}: a SavedModel cannot say {name}: no operation of TensorFlow does it here.', who)
        if any([x.sparse for x in node.inputs if not isinstance(x, Draws)]):
            raise ExportError(f'{who}: a SavedModel cannot say {name}, which reads a sparse matrix.', who)
        try:
            result = kernel(*arguments, **node.attrs)
        except (TypeError, ValueError, NotImplementedError) as error:
            reason = str(error).strip().splitlines()[0]
            raise ExportError(f'{who}: TensorFlow does not take {name}: {reason}', who) from error
        if not node.results and ranked(node):
            result.set_shape(shape_of(node))
        return result

    def _loop(self, loop: Loop, values: Values) -> None:
        for size, (name, axis) in loop.sizes.items():
            values[size] = tf.shape(values[name])[axis]
        sequences = [values[name] for name, _is_list, _element in loop.elements]
        length = tf.shape(sequences[0] if sequences else values[loop.over_nothing])[0]
        program = self.lowering.program
        states = [loop.scan.states[i][0] for i in sorted(program.states[loop.scan.id])]
        nodes = [node for _key, node in sorted(program.collected[loop.scan.id].items())]
        shapes = [None if shape_of(node) is None else shape_of(node)[1:] for node in nodes]
        lists = [tf.TensorArray(node.dtype, length, element_shape=shape) for node, shape in zip(nodes, shapes)]
        checked = {position for position, _index in loop.checked}
        # a state whose size the step seems to change
        kept = [None if i in checked else shape_of(t) for i, t in enumerate(states)]
        first = [tf.convert_to_tensor(values[name]) for name, _inner, _new in loop.states]
        invariants = [tf.TensorShape(shape) for shape in kept]

        def body(i: Any, now: Any, collected: Any) -> Any:
            at = length - 1 - i if loop.scan.reverse else i
            inside = dict(values)
            inside.update((element, s[at]) for s, (_n, _l, element) in zip(sequences, loop.elements))
            inside.update((inner, state) for state, (_f, inner, _n) in zip(now, loop.states))
            self.block(loop.block, inside)
            filled = [array.write(at, inside[inner]) for array, (_name, inner) in zip(collected, loop.collected)]
            return i + 1, [inside[new] for _first, _inner, new in loop.states], filled

        _steps, last, collected = v1.while_loop(
            lambda i, _now, _collected: i < length,
            body,
            (tf.constant(0), first, lists),
            shape_invariants=(tf.TensorShape([]), invariants, [tf.TensorShape(None)] * len(lists)),
            return_same_structure=True,
        )
        for node, array, (name, _inner) in zip(nodes, collected, loop.collected):
            values[name] = array.stack()
            values[name].set_shape(shape_of(node))
        state_of = {inner: value for (_first, inner, _new), value in zip(loop.states, last)}
        for final, inner in loop.finals:
            values[final] = state_of[inner]

    def choice(self, choice: Choice, values: Values) -> None:
        """One `tf.cond`."""
        condition = values[choice.condition]

        def branch(side: int) -> List[Any]:
            inside = dict(values)
            self.block(choice.branches[side], inside)
            return [tf.identity(inside[names[side]]) for _part, names in choice.parts]

        is_true = condition if condition.dtype == tf.bool else tf.not_equal(condition, tf.zeros((), condition.dtype))
        results = v1.cond(is_true, lambda: branch(0), lambda: branch(1), strict=True)
        nodes = [node for _key, node in sorted(self.lowering.program.chosen[choice.cond.id].items())]
        for node, (name, _names), value in zip(nodes, choice.parts, results):
            if ranked(node):
                value.set_shape(shape_of(node))
            values[name] = value

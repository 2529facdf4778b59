"""Loops and choices as operators of ONNX, with the graphs inside of them, which see the values around.

A loop that surely has a step is a Scan, which runs faster. Any other one is a Loop. A choice is an If.
"""

from typing import Any, List, Sequence, Tuple, Union

from onnx import helper

from ...graph.nodes.base import Size, known, ranked, same
from ...graph.nodes.tensor import Absent, Node, Scan, Tensor
from ...graph.run.statements import Choice, Loop, Stack
from .lowering import LOWERINGS, Translator, Values, lowers_statement
from .writer import Name, Writer, filled, info, info_of, join

# A file has nobody to write to.
LOWERINGS['print'] = lambda w, node, x: x


# -- loops -------------------------------------------------------------------------------------------------------------
@lowers_statement(Loop)
def loop(translator: Translator, w: Writer, statement: Loop, values: Values) -> None:
    """Write a loop."""
    for size, (name, axis) in statement.sizes.items():
        # only a loop that may have no steps needs them
        values[size] = (values[name], axis)
    _Loop(translator, w, statement, values).write()


class _Loop:
    """A loop that is being written.

    tensors: the tensors inside, by the names of their values in statements
    """

    def __init__(self, translator: Translator, w: Writer, statement: Loop, values: Values) -> None:
        self.translator, self.w, self.statement, self.values = translator, w, statement, values
        self.scan = scan = statement.scan
        inner: List[Tensor] = [element for _outer, element in scan.sequences]
        inner += [state for _first, state, _new in scan.states]
        inner += [tensor for tensor, _item in scan.collected.values()]
        self.tensors = {translator.lowering.name(t): t for t in inner}
        # without an element that is read, it is the first sequence that tells the number of steps
        self.read = statement.elements or [(statement.over_nothing, False, '')]
        self.sequences = [values[name] for name, _is_list, _element in self.read]
        self.firsts = [values[first] for first, _inner, _new in statement.states]
        self.body = w.inner()
        self.inside = dict(values)

    def write(self) -> None:
        """Write it, and put what it makes into the values."""
        has_steps = _surely_has_steps(self.scan, self.translator)
        self._same_lengths(has_steps)
        outputs = self._as_scan() if has_steps else self._as_loop()
        statement, values = self.statement, self.values
        states = dict(zip([inner for _first, inner, _new in statement.states], outputs))
        for final, inner in statement.finals:
            values[final] = states[inner]
        for (name, _inner), array in zip(statement.collected, outputs[len(statement.states) :]):
            values[name] = array
            if not has_steps:
                self.translator.steps[array] = self.length()

    def length(self) -> Name:
        """The number of steps, as a vector."""
        return self.w.op('Shape', self.sequences[0], start=0, end=1)

    def _same_lengths(self, has_steps: bool) -> None:
        """See to it that the file fails where sequences are not of one length. A Scan compares them itself."""
        lengths = [n for n in self.statement.lengths if isinstance(n, int)]
        if (has_steps and not lengths) or not self.statement.lengths:
            return
        length = self.w.ints(*lengths) if lengths else self.length()
        for i, x in enumerate(self.sequences):
            if i or lengths:
                shape = join(self.w, [length, self.w.op('Shape', x, start=1)])
                self.sequences[i] = self.w.op('Reshape', x, shape, allowzero=1)

    def _new(self, like: str, name: str) -> Name:
        """The name in the body of an element or state."""
        inner = self.inside[name] = self.w.name(like)
        return inner

    def _as_scan(self) -> List[Name]:
        statement, body = self.statement, self.body
        inputs = [info_of(self._new('state', inner), self.tensors[inner]) for _f, inner, _n in statement.states]
        for (_sequence, _is_list, element), (_outer, inner) in zip(self.read, self._elements()):
            # the element of a sequence that tells the number of steps alone has no name
            name = self._new('element', element) if element else self.w.name('element')
            inputs.append(info_of(name, inner))
        outputs = self._outputs(checked=False)
        count, collected = len(self.sequences), len(statement.collected)
        backwards = int(self.scan.reverse)
        return self.w.ops(
            'Scan',
            self.firsts + self.sequences,
            len(outputs),
            body=helper.make_graph(body.nodes, self.scan.name, inputs, outputs),
            num_scan_inputs=count,
            scan_input_directions=[backwards] * count,
            scan_output_directions=[backwards] * collected if collected else None,
        )

    def _elements(self) -> List[Any]:
        """The sequences that are read, and their elements."""
        by_name = {self.translator.lowering.name(inner): (outer, inner) for outer, inner in self.scan.sequences}
        if not self.statement.elements:
            return [self.scan.sequences[0]]
        return [by_name[element] for _name, _is_list, element in self.statement.elements]

    def _as_loop(self) -> List[Name]:
        statement, body, w = self.statement, self.body, self.w
        steps = w.squeeze(self.length(), 0)
        step, going = w.name('step'), w.name('going')
        inputs = [info(step, 'int64', ()), info(going, 'bool', ())]
        inputs += [info_of(self._new('state', inner), self.tensors[inner]) for _f, inner, _n in statement.states]
        index = body.op('Sub', body.op('Sub', steps, step), w.constant(1, 'int64')) if self.scan.reverse else step
        for (_name, _is_list, element), sequence in zip(statement.elements, self.sequences):
            self.inside[element] = body.op('Gather', sequence, index, axis=0)
        outputs = self._outputs(checked=True)
        on = body.op('Identity', going)
        graph = helper.make_graph(body.nodes, self.scan.name, inputs, [info(on, 'bool', ()), *outputs])
        results = w.ops('Loop', [steps, '', *self.firsts], len(outputs), body=graph)
        count = len(statement.states)
        if not self.scan.reverse:
            return results
        # it went backwards, and what it collected is in the order of time
        ends = w.ints(-1), w.ints(-(2**62)), w.ints(0), w.ints(-1)
        return results[:count] + [w.op('Slice', x, *ends) for x in results[count:]]

    def _outputs(self, checked: bool) -> List[Any]:
        """Write what is inside. checked: whether the file has to see to it that states keep their shape."""
        statement, body, inside = self.statement, self.body, self.inside
        self.translator.block(body, statement.block, inside)
        outputs = []
        changing = {position for position, _index in statement.checked} if checked else set()
        for position, (_first, inner, new) in enumerate(statement.states):
            value = inside[new]
            if position in changing:
                value = body.op('Reshape', value, body.op('Shape', inside[inner]), allowzero=1)
            outputs.append(info_of(body.op('Identity', value), self.tensors[inner]))
        for _name, inner in statement.collected:
            outputs.append(info_of(body.op('Identity', inside[inner]), self.tensors[inner]))
        return outputs


def _surely_has_steps(scan: Scan, translator: Translator) -> bool:
    """Whether K refuses sequences of no steps: those of this loop, or others of the same length."""
    if scan.least or (known(scan.length) and scan.length > 0):
        return True
    lengths = [outer.dims[0] for outer, _inner in scan.sequences]
    if any([known(d) for d in lengths]):
        return any([known(d) and d > 0 for d in lengths])
    nodes = translator.exported.program.nodes.values()
    others = [node for node in nodes if isinstance(node, Scan) and node.least and node.region is None]
    having = [outer.dims[0] for other in others for outer, _inner in other.sequences]
    return any([same(d, e) for d in lengths for e in having])


@lowers_statement(Stack)
def stack(translator: Translator, w: Writer, statement: Stack, values: Values) -> None:
    """What a loop collected. If it may be of no steps, its shape then is told by what else has these sizes."""
    collected = values[statement.steps]
    length = translator.steps.get(collected)
    if length is None or not statement.tail:
        values[statement.makes[0]] = collected
        return
    tail: List[Union[int, Name]] = []
    for size in statement.tail:
        if isinstance(size, int):
            tail.append(size)
        else:
            name, axis = values[size]
            tail.append(w.op('Shape', name, start=axis, end=axis + 1))
    empty = join(w, [w.ints(0), *tail])
    is_empty = w.op('Equal', length, w.ints(0))
    shape = w.op('Where', is_empty, empty, w.op('Shape', collected))
    values[statement.makes[0]] = w.op('Reshape', collected, shape, allowzero=1)


# -- choices -----------------------------------------------------------------------------------------------------------
@lowers_statement(Choice)
def choice(translator: Translator, w: Writer, statement: Choice, values: Values) -> None:
    """Write a choice."""
    if not statement.parts:
        return
    condition = w.known(values[statement.condition])
    if condition is not None:
        # such as the learning phase, where it is not fed: the file has the branch that runs
        side = 0 if condition else 1
        translator.block(w, statement.branches[side], values)
        values.update({name: values[names[side]] for name, names in statement.parts})
        return
    graphs = []
    for side, block in enumerate(statement.branches):
        branch, inside = w.inner(), dict(values)
        translator.block(branch, block, inside)
        outputs = []
        for name, t in _chosen(translator, statement, side):
            value = inside[name]
            if isinstance(t, Absent):
                value = _absent(translator, branch, statement, t, value, inside)
            outputs.append(info_of(branch.op('Identity', value), t))
        graphs.append(helper.make_graph(branch.nodes, f'{statement.cond.name}_{side}', [], outputs))
    condition = w.as_bool(values[statement.condition], statement.cond.condition.dtype)
    results = w.ops('If', [condition], len(statement.parts), then_branch=graphs[0], else_branch=graphs[1])
    values.update(zip([name for name, _names in statement.parts], results))


def _chosen(translator: Translator, statement: Choice, side: int) -> List[Tuple[Name, Tensor]]:
    """Of each result the name of its value in a branch, and the tensor there."""
    cond = statement.cond
    nodes = sorted(translator.exported.program.chosen[cond.id].items())
    tensors = [cond.pairs[node.attrs['index']][side] for _key, node in nodes]
    return [(names[side], t) for (_part, names), t in zip(statement.parts, tensors)]


def _absent(translator: Translator, w: Writer, statement: Choice, t: Tensor, value: Name, inside: Values) -> Name:
    """Zeros in the place of what only the other branch makes, in its shape as far as anything at hand tells it."""
    if not ranked(t) or all(map(known, t.dims)):
        return value
    at_hand: List[Tensor] = [x for x in translator.exported.inputs if ranked(x)]
    region = statement.cond.region
    while region is not None:
        owner: Any = region.owner
        if isinstance(owner, Scan):
            at_hand += [inner for _outer, inner in owner.sequences] + [inner for _f, inner, _n in owner.states]
        region = region.parent
    nodes = translator.exported.program.nodes.values()
    at_hand += [node for node in nodes if isinstance(node, Node) and ranked(node) and not node.optional]
    return filled(w, join(w, [_size(translator, w, d, at_hand, inside) for d in t.dims]), 0, t.dtype)


def _size(translator: Translator, w: Writer, d: Size, at_hand: Sequence[Tensor], inside: Values) -> Union[int, Name]:
    """A size, read off a value that has it; 1 where none has it."""
    if known(d):
        return d
    for t in at_hand:
        for axis, e in enumerate(t.dims):
            if e is d and translator.lowering.name(t) in inside:
                return w.op('Shape', inside[translator.lowering.name(t)], start=axis, end=axis + 1)
    return 1

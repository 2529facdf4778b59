"""Loops that are an LSTM, and the loops that are the gradient of it, found among the statements of a program.

A library that has the whole layer as one function computes it several times as fast as step by step. The step is that
of the paper (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000), in the order of Keras:

    z = x . kernel + h . recurrent + bias       four blocks of columns: i, f, g, o
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h = sigmoid(o) * tanh(c)

`found` looks at what each loop of the program does, whatever the names are. A step with anything else in it is none:
another activation, a mask, a peephole, dropout, a value of the inside that is asked for. The gradient of a loop is
another loop (`differentiate.gradient`). It collects the gradient of z, and products after it make of this the gradients
of x, kernel, recurrent and bias. All of these are replaced together or not at all, so what is left reads nothing that
is not made.
"""

from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from ..nodes.base import known, ranked
from .lowering import Lowering
from .statements import Compute, Loop, Name, Stack, Statement

# What a gradient belongs to.
PARTS = ('x', 'kernel', 'recurrent', 'bias', 'h', 'c')


class Lstm:
    """A loop that is an LSTM, with the names of what it reads and makes.

    given:      names of x, kernel, recurrent, h, c, and of the bias, if there is one, by the words of PARTS
    new:        names of the new h and the new c in a step
    makes:      names of the outputs over time, the last h and the last c, None for what nobody asks for
    backward:   the gradients that are asked for
    """

    def __init__(self, loop: Loop, given: Dict[str, Name], new: Tuple[Name, Name]) -> None:
        self.loop, self.given, self.new = loop, given, new
        self.makes: List[Optional[Name]] = [None, None, None]
        self.backward: List[Gradients] = []


class Gradients:
    """A loop that is the gradient of an LSTM.

    given:  names of the gradients of the outputs, the last h and the last c, None where there is none
    makes:  by the words of PARTS the names of the gradients that are asked for
    """

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.given: List[Optional[Name]] = [None, None, None]
        self.makes: Dict[str, Name] = {}


class Finder:
    """The LSTMs at the top of a lowering, and the statements that each of them replaces."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering, self.statements = lowering, lowering.top.statements
        self.maker: Dict[Name, Statement] = {name: s for s in self.statements for name in s.makes}
        self.readers: Dict[Name, List[Statement]] = {}
        for block in lowering.blocks():
            for statement in block.statements:
                reads = statement.around() if isinstance(statement, Loop) else statement.reads
                for name in reads | statement.handed_on():
                    self.readers.setdefault(name, []).append(statement)
        self.roots = set(lowering.roots())

    def found(self) -> Iterator[Tuple[Lstm, Set[Statement]]]:
        """Each LSTM, and the statements that it takes the place of."""
        for statement in self.statements:
            if isinstance(statement, Loop):
                lstm = self._forward(statement)
                replaced = lstm and self._replaced(lstm)
                if lstm and replaced:
                    yield lstm, replaced

    # -- the loop ------------------------------------------------------------------------------------------------
    def _forward(self, loop: Loop) -> Optional[Lstm]:
        if len(loop.elements) != 1 or len(loop.states) != 2 or loop.elements[0][1]:
            return None
        step = _Step(loop)
        if not step.matches():
            return None
        x, kernel = loop.elements[0][0], step.kernel
        if kernel is None:
            # The product with the kernel was computed before the loop (`primitives.linalg`).
            product = self.maker.get(x)
            if not isinstance(product, Compute) or not _is_product(product, 3):
                return None
            x, kernel = product.arguments
        if kernel == step.recurrent:
            return None  # their gradients are told apart by the name of the matrix
        operands = {'x': x, 'kernel': kernel, 'recurrent': step.recurrent, 'h': step.first_h, 'c': step.first_c}
        if step.bias is not None:
            operands['bias'] = step.bias
        return Lstm(loop, operands, (step.h, step.c))

    def _replaced(self, lstm: Lstm) -> Optional[Set[Statement]]:
        """The statements that the LSTM takes the place of, None where something else reads what they make."""
        loop = lstm.loop
        replaced: Set[Statement] = {loop}
        for statement in self.statements:
            if isinstance(statement, Loop) and statement.scan.backward is not None:
                if statement.scan.backward.forward is loop.scan:
                    gradients = self._backward(lstm, statement, replaced)
                    if gradients is None:
                        return None
                    lstm.backward.append(gradients)
        for output, inner in loop.collected:
            for stack in self._stacks(output):
                replaced.add(stack)
                if inner == lstm.new[0]:
                    lstm.makes[0] = stack.makes[0]
        new_of = {inner: new for _first, inner, new in loop.states}
        for output, inner in loop.finals:
            lstm.makes[1 if new_of[inner] == lstm.new[0] else 2] = output
        sequence = loop.elements[0][0]
        if sequence != lstm.given['x'] and replaced.issuperset(self._reading(sequence)):
            replaced.add(self.maker[sequence])
        kept = {name for name in lstm.makes if name} | {name for b in lstm.backward for name in b.makes.values()}
        gone = {name for statement in replaced for name in statement.makes} - kept
        if gone & self.roots or any([not replaced.issuperset(self._reading(name)) for name in gone]):
            return None
        return replaced

    def _reading(self, name: Name) -> List[Statement]:
        return self.readers.get(name, [])

    def _stacks(self, made: Name) -> List[Stack]:
        return [reader for reader in self._reading(made) if isinstance(reader, Stack)]

    # -- its gradient --------------------------------------------------------------------------------------------
    def _backward(self, lstm: Lstm, loop: Loop, replaced: Set[Statement]) -> Optional[Gradients]:
        link, name = loop.scan.backward, self.lowering.name
        assert link is not None
        gradients, forward = Gradients(loop), lstm.loop
        outputs = {name(element): name(tensor) for tensor, element in link.outputs}
        lists = {result for result, _inner in forward.collected}
        for sequence, is_list, element in loop.elements:
            if element in outputs:
                if outputs[element] != lstm.new[0] or is_list or gradients.given[0]:
                    return None
                gradients.given[0] = sequence
            elif not is_list or sequence not in lists:
                return None
        news = [name(new) for _initial, _inner, new in forward.scan.states]
        states = [inner for _initial, inner, _new in loop.scan.states if inner.id in link.states]
        new_of = {name(inner): news[link.states[inner.id]] for inner in states}
        part_of: Dict[Name, str] = {}
        for first, inner, _new in loop.states:
            new = new_of.get(inner)
            # Two states may have one new value, and then two gradients.
            if new not in lstm.new or gradients.given[1 + lstm.new.index(new)]:
                return None
            gradients.given[1 + lstm.new.index(new)] = first
            part_of[inner] = 'hc'[lstm.new.index(new)]
        for result, inner in loop.finals:
            gradients.makes[part_of[inner]] = result
        of_element = {name(inner) for element, inner in link.elements if name(element) == forward.elements[0][2]}
        replaced.add(loop)
        after = {name(result): name(tensor) for tensor, result in link.outside}
        for result, inner in loop.collected:
            for stack in self._stacks(result):
                replaced.add(stack)
                if inner in of_element and forward.elements[0][0] == lstm.given['x']:
                    gradients.makes['x'] = stack.makes[0]
                    continue
                for reader in self._reading(stack.makes[0]):
                    operand = self._part(lstm, stack.makes[0], reader, after, inner in of_element)
                    if operand is None or operand in gradients.makes:
                        return None
                    gradients.makes[operand] = reader.makes[0]
                    replaced.add(reader)
        return gradients

    @staticmethod
    def _part(
        lstm: Lstm, z: Name, reader: Statement, after: Dict[Name, Name], is_gradient_of_element: bool
    ) -> Optional[str]:
        """What a statement that reads `z`, a value of the backward loop over time, makes the gradient of."""
        operands = lstm.given
        for operand in ('kernel', 'recurrent', 'bias'):
            if operand in operands and after.get(reader.makes[0]) == operands[operand]:
                return operand
        if not is_gradient_of_element or not isinstance(reader, Compute) or reader.node.op.name != 'tensordot':
            return None
        axes = reader.node.attrs['axes_x'], reader.node.attrs['axes_y']
        if axes == ((2,), (1,)) and reader.arguments == [z, operands['kernel']]:
            return 'x'
        return 'kernel' if axes == ((0, 1), (0, 1)) and reader.arguments == [operands['x'], z] else None


class _Step:
    """What the body of a loop computes, if it is the step of an LSTM."""

    recurrent: Name
    kernel: Optional[Name] = None  # where its product with the element is in the step
    bias: Optional[Name] = None

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.maker = {s.makes[0]: s for s in loop.block.statements if isinstance(s, Compute)}
        self.first_of = {new: first for first, _inner, new in loop.states}
        self.old_of = {new: inner for _first, inner, new in loop.states}
        self.used: Set[Name] = set()

    def matches(self) -> bool:
        """Whether it is one, and nothing is left over."""
        if len(self.maker) != len(self.loop.block.statements) or len(self.first_of) != 2:
            return False
        for c, h in (list(self.first_of), list(self.first_of)[::-1]):
            self.used, self.kernel, self.bias = set(), None, None
            if self._is_step(h, c):
                self.h, self.c = h, c
                self.first_h, self.first_c = self.first_of[h], self.first_of[c]
                return self.used == set(self.maker)
        return False

    def _is_step(self, h: Name, c: Name) -> bool:
        gate = self._pair('mul', h, lambda a, b: self._one('tanh', a) == c and self._one('sigmoid', b))
        if not gate:
            return False
        terms = self._arguments('add', c)
        for kept, added in (terms, terms[::-1]) if terms else ():
            forget = self._pair('mul', kept, lambda a, b: a == self.old_of[c] and self._one('sigmoid', b))
            gates = self._pair('mul', added, self._input_gates)
            if forget and gates:
                return self._are_slices([gates[0], forget, gates[1], gate]) and self._is_sum(h)
        return False

    def _input_gates(self, a: Name, b: Name) -> Any:
        i, g = self._one('sigmoid', a), self._one('tanh', b)
        return (i, g) if i and g else None

    def _arguments(self, op: str, name: Name) -> Optional[List[Name]]:
        """The operands of what a primitive of this name makes, None of others."""
        compute = self.maker.get(name)
        if compute is None or compute.node.op.name != op or compute.node.dtype != 'float32':
            return None
        self.used.add(name)
        return compute.arguments

    def _one(self, op: str, name: Name) -> Optional[Name]:
        arguments = self._arguments(op, name)
        return arguments[0] if arguments else None

    def _pair(self, op: str, name: Name, of: Callable[[Name, Name], Any]) -> Any:
        """What `of` says of the two operands, in the one or the other order."""
        arguments = self._arguments(op, name)
        return arguments and (of(arguments[0], arguments[1]) or of(arguments[1], arguments[0]))

    def _are_slices(self, gates: List[Name]) -> bool:
        """Whether the gates are the four blocks of columns of one matrix, in order."""
        matrices = set()
        for index, gate in enumerate(gates):
            arguments = self._arguments('getitem', gate)
            if not arguments or len(arguments) != 1:
                return False
            node = self.maker[gate].node
            units, spec = node.dims[-1], node.attrs['spec']
            if (
                len(node.dims) != 2
                or not known(units)
                or not units
                or len(spec) != 2
                or spec[0] != ('slice', None, None, None)
            ):
                return False
            self.units = int(units)
            start, stop = spec[1][1:3] if spec[1][0] == 'slice' and spec[1][3] in (None, 1) else (-1, -1)
            if (start or 0, stop or 4 * units) != (index * units, (index + 1) * units):
                return False
            matrices.add(arguments[0])
        self.z = matrices.pop()
        return not matrices and self.maker[self.z].node.dims[-1] == 4 * self.units

    def _is_sum(self, h: Name) -> bool:
        """Whether the matrix is the element, the product of h and a matrix from outside, and one bias at most."""
        todo, terms = [self.z], []
        while todo:
            name = todo.pop()
            arguments = self._arguments('add', name)
            if arguments:
                todo.extend(arguments)
            else:
                terms.append(name)
        element, count = self.loop.elements[0][2], len(terms)
        kinds = [self._of_term(h, element, term) for term in terms]
        return count == len(set(kinds)) and {'x', 'h'} <= set(kinds) <= {'x', 'h', 'bias'} and self._is_vector()

    def _of_term(self, h: Name, element: Name, term: Name) -> Optional[str]:
        """What a term of the sum is made of: 'x', 'h' or 'bias'."""
        product = self.maker.get(term)
        if product is None:
            if term != element:
                self.bias = term
            return 'x' if term == element else 'bias'
        if not _is_product(product, 2):
            return None
        self.used.add(term)
        factor, matrix = product.arguments
        if matrix in self.maker or matrix in self.loop.handed_in():
            return None
        if factor == element:
            self.kernel = matrix
            return 'x'
        self.recurrent = matrix
        return 'h' if factor == self.old_of[h] else None

    def _is_vector(self) -> bool:
        """Whether the bias, if there is one, has a number for each column, and comes from outside."""
        if self.bias is None:
            return True
        operands = [x for s in self.maker.values() for x, name in zip(s.node.inputs, s.arguments) if name == self.bias]
        return self.bias not in self.loop.handed_in() and all([x.dims == (4 * self.units,) for x in operands])


def _is_product(statement: Optional[Statement], rank: int) -> bool:
    """Whether it is the product of a tensor of so many axes and a matrix, of floats."""
    if not isinstance(statement, Compute) or statement.node.op.name != 'tensordot' or statement.node.dtype != 'float32':
        return False
    x, y = statement.node.inputs
    axes = statement.node.attrs['axes_x'], statement.node.attrs['axes_y']
    return ranked(x) and ranked(y) and len(x.dims) == rank and len(y.dims) == 2 and axes == ((rank - 1,), (0,))

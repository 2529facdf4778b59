"""The code of a function as readable text, which looks like its Python source. Nothing of the code is run.

An example: `lambda x: K.l2_normalize(x, axis=1)`. Names of arguments and variables are in a code, and comments are not.
The text does what the operations do, in the same order. Where operations are not those of Python's statements (nobody
wrote them so, or the code has `try` or `with`), the text lists them, and says so.

A text of a file may be made to mislead: names that are no names of Python, letters that a terminal obeys, and texts
without end are not shown as they are.
"""

from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from ..python_code.instructions import Step
from ..python_code.machine import COROUTINES
from ..python_code.marshal_data import Code
from ..python_code.operations import Operation
from ..python_code.which_python import Program
from .blocks import ALL, NONE, STATEMENTS
from .execution import blocks
from .names import check_variables, mixed_names
from .nodes import Node, Unclear, Visits, resolved
from .reduction import one_comprehension, reduced
from .statements import Lines, Writer, moved, split_arguments
from .structure import Statement, Statements, statements
from .writing import COMPREHENSIONS, Expressions, literal, name, text_lines

LONGEST = 100_000  # characters of a text
MOST_CHARACTERS = 3_000_000  # of all parts from which it is joined
MOST_OPERATIONS = 200_000
LONGEST_LISTING = 500  # operations
DEEPEST = 12  # functions in functions
LISTED = '# Its operations follow, because '
CUT = '# The text is cut here, because it is too long.'
HANDLERS = '# Its handlers of exceptions are left out.'

_Form = Tuple[Statements, List[Tuple[str, Node]]]


class _TooLong(Exception):
    """The text becomes too long."""


def source(program: Program, defaults: Optional[Iterable[Any]] = None, closure: Optional[Iterable[Any]] = None) -> str:
    """The text of a program: a `lambda` or a `def`. The values of its closure come before it, one a line.

    defaults: those of its last arguments. closure: the values of its free variables.
    """
    return _Source(program).text(tuple(defaults or ()), tuple(closure or ()))


class _Source:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.left, self.operations = MOST_CHARACTERS, MOST_OPERATIONS
        self.forms: Dict[int, Union[_Form, Unclear]] = {}
        self.comprehensions: Dict[int, Union[Node, Unclear]] = {}
        self.depth = 0
        self.mixed = mixed_names(program)
        self.write = Expressions(self.in_line, self.comprehension, self.count)
        self.writer = Writer(self.write, self.defined)

    def text(self, defaults: Tuple[Any, ...], closure: Tuple[Any, ...]) -> str:
        code = self.program.code
        lines = [f'{_word(word)} = {literal(value)}' for word, value in zip(code.freevars, closure)]
        values = [Node('given', value) for value in defaults]
        node = Node('function', code, [Node('defaults', None, [Node('tuple', None, values)])] if values else [])
        try:
            lines += self.in_lines(node) if code.name == '<lambda>' else self.defined(node)
        except _TooLong:
            lines += [*_listing(self.program.steps_of(code)), CUT]
        text = '\n'.join(lines)
        return text if len(text) <= LONGEST else text[:LONGEST] + '\n' + CUT

    def in_lines(self, node: Node) -> Lines:
        try:
            return [self.in_line(node)]
        except Unclear as error:
            return self.listed(node.value, str(error))
        except RecursionError:
            return self.listed(node.value, 'it is nested deeper than Python allows')

    def count(self, characters: int) -> None:
        self.left -= characters
        if self.left < 0:
            raise _TooLong

    # -- what a code is --------------------------------------------------------------------------------------------
    def form(self, code: Code) -> _Form:
        """The statements of a code, and its arguments that are unpacked."""
        if id(code) not in self.forms:
            try:
                self.forms[id(code)] = self.made(code)
            except Unclear as error:
                self.forms[id(code)] = error
        known = self.forms[id(code)]
        if isinstance(known, Unclear):
            raise known
        return known

    def made(self, code: Code) -> _Form:
        steps = self.steps(code)
        self.check(code)
        if code.is_generator != any([step.operation.kind == 'yield' for step in steps]):
            raise Unclear('it says that it yields values, and does not')
        is_lambda = code.name == '<lambda>'
        for join in (NONE, ALL) if is_lambda else (STATEMENTS, NONE, ALL):
            try:
                left = reduced(blocks(code, steps, join), is_lambda)
                body = statements(left, Visits(3 * len(steps)))
                check_variables(code, steps, left, Visits(3 * len(steps)))
                break
            except Unclear:
                if join == ALL:
                    raise
        return split_arguments(body, [word for word in code.varnames[: code.argcount] if word.startswith('.')])

    def check(self, code: Code) -> None:
        if code.flags & COROUTINES:
            raise Unclear('it is a coroutine')
        if id(code) in self.mixed:
            raise Unclear(f'it has two variables with the name {self.mixed[id(code)][:40]!r}')

    def steps(self, code: Code) -> List[Step]:
        """The operations of a code, which are counted."""
        steps = self.program.steps_of(code)
        self.operations -= len(steps) + sum([step.operation.takes for step in steps]) // 10
        if self.operations < 0:
            raise _TooLong
        return steps

    def comprehension(self, node: Node) -> Node:
        """The comprehension that the code of a node is."""
        code = node.value
        if id(code) not in self.comprehensions:
            steps = self.steps(code)
            result: Union[Node, Unclear]
            try:
                self.check(code)
                if (code.argcount, code.kwonlyargcount, code.flags & 12, code.varnames[:1]) != (1, 0, 0, ('.0',)):
                    raise Unclear('a comprehension in it has other arguments')
                result = one_comprehension(reduced(blocks(code, steps, NONE), False), Visits(3 * len(steps)))
                if code.is_generator != (result.value == 'generator'):
                    raise Unclear('a comprehension in it is not clear')
            except Unclear as error:
                result = error
            self.comprehensions[id(code)] = result
        known = self.comprehensions[id(code)]
        if isinstance(known, Unclear):
            raise known
        return known

    # -- functions -------------------------------------------------------------------------------------------------
    def in_line(self, node: Node) -> str:
        """The text of a lambda."""
        code: Code = node.value
        if code.name != '<lambda>':
            raise Unclear('it makes a function in an expression')
        self.enter()
        body, unpacked = self.form(code)
        if len(body) != 1 or body[0].kind != 'return' or body[0].node is None:
            raise Unclear('a lambda in it is no expression')
        arguments = self.arguments(node, unpacked)
        text = f'lambda {arguments}: {self.write.text(body[0].node)}'.replace('lambda :', 'lambda:')
        self.depth -= 1
        return text

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unclear(f'it has more than {DEEPEST} functions in each other')

    def defined(self, node: Node) -> Lines:
        """The lines of a def."""
        code: Code = node.value
        depth, deep = self.depth, self.write.depth
        try:
            self.enter()
            whole, unpacked = self.form(code)
            head = f'def {name(code.name)}({self.arguments(node, unpacked)}){self.result(node)}:'
            body = whole[:-1] if len(whole) > 1 and _is_nothing(whole[-1]) else whole
            lines = [head, *moved([*self.first_lines(code), *self.writer.lines(body)])]
        except Unclear as error:
            lines = self.listed(code, str(error))
        except RecursionError:
            lines = self.listed(code, 'it is nested deeper than Python allows')
        self.depth, self.write.depth = depth, deep
        self.count(sum([len(line) for line in lines]))
        return lines

    def first_lines(self, code: Code) -> Lines:
        steps = self.program.steps_of(code)
        used = [step.operation.value for step in steps if 'constant' in step.operation.kind]
        text, lines = code.consts[0] if code.consts else None, []
        if type(text) is str and not any([value is text for value in used]):
            lines += text_lines(text)
        changed = {step.operation.value for step in steps if step.operation.kind == 'set cell'}
        lines += [f'nonlocal {name(word)}' for word in code.freevars if word in changed]
        return lines + [HANDLERS] * any([step.instruction == 'PUSH_EXC_INFO' for step in steps])

    def arguments(self, node: Node, unpacked: List[Tuple[str, Node]]) -> str:
        """The arguments of a function, with their defaults and annotations."""
        code: Code = node.value
        by_kind = {child.kind: resolved(child.parts[0]) for child in node.parts}
        count, only = code.argcount, code.kwonlyargcount
        names = list(code.arguments)
        values = _elements(by_kind.get('defaults'))
        defaults: Dict[str, Node] = dict(zip(names[count - len(values) : count], values))
        if len(values) > count:
            raise Unclear('it has more defaults than arguments')
        defaults.update(_pairs(by_kind.get('keywords')))
        notes = _pairs(by_kind.get('annotations'))
        texts = dict(unpacked)

        def text(word: str) -> str:
            argument = self.write.target(texts[word], True) if word in texts else name(word)
            argument += f': {self.write.text(notes[word])}' if word in notes else ''
            if word not in defaults:
                return argument
            sign = ' = ' if word in notes else '='
            return argument + sign + self.write.text(defaults[word])

        signature = [text(word) for word in names[:count]]
        if code.posonlyargcount:
            signature.insert(code.posonlyargcount, '/')
        rest = names[count + only :]
        if code.flags & 4:
            signature.append('*' + text(rest.pop(0)))
        elif only:
            signature.append('*')
        signature += [text(word) for word in names[count : count + only]]
        return ', '.join(signature + ['**' + text(word) for word in rest])

    def result(self, node: Node) -> str:
        notes = [_pairs(resolved(child.parts[0])) for child in node.parts if child.kind == 'annotations']
        return f' -> {self.write.text(notes[0]["return"])}' if notes and 'return' in notes[0] else ''

    # -- functions that are not clear ------------------------------------------------------------------------------
    def listed(self, code: Code, reason: str) -> Lines:
        """The operations of a code, and below them the functions in it."""
        lines = [f'def {_word(code.name)}(...):', f'    {LISTED}{reason}.', '    ...']
        steps = self.steps(code)
        lines += moved(_listing(steps))
        for nested in [constant for constant in code.consts if isinstance(constant, Code)][:50]:
            if nested.name not in COMPREHENSIONS:
                inner = Node('function', nested)
                lines += moved(self.in_lines(inner) if nested.name == '<lambda>' else self.defined(inner))
            else:
                lines += moved(self.listed(nested, 'it is a part of the function above'))
        return lines


def _word(word: str) -> str:
    return word if word.isidentifier() else ascii(word)


def _is_nothing(one: Statement) -> bool:
    value = resolved(one.node) if one.kind == 'return' and one.node is not None else None
    return value is not None and value.kind == 'constant' and value.value is None


def _listing(steps: List[Step]) -> Lines:
    """Operations, a line each: the number of the operation, the line in the program, and what is done."""
    lines = []
    for number, step in enumerate(steps[:LONGEST_LISTING]):
        goes = f' -> {step.target}' if step.target >= 0 else ''
        lines.append(f'# {number:4} line {step.line}: {step.operation.kind}{_shown(step.operation)}{goes}')
    if len(steps) > LONGEST_LISTING:
        lines.append(f'# ... {len(steps) - LONGEST_LISTING} more operations')
    return lines


def _shown(operation: Operation) -> str:
    value = operation.value
    if value is None and operation.kind not in ('constant', 'return constant'):
        return ''
    if isinstance(value, Code):
        return f' function {value.name!a}'
    if isinstance(value, str) and 'constant' not in operation.kind:
        return ' ' + (value if value.isprintable() else ascii(value))
    return ' ' + (literal(value) if type(value) in (str, bytes, int, float, bool, type(None)) else ascii(value)[:100])


def _elements(node: Optional[Node]) -> List[Node]:
    """The nodes in a tuple."""
    if node is None:
        return []
    if node.kind == 'constant' and type(node.value) is tuple:
        return [Node('constant', value) for value in node.value]
    if node.kind != 'tuple' or any([element.kind == 'star' for element in node.parts]):
        raise Unclear('the defaults of a function in it are not clear')
    return node.parts


def _pairs(node: Optional[Node]) -> Dict[str, Node]:
    """The nodes in a dict of names, or in a tuple of names and values."""
    if node is None:
        return {}
    if node.kind == 'dict':
        nodes = [side for pair in node.parts for side in pair.parts]
    else:
        nodes = _elements(node)
    keys = [resolved(child) for child in nodes[::2]]
    if len(nodes) % 2 or not all([key.kind == 'constant' and type(key.value) is str for key in keys]):
        raise Unclear('the names of arguments of a function in it are not clear')
    return {key.value: value for key, value in zip(keys, nodes[1::2])}

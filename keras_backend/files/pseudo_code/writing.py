"""The text of expressions, with no more brackets than Python needs, and with nothing that a terminal obeys."""

import inspect
import keyword
import unicodedata
from typing import Any, Callable, Dict, List, Optional

from .nodes import DEEPEST, Node, Unclear, resolved

LONGEST_LITERAL = 2000
MOST_ELEMENTS = 500

# How strongly each operator binds.
STARRED, NAMED, LAMBDA, CONDITION, OR, AND, NOT, COMPARE = range(8)
BINARY = {
    '|': 8, '^': 9, '&': 10, '<<': 11, '>>': 11, '+': 12, '-': 12, '*': 13, '/': 13, '//': 13, '%': 13, '@': 13,
    'old /': 13, '**': 15,
}  # fmt: skip
UNARY, POWER, PRIMARY, ATOM = 14, 15, 17, 18


def name(word: Any) -> str:
    """A name, if Python has such names."""
    if not isinstance(word, str) or not word.isidentifier() or keyword.iskeyword(word):
        raise Unclear(f'it has the name {str(word)[:40]!r}')
    if unicodedata.normalize('NFKC', word) != word:
        raise Unclear(f'it has the name {word[:40]!a}')
    return word


def literal(value: Any, depth: int = 0) -> str:
    """The text of a constant, or of a value that a file holds beside a function. A long one is cut, and says so."""
    if value is Ellipsis:
        return '...'
    if isinstance(value, float) and value != value:
        return "float('nan')"
    if isinstance(value, float) and value in (float('inf'), float('-inf')):
        return '1e999' if value > 0 else '-1e999'
    if isinstance(value, (str, bytes)) and len(value) > LONGEST_LITERAL:
        return repr(f'{value[:100]!r}... {CUT} {len(value)} characters')
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if depth > 20:
        return repr(f'... {CUT} deeper')
    if isinstance(value, dict):
        pairs = [f'{literal(key, depth + 1)}: {literal(element, depth + 1)}' for key, element in _first(value.items())]
        return '{' + ', '.join(pairs + _rest(value)) + '}'
    if not isinstance(value, (tuple, list, set, frozenset)):
        return repr(f'... {OTHER} {type(value).__name__}')
    texts = [literal(element, depth + 1) for element in _first(value)] + _rest(value)
    if isinstance(value, (set, frozenset)):
        text = '{' + ', '.join(sorted(texts)) + '}' if value else '()'
        return f'frozenset({text})' if isinstance(value, frozenset) or not value else text
    if isinstance(value, list):
        return '[' + ', '.join(texts) + ']'
    return '(' + ', '.join(texts) + (',)' if len(texts) == 1 else ')')


# In the texts that stand for values which are not shown.
CUT, OTHER = 'a long value:', 'a value of the kind'


def _first(values: Any) -> List[Any]:
    return list(values)[:MOST_ELEMENTS]


def _rest(values: Any) -> List[str]:
    return [repr(f'... {CUT} {len(values)} elements')] if len(values) > MOST_ELEMENTS else []


def text_lines(text: str) -> List[str]:
    """The lines of a docstring."""
    lines = []
    for line in inspect.cleandoc(text[:LONGEST_LITERAL]).split('\n'):
        escaped = line.replace('\\', '\\\\').replace('"""', '\\"\\"\\"')
        lines.append(''.join([letter if letter.isprintable() else repr(letter)[1:-1] for letter in escaped]))
    if len(text) > LONGEST_LITERAL:
        lines.append(f'... ({len(text)} characters)')
    if lines[-1].endswith('"'):
        lines[-1] = lines[-1][:-1] + '\\"'
    return ['"""' + lines[0], *lines[1:-1], lines[-1] + '"""'] if len(lines) > 1 else ['"""' + lines[0] + '"""']


class Expressions:
    """The text of expressions. function, comprehension: the text of the function in a node, which has operations."""

    def __init__(
        self, function: Callable[[Node], str], comprehension: Callable[[Node], Node], count: Callable[[int], None]
    ) -> None:
        """Keep what knows the functions, and what counts the characters."""
        self._function, self._comprehension, self._count = function, comprehension, count
        self.depth = 0

    def text(self, node: Node, level: int = LAMBDA) -> str:
        """The text of a node, in brackets where it binds less than `level`."""
        node = resolved(node)
        do = _TEXTS.get(node.kind)
        if do is None:
            raise Unclear(f'it uses {node.kind} as a value')
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unclear('its expressions are nested too deep')
        expression, own = do(self, node)
        self.depth -= 1
        self._count(len(expression))
        return expression if own >= level else f'({expression})'

    def joined(self, nodes: List[Node], level: int = LAMBDA) -> str:
        """Nodes with commas."""
        return ', '.join([self.text(node, STARRED if resolved(node).kind == 'star' else level) for node in nodes])

    def bare(self, node: Node, may_yield: bool = False) -> str:
        """A value where a tuple needs no brackets, and perhaps `yield` neither."""
        node = resolved(node)
        if node.kind == 'tuple' and len(node.parts) > 1 and not any([element.kind == 'star' for element in node.parts]):
            return self.joined(node.parts)
        return self.text(node, NAMED if node.kind == 'yield' and may_yield else LAMBDA)

    def target(self, node: Node, inner: bool = False) -> str:
        """A target of an assignment."""
        if node.kind == 'name':
            return name(node.value)
        if node.kind == 'item':
            return self.text(node)
        if node.kind == 'star':
            return '*' + self.target(node.parts[0], True)
        if node.kind != 'tuple':
            raise Unclear('it gives a value to something else')
        targets = [self.target(child, True) for child in node.parts]
        text = ', '.join(targets) + (',' if len(targets) == 1 else '')
        return f'({text})' if inner else text

    def clauses(self, node: Node, first: Optional[Node] = None) -> str:
        """The `for` and `if` of a comprehension."""
        texts: List[str] = []
        for kind, target_or_test, iterated in node.clauses:
            if kind == 'for':
                value = first if first is not None and not texts else iterated
                texts.append(f'for {self.target(target_or_test)} in {self.text(_iterated(value), OR)}')
            else:
                texts.append(f'if {self.text(target_or_test, OR)}')
        return ' '.join(texts)

    def comprehension(self, node: Node, first: Optional[Node] = None) -> str:
        """A comprehension. first: what its first `for` goes through, where another function gives it."""
        clauses = self.clauses(node, first)
        if not clauses.startswith('for'):
            raise Unclear('a comprehension in it has no loop')
        element = ': '.join([self.text(child) for child in node.parts])
        ends = {'list': '[]', 'set': '{}', 'dict': '{}', 'generator': '()'}[node.value]
        return f'{ends[0]}{element} {clauses}{ends[1]}'


def _iterated(node: Optional[Node]) -> Node:
    iterator = resolved(node) if node is not None else Node('nothing')
    if iterator.kind != 'iterate':
        raise Unclear('a loop in it goes through something else')
    return iterator.parts[0]


_Text = Callable[[Expressions, Node], Any]
_TEXTS: Dict[str, _Text] = {}


def _of(*kinds: str) -> Callable[[_Text], _Text]:
    def enter(do: _Text) -> _Text:
        _TEXTS.update(dict.fromkeys(kinds, do))
        return do

    return enter


_TEXTS.update(
    {
        'given': lambda write, node: (literal(node.value), LAMBDA),
        # Those of Python 2, which are names there.
        'name': lambda write, node: (node.value if node.value in ('True', 'False') else name(node.value), ATOM),
        'slice': lambda write, node: (f'slice({write.joined(_ends(node))})', PRIMARY),
        'list': lambda write, node: (f'[{write.joined(node.parts)}]', ATOM),
        'set': lambda write, node: ('{' + write.joined(node.parts) + '}', ATOM) if node.parts else ('set()', PRIMARY),
        'dict': lambda write, node: ('{' + ', '.join([write.text(pair, STARRED) for pair in node.parts]) + '}', ATOM),
        'pair': lambda write, node: (f'{write.text(node.parts[0])}: {write.text(node.parts[1])}', STARRED),
        'keyword': lambda write, node: (f'{name(node.value)}={write.text(node.parts[0])}', STARRED),
        'comprehension': lambda write, node: (write.comprehension(node), ATOM),
        'function': lambda write, node: (write._function(node), LAMBDA),
        'text': lambda write, node: (_joined(write, [node]), ATOM),
        'join': lambda write, node: (_joined(write, node.parts), ATOM),
    }
)


@_of('constant')
def _constant(write: Expressions, node: Node) -> Any:
    value = node.value
    text = literal(value)
    if OTHER in text and OTHER not in str(value):
        raise Unclear('it uses a function that it does not make')
    if text.startswith('-'):
        return text, UNARY
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return text, PRIMARY if is_number and text[-1] != ')' else ATOM


@_of('attribute')
def _attribute(write: Expressions, node: Node) -> Any:
    value = resolved(node.parts[0])
    level = ATOM if value.kind == 'constant' else PRIMARY
    return f'{write.text(value, level)}.{name(node.value)}', PRIMARY


@_of('unary')
def _unary(write: Expressions, node: Node) -> Any:
    if node.value == 'not':
        return f'not {write.text(node.parts[0], NOT)}', NOT
    return node.value + write.text(node.parts[0], UNARY), UNARY


@_of('binary')
def _binary(write: Expressions, node: Node) -> Any:
    level = BINARY[node.value]
    sign = node.value.replace('old ', '')
    left, right = node.parts
    if sign == '**':
        return f'{write.text(left, POWER + 1)} ** {write.text(right, UNARY)}', POWER
    return f'{write.text(left, level)} {sign} {write.text(right, level + 1)}', level


@_of('compare')
def _compare(write: Expressions, node: Node) -> Any:
    text = write.text(node.parts[0], COMPARE + 1)
    for sign, operand in zip(node.value, node.parts[1:]):
        value = resolved(operand)
        if sign in ('in', 'not in') and value.kind == 'constant' and isinstance(value.value, frozenset) and value.value:
            text += f' {sign} {literal(set(value.value))}'
        else:
            text += f' {sign} {write.text(operand, COMPARE + 1)}'
    return text, COMPARE


@_of('and', 'or')
def _and_or(write: Expressions, node: Node) -> Any:
    level = AND if node.kind == 'and' else OR
    return f' {node.kind} '.join([write.text(operand, level + 1) for operand in node.parts]), level


@_of('if')
def _if(write: Expressions, node: Node) -> Any:
    test, yes, no = node.parts
    return f'{write.text(yes, OR)} if {write.text(test, OR)} else {write.text(no)}', CONDITION


@_of('item')
def _item(write: Expressions, node: Node) -> Any:
    value, key = [resolved(child) for child in node.parts]
    is_bare = key.kind == 'tuple' and len(key.parts) > 1 and not any([element.kind == 'star' for element in key.parts])
    if is_bare:
        inner = ', '.join([_key(write, child) for child in key.parts])
    elif key.kind == 'tuple' and len(key.parts) == 1 and key.parts[0].kind != 'star':
        inner = _key(write, key.parts[0]) + ','
    elif key.kind == 'constant' and type(key.value) is tuple and len(key.value) > 1:
        inner = literal(key.value)[1:-1]
    else:
        inner = _key(write, key)
    return f'{write.text(value, PRIMARY)}[{inner}]', PRIMARY


def _key(write: Expressions, node: Node) -> str:
    node = resolved(node)
    if node.kind != 'slice':
        return write.text(node)
    ends = [resolved(bound) for bound in _ends(node)]
    texts = ['' if end.kind == 'constant' and end.value is None else write.text(end) for end in ends]
    return ':'.join(texts[:2]) + (f':{texts[2]}' if len(texts) > 2 and texts[2] else '')


def _ends(node: Node) -> List[Node]:
    if len(node.parts) not in (2, 3):
        raise Unclear('it makes a slice of nothing')
    return node.parts


@_of('tuple')
def _tuple(write: Expressions, node: Node) -> Any:
    return f'({write.joined(node.parts)}{"," if len(node.parts) == 1 else ""})', ATOM


@_of('star', 'stars')
def _star(write: Expressions, node: Node) -> Any:
    return ('*' if node.kind == 'star' else '**') + write.text(node.parts[0], COMPARE + 1), STARRED


@_of('tuple of')
def _tuple_of(write: Expressions, node: Node) -> Any:
    value = resolved(node.parts[0])
    if value.kind == 'list':
        return _tuple(write, value)
    return f'(*{write.text(value, COMPARE + 1)},)', ATOM


@_of('call')
def _call(write: Expressions, node: Node) -> Any:
    function, *args = node.parts
    function = resolved(function)
    if function.kind == 'function' and function.value.name in COMPREHENSIONS:
        comprehension = write._comprehension(function)
        if len(args) != 1 or function.value.name != COMPREHENSIONS_OF[comprehension.value]:
            raise Unclear('a comprehension in it is called otherwise')
        return write.comprehension(comprehension, args[0]), ATOM
    texts = [write.text(arg, STARRED if arg.kind in ('star', 'stars', 'keyword') else LAMBDA) for arg in args]
    if len(args) == 1 and _is_generator(args[0]):
        return write.text(function, PRIMARY) + texts[0], PRIMARY
    return f'{write.text(function, ATOM if function.kind == "constant" else PRIMARY)}({", ".join(texts)})', PRIMARY


COMPREHENSIONS_OF = {'list': '<listcomp>', 'set': '<setcomp>', 'dict': '<dictcomp>', 'generator': '<genexpr>'}
COMPREHENSIONS = tuple(COMPREHENSIONS_OF.values())


def _is_generator(node: Node) -> bool:
    call = resolved(node)
    if call.kind != 'call':
        return False
    function = resolved(call.parts[0])
    return function.kind == 'function' and function.value.name == '<genexpr>'


@_of('yield')
def _yield(write: Expressions, node: Node) -> Any:
    value = resolved(node.parts[0])
    return 'yield' if value.kind == 'constant' and value.value is None else f'yield {write.bare(value)}', NAMED


@_of('named')
def _named(write: Expressions, node: Node) -> Any:
    if node.targets[0].kind != 'name':
        raise Unclear('it gives a value to a part of something in an expression')
    return f'{write.target(node.targets[0])} := {write.text(node.parts[0])}', NAMED


def _joined(write: Expressions, parts: List[Node]) -> str:
    """An f-string, or what means the same where a text in it has quotes."""
    content, texts = '', []
    for node in parts:
        node = resolved(node)
        if node.kind == 'constant' and isinstance(node.value, str):
            content += repr(node.value + '"')[1:-2].replace('{', '{{').replace('}', '}}')
            texts.append(repr(node.value))
        elif node.kind == 'text':
            inner, sign = resolved(node.parts[0]), node.value
            if inner.kind == 'text' and not sign:  # since Python 3.13
                inner, sign = resolved(inner.parts[0]), inner.value
            expression = write.text(inner, OR)
            content += '{' + expression + sign + '}'
            texts.append(f'str({expression})' if sign else f'format({expression})')
            if "'" in expression or '\\' in expression or '{' in expression or '"' in expression:
                texts.insert(0, '')
        else:
            raise Unclear('it joins texts as no f-string does')
    if texts and '' in texts:
        return "''.join([" + ', '.join([text for text in texts if text]) + '])'
    return f"f'{content}'"

"""Programs of Python 2 as Python 3 reads them, line by line: only the lines that Python 3 refuses are changed.

The result is read, never run. So `print x, y` may become `print(x, y)` whatever `print >> f` would have done.
"""

import re
from typing import List, Tuple

_PRINT = re.compile(
    r'^((?:.*?[:;])?\s*)print(?:\s*>>\s*([\w.]+)\s*,?)?(?:\s+|(?=["\'`])|$)(?!\s*[=(.])(.*?)\s*,?\s*$', re.S
)
_PRINT_PAREN = re.compile(r'^((?:.*?[:;])?\s*)print(\s*\(.*\)\s*[%,].*|\s+\(.*)$', re.S)
_EXEC = re.compile(r'^(\s*)exec\s+(.*?)(?:\s+in\s+(.*))?$')
_RAISE = re.compile(r'^((?:.*?[:;])?\s*)raise\s+([\w.]+(?:\[\w+\])?)\s*,\s*(.*)$')
_EXCEPT = re.compile(r'^(\s*except\s+(?:\([^)]*\)|[\w.]+))\s*,\s*(\w+)\s*:')
_OCTAL = re.compile(r'(?<![\w.])0(\d+)(?![\w.])')
_LONG = re.compile(r'(?<![\w.])(\d+|0[xX][0-9a-fA-F]+)[lL]\b')
_RAW = re.compile(r'(?<!\w)[uU][rR](?=["\'])')
_BACKTICKS = re.compile(r'`([^`\n]*)`')
_DEF = re.compile(r'^(\s*def\s+\w+\s*)\((.*)\)\s*:(.*)$')
_LAMBDA = re.compile(r'\blambda\s*\(([\w\s,]*)\)\s*:')
_ASYNC = re.compile(r'(?<!\w)(async|await)(?=\s*[=,):.])')


def repaired(line: str) -> str:
    """A line of Python 2 in the spelling of Python 3. The line itself if nothing in it is of Python 2."""
    code, comment = _without_comment(line)
    for change in (_exceptions, _statements, _literals, _print):
        code = change(code)
    return code + comment


def _without_comment(line: str) -> Tuple[str, str]:
    """A line without the comment at its end, and the comment. A text of several lines stays as it is."""
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|#', line if '\n' not in line else ''):
        if match.group() == '#':
            code = line[: match.start()].rstrip()
            return code, line[len(code) :]
    return line, ''


def _statements(line: str) -> str:
    raised = _RAISE.match(line)
    if raised and _outside(raised.group(1)):
        line = f'{raised.group(1)}raise {raised.group(2)}({raised.group(3)})'
    executed = _EXEC.match(line)
    if executed and not executed.group(2).startswith('('):
        return f'{executed.group(1)}exec({executed.group(2)})'
    parameters = _DEF.match(line)
    if parameters and '(' in parameters.group(2) and '=' not in parameters.group(2):
        flat = parameters.group(2).replace('(', '').replace(')', '')
        line = f'{parameters.group(1)}({flat}):{parameters.group(3)}'
    return _LAMBDA.sub(r'lambda \1:', line)


def _exceptions(line: str) -> str:
    return _EXCEPT.sub(r'\1 as \2:', line)


def _literals(line: str) -> str:
    line = _LONG.sub(r'\1', _RAW.sub('r', line.replace('<>', '!=')))
    line = _OCTAL.sub(r'0o\1', line) if _OCTAL.search(line) and not re.search(r'[89]', line) else line
    return _ASYNC.sub(r'\1_', _BACKTICKS.sub(r'repr(\1)', line))


def _print(line: str) -> str:
    match = _PRINT.match(line) or None
    if match and _outside(match.group(1)):
        # An argument that is a bracket, so that `print 'a', b` and a text that goes on are read alike.
        return f'{match.group(1)}print({match.group(3)})'
    match = _PRINT_PAREN.match(line)
    if match and _outside(match.group(1)):
        return f'{match.group(1)}print({match.group(2).strip().rstrip(",")})'
    return line


def _outside(before: str) -> bool:
    """Whether the text before a word holds no open string and no comment."""
    plain = re.sub(r'"[^"\n]*"|\'[^\'\n]*\'', '', before)
    return (
        not re.search(r'["\'#]', plain)
        and plain.count('(') == plain.count(')')
        and plain.count('[') == plain.count(']')
    )


def logical_line(lines: List[str], start: int) -> Tuple[str, int]:
    """The line at `start`, joined with the lines that it goes on in; and the place after it."""
    text, index = lines[start], start + 1
    while index < len(lines) and index < start + 40 and (_opened(text) or text.rstrip().endswith('\\')):
        text = text.rstrip().rstrip('\\') + ' ' + lines[index].strip()
        index += 1
    return text, index


def _opened(text: str) -> bool:
    plain = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#.*', '', text)
    return sum(plain.count(mark) for mark in '([{') > sum(plain.count(mark) for mark in ')]}')


def triple(line: str, inside: str) -> str:
    """The quotes of the text in triple quotes that is open at the end of a line, '' if there is none."""
    position = 0
    while position < len(line):
        if inside:
            end = line.find(inside, position)
            if end < 0:
                return inside
            position, inside = end + 3, ''
            continue
        match = re.search(r'"""|\'\'\'|#|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', line[position:])
        if match is None or match.group() == '#':
            return ''
        if match.group() in ('"""', "'''"):
            inside = match.group()
        position += match.end()
    return inside

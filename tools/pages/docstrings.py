"""A docstring of the contract as Markdown, with what its examples give when they run."""

import doctest
import inspect
import io
import re
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, Dict, List, Optional, Tuple

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
Sections = Dict[Optional[str], List[str]]


def sections(doc: str) -> Sections:
    """{title: lines} of a docstring in NumPy's style; what stands before the first title is under None."""
    lines = inspect.cleandoc(doc).splitlines()
    found: Sections = {None: []}
    title: Optional[str] = None
    for line, following in zip(lines, [*lines[1:], '']):
        if len(following) > 2 and set(following) == {'-'}:
            title = line
            found[title] = []
        elif not (len(line) > 2 and set(line) == {'-'}):
            found[title].append(line)
    return found


def summary(doc: str) -> str:
    """The first sentence of a docstring."""
    return inspect.cleandoc(doc).split('\n\n')[0].replace('\n', ' ')


def escaped(text: str) -> str:
    """A text that Markdown shows as it stands, but for what is between backticks."""
    parts = re.split(r'(`[^`]*`)', text)
    return ''.join(part if part.startswith('`') else re.sub(r'([\\*_{}\[\]<>|$])', r'\\\1', part) for part in parts)


def items(lines: List[str], names: bool) -> List[str]:
    """The entries of a section as a definition list: `x : tensor` and what stands indented below it."""
    found: List[str] = []
    for line in joined(lines):
        if line.startswith(' '):
            found.append(': ' + escaped(line.strip()))
            continue
        name, colon, kind = line.partition(' : ')
        if names or colon:
            shown = f'`{name}`' + (f' [{escaped(kind)}]{{.kind}}' if kind else '')
        else:
            shown = f'[{escaped(line)}]{{.kind}}'
        found += ['', shown]
    return found


def joined(lines: List[str]) -> List[str]:
    """The lines of a section, each indented text on one line: code between backticks may go over the end of a line."""
    found: List[str] = []
    for line in filter(None, lines):
        if line.startswith(' ') and found and found[-1].startswith(' '):
            found[-1] += ' ' + line.strip()
        else:
            found.append(line)
    return found


def ran(doc: str, names: Dict[str, Any], what: str) -> str:
    """The examples of a docstring as a session of Python, with the output that this run gives.

    Raises AssertionError where the output is not what the docstring says.
    """
    parser, checker = doctest.DocTestParser(), doctest.OutputChecker()
    lines: List[str] = []
    for part in parser.parse('\n'.join(sections(doc)['Examples']), what):
        if isinstance(part, str):
            if part.strip():
                lines += ['', '# ' + part.strip().replace('\n', '\n# ')]
            continue
        first, *more = part.source.rstrip('\n').split('\n')
        lines += ['>>> ' + first, *['... ' + line for line in more]]
        written, beside = io.StringIO(), io.StringIO()
        with redirect_stdout(written), redirect_stderr(beside):
            exec(compile(part.source, f'<example of {what}>', 'single'), names)
        given = written.getvalue()
        assert checker.check_output(part.want, given, OPTIONS), f'{what}: {part.source}gave {given}not {part.want}'
        # What K.print_tensor says goes to standard error, which a doctest does not see, and a reader does.
        lines += [line for line in (beside.getvalue() + given).split('\n') if line]
    return '\n'.join(lines).strip('\n')


def body(doc: str, example: str) -> Tuple[List[str], List[str]]:
    """The Markdown below a signature: the text with the arguments, and the parts that go to the end."""
    found = sections(doc)
    lines = [escaped(line) if not line.startswith('    ') else line for line in found[None]]
    for title in ('Parameters', 'Returns', 'Raises'):
        if title in found:
            lines += ['', f'**{title}**', *items(found[title], title == 'Parameters')]
    if 'Notes' in found:
        lines += ['', '**Notes**', '', *[escaped(line) for line in found['Notes']]]
    lines += ['', '**Examples**', '', '```pycon', example, '```']
    last: List[str] = []
    if 'See Also' in found:
        also = [line.partition(' : ') for line in found['See Also'] if line.strip()]
        words = [f'`K.{name}` ({escaped(rest.rstrip("."))})' if rest else f'`K.{name}`' for name, _, rest in also]
        last += ['', '**See also** ' + ', '.join(words)]
    if 'References' in found:
        last += ['', '**References** ' + escaped(' '.join(found['References']).strip())]
    return lines, last

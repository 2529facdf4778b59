"""What the documents show, for the tests that run it."""

import os
import re
from collections import namedtuple

from checkout import ROOT

# A fenced block. `title` stands behind the language, `number` is that of its line. `follows` says that nothing stands
# between the block before it and this one. The marks are comments above it: `reason` of
# <!-- not run: REASON -->, `engines` of <!-- runs on: NAMES -->, `given` of <!-- given: CODE -->.
Block = namedtuple('Block', 'language title text number follows reason engines given')

_FENCE = re.compile(r'^((?: *<!-- [^\n]* -->\n)*)^( *)```(\w\S*|)([^\n]*)\n(.*?)^ *```$', re.MULTILINE | re.DOTALL)
_MARK = re.compile(r'<!-- (not run|runs on|given): (.*) -->')


def source(name):
    """The text of docs/NAME."""
    with open(os.path.join(ROOT, 'docs', *name.split('/')), encoding='utf-8') as file:
        return file.read()


def pages():
    """The names of the committed pages of docs/."""
    return sorted(name for name in os.listdir(os.path.join(ROOT, 'docs')) if name.endswith('.md'))


def fenced(name):
    """The fenced blocks of docs/NAME in order."""
    text, found, end = source(name), [], None
    for match in _FENCE.finditer(text):
        marks = dict(_MARK.findall(match.group(1)))
        indent = len(match.group(2))
        lines = [line[indent:] for line in match.group(5).split('\n')]
        found.append(
            Block(
                match.group(3),
                match.group(4).strip(),
                '\n'.join(lines),
                text.count('\n', 0, match.start(3)) + 1,
                end is not None and not text[end : match.start()].strip(),
                marks.get('not run'),
                marks['runs on'].split() if 'runs on' in marks else None,
                marks.get('given', ''),
            )
        )
        end = match.end()
    return found


def blocks(name, language=None):
    """The fenced blocks of docs/NAME in order: (language, title, text); of one language, the texts that run."""
    if language is None:
        return [(block.language, block.title, block.text) for block in fenced(name)]
    found = [block for block in fenced(name) if block.language == language]
    return [block.text for block in found if not block.reason]


def table(name, heading):
    """The rows of the first table below a heading of docs/NAME: dicts by the titles of the columns."""
    part = re.search(rf'^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)', source(name), re.MULTILINE | re.DOTALL).group(1)
    lines = re.findall(r'^\|(.*)\|$', part, re.MULTILINE)
    rows = [[cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', line)] for line in lines]
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def codes(cell):
    """The code spans of a cell of a table."""
    return re.findall(r'`([^`]+)`', cell)

"""The directive `notebook`: a notebook of examples/notebooks as a part of a page, with the outputs stored in it."""

import json
import os
import re
from typing import Any, Dict, Iterator, List

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FENCE = '`````'
WRITES_A_FILE = re.compile(r'%%writefile (\S+)\n')


def fenced(language: str, text: str, *options: str) -> List[str]:
    """A block of code."""
    return [f'{FENCE}{{code-block}} {language}', *options, '', *text.rstrip('\n').split('\n'), FENCE, '']


def of_code(text: str) -> List[str]:
    """A cell of code. One that writes a file is the file; commands of IPython are no Python."""
    file = WRITES_A_FILE.match(text)
    if file:
        return fenced('python', text[file.end() :], f':caption: {file.group(1)}')
    return fenced('text' if re.search(r'^[%!]', text, re.MULTILINE) else 'python', text)


def printed(cell: Dict[str, Any]) -> str:
    """What a cell printed, and the value of its last line."""
    texts = [output.get('text') or output.get('data', {}).get('text/plain', []) for output in cell['outputs']]
    return ''.join(''.join(text) for text in texts)


def markdown(notebook: Dict[str, Any]) -> Iterator[str]:
    """The lines of a notebook, without its title. Its headings are bold: those of the page lie above them."""
    for cell in notebook['cells']:
        text = ''.join(cell['source'])
        if cell['cell_type'] == 'markdown':
            text = re.sub(r'^# .*\n*', '', text)
            yield from re.sub(r'^#+ (.*)$', r'**\1**\n', text, flags=re.MULTILINE).split('\n')
            yield ''
        else:
            yield from of_code(text)
            if printed(cell).strip():
                yield from fenced('text', printed(cell))


class Notebook(SphinxDirective):
    """`{notebook} NAME` shows examples/notebooks/NAME.ipynb."""

    required_arguments = 1

    def run(self) -> List[nodes.Node]:
        path = os.path.join(ROOT, 'examples', 'notebooks', self.arguments[0] + '.ipynb')
        self.env.note_dependency(path)
        with open(path, encoding='utf-8') as stream:
            lines = StringList(list(markdown(json.load(stream))), source=path)
        node = nodes.container()
        self.state.nested_parse(lines, self.content_offset, node)
        return node.children


def setup(app: Any) -> None:
    app.add_directive('notebook', Notebook)

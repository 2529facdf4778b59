"""What the search shows first: messages that people paste, and names of other libraries.

`_static/answers.js` has [title, page, anchor, names] of each message of tools/messages, of each row of a table of
messages, of each K function, to which names of Keras 3 and tf lead, and of some headings of pages.
docs/_static/answers_first.js reads it on the page of the search.
"""

import json
import os
import re
import sys
from typing import Any, Dict, Iterator, List, Tuple

from docutils import nodes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tools'))

from error_texts import pasted  # noqa: E402
from make_error_pages import PAGES  # noqa: E402
from make_keras3_names import rows  # noqa: E402

Answer = Tuple[str, str, str, List[str]]
# Names of TensorFlow for functions that K calls otherwise.
OF_TENSORFLOW = {
    'mean': 'tf.reduce_mean',
    'sum': 'tf.reduce_sum',
    'max': 'tf.reduce_max',
    'min': 'tf.reduce_min',
    'prod': 'tf.reduce_prod',
    'any': 'tf.reduce_any',
    'all': 'tf.reduce_all',
    'logsumexp': 'tf.reduce_logsumexp',
    'concatenate': 'tf.concat',
    'permute_dimensions': 'tf.transpose',
    'l2_normalize': 'tf.nn.l2_normalize',
    'clip': 'tf.clip_by_value',
    'dot': 'tf.matmul',
    'map_fn': 'tf.map_fn',
    'gather': 'tf.gather',
    'switch': 'tf.cond',
    'function': 'tf.function',
    'gradients': 'tf.gradients',
}
# A heading of a page that answers names of other libraries, where no function of K does.
HEADINGS: List[Answer] = [
    ('From scan', 'migration', 'from-scan', ['tf.scan', 'theano.scan', 'jax.lax.scan', 'lax.scan'])
]


def of_functions() -> Iterator[Answer]:
    """The page of each K function, for its names in Keras 3 and in TensorFlow."""
    for name, there, _ in rows():
        names = [f'keras.ops.{name}'] if there == '=' else re.findall(r'\bkeras\.[\w.]+', str(there))
        if name in OF_TENSORFLOW:
            names.append(OF_TENSORFLOW[name])
        if names:
            yield f'K.{name}', f'api/{name}', '', names


def of_page(doctree: nodes.document, page: str, names: Dict[str, List[str]]) -> Iterator[Answer]:
    """The headings of a page that are messages, and the messages in the tables of a page."""
    for section in doctree.findall(nodes.section):
        title = section[0].astext()
        if title in names:
            yield title, page, section['ids'][0], names[title]
    for table in doctree.findall(nodes.table):
        head = table.next_node(nodes.entry)
        if head is not None and head.astext() == 'message':
            anchor = next(above for above in _parents(table) if isinstance(above, nodes.section))['ids'][0]
            for row in table.findall(nodes.row):
                for literal in row[0].findall(nodes.literal):
                    yield literal.astext(), page, anchor, []


def _parents(node: Any) -> Iterator[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def write(app: Any, error: Any) -> None:
    """Write the answers into the built site."""
    if error or app.builder.format != 'html':
        return
    messages = pasted()
    # Functions come first: a name of K leads to its page, and not to the message that it is missing elsewhere.
    answers: List[Answer] = [*of_functions(), *HEADINGS]
    for door, page in PAGES.items():
        names = {
            entry['title']: [name for name in entry['names'] if name not in app.config.k_functions]
            for entry in messages
            if entry['door'] == door
        }
        if page in app.env.found_docs:
            answers += of_page(app.env.get_doctree(page), page, names)
    titles = {page: app.env.titles[page].astext() for _, page, _, _ in answers if page in app.env.titles}
    text = json.dumps({'titles': titles, 'answers': answers}, separators=(',', ':'))
    with open(os.path.join(app.outdir, '_static', 'answers.js'), 'w', encoding='utf-8') as stream:
        stream.write(f'window.ANSWERS = {text};\n')


def on_search(app: Any, pagename: str, templatename: str, context: Any, doctree: Any) -> None:
    """The page of the search alone reads the answers."""
    if pagename == 'search':
        app.add_js_file('answers.js')
        app.add_js_file('answers_first.js')


def setup(app: Any) -> None:
    app.connect('build-finished', write)
    app.connect('html-page-context', on_search)

"""The pages of the API reference, made of the contract: a page a function, a page a topic, and an index."""

import json
import os
import re
import sys
from collections import OrderedDict
from typing import Any, Dict, List, Tuple

import numpy as np
from docstrings import body, ran, summary

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tools'))

from make_keras3_names import cell as keras3_cell  # noqa: E402
from make_keras3_names import rows as keras3_rows  # noqa: E402

# What Keras 2.3.1 does not have; where the name comes from. The other names are there with the signature of the
# contract, but for the arguments below: `inspect.signature` of the original says so.
NOT_IN_THE_ORIGINAL = {
    'get_variable_shape': 'not in Keras 2.3.1; Keras 2.2.4 has it',
    'image_dim_ordering': 'not in Keras 2.3.1; Keras 1 and Keras 2.2.4 have it',
    'set_image_dim_ordering': 'not in Keras 2.3.1; Keras 1 and Keras 2.2.4 have it',
    'is_symbolic': 'not in `keras.backend` of Keras 2.3.1',
}
OTHER_ARGUMENTS = {
    'rnn': '2.3.1 has no `time_major` and no `zero_output_for_mask`; tf.keras has them',
    'name_scope': '2.3.1 also takes `default_name` and `values`, which TensorFlow ignored for K',
}
ORIGINS = OrderedDict([('engine', 'own'), ('composed', 'composed'), ('setting', 'setting'), ('missing', 'missing')])


class Sources:
    """What is told of a function beside its docstring, read once."""

    def __init__(self) -> None:
        from keras_backend.binding import translator

        self.translator = translator
        self.support = support_reports()
        self.keras3 = {name: (there, differs) for name, there, differs in keras3_rows()}
        self.differences = mentions('differences.md', r'^\| <a id="([a-z0-9-]+)"></a>([^|]*)\|([^|]*)\|')
        self.rules = mentions('semantics.md', r'^\* <a id="([a-z0-9-]+)"></a>(.*)()$')

    def facts(self, name: str) -> List[str]:
        """The table below a function: (term, definition) lines."""
        lines = ['**Engines**', ': ' + self.engines(name)]
        lines += ['', '**`keras.backend` 2.3.1**', ': ' + self.original(name)]
        there, differs = self.keras3[name]
        words = keras3_cell(name, there) + (f'; {differs}' if differs else '')
        lines += ['', '**Keras 3**', f': {words}']
        old = self.old_spellings(name)
        if old:
            lines += ['', '**Keras 1 spellings**', f': {old}']
        if name in self.differences:
            links = [f'[{anchor.replace("-", " ")}](../differences.md#{anchor})' for anchor in self.differences[name]]
            lines += ['', '**The original differs in**', ': ' + ', '.join(links)]
        if name in self.rules:
            links = [f'[{anchor.replace("-", " ")}](../semantics.md#{anchor})' for anchor in self.rules[name]]
            lines += ['', '**Rules**', ': ' + ', '.join(links)]
        return lines

    def engines(self, name: str) -> str:
        found: Dict[str, List[str]] = OrderedDict()
        for report in self.support:
            seen = report['functions'].get(name)
            if seen:
                tests = 'test fails' if seen['expected'] == 1 else 'tests fail'
                note = f' ({seen["expected"]} conformance {tests} as expected)' if seen['expected'] else ''
                found.setdefault(seen['origin'], []).append(report['title'] + note)
        if list(found) == ['setting']:
            return 'a setting of keras_backend, the same on all engines'
        if list(found) == ['engine']:
            return 'all of them, as a function of their own' + ''.join(
                f'; {title}' for title in found['engine'] if '(' in title
            )
        words = {'engine': 'a function of', 'composed': 'composed of other K functions on', 'missing': 'missing on'}
        return '; '.join(f'{words[origin]} {", ".join(titles)}' for origin, titles in found.items())

    def original(self, name: str) -> str:
        if name in NOT_IN_THE_ORIGINAL:
            return NOT_IN_THE_ORIGINAL[name]
        if name in OTHER_ARGUMENTS:
            return OTHER_ARGUMENTS[name]
        return 'the same name and the same arguments'

    def old_spellings(self, name: str) -> str:
        translate = self.translator(name)
        if translate is None:
            return ''
        words = [f'`{old}=` for `{new}=`' for old, new in sorted(translate.renamed.items())]
        return ', '.join(words) or 'taken, with a DeprecationWarning that says what to write'


def support_reports() -> List[Dict[str, Any]]:
    """docs/support/*.json in the order of the table of engines."""
    from keras_backend.engines.table import ENGINES

    # The folder has those of Keras 3, too, which have a page of their own.
    reports = []
    for name in ENGINES:
        with open(os.path.join(ROOT, 'docs', 'support', name + '.json'), encoding='utf-8') as stream:
            reports.append(json.load(stream))
    return reports


def mentions(page: str, line: str) -> Dict[str, List[str]]:
    """{K function: anchors of the lines of a page that name it}."""
    from keras_backend.contract import CONTRACT

    with open(os.path.join(ROOT, 'docs', page), encoding='utf-8') as stream:
        text = stream.read().partition('\n## Keras 2.2.4')[0]
    found: Dict[str, List[str]] = {}
    for anchor, *texts in re.findall(line, text, re.MULTILINE):
        for name in OrderedDict.fromkeys(re.findall(r'\bK\.(\w+)', ' '.join(texts))):
            if name in CONTRACT:
                found.setdefault(name, []).append(anchor)
    return found


def function_page(name: str, topic: str, title: str, sources: Sources, K: Any) -> str:
    """The Markdown of the page of one function."""
    from keras_backend.contract import CONTRACT

    of = CONTRACT[name]
    K.set_learning_phase(0)
    K.clear_session()
    np.random.seed(0)
    text, last = body(of.doc or '', ran(of.doc or '', {'K': K, 'np': np}, f'K.{name}'))
    fence = '`' * 5
    # 162 more lines in the menu of each page would treble the time of a build: the page of the topic lists them.
    lines = front_matter(description(name), 'orphan: true')
    lines += [f'# K.{name}', '', f'[API reference](index.md) / [{title}]({topic}.md)', '']
    lines += [f'{fence}{{py:function}} keras_backend.{name}{of.signature}', '', *text, '']
    lines += [':::{div} facts', '', *sources.facts(name), '', ':::', *last, fence, '']
    return '\n'.join(lines)


def front_matter(described: str, *more: str) -> List[str]:
    return ['---', *more, 'myst:', '  html_meta:', f'    description: {json.dumps(described)}', '---', '']


def description(name: str) -> str:
    """What a search engine shows below the title of the page of a function."""
    from keras_backend.contract import CONTRACT

    about = summary(CONTRACT[name].doc or '').replace('`', '')
    return f'{about} Arguments, an example and the engines of K.{name}, of the classic Keras backend API.'


def topics() -> Dict[Tuple[str, str], List[str]]:
    """{(name of the page of a topic, its title): its functions}."""
    from keras_backend.contract import CONTRACT

    found: Dict[Tuple[str, str], List[str]] = OrderedDict()
    for name, of in CONTRACT.items():
        found.setdefault((topic_page(of.topic), of.category), []).append(name)
    return found


def topic_page(topic: str) -> str:
    """The name of the page of a topic. `shape` is that of K.shape, so the page of the topic is `shapes`."""
    from keras_backend.contract import CONTRACT

    return topic + 's' if topic in CONTRACT else topic


def pages() -> Dict[str, str]:
    """{file name in docs/api: its Markdown}."""
    import keras_backend

    K, sources = keras_backend.load('numpy'), Sources()
    found = {'index.md': index()}
    for (topic, title), names in topics().items():
        found[topic + '.md'] = overview(title, names)
        for name in names:
            found[name + '.md'] = function_page(name, topic, title, sources, K)
    return found


def overview(title: str, names: List[str]) -> str:
    """The page of a topic: its functions, each with its first sentence."""
    described = f'{title} in the classic Keras backend API: {", ".join(f"K.{name}" for name in names[:6])}'
    lines = front_matter(described + (' and more.' if len(names) > 6 else '.'))
    lines += [f'# {title}', '', ':::{div} functions', '', '| function | what it does |', '|---|---|']
    lines += [f'| {link(name)} | {first_sentence(name)} |' for name in names]
    return '\n'.join([*lines, '', ':::', ''])


def link(name: str) -> str:
    return f'[`K.{name}`]({name}.md)'


def first_sentence(name: str) -> str:
    """The first sentence of a docstring, for a cell of a table."""
    from keras_backend.contract import CONTRACT

    return summary(CONTRACT[name].doc or '').replace('|', '\\|')


def index() -> str:
    """The first page of the reference: all functions in one table, which is filtered by words, of a topic, too."""
    from keras_backend.contract import CONTRACT

    lines = [
        '# API reference',
        '',
        f'K has {len(CONTRACT)} functions. Each has a page with the signature, the arguments, an example that ran',
        'when the page was made, the engines that have the function, and its name in Keras 2 and Keras 3.',
        '',
        '`K` stands for `import keras_backend as K`.',
        '',
        'By topic: ' + ', '.join(f'[{title}]({topic}.md)' for topic, title in topics()) + '.',
        '',
        '```{toctree}',
        ':hidden:',
        '',
        *[topic for topic, _ in topics()],
        '```',
        '',
        ':::{div} functions filterable',
        '',
        '| function | what it does | topic |',
        '|---|---|---|',
    ]
    for (topic, title), names in topics().items():
        lines += [f'| {link(name)} | {first_sentence(name)} | [{title}]({topic}.md) |' for name in names]
    return '\n'.join([*lines, '', ':::', ''])


def write(folder: str) -> List[str]:
    """Write the pages that changed into a folder, and remove what is none of them; returns the names of all."""
    made = pages()
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        if old not in made:
            os.remove(os.path.join(folder, old))
    for name, text in made.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path) or open(path, encoding='utf-8').read() != text:
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(text)
    return sorted(made)

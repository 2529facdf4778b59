"""The documents hold together: links lead somewhere, each rule of semantics.md has a name, the README's code runs."""

import json
import os
import re

import numpy as np
import pytest
from checkout import ROOT
from documents import blocks

from keras_backend.config import settings
from keras_backend.config.keras_json import DEFAULTS

ENGINE = settings.get('backend').value
PAGES = ['README.md'] + sorted(
    'docs/' + name for name in os.listdir(os.path.join(ROOT, 'docs')) if name.endswith('.md')
)
RULE = re.compile(r'\* <a id="([a-z0-9-]+)"></a>(\S.*\.)$')


def read(name):
    with open(os.path.join(ROOT, *name.split('/')), encoding='utf-8') as file:
        return file.read()


def headings(text):
    """The headings of a page without its code."""
    return re.findall(r'^#+ (.*)$', re.sub(r'^```.*?^```$', '', text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)


def anchors(text):
    """What a link may name in a page: an `<a id>`, or a heading in the spelling of GitHub."""
    slugs = [re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings(text)]
    return slugs + re.findall(r'<a id="([^"]*)"', text)


@pytest.mark.parametrize('page', PAGES)
def test_links(page):
    """Each link of a page to a file of the project, and to a place in it, leads somewhere."""
    broken = []
    for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`\n]*`', '', read(page))):
        name, _, anchor = target.partition('#')
        path = os.path.normpath(os.path.join(os.path.dirname(page), name)).replace(os.sep, '/') if name else page
        if '://' in target:
            continue
        if not os.path.exists(os.path.join(ROOT, *path.split('/'))) or (anchor and anchor not in anchors(read(path))):
            broken.append(target)
    assert broken == []


def test_one_rule_a_line():
    """Below the headings of semantics.md each list item is one line with an anchor of its own."""
    text = read('docs/semantics.md')
    lines = [line for line in text.split('\n## ', 1)[1].splitlines() if line.startswith('*') or '<a id' in line]
    assert [line for line in lines if not RULE.match(line)] == []
    names = [RULE.match(line).group(1) for line in lines]
    assert sorted(set(names)) == sorted(names)
    assert len(names) > 200
    assert len(set(anchors(text))) == len(anchors(text)), 'a rule and a heading have one name'


def test_references_to_rules():
    """Where the project names a rule or a section of semantics.md, it is there."""
    text = read('docs/semantics.md')
    found = []
    for folder, _, files in os.walk(os.path.join(ROOT, 'keras_backend')):
        for name in files:
            if name.endswith(('.py', '.pyi', '.txt')):
                with open(os.path.join(folder, name), encoding='utf-8') as file:
                    found += re.findall(r'semantics\.md(?:#([a-z0-9-]+)|, "([^"]+)")', file.read())
    assert found
    assert [anchor for anchor, _ in found if anchor and anchor not in anchors(text)] == []
    assert [heading for _, heading in found if heading and heading not in headings(text)] == []


def test_readme_code(tmp_path, monkeypatch):
    """The Python of the README runs; TensorFlow stands there for the engine that is tested."""
    monkeypatch.chdir(tmp_path)
    scope = {'np': np}
    for block in blocks('../README.md', 'python'):
        exec(block.replace("'tensorflow'", repr(ENGINE)), scope)
    assert scope['K'].get_value(scope['w']).shape == (3, 2)


def test_readme_settings():
    """The keras.json of the README holds the defaults."""
    (block,) = blocks('../README.md', 'json')
    assert json.loads(block) == DEFAULTS

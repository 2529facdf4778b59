"""The documents hold together: links lead somewhere, each rule of semantics.md has a name."""

import ast
import builtins
import json
import os
import re
import subprocess
import sys

import pytest
from checkout import ROOT
from documents import blocks, fenced, pages, source

from keras_backend.config.keras_json import DEFAULTS
from keras_backend.engines.table import ENGINES

PAGES = [name for name in sorted(os.listdir(ROOT)) if name.endswith('.md')] + sorted(
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
        # The pages of the reference are made when the site is built, which checks the links to them.
        if '://' in target or path.startswith('docs/api/'):
            continue
        if not os.path.exists(os.path.join(ROOT, *path.split('/'))) or (anchor and anchor not in anchors(read(path))):
            broken.append(target)
    assert broken == []


# What a block may hold: code that a test runs, text, and what the site makes something of.
LANGUAGES = {
    'python',
    'bash',
    'powershell',
    'text',
    'toml',
    'json',
    'yaml',
    '{toctree}',
    '{include}',
    '{literalinclude}',
    '{image}',
}
LANGUAGES |= {'{chart}', '{picture}', '{digits}', '{notebook}'}


@pytest.mark.parametrize('page', pages())
def test_code_is_fenced(page):
    """All code of a page is in a block with a language, so that tests find it."""
    assert {block.language or block.title.split()[0] for block in fenced(page)} <= LANGUAGES
    outside = re.sub(r'^ *```.*?^ *```$', '', source(page), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r'\n\n(    +[^ *\d-].*)', outside) == []


@pytest.mark.parametrize('page', pages())
def test_marks_of_blocks(page):
    """A mark stands above a block of code, each comment is a mark, and the tests that a reason names are there."""
    marked = [block for block in fenced(page) if block.reason or block.engines or block.given]
    assert [block.number for block in marked if block.language not in ('python', 'bash', 'powershell')] == []
    marks = sum(bool(block.reason) + bool(block.engines) + bool(block.given) for block in marked)
    assert marks == len(re.findall(r'^ *<!-- (?:not run|runs on|given):', source(page), re.MULTILINE))
    for block in marked:
        assert set(block.engines or ()) <= set(ENGINES)
        for path in re.findall(r'\btests/[\w./]*\w', block.reason or ''):
            assert os.path.exists(os.path.join(ROOT, *path.split('/'))), path


def test_every_shell_chooses_the_same():
    """The lines for a shell, for PowerShell and for notebooks in start.md set one variable to one engine."""
    text = source('start.md')
    assert 'KERAS_BACKEND=numpy python my_code.py ' in text
    assert "\n$env:KERAS_BACKEND = 'numpy'\npython my_code.py\n" in text
    assert "\nos.environ['KERAS_BACKEND'] = 'numpy'\n" in text


def test_default_settings():
    """The keras.json of choosing.md holds the defaults."""
    (block,) = blocks('choosing.md', 'json')
    assert json.loads(block) == DEFAULTS


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


def test_table_of_keras_3_names():
    """The table of names in coming-from-tf-keras.md is the one that its tool writes, with every K function."""
    tool = os.path.join(ROOT, 'tools', 'make_keras3_names.py')
    assert 0 == subprocess.call([sys.executable, tool, '--check'])


def test_first_page_has_the_table_of_the_readme():
    """The first page of the site says what to type in the words of README.md."""
    (rows,) = re.findall(r'^\| you have \|.*\n((?:\|.*\n)+)', read('README.md'), re.MULTILINE)
    assert rows.replace('](docs/', '](') in read('docs/index.md')


def test_scaling_shows_the_example():
    """The code of docs/scaling.md is that of the example, which the tests run."""
    lines = [line.strip() for line in read('examples/digits_distributed.py').splitlines()]
    found = [block for block in blocks('scaling.md', 'python') if 'import ' not in block and 'digits(' not in block]
    assert len(found) == 6
    for block in found:
        shown = [line.strip() for line in block.splitlines()]
        assert any(lines[i : i + len(shown)] == shown for i in range(len(lines))), block


@pytest.mark.parametrize('chapter', ['JAX: a mesh', 'PyTorch: a process group', 'TensorFlow: servers'])
def test_a_chapter_of_scaling_can_be_pasted(chapter):
    """Each name in the code of a chapter is imported or made there, or is that of the options of a process."""
    start, end = (source('scaling.md').count('\n', 0, at) for at in span('scaling.md', chapter))
    code = [block for block in fenced('scaling.md') if block.language == 'python' and start < block.number <= end]
    assert len(code) > 2
    made, used = set(dir(builtins)), set()
    for block in code:
        for node in ast.walk(ast.parse(block.given + '\n' + block.text)):
            if isinstance(node, ast.alias):
                made.add((node.asname or node.name).split('.')[0])
            elif isinstance(node, ast.Name):
                (made if isinstance(node.ctx, ast.Store) else used).add(node.id)
    assert used - made == set()


def span(page, heading):
    """Where a chapter of a page begins and ends."""
    text = source(page)
    start = text.index(f'\n## {heading}\n') + 1
    return start, (text + '\n## ').index('\n## ', start)


def test_no_paragraph_stands_twice():
    """No paragraph that a person wrote stands on a page, or on two pages, twice."""
    seen = {}
    for page in pages():
        text = re.sub(r'^ *```.*?^ *```$|<!--.*?-->', '', source(page), flags=re.MULTILINE | re.DOTALL)
        for paragraph in re.split(r'\n\s*\n', text):
            words = ' '.join(paragraph.split())
            # A line before a block, an entry of a list, and what tools write are none.
            if (
                len(words.split()) > 12
                and not words.endswith(':')
                and '(Said by ' not in words
                and words[0] not in '|*'
            ):
                seen.setdefault(words, []).append(page)
    assert {words: found for words, found in seen.items() if len(found) > 1} == {}

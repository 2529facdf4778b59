"""The built site: every link leads somewhere, and each function has a page. SITE is the folder of the site."""

import inspect
import json
import os
import re
import zlib
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from documents import pages as sources
from notebooks import names, path_of, printed

from keras_backend.contract import CONTRACT

SITE = os.environ['SITE']


class Page(HTMLParser):
    """The ids of a page, and what it links to or shows."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.targets, self.described, self.canonical = set(), [], [], []
        with open(path, encoding='utf-8') as file:
            self.text = file.read()
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if 'id' in given:
            self.ids.add(given['id'])
        target = given.get('href') if tag in ('a', 'link') else given.get('src')
        if target:
            self.targets.append(target)
        if given.get('name') == 'description':
            self.described.append(given['content'])
        if given.get('rel') == 'canonical':
            self.canonical.append(given['href'])


def found():
    """{path relative to the site: Page}."""
    pages = {}
    for folder, _, files in os.walk(SITE):
        for name in files:
            if name.endswith('.html'):
                path = os.path.join(folder, name)
                pages[os.path.relpath(path, SITE).replace(os.sep, '/')] = Page(path)
    return pages


PAGES = found()
FUNCTIONS = sorted(CONTRACT)
# K.shape has the page that its topic would have.
TOPICS = {entry.topic: 'shapes' if entry.topic == 'shape' else entry.topic for entry in CONTRACT.values()}


def first_sentence(name):
    return inspect.cleandoc(CONTRACT[name].doc).split('\n\n')[0].replace('\n', ' ').replace('`', '')


def test_pages_of_the_site():
    """Each page of docs/, each topic and each function of the reference is there."""
    wanted = {name.replace('.md', '.html') for name in sources()}
    wanted |= {f'api/{name}.html' for name in [*TOPICS.values(), *FUNCTIONS]} | {'api/index.html', 'search.html'}
    assert wanted <= set(PAGES)


@pytest.mark.parametrize('name', sorted(set(PAGES) - {'search.html'}))
def test_description_of_page(name):
    """A search engine finds one description on each page."""
    (words,) = PAGES[name].described
    assert 20 < len(words) < 300


@pytest.mark.parametrize('name', sorted(PAGES))
def test_canonical_link_of_page(name):
    """Each page names its own address where the address of the site is known, and none elsewhere."""
    site = os.environ.get('SITE_URL')
    assert PAGES[name].canonical == ([site + name] if site else [])


@pytest.mark.parametrize('name', sorted(PAGES))
def test_links_of_page(name):
    """Each link of a page to a page, a place or a file of the site leads somewhere."""
    broken = []
    for target in PAGES[name].targets:
        if re.match(r'[a-z]+:', target):
            continue
        path, _, anchor = target.partition('#')
        path = unquote(path.partition('?')[0])
        there = os.path.normpath(os.path.join(os.path.dirname(name), path)).replace(os.sep, '/') if path else name
        if not os.path.isfile(os.path.join(SITE, *there.split('/'))):
            broken.append(target)
        elif anchor and there in PAGES and unquote(anchor) not in PAGES[there].ids:
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize('name', FUNCTIONS)
def test_page_of_function(name):
    """A function has a title, a description, its signature, an example, its engines and its other names."""
    page = PAGES[f'api/{name}.html']
    title = unescape(re.search(r'<title>(.*?)</title>', page.text, re.DOTALL).group(1))
    assert title == f'K.{name} - {first_sentence(name).rstrip(".")} - keras_backend'
    assert page.described[0].startswith(first_sentence(name))
    assert f'keras_backend.{name}' in page.ids
    text = re.sub(r'<[^>]*>', '', page.text.partition('<article')[2])
    for part in ('Returns', 'Examples', '&gt;&gt;&gt;', 'Engines', 'keras.backend 2.3.1', 'Keras 3'):
        assert part in text, part
    for parameter in CONTRACT[name].parameters:
        assert parameter in text, parameter


@pytest.mark.parametrize('topic', sorted(TOPICS))
def test_functions_of_topic(topic):
    """The page of a topic has a link to each of its functions, and each of these has a link to the topic."""
    page = PAGES[f'api/{TOPICS[topic]}.html']
    for name in (name for name, entry in CONTRACT.items() if entry.topic == topic):
        assert f'{name}.html' in page.targets, name
        assert f'{TOPICS[topic]}.html' in PAGES[f'api/{name}.html'].targets, name


def test_inventory():
    """Other projects find each function at its page by objects.inv."""
    with open(os.path.join(SITE, 'objects.inv'), 'rb') as stream:
        entries = zlib.decompress(stream.read().split(b'\n', 4)[4]).decode()
    found = dict(re.findall(r'^keras_backend\.(\w+) py:function 1 (\S+) -$', entries, re.MULTILINE))
    assert found == {name: f'api/{name}.html#$' for name in FUNCTIONS}


@pytest.mark.parametrize('name', names())
def test_notebook_is_rendered(name):
    """The page shows each cell of code of a notebook, and what it printed; the words that begin with % or ! too."""
    with open(path_of(name), encoding='utf-8') as file:
        cells = json.load(file)['cells']
    shown = re.sub(r'\s+', '', unescape(re.sub(r'<[^>]*>', '', PAGES['notebooks.html'].text)))
    texts = [''.join(cell['source']) for cell in cells if cell['cell_type'] == 'code'] + [
        printed(cell) for cell in cells if cell['cell_type'] == 'code'
    ]
    wanted = [re.sub(r'\s+', '', re.sub(r'^%%writefile .*', '', text)) for text in texts]
    assert [text for text in wanted if text not in shown] == []


def test_charts_have_words():
    """The page on performance names networks in words, and not in the codes of the benchmarks."""
    text = PAGES['performance.html'].text
    assert 'Dense network' in text
    assert re.findall(r'\b[TBIH]\d+ [TBIH]\d+|\bMLP\b', text) == []

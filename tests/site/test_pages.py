"""The built site: every link leads somewhere, and the reference has every function. SITE is the folder of the site."""

import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from documents import pages as sources

from keras_backend.contract import CONTRACT

SITE = os.environ['SITE']


class Page(HTMLParser):
    """The ids of a page, and what it links to or shows."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.targets = set(), []
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
TOPICS = {entry.topic for entry in CONTRACT.values()}


def test_pages_of_the_site():
    """Each page of docs/ and each topic of the reference is there."""
    wanted = {name.replace('.md', '.html') for name in sources()}
    wanted |= {f'api/{topic}.html' for topic in TOPICS} | {'api/index.html', 'search.html'}
    assert wanted <= set(PAGES)


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


@pytest.mark.parametrize('topic', sorted(TOPICS))
def test_entries_of_topic(topic):
    """Each function of a topic has an entry with its signature, an example, its engines and its other names."""
    page = PAGES[f'api/{topic}.html']
    names = [name for name, entry in CONTRACT.items() if entry.topic == topic]
    for name in names:
        assert f'keras_backend.{name}' in page.ids, name
        entry = page.text.partition(f'id="keras_backend.{name}"')[2].partition('<dl class="py function">')[0]
        text = re.sub(r'<[^>]*>', '', entry)
        for part in ('Returns', 'Examples', '&gt;&gt;&gt;', 'Engines', 'keras.backend 2.3.1', 'Keras 3'):
            assert part in text, (name, part)
        for parameter in CONTRACT[name].parameters:
            assert parameter in text, (name, parameter)

"""The built site in Chromium without a window: no errors, a search that finds, tables that filter, room on a phone.

Skipped where there is no Chromium: on Debian, type `apt install chromium`. CHROMIUM may name another one.
"""

import functools
import http.server
import os
import shutil
import threading

import pytest
from documents import pages as sources

SITE = os.environ['SITE']
CHROMIUM = os.environ.get('CHROMIUM') or shutil.which('chromium') or shutil.which('google-chrome')
WIDTHS = {'desktop': (1280, 900), 'phone': (390, 844)}
NAMES = sorted(name.replace('.md', '.html') for name in sources())
NAMES += ['api/index.html', 'api/conv.html', 'api/tensors.html']

pytestmark = pytest.mark.skipif(not CHROMIUM, reason='there is no Chromium here: apt install chromium')


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture(scope='module')
def address():
    """Where the site is served."""
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(_Quiet, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f'http://127.0.0.1:{server.server_port}/'
        server.shutdown()


@pytest.fixture(scope='module')
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Containers give the processes of Chromium no sandbox. It opens our own pages alone.
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=['--no-sandbox'])
        yield started
        started.close()


@pytest.fixture
def opened(browser, address):
    """Opens a page of the site at the width of a device; what goes wrong there is an error at the end of the test."""
    contexts, wrong = [], []

    def opened(name, device='desktop', **options):
        width, height = WIDTHS[device]
        context = browser.new_context(viewport={'width': width, 'height': height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on('console', lambda said: wrong.append(said.text) if said.type in ('error', 'warning') else None)
        page.on('pageerror', lambda error: wrong.append(str(error)))
        page.on('response', lambda got: wrong.append(f'{got.status} {got.url}') if got.status >= 400 else None)
        page.goto(address + name)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.mark.parametrize('device', WIDTHS)
@pytest.mark.parametrize('name', NAMES)
def test_page_in_browser(opened, name, device):
    """A page opens without errors, is not wider than the screen, and shows its pictures."""
    page = opened(name, device)
    assert page.locator('h1').first.is_visible()
    assert page.evaluate('document.documentElement.scrollWidth') <= WIDTHS[device][0]
    shown = 'Array.from(document.images).filter(i => i.offsetParent && i.complete && !i.naturalWidth).map(i => i.src)'
    assert page.evaluate(shown) == []


@pytest.mark.parametrize(('words', 'wanted'), [('conv2d', 'api/conv.html'), ('keras.json', 'choosing.html')])
def test_search(opened, words, wanted):
    """The search finds a function, and a page by a word of its text."""
    page = opened('index.html')
    page.locator('input[name=q]').first.fill(words)
    page.keyboard.press('Enter')
    page.wait_for_selector('ul.search li a')
    page.wait_for_selector('.search-summary:not(:empty), #search-results p')
    links = page.eval_on_selector_all('ul.search li a', 'links => links.map(link => link.href)')
    assert [link for link in links if wanted in link] != [], links


def test_search_leads_to_the_function(opened):
    """The first hit of a function is its entry, and the link goes there."""
    page = opened('search.html?q=conv2d')
    link = page.wait_for_selector('ul.search li a')
    link.click()
    page.wait_for_url('**/api/conv.html*keras_backend.conv2d')
    assert page.locator('[id="keras_backend.conv2d"]').is_visible()


def test_filter_by_words(opened):
    """Typed words leave the rows that have them all."""
    page = opened('api/index.html')
    page.get_by_label('Filter the table').fill('conv transpose')
    names = page.locator('.filterable tbody tr:visible td:first-child').all_inner_texts()
    assert names == ['K.conv2d_transpose', 'K.conv3d_transpose']
    assert page.locator('.filter-bar output').inner_text() == '2 of 162'


def test_filter_by_engine(opened):
    """The menu of an engine leaves the functions of one kind, and all are back without it."""
    page = opened('support.html')
    page.get_by_label('NumPy').select_option('setting')
    rows = page.locator('.filterable tbody tr:visible')
    assert rows.count() == 11
    page.get_by_label('NumPy').select_option('')
    assert rows.count() == 162


def test_dark_page(opened):
    """A dark page shows the dark pictures."""
    page = opened('performance.html', color_scheme='dark')
    shown = page.evaluate('Array.from(document.images).filter(i => i.offsetParent).map(i => i.src)')
    assert shown
    assert all('-dark' in source for source in shown)

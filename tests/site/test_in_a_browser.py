"""The built site in Chromium without a window: no errors, a search that finds, tables that filter.

On a phone nothing is cut or too small, and the first screen has what it should.


Skipped where there is no Chromium: on Debian, type `apt install chromium`. CHROMIUM may name another one.
"""

import functools
import http.server
import os
import re
import shutil
import sys
import threading

import pytest
from checkout import ROOT
from documents import pages as sources
from questions import NAMES as ASKED
from questions import PASTED

from keras_backend.contract import CONTRACT

SITE = os.environ['SITE']
CHROMIUM = os.environ.get('CHROMIUM') or shutil.which('chromium') or shutil.which('google-chrome')
WIDTHS = {'desktop': (1280, 900), 'phone': (390, 844)}
# The blocks of code that have more than the screen shows.
CUT = 'Array.from(document.querySelectorAll("pre")).filter(b => b.scrollWidth > b.clientWidth).map(b => b.textContent)'
NAMES = sorted(name.replace('.md', '.html') for name in sources())
NAMES += [f'api/{name}.html' for name in ('index', 'conv', 'tensors', 'conv2d', 'rnn', 'batch_normalization')]
# The functions whose docstrings have the longest lines of code.
WIDEST = sorted(CONTRACT, key=lambda name: -max(map(len, re.findall(r'>>> .*', CONTRACT[name].doc))))[:5]

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
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize('name', WIDEST)
def test_widest_code_on_a_phone(opened, name):
    """An example with long lines is not cut."""
    page = opened(f'api/{name}.html', 'phone')
    assert page.locator('pre').count() > 0
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize('device', WIDTHS)
def test_first_screen(opened, device):
    """The first screen has all cards and commands; the picture is below."""
    page = opened('index.html', device)
    cards = page.locator('.cards .sd-card')
    assert cards.count() == 6
    commands = page.locator('table').first.locator('tbody tr')
    assert commands.count() == 5
    seen = [*cards.all(), *commands.all()[: 5 if device == 'desktop' else 1]]
    for box in [each.bounding_box() for each in seen]:
        assert box['y'] + box['height'] <= WIDTHS[device][1]
    assert page.locator('article img').first.bounding_box()['width'] > 300


def test_menu_begins_with_what_people_have(opened):
    """The menu begins with programs, files, layers, export, proof and engines."""
    captions = opened('index.html').locator('.sidebar-tree .caption').all_inner_texts()
    wanted = ['PROGRAMS', 'MODEL FILES', 'LAYERS AND K', 'EXPORT', 'PROOF', 'ENGINES']
    assert wanted == [caption.upper() for caption in captions][:6]


def test_digits_on_a_phone(opened):
    """The letters of the pictures of the digits, 11 pixels high in the file, are at least 7 pixels high."""
    page = opened('gallery.html', 'phone')
    sizes = page.eval_on_selector_all('.halves img', 'all => all.map(i => [i.clientWidth, i.naturalWidth])')
    assert len(sizes) == 2
    assert [shown for shown, drawn in sizes if shown < 0.7 * drawn] == []


@pytest.mark.parametrize('device', WIDTHS)
def test_project_links_are_seen(opened, device):
    """The links of the project stand at the end of a page, and on a wide screen in the menu, too."""
    page = opened('api/conv2d.html', device)
    assert page.locator('footer .project a').first.is_visible()
    menu = page.locator('.sidebar-drawer .project a').first.bounding_box()
    assert (menu['x'] >= 0) == (device == 'desktop')


def test_old_link_of_a_function(opened, address):
    """A link of the time when the entries stood on the pages of the topics leads to the page of the function."""
    page = opened('api/conv.html#keras_backend.conv2d')
    page.wait_for_url('**/api/conv2d.html#keras_backend.conv2d')
    page.goto(f'{address}api/shape.html#keras_backend.reshape')
    page.wait_for_url('**/api/reshape.html#keras_backend.reshape')


@pytest.mark.parametrize(('words', 'wanted'), [('conv2d', 'api/conv2d.html'), ('keras.json', 'choosing.html')])
def test_search(opened, words, wanted):
    """The search finds a function, and a page by a word of its text."""
    page = opened('index.html')
    page.locator('input[name=q]').first.fill(words)
    page.keyboard.press('Enter')
    page.wait_for_selector('ul.search li a')
    page.wait_for_selector('.search-summary:not(:empty), #search-results p')
    links = page.eval_on_selector_all('ul.search li a', 'links => links.map(link => link.href)')
    assert [link for link in links if wanted in link] != [], links


@pytest.mark.parametrize('words', ['conv2d', 'K.conv2d', 'rnn', 'sum'])
def test_search_leads_to_the_function(opened, words):
    """The first hit of a function is its page, and the link goes there."""
    name = words.rpartition('.')[2]
    page = opened(f'search.html?q={words}')
    page.wait_for_url(f'**/search.html?q={name}')
    page.wait_for_selector('.search-summary:not(:empty), #search-results p')
    # The page reads a summary of each hit; what is still on the way when it is left would be an error.
    page.wait_for_load_state('networkidle')
    page.locator('ul.search li a').first.click()
    page.wait_for_url(f'**/api/{name}.html*')
    assert page.locator(f'[id="keras_backend.{name}"]').is_visible()


@pytest.fixture(scope='module')
def first_hits(browser, address):
    """{question: link of the first result} of all questions, asked on one page."""
    sys.path.insert(0, os.path.join(ROOT, 'tools'))
    import error_texts

    titles = [title for door in error_texts.DOORS for _, title, _ in error_texts.shown(door)]
    page = browser.new_page()
    page.goto(address + 'search.html?q=conv2d')
    page.wait_for_selector('.search-summary:not(:empty)')
    ask = """questions => questions.map(question => {
        const results = Search._performSearch(...Search._parseQuery(question));
        const first = results[results.length - 1];
        return first ? first[0] + '.html' + (first[2] || '') : '';
    })"""
    questions = [*ASKED, *PASTED, *titles]
    hits = dict(zip(questions, page.evaluate(ask, [re.sub(r'\b(K|keras_backend)\.(?=\w)', '', q) for q in questions])))
    page.close()
    return hits, titles


@pytest.mark.parametrize('question', [*ASKED, *PASTED])
def test_first_answer(first_hits, question):
    """A name or a pasted message has its page as the first result."""
    assert {**ASKED, **PASTED}[question] == first_hits[0][question].partition('#')[0]


def test_first_answer_of_each_message(first_hits):
    """Each message of the pages of errors is the first result for itself, at its own heading."""
    hits, titles = first_hits
    at = {}
    for title in titles:
        at.setdefault(hits[title], []).append(title)
    assert [] == [link for link in at if '#' not in link]
    assert {} == {link: same for link, same in at.items() if len(same) > 1}


def test_two_clicks_from_a_message_to_a_command(opened):
    """Twelve pasted messages: the first result has the message as a heading, and what to type below it."""
    for pasted in list(PASTED)[:12]:
        page = opened('search.html')
        page.locator('[role=main] input[name=q], .sidebar-search').first.fill(pasted)
        page.keyboard.press('Enter')
        page.wait_for_selector('.search-summary:not(:empty)')
        page.wait_for_load_state('networkidle')
        page.locator('ul.search li a').first.click()
        page.wait_for_url(f'**/{PASTED[pasted]}#*')
        section = page.locator(f'[id="{page.url.rpartition("#")[2]}"]')
        assert section.locator('h3').is_visible()
        assert 'Type' in section.inner_text() or 'Cure:' in section.inner_text(), pasted


def test_filter_by_words(opened):
    """Typed words leave the rows that have them all."""
    page = opened('api/index.html')
    page.get_by_label('Filter the table').fill('conv transpose')
    names = page.locator('.filterable tbody tr:visible td:first-child').all_inner_texts()
    assert names == ['K.conv2d_transpose', 'K.conv3d_transpose']
    assert page.locator('.filter-bar output').inner_text() == '2 of 162'


def test_reference_begins_with_its_topics(opened):
    """The links to the topics are on the first screen, and a row has one line or two. A topic filters, too."""
    page = opened('api/index.html')
    topics = page.locator('article p').filter(has_text='By topic').locator('a')
    assert topics.count() == len({entry.topic for entry in CONTRACT.values()})
    assert topics.last.bounding_box()['y'] < WIDTHS['desktop'][1]
    heights = page.eval_on_selector_all('.filterable tbody tr', 'rows => rows.map(row => row.clientHeight)')
    assert max(heights) < 60
    assert sorted(heights)[len(heights) // 2] < 40
    page.get_by_label('Filter the table').fill('reductions')
    assert 'K.argmax' in page.locator('.filterable tbody tr:visible td:first-child').all_inner_texts()


def test_filter_by_engine(opened):
    """The menu of an engine leaves the functions of one kind, and all are back without it."""
    page = opened('support.html')
    page.get_by_label('NumPy').select_option('setting')
    rows = page.locator('.filterable tbody tr:visible')
    assert rows.count() == 11
    page.get_by_label('NumPy').select_option('')
    assert rows.count() == 162


# Whether a wrapper of a table is wider than what is seen, has a sign of it, and has a line above that says so.
SIGNS = """Array.from(document.querySelectorAll('.table-wrapper')).filter(box => box.clientWidth).map(box => [
    box.scrollWidth > box.clientWidth + 1,
    getComputedStyle(box).maskImage !== 'none',
    !box.previousElementSibling.hidden,
])"""


@pytest.mark.parametrize('device', WIDTHS)
@pytest.mark.parametrize(
    'name', ['engines-table.html', 'support.html', 'performance.html', 'index.html', 'errors.html']
)
def test_a_table_that_is_cut_shows_it(opened, name, device):
    """A table that scrolls fades out where it goes on, and says so above; one that fits does neither."""
    page = opened(name, device)
    signs = page.evaluate(SIGNS)
    assert signs
    assert [sign for sign in signs if len(set(sign)) > 1] == []
    if name == 'engines-table.html':
        assert any(cut for cut, _, _ in signs)


def test_a_table_at_its_end_shows_no_more(opened):
    """The fade is on the side where there is more."""
    page = opened('engines-table.html', 'phone')
    box = page.locator('.table-wrapper').first
    box.evaluate('box => { box.scrollLeft = box.scrollWidth; }')
    page.wait_for_function("document.querySelector('.table-wrapper').classList.contains('more-left')")
    assert 'more-right' not in box.get_attribute('class')


def test_dark_page(opened):
    """A dark page shows the dark pictures."""
    page = opened('performance.html', color_scheme='dark')
    shown = page.evaluate('Array.from(document.images).filter(i => i.offsetParent).map(i => i.src)')
    assert shown
    assert all('-dark' in source for source in shown)

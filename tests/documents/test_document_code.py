"""What the pages of docs/ show runs on this engine: their Python, their commands, and the code in their tables."""

import builtins
import doctest
import json
import os
import re
import sys

import numpy as np
import pytest
from checkout import ROOT
from documents import codes, fenced, pages, table
from processes import ENGINE, IMPORTED_FROM, python
from shell import Shell

from keras_backend import errors, loader

# What other tests run: all blocks of a page, or its Python.
ELSEWHERE = {
    'coming-from-tf-keras.md': 'tests/programs/keras3/test_keras3_launcher.py',
    'scaling.md': 'tests/documents/test_documents.py',
    'testing.md': 'tests/conformance/test_engines_plugin.py',
    'tutorial.md': 'tests/programs/keras3/test_tutorial.py',
    'two-engines.md': 'tests/every_engine/test_comparison.py',
    'writing-an-engine.md': 'tests/external_engines/test_external_engines.py',
}
# Runs the blocks of each page one after the other in one scope. The file that it writes says what each printed, or the
# traceback of the one that failed. All pages run in one process, because some libraries take long to import.
RUNNER = """
import contextlib, io, json, sys, traceback

with open(sys.argv[1], encoding='utf-8') as file:
    pages = json.load(file)
results = {}
for page in sorted(pages):
    scope, results[page] = {'__name__': '__main__'}, []
    for place, code in pages[page]:
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(code, place, 'exec'), scope)
        except Exception:
            results[page] = traceback.format_exc()
            break
        results[page].append(out.getvalue())
    sys.modules['keras_backend'].clear_session()
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    json.dump(results, file)
"""


def with_output(page, language):
    """(block, what it has to print or None) for the blocks of a page that run on this engine.

    A block without a title and of the language text, right behind a block of code, is what the code prints.
    """
    found, all_of_page = [], fenced(page)
    for block, following in zip(all_of_page, all_of_page[1:] + [None]):
        if block.language == language and not block.reason and (block.engines is None or ENGINE in block.engines):
            shown = (
                following is not None and following.follows and (following.language, following.title) == ('text', '')
            )
            found.append((block, following.text if shown else None))
    return found


def check(page, block, expected, printed):
    """What a block printed is what the page shows."""
    same = doctest.OutputChecker().check_output
    if expected is not None:
        where = f'docs/{page}, line {block.number}'
        assert same(expected, printed, doctest.ELLIPSIS), f'{where}: {printed}\n-- is not --\n{expected}'


PYTHON = [page for page in pages() if page not in ELSEWHERE and with_output(page, 'python')]


@pytest.fixture(scope='module')
def printed(tmp_path_factory):
    """{page: what each block of its Python printed, or the traceback of the one that failed}."""
    folder = tmp_path_factory.mktemp('pages')
    code = {
        page: [
            [f'docs/{page}, line {block.number}', '' if block.title else f'{block.given}\n{block.text}']
            for block, _ in with_output(page, 'python')
        ]
        for page in PYTHON
    }
    (folder / 'blocks.json').write_text(json.dumps(code), encoding='utf-8')
    (folder / 'runner.py').write_text(RUNNER, encoding='utf-8')
    # The checkout comes last: it has the examples, and a keras_backend that may not be the tested one.
    status, _, err = python(
        'runner.py',
        'blocks.json',
        'printed.json',
        cwd=folder,
        home=folder / 'home',
        backend=ENGINE,
        PYTHONPATH=os.pathsep.join([str(folder), IMPORTED_FROM, ROOT]),
        KERAS_BACKEND_QUIET='1',
    )
    assert status == 0, err
    return json.loads((folder / 'printed.json').read_text(encoding='utf-8'))


@pytest.mark.parametrize('page', PYTHON)
def test_python_of_document(page, printed):
    """The Python of a page runs, block by block, and prints what the page shows."""
    assert isinstance(printed[page], list), printed[page]
    for (block, expected), text in zip(with_output(page, 'python'), printed[page]):
        check(page, block, expected, text)


@pytest.mark.skipif(os.name != 'posix', reason='the commands are for bash')
@pytest.mark.parametrize('page', [page for page in pages() if page not in ELSEWHERE and with_output(page, 'bash')])
def test_commands_of_document(page, tmp_path):
    """The commands of a page succeed and print what the page shows."""
    shell = Shell(tmp_path, KERAS_BACKEND=ENGINE)
    for block in fenced(page):
        if block.title and block.language == 'python':
            (shell.work / block.title).write_text(block.text, encoding='utf-8')
    for block, expected in with_output(page, 'bash'):
        status, printed = shell.run(block.text)
        assert status == 0, f'docs/{page}, line {block.number}: {printed}'
        check(page, block, expected, printed)


# -- code in tables ----------------------------------------------------------------------------------------------------


def names(page):
    """What the first block of Python of a page defines."""
    scope = {'np': np}
    exec(next(block.text for block in fenced(page) if block.language == 'python'), scope)
    return scope


def ran(code, page):
    """The error of a piece of code with the names of its page, or None."""
    scope = names(page)
    try:
        exec(code, scope)
    except Exception as error:
        return error
    return None


def title_of_column():
    """What the tables call the library of this engine."""
    return 'PyTensor' if 'pytensor' in sys.modules else loader.load(ENGINE)._engine.title


EVERYWHERE = [code for row in table('tensors.md', 'On every engine') for code in codes(row['code'])]
SOMEWHERE = {row['code'].strip('`'): row for row in table('tensors.md', 'On some engines')}
NOWHERE = {row['code'].strip('`'): row for row in table('tensors.md', 'On no engine')}
WRONG = {
    row['code'].strip('`'): row
    for heading in ('While a graph is built', 'While a function runs')
    for row in table('errors.md', heading)
}


@pytest.mark.parametrize('code', EVERYWHERE)
def test_tensor_on_every_engine(code):
    """What tensors.md says of every engine is possible on this one."""
    assert ran(code, 'tensors.md') is None


@pytest.mark.parametrize('code', SOMEWHERE)
def test_tensor_on_some_engines(code):
    """tensors.md says whether it is possible on this engine, and what is possible on all."""
    row = SOMEWHERE[code]
    assert {'yes': True, 'no': False}[row[title_of_column()]] == (ran(code, 'tensors.md') is None)
    assert ran(row['on all of them'].strip('`'), 'tensors.md') is None


@pytest.mark.parametrize('code', NOWHERE)
def test_tensor_on_no_engine(code):
    """What tensors.md says of no engine is an error, and what it says to write is none."""
    assert ran(code, 'tensors.md') is not None
    assert ran(NOWHERE[code]['write instead'].strip('`'), 'tensors.md') is None


@pytest.mark.parametrize('code', WRONG)
def test_errors_of_document(code):
    """The code of errors.md raises the error that stands beside it, and what it says to write raises none."""
    row = WRONG[code]
    name = row['error'].strip('`')
    error = ran(code, 'errors.md')
    assert isinstance(error, getattr(errors, name, None) or getattr(builtins, name)), error
    for right in codes(row['write']):
        assert ran(right, 'errors.md') is None


def test_classes_of_errors():
    """errors.md names every error class of keras_backend that a program can meet."""
    text = '\n'.join(
        row['error']
        for part in ('With graphs, sessions and engines', 'When keras_backend is imported')
        for row in table('errors.md', part)
    )
    for name in re.findall(r'`(\w+)`', text):
        assert issubclass(getattr(errors, name), errors.KerasBackendError)

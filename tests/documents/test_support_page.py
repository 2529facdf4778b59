"""docs/support.md says what the engine that is tested here does: its records cannot be stale."""

import os
import subprocess
import sys

import pytest
from checkout import ROOT
from processes import ENGINE

from keras_backend.conformance import support
from keras_backend.engines.table import ENGINES

TOOL = os.path.join(ROOT, 'tools', 'make_support.py')


@pytest.mark.skipif(ENGINE not in ENGINES, reason='the page is about the built-in engines')
def test_support_page():
    """The record of the engine, and the page, are what tools/make_support.py would write."""
    process = subprocess.run(
        [sys.executable, TOOL, '--check', ENGINE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600
    )
    assert (0, '') == (process.returncode, process.stdout.decode())


def test_page_of_what_files_hold():
    """It is what tools/make_export_page.py would write from the records."""
    tool = os.path.join(ROOT, 'tools', 'make_export_page.py')
    process = subprocess.run(
        [sys.executable, tool, '--check'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600
    )
    assert (0, '') == (process.returncode, process.stdout.decode())


def test_support_of_an_engine_that_lacks_functions(tmp_path, monkeypatch):
    """A module with three functions: they are its own, and what cannot be composed of them is missing."""
    lines = ['def placeholder(*args, **kwargs): pass', 'variable = function = placeholder']
    (tmp_path / 'three_functions.py').write_text('\n'.join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    found = support('three_functions')
    origins = {name: seen['origin'] for name, seen in found['functions'].items()}
    assert 'three_functions' == found['engine']
    assert ['function', 'placeholder', 'variable'] == sorted(n for n, origin in origins.items() if origin == 'engine')
    assert ('missing', 'setting') == (origins['dot'], origins['floatx'])
    assert {0} == {seen['expected'] for seen in found['functions'].values()}

"""What docs/architecture.md says under "An engine", done on a copy of the checkout over autograd.numpy, is enough."""

import os

import pytest
from changed_copy import changed_copy, passes, text
from checkout import ROOT

ENGINE = '''"""The Autograd engine: K on the graph, run by autograd.numpy."""

from types import SimpleNamespace

import autograd.numpy

from ...graph.install import install
from ..numpy_backend import library

_NAMES = 'abs cos exp log maximum minimum sign sin square tanh'.split()
_kernels = SimpleNamespace(**vars(library))
# The arrays are those of NumPy, so its kernels do the rest.
_kernels.PRIMITIVES = {**library.PRIMITIVES, **{name: getattr(autograd.numpy, name) for name in _NAMES}}
_kernels.IN_PLACE = library.IN_PLACE - set(_NAMES)
_kernels.specialize = lambda *operands: None

install(globals(), name='autograd', title='Autograd', kernels=_kernels)
'''
LIBRARY = "Library('Autograd', 'autograd', ('autograd',), Pythons((3, 9)))"
ENTRY = f"    Engine('autograd', ({LIBRARY},), extras=('autograd',)),\n"
EXTRA = """autograd = [
    "autograd; python_version >= '3.9'",
]
"""
TOX = """
[testenv:py{39,313}-autograd]
commands =
    {[suite]check} autograd
"""
WORKFLOW = """          - { environment: py39-autograd, python: "3.9" }
          - { environment: py313-autograd, python: "3.13" }
"""
TESTS = '''"""What only Autograd does."""

import autograd.numpy

from keras_backend.engines import autograd_backend as K


def test_kernels_are_those_of_autograd():
    assert K._graph.kernels.PRIMITIVES['tanh'] is autograd.numpy.tanh
'''
CHANGES = [
    ('keras_backend/engines/autograd_backend/__init__.py', None, ENGINE),
    ('keras_backend/engines/table.py', "extras=('jax',),\n    ),\n", ENTRY),
    ('pyproject.toml', '[project.optional-dependencies]\n', EXTRA),
    ('tox.ini', 'env_list =\n', '    py{39,313}-autograd,\n'),
    ('tox.ini', '    numpy: KERAS_BACKEND = numpy\n', '    autograd: KERAS_BACKEND = autograd\n'),
    ('tox.ini', '    torch{,22}: torch\n', '    autograd: autograd\n'),
    ('tox.ini', None, TOX),
    ('.github/workflows/ci.yml', '          - { environment: py310-torch22, python: "3.10" }\n', WORKFLOW),
    ('tests/engines/autograd/test_autograd_engine.py', None, TESTS),
]


def test_the_page_names_the_places_of_an_engine():
    page = text(os.path.join(ROOT, 'docs', 'architecture.md')).partition('**An engine**')[2].partition('\n## ')[0]
    for name, _before, _new in CHANGES:
        short = name.replace('keras_backend/', '', 1) if name.startswith('keras_backend/') else name
        assert f'`{short.replace("autograd", "<name>")}`' in page, short


def test_an_engine(tmp_path):
    """The engine is found by its name and passes the tests of the table and the conformance tests."""
    pytest.importorskip('autograd')
    root = changed_copy(str(tmp_path / 'copy'), CHANGES)
    chosen = {'KERAS_BACKEND': 'autograd'}
    passes(root, 'pytest', '-q', 'tests/package/test_engine_table.py', 'tests/package/test_house.py')
    passes(root, 'pytest', '-q', 'tests/engines/autograd', **chosen)
    passes(root, 'keras_backend', 'check', 'autograd', '-k', 'test_elementwise or test_nn or test_control', **chosen)

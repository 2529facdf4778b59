"""The shim stands on nothing of the wings, and each wing on few others; docs/architecture.md draws it."""

import ast
import os
import sys

import pytest
from checkout import ROOT

import keras_backend

sys.path.append(os.path.join(ROOT, 'tools'))
import import_graph

PACKAGE = os.path.dirname(keras_backend.__file__)
SHIM = 'loader binding config contract front user_module graph kernels derived engines basics errors'.split()
# What the functions of K take from the wings, they import when they are called.
FACES = ['__init__', '__main__']
# The wings, and the other wings that each may import.
WINGS = {
    'conformance': set(),
    'exporting': set(),
    'files': set(),
    'comparison': set(),
    'programs': {'files', 'exporting', 'comparison'},
    'commands': {'files', 'exporting', 'comparison', 'programs'},
    'keras2': {'programs'},
    'keras3': {'programs'},
}
# The parts that everything stands on, and what stands below each of them.
BELOW = {
    'errors': {'basics.terminal'},
    'basics.installed': set(),
    'basics.library': set(),
    'basics.live': set(),
    'basics.terminal': set(),
    'basics.threads': set(),
    'basics.tables': set(),
    'basics.run_errors': {'basics.tables', 'contract', 'errors'},
    'engines.table': {'basics.installed'},
    'config': {'basics.installed', 'engines.table', 'errors'},
    'contract': {'config', 'errors'},
    'front': {*(f'basics.{name}' for name in 'dtypes library shapes'.split()), 'config', 'contract', 'errors'},
    'derived': {'basics.dtypes', 'basics.library', 'basics.shapes', 'errors'},
    'user_module': {
        *(f'basics.{name}' for name in 'dtypes library shapes'.split()),
        *('contract', 'derived', 'errors', 'front'),
    },
    'binding': {'basics.live', 'basics.run_errors', 'config', 'contract', 'errors', 'front', 'user_module'},
    'commands.devices': {'basics.installed', 'engines', 'errors', 'loader'},
}


def entry(module):
    """The file or folder of the package in which a module lies; the package itself is its `__init__`."""
    return (module.split('.') + ['__init__'])[1]


def imports():
    """Pairs of a module and one that it imports anywhere."""
    _known, edges = import_graph.of_package(PACKAGE)
    return [(module, other) for module, others in edges.items() for other in others]


def test_every_entry_has_its_side():
    entries = {name for name in os.listdir(PACKAGE) if name != '__pycache__'}
    listed = {*SHIM, *FACES, *WINGS, 'py', '__init__'}
    assert listed == {name.partition('.')[0] for name in entries}
    assert len(entries) <= 24


def test_the_shim_imports_no_wing():
    assert [] == [(module, other) for module, other in imports() if entry(module) in SHIM and entry(other) in WINGS]


@pytest.mark.parametrize('face', FACES)
def test_the_face_imports_wings_where_they_are_called(face):
    with open(os.path.join(PACKAGE, face + '.py'), encoding='utf-8') as file:
        body = ast.parse(file.read()).body
    names = [node.module or alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert names
    assert [] == [name for name in names if name.partition('.')[0] in WINGS]


def test_order_of_the_wings():
    wrong = [
        (module, other)
        for module, other in imports()
        if entry(module) in WINGS
        and entry(other) in WINGS
        and entry(other) not in WINGS[entry(module)] | {entry(module)}
    ]
    assert [] == wrong


@pytest.mark.parametrize('part', BELOW)
def test_arrows_go_down(part):
    """The parts that everything stands on import only what stands below them."""
    inside = [(f'{module}.', f'{other}.') for module, other in imports()]
    start, allowed = f'keras_backend.{part}.', [f'keras_backend.{name}.' for name in BELOW[part]]
    assert [] == [
        (module, other)
        for module, other in inside
        if module.startswith(start) and not other.startswith((start, *allowed)) and other != 'keras_backend.'
    ]

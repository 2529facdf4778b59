"""No module of the package imports one that imports it back, for types either."""

import ast
import os

import pytest

import keras_backend

PACKAGE = os.path.dirname(keras_backend.__file__)
# The stubs declare themselves in their package, which imports them so that it is complete.
DECLARING = 'keras_backend.contract'


def modules():
    """The files of the package by module. The conformance tests are tests."""
    found = {}
    for folder, folders, files in os.walk(PACKAGE):
        folders[:] = [f for f in folders if f not in ('conformance', '__pycache__')]
        for file in files:
            if file.endswith('.py'):
                path = os.path.relpath(os.path.join(folder, file[:-3]), os.path.dirname(PACKAGE))
                found[path.replace(os.sep, '.').replace('.__init__', '')] = os.path.join(folder, file)
    return found


def imports(module, path, known):
    """The modules among `known` that a file imports anywhere. A package is imported with its modules only by name."""
    with open(path, encoding='utf-8') as file:
        tree = ast.parse(file.read())
    package = module.split('.') if os.path.basename(path) == '__init__.py' else module.split('.')[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [(alias.name,) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else []
            base = '.'.join(start + ([node.module] if node.module else []))
            names = [(f'{base}.{alias.name}', base) for alias in node.names]
        else:
            continue
        for candidates in names:
            found = next((name for name in candidates if name in known), None)
            if found not in (None, module):
                yield found


def in_circles(edges):
    """What stays when modules that import none, or that none imports, are taken away again and again."""
    edges = {module: set(others) for module, others in edges.items()}
    while True:
        imported = set().union(*edges.values()) if edges else set()
        gone = [module for module, others in edges.items() if not others or module not in imported]
        if not gone:
            return sorted(edges)
        for module in gone:
            del edges[module]
        for others in edges.values():
            others.difference_update(gone)


def test_no_circle_of_imports():
    known = modules()
    edges = {module: set(imports(module, path, known)) for module, path in known.items()}
    assert len(edges) > 200
    assert sum(map(len, edges.values())) > 1000
    assert [module for module in in_circles(edges) if not module.startswith(DECLARING)] == []


@pytest.mark.parametrize(
    ('edges', 'found'),
    [({'a': {'b'}, 'b': {'c'}, 'c': set()}, []), ({'a': {'b'}, 'b': {'c'}, 'c': {'b'}, 'd': {'a'}}, ['b', 'c'])],
)
def test_circles_are_found(edges, found):
    assert in_circles(edges) == found

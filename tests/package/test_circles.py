"""No module of the package imports one that imports it back, for types either; nor does a room."""

import ast
import os

import pytest

import keras_backend

PACKAGE = os.path.dirname(keras_backend.__file__)


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
    """Those that reach themselves."""
    found = []
    for start in edges:
        seen, todo = set(), list(edges[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo.extend(edges.get(module, ()))
        if start in seen:
            found.append(start)
    return sorted(found)


@pytest.fixture(scope='module')
def graph():
    """The files of the package by module, and the modules that each imports."""
    known = modules()
    return known, {module: set(imports(module, path, known)) for module, path in known.items()}


def test_no_circle_of_imports(graph):
    _known, edges = graph
    assert len(edges) > 200
    assert sum(map(len, edges.values())) > 1000
    assert in_circles(edges) == []


def room_of(module, path):
    """The folder of a module. A module beside rooms is a room of its own: of the package, of an engine."""
    folder = os.path.relpath(os.path.dirname(path), PACKAGE).replace(os.sep, '/')
    parts = [part for part in folder.split('/') if part != '.']
    beside_rooms = not parts or parts == ['graph'] or (parts[0] == 'engines' and len(parts) < 3)
    return '/'.join([*parts, module.split('.')[-1]]) if beside_rooms else folder


def test_no_circle_of_rooms(graph):
    known, edges = graph
    rooms = {room_of(module, path): set() for module, path in known.items()}
    for module, others in edges.items():
        room = room_of(module, known[module])
        rooms[room] |= {room_of(other, known[other]) for other in others} - {room}
    assert {'graph/library', 'graph/nodes', 'graph/run', 'front', 'engines/tensorflow_backend/xla'} <= set(rooms)
    assert in_circles(rooms) == []


@pytest.mark.parametrize(
    ('edges', 'found'),
    [({'a': {'b'}, 'b': {'c'}, 'c': set()}, []), ({'a': {'b'}, 'b': {'c'}, 'c': {'b'}, 'd': {'a'}}, ['b', 'c'])],
)
def test_circles_are_found(edges, found):
    assert in_circles(edges) == found

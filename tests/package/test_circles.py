"""No module of the package imports one that imports it back, for types either; nor does a room."""

import os
import sys

import pytest
from checkout import ROOT

import keras_backend

sys.path.append(os.path.join(ROOT, 'tools'))
import import_graph

PACKAGE = os.path.dirname(keras_backend.__file__)


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


def test_no_circle_of_imports():
    _known, edges = import_graph.of_package(PACKAGE)
    assert len(edges) > 200
    assert sum(map(len, edges.values())) > 1000
    assert in_circles(edges) == []


def room_of(module, path):
    """The folder of a module. A module beside rooms is a room of its own: of the package, of an engine."""
    folder = os.path.relpath(os.path.dirname(path), PACKAGE).replace(os.sep, '/')
    parts = [part for part in folder.split('/') if part != '.']
    beside_rooms = (
        not parts
        or parts in (['graph'], ['basics'], ['commands'], ['files'])
        or (parts[0] == 'engines' and len(parts) < 3)
    )
    return '/'.join([*parts, module.split('.')[-1]]) if beside_rooms else folder


def test_no_circle_of_rooms():
    known, edges = import_graph.of_package(PACKAGE)
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

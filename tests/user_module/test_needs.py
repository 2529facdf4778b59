"""What a K function needs, which is read from its byte code, beside what its source says."""

import ast
import inspect

import pytest

from keras_backend.basics.library import PRIMITIVES
from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.derived import DERIVED
from keras_backend.front import Front
from keras_backend.user_module.front import Needs, needs_of
from keras_backend.user_module.library import ModuleLibrary


def read(tree, receiver):
    """The attributes that source reads from `receiver`, by its last name."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and receiver in (getattr(node.value, 'id', None), getattr(node.value, 'attr', None))
    }


def in_source(function, receiver):
    """The same of a function and of the helpers of its module that it names."""
    module = ast.parse(inspect.getsource(inspect.getmodule(function)))
    helpers = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    found, seen, todo = set(), set(), [helpers[function.__name__]]
    while todo:
        tree = todo.pop()
        seen.add(tree.name)
        found |= read(tree, receiver)
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        todo += [helpers[name] for name in named if name in helpers and name not in seen]
    return found


@pytest.mark.parametrize('name', sorted(DERIVED))
def test_primitives_that_a_derived_one_needs(name):
    """Byte code and source name the same primitives and methods of the library."""
    found = needs_of(DERIVED[name])
    assert in_source(DERIVED[name], 'F') - {'library'} == {n for kind, n in found if kind == 'F'}
    assert in_source(DERIVED[name], 'library') == {n for kind, n in found if kind == 'library'}


def looking(self, x):
    library = self.library

    def inner():
        return self.F.exp(x)

    return [library.items(size) for size in [self.F.shape(x)]], K.softmax(x), lambda: helper(self), inner  # noqa: F821


def helper(K):
    return K.binary('mul', K.sum(1), 'no primitive')


def test_every_way_to_read():
    """Inner functions, comprehensions, variables, helpers and names that are handed on are seen."""
    assert needs_of(looking) == {
        ('F', 'exp'),
        ('F', 'shape'),
        ('F', 'mul'),
        ('K', 'softmax'),
        ('K', 'sum'),
        ('library', 'items'),
    }


def made(*own):
    """The K functions that can be made of these."""
    library = ModuleLibrary(dict.fromkeys(own, len), 'test', 'Test')
    needs = Needs(Front, library, frozenset())
    return needs, {name for name in CONTRACT if needs.met(name)} - set(own) - set(SETTINGS)


THREE = ('function', 'placeholder', 'variable')


def test_three_functions():
    """Of the required functions come those that only ask, make and evaluate."""
    _needs, names = made(*THREE)
    assert {'count_params', 'dtype', 'eval', 'eye', 'get_value', 'int_shape', 'ndim', 'to_dense'} <= names
    assert not {'exp', 'sqrt', 'conv2d', 'gradients', 'update', 'is_tensor', 'is_variable', 'switch'} & names


def test_one_more_function_brings_others():
    """A function that is added brings those that need it, and what lacks says which function would."""
    needs, before = made(*THREE)
    assert 'softsign' not in before
    assert needs.lacking('softsign') == ['abs']
    assert needs.lacking('sqrt') == []  # nothing but the function itself would bring it next
    _needs, after = made(*THREE, 'abs')
    assert after - before == {'softsign'}


def test_every_primitive_is_said_derived_or_named_as_lacking():
    """Each primitive of a library is an attribute of the primitives of a module."""
    library = ModuleLibrary(dict.fromkeys(THREE, len), 'test', 'Test')
    assert all([callable(getattr(library.F, name)) for name in PRIMITIVES])
    assert set(DERIVED) <= set(PRIMITIVES)

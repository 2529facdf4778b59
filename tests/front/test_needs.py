"""The needs that composed functions declare, beside those that their code shows."""

import ast
import inspect

import pytest

from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.front.composed import NEEDS, Composed

TOPICS = [topic for topic in Composed.__mro__ if 'needs' in vars(topic)]


def names_of_k(tree, receiver):
    """Names of K that are read from `receiver`, the first argument of a method or of a helper."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver
    }


def needs_of(topic):
    """{method: names of K that it uses, by way of the helpers of its module, too}."""
    module = ast.parse(inspect.getsource(inspect.getmodule(topic)))
    helpers = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    (body,) = [node.body for node in module.body if isinstance(node, ast.ClassDef)]

    def used(tree, receiver, seen):
        found = names_of_k(tree, receiver)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in helpers and node.id not in seen:
                seen.add(node.id)
                found |= used(helpers[node.id], 'K', seen)
        return found

    methods = [node for node in body if isinstance(node, ast.FunctionDef)]
    return {m.name: used(m, 'self', set()) for m in methods}


@pytest.mark.parametrize('topic', TOPICS, ids=lambda topic: topic.__name__)
def test_declared_needs_are_those_of_the_code(topic):
    """Each composed function declares the K functions that it uses, itself and the settings left out."""
    found = {name: used - {name} - set(SETTINGS) for name, used in needs_of(topic).items()}
    assert {name: set(wanted.split()) for name, wanted in topic.needs.items()} == {
        name: {n for n in used if n in CONTRACT} for name, used in found.items()
    }


def test_needs_are_names_of_k():
    """What is composed, and what of, are K functions; nothing is composed of itself alone."""
    assert NEEDS
    for name, wanted in NEEDS.items():
        assert name in CONTRACT
        assert wanted <= set(CONTRACT) - {name}

"""The names, signatures and docstrings of the engine are those of the contract."""

import inspect
import types

import pytest

from ..contract import CONTRACT, REQUIRED, SETTINGS
from ._check import covers


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in CONTRACT])
def test_signature_and_docstring(K, name):
    """Each name is a function with the signature of the contract and a docstring."""
    function = getattr(K, name)
    assert callable(function)
    mine, agreed = inspect.signature(function), CONTRACT[name].signature

    def described(signature):
        return [(p.name, p.kind, p.default) for p in signature.parameters.values()]

    # An engine may take more optional arguments after those of the contract.
    kept = [
        p
        for p in described(mine)
        if p[0] in agreed.parameters
        or (
            p[2] is inspect.Parameter.empty
            and p[1] not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        )
    ]
    assert kept == described(agreed), f'{name}{mine} instead of {agreed}'
    assert inspect.getdoc(function)


def test_names(K):
    """The required names are there, `__all__` has the names of the contract, and each name has an origin."""
    assert set(K._engine.origins) >= set(CONTRACT)
    assert all(K._engine.origins[name] in ('engine', 'composed') for name in REQUIRED)
    assert all(K._engine.origins[name] == 'setting' for name in SETTINGS)
    assert set(CONTRACT) <= set(K.__all__)
    assert all(K._engine.origins[name] in ('engine', 'composed', 'setting', 'missing') for name in CONTRACT)
    assert K._engine.name
    assert K._engine.title


def test_attributes_are_plain_functions(K):
    """Names are ordinary attributes of a module, so `K.dot` costs no more than an attribute."""
    assert isinstance(K, types.ModuleType)
    assert all(name in vars(K) for name in CONTRACT)

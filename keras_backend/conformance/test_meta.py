"""Tests of the suite itself: what it covers, the error of a missing function, the form of test ids."""

import inspect

import pytest

from ..contract import CONTRACT
from ..errors import UnsupportedByEngine
from ._report import covered, own
from ._report import test_id as id_of


@pytest.fixture
def report(request):
    """The plugin that holds the collected results."""
    return request.config.pluginmanager.get_plugin('conformance-report')


def test_every_name_is_covered(report):
    """Each name of the contract has a test, if the whole suite is collected."""
    assert report.uncovered == []


def test_tests_cover_names_of_the_contract(request):
    """Each test covers names that exist, and has a docstring."""
    for item in own(request.session.items):
        assert [name for name in covered(item) if name not in CONTRACT] == [], item.name
        assert inspect.getdoc(item.function), f'{item.name} has no docstring'
        assert ': ' not in id_of(item), f'lists of expected failures cannot spell {id_of(item)!r}'


@pytest.mark.parametrize('name', list(CONTRACT))
def test_missing_functions_say_so(K, name):
    """A missing function raises UnsupportedByEngine with function, engine, reason and way out. `supports` is false."""
    missing = K._engine.origins[name] == 'missing'
    assert K._engine.supports(name) is not missing
    if not missing:
        return
    required = [
        p
        for p in CONTRACT[name].signature.parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    with pytest.raises(UnsupportedByEngine) as caught:
        getattr(K, name)(*[None] * len(required))
    error = caught.value
    assert isinstance(error, NotImplementedError)
    assert error.function == name
    assert error.engine
    assert error.reason
    assert error.way_out
    assert 'K.' + name in str(error)
    assert error.reason in str(error)
    assert error.way_out in str(error)

"""The examples of the contract's docstrings, run with this K."""

import doctest

import numpy as np
import pytest

from ..contract import CONTRACT
from ._check import covers

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_every_name_has_an_example():
    """There is at least one example for each function."""
    parser = doctest.DocTestParser()
    assert [name for name, entry in CONTRACT.items() if not parser.get_examples(entry.doc)] == []


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in CONTRACT])
def test_example(K, name):
    """The example shows what the engine gives."""
    test = doctest.DocTestParser().get_doctest(CONTRACT[name].doc, {'K': K, 'np': np}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    written = []
    runner.run(test, out=written.append)
    assert runner.failures == 0, ''.join(written)

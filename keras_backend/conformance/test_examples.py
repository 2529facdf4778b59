"""The examples in the docstrings of the contract run with this K."""

import doctest

import numpy as np
import pytest

from ..contract import CONTRACT
from ._check import covers

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_every_name_has_an_example():
    """Each function has at least one example."""
    parser = doctest.DocTestParser()
    assert [name for name, entry in CONTRACT.items() if not parser.get_examples(entry.doc)] == []


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in CONTRACT])
def test_example(K, name):
    """The engine gives what the example shows."""
    test = doctest.DocTestParser().get_doctest(CONTRACT[name].doc, {'K': K, 'np': np}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    written = []
    runner.run(test, out=written.append)
    assert runner.failures == 0, ''.join(written)

"""docs/revived.md is what tools/make_revived.py makes of its facts and the records, and these agree."""

import os
import re
import subprocess
import sys

import pytest
from checkout import ROOT
from program_records import differences, recorded

TOOLS = os.path.join(ROOT, 'tools')
sys.path.insert(0, TOOLS)

from make_revived import PICTURES, TODAY, at, engines, original, path_of  # noqa: E402
from revived_facts import FACTS  # noqa: E402


def test_the_page_of_revived_programs():
    """The page is what the tool writes."""
    command = [sys.executable, os.path.join(TOOLS, 'make_revived.py'), '--check']
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (0, '') == (process.returncode, process.stdout.decode())


@pytest.mark.parametrize('fact', FACTS, ids=[fact.program for fact in FACTS])
def test_fact(fact):
    """The program has the functions, and at least two engines gave the number of the original."""
    with open(os.path.join(ROOT, *path_of(fact).split('/')), encoding='utf-8') as file:
        text = file.read()
    assert [] == [name for name in fact.functions.split(', ') if not re.search(rf'\bK\.{name}\b', text)]
    today = recorded(TODAY)[fact.program]
    assert len(today) >= 2
    assert set(today) <= set(engines(fact))
    for value in today.values():
        assert [] == differences(value, at(original(fact), fact.place))


def test_pictures_of_revived_programs():
    """At least 20 rows; each picture that the page shows is there, and small."""
    assert len({fact.program for fact in FACTS}) >= 20
    assert len(PICTURES) >= 6
    for name, _, _ in PICTURES:
        assert os.path.getsize(os.path.join(ROOT, 'docs', '_static', 'revived', name)) <= 40 * 1024

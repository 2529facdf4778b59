"""Where Keras 2.2.4 differs from the original is said in docs/differences.md, a row of its section for each difference.

record.py and record_programs.py have recorded it. keras224_rows.txt says which row a difference belongs to.
"""

import os
import re
from collections import namedtuple
from typing import Any, Dict, List

import original_compare as compare
import original_run as run
import pytest
import record
import record_programs
from original_cases import all_cases

PAGE = os.path.join(os.path.dirname(os.path.dirname(compare.FOLDER)), 'docs', 'differences.md')
CASES = {case.id: case for case in all_cases()}
OUTCOMES = run.read(record.KERAS224)
PROGRAMS = record_programs.read(record_programs.KERAS224)
LINES = compare.listed(os.path.join(compare.FOLDER, 'keras224_rows.txt'))

Named = namedtuple('Named', 'id')


def rows() -> Dict[str, str]:
    """The rows of the section, by their names."""
    with open(PAGE, encoding='utf-8') as stream:
        section = stream.read().split('\n## Keras 2.2.4\n')[1]
    return dict(re.findall(r'^\| <a id="([^"]+)"></a>([^|]*)', section, re.MULTILINE))


def lines_of(name: str) -> List[Any]:
    """The lines that list a case or program."""
    return [line for line in LINES if compare.by_id([Named(name)], [line])]


@pytest.mark.parametrize('name', sorted(OUTCOMES) + sorted(PROGRAMS))
def test_difference_has_its_row(name: str) -> None:
    """One line lists it, and the row of that line is on the page."""
    listed = {row for pattern, engines, row in lines_of(name)}
    assert len(listed) == 1
    assert listed <= set(rows())


def test_every_line_lists_something() -> None:
    """A line without a case or a program is a mistake, and so is a row without a line."""
    used = [line for name in list(OUTCOMES) + list(PROGRAMS) for line in lines_of(name)]
    assert [] == [line for line in LINES if line not in used]
    assert set(rows()) == {row for pattern, engines, row in LINES}


def test_row_names_the_function() -> None:
    """A function that is not there, or whose name is that of its cases, is in the row."""
    text = rows()
    for name in OUTCOMES:
        function, row = name.split('/')[0], lines_of(name)[0][2]
        if name not in CASES or f'K.{function}(' in CASES[name].program:
            assert f'`K.{function}`' in text[row], name


def test_what_is_recorded_differs() -> None:
    """The records have what is not as in the original, of cases and programs that are there, and no more."""
    original, programs = run.read(record.RECORD), record_programs.read()
    for name, outcome in OUTCOMES.items():
        if outcome.startswith(record.ABSENT):
            assert outcome == record.ABSENT + name
            assert any(f'K.{name}(' in case.program for case in CASES.values())
        else:
            assert run.unlike(original[name], outcome), name
    for name, outcome in PROGRAMS.items():
        if isinstance(outcome, str):
            continue
        wanted = {key: programs[name][key] for key in outcome}
        assert outcome
        for key in outcome:
            assert record_programs.differences({key: wanted[key]}, {key: outcome[key]}, record_programs.AGAIN), name

"""Every case on our engine beside what the original gave, as it stands in original.txt.

A case that a line of differences.txt lists has to differ from the original, and to give what the NumPy engine gives, as
it stands in ours.txt. Where the line is for other engines alone, it has to differ from the original, and that is all.
"""

import functools
import os
import re

import numpy as np
import original_compare as compare
import original_run as run
import pytest
from original_cases import all_cases

import keras_backend as K
from keras_backend import errors
from keras_backend.config import settings

ENGINE = settings.get('backend').value
HERE = compare.FOLDER
CASES = all_cases()
ORIGINAL = run.read(os.path.join(HERE, 'original.txt'))
OURS = run.read(os.path.join(HERE, 'ours.txt'))
LINES = compare.listed(compare.DIFFERENCES)
LISTED = compare.by_id(CASES, LINES)
RAW = compare.by_id(CASES, compare.listed(os.path.join(HERE, 'raw_errors.txt')))
# The engines that raw_errors.txt is about.
HELD = ('numpy', 'torch', 'jax', 'tensorflow')
RUNNER = run.Runner(K, error=run.error_of_ours)
GROUPS = run.groups(CASES)
GROUP_OF = {case.id: number for number, group in enumerate(GROUPS) for case in group}


def ROTATES_BY(item):
    """The graph of a case: where one of its cases runs, all of them are built."""
    case = item.callspec.params.get('case') if hasattr(item, 'callspec') else None
    return item.name if case is None else GROUP_OF[case.id]


@functools.lru_cache(maxsize=1)
def outcomes(number):
    """The outcomes of a group of cases, which stand in one graph as they did when they were recorded."""
    return {name: run.line(outcome) for name, outcome in RUNNER.together(GROUPS[number]).items()}


def shown(case):
    """The name of a test: the id and the program."""
    return f'{case.id} {case.program}'.replace('\n', '; ').encode('ascii', 'backslashreplace').decode()


@pytest.mark.parametrize('case', CASES, ids=shown)
def test_gives_what_the_original_gave(case):
    """The numbers, the static shape, the dtype, the gradients, or an error."""
    found = outcomes(GROUP_OF[case.id])[case.id]
    line = LISTED.get((case.id, ENGINE)) or LISTED.get((case.id, '*'))
    told = f'\n{compare.program(case)}\noriginal: {ORIGINAL[case.id]}\n{ENGINE}: {found}'
    if ENGINE in HELD:
        raw = (case.id, ENGINE) in RAW or (case.id, '*') in RAW
        assert raw == run.is_raw(found), f'{"" if raw else "not "}listed in raw_errors.txt{told}'
    difference = run.unlike(ORIGINAL[case.id], found)
    if line is None:
        assert not difference, f'{difference}, and no line of differences.txt says so{told}'
        return
    if not difference and compare.depends_on_processor(line, ENGINE):
        return
    assert difference, f'listed as {line[2]!r}, and does not differ any more{told}'
    if line[1] is None or 'numpy' in line[1]:
        difference = run.unlike(OURS[case.id], found)
        assert not difference, f'{difference}: not what the NumPy engine gives, {OURS[case.id]}{told}'


def test_the_record_has_the_cases():
    """In their order, each once."""
    assert list(ORIGINAL) == [case.id for case in CASES]


def test_there_are_enough_cases():
    """As many as were asked for."""
    assert len(CASES) >= 7801


def test_every_line_lists_a_case():
    """A pattern without cases is a mistake."""
    used = {line for line in LISTED.values() for line in [(line[0], tuple(line[1] or ()), line[2])]}
    unused = [line for line in LINES if (line[0], tuple(line[1] or ()), line[2]) not in used]
    assert not unused


def test_ours_has_the_listed_cases():
    """Those that the NumPy engine is listed for."""
    wanted = {name for name, engine in LISTED if engine in ('*', 'numpy')}
    assert set(OURS) == wanted


def test_every_anchor_is_a_row_of_the_page():
    """Of docs/differences.md, where each row has <a id="..."></a>, and there are few."""
    page = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'docs', 'differences.md')
    with open(page, encoding='utf-8') as stream:
        text = stream.read()
    rows = re.findall('<a id="([^"]+)"></a>', text)
    assert not {line[2] for line in LINES} - set(rows)
    assert len([row for row in rows if not row.startswith('224-')]) <= 42


def test_a_question_mark_stands_for_some_processors(tmp_path):
    """It belongs to the one engine that it follows."""
    path = tmp_path / 'differences.txt'
    path.write_text('softmax/nan/1 [numpy tensorflow?]: nan-in-softmax\n')
    found = compare.by_id(CASES, compare.listed(str(path)))
    assert {engine for _name, engine in found} == {'numpy', 'tensorflow'}
    assert compare.depends_on_processor(found['softmax/nan/1', 'tensorflow'], 'tensorflow')
    assert not compare.depends_on_processor(found['softmax/nan/1', 'numpy'], 'numpy')


NUMBERS = '[["tensor","float32",[2],[2],[1,2]]]'


@pytest.mark.parametrize(
    'found',
    [
        '!ValueError',
        '[["tensor","float32",[2],[2],[1,2.001]]]',
        '[["tensor","float32",[2],[2],[1,"nan"]]]',
        '[["tensor","float64",[2],[2],[1,2]]]',
        '[["tensor","float32",[null],[2],[1,2]]]',
        '[["tensor","float32",[2],[2,1],[1,2]]]',
        '[["float32",[2],[1,2]]]',
        '[]',
    ],
)
def test_the_comparison_sees(found):
    """What differs is seen, either way round."""
    assert run.unlike(NUMBERS, found)
    assert run.unlike(found, NUMBERS)


def test_the_comparison_sees_gradients():
    """Other numbers, None, and an error."""
    of = '[["tensor","float32",[],[],[1]],{"x":["float32",[2],[1,2]]}]'
    assert run.unlike(of, of.replace('[1,2]', '[1,3]')) == 'gradient by x: value'
    assert run.unlike(of, of.replace('["float32",[2],[1,2]]', 'null')) == 'gradient by x: None'
    assert run.unlike(of, '[["tensor","float32",[],[],[1]],"!ValueError"]') == 'gradient: error'
    assert not run.unlike(of, of.replace('[1,2]', '[1.000001,2]'))


def test_errors_are_alike_whatever_their_class():
    """Ours say more than the original's."""
    assert not run.unlike('!TypeError', '!ValueError')
    assert not run.unlike('!TypeError', '!ValueError raw')


def test_raw_errors_are_seen():
    """An error is raw if its class is none of ours, also where it is that of a gradient."""
    ours, raw = [run.error_of_ours(one) for one in (errors.ShapeError('no'), ValueError('no'))]
    assert (ours, raw) == ('!ValueError', '!ValueError raw')
    assert not run.is_raw(ours)
    assert run.is_raw(raw)
    assert run.is_raw(run.line([['float32', [], 1], raw]))


def test_inputs_are_always_the_same():
    """A drawn array is the same on every Python and NumPy."""
    case = next(case for case in CASES if case.id == 'sum/axis/1')
    np.testing.assert_array_equal(case.inputs['x'].value('x').sum().round(3), np.float32(0.175))

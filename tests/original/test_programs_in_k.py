"""Idioms and composite programs in K give on this engine what the original gave: record_programs.py has recorded it."""

import os
from typing import Any, Dict, List, Tuple

import numpy as np
import pytest
import record_programs

import keras_backend as K

PROGRAMS = record_programs.programs()
RECORD = record_programs.read()
PAGE = os.path.join(os.path.dirname(os.path.dirname(record_programs.FOLDER)), 'docs', 'differences.md')

# Of the largest element of an array. Sums of small sizes in single precision agree to a few units of the seventh digit.
TOLERANCE = 1e-5

# Composite programs are some ten steps deep, and some of their results are small differences of larger numbers.
COMPOSITE = 3e-5

# Idioms whose numbers need more room, each with its reason.
WIDER: Dict[str, float] = {
    # The gradient for the inputs of a normalisation is a small difference of terms that are a hundred times as large.
    'idiom_batch_normalisation_in_two_phases': 1e-3
}

# Programs with other values: the engines where they are, and the row of docs/differences.md that explains it.
DIFFERENCES: Dict[str, Tuple[Tuple[str, ...], str]] = {
    'idiom_accuracy_with_ignored_class': (('cntk', 'jax', 'numpy', 'theano', 'torch'), 'division-of-integers')
}
DIFFERENT = {name: row for name, (engines, row) in DIFFERENCES.items() if K.backend() in engines}


def tolerance(name: str) -> float:
    """How far from the record the floats of a program may be."""
    return WIDER.get(name, COMPOSITE if name.startswith('composite_') else TOLERANCE)


def found(name: str) -> Dict[str, Any]:
    """The values of a program on this engine."""
    K.set_image_data_format('channels_last')
    return record_programs.run(PROGRAMS[name], K)


@pytest.mark.parametrize('name', sorted(set(PROGRAMS) - set(DIFFERENT)))
def test_program_gives_what_the_original_gave(name: str) -> None:
    """Every value, dtype and shape is that of the original."""
    wrong: List[str] = record_programs.differences(RECORD[name], found(name), tolerance(name))
    assert [] == wrong


@pytest.mark.parametrize('name', sorted(DIFFERENT))
def test_program_with_another_number_still_differs(name: str) -> None:
    """A program that gives the original's numbers again leaves the list."""
    assert record_programs.differences(RECORD[name], found(name), tolerance(name)), DIFFERENT[name]


def test_record_has_every_program_and_no_other() -> None:
    """The record is of these programs, and there are as many as were promised."""
    assert sorted(PROGRAMS) == sorted(RECORD)
    assert len([name for name in PROGRAMS if name.startswith('idiom_')]) >= 100
    assert len([name for name in PROGRAMS if name.startswith('composite_')]) >= 300


def test_lists_name_programs_that_are_there() -> None:
    """Neither list names a program that is gone."""
    assert not (set(WIDER) | set(DIFFERENCES)) - set(PROGRAMS)


def test_every_difference_is_a_row_of_the_page() -> None:
    """Of docs/differences.md, where each row has <a id="..."></a>."""
    with open(PAGE, encoding='utf-8') as stream:
        text = stream.read()
    assert not [row for engines, row in DIFFERENCES.values() if f'<a id="{row}"></a>' not in text]


@pytest.mark.parametrize('name', sorted(name for name in PROGRAMS if name.startswith('composite_')))
def test_recorded_results_are_those_of_plain_numpy(name: str) -> None:
    """The forward values in the record are right by another path: NumPy in double precision."""
    truths = PROGRAMS[name].truths
    wanted = {key: (RECORD[name][key][0], list(x.shape), x.ravel().tolist()) for key, x in truths.items()}
    assert [] == record_programs.differences(wanted, {key: RECORD[name][key] for key in truths}, COMPOSITE)


def test_a_wrong_number_is_seen() -> None:
    """The comparison sees a number, a dtype, a shape, a NaN and a missing value that are not the record's."""
    wanted = record_programs.encoded({'a': np.array([1.0, 2.0])})
    for wrong in ([1.0, 2.001], [1.0, np.nan], [[1.0, 2.0]], [1.0], [1, 2]):
        assert record_programs.differences(wanted, record_programs.encoded({'a': np.array(wrong)}))
    assert record_programs.differences(wanted, {})
    assert record_programs.differences({}, wanted)
    assert [] == record_programs.differences(wanted, record_programs.encoded({'a': np.array([1.0, 2.000001])}))

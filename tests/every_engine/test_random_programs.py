"""Random programs of every dtype beside their truth in float64, and every program that an engine once ran wrongly.

300 programs run, in blocks of 30. RANDOM_PROGRAMS=5000 runs as many. A failure names the seed:
`python tests/tools/run_programs.py ENGINE 1 --start SEED --shrink 60` makes the program small.
"""

import os

import pytest
from engine_programs import truths_of
from found_programs import FOUND
from processes import ENGINE
from run_programs import tally
from shares import one_in
from shrink_programs import said

import keras_backend as K

BLOCK = 30
COUNT = int(os.environ.get('RANDOM_PROGRAMS') or 300)


# The truth takes means of nothing, too.
pytestmark = pytest.mark.filterwarnings('ignore:Mean of empty slice', 'ignore:Degrees of freedom')


@pytest.fixture(autouse=True)
def restored():
    """Programs set the floatx, and begin sessions."""
    floatx = K.floatx()
    yield
    K.set_floatx(floatx)
    K.clear_session()


def name_of(found):
    return str(FOUND.index(found))


if ENGINE in ('numpy', 'torch', 'jax', 'tensorflow'):

    @pytest.mark.parametrize('first', one_in(8, range(0, COUNT, BLOCK)))
    def test_block_of_random_programs(first):
        """The engine gives the truth wherever there is one, which is nearly everywhere."""
        said = []
        counts, _kinds = tally(K, ENGINE, range(first, min(first + BLOCK, COUNT)), report=said.append)
        assert not counts['found'], '\n'.join(said)
        assert counts['compared'] > 0.9 * counts['outputs'] > 0


if ENGINE in ('numpy', 'torch', 'jax', 'tensorflow', 'theano'):

    @pytest.mark.parametrize('found', [found for found in FOUND if ENGINE not in found.apart], ids=name_of)
    def test_program_once_found(found):
        """What was mended stays so. An engine in `apart` differs, for the reason that stands above the program."""
        case = found.case()
        assert len(truths_of(case)) == len(case.feeds)
        assert said(K, case) is None

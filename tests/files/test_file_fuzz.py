"""Changed model files give a model, or an error of ours in a few lines: no other error, no end of the process.

500 files are read, in five blocks, of which `python -m pytest` takes one. FILE_FUZZ=50000 reads as many. A failure
names the file: `file_mutants.mutant(NUMBER, FOLDER)` writes it. tests/engines/keras3 loads some of them as models of
Keras 3.
"""

import os

import mutant_blocks
import pytest
from file_mutants import MODELS
from files_of_models import arguments
from shares import one_in
from try_mutants import WAYS, outcome

COUNT = int(os.environ.get('FILE_FUZZ') or 500)
BLOCK = max(1, min(COUNT // 5, 500))


@pytest.mark.parametrize('first', one_in(5, range(0, COUNT, BLOCK)))
def test_block_of_changed_files(first):
    results = mutant_blocks.outcomes('function', first, min(first + BLOCK, COUNT), 'numpy')
    assert not mutant_blocks.wrong(results)
    # The changes reach all parts: what reads, what composes, what predicts. Weights are wrong in few files.
    counts = mutant_blocks.counts(results)
    wanted = ['predicts', 'UnreadableFileError', 'LayerConfigError', *(['WrongWeightsError'] if first == 0 else [])]
    for result in wanted:
        assert counts[result] > 0, counts


def test_files_that_are_not_changed():
    for name in MODELS:
        assert outcome(WAYS['function'], arguments(name)) == ('predicts', ''), name

"""Changed model files, loaded inside Keras 3, give a model or an error of ours: tests/files/test_file_fuzz.py."""

import os

import keras
import mutant_blocks
import pytest

pytestmark = pytest.mark.slow
COUNT = max(int(os.environ.get('FILE_FUZZ') or 0) // 25, 100)
BLOCK = min(COUNT, 500)


@pytest.mark.parametrize('first', range(0, COUNT, BLOCK))
def test_block_of_changed_files_inside_keras3(first):
    # KERAS_BACKEND belongs to Keras there.
    results = mutant_blocks.outcomes(
        'load',
        first,
        min(first + BLOCK, COUNT),
        keras.backend.backend(),
        TEST_ENGINE='keras3',
        CUDA_VISIBLE_DEVICES='-1',
    )
    assert not mutant_blocks.wrong(results)
    counts = mutant_blocks.counts(results)
    for result in ('loads', 'UnreadableFileError', 'LayerConfigError'):
        assert counts[result] > 0, counts

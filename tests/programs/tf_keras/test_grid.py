"""The grid of tf.keras under the launcher, on tf_keras, against the rows of TensorFlow 2.10; the records themselves.

Rows that differ have a sentence in known_differences.json. `grid.py` and `compare_grid.py` say how rows are made and
compared; by hand:

    TF_USE_LEGACY_KERAS=1 python grid.py rows.json --like tensorflow_2_10.json.gz        tf_keras without the launcher
    python -m keras_backend.keras3 --as 2.10 grid.py rows.json --like tensorflow_2_10.json.gz
    python compare_grid.py tensorflow_2_10.json.gz rows.json --known known_differences.json --rows
"""

import importlib.util
import os

import pytest
from keras3_backends import launch

from .compare_grid import BASE, FOLDER, differing, known_reasons, read, reason_for

GRID = os.path.join(FOLDER, 'grid.py')
KNOWN = os.path.join(FOLDER, 'known_differences.json')
LATER = ('tensorflow_2_4.json.gz', 'tensorflow_2_6.json.gz', 'tensorflow_2_15.json.gz')
# Topics that one process runs, so that each takes about the same time.
SHARES = (
    'names,constructions',
    'layers,small,backend',
    'recurrent,losses,metrics',
    'optimizers,callbacks',
    'trainer,models,graph',
    'saving,preprocessing',
)


def rows_of(topics, record):
    """The rows of some topics."""
    return {name: value for name, value in record.items() if name.split(' ')[0] in topics.split(',')}


@pytest.mark.skipif(importlib.util.find_spec('tf_keras') is None, reason='tf_keras is not installed')
@pytest.mark.parametrize('topics', SHARES)
def test_grid_on_tf_keras(topics, tmp_path):
    """Each row is that of TensorFlow 2.10, or has a sentence."""
    out = tmp_path / 'rows.json'
    options = ('--as', '2.10', GRID, str(out), '--like', BASE, '--topics', topics)
    status, said, err = launch(*options, backend='tensorflow', home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, said + err
    others, known = differing(rows_of(topics, read(BASE)), read(str(out))), known_reasons(KNOWN)
    assert {} == {name: pair for name, pair in others.items() if reason_for(name, known) is None}


def test_grid_is_whole():
    """The shares have every topic, and nearly all rows are without a sentence: at least 97 of 100."""
    record, known = read(BASE), known_reasons(KNOWN)
    assert set(record) == set().union(*(rows_of(topics, record) for topics in SHARES))
    assert 15000 < len(record)
    with_sentence = [name for name in record if reason_for(name, known)]
    assert len(with_sentence) < 0.03 * len(record)


def test_sentences_of_the_grid_are_needed():
    """Each pattern of known_differences.json matches a row, and says why in a sentence."""
    record, known = read(BASE), known_reasons(KNOWN)
    assert [] == [pattern for pattern in known if not any(reason_for(name, {pattern: '-'}) for name in record)]
    assert [] == [reason for reason in known.values() if not (reason[0].isupper() and reason.endswith('.'))]


@pytest.mark.parametrize('name', LATER)
def test_records_of_other_versions(name):
    """The record of another version is read as the rows that it has other than 2.10."""
    record, base = read(os.path.join(FOLDER, name)), read(BASE)
    shared = set(record) & set(base)
    assert 13000 < len(shared)
    others = differing({row: base[row] for row in shared}, record)
    assert 100 < len(others) < 0.3 * len(shared)

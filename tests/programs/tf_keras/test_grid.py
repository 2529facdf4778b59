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
OF_VERSIONS = os.path.join(FOLDER, 'known_differences_of_versions.json')
OTHERS = ('2.4', '2.6', '2.15')
# Topics that one process runs, so that each takes about the same time.
SHARES = (
    'names,constructions',
    'layers,small,backend',
    'recurrent,losses,metrics',
    'optimizers,callbacks',
    'trainer,models,graph',
    'saving,preprocessing,draws',
)


def file_of(version):
    """The record of a version."""
    return os.path.join(FOLDER, f'tensorflow_{version.replace(".", "_")}.json.gz')


def reasons_of(version):
    """The sentences for rows of a version, and those for rows of its own."""
    own = {}
    for versions, reasons in known_reasons(OF_VERSIONS).items():
        own.update(reasons if version in versions.split() else {})
    return {**known_reasons(KNOWN), **own}, own


def rows_of(topics, record):
    """The rows of some topics."""
    return {name: value for name, value in record.items() if name.split(' ')[0] in topics.split(',')}


def unexplained(version, topics, folder):
    """The rows under the launcher that differ from those of a version, without a sentence."""
    out = folder / 'rows.json'
    options = ('--as', version, GRID, str(out), '--like', BASE, '--topics', topics)
    status, said, err = launch(*options, backend='tensorflow', home=folder / 'home', cwd=folder)
    assert 0 == status, said + err
    known = reasons_of(version)[0]
    others = differing(rows_of(topics, read(file_of(version))), read(str(out)))
    return {name: pair for name, pair in others.items() if reason_for(name, known) is None}


needs_tf_keras = pytest.mark.skipif(importlib.util.find_spec('tf_keras') is None, reason='tf_keras is not installed')


@needs_tf_keras
@pytest.mark.parametrize('topics', SHARES)
def test_grid_on_tf_keras(topics, tmp_path):
    """Each row is that of TensorFlow 2.10, or has a sentence."""
    assert {} == unexplained('2.10', topics, tmp_path)


@needs_tf_keras
@pytest.mark.parametrize('topics', SHARES)
@pytest.mark.parametrize('version', OTHERS)
def test_grid_on_tf_keras_as_of(version, topics, tmp_path):
    """The same for other versions."""
    assert {} == unexplained(version, topics, tmp_path)


@needs_tf_keras
@pytest.mark.parametrize('version', ['2.4', '2.8', '2.10'])
def test_draws_of_versions(version, tmp_path):
    """Seeded programs draw what they drew: weights, noise, dropout, images."""
    assert {} == unexplained(version, 'draws', tmp_path)


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


@pytest.mark.parametrize('version', OTHERS)
def test_records_of_other_versions(version):
    """The record of another version is read as the rows that it has other than 2.10. Its sentences are needed."""
    record, base = read(file_of(version)), read(BASE)
    shared = set(record) & set(base)
    assert 13000 < len(shared)
    others = differing({row: base[row] for row in shared}, record)
    assert 100 < len(others) < 0.3 * len(shared)
    known, own = reasons_of(version)
    assert [] == [pattern for pattern in own if not any(reason_for(name, {pattern: '-'}) for name in record)]
    assert [] == [reason for reason in own.values() if not (reason[0].isupper() and reason.endswith('.'))]

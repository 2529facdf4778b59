"""No code of a file runs: Python's audit hooks see nothing while files with hostile objects are read."""

import json

import pytest
from hostile_objects import AUDITED, folder_of_files
from processes import ENGINE, python


@pytest.mark.parametrize('share', [48, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_runs_when_files_are_read(tmp_path, share):
    """As a function of K, and by the command: summary and predictions."""
    count = folder_of_files(str(tmp_path), share, 0)
    status, out, err = python(AUDITED, str(tmp_path), 'summary', 'function', 'predict', home=tmp_path, backend=ENGINE)
    assert status == 0, err
    found = json.loads(out.split('seen:')[1])
    assert found['events'] == []
    assert found['read'] == 3 * count > 60
    # Most of the objects are in places that only training needs.
    assert found['opened'] > count

"""No code of a file runs: Python's audit hooks see nothing while files with hostile objects are read."""

import json

import pytest
from hostile_objects import AUDITED, folder_of_files
from processes import ENGINE, python

# All files take minutes, so the slow part has them in shares.
SHARES = [(48, 0), *[pytest.param(8, first, marks=pytest.mark.slow) for first in range(8)]]


@pytest.mark.parametrize(('share', 'first'), SHARES)
def test_nothing_runs_when_files_are_read(tmp_path, share, first):
    """As a function of K, and by the command: summary and predictions."""
    count = folder_of_files(str(tmp_path), share, 0, first=first)
    status, out, err = python(AUDITED, str(tmp_path), 'summary', 'function', 'predict', home=tmp_path, backend=ENGINE)
    assert status == 0, err
    found = json.loads(out.split('seen:')[1])
    assert found['events'] == []
    assert found['read'] == 3 * count > 60
    # Most of the objects are in places that only training needs.
    assert found['opened'] > count

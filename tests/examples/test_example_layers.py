"""Each file of examples/layers runs as a program, too."""

import os

import pytest
from checkout import ROOT
from processes import python

FOLDER = os.path.join(ROOT, 'examples', 'layers')
FILES = sorted(name for name in os.listdir(FOLDER) if name.endswith('.py') and not name.startswith('_'))


@pytest.mark.parametrize('name', FILES)
def test_layer_as_a_program(name, tmp_path):
    """It ends well in any folder, and says what its layer does."""
    status, out, err = python(os.path.join(FOLDER, name), backend='numpy', home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, err
    assert out.strip()
    assert 'nan' not in out


def test_files():
    """The folder was found."""
    assert 'attention.py' in FILES

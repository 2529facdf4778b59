"""Programs with the patch of `python -m keras_backend migrate` compute what the original computed without it."""

import pytest
from launched import launch_program
from processes import ENGINE
from program_records import differences, recorded, result

from keras_backend.basics.installed import version
from keras_backend.programs.migrate.plan import plan

from .record import RECORD, headers, path_of

KERAS = version(['keras'])
# A program, and a rule of its patch.
PROGRAMS = {
    'keras1_spellings': 'keras1-argument',
    'attention_k_tf': 'k-tf',
    'regression_leftovers': 'numpy',
    'super_resolution': 'tf-in-lambda',
}


def meant_for(name):
    """Whether a program is one for this engine and this Keras."""
    return ENGINE in headers(name).get('engines', [ENGINE]) and KERAS in headers(name)['keras']


@pytest.mark.parametrize('name', [name for name in PROGRAMS if meant_for(name)])
def test_migrated_program(name, tmp_path):
    """The patched program gives the recorded numbers."""
    found = plan(path_of(name), 'keras2')
    assert PROGRAMS[name] in {one.rule for one in found.changes}
    path = tmp_path / (name + '.py')
    path.write_bytes(found.files[0].new)
    status, out, err = launch_program(str(path), home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert [] == differences(result(out), recorded(RECORD)[name][KERAS])

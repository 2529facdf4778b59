"""Programs of 2016 to 2019 run unchanged under the launcher, and compute what the original computed.

original.json has the original's numbers; record.py tells what the lines at the head of a program mean.
"""
import pytest
from processes import ENGINE, launch_program
from program_records import differences, recorded, result

from keras_backend.installed import version

from .record import RECORD, headers, path_of, programs

KERAS = version(['keras'])


def meant_for_here(name):
    """Whether a program is one for this engine and this Keras."""
    said = headers(name)
    return ENGINE in said.get('engines', [ENGINE]) and KERAS in said.get('keras', [KERAS])


# A program that is for another engine is not collected: nothing that is listed as passed or skipped did not run.
@pytest.mark.parametrize('name', [name for name in programs() if meant_for_here(name)])
def test_program_of_its_time(name, tmp_path):
    """A program ends well, and its numbers are those of the original."""
    said = headers(name)
    folder = tmp_path / 'folder'
    folder.mkdir()
    status, out, err = launch_program(path_of(name), *said.get('arguments', []), home=tmp_path / 'home', cwd=folder)
    assert 0 == status, out + err
    found = result(out)
    assert found, 'a result without numbers'
    if 'original' not in said:
        assert [] == differences(found, recorded(RECORD)[name][KERAS])


def test_record():
    """The record has every program, for every Keras that it is for, and no other."""
    wanted = {name: sorted(headers(name).get('keras', ['2.2.4', '2.3.1']))
              for name in programs() if 'original' not in headers(name)}
    assert wanted == {name: sorted(versions) for name, versions in recorded(RECORD).items()}

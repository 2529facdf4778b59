"""Programs of 2016 to 2019 run unchanged under the launcher, and compute what the original computed.

original.json has the original's numbers; record.py tells what the lines at the head of a program mean.
"""
import sys

import pytest
from launched import launch_program
from processes import ENGINE
from program_records import differences, recorded, result

from keras_backend.basics.installed import version

from .record import DEFAULT, RECORD, VERSIONS, headers, path_of, programs

KERAS = version(['keras'])

TODAY = sys.version_info >= (3, 10)  # Keras 2 needs keras_backend.keras2 there

# The versions that no environment installs. `--keras` makes a folder for each.
OTHERS = [each for each in VERSIONS if each not in DEFAULT] if ENGINE in ('numpy', 'tensorflow') and TODAY else []


def meant_for(name, keras):
    """Whether a program is one for this engine and a version of Keras."""
    said = headers(name)
    return ENGINE in said.get('engines', [ENGINE]) and keras in said['keras']


def run(name, folder, home, *options):
    """What a program says, which ends well."""
    folder.mkdir()
    arguments = headers(name).get('arguments', [])
    status, out, err = launch_program(*options, path_of(name), *arguments, home=home, cwd=folder)
    assert 0 == status, out + err
    found = result(out)
    assert found, 'a result without numbers'
    return found


def untrue(name, keras, found):
    """What differs from the original's numbers, where it has any for this program."""
    return [] if 'original' in headers(name) else differences(found, recorded(RECORD)[name][keras])


# A program that is for another engine is not collected: nothing that is listed as passed or skipped did not run.
@pytest.mark.parametrize('name', [name for name in programs() if meant_for(name, KERAS)])
def test_program_of_its_time(name, tmp_path):
    """A program ends well, and its numbers are those of the original."""
    assert [] == untrue(name, KERAS, run(name, tmp_path / 'folder', tmp_path / 'home'))


@pytest.fixture(scope='module')
def shared_home(tmp_path_factory):
    """A folder of settings. `--keras` makes each version of Keras in it once."""
    return tmp_path_factory.mktemp('home_of_versions')


@pytest.mark.parametrize(
    'name, keras', [(name, keras) for keras in OTHERS for name in programs() if meant_for(name, keras)]
)
def test_program_of_another_keras(name, keras, shared_home, tmp_path):
    """The same with `--keras` and another version."""
    assert [] == untrue(name, keras, run(name, tmp_path / 'folder', shared_home, '--keras', keras))


@pytest.mark.parametrize('keras', OTHERS)
def test_version_and_its_child(keras, shared_home, tmp_path):
    """The program and its children run with the version that `--keras` names, not with the installed one."""
    program = tmp_path / 'program.py'
    program.write_text(
        'import subprocess, sys, keras\n'
        'print(keras.__version__, flush=True)\n'
        'if not sys.argv[1:]:\n'
        '    subprocess.check_call([sys.executable, sys.argv[0], "child"])\n'
    )
    status, out, err = launch_program('--keras=' + keras, str(program), home=shared_home, cwd=tmp_path)
    assert 0 == status, out + err
    assert [keras, keras] == out.split()


def test_record():
    """The record has every program, for every Keras that it is for, and no other."""
    wanted = {name: sorted(headers(name)['keras'])
              for name in programs() if 'original' not in headers(name)}
    assert wanted == {name: sorted(versions) for name, versions in recorded(RECORD).items()}

"""The seven trainings in processes of their own: alone, and beside a busy core with other hashes of texts."""

import os
import subprocess
import sys

from processes import environment, given_path

TRAININGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'seven_trainings.py')
LIMIT = 600


def _started(arguments, home, hashes, variables):
    return subprocess.Popen(
        [sys.executable, TRAININGS, *arguments],
        env=environment(home, path=given_path(), PYTHONHASHSEED=hashes, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )


def _lines(process):
    out, err = process.communicate(timeout=LIMIT)
    assert not process.returncode, err
    return [line for line in out.splitlines() if line.startswith('bits of ')]


def check_same_bits(home, *arguments, **variables):
    """Three processes print the same lines, one for each training. `variables` are set for them."""
    alone = _lines(_started(arguments, home, '0', variables))
    assert len(alone) == 7
    busy = subprocess.Popen([sys.executable, '-c', 'while True: pass'])
    try:
        others = [_started(arguments, home, hashes, variables) for hashes in ('1', '2')]
        found = [_lines(process) for process in others]
    finally:
        busy.kill()
        busy.wait()
    assert found == [alone, alone]

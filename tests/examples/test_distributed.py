"""The digits on many devices and in two processes: losses and weights are those of one device."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from checkout import ROOT
from processes import ENGINE, environment

EXAMPLE = os.path.join(ROOT, 'examples', 'digits_distributed.py')
# engine -> (the options, what the processes say of where they run)
WAYS = {
    'jax': [
        ('--devices 8', ['task 0: 8 of 8 devices']),
        ('--processes 2', ['task 0: 1 of 2 devices', 'task 1: 1 of 2 devices']),
    ],
    'torch': [('--processes 2', ['task 0: one of 2 processes', 'task 1: one of 2 processes'])],
    'tensorflow': [('--processes 2', ['task 0: /job:worker/task:0', 'task 1: /job:worker/task:1'])],
}


def trained(options, folder):
    """What the example prints, and the losses and weights that it saves."""
    save = folder / 'found.npz'
    process = subprocess.Popen(
        [sys.executable, EXAMPLE, ENGINE, '--save', str(save), '--steps', '47', *options.split()],
        env=environment(folder, JAX_PLATFORMS='cpu'),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding='utf-8',
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=240)
        assert process.returncode == 0, out
    finally:
        # The processes that it started, too, if it did not come to an end.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    with np.load(str(save)) as found:
        return out, [found[name] for name in found.files]


@pytest.fixture(scope='module')
def alone(tmp_path_factory):
    """Losses and weights of one device."""
    _out, found = trained('', tmp_path_factory.mktemp('alone'))
    return found


@pytest.mark.skipif(ENGINE not in WAYS, reason='the libraries of the other engines have no processes')
@pytest.mark.parametrize(('options', 'places'), WAYS.get(ENGINE, [('', [])]))
def test_digits_distributed(options, places, alone, tmp_path):
    """An epoch, whose last batch is smaller, and two steps more, wherever the batches are divided."""
    out, found = trained(options, tmp_path)
    # Two processes may write into one line.
    assert [place for place in places if place not in out] == []
    assert len(found[0]) == 47
    assert found[0][-1] < 0.6 * found[0][0]
    np.testing.assert_allclose(found[0], alone[0], rtol=0, atol=1e-6)
    assert len(found) == len(alone)
    for weight, expected in zip(found[1:], alone[1:]):
        np.testing.assert_allclose(weight, expected, rtol=0, atol=2e-6)

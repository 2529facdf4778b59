"""The program behind the picture of README.md gives the recorded losses, on engines that share one process."""

import importlib.util
import json
import os

import numpy as np
import pytest
from checkout import ROOT
from processes import ENGINE, python

INSTALLED = [name for name in ('numpy', 'tensorflow', 'torch', 'jax') if importlib.util.find_spec(name)]
# The tested engine comes first. So the runs of all engines try each of them in each place.
FIRST = INSTALLED.index(ENGINE) if ENGINE in INSTALLED else 0
ORDER = tuple(INSTALLED[FIRST:] + INSTALLED[:FIRST])
PROGRAM = """
import json, sys
from same_losses import losses
from keras_backend import load

engines = {name: load(name) for name in sys.argv[1:]}
print(json.dumps([losses(engines[name]) for name in sys.argv[1:] + sys.argv[1:2]]))
"""


@pytest.mark.parametrize('order', sorted({ORDER, ORDER[:1] + ORDER[:0:-1]}), ids='-'.join)
def test_losses_on_engines_of_one_process(order, tmp_path):
    """Each engine that is installed gives the losses of Keras 2.3.1, and the first does so once more at the end."""
    with open(os.path.join(ROOT, 'docs', 'losses.json'), encoding='utf-8') as file:
        recorded = json.load(file)
    tools = os.path.join(ROOT, 'tools', 'pages')
    status, out, err = python('-c', PROGRAM, *order, home=tmp_path, backend=order[0], path=[tools])
    assert 0 == status, err
    found = json.loads(out.splitlines()[-1])
    assert len(order) + 1 == len(found)
    for engine, losses in zip(order + order[:1], found):
        np.testing.assert_allclose(losses, recorded['original']['losses'], rtol=0, atol=1e-4, err_msg=engine)
    assert found[0] == found[-1]


def test_record_of_losses():
    """The recorded losses are as near to each other as the picture says, and fall."""
    with open(os.path.join(ROOT, 'docs', 'losses.json'), encoding='utf-8') as file:
        recorded = json.load(file)
    assert {'original', 'theano', 'cntk', 'tensorflow', 'torch', 'jax', 'pytensor', 'numpy'} == set(recorded)
    curves = np.array([each['losses'] for each in recorded.values()])
    assert np.ptp(curves, axis=0).max() < 3e-6
    assert (curves[:, -10:].mean(axis=1) < 0.2 * curves[:, 0]).all()

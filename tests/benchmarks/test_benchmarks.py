"""The comparison with a library by hand runs, and both come to the same loss. Its times are nobody's business here."""

import json
import os

import pytest
from checkout import ROOT
from processes import ENGINE, python

BY_HAND = {'torch': 'torch', 'jax': 'jax', 'tensorflow': 'tf_function'}


@pytest.mark.skipif(ENGINE not in BY_HAND, reason='the library of this engine has no peer by hand')
def test_a_work_beside_the_library(tmp_path):
    """No peer is left out, and none has another value."""
    script, found = os.path.join(ROOT, 'benchmarks', 'engine_peers.py'), tmp_path / 'found.json'
    options = f'--engine {ENGINE} --peers {BY_HAND[ENGINE]} --works mlp --rounds 1 --least 0.001 --json {found}'
    status, _out, err = python(script, *options.split(), home=tmp_path, JAX_PLATFORMS='cpu')
    assert status == 0, err
    (work,) = json.loads(found.read_text())
    assert None not in work['rows'], err
    assert len(work['rows']) == 2
    assert work['differing'] == []

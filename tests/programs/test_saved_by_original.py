"""Files that the original saved load under the launcher; their models predict the same, and go on learning."""
import json
import os

import numpy as np
import pytest
from launched import launch_program

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'saved_by_original')
with open(os.path.join(FOLDER, 'expected.json')) as stream:
    EXPECTED = json.load(stream)


@pytest.mark.parametrize('name', sorted(EXPECTED))
def test_file(name, tmp_path):
    """Predictions to 1e-5, and the losses of the next steps: with the optimizer's state, and its learning rate."""
    place = os.path.join(FOLDER, name + '.h5')
    status, out, err = launch_program(os.path.join(FOLDER, 'load.py'), name, place, home=tmp_path, cwd=tmp_path)
    assert 0 == status, out + err
    told, expected = json.loads(out.strip().splitlines()[-1]), EXPECTED[name]
    np.testing.assert_allclose(told['predicted'], expected['predicted'], rtol=0, atol=1e-5)
    if told['losses'] is not None and 'losses' in expected:
        np.testing.assert_allclose(told['losses'], expected['losses'], rtol=1e-4)
        assert told['losses'][0] > told['losses'][-1]
    elif told['losses'] is not None:
        # The plain counterparts of CuDNN layers learn; the original needs a GPU for it.
        assert told['losses'][0] > told['losses'][-1]

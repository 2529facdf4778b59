"""Keras 2 on a mesh of eight devices."""

import json

import pytest
from launched import launch
from processes import ENGINE

PROGRAM = """
import json
import jax, numpy as np
from keras.layers import LSTM, BatchNormalization, Dense
from keras.models import Sequential
from keras_backend.engines.jax_backend import use_mesh

def train(mesh):
    np.random.seed(0)
    model = Sequential([LSTM(8, input_shape=(5, 4)), BatchNormalization(), Dense(1)])
    model.compile('sgd', 'mse')
    r = np.random.RandomState(1)
    x, y = r.randn(70, 5, 4), r.randn(70, 1)
    with use_mesh(mesh):
        model.fit(x, y, batch_size=16, epochs=3, verbose=0, shuffle=False)
        places = len(model.weights[0].data.sharding.device_set)
        return [places, model.evaluate(x, y, verbose=0), model.predict(x).ravel().tolist()]

mesh = jax.sharding.Mesh(np.array(jax.devices()), ('batch',))
print('FOUND ' + json.dumps([train(None), train(mesh)]))
"""


@pytest.mark.skipif(ENGINE != 'jax', reason='use_mesh is of the JAX engine')
def test_training_on_eight_devices(tmp_path):
    """The program of one device trains on eight, with the same loss and predictions."""
    (tmp_path / 'program.py').write_text(PROGRAM)
    flags = '--xla_force_host_platform_device_count=8'
    status, out, err = launch('program.py', cwd=tmp_path, home=tmp_path, XLA_FLAGS=flags, JAX_PLATFORMS='cpu')
    assert status == 0, err
    one, eight = json.loads(out.split('FOUND ', 1)[1].splitlines()[0])
    assert (one[0], eight[0]) == (1, 8)
    assert eight[1] == pytest.approx(one[1], abs=1e-6)
    assert eight[2] == pytest.approx(one[2], abs=1e-6)

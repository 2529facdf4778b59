"""examples/engines/array_api.py: K over namespaces of the array API standard."""

import importlib.util
import json
import os

import numpy as np
import pytest
from checkout import ROOT
from processes import python, run

pytest.importorskip('hypothesis')

FOLDER = os.path.join(ROOT, 'examples', 'engines')
# NumPy has the standard itself since 2.1. array-api-strict has nothing beyond it, and is for newer Pythons only.
NAMESPACES = ['numpy'] if hasattr(np, 'cumulative_sum') else []
NAMESPACES += ['array_api_strict'] if importlib.util.find_spec('array_api_strict') else []
TRAINING = """
import numpy as np
import keras_backend as K
from keras_backend import load

def trained(K):
    x = np.random.RandomState(3).normal(size=(8, 9, 2))
    data, w, v = K.placeholder((None, 9, 2)), K.variable(np.ones((3, 2, 4)) / 7), K.variable(np.ones((4, 1)) / 3)
    features = K.max(K.relu(K.conv1d(data, w, padding='same') - 0.1), axis=1)
    loss = K.mean(K.square(K.dot(K.tanh(features), v) - 0.3))
    updates = [K.update_sub(p, 0.2 * g) for p, g in zip([w, v], K.gradients(loss, [w, v]))]
    step = K.function([data], [loss], updates)
    losses = [float(step([x])[0]) for _ in range(4)]
    return losses, K.get_value(w)

losses, weights = trained(load('array_api'))
others, truth = trained(load('numpy'))
assert losses[-1] < losses[0]
np.testing.assert_allclose(losses, others, rtol=1e-5)
np.testing.assert_allclose(weights, truth, rtol=1e-4, atol=1e-6)
"""
WHERE = """
import array_api_strict as xp
from keras_backend import load

kernels = load('array_api')._graph.kernels.PRIMITIVES
image, weights = xp.ones((1, 4, 2)), xp.ones((3, 2, 1))
found = [
    kernels['exp'](xp.asarray([0.0])),
    kernels['softmax'](xp.asarray([0.0, 1.0]), axis=0),
    kernels['conv'](image, weights, strides=(1,), padding='same', dilation=(1,)),
]
print([type(each) is type(image) for each in found], float(found[0][0]), float(found[2][0, 1, 0]))
"""


def surroundings(namespace, folder):
    """What `environment` takes, for a process that finds the engine."""
    return {'home': folder, 'path': [FOLDER], 'ARRAY_API_NAMESPACE': namespace}


def test_the_example_is_short():
    """It has at most 80 lines."""
    with open(os.path.join(FOLDER, 'array_api.py'), encoding='utf-8') as file:
        assert len(file.readlines()) <= 80


if NAMESPACES:

    @pytest.mark.parametrize('namespace', NAMESPACES)
    def test_array_api_trains(tmp_path, namespace):
        """A network with a convolution learns what it learns on the NumPy engine."""
        run(TRAINING, **surroundings(namespace, tmp_path))

    @pytest.mark.parametrize('namespace', NAMESPACES)
    def test_array_api_conforms(tmp_path, namespace):
        """Conformance tests of most topics pass, and the report names the namespace."""
        report = tmp_path / 'report.json'
        words = 'test_shape or test_linalg or test_lookups or test_static_shapes'
        arguments = ['check', 'array_api', '-k', words, '--report', str(report)]
        status, out, err = python('-m', 'keras_backend', *arguments, **surroundings(namespace, tmp_path))
        assert 0 == status, out + err
        data = json.loads(report.read_text())
        assert namespace == data['engine']['library']['name']
        assert data['tests']['passed'] > 200
        assert 0 == data['tests']['failed'] == data['tests']['expected'] == data['tests']['missing']


if 'array_api_strict' in NAMESPACES:

    def test_the_namespace_calculates(tmp_path):
        """Functions that the standard has, and those composed of them, stay in the namespace."""
        said = run(WHERE, **surroundings('array_api_strict', tmp_path))
        assert '[True, True, True] 1.0 6.0\n' == said

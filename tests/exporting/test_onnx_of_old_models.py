"""`python -m keras_backend model OLD --save NEW.onnx`: a model of an old Keras predicts by onnxruntime as it did."""

import numpy as np
import onnxruntime
import pytest
from files_of_models import LAMBDAS, arguments, of_models, recorded, recorded_again

from keras_backend.__main__ import main

# What onnxruntime calls the dtypes of inputs.
DTYPES = {'tensor(float)': 'float32', 'tensor(double)': 'float64', 'tensor(int32)': 'int32'}


@pytest.mark.parametrize('name', of_models() + LAMBDAS)
def test_predictions_of_an_old_model(name, tmp_path, capsys):
    """The numbers are those that the library of the file gave, and states are outputs that go in again."""
    given = arguments(name)
    path = str(tmp_path / 'new.onnx')
    options = [f'--{option}={given[option]}' for option in ('weights', 'engine') if option in given]
    assert main(['model', given['path'], '--save', path, *options]) == 0
    out = capsys.readouterr().out
    assert 'it differs from the K function by at most' in out
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    inputs, wanted = recorded(name)
    inputs = [np.asarray(x, DTYPES[each.type]) for x, each in zip(inputs, session.get_inputs())]
    states = {each.name: np.zeros(each.shape, 'float32') for each in session.get_inputs()[len(inputs) :]}
    for outputs in [wanted, *filter(None, [recorded_again(name)])]:
        fed = dict(zip([each.name for each in session.get_inputs()], inputs))
        made = session.run(None, {**fed, **states})
        assert len(made) == len(outputs) + len(states)
        for got, expected in zip(made, outputs):
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
        states = dict(zip(states, made[len(outputs) :]))


def test_a_file_of_no_known_format(tmp_path, capsys):
    """The message lists the formats."""
    given = arguments(LAMBDAS[0])
    assert main(['model', given['path'], '--save', str(tmp_path / 'new.xyz')]) == 2
    assert "'onnx'" in capsys.readouterr().err

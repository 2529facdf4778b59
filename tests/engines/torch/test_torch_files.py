"""Files of torch.export: what `keras_backend.export` writes, loaded again by PyTorch alone."""

import os

import pytest
import torch
from functions_to_export import BUILDERS, OPEN_LOOPS, assert_file_agrees, assert_step_trains, loop_of_any_length

import keras_backend
import keras_backend.engines.torch_backend as K
from keras_backend.errors import ArgumentValueError, ExportError

if not hasattr(torch.export.Dim, 'DYNAMIC'):
    pytest.skip('needs the free sizes of PyTorch 2.6', allow_module_level=True)


@pytest.fixture(autouse=True)
def session_for_one_test():
    """Every test starts in a session of its own."""
    K.clear_session()
    K.set_floatx('float32')


def loaded(path):
    """The function of a file, which takes arrays by name and gives a dict of them."""
    module = torch.export.load(str(path)).module()
    return lambda **values: {
        name: y.detach().numpy()
        for name, y in module(**{name: torch.from_numpy(v) for name, v in values.items()}).items()
    }


# Loops are unrolled there.
@pytest.mark.parametrize('build', [b for b in BUILDERS if b.__name__ not in OPEN_LOOPS])
def test_a_file_of_pytorch(build, tmp_path):
    """The file gives what K gives at both sizes, whoever loads it."""
    assert_file_agrees(K, build, tmp_path / 'f.pt2', loaded)


@pytest.mark.parametrize('engine', ['numpy', 'torch'])
def test_a_training_step_of_pytorch(engine, tmp_path):
    """The new values of variables are outputs: fed again, the loss falls as with K."""
    other = keras_backend.load(engine)
    other.set_floatx('float32')
    assert_step_trains(other, tmp_path / 'step.pt2', loaded)


def test_what_torch_export_cannot_say(tmp_path):
    """A loop of free length, a search on the host, a name that is no identifier: errors, and no file is left."""
    example = loop_of_any_length(K)
    function = K.function(example.inputs, example.outputs)
    with pytest.raises(ExportError, match=r'K\.rnn goes over a sequence of free length'):
        keras_backend.export(function, tmp_path / 'f.pt2')
    y, lengths = K.placeholder((None, 5, 4)), K.placeholder((None,), dtype='int32')
    decoded = K.ctc_decode(K.softmax(y), lengths, greedy=False, beam_width=3)[0][0]
    with pytest.raises(ExportError, match=r'^K\.ctc_decode: torch\.export cannot say'):
        keras_backend.export(K.function([y, lengths], [decoded]), tmp_path / 'f.pt2')
    x = K.placeholder((None, 2))
    with pytest.raises((ExportError, ArgumentValueError), match="'the input'"):
        keras_backend.export(K.function([x], [x * 2]), tmp_path / 'f.pt2', input_names=['the input'])
    assert os.listdir(tmp_path) == []


def test_older_versions_of_pytorch(tmp_path, monkeypatch):
    """The error says which version is needed."""
    monkeypatch.delattr(torch.export.Dim, 'DYNAMIC')
    x = K.placeholder((None, 2))
    with pytest.raises(ExportError, match=r'needs PyTorch 2\.6 or newer.*pip install --upgrade torch'):
        keras_backend.export(K.function([x], [x * 2]), tmp_path / 'f.pt2')

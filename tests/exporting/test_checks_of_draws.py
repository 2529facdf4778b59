"""What is drawn at random is checked as far as it can be, and the check takes no draws from the program."""

import numpy as np
import pytest

import keras_backend as K
from keras_backend.errors import ExportError
from keras_backend.exporting.onnx import elementwise, lowering


def test_a_draw_without_effect(tmp_path):
    """The numbers of a prediction are compared, though there is a dropout in the function."""
    x = K.placeholder((None, 3), name='x')
    f = K.function([x], [K.in_train_phase(lambda: K.dropout(x, 0.5), lambda: K.exp(x))])
    report = K.export(f, tmp_path / 'f.onnx')
    assert [sorted(each.largest) for each in report.differences] == [report.outputs] * 3
    assert 'drawn at random' not in str(report)


def test_outputs_beside_draws(tmp_path, monkeypatch):
    """One output is drawn, and the other is compared: a wrong one is found."""
    x = K.placeholder((None, 3), name='x')
    f = K.function([x], [x + K.random_normal((3,)), K.tanh(x)])
    report = K.export(f, tmp_path / 'f.onnx', output_names=['drawn', 'same'])
    assert [list(each.largest) for each in report.differences] == [['same']] * 3
    assert 'drawn: drawn at random' in str(report)
    monkeypatch.setitem(lowering.DIRECT, 'tanh', 'Sin')
    with pytest.raises(ExportError, match='the file gives same'):
        K.export(f, tmp_path / 'g.onnx', output_names=['drawn', 'same'])
    assert elementwise.DIRECT is lowering.DIRECT
    assert not (tmp_path / 'g.onnx').exists()


def test_an_export_takes_no_draws(tmp_path):
    """A program draws the same numbers, whether it exports between or not."""

    def drawn(between):
        K.clear_session()
        x = K.placeholder((2,), name='x')
        f = K.function([x], [x + K.random_uniform((2,), seed=3)])
        values = [f([np.zeros(2)])[0]]
        if between:
            K.export(f, tmp_path / 'f.onnx')
        return [*values, f([np.zeros(2)])[0]]

    np.testing.assert_array_equal(drawn(False), drawn(True))

"""What is drawn at random is checked as far as it can be, and the check takes no draws from the program."""

import numpy as np
import pytest

import keras_backend as K
from keras_backend.errors import ExportError
from keras_backend.exporting import checking
from keras_backend.exporting.onnx import elementwise, lowering
from keras_backend.exporting.request import Exported, Options


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


def test_results_that_move_by_themselves_are_not_refused():
    """Where the last digits of the inputs decide, a file that rounds otherwise is as right as the function."""
    x = K.placeholder((None, 3), name='x')
    for factor, is_right in ((1e6, True), (1e3, False)):
        exported = Exported(K.function([x], [K.sin(factor * x)]), Options(output_names=['y']))
        report = checking.ExportReport('f.onnx', 'onnx', ['x'], ['y'])
        values = np.linspace(0.05, 0.95, 300).reshape(100, 3).astype('float32')
        near = 1e-6 if is_right else 1e-4

        def run(fed, near=near, exported=exported):
            return [np.asarray(exported.function([fed['x'] + np.float32(near)])[0])]

        if is_right:
            checking.check(exported, run, [[values]], report)
            assert report.differences[0].largest['y'] > 0.1
            assert 'when inputs move by 1e-6, so the check says little' in str(report)
        else:
            with pytest.raises(ExportError, match='the file gives y'):
                checking.check(exported, run, [[values]], report)


def test_whole_numbers_stay_where_they_are():
    """They may be places in a table."""
    values = [np.array([0.0, 3.0, 0.5], 'float32'), np.arange(3)]
    moved = []
    checking.movement(lambda arrays: moved.append(arrays) or [arrays[0]], values, [values[0]])
    for floats, places in moved:
        np.testing.assert_array_equal(floats[:2], values[0][:2])
        assert 0 < abs(floats[2] - 0.5) < 2e-6
        np.testing.assert_array_equal(places, values[1])

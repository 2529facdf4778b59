"""What a check of a file compares. Draws are checked as far as can be, and the check takes none of the program."""

from types import SimpleNamespace

import numpy as np
import pytest

import keras_backend as K
from keras_backend.errors import ExportError, FeedError
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


# -- the comparison ----------------------------------------------------------------------------------------------------

NAN, INF = float('nan'), float('inf')


@pytest.mark.parametrize(
    ('wanted', 'got', 'difference'),
    [
        (np.float32([1, 2]), np.float32([1, 2.5]), 0.5),
        (np.float32([1, 2]), np.float32([0.25, 2]), 0.75),
        (np.float32([NAN, INF, -INF]), np.float32([NAN, INF, -INF]), 0.0),
        (np.float32([NAN]), np.float32([1]), INF),
        (np.float32([1]), np.float32([NAN]), INF),
        (np.float32([INF]), np.float32([-INF]), INF),
        (np.float16([60000]), np.float16([-60000]), 120000.0),
        (np.int32([1, 2]), np.int32([1, 2]), 0.0),
        (np.int32([1, 2]), np.int32([1, 3]), INF),
        (np.zeros((0, 3), 'float32'), np.zeros((0, 3), 'float32'), 0.0),
    ],
)
def test_differences_of_results(wanted, got, difference):
    assert checking.difference_of(wanted, got) == difference


def compared(wanted, got, **options):
    """What is said of one output of a function that does not move."""
    exported = SimpleNamespace(name='f', output_names=['y'], function=lambda values: [wanted])
    report, drawn = checking.ExportReport('f', 'onnx', [], ['y']), options.pop('drawn', set())
    return checking._compared(exported, [np.zeros(1)], 'sizes', [wanted], [got], drawn, report, **options)


@pytest.mark.parametrize(
    ('wanted', 'got', 'words'),
    [
        (
            np.ones(2, 'float32'),
            np.ones(3, 'float32'),
            r'shape \(2,\) and dtype float32 for sizes; the file gives shape',
        ),
        (np.ones(2, 'float32'), np.ones(2, 'float64'), 'gives shape .* and dtype float64'),
        (np.ones(2, 'float32'), np.ones((2, 1), 'int32'), 'and dtype int32'),
        (np.ones(2, 'float32'), np.float32([1, 2]), 'gives y of f with a difference of 1 from'),
        (np.ones(2, 'int32'), np.int32([1, 2]), 'with a difference of inf from what K gives for sizes; 0 is allowed'),
    ],
)
def test_results_that_differ(wanted, got, words):
    """A shape, a dtype and a number are each enough. A draw may have other numbers, and no other shape or dtype."""
    with pytest.raises(ExportError, match=words):
        compared(wanted, got)
    if wanted.shape == got.shape and wanted.dtype == got.dtype:
        assert compared(wanted, got, drawn={'y'}) == ('sizes', {})
    else:
        with pytest.raises(ExportError, match=words):
            compared(wanted, got, drawn={'y'})


def test_results_that_are_near():
    """A file of whole numbers is compared without a bound, as long as its results are numbers."""
    assert compared(np.float32([1, 2]), np.float32([1, 2])) == ('sizes', {'y': 0.0})
    assert compared(np.float32([1, 2]), np.float32([1, 9]), is_exact=False) == ('sizes', {'y': 7.0})
    assert compared(np.int32([1, 2]), np.int32([1, 9]), is_exact=False) == ('sizes', {'y': 7.0})
    with pytest.raises(ExportError, match='with a difference of inf'):
        compared(np.float32([1, 2]), np.float32([1, NAN]), is_exact=False)


def test_what_is_allowed():
    """It grows with the largest number, from 1 on; numbers that are none do not count."""
    one = checking.allowed(np.float32([0.1, -1.0]))
    assert one == checking.allowed(np.float32([])) == checking.allowed(np.float32([0.5, NAN, INF])) > 0
    assert checking.allowed(np.float32([1, -8, INF])) == pytest.approx(8 * one)
    assert checking.allowed(np.float64([1])) < one < checking.allowed(np.float16([1]))
    assert checking.allowed(np.int32([1000])) == checking.allowed(np.array([True])) == 0


def test_report_of_an_export_in_words():
    report = checking.ExportReport('f.onnx', 'onnx', ['a', 'b'], ['y', 'z'])
    assert str(report) == 'f.onnx (onnx): a, b -> y, z'
    report.differences += [checking.Difference('a (2, 3)', {'y': 0.125, 'z': 0.5}), checking.Difference('a (1, 5)', {})]
    report.notes.append('A note.')
    told = ['f.onnx (onnx): a, b -> y, z', '  a (2, 3): it differs from the K function by at most 0.5', '  A note.']
    assert str(report).splitlines() == told
    assert str(checking.ExportReport('f', 'onnx', [], ['y'])) == 'f (onnx): nothing -> y'


@pytest.mark.parametrize(
    ('value', 'difference', 'noted'),
    [
        (np.float32([1]), 1e-7, False),
        (np.float32([1e-6]), 1e-6, True),
        (np.float32([0]), 1e-6, True),
        (np.float32([]), 0.0, False),
        (np.int32([0]), 1.0, False),
    ],
)
def test_small_numbers_are_noted(value, difference, noted):
    """Once for each output."""
    report, exported = checking.ExportReport('f', 'onnx', [], ['y']), SimpleNamespace(output_names=['y'])
    report.differences.append(checking.Difference('sizes', {'y': difference}))
    for _ in range(2):
        checking._note_small(exported, [value], report)
    assert len(report.notes) == noted
    report.differences.append(checking.Difference('sizes', {}))
    report.notes.clear()
    checking._note_small(exported, [value], report)
    assert report.notes == []


# -- the runs ----------------------------------------------------------------------------------------------------------


def checked(function, run, examples=(), dims=(None, 3), draws=0, **options):
    """The report of a function of one input."""
    exported = SimpleNamespace(name='f', input_names=['x'], output_names=['y'], fed_values={}, draws=draws)
    exported.inputs, exported.function = [K.placeholder(dims)], function
    report = checking.ExportReport('f', 'onnx', ['x'], ['y'])
    checking.check(exported, lambda fed: run([fed['x']]), examples, report, **options)
    return report


def test_runs_of_a_check():
    """Three sizes that work are enough, fixed sizes run twice, and each example once."""
    same = list
    assert [each.sizes for each in checked(same, same).differences] == ['x (2, 3)', 'x (1, 3)', 'x (4, 3)']
    assert [each.sizes for each in checked(same, same, dims=(2, 3)).differences] == ['x (2, 3)'] * 2
    examples = [np.ones((rows, 3), 'float32') for rows in range(1, 6)]
    assert len(checked(same, same, examples).differences) == 5


def test_sizes_that_do_not_work():
    """They are passed over. Where none works, the last one is told; an error of the file alone ends the check."""

    def pairs(values):
        if len(values[0]) % 2:
            raise ValueError('an odd size')
        return list(values)

    assert [each.sizes[:4] for each in checked(pairs, list).differences] == ['x (2', 'x (4', 'x (2']

    def never(values):
        raise FeedError('no size at all.')

    for function, run in (never, list), (list, never):
        with pytest.raises(ExportError, match=r'with x \(1, 3\) in the end: no size at all. Write check='):
            checked(function, run)
    with pytest.raises(ExportError, match=r'written as onnx, and the file does not run with x \(1, 3\): an odd size'):
        checked(list, pairs)


@pytest.mark.parametrize(('far', 'much'), [(0.0, False), (0.05, False), (2.0, True)])
def test_note_of_a_file_of_whole_numbers(far, much):
    """Its difference is told beside the largest number, and called much above a tenth of it."""
    report = checked(list, lambda values: [values[0] + np.float32(far)], [np.ones((1, 3), 'float32')], is_exact=False)
    (note,) = report.notes
    assert note.startswith(f'Its largest difference from the K function is {far:.2g}, where the largest number is 1.')
    assert ('That is much' in note) == much


def test_small_numbers_of_a_run_are_noted():
    report = checked(list, lambda values: [values[0] + np.float32(1e-6)], [np.full((1, 3), 1e-6, 'float32')])
    assert report.notes == ['The numbers of y are small beside its difference: they may be rounding alone.']


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

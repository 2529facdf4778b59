"""keras_backend.export: names, options, the check, and what it refuses. The formats have tests of their own."""

import os

import numpy as np
import onnx
import onnxruntime
import pytest

import keras_backend as K
from keras_backend.basics import installed
from keras_backend.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ClearedSessionError,
    EngineNotInstalled,
    ExportError,
)
from keras_backend.exporting.onnx import file, lowering


def ran(path, **values):
    """What onnxruntime gives for a file."""
    session = onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])
    return session.run(None, values)


X = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]], 'float32')


@pytest.fixture(autouse=True)
def new_names():
    """Names of tensors are counted from 1."""
    K.clear_session()
    K.reset_uids()


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'f.onnx'


@pytest.fixture
def doubled():
    """A function."""
    x = K.placeholder((None, 3), name='x')
    return K.function([x], [K.exp(x) + x])


@pytest.fixture
def step():
    """A function that updates a variable."""
    x = K.placeholder((None, 3), name='x')
    v = K.variable(np.ones(3), name='dense/v:0')
    return v, K.function([x], [K.sum(x * v)], updates=[(v, v - 0.5 * K.mean(x, axis=0))])


def test_a_function_becomes_a_file(doubled, path):
    report = K.export(doubled, path)
    (got,) = ran(path, x=X)
    np.testing.assert_allclose(got, np.exp(X) + X, rtol=1e-6)
    assert (report.format, report.inputs, report.path) == ('onnx', ['x'], str(path))
    assert len(report.differences) == 3
    assert 'x (2, 3)' in str(report)
    model = onnx.load(str(path))
    assert model.opset_import[0].version == 17
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == 'x_0'
    assert model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == 'x_0'
    assert os.listdir(str(path.parent)) == ['f.onnx']


def test_updates_need_a_word(step, path):
    v, f = step
    with pytest.raises(ExportError, match=r"updates dense/v:0.*updates='outputs'.*updates='leave_out'"):
        K.export(f, path)
    assert K.export(f, path, updates='leave_out').outputs == ['sum_1']
    report = K.export(f, path, updates='outputs')
    assert report.outputs == ['sum_1', 'dense_v_0_new']
    total, new = ran(path, x=X, dense_v_0=np.ones(3, 'float32'))
    np.testing.assert_allclose(total, X.sum(), rtol=1e-6)
    np.testing.assert_allclose(new, 1 - 0.5 * X.mean(0), rtol=1e-6)
    np.testing.assert_array_equal(K.get_value(v), np.ones(3))


def test_variables_are_constants_or_inputs(step, path):
    v, f = step
    report = K.export(f, path, updates='outputs', variables='inputs')
    assert report.inputs == ['x', 'dense_v_0']
    _total, new = ran(path, x=X, dense_v_0=np.zeros(3, 'float32'))
    np.testing.assert_allclose(new, -0.5 * X.mean(0), rtol=1e-6)
    K.export(f, path, updates='leave_out')
    K.set_value(v, np.zeros(3))
    assert ran(path, x=X)[0] == pytest.approx(X.sum(), rel=1e-6)


def test_names_of_inputs_and_outputs(path):
    x, y = K.placeholder((3,), name='a b/c'), K.placeholder((3,), name='a_b.c')
    f = K.function([x, y], [x + y, x, x * y])
    report = K.export(f, path)
    assert report.inputs == ['a_b_c', 'a_b_c_1']
    assert len(set(report.inputs + report.outputs)) == 5
    report = K.export(f, path, input_names=['left', 'right'], output_names=['sum', 'same', 'product'])
    one = np.ones(3, 'float32')
    assert [float(a[0]) for a in ran(path, left=one, right=2 * one)] == [3, 1, 2]
    for argument, names in (('input_names', ['left']), ('output_names', ['a', 'b'])):
        with pytest.raises(ArgumentValueError, match=f'{argument} holds {len(names)} names'):
            K.export(f, path, **{argument: names})
    with pytest.raises(ArgumentValueError, match='twice'):
        K.export(f, path, input_names=['left', 'left'])
    with pytest.raises(ArgumentValueError, match="holds 'left', which is the name of an input"):
        K.export(f, path, input_names=['left', 'right'], output_names=['left', 'b', 'c'])
    with pytest.raises(ArgumentTypeError, match='input_names is a list of names'):
        K.export(f, path, input_names='left')


@pytest.mark.parametrize(
    ('arguments', 'error', 'message'),
    [
        ({'updates': 'keep'}, ArgumentValueError, r"updates='keep' is not known; write one of 'outputs'"),
        ({'updates': 'state'}, ExportError, "write updates='outputs', or format='saved_model'"),
        ({'variables': 'all'}, ArgumentValueError, "variables='all' is not known"),
        ({'format': 'coreml'}, ArgumentValueError, "format='coreml' is not known; write one of 'onnx'"),
        ({'opset': 9}, ArgumentValueError, 'opset=9 cannot be written; give a number from 17 to'),
        ({'opset': '17'}, ArgumentTypeError, "opset is a number such as 17, got '17'"),
        ({'check': 'yes'}, ArgumentTypeError, "check is True, False, or a list .* got 'yes'"),
        ({'check': []}, ArgumentTypeError, r'check is True, False, or a list .* got \[\]'),
    ],
)
def test_options_that_are_refused(doubled, path, arguments, error, message):
    with pytest.raises(error, match=message):
        K.export(doubled, path, **arguments)
    assert os.listdir(str(path.parent)) == []


def test_paths_that_are_refused(doubled, tmp_path):
    with pytest.raises(ArgumentValueError, match='tells no format'):
        K.export(doubled, str(tmp_path / 'f.bin'))
    with pytest.raises(ArgumentValueError, match='is a folder'):
        K.export(doubled, str(tmp_path), format='onnx')
    with pytest.raises(ArgumentValueError, match='which is not there'):
        K.export(doubled, str(tmp_path / 'none' / 'f.onnx'))
    with pytest.raises(ArgumentTypeError, match='path is the name of a file, got 3'):
        K.export(doubled, 3)


def test_functions_that_are_refused(doubled, path):
    with pytest.raises(ArgumentTypeError, match=r'function has to be a result of K\.function, got 3'):
        K.export(3, path)
    K.clear_session()
    with pytest.raises(ClearedSessionError, match='build it again'):
        K.export(doubled, path)


def test_a_library_that_is_not_there(doubled, path, monkeypatch):
    monkeypatch.setattr(installed, 'spec', lambda module: None)
    with pytest.raises(EngineNotInstalled, match=r"needs onnx and onnxruntime\. Type: pip install '.*\[export\]'"):
        K.export(doubled, path)


def test_a_wrong_file_is_not_left(doubled, path, monkeypatch):
    path.write_bytes(b'of yesterday')
    monkeypatch.setitem(lowering.DIRECT, 'exp', 'Cos')
    with pytest.raises(ExportError, match=r'a difference of .* from what K gives for x \(2, 3\)'):
        K.export(doubled, path)
    assert path.read_bytes() == b'of yesterday'
    assert os.listdir(str(path.parent)) == ['f.onnx']
    K.export(doubled, path, check=False)
    np.testing.assert_allclose(ran(path, x=X)[0], np.cos(X) + X, rtol=1e-5)


def test_a_file_that_the_checker_refuses(doubled, path, monkeypatch):
    monkeypatch.setitem(lowering.DIRECT, 'exp', 'Not')
    with pytest.raises(ExportError, match='the checker of ONNX refuses the file'):
        K.export(doubled, path)


def test_what_has_no_operator_is_named(doubled, path, monkeypatch):
    monkeypatch.delitem(lowering.DIRECT, 'exp')
    with pytest.raises(ExportError, match=r'K\.exp: a file of ONNX cannot say exp') as caught:
        K.export(doubled, path)
    assert caught.value.function == 'K.exp'


def test_numbers_that_are_rounding_alone(path):
    """What is left where large numbers cancel is another rest in every library. The report says so."""
    x = K.placeholder((None, 1000), name='x')
    rest = K.mean(x, axis=1, keepdims=True) - K.dot(x, K.constant(np.full((1000, 1), 1e-3)))
    report = K.export(K.function([x], [rest, x], name='f'), path, output_names=['rest', 'same'])
    assert report.notes == ['The numbers of rest are small beside its difference: they may be rounding alone.']
    assert report.notes[0] in str(report)


def test_values_for_the_check(path):
    """Sizes that fit none of those that are tried, and places that would be out of range."""
    x = K.placeholder((None, None), name='x')
    f = K.function([x], [K.reshape(x, (-1, 7, 11, 13))])
    with pytest.raises(
        ExportError, match=r'could not be run to check the file.*write check=\[values'.replace('w', 'W', 1)
    ):
        K.export(f, path)
    report = K.export(f, path, check=[[np.ones((2, 1001), 'float32')], [np.ones((7, 143), 'float32')]])
    assert [difference.sizes for difference in report.differences] == ['x (2, 1001)', 'x (7, 143)']


def test_many_constants_lie_beside_the_file(path, monkeypatch):
    monkeypatch.setattr(file, 'LARGEST', 1000)
    x = K.placeholder((None, 40), name='x')
    weights = np.random.RandomState(0).normal(size=(40, 30)).astype('float32')
    report = K.export(K.function([x], [K.dot(x, K.variable(weights))]), path)
    assert report.notes == ['It reads f.onnx.data, which has to lie beside it.']
    assert sorted(os.listdir(str(path.parent))) == ['f.onnx', 'f.onnx.data']
    assert path.stat().st_size < 1000
    np.testing.assert_allclose(ran(path, x=weights.T)[0], weights.T.dot(weights), rtol=1e-4)


def test_the_learning_phase(path):
    """Where it is not fed, the file has the branch that runs; where it is, both."""
    x, phase = K.placeholder((None, 3), name='x'), K.learning_phase()
    y = K.in_train_phase(lambda: x * 2.0, lambda: x * 3.0)
    K.export(K.function([x], [y]), path)
    np.testing.assert_allclose(ran(path, x=X)[0], X * 3)
    assert 'If' not in {node.op_type for node in onnx.load(str(path)).graph.node}
    report = K.export(K.function([x, phase], [y]), path, input_names=['x', 'phase'])
    assert report.inputs == ['x', 'phase']
    np.testing.assert_allclose(ran(path, x=X, phase=np.array(True))[0], X * 2)
    np.testing.assert_allclose(ran(path, x=X, phase=np.array(False))[0], X * 3)

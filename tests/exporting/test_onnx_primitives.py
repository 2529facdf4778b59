"""Every primitive as operators of ONNX: onnxruntime gives what the kernels of NumPy give, in every dtype."""

import collections

import kernel_examples
import numpy as np
import onnx
import pytest

import keras_backend as K
from keras_backend.exporting.onnx import file, lowering
from keras_backend.exporting.request import Exported, Options
from keras_backend.graph.primitives import OPS

# Each is tested where its own module is.
ELSEWHERE = set('random_uniform random_normal truncated_normal ctc_greedy ctc_beam rows add_rows sub_rows'.split())
TOLERANCE = {'float16': 5e-3, 'float32': 1e-5, 'float64': 1e-12}


def by_name():
    """The examples of each primitive by name and dtype."""
    found = collections.OrderedDict()
    for example in kernel_examples.EXAMPLES:
        if example.name not in ELSEWHERE:
            for dtype in ('bool',) if example.name == 'logical_not' else example.dtypes:
                found.setdefault((example.name, dtype), []).append(example)
    return found


def free_sizes(name, i, shape):
    """The shape of operand `i` with what may be unknown of it. Channels and kernels of convolutions are known."""
    if i == 1 and (name == 'slice_axis_grad' or ('conv' in name and not name.endswith('kernel_grad'))):
        return shape
    known = shape[-1:] if 'conv' in name or 'pool' in name else ()
    return (None,) * (len(shape) - len(known)) + known


def recorded(example, arrays, is_free):
    """The placeholders, what is fed for them, and the result."""
    shapes = [free_sizes(example.name, i, a.shape) if is_free else a.shape for i, a in enumerate(arrays)]
    tensors = [K.placeholder(shape, dtype=a.dtype.name) for shape, a in zip(shapes, arrays)]
    attrs, sizes = dict(example.attrs), []
    if is_free:
        for name in example.sizes:
            value = np.asarray(attrs.pop(name), 'int32')
            sizes.append((K.placeholder(value.shape, dtype='int32'), value))
    F = K.placeholder(()).session.engine.F
    inputs = tensors + [t for t, _value in sizes]
    operands = list(inputs)
    # sizes that are operands always
    for name, place in (('shape', 1), ('size', 2)):
        if example.name in ('getitem_grad', 'scatter_add') and name in attrs:
            operands.insert(place, F.constant(attrs.pop(name), 'int32'))
        elif example.name == 'getitem_grad' and name in example.sizes:
            operands.insert(place, operands.pop())
    return inputs, [*arrays, *[value for _t, value in sizes]], getattr(F, example.name)(*operands, **attrs)


def exported(inputs, outputs, opset=None):
    """The bytes of a file, and the names of its inputs."""
    function = K.function(inputs, outputs)
    request = Exported(function, Options(opset=opset))
    return request, file.model(request, Options(opset=opset))


def compare(examples, dtype, is_free, tmp_path, opset=None):
    """Export all examples as one function, and compare."""
    inputs, values, outputs, compared = [], [], [], []
    for i, example in enumerate(examples):
        arrays = [np.asarray(a) for a in example.make(kernel_examples.drawer(dtype, i))]
        if example.name == 'prod' and dtype == 'uint8' and arrays[0].size > 1000:
            continue  # too large for any integer: onnxruntime cuts off in another way
        more, given, result = recorded(example, arrays, is_free)
        inputs += more
        values += given
        outputs.append(result)
        compared.append(example)
    request, model = exported(inputs, outputs, opset)
    path = str(tmp_path / 'f.onnx')
    with open(path, 'wb') as stream:
        stream.write(model.SerializeToString())
    file.verify(path)
    with np.errstate(all='ignore'):
        wanted = K.function(inputs, outputs)(values)
    got = file.load(path)(dict(zip(request.input_names, values)))
    for example, a, b in zip(compared, wanted, got):
        what = f'{example.name} {example.attrs}'
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        if a.dtype.kind != 'f':
            np.testing.assert_array_equal(b, a, what)
            continue
        scale = max(1.0, float(np.abs(a[np.isfinite(a)]).max())) if np.isfinite(a).any() else 1.0
        np.testing.assert_allclose(b, a, rtol=0, atol=TOLERANCE[a.dtype.name] * scale, err_msg=what)


LOWERED = set(lowering.LOWERINGS) | set(lowering.DIRECT)


@pytest.mark.parametrize(('name', 'dtype'), [key for key in by_name() if key[0] in LOWERED])
def test_primitive_in_a_file(name, dtype, tmp_path):
    compare(by_name()[name, dtype], dtype, False, tmp_path)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'bool'])
@pytest.mark.parametrize('name', sorted({name for name, _dtype in by_name()} & LOWERED))
def test_primitive_of_free_sizes_in_a_file(name, dtype, tmp_path):
    if (name, dtype) in by_name():
        compare(by_name()[name, dtype], dtype, True, tmp_path)


@pytest.mark.parametrize(('name', 'dtype'), [key for key in by_name() if key[0] in LOWERED and key[1] == 'float32'])
def test_primitive_in_a_file_of_the_newest_opset(name, dtype, tmp_path):
    compare(by_name()[name, dtype], dtype, False, tmp_path, onnx.defs.onnx_opset_version())


def test_no_primitive_is_forgotten():
    parts = {name for name, op in OPS.items() if op.part or name == 'item'}
    rows = {'rows', 'add_rows', 'sub_rows'}  # of programs that write into rows of variables, which no file does
    said = LOWERED | set(lowering.REFUSED) | parts | rows
    assert sorted(set(OPS) - said) == []
    assert not LOWERED & set(lowering.REFUSED)

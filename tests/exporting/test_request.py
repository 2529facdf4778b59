"""Names that a file gets: of its values, and of the sizes that it leaves free."""

from types import SimpleNamespace

import numpy as np
import pytest

import keras_backend as K
from keras_backend.errors import ArgumentValueError
from keras_backend.exporting.request import Names, names_of_sizes


def test_names_are_identifiers_and_each_is_there_once():
    names = Names()
    wanted = ['a/b c', '3d', '', '__x__', 'x', 'x', 'x', 'x_1', 'é']
    assert [names.new(word) for word in wanted] == [
        'a_b_c',
        'n3d',
        'value',
        'x',
        'x_1',
        'x_2',
        'x_3',
        'x_1_1',
        'value_1',
    ]


def test_names_of_a_file_that_are_given():
    names = Names()
    tensors = [SimpleNamespace(name='first'), SimpleNamespace(name='second')]
    assert names.given('input_names', None, tensors) == ['first', 'second']
    assert names.given('output_names', ['third', 'fourth'], tensors) == ['third', 'fourth']
    with pytest.raises(ArgumentValueError, match='output_names holds 1 names; give 2, for first, second'):
        names.given('output_names', ['fifth'], tensors)
    with pytest.raises(ArgumentValueError, match="output_names holds 'third', which is the name of an input"):
        names.given('output_names', ['sixth', 'third'], tensors)


def sizes_of(*shapes):
    """The names of the sizes of inputs, in order, by each way, and what is said of it."""
    inputs = [K.placeholder(shape) for shape in shapes]
    exported = SimpleNamespace(input_names=['x', 'y', 'z'][: len(inputs)], inputs=inputs)
    ways = []
    for sizes, note in names_of_sizes(exported):
        ways.append(([sizes.get(d, d) for t in inputs for d in t.dims], note))
    return ways


def test_names_of_free_sizes():
    assert sizes_of((2, 3)) == [([2, 3], '')]
    assert sizes_of((None, 3)) == [(['x_0', 3], '')]
    own, batch, every = sizes_of((None, None, 3), (None, None), (4, None))
    assert own == (['x_0', 'x_1', 3, 'y_0', 'y_1', 4, 'z_1'], '')
    assert batch[0] == ['batch', 'x_1', 3, 'batch', 'y_1', 4, 'z_1']
    assert batch[1] == 'All inputs have the same size along their first axis, if it is free.'
    assert every[0] == ['batch', 'size_1', 3, 'batch', 'size_1', 4, 'size_1']
    assert every[1] == 'All inputs have the same size along an axis of the same number, if it is free.'


def exported_as_computed(tmp_path, inputs, outputs, *fed):
    """The values of a file, which are those of K."""
    import onnxruntime

    function = K.function(inputs, outputs)
    path = str(tmp_path / 'f.onnx')
    K.export(function, path, check=False)
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    results = session.run(None, {given.name: value for given, value in zip(session.get_inputs(), fed)})
    for ours, expected in zip(results, function(list(fed))):
        dense = expected.toarray() if hasattr(expected, 'toarray') else expected
        np.testing.assert_allclose(ours, dense, rtol=1e-5)
    return results


def test_products_of_sparse_matrices_in_a_file(tmp_path):
    x = K.placeholder((None, 3), sparse=True)
    w = K.variable(np.arange(6).reshape(3, 2))
    y = K.dot(x, w)
    value = np.array([[0, 2, 0], [1, 0, 0]], 'float32')
    product, slope = exported_as_computed(tmp_path, [x], [y, *K.gradients(K.sum(K.square(y)), [w])], value)
    expected = value @ np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(product, expected)
    np.testing.assert_array_equal(slope, value.T @ (2 * expected))


def test_sparse_labels_in_a_file(tmp_path):
    labels, lengths = K.placeholder((None, 4), dtype='int32'), K.placeholder((None,), dtype='int32')
    sparse = K.ctc_label_dense_to_sparse(labels, lengths)
    dense = K.to_dense(sparse)
    given = np.arange(1, 13, dtype='int32').reshape(3, 4)
    (result,) = exported_as_computed(tmp_path, [labels, lengths], [dense], given, np.array([4, 0, 2], 'int32'))
    assert result.tolist() == [[1, 2, 3, 4], [0, 0, 0, 0], [9, 10, 0, 0]]


def test_joined_sparse_matrices_in_a_file(tmp_path):
    x, y = K.placeholder((None, 2), sparse=True), K.placeholder((None, 2), sparse=True)
    joined = K.to_dense(K.concatenate([x, y], axis=0))
    one, two = np.array([[0, 2.0]], 'float32'), np.array([[1.0, 0]], 'float32')
    (result,) = exported_as_computed(tmp_path, [x, y], [joined], one, two)
    assert result.tolist() == [[0, 2], [1, 0]]

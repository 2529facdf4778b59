"""`tf.X` over Keras beside TensorFlow's own results, which tf_functions.npz has: of tensors, and in a model.

`python tests/tools/record_tf_functions.py` writes the file.
"""

import os

import keras
import numpy as np
import pytest
from keras import ops
from tf_function_cases import CASES, called, tensor

import keras_backend.keras3 as K
from keras_backend.programs.on_keras3.tf_on_keras import dispatch, without_tensorflow
from keras_backend.programs.on_keras3.tf_on_keras.dispatch import over_keras

BACKEND = keras.backend.backend()
RECORD = np.load(os.path.join(os.path.dirname(__file__), 'tf_functions.npz'))
IDS = [f'{number}-{case[0]}' for number, case in enumerate(CASES)]
# How many results there are, or their values, is not known while a model is built.
OF_VALUES = 'boolean_mask math.segment_sum math.bincount where'.split()
IN_A_MODEL = [n for n, case in enumerate(CASES) if case[0] not in OF_VALUES or len(case[1]) == 3]
# What has no table of cases: tests of their own are below, or in tests/programs/keras3.
ELSEWHERE = {'linalg.svd', 'linalg.eigh', 'linalg.qr', 'nn.dropout', *dispatch.OTHERS}
ELSEWHERE |= {name for name in dispatch.NAMES if name.startswith('random.')} | {*dispatch.FUNCTIONS['control']}


def recorded(number):
    return [RECORD[key] for key in sorted(RECORD.files) if key.startswith(f'{number:03d}.')]


def compare(number, found):
    wanted = recorded(number)
    assert len(wanted) == len(found)
    for value, right in zip(found, wanted):
        assert right.shape == value.shape
        np.testing.assert_allclose(value, right, rtol=3e-5, atol=3e-5)


def arrays(result):
    return [ops.convert_to_numpy(x) if ops.is_tensor(x) else np.asarray(x) for x in keras.tree.flatten(result)]


@pytest.mark.parametrize('number', range(len(CASES)), ids=IDS)
def test_results_of_tensors(number):
    """A function of tensors gives TensorFlow's results."""
    compare(number, arrays(called(CASES[number], over_keras, ops.convert_to_tensor)))


@pytest.mark.parametrize('number', IN_A_MODEL, ids=[IDS[number] for number in IN_A_MODEL])
def test_results_in_a_model(number):
    """A function of KerasTensors is a part of a model that gives TensorFlow's results."""
    inputs, values = [], []

    def entered(value):
        inputs.append(keras.Input(batch_shape=value.shape, dtype=str(value.dtype)))
        values.append(value)
        return inputs[-1]

    result = called(CASES[number], over_keras, entered)
    outputs = [x for x in keras.tree.flatten(result) if isinstance(x, keras.KerasTensor)]
    if not outputs:
        return compare(number, arrays(result))
    compare(number, arrays(keras.Function(inputs, outputs)([ops.convert_to_tensor(x) for x in values])))


if BACKEND == 'tensorflow':

    @pytest.mark.parametrize('number', range(len(CASES)), ids=IDS)
    def test_record_is_of_tensorflow(number):
        """The record has what TensorFlow gives."""
        import tensorflow as tf
        from record_tf_functions import function_of

        compare(number, arrays(called(CASES[number], function_of(tf), tf.constant)))


def test_every_name_is_tested():
    """Each name has a case, or stands in the list of what is tested elsewhere."""
    cases = {case[0] for case in CASES}
    without = {name for name in dispatch.NAMES if name not in cases and name.replace('math.', '') not in cases}
    assert set() == without - ELSEWHERE


# -- what has more than one right result ------------------------------------------------------------------------------
A = np.random.RandomState(3).normal(size=(2, 3, 3)).astype('float32')


def test_factors_of_matrices():
    """Products of the factors are the matrices, and v of a singular value decomposition is not transposed."""
    s, u, v = arrays(over_keras('linalg.svd')(ops.convert_to_tensor(A)))
    np.testing.assert_allclose(np.einsum('bik,bk,bjk->bij', u, s, v), A, atol=1e-5)
    q, r = arrays(over_keras('linalg.qr')(ops.convert_to_tensor(A)))
    np.testing.assert_allclose(q @ r, A, atol=1e-5)
    symmetric = A + A.transpose(0, 2, 1)
    values, vectors = arrays(over_keras('linalg.eigh')(ops.convert_to_tensor(symmetric)))
    np.testing.assert_allclose(vectors * values[:, None] @ vectors.transpose(0, 2, 1), symmetric, atol=1e-5)


def test_draws_by_the_names_of_tensorflow():
    """Draws have the shape, the mean and the bounds that are asked for."""
    normal, uniform, truncated = [
        arrays(over_keras(f'random.{name}')([4000, 2], *bounds))[0]
        for name, bounds in (('normal', (1.0, 2.0)), ('uniform', (-1.0, 3.0)), ('truncated_normal', (0.0, 2.0)))
    ]
    assert abs(normal.mean() - 1.0) < 0.15
    assert abs(normal.std() - 2.0) < 0.15
    assert normal.shape == (4000, 2)
    assert abs(uniform.mean() - 1.0) < 0.15
    assert -1.0 <= uniform.min()
    assert uniform.max() < 3.0
    assert np.abs(truncated).max() <= 4.0
    assert abs(truncated.mean()) < 0.15
    whole = arrays(over_keras('random.uniform')([1000], 2, 5, 'int32'))[0]
    assert {2, 3, 4} == set(whole.tolist())
    rows = np.arange(50.0, dtype='float32')
    assert sorted(arrays(over_keras('random.shuffle')(ops.convert_to_tensor(rows)))[0]) == rows.tolist()
    drawn = arrays(over_keras('random.categorical')(ops.log(ops.convert_to_tensor([[0.2, 0.8]])), 4000))[0]
    assert drawn.shape == (1, 4000)
    assert abs(drawn.mean() - 0.8) < 0.05
    kept = arrays(over_keras('nn.dropout')(ops.ones((4000,)), 0.25))[0]
    assert {0.0, np.float32(1 / 0.75)} == set(kept.tolist())
    assert abs((kept == 0).mean() - 0.25) < 0.05


def test_choices_and_loops():
    """Choices, loops and maps give what a loop of Python gives."""
    x = ops.convert_to_tensor(np.arange(4.0, dtype='float32'))
    assert 5.0 == arrays(over_keras('cond')(ops.sum(x) > 3, lambda: x[1] + 4, lambda: x[0]))[0]
    i, total = over_keras('while_loop')(lambda i, t: i < 4, lambda i, t: (i + 1, t * 2), [0, ops.ones(())])
    assert [4, 16.0] == [arrays(i)[0], arrays(total)[0]]
    np.testing.assert_allclose(arrays(over_keras('map_fn')(lambda e: e * e, x))[0], [0, 1, 4, 9])
    np.testing.assert_allclose(arrays(over_keras('vectorized_map')(lambda e: e + 1, x))[0], [1, 2, 3, 4])
    np.testing.assert_allclose(arrays(over_keras('scan')(lambda a, e: a + e, x))[0], [0, 1, 3, 6])
    np.testing.assert_allclose(arrays(over_keras('scan')(lambda a, e: a + e, x, 10.0))[0], [10, 11, 13, 16])
    assert 6.0 == arrays(over_keras('foldl')(lambda a, e: a + e, x))[0]


def test_initializers_of_the_stand_in():
    """`tf.zeros_initializer()` and the like are those of Keras, with the arguments in the order of TensorFlow."""
    made = [without_tensorflow.required(f'{name}_initializer') for name in ('zeros', 'ones', 'constant')]
    assert [[0.0, 0.0], [1.0, 1.0], [2.5, 2.5]] == [
        np.asarray(keras.ops.convert_to_numpy(initializer(*given)((2,)))).tolist()
        for initializer, given in zip(made, [(), (), (2.5,)])
    ]
    drawn = without_tensorflow.required('random_normal_initializer')(3.0, 0.001, 7)((50,), 'float32')
    assert abs(float(np.mean(keras.ops.convert_to_numpy(drawn))) - 3.0) < 0.01
    drawn = without_tensorflow.required('random_uniform_initializer')(2.0, 2.5)((50,))
    assert 2.0 <= float(keras.ops.min(drawn)) <= float(keras.ops.max(drawn)) <= 2.5


def test_assertions():
    """An assertion raises where it does not hold, and checks nothing while a model is built."""
    x = ops.convert_to_tensor([1.0, 2.0])
    right = [('equal', x, x), ('less', x, 3.0), ('greater', x, 0), ('near', x, x), ('less_equal', x, 2), ('rank', x, 1)]
    for name, *args in right:
        over_keras(f'debugging.assert_{name}')(*args)
    wrong = [('equal', x, 2.0), ('less', x, 2.0), ('greater', x, 1), ('near', x, 1.1), ('positive', -x), ('rank', x, 2)]
    for name, *args in [*wrong, ('non_negative', -x), ('greater_equal', x, 2), ('all_finite', x / 0, 'bad')]:
        with pytest.raises(ValueError, match='assert|bad'):
            over_keras(f'debugging.assert_{name}')(*args)
    over_keras('debugging.assert_less')(keras.KerasTensor((2,)), 1.0)
    assert over_keras('debugging.check_numerics')(x, 'bad') is x


# -- sizes that a run fills in ----------------------------------------------------------------------------------------
def test_sizes_of_a_batch():
    """What is made by `tf.shape(x)[0]` follows the batch."""
    tf = {name: over_keras(name) for name in 'shape reshape zeros ones tile range stack fill concat'.split()}
    x = keras.Input((3, 2))
    batch = tf['shape'](x)[0]
    outputs = [
        tf['reshape'](x, [batch, 6]),
        tf['reshape'](x, tf['stack']([batch, 3 * 2])),
        x + tf['zeros']([batch, 3, 2]) + tf['ones'](tf['stack']([batch, 1, 1])),
        tf['concat']([x, tf['fill']([batch, 1, 2], 7.0)], 1),
        tf['tile'](tf['ones']([1, 2]), [batch, 1]),
        K.cast(tf['range'](batch), 'float32'),
    ]
    value = np.arange(30.0, dtype='float32').reshape(5, 3, 2)
    flat, again, more, longer, tiled, places = [np.asarray(each) for each in K.function([x], outputs)([value])]
    np.testing.assert_array_equal(flat, value.reshape(5, 6))
    np.testing.assert_array_equal(again, flat)
    np.testing.assert_array_equal(more, value + 1)
    assert longer.shape == (5, 4, 2)
    assert (longer[:, 3] == 7).all()
    assert tiled.shape == (5, 2)
    assert places.tolist() == [0, 1, 2, 3, 4]


def test_gradient_of_a_loss_at_0():
    """The gradient of a crossentropy at the logit 0 is 1/2 minus the label."""
    x = keras.Input((2,))
    labels = np.array([[0.0, 1.0]], 'float32')
    loss = over_keras('nn.sigmoid_cross_entropy_with_logits')(labels=labels, logits=x)
    (gradient,) = K.function([x], K.gradients(K.sum(loss), [x]))([np.zeros((1, 2))])
    np.testing.assert_allclose(gradient, [[0.5, -0.5]], atol=1e-6)


# -- bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ('name', 'args', 'kwargs', 'words'),
    [
        ('where', [keras.KerasTensor((3,), 'bool')], {}, 'tf.where'),
        ('split', [tensor(np.ones((2, 3))), 2], {'axis': 1}, 'equal parts'),
        ('split', [tensor(np.ones((2, 3))), [1, 1]], {'axis': 1}, 'sum'),
        ('gather', [tensor(np.ones((2, 3, 4))), tensor(np.zeros((2, 3, 1)), 'int32')], {'batch_dims': 2}, 'batch_dims'),
        ('image.resize', [tensor(np.ones((1, 2, 2, 1))), [4, 4]], {'method': 'area'}, 'method'),
        ('sort', [tensor([1.0])], {'direction': 'UP'}, 'ASCENDING'),
        ('reduce_sum', [tensor([1.0])], {'axes': 0}, "'axes'"),
        ('linalg.diag', [tensor([1.0])], {'k': 1}, 'main diagonal'),
        ('ensure_shape', [tensor([1.0]), [2]], {}, 'shape'),
    ],
)
def test_what_is_not_there(name, args, kwargs, words):
    """An argument that has no meaning here is named in the error."""
    with pytest.raises((ValueError, TypeError), match=words):
        called((name, args, kwargs), over_keras, ops.convert_to_tensor)

"""Making tensors and asking about them."""

import numpy as np
import pytest

from . import truth
from ._check import FLOATS, all_close, close, covers, random

MAKERS = {
    'variable': lambda K, **kw: K.variable([[1, 2], [3, 4]], **kw),
    'constant': lambda K, **kw: K.constant([[1, 2], [3, 4]], **kw),
    'zeros': lambda K, **kw: K.zeros((2, 3), **kw),
    'ones': lambda K, **kw: K.ones((2, 3), **kw),
    'eye': lambda K, **kw: K.eye(3, **kw),
    'random_uniform_variable': lambda K, **kw: K.random_uniform_variable((2, 3), -1.0, 1.0, **kw),
    'random_normal_variable': lambda K, **kw: K.random_normal_variable((2, 3), 0.0, 1.0, **kw),
    'random_uniform': lambda K, **kw: K.random_uniform((2, 3), **kw),
    'random_normal': lambda K, **kw: K.random_normal((2, 3), **kw),
    'random_binomial': lambda K, **kw: K.random_binomial((2, 3), p=0.5, **kw),
    'truncated_normal': lambda K, **kw: K.truncated_normal((2, 3), **kw),
    'placeholder': lambda K, **kw: K.placeholder((2, 3), **kw),
}
TRUTHS = {
    'variable': [[1, 2], [3, 4]],
    'constant': [[1, 2], [3, 4]],
    'zeros': np.zeros((2, 3)),
    'ones': np.ones((2, 3)),
    'eye': np.eye(3),
}
PARAMS = [pytest.param(name, marks=covers(name)) for name in sorted(MAKERS)]
VARIABLES = ['variable', 'zeros', 'ones', 'eye', 'random_uniform_variable', 'random_normal_variable']


@pytest.mark.parametrize('floatx', FLOATS)
@pytest.mark.parametrize('name', PARAMS)
def test_none_means_floatx_at_the_time_of_the_call(K, check, name, floatx):
    """Without a dtype, the result has the floatx at the time of the call."""
    K.set_floatx(floatx)
    tensor = MAKERS[name](K)
    K.set_floatx('float64' if floatx == 'float32' else 'float32')
    assert K.dtype(tensor) == floatx
    value = check.run(tensor, [(tensor, np.zeros((2, 3), floatx))] if name == 'placeholder' else ())
    assert value.dtype.name == floatx
    if name in TRUTHS:
        close(value, np.array(TRUTHS[name], 'float64'))


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(TRUTHS) + ['placeholder']])
@pytest.mark.parametrize('dtype', truth.ALL)
def test_dtype_as_given(K, check, name, dtype):
    """A given dtype is the dtype of the tensor and of its value. It may be a name or a NumPy dtype object."""
    tensor = MAKERS[name](K, dtype=dtype)
    assert K.dtype(tensor) == dtype
    assert K.dtype(MAKERS[name](K, dtype=np.dtype(dtype))) == dtype
    if name in TRUTHS:
        value = check.run(tensor)
        assert value.dtype.name == dtype
        close(value, np.array(TRUTHS[name]).astype(dtype))


@pytest.mark.parametrize('name', PARAMS)
def test_unknown_dtype(K, name):
    """A dtype that does not exist is an error when the call is made."""
    with pytest.raises((TypeError, ValueError)):
        MAKERS[name](K, dtype='float23')


@pytest.mark.parametrize('name', PARAMS)
def test_names(K, name):
    """A given name is part of the tensor's name."""
    if (name.startswith('random_') and not name.endswith('variable')) or name == 'truncated_normal':
        return
    assert 'weights_of_mine' in MAKERS[name](K, name='weights_of_mine').name


@covers('ndim', 'int_shape')
def test_ndim_asks_the_tensor(K):
    """A layer may set another shape in `_keras_shape`. `int_shape` gives it; `ndim` gives the rank of the tensor."""
    for value, shape in [(3.0, (1,)), ([[1.0, 2.0]], (7,)), ([1.0], (None, 5, 5))]:
        x = K.constant(value) * 2.0
        x._keras_shape = shape
        assert K.ndim(x) == np.ndim(value)
        assert tuple(K.int_shape(x)) == shape


@covers('placeholder', 'variable', 'reshape', 'square', 'repeat_elements', 'rnn')
def test_shape_and_phase_come_together(K):
    """Keras 2.3 asks each tensor that has `_keras_shape` for `_uses_learning_phase`.

    Its `TimeDistributed` cannot take a phase that the output of a step has, so that has neither.
    """
    x, v = K.placeholder((2, 3)), K.variable(np.ones((2, 3)))
    last, outputs, _ = K.rnn(lambda t, states: (t, [t]), K.placeholder((2, 3, 4)), [K.zeros((2, 4))])
    for t in (x, v, K.square(x), K.reshape(v, (3, 2)), K.repeat_elements(x, 2, axis=0), last, outputs):
        assert not hasattr(t, '_keras_shape') or t._uses_learning_phase is False
    for t in (K.square(x), K.dot(v, K.ones((3, 2))), K.bias_add(v, K.ones((3,)))):
        assert not hasattr(t, '_uses_learning_phase')


@covers('is_variable', 'is_tensor', 'is_placeholder', 'is_keras_tensor', 'is_symbolic', 'is_sparse')
def test_kinds(K):
    """Each question about a tensor's kind has the documented answer."""
    x, v, c = K.placeholder((2,)), K.variable([1.0]), K.constant([1.0])
    others = [np.ones(2), 1.0, [1.0], None, 'x']
    assert [K.is_placeholder(t) for t in [x, v, c, x + 1.0] + others] == [True] + [False] * 8
    assert [K.is_variable(t) for t in [v, x, c, v + 1.0] + others] == [True] + [False] * 8
    assert [K.is_tensor(t) for t in [x, v, c, x + 1.0] + others] == [True] * 4 + [False] * 5
    assert [K.is_symbolic(t) for t in [x, x + 1.0] + others] == [True] * 2 + [False] * 5
    assert [K.is_sparse(t) for t in [x, v, c, x + 1.0]] == [False] * 4
    for name in VARIABLES:
        if K._engine.origins[name] != 'missing':
            assert K.is_variable(MAKERS[name](K)), name


@covers('is_keras_tensor')
def test_is_keras_tensor(K, check):
    """A Keras tensor is a tensor that a layer has marked. An object that is no tensor is an error."""
    x = K.placeholder((2,))
    assert not K.is_keras_tensor(x)
    assert not K.is_keras_tensor(K.variable([1.0]))
    x._keras_history = ('layer', 0, 0)
    assert K.is_keras_tensor(x)
    for other in (np.ones(2), 1.0, 'x', None):
        with check.rejects():
            K.is_keras_tensor(other)


@covers('placeholder', 'int_shape', 'ndim', 'dtype')
def test_placeholder(K, check):
    """Of shape and ndim shape comes first, and any size in it may be None."""
    x = K.placeholder(shape=(2, 4, 5))
    assert K.int_shape(x) == (2, 4, 5) == x._keras_shape
    assert K.ndim(x) == 3
    assert K.dtype(x) == 'float32'
    assert K.int_shape(K.placeholder(ndim=3)) == (None, None, None)
    assert K.int_shape(K.placeholder(shape=(2, None), ndim=5)) == (2, None)
    assert K.int_shape(K.placeholder((None, 4, None), dtype='int32')) == (None, 4, None)
    assert K.int_shape(K.placeholder(())) == ()
    assert K.int_shape(K.placeholder(ndim=0)) == ()
    assert K.int_shape(K.placeholder([2, 3])) == (2, 3)
    assert all(type(n) is int for n in K.int_shape(K.placeholder(tuple(np.array([2, 3])))))


@covers('placeholder')
@pytest.mark.parametrize('dtype', truth.ALL + ('uint8',))
def test_feeding_a_placeholder(K, check, dtype):
    """Values of every dtype and every rank pass through a function unchanged."""
    arrays = [np.ones((2, 1, 3, 1, 2)[:rank]).astype(dtype) for rank in range(6)]
    feeds = [(check.placeholder(a, range(a.ndim)), a) for a in arrays]
    all_close(check.run([K.identity(p) for p, _ in feeds], feeds), arrays, dtype)


@covers('placeholder', 'concatenate', 'gather', 'reshape', 'cast')
@pytest.mark.parametrize(
    ('dtype', 'number'), [('int32', 16777217), ('int32', -(2**31)), ('int64', 2**53 + 1), ('int64', 2**62)]
)
def test_large_integers(K, check, dtype, number):
    """Functions that move numbers keep integers exact that a float of the same size cannot hold."""
    array = np.array([[number, 1], [2, number]], dtype)
    values = check.eval(
        lambda x: (
            x,
            K.concatenate([x, x]),
            K.gather(x, K.constant([1], dtype='int32')),
            K.reshape(x, (4,)),
            K.cast(x, 'int64'),
            K.transpose(x),
            x * 1,
            K.maximum(x, -number - 1),
        ),
        array,
    )
    truths = [
        array,
        np.concatenate([array, array], 1),
        array[1:],
        array.ravel(),
        array,
        array.T,
        array,
        np.maximum(array, -number - 1),
    ]
    all_close(values, truths)


@covers('identity')
def test_identity(K, check):
    """`identity` is a new tensor of the same content."""
    array = random((2, 3), dtype='float32')
    check.everywhere(K.identity, [array], array, dtype='float32')
    x = K.placeholder((2, 3))
    assert K.identity(x) is not x


@covers('shape', 'size', 'int_shape', 'ndim')
def test_shape_and_size(K, check):
    """`shape` and `size` are int32 tensors with the sizes of the run."""
    array = random((2, 3, 4), dtype='float32')
    check.everywhere(K.shape, [array], np.array([2, 3, 4]), dtype='int32')
    check.everywhere(K.size, [array], np.array(24), dtype='int32')
    close(check.eval(K.shape, np.array(1.0)), np.zeros(0, 'int32'))
    x = K.placeholder((None, None))
    function = K.function([x], [K.shape(x), K.size(x), K.shape(x)[0] * 2, K.prod(K.shape(x))])
    for shape in [(2, 3), (5, 1), (0, 4)]:
        values = function([np.zeros(shape, 'float32')])
        assert [v.tolist() for v in values] == [list(shape), shape[0] * shape[1], shape[0] * 2, shape[0] * shape[1]]
        assert [v.dtype.name for v in values[:3]] == ['int32'] * 3
    scalar = K.sum(x)
    close(K.function([x], [scalar + K.cast(K.prod(K.shape(scalar)), K.floatx())])([np.ones((2, 3))])[0], 7.0)


@covers('int_shape', 'get_variable_shape', 'count_params', 'ndim', 'dtype')
def test_asking_variables(K, check):
    """Shape, rank, dtype and number of elements are known without a run."""
    v = K.variable(np.ones((2, 3)))
    assert K.int_shape(v) == K.get_variable_shape(v) == (2, 3) == v._keras_shape
    assert (K.ndim(v), K.dtype(v), K.count_params(v)) == (2, 'float32', 6)
    assert K.count_params(K.variable(1.0)) == 1
    assert K.int_shape(K.variable(1.0)) == ()
    assert K.count_params(K.zeros((2, 0))) == 0
    assert K.count_params(K.placeholder((2, 5))) == 10
    with check.rejects():
        K.count_params(K.placeholder((None, 3)))


@covers('variable')
def test_variable(K, check):
    """A variable takes arrays, lists and numbers, keeps its constraint, and copies its value."""
    array = np.array([[1.0, 2.0], [3.0, 4.0]], 'float32')
    constraint = abs
    v = K.variable(array, constraint=constraint)
    assert v.constraint is constraint
    assert K.variable(1.0).constraint is None
    array[0, 0] = 99.0
    assert K.get_value(v).tolist() == [[1, 2], [3, 4]]
    values = check.run(
        [
            K.variable(2),
            K.variable([1, 2]),
            K.variable(np.float64(0.5)),
            K.variable(np.arange(3)),
            K.variable([[True], [False]], dtype='bool'),
        ]
    )
    assert [v.tolist() for v in values] == [2.0, [1.0, 2.0], 0.5, [0.0, 1.0, 2.0], [[True], [False]]]
    assert [v.dtype.name for v in values] == ['float32'] * 4 + ['bool']


@covers('constant')
def test_constant(K, check):
    """A constant may fill a shape. It copies its value."""
    array = np.ones((2, 2), 'float32')
    c = K.constant(array)
    array[:] = 7.0
    values = check.run(
        [
            c,
            K.constant(3.0, shape=(2, 3)),
            K.constant([1, 2, 3, 4], shape=(2, 2)),
            K.constant(5, dtype='int32'),
            K.constant(np.arange(4), shape=[4]),
        ]
    )
    assert [v.tolist() for v in values] == [[[1, 1], [1, 1]], [[3] * 3] * 2, [[1, 2], [3, 4]], 5, [0, 1, 2, 3]]
    assert values[3].dtype.name == 'int32'
    assert values[0].dtype.name == 'float32'


@covers('zeros', 'ones', 'shape')
def test_symbolic_zeros_and_ones(K, check):
    """`zeros` and `ones` of a symbolic shape are tensors with the sizes of the run."""
    array = random((3, 2), dtype='float32')
    x = check.placeholder(array, (0,))
    outputs = [
        make(shape, dtype=dtype)
        for make in (K.zeros, K.ones)
        for dtype in (None, 'int32')
        for shape in ((K.shape(x)[0], 4), K.shape(x), K.stack([K.shape(x)[0], K.shape(x)[1] * 2]))
    ]
    assert not any(K.is_variable(t) for t in outputs)
    for i, value in enumerate(check.run(outputs, [(x, array)])):
        assert value.dtype.name == ('float32', 'int32')[i // 3 % 2]
        assert value.shape == [(3, 4), (3, 2), (3, 4)][i % 3]
        assert (value == i // 6).all()


@covers('zeros', 'ones')
def test_each_call_makes_a_variable(K):
    """Two calls of `zeros` make two variables."""
    a, b = K.zeros((2,)), K.zeros((2,))
    K.set_value(a, np.ones(2))
    assert K.get_value(b).tolist() == [0, 0]
    assert K.get_value(a).tolist() == [1, 1]


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in ('zeros_like', 'ones_like')])
@pytest.mark.parametrize('dtype', truth.ALL)
def test_likes(K, check, name, dtype):
    """`zeros_like` and `ones_like` have the shape of the run, and by default the dtype of the argument."""
    array = np.array([[1, 0], [1, 1], [0, 1]]).astype(dtype)
    make, number = getattr(K, name), int(name == 'ones_like')
    check.everywhere(make, [array], np.full((3, 2), number).astype(dtype), dtype=dtype)
    other = 'int32' if dtype == 'float32' else 'float32'
    K.set_floatx('float64')
    value = check.eval(lambda x: make(x, dtype=other), array)
    assert value.dtype.name == other
    assert (value == number).all()


@covers('eye')
def test_eye(K, check):
    """`eye` is the identity matrix as a variable."""
    values = check.run([K.eye(1), K.eye(4, dtype='float64'), K.eye((2, 3))])
    close(values[2], np.eye(2, 3))
    close(values[0], np.eye(1))
    close(values[1], np.eye(4))


ARANGES = [
    ((5,), {}),
    ((2, 6), {}),
    ((2, 9, 3), {}),
    ((5, 0, -2), {}),
    ((0, 3), {'dtype': 'float32'}),
    ((3, 3), {}),
    ((4,), {'dtype': 'int64'}),
    ((-3,), {}),
    ((0,), {}),
    ((10, 2), {'step': -3}),
]


@covers('arange')
def test_arange(K, check):
    """One argument is the stop. Steps may be negative. The dtype is int32 by default. A range may be empty."""
    values = check.run([K.arange(*args, **options) for args, options in ARANGES])
    for (args, options), value in zip(ARANGES, values):
        expected = np.arange(*args, **dict({'dtype': 'int32'}, **options))
        assert value.dtype.name == expected.dtype.name
        close(value, expected, what=str(args))


@covers('arange', 'shape')
def test_symbolic_arange(K, check):
    """Bounds may be integer tensors."""
    x, stop = K.placeholder((None, 2)), K.placeholder((), dtype='int32')
    outputs = [
        K.arange(K.shape(x)[0]),
        K.arange(1, stop),
        K.arange(stop, 0, -1),
        K.arange(K.shape(x)[0] * 2, dtype='float32'),
    ]
    values = check.run(outputs, [(x, np.zeros((3, 2), 'float32')), (stop, np.array(4))])
    assert [v.tolist() for v in values] == [[0, 1, 2], [1, 2, 3], [4, 3, 2, 1], [0, 1, 2, 3, 4, 5]]
    assert [v.dtype.name for v in values] == ['int32'] * 3 + ['float32']


@covers('arange')
def test_arange_of_fractions(K, check):
    """The default dtype stands for that of the bounds: fractions are not cut off."""
    values = check.run([K.arange(0, 1, 0.25), K.arange(-1.5, 2), K.arange(0, 1, 0.25, 'float64'), K.arange(3.0)])
    for value, expected in zip(values, [[0, 0.25, 0.5, 0.75], [-1.5, -0.5, 0.5, 1.5], [0, 0.25, 0.5, 0.75], [0, 1, 2]]):
        close(value, np.array(expected, value.dtype))
    assert [v.dtype.name for v in values] == ['float32', 'float32', 'float64', 'float32']


@covers('arange')
def test_arange_to_a_tensor(K, check):
    """A bound that is a tensor gives its dtype. What ends before it starts is empty."""
    for dtype, number, expected in (
        ('int32', 3, [0, 1, 2]),
        ('int32', -3, []),
        ('int64', 2, [0, 1]),
        ('float32', 2, [0, 1]),
    ):
        stop = K.placeholder((), dtype=dtype)
        for bound, feeds in ((stop, [(stop, np.array(number, dtype))]), (K.constant(number, dtype=dtype), [])):
            value = check.run(K.arange(bound), feeds)
            assert value.dtype.name == dtype
            assert value.tolist() == expected


@covers('random_uniform_variable', 'random_normal_variable')
def test_random_variables(K):
    """Random variables have the distribution of the call, the same numbers for the same seed, and keep them."""
    u = K.random_uniform_variable((100, 100), -2.0, 3.0, seed=5)
    n = K.random_normal_variable((100, 100), 1.0, 2.0, seed=5)
    a, b = K.get_value(u), K.get_value(n)
    assert a.min() >= -2
    assert a.max() <= 3
    assert abs(a.mean() - 0.5) < 0.1
    assert abs(a.std() - 5 / 12**0.5) < 0.05
    assert abs(b.mean() - 1) < 0.1
    assert abs(b.std() - 2) < 0.1
    close(K.get_value(u), a)
    close(K.get_value(K.random_uniform_variable((100, 100), -2.0, 3.0, seed=5)), a)
    close(K.get_value(K.random_normal_variable((100, 100), 1.0, 2.0, seed=5)), b)
    assert (K.get_value(K.random_uniform_variable((100, 100), -2.0, 3.0, seed=6)) != a).mean() > 0.9
    assert (K.get_value(K.random_normal_variable((100, 100), 1.0, 2.0)) != b).mean() > 0.9


@covers('to_dense')
def test_to_dense_of_a_dense_tensor(K, check):
    """A dense tensor is returned as it is."""
    array = random((2, 3), dtype='float32')
    close(check.eval(K.to_dense, array), array)

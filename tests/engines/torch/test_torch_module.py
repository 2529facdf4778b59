"""A K function as a module of PyTorch."""

import copy
import pickle

import numpy as np
import pytest
import torch
from scipy.sparse import random as random_sparse

import keras_backend.engines.torch_backend as K
from keras_backend.engines.torch_backend import as_module
from keras_backend.errors import ArgumentTypeError, ArgumentValueError, FeedError


@pytest.fixture(autouse=True)
def doubles():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


def numbers(*shape, seed=0):
    """A tensor of PyTorch that asks for gradients."""
    return torch.from_numpy(np.random.RandomState(seed).randn(*shape)).requires_grad_()


def test_a_dense_layer_and_its_gradients():
    """The outputs are those of the function; parameters are the variables; autograd agrees with finite differences."""
    x, w, b = K.placeholder((None, 3)), K.variable(np.eye(3, 2), name='layer/w'), K.variable([0.5, -0.5], name='b')
    function = K.function([x], [K.tanh(K.bias_add(K.dot(x, w), b)), K.shape(x)])
    module = as_module(function)
    assert isinstance(module, torch.nn.Module)
    assert {'layer_w': (3, 2), 'b': (2,)} == {name: tuple(p.shape) for name, p in module.named_parameters()}
    value = numbers(4, 3)
    y, shape = module(value)
    np.testing.assert_array_equal(y.detach().numpy(), function([value.detach().numpy()])[0])
    assert [4, 3] == shape.tolist()
    parameters = list(module.parameters())

    def of(v, *_):
        return module(v)[0]

    assert torch.autograd.gradcheck(of, (value, *parameters))
    assert torch.autograd.gradgradcheck(of, (value, *parameters))


def _conv(x, w):
    return K.pool2d(K.conv2d(x, w, strides=(2, 1), padding='same'), (2, 2), padding='same')


def _transposed(x, w):
    return K.conv2d_transpose(K.conv2d(x, w), w, (2, 7, 6, 2))


def _means(x, w):
    return K.pool2d(K.depthwise_conv2d(x, w), (2, 3), padding='same', pool_mode='avg')


def _loop(x, w):
    sequence = K.reshape(x, (2, 7, 12))
    matrix = K.reshape(w, (12, 3))

    def step(e, s):
        h = K.tanh(K.dot(e, matrix) + s[0])
        return h, [h]

    return K.rnn(step, sequence, [K.zeros((2, 3))], go_backwards=True)[1]


def _penalty(x, w):
    y = K.sum(K.square(K.conv2d(x, w)))
    return K.sum(K.square(K.gradients(y, [x])[0]), axis=(1, 2)) * 1e-3


def _picks(x, w):
    rows = K.gather(K.reshape(w, (9, 4)), K.constant([1, 1, 5], dtype='int32'))
    return K.concatenate([rows, K.reverse(rows, 0)[::2]], 0) * K.max(x) + K.logsumexp(x)


def _batch(x, w):
    y, mean, var = K.normalize_batch_in_training(x, K.reshape(w, (-1,))[:2], K.reshape(w, (-1,))[2:4], [0, 1, 2])
    return K.softmax(y) + K.sum(mean) + K.sum(var)


@pytest.mark.parametrize('build', [_conv, _transposed, _means, _loop, _penalty, _picks, _batch])
def test_autograd_goes_through(build):
    """Convolutions, pooling, a loop, gradients inside, lookups, statistics."""
    x, w = K.placeholder((2, 7, 6, 2)), K.variable(np.random.RandomState(1).randn(3, 3, 2, 2), name='w')
    module = as_module(K.function([x], build(x, w)))
    assert torch.autograd.gradcheck(lambda v, _w: module(v), (numbers(2, 7, 6, 2), module.w))


def test_gradients_are_those_of_k():
    """Of a loss with a draw, a choice and a crossentropy: the two ways to differentiate give the same numbers."""
    x, t, w = K.placeholder((None, 4)), K.placeholder((None, 3)), K.variable(np.random.RandomState(2).randn(4, 3))
    y = K.softmax(K.relu(K.dot(x, w)) + K.elu(K.dot(x, w)) + K.stop_gradient(w[0]))
    loss = K.mean(K.categorical_crossentropy(t, K.switch(K.sum(x) > 0, lambda: y, lambda: y * y)))
    module, by_k = as_module(K.function([x, t], loss)), K.function([x, t], K.gradients(loss, [x, w]))
    (parameter,) = module.parameters()
    for seed in range(3):
        value, target = numbers(5, 4, seed=seed), torch.eye(3, dtype=torch.float64)[[0, 2, 1, 1, 0]]
        found = torch.autograd.grad(module(value, target), [value, parameter])
        for ours, theirs in zip(found, by_k([value, target])):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-14)


def test_training_with_an_optimizer_of_pytorch():
    """It changes the variable itself; what K sets is what the module computes with next."""
    x, w = K.placeholder((None, 2)), K.variable(np.zeros((2, 1)))
    module = as_module(K.function([x], K.dot(x, w)))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    value = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    goal = torch.tensor([[1.0], [2.0], [3.0]], dtype=torch.float64)
    for _ in range(200):
        optimizer.zero_grad()
        torch.mean((module(value) - goal) ** 2).backward()
        optimizer.step()
    np.testing.assert_allclose(K.get_value(w), [[1.0], [2.0]], atol=1e-3)
    K.set_value(w, [[5.0], [7.0]])
    assert [[5.0], [7.0], [12.0]] == module(value).tolist()
    K.function([], [], [K.update_add(w, np.ones((2, 1)))])([])
    assert [[6.0], [8.0], [14.0]] == module(value).tolist()
    module.load_state_dict({name: p.detach() * 2 for name, p in module.named_parameters()})
    assert [[12.0], [16.0]] == K.get_value(w).tolist()


def test_rows_that_are_updated_leave_the_old_parameter_alone():
    """Updating rows of a table that a module shares copies it first, and the module follows."""
    table, i = K.variable(np.zeros((9000, 2))), K.placeholder((None,), dtype='int32')
    module = as_module(K.function([i], K.gather(table, i)))
    (parameter,) = module.parameters()
    seen = parameter.detach()
    g = K.gradients(K.sum(K.gather(table, i)), [table])[0]
    K.function([i], [], [K.update_sub(table, g)])([[3]])
    assert 0.0 == seen.abs().sum().item()
    assert [[-1.0, -1.0]] == module([3]).tolist()


def test_the_learning_phase_is_that_of_the_module():
    """`train()` and `eval()` say it, whether the function takes it as an input or not."""
    x, phase = K.placeholder((None, 50)), K.learning_phase()
    y = K.in_train_phase(K.dropout(x, 0.5), x)
    for inputs in ([x], [x, phase]):
        module, ones = as_module(K.function(inputs, y)), np.ones((2, 50))
        assert 0.0 in module(ones).tolist()[0]
        assert [1.0] * 50 == module.eval()(ones).tolist()[0]


def test_sparse_operands():
    """Gradients reach the dense operand of a product with a sparse matrix."""
    x, w = K.placeholder((3, 4), sparse=True), K.variable(np.ones((4, 2)), name='w')
    module = as_module(K.function([x], K.dot(x, w)))
    matrix = random_sparse(3, 4, 0.5, 'csr', random_state=0)
    np.testing.assert_allclose(module(matrix).detach().numpy(), matrix.toarray() @ np.ones((4, 2)))
    assert torch.autograd.gradcheck(lambda _w: module(matrix), (module.w,))


def test_parameters_keep_dtype_and_device():
    """`to` of what they are does nothing; of anything else, it says that they are variables."""
    x, w = K.placeholder((2,)), K.variable([1.0, 2.0], name='w')
    module = as_module(K.function([x], x * w))
    assert [3.0, 8.0] == module.to('cpu', torch.float64)([3.0, 4.0]).tolist()
    for change in (lambda: module.to('meta'), module.float):
        with pytest.raises(ArgumentValueError, match='its parameters are variables of K'):
            change()
    assert [3.0, 8.0] == module([3.0, 4.0]).tolist()


def test_no_grad_outside_counts():
    """The module records nothing where its caller asked for that."""
    x, w = K.placeholder((2,)), K.variable([1.0, 2.0])
    module = as_module(K.function([x], x * w))
    with torch.no_grad():
        assert not module([1.0, 1.0]).requires_grad
    assert module([1.0, 1.0]).requires_grad


def test_module_refuses():
    """What is no function, functions with updates, inputs that do not fit."""
    x, w = K.placeholder((2,), name='x'), K.variable([1.0, 2.0])
    with pytest.raises(ArgumentTypeError, match='what K.function of the PyTorch engine returned'):
        as_module(lambda: None)
    with pytest.raises(ArgumentValueError, match='has updates'):
        as_module(K.function([x], [x], [K.update(w, x)]))
    with pytest.raises(ArgumentValueError, match='has updates'):
        as_module(K.function([x], [K.update(w, x)]))
    module = as_module(K.function([x], x * w))
    with pytest.raises(ArgumentValueError, match=r'takes 1 inputs \(x\), got 2'):
        module([1.0, 2.0], 3.0)
    with pytest.raises(FeedError, match=r'x of shape \(2,\)'):
        module(torch.ones(3))


def test_a_module_refuses_to_be_copied():
    """Its parameters are variables of K, which a copy would share; the message says what to save."""
    w = K.variable(np.ones((2, 2)))
    x = K.placeholder((None, 2))
    module = as_module(K.function([x], K.dot(x, w)))
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match='state_dict'):
            copied(module)
    assert module.state_dict()


def test_tensors_of_pytorch_are_values():
    """Beside a K tensor, and wherever K takes an array: also one that autograd watches."""
    given = torch.arange(6.0).reshape(2, 3).requires_grad_()
    values = given.detach().numpy()
    x = K.constant(np.ones((2, 3)))
    for y in (x + given, given * x + 0.0, K.maximum(x, given), K.concatenate([x, given])):
        assert K.dtype(y) in ('float32', 'float64')
    np.testing.assert_array_equal(K.eval(x + given), 1 + values)
    np.testing.assert_array_equal(K.eval(K.variable(given)), values)
    np.testing.assert_array_equal(K.eval(K.dot(x, given.T)), np.ones((2, 3)).dot(values.T))
    np.testing.assert_array_equal(K.eval(K.gather(given, torch.tensor([1, 0]))), values[[1, 0]])
    v, w = K.variable(values * 0), K.variable(values * 0)
    K.set_value(v, given)
    K.batch_set_value([(w, given.detach().to(torch.int64))])
    given.detach().fill_(9)
    np.testing.assert_array_equal(K.batch_get_value([v, w]), [np.arange(6.0).reshape(2, 3)] * 2)
    np.testing.assert_array_equal(K.cast_to_floatx(torch.arange(3)), [0, 1, 2])
    np.testing.assert_array_equal(K.eval(K.constant(torch.tensor([1, 2, 3, 4]), shape=(2, 2))), [[1, 2], [3, 4]])

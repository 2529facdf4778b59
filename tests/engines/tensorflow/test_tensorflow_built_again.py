"""A function that is built again over the same tensors runs what was built before; its graph does not grow."""

import numpy as np
import pytest

import keras_backend as K
from keras_backend.engines.tensorflow_backend.vendor import tf
from keras_backend.errors import ClearedSessionError, FeedError

X = np.random.RandomState(3).normal(size=(3, 4)).astype('float32')


def operations():
    """The number of operations in the graph of K."""
    return len(K.get_session().graph.get_operations())


def step(x, states):
    """A step of a recurrent layer."""
    new = K.tanh(x + states[0])
    return new, [new]


def test_a_training_function_goes_on():
    """Built 20 times, a function with updates has the numbers of one that is called 20 times."""
    x, w = K.placeholder((None, 4)), K.variable(np.ones((4, 2)))
    loss = K.sum(K.square(K.dot(x, w)))
    updates = [K.update_sub(w, 0.01 * K.gradients(loss, [w])[0])]
    expected, losses, sizes = np.ones((4, 2)), [], []
    for _ in range(20):
        losses.append(K.function([x], [loss], updates)([X])[0])
        sizes.append(operations())
        np.testing.assert_allclose(losses[-1], np.sum(np.square(X @ expected)), rtol=1e-4)
        expected = expected - 0.01 * 2 * X.T @ (X @ expected)
    np.testing.assert_allclose(K.get_value(w), expected, rtol=1e-4)
    assert sizes[1] == sizes[-1]


@pytest.mark.parametrize('rows', [3, 0])
def test_a_graph_does_not_grow_by_copies(rows):
    """Neither the copies for loops without gradients nor those for empty arrays are made again."""
    x = K.placeholder((None, 5, 4))
    last, _outputs, _states = K.rnn(step, x, [K.zeros_like(x[:, 0])])
    (gradient,) = K.gradients(K.sum(last), [x])
    sizes = []
    for _ in range(4):
        for outputs in [last], [last, gradient]:
            results = K.function([x], outputs)([np.ones((rows, 5, 4))])
            assert (rows, 4) == results[0].shape
        sizes.append(operations())
    assert sizes[1] == sizes[-1]


def test_other_functions_do_not_meet():
    """Another order of inputs, another update, another policy and other ends are other functions."""
    x, y, w = K.placeholder((2,)), K.placeholder((2,)), K.variable([1.0, 2.0])
    difference, one = x - y, [np.ones(2), np.zeros(2)]
    for _ in range(2):
        assert [1, 1] == K.function([x, y], [difference])(one)[0].tolist()
        assert [-1, -1] == K.function([y, x], [difference])(one)[0].tolist()
        assert [1, 1] == K.function([x, y], [difference], fuse=False)(one)[0].tolist()
        assert [] == K.function([x, y], [])(one)
        K.function([x], [], [K.update_add(w, x)])([np.ones(2)])
        K.function([x], [], [(w, w * 2.0)])([np.ones(2)])
    assert [10, 14] == K.get_value(w).tolist()


def test_what_a_session_is_told_is_each_function_s_own():
    """`feed_dict` and `fetches` may change between calls, so nothing is remembered for them."""
    x, y = K.placeholder((2,)), K.placeholder((2,))
    for value in 1.0, 5.0:
        function = K.function([x], [x + y], feed_dict={y: np.full(2, value)})
        assert [value, value] == function([np.zeros(2)])[0].tolist()


def test_arrays_in_updates_are_read_again():
    """An update with an array of NumPy, whose numbers may change, is none of the same tensors."""
    w, array = K.variable([0.0]), np.ones(1)
    for number in 1.0, 7.0:
        array[0] = number
        K.function([], [], [(w, array)])([])
        assert [number] == K.get_value(w).tolist()


def test_errors_name_the_function_that_was_called():
    """A remembered function has a name of its own, and the same inputs."""
    x, y = K.placeholder((2,), name='first_input'), K.placeholder((2,), name='second_input')
    for name in 'one', 'two':
        with pytest.raises(FeedError, match='second_input'):
            K.function([x], [x + y], name=name)([np.ones(2)])
        with pytest.raises(FeedError, match='first_input'):
            K.function([x], [x * 2.0], name=name)([np.ones(3)])


def test_a_cleared_session_remembers_nothing():
    """Functions of before say that they are gone; new ones run."""
    x = K.placeholder((2,))
    functions = [K.function([x], [x * 2.0]), K.function([x], [x + 1.0])]
    functions.append(K.function([x], functions[1].outputs))
    K.clear_session()
    for function in functions:
        with pytest.raises(ClearedSessionError):
            function([np.ones(2)])
    x = K.placeholder((2,))
    assert [2, 2] == K.function([x], [x * 2.0])([np.ones(2)])[0].tolist()


def test_another_session_is_a_run_of_its_own():
    """In the session of the user each remembered function runs there."""
    x, w = K.placeholder((2,)), K.variable([1.0, 1.0])
    total = x + w
    K.function([x], [total])([np.ones(2)])
    with tf.Session(graph=K.get_session().graph).as_default() as session:
        session.run(tf.assign(w, [5.0, 5.0]))
        assert [6, 6] == K.function([x], [total])([np.ones(2)])[0].tolist()
    assert [2, 2] == K.function([x], [total])([np.ones(2)])[0].tolist()

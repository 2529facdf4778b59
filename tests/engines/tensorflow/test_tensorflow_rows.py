"""What an update by the gradient of a lookup runs on TensorFlow. Its numbers are in the conformance tests."""

import threading

import numpy as np
import pytest

tf = pytest.importorskip('tensorflow')
import keras_backend as K  # noqa: E402
from keras_backend.engines.tensorflow_backend.tensors import reachable  # noqa: E402

ROWS, WIDTH = 1000, 4


def sgd(K, w, g):
    return [K.update(w, w - 0.1 * g)]


def in_place(K, w, g):
    return [K.update_sub(w, 0.1 * g)]


def clipped(K, w, g):
    norm = K.sqrt(sum([K.sum(K.square(g))]))
    return [K.update(w, w - 0.1 * K.switch(norm >= 0.5, g * 0.5 / norm, g))]


def keras_sgd(K, w, g):
    momentum, rate = K.variable(0.9), K.variable(0.1)
    m = K.zeros((ROWS, WIDTH))
    v = momentum * m - rate * g
    return [K.update(m, v), K.update(w, w + v)]


def rmsprop(K, w, g):
    a = K.zeros((ROWS, WIDTH))
    new = 0.9 * a + 0.1 * K.square(g)
    return [K.update(a, new), K.update(w, w - 0.01 * g / (K.sqrt(new) + 1e-7))]


def adam(K, w, g):
    m, v = K.zeros((ROWS, WIDTH)), K.zeros((ROWS, WIDTH))
    new_m, new_v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * K.square(g)
    return [K.update(m, new_m), K.update(v, new_v), K.update(w, w - 0.01 * new_m / (K.sqrt(new_v) + 1e-7))]


def table_sized(function):
    """The types of the operations of a function whose results are as large as the table."""
    operations = reachable.Survey([], function._targets, function._fed).operations
    return sorted(op.type for op in operations for t in op.outputs if t.shape == (ROWS, WIDTH))


@pytest.mark.parametrize(
    ('updates', 'passes'),
    [
        (sgd, []),
        (in_place, []),
        (clipped, []),
        (lambda K, w, g: [K.update(w, w - 0.1 * K.clip(g, -0.5, 0.5))], []),
        (keras_sgd, ['AddV2', 'Mul', 'ReadVariableOp', 'ReadVariableOp', 'TensorScatterSub']),
        (rmsprop, ['AddV2', 'Maximum', 'Mul', 'ReadVariableOp', 'Sqrt', 'TensorScatterAdd']),
        (
            adam,
            sorted(
                ['AddV2', 'Mul', 'Mul', 'Mul', 'RealDiv', 'ReadVariableOp', 'ReadVariableOp', 'ReadVariableOp', 'Sqrt']
                + ['Maximum', 'Sub', 'TensorScatterAdd', 'TensorScatterAdd']
            ),
        ),
    ],
)
def test_no_gradient_as_large_as_the_table(updates, passes):
    """What is computed for the whole table is what the formula says of all rows; the gradient is not among it."""
    w, indices = K.variable([[0.5] * WIDTH] * ROWS), K.placeholder((None, 3), dtype='int32')
    g = K.gradients(K.sum(K.square(K.gather(w, indices))), [w])[0]
    step = K.function([indices], [], updates(K, w, g))
    assert table_sized(step) == passes
    step([[[1, 2, 3], [3, 3, 999]]])


def test_the_gradient_itself_is_dense():
    """A program that asks for the gradient gets all of it, and may use it in arithmetic."""
    w, indices = K.variable([[0.5] * WIDTH] * 3), K.placeholder((None,), dtype='int32')
    g = K.gradients(K.sum(K.gather(w, indices)), [w])[0]
    assert K.int_shape(g) == (3, WIDTH)
    assert K.dtype(g) == 'float32'
    values = K.function([indices], [g, g * 2.0 + 1.0, K.sum(K.abs(g))], [K.update(w, w - g)])([[0, 2, 0]])
    assert values[0].tolist() == [[2.0] * WIDTH, [0.0] * WIDTH, [1.0] * WIDTH]
    assert values[1].tolist() == [[5.0] * WIDTH, [1.0] * WIDTH, [3.0] * WIDTH]
    assert values[2] == 12.0
    assert K.get_value(w).tolist() == [[-1.5] * WIDTH, [0.5] * WIDTH, [-0.5] * WIDTH]


@pytest.mark.parametrize('fuse', [False, True])
@pytest.mark.parametrize('wrong', [7, -1])
def test_an_index_out_of_range_changes_no_variable(wrong, fuse):
    """Also where nobody asks for the rows that are looked up, so that nothing else finds the wrong index."""
    w, moved, count = K.variable(np.zeros((4, 2))), K.variable(np.ones((4, 2))), K.variable(0.0)
    indices = K.placeholder((3,), dtype='int32')
    g = K.gradients(K.sum(K.gather(w, indices)), [w])[0]
    updates = [K.update_add(count, 1.0), (w, w - 1.0 * g), (moved, 0.5 * moved - g)]
    step = K.function([indices], [], updates=updates, fuse=fuse)
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match='not'):
            step([[0, 1, wrong]])
    assert K.get_value(count) == 0.0
    assert K.get_value(w).tolist() == [[0.0, 0.0]] * 4
    assert K.get_value(moved).tolist() == [[1.0, 1.0]] * 4


def test_sums_of_any_length_are_updates():
    """They are looked through without recursion, with a lookup at their end and without one."""
    v, w, indices = K.variable([0.0, 0.0]), K.variable([[0.5] * WIDTH] * 3), K.placeholder((None,), dtype='int32')
    g = K.gradients(K.sum(K.gather(w, indices)), [w])[0]
    y, z = v, g
    for _ in range(1500):
        y, z = y + 1.0, z + 0.0
    K.function([indices], [], updates=[(v, y), (w, w - z)])([[0, 2, 0]])
    assert K.get_value(v).tolist() == [1500.0, 1500.0]
    assert K.get_value(w).tolist() == [[-1.5] * WIDTH, [0.5] * WIDTH, [-0.5] * WIDTH]


def test_no_thread_reads_a_half_of_a_step():
    """Each step adds 1 to all rows, so that all rows are alike at any time."""
    count = 100000
    w, indices = K.variable(np.zeros((count, WIDTH))), K.placeholder((count,), dtype='int32')
    g = K.gradients(K.sum(K.gather(w, indices)), [w])[0]
    step, read = K.function([indices], [], updates=[(w, w + 1.0 * g)]), K.function([], [w])
    every, found, over = np.arange(count), [], []
    step([every])

    def watch():
        while not over:
            value = read([])[0]
            found.append(value.min() == value.max())

    thread = threading.Thread(target=watch)
    thread.start()
    for _ in range(60):
        step([every])
    over.append(True)
    thread.join()
    assert all(found)
    assert (K.get_value(w) == 61.0).all()

"""What K costs inside of Keras 3: on TensorFlow and JAX operations are counted, on PyTorch values are compared.

`benchmarks/keras3_layers.py` measures times.
"""

import importlib.util
import os
import sys
from collections import Counter

import keras
import numpy as np
import pytest
from keras import ops

import keras_backend.keras3 as K
from keras_backend.engines.keras3_backend.engine import engine

BACKEND = keras.backend.backend()
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'benchmarks')


def benchmark():
    """The benchmark as a module."""
    sys.path.insert(0, FOLDER)
    try:
        spec = importlib.util.spec_from_file_location('keras3_layers', os.path.join(FOLDER, 'keras3_layers.py'))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(FOLDER)


# K.sqrt is 0 below 0, and so is its gradient. TensorFlow needs these operations for that, and one Maximum.
SQRT = Counter(Less=1, SelectV2=2)
FREE = ('Const', 'Placeholder', 'NoOp', 'Identity', 'ReadVariableOp')


def counted_by_jax(function, arrays):
    """The operations of a function that JAX traces, by their names."""
    import jax

    found = Counter()

    def count(jaxpr):
        for equation in jaxpr.eqns:
            held = [v for value in equation.params.values() for v in (value if isinstance(value, tuple) else (value,))]
            inner = [getattr(v, 'jaxpr', v) for v in held if hasattr(v, 'eqns') or hasattr(v, 'jaxpr')]
            if not inner:
                found[equation.primitive.name] += 1
            for each in inner:
                count(each)

    count(jax.make_jaxpr(function)(*arrays).jaxpr)
    return found


def counted_by_tensorflow(function, arrays):
    """The operations of a function that TensorFlow traces, by their names."""
    import tensorflow as tf

    specs = [tf.TensorSpec((None, *a.shape[1:]), 'float32') for a in arrays]
    graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph.as_graph_def()
    nodes = [*graph.node, *[node for each in graph.library.function for node in each.node_def]]
    return Counter(node.op for node in nodes if node.op not in FREE)


# K.rnn runs the first step before the loop, so its operations are there twice.
TITLES = ['attention', 'convolution', 'layer normalization', 'element-wise', 'focal loss', 'small loss']


@pytest.mark.skipif(BACKEND == 'torch', reason='PyTorch makes no graph')
@pytest.mark.parametrize('title', TITLES)
def test_k_makes_no_more_operations_than_keras_ops(title):
    if (title, BACKEND) == ('convolution', 'tensorflow'):
        pytest.skip('K adds operations on sizes there, because kernels of TensorFlow fail for batches without rows')
    layers, losses = benchmark().PAIRS[title]
    counted = counted_by_jax if BACKEND == 'jax' else counted_by_tensorflow
    found = []
    for layer, loss in zip(layers, losses):
        x = np.linspace(0.1, 0.9, 4 * int(np.prod(layer.size)), dtype='float32').reshape(4, *layer.size)
        made = layer()
        y = ops.convert_to_numpy(made(ops.convert_to_tensor(x)))
        if layers[0] is layers[1]:
            found.append(counted(lambda t, p, loss=loss: loss(t, p), [y, y]))
        else:
            found.append(counted(lambda x, made=made: made(x), [x]))
    more = found[0] - found[1]
    if (title, BACKEND) == ('layer normalization', 'tensorflow'):
        more -= SQRT
    assert sum(more.values()) - sum((found[1] - found[0]).values()) <= 1, more


@pytest.mark.skipif(BACKEND != 'tensorflow', reason='TensorFlow has the body of a loop as a graph of its own')
def test_a_step_of_k_rnn_has_the_operations_of_one_of_keras():
    """There and back. For the way back K keeps the number of the step, by which it has written the output."""
    import tensorflow as tf

    found = []
    for layer in benchmark().PAIRS['LSTM by K.rnn'][0]:
        made = layer()
        made.build((None, *layer.size))

        def train(x, made=made):
            with tf.GradientTape() as tape:
                y = ops.mean(ops.square(made(x)))
            return tape.gradient(y, [v.value for v in made.trainable_variables])

        spec = tf.TensorSpec((None, *layer.size), 'float32')
        graph = tf.function(train, autograph=False).get_concrete_function(spec).graph.as_graph_def()
        bodies = [each for each in graph.library.function if '_body_' in each.signature.name]
        found.append(Counter(node.op for each in bodies for node in each.node_def if node.op not in FREE))
    assert sum(found[1].values()) > 40
    assert found[0] - found[1] == Counter(TensorListPushBack=1, TensorListPopBack=1)


@pytest.mark.skipif(BACKEND != 'torch', reason='of PyTorch')
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16', 'int32'])
def test_numbers_beside_tensors_of_torch_are_exact(dtype):
    """A number beside a tensor is that number, whatever number was there before: 0.0 and -0.0, 1 and 1.0, 1e400."""
    x = K.constant([1.0, 2.0], dtype=dtype)
    numbers = [0.0, -0.0, 0, 1, 1.0, 3, -2.5, float('inf')]
    for number in numbers if 'float' in dtype else [0, 1, 3]:
        with np.errstate(all='ignore'):
            truth = np.array([1.0, 2.0], dtype) * np.array(number, dtype)
        found = ops.convert_to_numpy(engine.binary('mul', x, number))
        np.testing.assert_array_equal(found, truth)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(truth))


@pytest.mark.skipif(BACKEND != 'torch', reason='of PyTorch')
def test_functions_of_torch_keep_the_gradients_of_k():
    """sqrt has the gradient 0 below 0 and inf at 0; that of max is shared among equal elements."""
    import torch

    x = torch.tensor([-1.0, 0.0, 4.0, 4.0], requires_grad=True)
    (found,) = torch.autograd.grad(K.sum(K.sqrt(x)), x)
    np.testing.assert_array_equal(found, [0, np.inf, 0.25, 0.25])
    (found,) = torch.autograd.grad(K.max(x), x)
    np.testing.assert_array_equal(found, [0, 0, 0.5, 0.5])


@pytest.mark.skipif(BACKEND != 'torch', reason='of PyTorch')
def test_small_integers_and_halves_go_the_general_way_on_torch():
    """What PyTorch's own functions would do otherwise is left to Keras: the dtype stays, and sums do not overflow."""
    assert K.dtype(K.square(K.constant([100, 27], dtype='int8'))) == 'int8'
    halves = K.constant(np.full(4, 60000.0), dtype='float16')
    assert float(K.get_value(K.mean(halves))) == float(np.float16(60000))

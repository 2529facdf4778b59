"""Layers written from papers with K alone, on this engine: values, gradients and training beside plain NumPy, and the
same numbers as on the NumPy engine in the same process."""

import ast
import importlib
import io
import os
import re
import sys

import layer_truths
import numpy as np
import pytest
from checkout import ROOT

import keras_backend as K
from keras_backend.comparison import on
from keras_backend.conformance._check import close

FOLDER = os.path.join(ROOT, 'examples', 'layers')
STEPS = 4


# -- models: (weights, inputs, outputs, loss) of one layer; `layers` is its module, K its engine -----------------------


def squared(K, y):
    return K.mean(K.square(y - 0.3))


def attention(layers, K):
    x, mask = K.placeholder((None, None, 3)), K.placeholder((None, None))
    layer = layers.MultiHeadAttention(3, heads=2, size=2)
    y = layer(x, mask)
    return layer.weights, [x, mask], [y], squared(K, y)


def capsules(layers, K):
    u, present = K.placeholder((None, 4, 2)), K.placeholder((None, 2))
    layer = layers.Capsules(4, 2, capsules=2, size=3)
    v = layer(u)
    return layer.weights, [u, present], [v], K.mean(layers.margin_loss(present, v))


def crf(layers, K):
    tags, scores, mask = K.placeholder((None, None, 3)), K.placeholder((None, None, 3)), K.placeholder((None, None))
    layer = layers.CRF(3)
    cost = layer(tags, scores, mask)
    return layer.weights, [tags, scores, mask], [cost], K.mean(cost)


def ctc(layers, K):
    inputs = [
        K.placeholder((None, 2), dtype='int32'),
        K.placeholder((None, None, 3)),
        K.placeholder((None, 1), dtype='int32'),
        K.placeholder((None, 1), dtype='int32'),
    ]
    layer = layers.CTC(3, classes=2)
    cost = layer.loss(*inputs)
    return layer.weights, inputs, [cost], K.mean(cost)


def focal(layers, K):
    x, target, classes = K.placeholder((None, 3)), K.placeholder((None, 2)), K.placeholder((None,), dtype='int32')
    weights = [K.variable(np.random.normal(size=(3, n))) for n in (2, 4)]
    binary = layers.binary_focal_loss(target, K.sigmoid(K.dot(x, weights[0])))
    several = layers.categorical_focal_loss(classes, K.softmax(K.dot(x, weights[1])))
    return weights, [x, target, classes], [binary, several], K.mean(binary) + K.mean(several)


def gradient_penalty(layers, K):
    real, fake, place = K.placeholder((None, 3)), K.placeholder((None, 3)), K.placeholder((None, 1))
    critic = layers.Critic(3, hidden=4)
    penalty = layers.gradient_penalty(critic, place * real + (1.0 - place) * fake)
    return critic.weights, [real, fake, place], [penalty], layers.critic_loss(critic, real, fake, place)


def instance_norm(layers, K):
    x = K.placeholder((None, None, None, 3))
    layer = layers.InstanceNormalization(3)
    y = layer(x)
    return layer.weights, [x], [y], squared(K, y)


def weight_norm(layers, K):
    x = K.placeholder((None, 3))
    layer = layers.WeightNormDense(3, 2)
    y = layer(x)
    return layer.weights, [x], [y], squared(K, y)


def masked_pooling(layers, K):
    x, mask = K.placeholder((None, None, 3)), K.placeholder((None, None))
    layer = layers.AttentivePooling(3, hidden=4, rows=2)
    y = layer(x, mask)
    return layer.weights, [x, mask], [layers.masked_mean(x, mask), layers.masked_max(x, mask), y], squared(K, y)


def ordered_neurons(layers, K):
    x, mask = K.placeholder((None, None, 2)), K.placeholder((None, None))
    layer = layers.OrderedNeuronsLSTM(2, 4, chunk=2)
    y = layer(x, mask)
    return layer.weights, [x, mask], [y], squared(K, y)


def phased_lstm(layers, K):
    x, times = K.placeholder((None, None, 2)), K.placeholder((None, None, 1))
    layer = layers.PhasedLSTM(2, 3)
    y = layer(x, times)
    return layer.weights, [x, times], [y], squared(K, y)


MASK = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]])


def data(name):
    """What is fed to a model, in float64 and int32."""
    random = np.random.RandomState(5)

    def normal(*shape):
        return random.normal(size=shape)

    return {
        'attention': lambda: [normal(3, 4, 3), MASK],
        'capsules': lambda: [normal(3, 4, 2), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])],
        'crf': lambda: [np.eye(3)[random.randint(0, 3, (3, 4))], normal(3, 4, 3), MASK],
        'ctc': lambda: [
            np.array([[0, 1], [1, 1], [1, 0]], 'int32'),
            normal(3, 4, 3),
            np.array([[4], [3], [4]], 'int32'),
            np.array([[2], [2], [1]], 'int32'),
        ],
        'focal': lambda: [normal(5, 3), random.randint(0, 2, (5, 2)) * 1.0, np.array([0, 3, 1, 2, 3], 'int32')],
        'gradient_penalty': lambda: [normal(4, 3), normal(4, 3), random.uniform(size=(4, 1))],
        'instance_norm': lambda: [normal(2, 3, 4, 3)],
        'weight_norm': lambda: [normal(5, 3)],
        'masked_pooling': lambda: [normal(3, 4, 3), MASK],
        'ordered_neurons': lambda: [normal(3, 4, 2), MASK],
        'phased_lstm': lambda: [normal(2, 5, 2), np.cumsum(random.uniform(0.1, 1.5, (2, 5, 1)), axis=1)],
    }[name]()


MODELS = [
    attention,
    capsules,
    crf,
    ctc,
    focal,
    gradient_penalty,
    instance_norm,
    weight_norm,
    masked_pooling,
    ordered_neurons,
    phased_lstm,
]
every_model = pytest.mark.parametrize('model', MODELS, ids=[model.__name__ for model in MODELS])


@pytest.fixture
def module(monkeypatch):
    """Imports a module of examples/layers."""
    monkeypatch.syspath_prepend(os.path.dirname(FOLDER))
    yield lambda name: importlib.import_module('layers.' + name)
    for name in [name for name in sys.modules if name.partition('.')[0] == 'layers']:
        del sys.modules[name]


def rate(model):
    return 0.02 if model is gradient_penalty else 0.2  # its loss is steep


def trained(model, layers, K):
    """The weights, and a function that gives outputs, loss and gradients and takes a step of gradient descent."""
    weights, inputs, outputs, loss = model(layers, K)
    random = np.random.RandomState(3)
    for w in weights:  # away from zeros and ones, where a wrong sign or factor would not show
        K.set_value(w, K.get_value(w) + random.uniform(0.01, 0.2, K.int_shape(w)))
    gradients = K.gradients(loss, weights)
    updates = [K.update_sub(w, rate(model) * g) for w, g in zip(weights, gradients)]
    return weights, K.function(inputs, outputs + [loss] + gradients, updates=updates)


def slopes(truth, weights, step=1e-5):
    """The gradients of a truth's loss by central differences."""
    found = [np.zeros_like(w) for w in weights]
    for w, slope in zip(weights, found):
        for i in np.ndindex(*w.shape):
            before = w[i]
            losses = []
            for w[i] in (before + step, before - step):
                losses.append(truth(weights)[1])
            w[i] = before
            slope[i] = (losses[0] - losses[1]) / (2 * step)
    return found


@every_model
def test_beside_plain_numpy(model, module):
    """In float64, outputs, loss, gradients and a training by gradient descent are those of the formula in NumPy."""
    K.set_floatx('float64')
    np.random.seed(11)
    feeds = data(model.__name__)
    weights, step = trained(model, module(model.__name__), K)
    mine = K.batch_get_value(weights)

    def truth(weights):
        return getattr(layer_truths, model.__name__)(weights, *feeds)

    losses = []
    for n in range(STEPS):
        expected, loss = truth(mine)
        expected = expected if isinstance(expected, list) else [expected]
        found = step(feeds)
        for value, wanted in zip(found, expected + [loss]):
            close(value, wanted, tolerance=1e-10 if n == 0 else 1e-6, what=f'step {n}')
        derived = slopes(truth, mine)
        for value, slope in zip(found[len(expected) + 1 :], derived):
            close(value, slope, tolerance=1e-6, what=f'gradient in step {n}')
        mine = [w - rate(model) * slope for w, slope in zip(mine, derived)]
        losses.append(float(found[len(expected)]))
    assert losses[-1] < losses[0]


@pytest.mark.skipif(K.backend() == 'numpy', reason='the NumPy engine is the other one')
@every_model
def test_beside_the_numpy_engine(model, module):
    """Outputs, losses and gradients of a training in float32 are those of the NumPy engine, to rounding."""
    np.random.seed(12)
    layers = module(model.__name__)
    feeds = [a.astype('float32') if a.dtype.kind == 'f' else a for a in data(model.__name__)]
    out = io.StringIO()
    # Each step rounds, and gradients feed back: twice the rounding of one result.
    result = K.compare(
        lambda K: trained(model, on(K, layers), K)[1], feeds, ['numpy', K.backend()], steps=STEPS, rtol=2e-5, file=out
    )
    assert result, out.getvalue()
    assert all(values for values in result.values.values())


# -- what else they promise --------------------------------------------------------------------------------------------


def test_masked_steps_do_not_count(module):
    """Attention and poolings give the same whatever stands where the mask is 0."""
    x, mask = data('attention')
    other = np.where(MASK[:, :, None] == 1, x, 50.0)
    p, m = K.placeholder((None, None, 3)), K.placeholder((None, None))
    pooling = module('masked_pooling')
    attended = module('attention').MultiHeadAttention(3, heads=2, size=2)(p, m) * K.expand_dims(m)
    attentive = pooling.AttentivePooling(3, hidden=4, rows=2)(p, m)
    run = K.function([p, m], [attended, attentive, pooling.masked_mean(p, m), pooling.masked_max(p, m)])
    for one, two in zip(run([x, mask]), run([other, mask])):
        close(one, two)
    attended_by_all = module('attention').MultiHeadAttention(3, heads=2, size=2)(p)
    assert K.function([p], [attended_by_all])([x])[0].shape == x.shape


def test_data_dependent_beginning(module):
    """After `begin`, the outputs of a weight-normalised layer have mean 0 and variance 1 over the batch."""
    x = np.random.RandomState(2).normal(2.0, 3.0, (64, 5))
    layer = module('weight_norm').WeightNormDense(5, 3)
    layer.begin(x)
    p = K.placeholder((None, 5))
    y = K.function([p], [layer(p)])([x])[0]
    np.testing.assert_allclose(y.mean(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(y.std(axis=0), 1.0, rtol=1e-5)


def test_ctc_reads_what_it_learned(module):
    """Trained on one labelling, the layer reads it back."""
    layers = module('ctc')
    layer = layers.CTC(4, classes=2)
    frames = np.eye(4, dtype='float32')[None]
    inputs = [
        K.placeholder((None, 2), dtype='int32'),
        K.placeholder((None, None, 4)),
        K.placeholder((None, 1), dtype='int32'),
        K.placeholder((None, 1), dtype='int32'),
    ]
    loss = K.mean(layer.loss(*inputs))
    step = K.function(
        inputs, [loss], updates=[K.update_sub(w, g) for w, g in zip(layer.weights, K.gradients(loss, layer.weights))]
    )
    feeds = [np.array([[1, 0]], 'int32'), frames, np.array([[4]], 'int32'), np.array([[2]], 'int32')]
    losses = [float(step(feeds)[0]) for _ in range(30)]
    assert losses[-1] < 0.3 < losses[0]
    assert [[1, 0]] == K.function([inputs[1], inputs[2]], [layer.read(inputs[1], inputs[2])])([frames, feeds[2]])[
        0
    ].tolist()


def test_channels_first(module):
    """Instance normalisation takes either data format."""
    x = data('instance_norm')[0]
    p = K.placeholder((None, 3, None, None))
    layer = module('instance_norm').InstanceNormalization(3, 'channels_first')
    y = K.function([p], [layer(p)])([x.transpose(0, 3, 1, 2)])[0]
    close(y.transpose(0, 2, 3, 1), layer_truths.instance_norm([np.ones(3), np.zeros(3)], x)[0])


@pytest.mark.parametrize('name', sorted(name for name in os.listdir(FOLDER) if name.endswith('.py')))
def test_written_in_k_alone(name):
    """The layers import NumPy, K and each other, and name their papers."""
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        text = file.read()
    tree = ast.parse(text)
    imported = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    assert {'numpy', 'keras_backend'} >= set(imported)
    assert all(node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    assert name == '__init__.py' or re.search(r'\(20\d\d\), "|[a-z] 20\d\d, "', text)

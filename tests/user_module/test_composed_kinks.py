"""Gradients of the composed forms where finite differences say nothing: at kinks, ties and impossible labels."""

import numpy as np
import pytest
import scipy.special

from .eager_k import RNG
from .graph_k import namespace

pytestmark = pytest.mark.usefixtures('double')

AT_ZERO = {
    'abs': (lambda K, x: K.abs(x), 0.0),
    'sign': (lambda K, x: K.sign(x), 0.0),
    'sigmoid': (lambda K, x: K.sigmoid(x), 0.25),
    'tanh': (lambda K, x: K.tanh(x), 1.0),
    'softplus': (lambda K, x: K.softplus(x), 0.5),
    'softsign': (lambda K, x: K.softsign(x), 1.0),
    'sqrt': (lambda K, x: K.sqrt(x), np.inf),
    'relu': (lambda K, x: K.relu(x), 0.0),
    'leaky relu': (lambda K, x: K.relu(x, 0.3), 0.3),
    'steep relu': (lambda K, x: K.relu(x, 3.0), 3.0),
    'falling relu': (lambda K, x: K.relu(x, -0.5), -0.5),
    'relu at its threshold': (lambda K, x: K.relu(x + 1.0, threshold=1.0), 0.0),
    'relu at its cap': (lambda K, x: K.relu(x + 1.0, max_value=1.0), 1.0),
    'elu': (lambda K, x: K.elu(x, 2.0), 2.0),
    'clip': (lambda K, x: K.clip(x, 0.0, 1.0), 1.0),
    'binary_crossentropy': (lambda K, x: K.binary_crossentropy(x * 0.0 + 0.2, x, from_logits=True), 0.3),
    'l2_normalize': (lambda K, x: K.l2_normalize(x), 1e6),
}


@pytest.mark.parametrize('name', sorted(AT_ZERO))
def test_gradient_at_zero(name):
    """At 0 the gradients are those of the written semantics."""
    call, truth = AT_ZERO[name]
    K = namespace('tiny', name)
    x = K.placeholder((1,))
    gradient = K.gradients(K.sum(call(K, x)), [x])[0]
    value = 0.0 if gradient is None else K.function([x], [gradient])([[0.0]])[0][0]
    np.testing.assert_allclose(value, truth, rtol=1e-9)


def test_below_zero_the_square_root_is_flat():
    """sqrt of a negative number is 0, and so is its gradient."""
    K = namespace('tiny', 'sqrt')
    x = K.placeholder((2,))
    y = K.sqrt(x)
    value, gradient = K.function([x], [y, K.gradients(K.sum(y), [x])[0]])([[-4.0, 4.0]])
    assert [0.0, 2.0] == value.tolist()
    assert [0.0, 0.25] == gradient.tolist()


@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_max_pooling_passes_its_gradient_to_the_first_of_equals(padding):
    """With many ties the composed pooling still has the gradient of a loop over windows."""
    K = namespace('tiny', 'pool2d')
    x = K.placeholder((1, 7, 6, 1))
    y = K.pool2d(x, (3, 2), (2, 1), padding)
    weights = RNG.normal(size=K.int_shape(y))
    found = K.function([x], [K.gradients(K.sum(y * K.constant(weights)), [x])[0]])
    value = RNG.randint(0, 3, size=(1, 7, 6, 1)).astype('float64')
    truth = np.zeros((7, 6))
    before = (1, 0) if padding == 'same' else (0, 0)
    for i, j in np.ndindex(*weights.shape[1:3]):
        rows = [r for r in range(2 * i - before[0], 2 * i - before[0] + 3) if 0 <= r < 7]
        columns = [c for c in range(j - before[1], j - before[1] + 2) if 0 <= c < 6]
        places = [(r, c) for r in rows for c in columns]
        truth[max(places, key=lambda place: value[0, place[0], place[1], 0])] += weights[0, i, j, 0]
    np.testing.assert_allclose(found([value])[0][0, :, :, 0], truth)


def test_gradient_of_ctc_for_labels_that_cannot_be():
    """A label that cannot fit, or holds no class, costs inf with gradient 0, and does not disturb its neighbours."""
    K = namespace('whole', 'ctc_batch_cost')
    labels = np.array([[0, 0], [0, 1], [-1, 0], [2, 0], [0, 1]])
    lengths, characters = np.array([[2], [1], [2], [2], [2]]), np.array([[2], [2], [1], [2], [2]])
    p = scipy.special.softmax(RNG.normal(size=(5, 2, 3)), axis=2)
    y = K.placeholder((None, None, 3))
    cost = K.ctc_batch_cost(K.constant(labels, 'int32'), y, K.constant(lengths), K.constant(characters))
    value, gradient = K.function([y], [cost, K.gradients(K.sum(cost), [y])[0]])([p])
    assert [np.inf] * 4 == value[:4, 0].tolist()
    assert np.all(gradient[:4] == 0.0)
    np.testing.assert_allclose(value[4, 0], -np.log(p[4, 0, 0] * p[4, 1, 1]), rtol=1e-5)
    assert np.all(np.isfinite(gradient[4]))
    assert np.any(gradient[4] != 0.0)


def test_gradient_of_ctc_with_zeros_among_the_probabilities():
    """Certain predictions, right or wrong, leave no NaN."""
    K = namespace('whole', 'ctc_batch_cost')
    y = K.placeholder((2, 3, 3))
    cost = K.ctc_batch_cost(K.constant([[0], [1]], 'int32'), y, K.constant([[3], [3]]), K.constant([[1], [1]]))
    p = np.eye(3)[np.array([[0, 2, 2], [0, 0, 0]])]
    value, gradient = K.function([y], [cost, K.gradients(K.sum(cost), [y])[0]])([p])
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(gradient))
    assert value[0, 0] < 1e-5 < 10.0 < value[1, 0]

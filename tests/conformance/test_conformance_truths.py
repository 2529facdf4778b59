"""The truths of the conformance tests against other truths: scipy, closed forms, other algorithms."""

from itertools import product

import numpy as np
import pytest

from keras_backend.conformance import truth

signal = pytest.importorskip('scipy.signal')
special = pytest.importorskip('scipy.special')
RNG = np.random.RandomState(1)


@pytest.mark.parametrize('rank', [1, 2, 3])
def test_convolution(rank):
    """Valid convolutions of stride 1 are scipy's correlation."""
    x, kernel = RNG.randn(2, *(5, 4, 6)[:rank], 2), RNG.randn(*(2, 3, 1)[:rank], 2, 3)
    y = truth.conv(x, kernel)
    for b, o in product(range(2), range(3)):
        expected = sum(signal.correlate(x[b, ..., c], kernel[..., c, o], mode='valid') for c in range(2))
        np.testing.assert_allclose(y[b, ..., o], expected)


@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_transposed_convolution_is_the_adjoint(padding):
    """<conv(x), y> = <x, transposed(y)>, with strides and dilation."""
    x, kernel = RNG.randn(2, 9, 8, 2), RNG.randn(3, 2, 2, 3)
    y = truth.conv(x, kernel, (2, 3), padding, (2, 1))
    z = RNG.randn(*y.shape)
    np.testing.assert_allclose((y * z).sum(), (x * truth.transposed(z, kernel, x.shape, (2, 3), padding, (2, 1))).sum())


def test_dilation_is_a_kernel_with_holes():
    """A dilated convolution is one with a kernel full of zeros."""
    x, kernel = RNG.randn(1, 9, 2), RNG.randn(3, 2, 2)
    holes = np.zeros((5, 2, 2))
    holes[::2] = kernel
    for padding in ('valid', 'same', 'causal'):
        np.testing.assert_allclose(truth.conv(x, kernel, 1, padding, 2), truth.conv(x, holes, 1, padding))


def test_depthwise_is_a_convolution_by_channel():
    """Each channel is convolved alone; the multiplier runs fastest."""
    x, kernel = RNG.randn(1, 5, 4, 3), RNG.randn(2, 2, 3, 2)
    y = truth.depthwise(x, kernel, (2, 1), 'same')
    for c in range(3):
        np.testing.assert_allclose(
            y[..., 2 * c : 2 * c + 2], truth.conv(x[..., c : c + 1], kernel[:, :, c : c + 1], (2, 1), 'same')
        )


def test_same_padding_sizes():
    """The smaller half of the zeros comes first."""
    assert truth.geometry(5, 2, 1, 1, 'same') == (5, 0, 1)
    assert truth.geometry(6, 3, 2, 1, 'same') == (3, 0, 1)
    assert truth.geometry(5, 4, 1, 1, 'same') == (5, 1, 2)
    assert truth.geometry(7, 2, 1, 3, 'causal') == (7, 3, 0)


def test_local_with_equal_weights_is_a_convolution():
    """A local convolution whose places share one kernel is a convolution, in both formats."""
    x, kernel = RNG.randn(2, 4, 5, 3), RNG.randn(2, 3, 3, 2)
    y = truth.conv(x, kernel, (2, 1))
    places = y.shape[1] * y.shape[2]
    last = np.tile(kernel.reshape(-1, 2), (places, 1, 1))
    first = np.tile(np.moveaxis(kernel, 2, 0).reshape(-1, 2), (places, 1, 1))
    np.testing.assert_allclose(truth.local(x, last, (2, 3), (2, 1), 'channels_last'), y)
    np.testing.assert_allclose(
        truth.local(np.moveaxis(x, -1, 1), first, (2, 3), (2, 1), 'channels_first'), np.moveaxis(y, -1, 1)
    )


def test_ctc_enumeration_is_the_forward_recursion():
    """Summing paths one by one gives what the forward variables of Graves et al. give."""
    y = RNG.dirichlet([1.0] * 3, size=(1, 5))
    p = truth.normalised(y)[0]
    for label in [(0,), (0, 1), (0, 0), (1, 0, 1), ()]:
        extended = [2] + [c for each in label for c in (each, 2)]
        alpha = np.zeros(len(extended))
        alpha[:2] = p[0, extended[:2]]
        for t in range(1, 5):
            alpha = np.array(
                [
                    (
                        alpha[s]
                        + (alpha[s - 1] if s else 0)
                        + (alpha[s - 2] if s > 1 and extended[s] != 2 and extended[s] != extended[s - 2] else 0)
                    )
                    * p[t, extended[s]]
                    for s in range(len(extended))
                ]
            )
        assert truth.labellings(y[0], 5)[label] == pytest.approx(alpha[-2:].sum())
    assert sum(truth.labellings(y[0], 5).values()) == pytest.approx(1.0)


def test_losses():
    """Cross-entropies of logits are scipy's log-softmax; of one-hot targets, the sparse and the dense one agree."""
    x, target = RNG.randn(4, 3) * 3, np.array([0, 2, 1, 1])
    expected = -(x - special.logsumexp(x, axis=1, keepdims=True))[np.arange(4), target]
    np.testing.assert_allclose(truth.sparse(target, x, from_logits=True), expected)
    np.testing.assert_allclose(truth.categorical(np.eye(3)[target], x, from_logits=True), expected)
    np.testing.assert_allclose(truth.sparse(target, truth.softmax(x)), expected)
    np.testing.assert_allclose(truth.sparse(target, x.T, True, axis=0), expected)
    z = (x > 0).astype(float)
    np.testing.assert_allclose(truth.binary(z, x, from_logits=True), -np.log(special.expit(np.where(z, x, -x))))
    np.testing.assert_allclose(truth.binary(z, special.expit(x)), truth.binary(z, x, True), atol=1e-6)


def test_elementwise():
    """The activations are scipy's."""
    x = RNG.randn(50) * 5
    np.testing.assert_allclose(truth.sigmoid(x), special.expit(x), atol=1e-15)
    np.testing.assert_allclose(truth.softplus(x), -np.log(special.expit(-x)), atol=1e-12)
    for name, (arguments, results) in truth.EDGES.items():
        assert len(arguments) == len(results), name


def test_rnn_of_a_cumulative_sum():
    """Adding up inputs is a cumulative sum, in both directions, frozen by a mask."""
    x = RNG.randn(2, 4, 3)

    def step(e, states):
        return states[0] + e, [states[0] + e]

    zero = np.zeros((2, 3))
    last, outputs, _states = truth.rnn(step, x, [zero])
    np.testing.assert_allclose(outputs, x.cumsum(1))
    np.testing.assert_allclose(last, x.sum(1))
    np.testing.assert_allclose(truth.rnn(step, x, [zero], go_backwards=True)[1], x[:, ::-1].cumsum(1))
    mask = np.array([[1, 0, 1, 0], [0, 1, 1, 1]])
    np.testing.assert_allclose(truth.rnn(step, x, [zero], mask=mask)[1], (x * mask[..., None]).cumsum(1))
    swapped = truth.rnn(step, x.swapaxes(0, 1), [zero], mask=mask.T, time_major=True)
    np.testing.assert_allclose(swapped[1].swapaxes(0, 1), (x * mask[..., None]).cumsum(1))


def test_truth_of_batch_dot():
    """Sample by sample products are an einsum."""
    x, y = RNG.randn(3, 2, 4), RNG.randn(3, 4, 5)
    np.testing.assert_allclose(truth.batch_dot(x, y), np.einsum('bij,bjk->bik', x, y))
    np.testing.assert_allclose(
        truth.batch_dot(x[:, 0], y[:, :, 0], 1), np.einsum('bi,bi->b', x[:, 0], y[:, :, 0])[:, None]
    )


def test_truth_of_mixed_dtypes():
    """The table of mixed dtypes is symmetric and has the examples of the document."""
    for a, b in truth.PAIRS:
        assert truth.promote(a, b) == truth.promote(b, a)
    assert truth.promote('float16', 'int64') == 'float16'
    assert truth.promote('bool', 'int32') == 'int32'
    assert truth.arithmetic('bool', 'bool') == 'int32'
    assert truth.division('int64', 'int32') == 'float32'

"""Connectionist temporal classification, composed, on an eager K: all sizes known, and most of them hidden."""

import numpy as np
import pytest
import scipy.special

from keras_backend.conformance.truth import batch_cost

from .eager_k import RNG, close, make, tensor


@pytest.mark.parametrize('dtype', ['float64', 'float32', 'float16'])
def test_ctc_batch_cost(dtype):
    """The loss is the enumerated sum over paths: repeats, empty labels, short inputs and padding included."""
    K = make()
    labels = np.array([[0, 1, 0], [1, 1, -1], [2, 0, 7], [0, 0, 0], [0, 0, 1], [1, 2, 0]])
    label_length, input_length = [3, 2, 1, 0, 3, 3], [4, 4, 3, 4, 3, 2]
    p = scipy.special.softmax(RNG.normal(size=(6, 4, 4)), axis=2).astype(dtype)
    truth = batch_cost(labels, p, input_length, label_length)
    assert np.isinf(truth[4])
    assert np.isinf(truth[5])
    for kind in ('int32', 'int64', 'float32'):
        lengths = [tensor(np.reshape(value, (6, 1)), kind) for value in (input_length, label_length)]
        got = K.ctc_batch_cost(tensor(labels, kind), tensor(p), *lengths)
        assert dtype == K.dtype(got)
        close(truth, got, {'float64': 1e-10, 'float32': 1e-5, 'float16': 2e-3}[dtype])
    flat = K.ctc_batch_cost(tensor(labels), tensor(p), tensor(input_length), tensor(label_length))
    close(truth, flat, {'float64': 1e-10, 'float32': 1e-5, 'float16': 2e-3}[dtype])


def test_ctc_of_empty_and_impossible_labels():
    """Without characters the path is all blank, be it that a blank ends the label; a negative character costs inf."""
    K = make()
    p = scipy.special.softmax(RNG.normal(size=(2, 3, 3)), axis=2)
    one = tensor([[3], [3]])
    truth = batch_cost(np.zeros((2, 0)), p, [3, 3], [0, 0])
    close(truth, K.ctc_batch_cost(tensor(np.zeros((2, 0))), tensor(p), one, one * 0))
    blanks = K.ctc_batch_cost(tensor([[3], [2]]), tensor(p), one, one * 0 + 1)
    close(truth, blanks)
    assert [[np.inf], [np.inf]] == K.ctc_batch_cost(tensor([[-2], [-1]]), tensor(p), one, one * 0 + 1).tolist()


def test_ctc_with_unknown_dimensions():
    """Samples, labels and classes may be unknown where a loop over time is not the composite's own."""
    K = make(2, rnn=lambda *args, **kwargs: make().rnn(*args, **kwargs))
    labels, p = np.array([[0, 1], [1, 1]]), scipy.special.softmax(RNG.normal(size=(2, 4, 3)), axis=2)
    got = K.ctc_batch_cost(tensor(labels), tensor(p), tensor([[4], [4]]), tensor([[2], [1]]))
    close(batch_cost(labels, p, [4, 4], [2, 1]), got, 1e-10)

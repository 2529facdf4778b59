"""Labels that are no classes: what every engine says of them, for the tests of each."""

import numpy as np
import pytest

SCORES = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.5, 0.25, 0.25]], 'float32')
OVER_TIME = np.full((2, 2, 3), 1 / 3.0, 'float32')
SAID = r'label {} in row {} of target.* is no class of output; possible are 0 to 2'


def check_fed_labels(K, from_logits):
    """Fed labels, as numbers of any dtype: the error names label, row and range, and the next call is right."""
    for dtype in ('int32', 'int64', 'uint8', 'float32'):
        target, output = K.placeholder((None,), dtype=dtype), K.placeholder((None, 3))
        cost = K.sparse_categorical_crossentropy(target, output, from_logits=from_logits)
        function = K.function([target, output], [cost])
        for wrong in (3, 100) if dtype == 'uint8' else (3, -1, 100):
            with pytest.raises(IndexError, match=SAID.format(wrong, 1)):
                function([[0, wrong, 2], SCORES])
        scores = SCORES if not from_logits else np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True)
        np.testing.assert_allclose(function([[0, 1, 2], SCORES])[0], -np.log(scores[range(3), range(3)]), rtol=1e-5)


def check_computed_labels(K):
    """Labels that only the run knows, and sequences of them, whose place is said."""
    target, output = K.placeholder((None,), dtype='int32'), K.placeholder((None, 3))
    function = K.function([target, output], [K.sparse_categorical_crossentropy(target + 1, output)])
    with pytest.raises(IndexError, match=SAID.format(3, 2)):
        function([[0, 1, 2], SCORES])
    steps, outputs = K.placeholder((None, 2, 1)), K.placeholder((None, 2, 3))
    function = K.function([steps, outputs], [K.sparse_categorical_crossentropy(steps, outputs)])
    with pytest.raises(IndexError, match=r'label 255 in row 1 of target, at \[1, 0, 0\], is no class'):
        function([[[[0], [1]], [[255], [2]]], OVER_TIME])


def check_updates_wait(K):
    """A step with a wrong label changes no variable."""
    target, output = K.placeholder((None,), dtype='int32'), K.placeholder((None, 3))
    weights = K.variable(np.ones(3))
    cost = K.mean(K.sparse_categorical_crossentropy(target, output * weights, from_logits=True))
    step = K.function([target, output], [cost], updates=[K.update_sub(weights, K.gradients(cost, [weights])[0])])
    with pytest.raises(IndexError, match='is no class'):
        step([[0, 7, 2], SCORES])
    np.testing.assert_array_equal(K.get_value(weights), np.ones(3))


def check_values(K):
    """The same outside of a function."""
    with pytest.raises(IndexError, match=SAID.format(5, 1)):
        K.eval(K.sparse_categorical_crossentropy(K.constant([0, 5, 1], dtype='int32'), K.constant(SCORES)))

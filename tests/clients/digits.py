"""The handwritten digits that scikit-learn ships."""

import numpy as np
from sklearn.datasets import load_digits


def images():
    """(images, labels) to learn from and to test with, in an order without a pattern."""
    data = load_digits()
    order = np.random.RandomState(0).permutation(len(data.target))
    x = (data.images[order] / 16.0).astype('float32')[..., np.newaxis]
    y = data.target[order]
    return (x[:1400], y[:1400]), (x[1400:], y[1400:])

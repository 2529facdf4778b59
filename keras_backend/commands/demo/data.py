"""The handwritten digits. `digits.LICENSE.txt` says where they come from."""

import gzip
import pkgutil
from typing import Tuple

import numpy as np

Digits = Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

PIXELS = 64


def digits(seed: int) -> Digits:
    """Images to learn, their labels, images to read, their labels. Pixels are in [0, 1]. A fifth is to be read."""
    # Also out of a zip file.
    packed = pkgutil.get_data('keras_backend.commands.demo', 'digits.txt.gz')
    assert packed is not None
    lines = np.frombuffer(gzip.decompress(packed), 'uint8').reshape(-1, PIXELS + 2)  # the digit, the end of the line
    order = np.random.RandomState(seed).permutation(len(lines))
    images = ((lines[:, :PIXELS] - ord('A')) / 16.0).reshape(-1, 8, 8)[order]
    labels = (lines[:, PIXELS] - ord('0')).astype('int64')[order]
    n = len(labels) // 5
    return images[n:], labels[n:], images[:n], labels[:n]

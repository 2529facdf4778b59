"""Embedding."""

from typing import Any

from .use import Use


def embedding(use: Use) -> Any:
    """The row of a table for each number."""
    K = use.K
    numbers = use.x if K.dtype(use.x) == 'int32' else K.cast(use.x, 'int32')
    return K.gather(use.weights['embeddings'], numbers)


def zero_mask(use: Use, outputs: Any) -> Any:
    """The numbers that are not zero, if the layer masks zeros."""
    return use.K.not_equal(use.x, 0) if use.option('mask_zero', False) else None

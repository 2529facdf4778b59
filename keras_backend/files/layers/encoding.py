"""Layers of tf.keras that make numbers of categories: CategoryEncoding, Discretization. Products by a formula."""

from typing import Any

from ..names.einsum import einsum
from .use import Use


def einsum_dense(use: Use) -> Any:
    """A product with the kernel by the formula of the layer, plus a bias on the axes that the layer names."""
    y = einsum(use.K, str(use.config['equation']), use.x, use.weights['kernel'])
    bias = use.weights.get('bias')
    return use.function()(y if bias is None else y + bias)


def category_encoding(use: Use) -> Any:
    """Numbers of categories, as rows with a one for each."""
    if use.arguments.get('count_weights') is not None:
        raise use.error('is called with count_weights, which is not done here')
    return _encoded(use, use.K.cast(use.x, 'int32'), int(use.config['num_tokens']), use.option('output_mode'))


def discretization(use: Use) -> Any:
    """The number of the bin of each element: how many boundaries are not greater than it."""
    K, boundaries = use.K, use.option('bin_boundaries')
    if not boundaries:
        raise use.error('has no bin_boundaries: they were counted by adapt(), and are not in the file')
    if use.option('sparse', False):
        raise use.error('has a sparse output, which is not done here')
    edges = K.constant([float(edge) for edge in boundaries])
    above = K.greater_equal(K.expand_dims(K.cast(use.x, 'float32'), -1), edges)
    bins = K.sum(K.cast(above, 'int32'), axis=-1)
    mode = use.option('output_mode', 'int')
    return bins if mode == 'int' else _encoded(use, bins, len(boundaries) + 1, mode)


def _encoded(use: Use, numbers: Any, count: int, mode: Any) -> Any:
    """Rows of ones of numbers below `count`. mode: 'one_hot', 'multi_hot', 'count'; None is 'multi_hot'."""
    K = use.K
    if use.option('sparse', False):
        raise use.error('has a sparse output, which is not done here')
    ones = K.one_hot(numbers, count)
    if mode == 'one_hot':
        return K.squeeze(ones, -2) if K.ndim(numbers) > 1 and K.int_shape(numbers)[-1] == 1 else ones
    if mode not in (None, 'multi_hot', 'count'):
        raise use.error(f'has output_mode={mode!r}, which is not done here')
    return K.sum(ones, axis=-2) if mode == 'count' else K.max(ones, axis=-2)

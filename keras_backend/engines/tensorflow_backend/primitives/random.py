"""Standard draws. Their source belongs to the graph of K in every thread."""

from typing import Any

from ..tensors.graph import graph
from ..tensors.tensors import sizes
from ..vendor import tf


def random_uniform(shape: Any, *, dtype: str, seed: int) -> Any:
    graph()
    return tf.random.uniform(sizes(shape), dtype=dtype, seed=seed)


def random_normal(shape: Any, *, dtype: str, seed: int) -> Any:
    graph()
    return tf.random.normal(sizes(shape), dtype=dtype, seed=seed)


def truncated_normal(shape: Any, *, dtype: str, seed: int) -> Any:
    graph()
    return tf.random.truncated_normal(sizes(shape), dtype=dtype, seed=seed)

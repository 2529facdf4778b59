"""Functions of the engine for the graph (see `graph.run.kernels`). Values are NumPy arrays. CNTK computes with them."""

from ..numpy_backend.library import (  # noqa: F401
    CHANGES,
    IN_PLACE,
    VIEWS,
    Stream,
    asarray,
    backwards,
    feed,
    feed_host,
    feed_sparse,
    guard,
    hand_out,
    is_whole,
    private_copy,
    sparse,
    specialize,
    stack_steps,
    to_numpy,
)
from ..numpy_backend.library import PRIMITIVES as _OF_NUMPY
from .mkl import tanh
from .plan import compile_with_graphs as compile  # noqa: F401

PRIMITIVES = dict(_OF_NUMPY, tanh=tanh)

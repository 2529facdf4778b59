"""What the graph needs of the engine (see `graph.kernels`): values are NumPy arrays, CNTK computes with them."""

from ..numpy_backend.library import (  # noqa: F401
    CHANGES,
    VIEWS,
    Stream,
    asarray,
    feed,
    feed_sparse,
    guard,
    is_whole,
    own,
    scalar,
    sparse,
    specialize,
    stack_steps,
    to_numpy,
)
from ..numpy_backend.library import IMPLEMENTATIONS as _OF_NUMPY
from ._mkl import tanh
from ._writer import compile_program as compile  # noqa: F401

IMPLEMENTATIONS = dict(_OF_NUMPY, tanh=tanh)

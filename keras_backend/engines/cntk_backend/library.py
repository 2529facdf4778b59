"""What the graph needs of the engine (see `graph.engine.Engine`): values are NumPy arrays, CNTK computes with them."""
from ..numpy_backend.library import (  # noqa: F401
    IMPLEMENTATIONS,
    VIEWS,
    Stream,
    asarray,
    feed,
    feed_sparse,
    guard,
    own,
    sparse,
    specialize,
    stack_steps,
    to_numpy,
)
from ._writer import compile_program as compile  # noqa: F401

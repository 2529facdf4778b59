"""The primitives of the K graph, by topic. Each module declares those of its name (see `op`)."""

from ..nodes.op import OPS, Op
from . import elementwise, indexing, linalg, reduction, shape, spatial  # noqa: F401

__all__ = ['OPS', 'Op']

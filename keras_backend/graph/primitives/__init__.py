"""The primitives of the K graph, by topic. Each module declares those of its name (see `op`)."""

from ..nodes.op import OPS, Op
from . import control, ctc, elementwise, indexing, linalg, random, reduction, shape, spatial  # noqa: F401

__all__ = ['OPS', 'Op']

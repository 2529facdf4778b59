"""Which KerasTensors are sparse: Keras says so, too, of any product with what is no KerasTensor."""

from typing import Any

from ..vendor import node_of


def sparse(x: Any) -> bool:
    """Whether the KerasTensor `x` is sparse."""
    waiting = [x]
    while waiting:
        t = waiting.pop()
        node = node_of(t)
        if t.sparse:
            if node is None:
                return True
            waiting += node.input_tensors
    return False


def say_sparse_rightly(x: Any) -> None:
    """Let a KerasTensor that is dense say so. No model on PyTorch takes what says that it is sparse as an input."""
    if x.sparse and not sparse(x):
        x._sparse = False

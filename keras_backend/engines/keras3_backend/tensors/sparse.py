"""Which KerasTensors are sparse. Keras marks a product with a number as sparse, too."""

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


def correct_sparse(x: Any) -> None:
    """Set `sparse` of a dense KerasTensor to False. A model on PyTorch takes no input where it is True."""
    if x.sparse and not sparse(x):
        # Keras has no other way to change it.
        x._sparse = False

"""Products of matrices in other primitives."""

from typing import Any

from ..basics.library import Tensor


def matmul(F: Any, x: Tensor, y: Tensor, *, transpose_x: bool, transpose_y: bool) -> Tensor:
    # As (batch, left, summed, right): every library can multiply and sum.
    x = F.transpose(x, perm=(0, 2, 1)) if transpose_x else x
    y = F.transpose(y, perm=(0, 2, 1)) if transpose_y else y
    return F.sum(F.mul(F.expand_dims(x, axis=3), F.expand_dims(y, axis=1)), axes=(2,), keepdims=False)


PRIMITIVES = {'matmul': matmul}

"""The engine: K over Theano."""

from typing import Any, Optional

from ...errors import ArgumentTypeError
from ...front import Front
from ._sparse import is_sparse
from .library import TheanoLibrary


class Theano(Front):
    """Every K function over Theano or PyTensor."""

    def operand(self, x: Any, dtype: Optional[str] = None) -> Any:
        if is_sparse(x):
            raise ArgumentTypeError(
                f'{self.library.describe(x)} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).'
            )
        return super().operand(x, dtype)


engine = Theano(TheanoLibrary())

"""TensorFlow as the library of an engine: its tensors, and how a call of K becomes an operation of its graph."""

from operator import attrgetter
from typing import Any, FrozenSet, List, Optional, Tuple

from ...basics import dtypes
from ...basics.library import StaticShape, Tensor
from .control import Control
from .failures import clock, sign
from .primitives import F
from .primitives.nn import by_time, decoded, within
from .state import State, Values
from .tensors.graph import describe, graph
from .tensors.tensors import Tensor as DenseTensor
from .tensors.tensors import (
    as_array,
    as_dtype,
    constant,
    is_sparse,
    is_tensor,
    is_variable,
    items,
    scope_name,
    size_of,
    sizes,
    static_shape,
    used,
)
from .variables import KVariable, filled_variable, variable
from .vendor import EagerTensor, ResourceVariable, SymbolicTensor, tf


class TensorFlowLibrary(Values, Control, State):
    """The library of TensorFlow for `front.Front` (see `keras_backend.basics.library.Library`)."""

    name, title, runs_on = 'tensorflow', 'TensorFlow', ''
    packages = frozenset(['tensorflow', 'numpy'])
    tensors: FrozenSet[type] = frozenset([SymbolicTensor, KVariable, ResourceVariable])
    signed: FrozenSet[type] = frozenset([SymbolicTensor, list, tuple])
    clock, sign = staticmethod(clock), staticmethod(sign)

    def __init__(self) -> None:
        self.F = F
        F.library = self  # for derived primitives
        self.front: Any = None

    # -- asking --------------------------------------------------------------------------------------------------
    is_tensor, is_sparse, used = staticmethod(is_tensor), staticmethod(is_sparse), staticmethod(used)
    dims, sizes, items = staticmethod(static_shape), staticmethod(sizes), staticmethod(items)
    natural_dtype = staticmethod(dtypes.of_value)
    is_own = staticmethod(lambda x: True)
    is_variable = staticmethod(lambda x: is_variable(x) or hasattr(x, '_keras_backend_variable'))
    rank, dtype = staticmethod(attrgetter('shape.rank')), staticmethod(attrgetter('dtype.base_dtype.name'))
    dtype_name = staticmethod(lambda dtype: as_dtype(dtype).name)

    @staticmethod
    def is_placeholder(x: Any) -> bool:
        if is_sparse(x):
            x = x.values
        return (
            isinstance(x, DenseTensor)
            and not isinstance(x, EagerTensor)
            and x.op.type in ('Placeholder', 'PlaceholderWithDefault')
        )

    @staticmethod
    def shape(x: Tensor) -> Optional[StaticShape]:
        """The static shape, None where the number of axes is not known."""
        shape = x.shape
        return None if shape.rank is None else tuple(shape.as_list())

    @classmethod
    def describe(cls, x: Tensor) -> str:
        return f'{describe(x)} of shape {cls.shape(x)}'

    static = staticmethod(lambda shape: [d.value if isinstance(d, tf.Dimension) else d for d in shape])

    # -- making --------------------------------------------------------------------------------------------------
    constant = number = staticmethod(constant)
    variable, filled_variable = staticmethod(variable), staticmethod(filled_variable)

    @staticmethod
    def placeholder(shape: Optional[StaticShape], dtype: str, sparse: bool, name: Optional[str]) -> Tensor:
        graph()
        tensor = (tf.sparse_placeholder if sparse else tf.placeholder)(dtype, shape, name=scope_name(name))
        if sparse:
            tensor.name = describe(tensor)
        return tensor

    @staticmethod
    def filled_like(x: Tensor, value: float, dtype: str) -> Tensor:
        if value in (0, 1):
            return (tf.ones_like if value else tf.zeros_like)(x, dtype)
        return tf.fill(tf.shape(x), tf.constant(as_array(value, as_dtype(dtype))))

    identity = staticmethod(lambda x, name: tf.identity(x, name=scope_name(name)))
    unstacked = staticmethod(tf.unstack)  # in one operation, so that the gradient puts them together in one

    # -- CTC -----------------------------------------------------------------------------------------------------
    @staticmethod
    def ctc_greedy(scores: Tensor, lengths: Tensor) -> Tuple[List[Tensor], Tensor]:
        lengths = within(lengths, size_of(scores, 1))
        paths, costs = tf.nn.ctc_greedy_decoder(by_time(scores), lengths)
        return decoded(paths, costs, scores.dtype)

    @staticmethod
    def ctc_beam(
        scores: Tensor, lengths: Tensor, beam_width: int, top_paths: int, merge_repeated: bool
    ) -> Tuple[List[Tensor], Tensor]:
        lengths = within(lengths, size_of(scores, 1))
        paths, costs = tf.nn.ctc_beam_search_decoder(by_time(scores), lengths, beam_width, top_paths, merge_repeated)
        return decoded(paths, costs, scores.dtype)

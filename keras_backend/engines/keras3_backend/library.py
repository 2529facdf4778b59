"""Keras 3 as the library of an engine: its tensors, symbolic and computed, and what is done with them."""

import threading
from contextlib import contextmanager, nullcontext
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ...basics import dtypes
from ...basics.dtypes import fitting, foreign, numbers, plain, private
from ...basics.library import StaticShape
from ...basics.sessions import is_of_tensorflow, without_sessions
from ...errors import ForeignTensorError, UnsupportedByEngine
from .functions import RUNS_OF_JAX, function
from .graph.choice import Choices
from .graph.functional_graph import refuse_inside
from .graph.gradients import gradients
from .graph.loops import Loops
from .graph.recipes import value_or_node
from .primitives import F
from .primitives.nn import decoded
from .state import updates
from .state.updates import learning_phase, set_learning_phase, update
from .state.variable import Variable, named, no_new_variables, read, variable
from .tensors.dtypes import cast, name_of, storable_dtype
from .tensors.operations import Identity, as_k_tensor, sparse
from .tensors.operations import Tensor as OwnTensor
from .tensors.sizes import Symbols, at_once, is_symbol, items, vector
from .tensors.valued import Valued, mark_constant
from .vendor import BACKEND, COMPUTED, KerasVariable, is_symbolic, keras, reset_uids

Tensor = Any
# Which classes are those of tensors, as far as they were asked for.
_ARE_TENSORS: Dict[type, bool] = {}
# Integers of so many entries may be a shape.
_SIZES = 32
_NO_SESSION = 'Keras 3 has no sessions; use K.function, K.get_value and K.set_value'


class _Making(threading.local):
    """What this thread makes."""

    anchor: Any = None


class Keras3Library(Loops, Choices):
    """The library of Keras 3 for `front.Front` (see `keras_backend.basics.library.Library`)."""

    name, title, runs_on = 'keras3', 'Keras 3', BACKEND
    packages: FrozenSet[str] = frozenset(['keras', 'tensorflow', 'jax', 'torch', 'numpy'])
    tensors: FrozenSet[type] = COMPUTED | {keras.KerasTensor, OwnTensor, KerasVariable, Valued, Variable}

    def __init__(self) -> None:
        self.F = F
        self.front: Any = None
        self._making = _Making()

    @property
    def anchor(self) -> Any:
        """A KerasTensor that an update is made of, while this thread makes it."""
        return self._making.anchor

    @anchor.setter
    def anchor(self, tensor: Any) -> None:
        self._making.anchor = tensor

    # -- asking --------------------------------------------------------------------------------------------------
    @staticmethod
    def is_tensor(x: Any) -> bool:
        # A question of the class, which costs more than its answer is worth in every call.
        kind = x.__class__
        known = _ARE_TENSORS.get(kind)
        if known is None:
            known = _ARE_TENSORS[kind] = (
                isinstance(x, (keras.KerasTensor, KerasVariable, Symbols, Valued))
                or is_symbol(x)
                or bool(keras.ops.is_tensor(x))
            )
        return known

    is_own = staticmethod(lambda x: True)
    is_variable = staticmethod(lambda x: isinstance(x, KerasVariable))

    @staticmethod
    def is_placeholder(x: Any) -> bool:
        return is_symbolic(x) and isinstance(getattr(x._keras_history, 'operation', None), keras.layers.InputLayer)

    @staticmethod
    def is_sparse(x: Any) -> bool:
        if x.__class__ in COMPUTED:
            return False
        if is_symbolic(x):
            return sparse(x)
        return type(x).__name__ in ('SparseTensor', 'BCOO')

    check = staticmethod(lambda x: None)  # every tensor of Keras belongs everywhere

    @staticmethod
    def used(x: Tensor) -> Tensor:
        if x.__class__ in COMPUTED:
            return x
        if x.__class__ is Valued or isinstance(x, KerasVariable):
            return value_or_node(x)
        # Arithmetic with the name of a size is that of its value.
        return keras.ops.convert_to_tensor(x, 'int32') if BACKEND == 'jax' and is_symbol(x) else x

    dims = shape = staticmethod(lambda x: tuple(x.shape))
    rank, dtype = staticmethod(lambda x: len(x.shape)), staticmethod(name_of)
    describe = staticmethod(lambda x: f'{getattr(x, "name", None) or "a tensor"} of shape {tuple(x.shape)}')

    @staticmethod
    def dtype_name(dtype: Any) -> str:
        if dtype is not None and not isinstance(dtype, (str, type, np.dtype)):
            dtype = keras.backend.standardize_dtype(dtype)
        return dtype if dtype == 'bfloat16' else storable_dtype(dtypes.name_of(dtype))

    natural_dtype = staticmethod(lambda value: storable_dtype(dtypes.of_value(value)))
    static, items = staticmethod(tuple), staticmethod(items)
    sizes = staticmethod(lambda shape: vector(items(shape)))

    # -- making --------------------------------------------------------------------------------------------------
    @staticmethod
    def constant(value: Any, dtype: str, name: Optional[str] = None) -> Tensor:
        value = plain(value)
        if foreign(value):
            raise ForeignTensorError(f'{value!r} is no tensor of Keras on {BACKEND}; pass its value as an array.')
        # In a forked child the operators of an array of JAX, which are JAX's own, would wait for ever.
        RUNS_OF_JAX.check()
        dtype = storable_dtype(dtype)
        array = numbers(value) if dtype == 'bfloat16' else np.array(fitting(numbers(value), dtype))
        may_be_a_shape = BACKEND == 'jax' and array.dtype.kind == 'i' and array.size <= _SIZES
        with at_once() if may_be_a_shape else nullcontext():
            return mark_constant(keras.ops.convert_to_tensor(array, dtype))

    def number(self, value: float, dtype: str) -> Tensor:
        return self.constant(value, dtype)

    @staticmethod
    def variable(value: Any, dtype: str, name: Optional[str], constraint: Any) -> Tensor:
        return updates.once(
            'variables', lambda: variable(private(plain(updates.given(value)), dtype), dtype, name, constraint)
        )

    def filled_variable(self, shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Tensor:
        if not updates.described() and no_new_variables():
            # Nothing could update them.
            return keras.ops.full(tuple(shape), value, storable_dtype(dtype))
        return self.variable(np.full(tuple(shape), value), dtype, name, None)

    @staticmethod
    def placeholder(shape: Optional[StaticShape], dtype: str, sparse: bool, name: Optional[str]) -> Tensor:
        if shape is None:
            raise UnsupportedByEngine(
                'placeholder', 'Keras 3', 'it knows the number of axes of every tensor', 'Give shape or ndim.'
            )
        return as_k_tensor(keras.Input(batch_shape=tuple(shape), dtype=dtype, sparse=sparse, name=named(name)))

    @staticmethod
    def filled_like(x: Tensor, value: float, dtype: str) -> Tensor:
        if value in (0, 1):
            return (keras.ops.ones_like if value else keras.ops.zeros_like)(x, dtype=storable_dtype(dtype))
        return keras.ops.full_like(x, value, dtype=storable_dtype(dtype))

    identity = staticmethod(lambda x, name: Identity(name=name)(x))
    unstacked = staticmethod(lambda x, length: [x[i] for i in range(length)])

    # -- values --------------------------------------------------------------------------------------------------
    @staticmethod
    def evaluate(x: Tensor) -> Any:
        if is_symbolic(x):
            refuse_inside([x])
        # One that the caller may change.
        with updates.LOCK if isinstance(x, KerasVariable) else nullcontext():
            return updates.once('values', lambda: np.array(updates.value_of(x))[()])

    def values(self, tensors: Sequence[Tensor]) -> List[Any]:
        with updates.LOCK:
            return [self.evaluate(x) for x in tensors]

    def assign(self, pairs: Sequence[Tuple[Tensor, Any]]) -> None:
        fitted = [(x, fitting(value, name_of(x))) for x, value in pairs]
        with updates.LOCK:
            for x, value in fitted:
                # JAX may go on reading the memory of an array.
                updates.set_by_program(x, np.array(value))

    def current(self, x: Tensor) -> Tensor:
        # Beside a KerasTensor it is what the variable holds in a run.
        return self.used(x) if self.anchor is None else as_k_tensor(read(x, self.anchor))

    update = staticmethod(lambda x, new: update(x, new))

    @staticmethod
    def increment(x: Tensor, operation: str, change: Tensor) -> Any:
        return update(x, cast(change, name_of(x)), operation)

    # -- graphs --------------------------------------------------------------------------------------------------
    function, gradients = staticmethod(function), staticmethod(gradients)
    learning_phase, set_learning_phase = staticmethod(learning_phase), staticmethod(set_learning_phase)
    ctc_greedy = staticmethod(lambda scores, lengths: decoded(scores, lengths, 1, None, False))

    @staticmethod
    def ctc_beam(
        scores: Tensor, lengths: Tensor, beam_width: int, top_paths: int, merge_repeated: bool
    ) -> Tuple[List[Tensor], Tensor]:
        # A distribution, whatever the probabilities have lost.
        return decoded(F.log_softmax(scores, axis=2), lengths, top_paths, beam_width, merge_repeated)

    # -- sessions ------------------------------------------------------------------------------------------------
    def clear(self) -> None:
        set_learning_phase(None)
        # Collecting garbage takes a second beside TensorFlow; Python does so in its own time.
        keras.utils.clear_session(free_memory=False)

    @staticmethod
    def get_session() -> Any:
        raise UnsupportedByEngine('get_session', 'Keras 3', *_NO_SESSION.split('; '))

    @staticmethod
    def set_session(session: Any) -> None:
        if session is None:
            return
        if not is_of_tensorflow(session):
            raise UnsupportedByEngine('set_session', 'Keras 3', *_NO_SESSION.split('; '))
        without_sessions('Keras 3')

    initialise_manually = staticmethod(lambda value: None)  # variables have their first values from the start
    uid, reset_uids = staticmethod(keras.backend.get_uid), staticmethod(reset_uids)
    symbolic = eager = staticmethod(lambda func: func)
    name_scope = staticmethod(lambda name: keras.name_scope(named(name)))

    @staticmethod
    @contextmanager
    def control_dependencies(tensors: Sequence[Any]) -> Iterator[None]:
        if tensors:
            raise UnsupportedByEngine(
                'control_dependencies',
                'Keras 3',
                'it has no graph of updates',
                'Inside of a layer updates run in order; otherwise pass them to K.function as updates.',
            )
        yield

"""The engine: K over Theano, what `front.Front` needs of it (see `keras_backend.basics.library.Library`)."""

from operator import attrgetter
from types import SimpleNamespace
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ...basics import dtypes
from ...basics.dtypes import by_rows, fitting, numbers, private
from ...contract.kinds import shown
from ...errors import ArgumentTypeError
from ...front import Front
from ...graph.record.state import State
from . import control
from .functions import failures
from .functions.function import evaluate, function
from .graph import check, describe
from .graph import engine as state
from .graph import tensors as k_tensors
from .graph.static import dims_of, set_dims, visible
from .graph.unranked import Noted, building
from .graph.updates import latest, updating
from .primitives.shape import indexed
from .primitives.table import primitives
from .vendor import NAME, VERSION, SharedVariable, T, TensorConstant, TensorSharedVariable, TensorType, TensorVariable

Tensor = Any
_FLOATS = frozenset([float, np.float32, np.float64])


def _shared(name: str) -> Any:
    """An attribute that is kept where the tensors of K find it."""
    return property(lambda self: getattr(state, name), lambda self, value: setattr(state, name, value))


class TheanoLibrary(State):
    """Tensors of Theano or PyTensor, and what is done with them."""

    name, title, runs_on = 'theano', 'Theano', f'{NAME} {VERSION}'
    packages = frozenset(['theano', 'pytensor'])
    # Not the sparse ones: they go the way on which most functions refuse them.
    tensors = frozenset(
        [
            k_tensors.KVariable,
            k_tensors.KConstant,
            k_tensors.KShared,
            TensorVariable,
            TensorConstant,
            TensorSharedVariable,
            Noted,
        ]
    )
    signed = frozenset([k_tensors.KVariable, TensorVariable, Noted, list, tuple])
    clock, sign = staticmethod(failures.clock), staticmethod(failures.sign)
    session, lock, user_session, front = _shared('session'), _shared('lock'), _shared('user_session'), _shared('front')

    def __init__(self) -> None:
        self.F: Any = SimpleNamespace(**primitives())
        state.F, state.getitem = self.F, self.getitem

    # -- asking ----------------------------------------------------------------------------------------------------
    dims, shape = staticmethod(dims_of), staticmethod(lambda x: None if x.type.ndim is None else visible(dims_of(x)))
    rank, dtype = staticmethod(attrgetter('type.ndim')), staticmethod(attrgetter('dtype'))
    is_tensor, is_sparse = staticmethod(k_tensors.is_tensor), staticmethod(k_tensors.is_sparse)
    check, used = staticmethod(check), staticmethod(check)
    dtype_name, natural_dtype = staticmethod(dtypes.name_of), staticmethod(dtypes.of_value)

    is_own = staticmethod(lambda x: True)  # Theano has one graph, and K no tensors of its own in it
    is_variable = staticmethod(lambda x: isinstance(x, SharedVariable))
    is_placeholder = staticmethod(lambda x: hasattr(x, '_keras_placeholder'))
    describe = staticmethod(lambda x: f'{describe(x)} of shape {TheanoLibrary.shape(x)}')

    # -- sizes -----------------------------------------------------------------------------------------------------
    static = staticmethod(lambda shape: shape)
    items = staticmethod(
        lambda shape: [k_tensors.adopt(n) if k_tensors.is_tensor(n) else n for n in k_tensors.items(shape)]
    )
    sizes = staticmethod(k_tensors.sizes)

    # -- making ----------------------------------------------------------------------------------------------------
    @staticmethod
    @building
    def constant(value: Any, dtype: str, name: Optional[str] = None) -> Tensor:
        return k_tensors.constant(value, dtype, state.session.name(name, 'constant'))

    number = staticmethod(k_tensors.constant)

    @staticmethod
    @building
    def variable(value: Any, dtype: str, name: Optional[str], constraint: Any) -> Tensor:
        name = state.session.name_of_variable(name)
        if hasattr(value, 'tocsr'):
            data = by_rows(value).astype(dtype, copy=True)
            shared = k_tensors.KSparseShared(name=name, type=k_tensors.sparse_type(dtype), value=data, strict=True)
        else:
            data = private(evaluate(value) if k_tensors.is_tensor(value) else value, dtype)
            kind = TensorType(dtype, [n == 1 for n in data.shape])
            shared = k_tensors.KShared(name=name, type=kind, value=data, strict=True)
        shared.constraint, shared._uses_learning_phase, shared._keras_shape = constraint, False, data.shape
        return set_dims(shared, data.shape)

    def filled_variable(self, shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Tensor:
        return self.variable(np.full(shape, value, dtype), dtype, name, None)

    def placeholder(self, shape: Any, dtype: str, sparse: bool, name: Optional[str]) -> Tensor:
        name = state.session.name(name, 'placeholder')
        if shape is not None:
            return self._placeholder(shape, dtype, sparse, name)
        # In each of its ranks it has the one name, which messages show.
        tensor: Any = Noted(
            None, lambda ranks: self._placeholder((None,) * next(iter(ranks.values())), dtype, sparse, name), name
        )
        tensor._keras_placeholder = True
        return tensor

    @staticmethod
    @building
    def _placeholder(shape: Any, dtype: str, sparse: bool, name: str) -> Tensor:
        if sparse:
            tensor = k_tensors.KSparse(k_tensors.sparse_type(dtype), None, None, name)
        else:
            tensor = k_tensors.KVariable(TensorType(dtype, [n == 1 for n in shape]), None, None, name)
        tensor._keras_placeholder = True
        return set_dims(tensor, shape)

    @staticmethod
    @building
    def filled_like(x: Tensor, value: float, dtype: str) -> Tensor:
        return T.alloc(k_tensors.constant(value, dtype), *k_tensors.scalars(k_tensors.sizes_of(x)))

    @staticmethod
    @building
    def identity(x: Tensor, name: Optional[str]) -> Tensor:
        # A node of its own, so that what is said of the result is not said of `x`.
        copy = T.tensor_copy(x)
        if name is not None:
            copy.name = state.session.name(name, 'tensor')
        return copy

    def unstacked(self, x: Tensor, length: int) -> Sequence[Tensor]:
        return [self.F.getitem(x, spec=(i,)) for i in range(length)]

    # -- values ----------------------------------------------------------------------------------------------------
    evaluate = staticmethod(evaluate)

    @staticmethod
    def values(tensors: Sequence[Tensor]) -> List[Any]:
        with state.lock:
            return [evaluate(x) for x in tensors]

    @staticmethod
    def assign(pairs: Sequence[Tuple[Tensor, Any]]) -> None:
        arrays = [(x, np.array(fitting(numbers(value), x.dtype), order='C')) for x, value in pairs]
        with state.lock:
            for x, array in arrays:
                x.container.storage[0] = array

    current = staticmethod(lambda x: latest(x, state.session.deps))
    update = staticmethod(building(updating))

    @building
    def increment(self, x: Tensor, operation: str, change: Tensor) -> Any:
        def onto(value: Tensor) -> Tensor:
            return self.front.binary(operation, value, change)

        updated = self.front.update(x, onto(x))
        updated._keras_update.onto = onto
        return updated

    # -- graphs ----------------------------------------------------------------------------------------------------
    function = staticmethod(function)
    gradients = staticmethod(building(control.gradients))
    choice = staticmethod(control.choice)
    loop = staticmethod(building(control.loop))
    as_state = staticmethod(building(control.as_state))
    getitem = staticmethod(building(indexed))

    def ctc_greedy(self, scores: Tensor, lengths: Tensor) -> Tuple[List[Tensor], Tensor]:
        results = self.F.ctc_greedy(scores, lengths)
        return results[:-1], results[-1]

    def ctc_beam(self, scores: Tensor, lengths: Tensor, *options: Any) -> Tuple[List[Tensor], Tensor]:
        names = ('beam_width', 'top_paths', 'merge_repeated')
        results = self.F.ctc_beam(self.F.log_softmax(scores, axis=2), lengths, **dict(zip(names, options)))
        return results[:-1], results[-1]

    # -- sessions --------------------------------------------------------------------------------------------------
    def learning_phase(self) -> Any:
        here = state.session
        with state.lock:
            if here.learning_phase is None:
                phase = here.learning_phase = k_tensors.KVariable(TensorType('bool', ()), None, None, 'learning_phase')
                phase._keras_session, phase._uses_learning_phase, phase._keras_placeholder = here, True, True
                phase._keras_default = k_tensors.constant(np.zeros((), 'bool'), 'bool')
        return here.learning_phase

    @staticmethod
    def control_dependencies(tensors: Sequence[Any]) -> Any:
        for x in tensors:
            if not k_tensors.is_tensor(x):
                raise ArgumentTypeError(f'control_inputs has to hold tensors and updates, got {shown(x)}.')
            check(x)
        return state.session.depending_on([x for x in tensors if hasattr(x, '_keras_update')])


class Theano(Front):
    """Every K function over Theano or PyTensor."""

    def operand(self, x: Any, dtype: Optional[str] = None) -> Any:
        return k_tensors.dense(super().operand(x, dtype))

    # Training loops call these two for a learning rate. On the way of all engines they took 2.2 times as long as in
    # Keras 2.3.1 on Theano, and take 0.9 times as long here.
    def get_value(self, x: Any) -> Any:
        if x.__class__ is not k_tensors.KShared or x.__dict__['_keras_session'].closed:
            return super().get_value(x)
        data = x.container.storage[0]
        if not data.ndim:
            return data[()]  # one number: no thread can have written a half of it
        with state.lock:
            return x.container.storage[0].copy()

    def set_value(self, x: Any, value: Any) -> None:
        kind = value.__class__
        if x.__class__ is k_tensors.KShared and not x.__dict__['_keras_session'].closed:
            dtype = x.type.numpy_dtype
            is_number = kind in _FLOATS and dtype.kind == 'f' and not x.type.ndim
            if is_number or (kind is np.ndarray and value.dtype is dtype and value.shape == x._keras_dims):
                array = np.array(value, dtype, order='C')
                with state.lock:
                    x.container.storage[0] = array
                return
        super().set_value(x, value)


engine = Theano(TheanoLibrary())

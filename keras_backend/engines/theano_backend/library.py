"""Theano as the library of an engine: what `front.Front` needs (see `keras_backend.library.Library`)."""

from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ... import dtypes
from ...arrays import fitting, numbers, private
from ...contract.kinds import shown
from ...errors import ArgumentTypeError
from ...graph.state import State
from . import _choice, _decode, _getitem, _operators, _scan, _sizes  # noqa: F401
from ._convert import constant, is_tensor
from ._dependent import latest
from ._function import evaluate
from ._graph import check, describe, engine
from ._library import NAME, VERSION, SharedVariable, T, TensorConstant, TensorSharedVariable, TensorType, TensorVariable
from ._noted import Noted, building
from ._noted_function import function
from ._sparse import is_sparse, sparse_type
from ._static import dims_of, set_dims, visible
from ._updates import updating
from ._variables import KConstant, KShared, KSparse, KSparseShared, KVariable, adopt
from .primitives import conv, elementwise, linalg, random, reduction, shape, sparse

Tensor = Any


def _primitives() -> Dict[str, Callable[..., Any]]:
    """What the primitives return are tensors of K."""
    return {
        name: building(function)
        for topic in (elementwise, reduction, shape, linalg, conv, random, sparse)
        for name, function in vars(topic).items()
        if not name.startswith('_') and getattr(function, '__module__', None) == topic.__name__
    }


def _shared(name: str) -> Any:
    """An attribute that is kept where the tensors of K find it."""
    return property(lambda self: getattr(engine, name), lambda self, value: setattr(engine, name, value))


class TheanoLibrary(State):
    """Tensors of Theano or PyTensor, and what is done with them."""

    name, title, runs_on = 'theano', 'Theano', f'{NAME} {VERSION}'
    packages = frozenset(['theano', 'pytensor'])
    # Not the sparse ones: they go the way on which most functions refuse them.
    tensors = frozenset([KVariable, KConstant, KShared, TensorVariable, TensorConstant, TensorSharedVariable, Noted])
    session, lock, user_session, front = _shared('session'), _shared('lock'), _shared('user_session'), _shared('front')

    def __init__(self) -> None:
        self.F: Any = SimpleNamespace(**_primitives())

    # -- asking ----------------------------------------------------------------------------------------------------
    dims, shape = staticmethod(dims_of), staticmethod(lambda x: None if x.type.ndim is None else visible(dims_of(x)))
    rank, dtype = staticmethod(attrgetter('type.ndim')), staticmethod(attrgetter('dtype'))
    is_tensor, is_sparse = staticmethod(is_tensor), staticmethod(is_sparse)
    check, used = staticmethod(check), staticmethod(check)
    dtype_name, natural_dtype = staticmethod(dtypes.name_of), staticmethod(dtypes.of_value)

    @staticmethod
    def is_own(x: Tensor) -> bool:
        return True  # Theano has one graph, and K no tensors of its own in it

    @staticmethod
    def is_variable(x: Any) -> bool:
        return isinstance(x, SharedVariable)

    @staticmethod
    def is_placeholder(x: Any) -> bool:
        return hasattr(x, '_keras_placeholder')

    @staticmethod
    def describe(x: Tensor) -> str:
        return f'{describe(x)} of shape {TheanoLibrary.shape(x)}'

    # -- sizes -----------------------------------------------------------------------------------------------------
    @staticmethod
    def static(shape: Any) -> Any:
        return shape

    @staticmethod
    def items(shape: Any) -> List[Any]:
        return [adopt(n) if is_tensor(n) else n for n in _sizes.items(shape)]

    @staticmethod
    def sizes(shape: Any) -> Any:
        entries = _sizes.items(shape)
        return adopt(_sizes.vector(entries)) if any([is_tensor(n) for n in entries]) else tuple(entries)

    # -- making ----------------------------------------------------------------------------------------------------
    binary = staticmethod(building(elementwise.binary))

    @staticmethod
    @building
    def constant(value: Any, dtype: str, name: Optional[str] = None) -> Tensor:
        return constant(value, dtype, None if name is None else engine.session.name(name, 'constant'))

    @staticmethod
    def number(value: float, dtype: str) -> Tensor:
        kept = engine.session.numbers
        found = kept.get((value, dtype))
        if found is None:
            found = constant(value, dtype)
            if value:  # 0 has a sign
                kept[value, dtype] = found
        return found

    @staticmethod
    @building
    def variable(value: Any, dtype: str, name: Optional[str], constraint: Any) -> Tensor:
        name = engine.session.name(name, 'variable')
        if hasattr(value, 'tocsr'):
            data = value.tocsr().astype(dtype, copy=True)
            made = KSparseShared(name=name, type=sparse_type(dtype), value=data, strict=True)
        else:
            data = private(evaluate(value) if is_tensor(value) else value, dtype)
            kind = TensorType(dtype, [n == 1 for n in data.shape])
            made = KShared(name=name, type=kind, value=data, strict=True)
        made.constraint, made._uses_learning_phase = constraint, False
        return set_dims(made, data.shape)

    def filled_variable(self, shape: Sequence[int], value: float, dtype: str, name: Optional[str]) -> Tensor:
        return self.variable(np.full(shape, value, dtype), dtype, name, None)

    def placeholder(self, shape: Any, dtype: str, sparse: bool, name: Optional[str]) -> Tensor:
        name = engine.session.name(name, 'placeholder')
        if shape is not None:
            return self._placeholder(shape, dtype, sparse, name)
        # In each of its ranks it has the one name, which messages show.
        made: Any = Noted(
            None, lambda ranks: self._placeholder((None,) * next(iter(ranks.values())), dtype, sparse, name), name
        )
        made._keras_placeholder = True
        return made

    @staticmethod
    @building
    def _placeholder(shape: Any, dtype: str, sparse: bool, name: str) -> Tensor:
        if sparse:
            made = KSparse(sparse_type(dtype), None, None, name)
        else:
            made = KVariable(TensorType(dtype, [n == 1 for n in shape]), None, None, name)
        made._keras_placeholder = True
        return set_dims(made, shape)

    @staticmethod
    @building
    def filled_like(x: Tensor, value: float, dtype: str) -> Tensor:
        return T.alloc(constant(value, dtype), *_sizes.scalars(_sizes.sizes_of(x)))

    @staticmethod
    @building
    def identity(x: Tensor, name: Optional[str]) -> Tensor:
        # A node of its own, so that what is said of the result is not said of `x`.
        made = T.tensor_copy(x)
        if name is not None:
            made.name = engine.session.name(name, 'tensor')
        return made

    def unstacked(self, x: Tensor, length: int) -> Sequence[Tensor]:
        return [self.F.getitem(x, spec=(i,)) for i in range(length)]

    # -- values ----------------------------------------------------------------------------------------------------
    evaluate = staticmethod(evaluate)

    @staticmethod
    def values(tensors: Sequence[Tensor]) -> List[Any]:
        with engine.lock:
            return [evaluate(x) for x in tensors]

    @staticmethod
    def assign(pairs: Sequence[Tuple[Tensor, Any]]) -> None:
        arrays = [(x, np.array(fitting(numbers(value), x.dtype), order='C')) for x, value in pairs]
        with engine.lock:
            for x, array in arrays:
                x.container.storage[0] = array

    @staticmethod
    def current(x: Tensor) -> Tensor:
        return latest(x, engine.session.deps)

    update = staticmethod(building(updating))

    @building
    def increment(self, x: Tensor, operation: str, change: Tensor) -> Any:
        def onto(value: Tensor) -> Tensor:
            return self.front.binary(operation, value, change)

        return updating(x, onto(x), onto)

    # -- graphs ----------------------------------------------------------------------------------------------------
    function = staticmethod(function)
    gradients = staticmethod(building(_choice.gradients))
    choice = staticmethod(_choice.choice)
    loop = staticmethod(building(_scan.loop))
    as_state = staticmethod(building(_scan.as_state))
    ctc_greedy = staticmethod(building(_decode.greedy))
    getitem = staticmethod(building(_getitem.getitem))

    def ctc_beam(self, scores: Tensor, lengths: Tensor, *options: Any) -> Tuple[List[Tensor], Tensor]:
        beam: Callable[..., Tuple[List[Tensor], Tensor]] = building(_decode.beam)
        return beam(self.F.log_softmax(scores, axis=2), lengths, *options)

    # -- sessions --------------------------------------------------------------------------------------------------
    def learning_phase(self) -> Any:
        here = engine.session
        with engine.lock:
            if here.learning_phase is None:
                phase = here.learning_phase = KVariable(TensorType('bool', ()), None, None, 'learning_phase')
                phase._keras_session, phase._uses_learning_phase, phase._keras_placeholder = here, True, True
                phase._keras_default = constant(np.zeros((), 'bool'), 'bool')
        return here.learning_phase

    @staticmethod
    def control_dependencies(tensors: Sequence[Any]) -> Any:
        for x in tensors:
            if not is_tensor(x):
                raise ArgumentTypeError(f'control_inputs has to hold tensors and updates, got {shown(x)}.')
            check(x)
        return engine.session.depending_on([x for x in tensors if hasattr(x, '_keras_update')])

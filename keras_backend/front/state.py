"""Sessions, uids, scopes and the learning phase; values of variables and their updates."""

from numbers import Integral
from typing import Any, Callable, ContextManager, Iterable, List, Optional, Tuple, TypeVar

import numpy as np

from ..basics.dtypes import numbers_of
from ..basics.library import Tensor
from ..basics.shapes import known
from ..contract.kinds import shown
from ..errors import ArgumentTypeError, ConfigError, ShapeError
from .base import Operands

F = TypeVar('F', bound=Callable[..., Any])


class State(Operands):
    def clear_session(self) -> None:
        self.library.clear()
        self.slopeless = ''

    def get_session(self) -> Any:
        return self.library.get_session()

    def set_session(self, session: Any) -> None:
        self.library.set_session(session)

    def manual_variable_initialization(self, value: bool) -> None:
        self.library.initialise_manually(bool(value))

    def learning_phase(self) -> Any:
        phase = self.library.learning_phase()
        if self.library.is_tensor(phase):
            self.phases_given += 1
        return phase

    def set_learning_phase(self, value: int) -> None:
        if not isinstance(value, (Integral, np.bool_)) or value not in (0, 1):
            raise ConfigError(
                'K.set_learning_phase: value, the learning phase, has to be 0 (test) or 1 (train), got '
                f'{shown(value)}.',
                'learning_phase',
                value,
                'K.set_learning_phase',
            )
        self.library.set_learning_phase(int(value))

    def get_uid(self, prefix: str = '') -> int:
        return self.library.uid(prefix)

    def reset_uids(self) -> None:
        self.library.reset_uids()

    def symbolic(self, func: F) -> F:
        wrapped: F = self.library.symbolic(func)
        return wrapped

    def eager(self, func: F) -> F:
        wrapped: F = self.library.eager(func)
        return wrapped

    def name_scope(self, name: Optional[str]) -> ContextManager[Any]:
        return self.library.name_scope(name)

    def control_dependencies(self, control_inputs: Any) -> ContextManager[Any]:
        if control_inputs is None:
            control_inputs = ()
        elif not isinstance(control_inputs, (list, tuple)):
            control_inputs = [control_inputs]
        return self.library.control_dependencies(list(control_inputs))


# -- values ------------------------------------------------------------------------------------------------------------
# Values of variables, and their updates.


class Values(Operands):
    def get_value(self, x: Any) -> Any:
        if not self.library.is_tensor(x):
            raise ArgumentTypeError(f'x has to be a variable, got {x!r}.')
        return self.library.evaluate(x)

    def batch_get_value(self, ops: Optional[Iterable[Any]]) -> List[Any]:
        tensors = self.listed(ops, 'ops')
        for x in tensors:
            if not self.library.is_tensor(x):
                raise ArgumentTypeError(f'ops has to hold variables, got {x!r}.')
        return self.library.values(tensors) if tensors else []

    def set_value(self, x: Any, value: Any) -> None:
        self.library.assign([(x, _value(self, x, value))])

    def batch_set_value(self, tuples: Iterable[Tuple[Any, Any]]) -> None:
        # All are checked before the first is set. Of two values of one variable the last one counts.
        pairs = self.listed(tuples, 'tuples')
        for pair in pairs:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise ArgumentTypeError(f'tuples has to hold pairs (variable, value), got {shown(pair)}.')
        self.library.assign([(x, _value(self, x, value)) for x, value in pairs])

    def update(self, x: Any, new_x: Any) -> Any:
        library = self.library
        dtype = library.dtype(_variable(self, x))
        new = self.converted(self.operand(new_x, dtype), dtype)
        old_dims, dims = library.dims(x), library.shape(new)
        if dims is not None and (
            len(dims) != len(old_dims) or any([known(d) and known(e) and d != e for d, e in zip(dims, old_dims)])
        ):
            raise ShapeError(f'{library.describe(x)} cannot be updated with {library.describe(new)}.')
        return library.update(x, new)

    def update_add(self, x: Any, increment: Any) -> Any:
        return _incremented(self, x, 'add', increment)

    def update_sub(self, x: Any, decrement: Any) -> Any:
        return _incremented(self, x, 'sub', decrement)

    def moving_average_update(self, x: Any, value: Any, momentum: Any) -> Any:
        old = self.library.current(_variable(self, x))
        # As an increment, so that several of them in one function all count.
        away = self.binary('sub', _beside(self, x, value), old)
        # A number is rounded to the dtype of `x`, not to floatx.
        plain = isinstance(momentum, (int, float))
        weight = 1.0 - momentum if plain else self.binary('sub', 1.0, self.operand(momentum))
        return self.update_add(x, self.binary('mul', away, weight))

    def print_tensor(self, x: Any, message: str = '') -> Tensor:
        return self.F.print(self.operand(x), message=message)


def _incremented(K: Operands, x: Any, operation: str, change: Any) -> Any:
    if K.library.dtype(_variable(K, x)) == 'bool':
        # Libraries add nothing to bools in place.
        return K.update(x, K.binary(operation, x, change))
    return K.library.increment(x, operation, _beside(K, x, change))


def _variable(K: Operands, x: Any) -> Tensor:
    if not K.library.is_tensor(x) or not K.library.is_variable(x):
        if K.library.is_tensor(x):
            K.library.check(x)  # says so if it belongs elsewhere
        raise ArgumentTypeError(f'x has to be a variable, got {x!r}.')
    K.library.check(x)
    return x


def _beside(K: Operands, x: Tensor, value: Any) -> Tensor:
    """`value` as a tensor of the dtype in which it meets the variable `x`, which is not read for it."""
    (_x, value), dtype = K.meeting((x, value))
    return K.converted(K.operand(value, dtype), dtype)


def _value(K: Operands, x: Any, value: Any) -> Any:
    """`value` as an array that has the shape of the variable `x`."""
    array = numbers_of(value)
    library = K.library
    rank = library.rank(_variable(K, x))
    # Of a variable that the library made without K, not all sizes are known, and they may change.
    if rank is not None and (
        rank != array.ndim or any([known(n) and n != m for n, m in zip(library.dims(x), array.shape)])
    ):
        raise ShapeError(f'{K.library.describe(x)} cannot be set to a value of shape {array.shape}.')
    return array

"""Sessions, uids, scopes and the learning phase."""

from numbers import Integral
from typing import Any, Callable, ContextManager, Optional, TypeVar

import numpy as np

from ..contract.kinds import shown
from ..errors import ConfigError
from .operands import Operands

F = TypeVar('F', bound=Callable[..., Any])


class State(Operands):
    def clear_session(self) -> None:
        self.library.clear()

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

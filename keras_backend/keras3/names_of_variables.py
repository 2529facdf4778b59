"""What code of tf.keras asks of variables: `dtype.base_dtype`, `device`, `use_locking`, names with paths."""

import functools
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator

# Arguments of assignments about graphs and locks, which mean nothing here.
_GONE = ('use_locking', 'read_value', 'name')


class _State(threading.local):
    """Whether variables are named by their paths in this thread."""

    paths = False


_STATE = _State()


@contextmanager
def paths_as_names() -> Iterator[None]:
    """A context in which `variable.name` is 'dense/kernel:0', as in tf.keras. Optimizers choose variables by it."""
    before, _STATE.paths = _STATE.paths, True
    try:
        yield
    finally:
        _STATE.paths = before


class Dtype(str):
    """The name of a dtype with what dtypes of TensorFlow have."""

    @property
    def base_dtype(self) -> 'Dtype':
        """The dtype itself."""
        return self

    @property
    def name(self) -> str:
        """Its name."""
        return str(self)

    @property
    def is_floating(self) -> bool:
        """Whether it is a floating point one."""
        return 'float' in self


def names_of_variables(keras: Any) -> str:
    """Give variables `dtype.base_dtype` and `device`, and let `assign` take `use_locking` and `read_value`."""
    from ..engines.keras3_backend.vendor import KerasVariable

    name, dtype = KerasVariable.name, KerasVariable.dtype
    KerasVariable.name = property(lambda self: f'{self.path}:0' if _STATE.paths else name.fget(self))
    KerasVariable.dtype = property(lambda self: Dtype(dtype.fget(self)))
    if not hasattr(KerasVariable, 'device'):
        KerasVariable.device = ''
    for method in ('assign', 'assign_add', 'assign_sub'):
        setattr(KerasVariable, method, _without_locks(getattr(KerasVariable, method)))
    return 'Variable.dtype, Variable.device, Variable.assign'


def _without_locks(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def assign(self: Any, value: Any, **kwargs: Any) -> Any:
        return original(self, value, **{key: given for key, given in kwargs.items() if key not in _GONE})

    return assign

"""What code of tf.keras asks of variables: `dtype.base_dtype`, `device`, `use_locking`, names with paths."""

import functools
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator

from .older_arguments import without
from .tf_on_keras.dtype_of_tensorflow import dtype_by_name

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


def names_of_variables(keras: Any) -> str:
    """Give variables `dtype.base_dtype` and `device`, and let `assign` take `use_locking` and `read_value`."""
    from ...engines.keras3_backend.state.variable import check_kept
    from ...engines.keras3_backend.vendor import KerasVariable

    name, dtype = KerasVariable.name, KerasVariable.dtype
    KerasVariable.name = property(lambda self: f'{self.path}:0' if _STATE.paths else name.fget(self))
    KerasVariable.dtype = property(lambda self: dtype_by_name(dtype.fget(self)))
    if not hasattr(KerasVariable, 'device'):
        KerasVariable.device = ''
    for method in ('assign', 'assign_add', 'assign_sub'):
        without(KerasVariable, method, _GONE)
        if keras.backend.backend() == 'jax':
            setattr(KerasVariable, method, _kept(getattr(KerasVariable, method), check_kept))
    return 'Variable.dtype, Variable.device, Variable.assign'


def _kept(original: Callable[..., Any], check: Callable[[Any], None]) -> Callable[..., Any]:
    @functools.wraps(original)
    def assign(variable: Any, *args: Any, **kwargs: Any) -> Any:
        check(variable)
        return original(variable, *args, **kwargs)

    return assign

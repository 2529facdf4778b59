"""Variables of TensorFlow 1: buffers that an operation changes in place and hands on, rather than resources.

`tf.assign(v, x)` gives the buffer itself there. So `tf.scatter_update(tf.assign(v, zeros), [1], [5.])` changes one row
of zeros; with a resource it changes one row of what the variable was before, without a word. The variables of K stay
resources.
"""

import functools
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable

from .tensorflow1.control_flow import by_switches
from .tensorflow_cures import TensorFlow1, real

CONTROL_FLOW = ('cond', 'case', 'while_loop')


def made_by_default(keras: ModuleType) -> str:
    """Let `tf.Variable` and `tf.get_variable` make the variables of TensorFlow 1, unless `use_resource` is given."""
    seen: Any = sys.modules['tensorflow']
    logger = real().get_logger()
    level = logger.level
    logger.setLevel('ERROR')  # TensorFlow says that it may not have these variables for ever
    try:
        real().compat.v1.disable_resource_variables()
    finally:
        logger.setLevel(level)
    if isinstance(seen, TensorFlow1):
        vars(seen).update({name: _with_variables(name) for name in CONTROL_FLOW})
    return ', '.join(f'tf.{name}' for name in ('Variable', 'get_variable', *CONTROL_FLOW))


def _with_variables(name: str) -> Callable[..., Any]:
    """A function of control flow whose parts may assign to variables of TensorFlow 1.

    The functions of TensorFlow 2, which a choice or a loop becomes, do not take such variables from outside.
    """
    function: Any = getattr(real().compat.v1, name)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if '_ref' not in str(error):
                raise
        return by_switches(lambda: function(*args, **kwargs))

    return call


def first_values(keras: ModuleType) -> str:
    """Give variables `v.initialized_value()`: the value, or the first value as long as there is none."""
    given = []
    for path, name in ('ref_variable', 'RefVariable'), ('resource_variable_ops', 'ResourceVariable'):
        cls = getattr(import_module('tensorflow.python.ops.' + path), name)
        if cls.initialized_value is real().Variable.initialized_value:  # which raises NotImplementedError
            cls.initialized_value = _initialized_value
            given.append(f'{name}.initialized_value')
    return ', '.join(given)


def _initialized_value(variable: Any) -> Any:
    tf = real().compat.v1
    with real().init_scope():
        return by_switches(
            lambda: tf.cond(
                tf.is_variable_initialized(variable), variable.read_value, lambda: tf.identity(variable.initial_value)
            )
        )

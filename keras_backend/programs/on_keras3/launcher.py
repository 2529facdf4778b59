"""What is done for programs that take K from Keras 3 itself, and when: `keras_backend.keras3.launcher` is the door."""
# ruff: noqa: F401 - cures.json names functions of the modules that are imported here

import functools
import os
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Tuple

from ...contract import CONTRACT
from ...engines import process
from ...errors import ArgumentTypeError
from ..launcher import child_processes, imports
from ..launcher.cures import Cure, action, around, explanation, import_to_explain, in_table
from . import (
    arguments,
    backend_functions,
    layers,
    legacy_optimizers,
    libraries,
    losses,
    masks,
    metrics,
    names,
    older_layers,
    older_modules,
    optimizer_updates,
    optimizers,
    outputs,
    program_code,
    recurrent_layers,
    saved_models,
    schedules,
    stand_in,
    tensors,
    training,
    values_of_tensors,
    wrappers_of_sklearn,
)
from .tf_on_keras import dispatch, gradients, seeds

# What the child processes of a program import.
DOOR = 'keras_backend.keras3.launcher'
# Where K with the names of tf.keras is defined. Those that are not usable on Keras 3 are replaced.
LEGACY = 'keras._tf_keras.keras.backend'


def names_of_k() -> Dict[str, Any]:
    """The names of K that Keras 3 does not have itself. Its own, such as `floatx`, stay as they are."""
    if not _names:
        K = import_module('keras_backend.engines.keras3_backend')
        kept = set(vars(sys.modules['keras.backend']))
        functions = {name: getattr(K, name) for name in CONTRACT if name not in kept}
        if sys.modules['keras'].backend.backend() != 'tensorflow':
            legacy = vars(import_module(LEGACY))
            functions = {name: _either(f, legacy[name]) if name in legacy else f for name, f in functions.items()}
        functions['set_floatx'] = import_module('keras_backend.engines.keras3_backend.vendor').set_floatx
        functions['resize_images'] = backend_functions.from_centres(functions['resize_images'])
        functions['ctc_decode'] = backend_functions.as_wide_as_time(functions['ctc_decode'])
        if sys.modules['keras'].backend.backend() == 'jax':
            functions['cast'] = backend_functions.sizes_as_sizes(functions['cast'])
        functions['get_value'] = _of_numbers(functions['get_value'])
        functions['gradients'] = optimizer_updates.of_losses(functions['gradients'])
        fused = backend_functions.with_variance_of_a_sample
        functions['normalize_batch_in_training'] = fused(functions['normalize_batch_in_training'])
        functions['clear_session'] = _forgetting(vars(sys.modules['keras.backend'])['clear_session'])
        _names.update(functions)
    return _names


_names: Dict[str, Any] = {}


@around
def _either(ours: Any, legacy: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of K that leaves TensorFlow's tensors to TensorFlow where Keras runs on something else."""
    if _holds_tensors_of_tensorflow(list(args) + list(kwargs.values())):
        return legacy(*args, **kwargs)
    return ours(*args, **kwargs)


def _of_numbers(get_value: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """K.get_value as in tf.keras: of a number, such as `optimizer.momentum` in Keras 3, it is the number itself."""

    import numpy as np

    @functools.wraps(get_value)
    def value_or_number(x: Any) -> Any:
        if x is None:
            raise ArgumentTypeError(
                'K.get_value: x is None; an optimizer is there once the program has called compile: compile the model.'
            )
        return x if isinstance(x, (int, float, np.ndarray, np.generic)) else get_value(x)

    return value_or_number


def _holds_tensors_of_tensorflow(values: Any) -> bool:
    tensorflow = sys.modules.get('tensorflow')
    if tensorflow is None or isinstance(tensorflow, stand_in.StandIn) or not hasattr(tensorflow, 'is_tensor'):
        return False
    return any(
        _holds_tensors_of_tensorflow(value) if isinstance(value, (list, tuple)) else tensorflow.is_tensor(value)
        for value in values
    )


def _give(module: ModuleType) -> str:
    if not _is_of_keras_3(module):
        return ''
    names = names_of_k()
    new = sum(name not in vars(module) for name in names)
    vars(module).update(names)
    return f'{new} names that were missing, {len(names) - new} that were for tensors of TensorFlow only'


def _is_of_keras_3(module: ModuleType) -> bool:
    """Whether a module is one of the Keras that is imported: `tensorflow.keras` may be tf_keras."""
    home = os.path.dirname(os.path.abspath(sys.modules['keras'].__file__ or ''))
    return os.path.abspath(module.__file__ or '').startswith(home + os.sep)


def names_in_keras(module: ModuleType) -> str:
    """Give `keras.backend` the names of K."""
    return _give(module)


def names_in_tf_keras(module: ModuleType) -> str:
    """Give `tf.keras.backend` the names of K."""
    return _give(module)


def names_in_the_second_copy(module: ModuleType) -> str:
    """Give the names of K to the second copy of the module, which `import tensorflow.keras.backend` makes."""
    return _give(module)


@around
def _forgetting(original: Any, *args: Any, **kwargs: Any) -> None:
    """Keras's `clear_session`, which forgets what K.set_learning_phase has said as well."""
    import_module('keras_backend.engines.keras3_backend').clear_session()
    original(*args, **kwargs)


def tensors_of_tensorflow(module: ModuleType) -> str:
    """Leave tensors of TensorFlow to the functions of Keras's `tf.keras.backend` where Keras runs on something else."""
    backend = sys.modules['keras'].backend.backend()
    return '' if backend == 'tensorflow' else f'Keras runs on {backend}'


def learning_rate(keras: Any) -> str:
    """Give optimizers the attribute `lr`, the older name of `learning_rate`."""
    if hasattr(keras.optimizers.Optimizer, 'lr'):
        return ''

    def get(optimizer: Any) -> Any:
        rate = optimizer_updates.rate_of_step(optimizer)
        return optimizer.learning_rate if rate is None else rate

    def put(optimizer: Any, value: Any) -> None:
        if not optimizer_updates.set_rate(optimizer, value):
            optimizer.learning_rate = value

    keras.optimizers.Optimizer.lr = property(get, put)
    return 'Optimizer.lr'


def eager_mode(tensorflow: ModuleType) -> str:
    """Leave eager mode on, which Keras 3 needs: `tf.compat.v1.disable_eager_execution` does nothing and says so."""
    if isinstance(tensorflow, stand_in.StandIn):
        return ''
    changed = []
    for path in ('tensorflow.compat.v1', 'tensorflow._api.v2.compat.v1', 'tensorflow.python.framework.ops'):
        module: Any = tensorflow.compat.v1 if path == 'tensorflow.compat.v1' else sys.modules.get(path)
        for name in ('disable_eager_execution', 'disable_v2_behavior'):
            if hasattr(module, name):
                setattr(module, name, _left_on(name))
                changed.append(f'tf.compat.v1.{name}')
    return ', '.join(sorted(set(changed)))


def _left_on(name: str) -> Callable[[], None]:
    def stays() -> None:
        if not _told and sys.stderr is not None:
            sys.stderr.write(
                f'keras_backend.keras3: tf.compat.v1.{name}() does nothing here. Keras 3 needs eager mode, and '
                'K.gradients and K.function work with it.\n'
            )
            _told.append(name)

    stays.__name__ = name
    return stays


_told: List[str] = []

CURES: Tuple[Cure, ...] = in_table(globals())

# The module of a cure may have another name, too.
PLACES = [(cure.module, cure) for cure in CURES] + [
    ('tensorflow.compat.v2.keras.backend', cure) for cure in CURES if cure.apply is names_in_the_second_copy
]

# What can be done to TensorFlow before Keras is there. All else waits for Keras.
_BEFORE_KERAS = (eager_mode, names.private_copy, stand_in.in_its_place)


class _State:
    """What has been done: watching imports, completing Keras; and the modules that came before Keras, by place."""

    watching = False
    ready = False
    waiting: Dict[str, ModuleType] = {}
    # Modules are imported in several threads. No cure is applied while this is held.
    lock = threading.Lock()


def _when_complete(place: str, module: ModuleType) -> None:
    """Apply the cures of a module that was imported. What waits for Keras is done when Keras is complete."""
    with _State.lock:
        ready = _State.ready
        if not ready:
            _State.waiting[place] = module
    for path, cure in PLACES:
        if path == place and (ready or cure.apply in _BEFORE_KERAS):
            action(cure)(module)


def _when_keras_is_complete(module: ModuleType) -> None:
    """Apply the cures of Keras and of all that waited. This belongs to the import of Keras: other threads wait."""
    stand_in.keras_is_complete()
    dispatch.keras_is_complete()
    names_of_k()
    with _State.lock:
        _State.ready = True
        modules = {**_State.waiting, 'keras': module}
        _State.waiting.clear()
    for path, cure in PLACES:
        if path in modules and cure.apply not in _BEFORE_KERAS:
            action(cure)(modules[path])


def watch() -> None:
    """Give the names when the modules are imported, or now if they are imported already. A second call does nothing."""
    if _State.watching:
        return
    _State.watching = True
    libraries.watch()
    program_code.watch()
    stand_in.watch()
    imports.before('tensorflow', process.before_tensorflow)
    imports.during('tensorflow', functools.partial(process.held_back, '2', os.environ.get(process.LOG_LEVEL)))
    for path in dict.fromkeys(path for path, _ in PLACES if path != 'keras'):
        imports.after(path, functools.partial(_when_complete, path))
    imports.after('keras', _when_keras_is_complete)


def prepare() -> None:
    """Prepare this process and its children for programs that take K from Keras."""
    if not child_processes.is_child(DOOR):  # the parent has checked it, and a child should start fast
        libraries.check_installed()
    watch()
    child_processes.prepare(DOOR)


def explain() -> str:
    """The text of `--explain`."""
    keras = import_to_explain(['keras', 'tensorflow', 'tensorflow.keras.backend', *libraries.modules()])
    return explanation(f'Keras {keras.__version__} on {keras.backend.backend()}', (*CURES, *libraries.CURES))

"""TensorFlow in a program: names of TensorFlow 1, and functions whose tensors the backend does not have."""

from importlib import import_module
from typing import Any, Callable, FrozenSet, Iterator, Optional, Set

from ...launcher.check.rules import NOTE, STOPS, Finding, Place, Use
from ...launcher.check.uses import Uses
from .rules import OF_GRAPHS, OF_TENSORFLOW_1, finding

At = Callable[[int], Place]
# Functions of these modules compute with tensors.
_COMPUTING = ('math', 'nn', 'linalg')
# Functions that take no tensor of Keras.
_MAKING = frozenset(
    'constant convert_to_tensor Variable zeros ones eye fill range linspace TensorShape TensorSpec Graph device '
    'name_scope function py_function numpy_function print executing_eagerly is_tensor init_scope no_op '
    'GradientTape Module'.split()
)


def judge(found: Uses, place: At, backend: str) -> Iterator[Finding]:
    """The names that are gone, and those that do not go with the backend."""
    seen: Set[str] = set()
    pipeline = any(use.name.startswith('tensorflow.data.') for use in found.names)
    for use in found.names:
        if use.guarded or use.name in seen:
            continue
        judged = _judged(use, found, place(use.line), backend, pipeline)
        if judged is not None:
            seen.add(use.name)
            yield judged


def _judged(use: Use, found: Uses, where: Place, backend: str, pipeline: bool) -> Optional[Finding]:
    first, _, rest = use.name.partition('.')
    if first == 'tensorflow_addons':
        return finding('tensorflow-addons', where)
    if first != 'tensorflow' or not rest:
        return None
    if rest.startswith('compat.v1.'):
        return _of_graphs(use, rest[len('compat.v1.') :], found, where)
    old = next((name for name in OF_TENSORFLOW_1 if rest == name or rest.startswith(name + '.')), None)
    if old is not None:
        return _of_tensorflow_1(old, rest, where)
    return None if backend == 'tensorflow' else _of_others(use, rest, where, backend, pipeline)


def _of_graphs(use: Use, part: str, found: Uses, where: Place) -> Optional[Finding]:
    """tf.compat.v1 is there. What it has of graphs fails in eager mode."""
    if part.split('.')[0] in OF_GRAPHS and (part != 'layers'):
        return finding('tf-of-graphs', where, f'tf.compat.v1.{part} fails in eager mode, which Keras 3 needs')
    if part == 'train.Saver' and use.call and not use.positional and 'var_list' not in use.keywords:
        return finding('tf-of-graphs', where, 'tf.compat.v1.train.Saver() looks for variables of a graph')
    if part in ('Session', 'InteractiveSession') and use.call:
        runs = any(call.method == 'run' for call in found.calls)
        return finding('session', where, severity=STOPS if runs else NOTE)
    return None


def _of_tensorflow_1(old: str, part: str, where: Place) -> Finding:
    today = OF_TENSORFLOW_1[old]
    if today:
        return finding('tf-moved', where, f'tf.{part}: TensorFlow 2 does not have it', f'write {today}')
    return finding('tf-of-graphs', where, f'tf.{part} is of the graphs and sessions of TensorFlow 1')


def _of_others(use: Use, part: str, where: Place, backend: str, pipeline: bool) -> Optional[Finding]:
    """Names that are there, and compute with tensors of TensorFlow."""
    if part == 'GradientTape':
        # PyTorch records what it computes, and JAX does not.
        message = f'tf.GradientTape sees no tensors of Keras on {backend}'
        return finding('tape', where, message) if backend == 'jax' else None
    if part in _given():
        return None
    module, _, function = part.rpartition('.')
    computes = module in _COMPUTING or (not module and function.islower())
    if not use.call or not computes or function in _MAKING:
        return None
    message = f'tf.{part} takes tensors of TensorFlow, and Keras has others on {backend}'
    # A function for the map of a dataset is given tensors of TensorFlow.
    return finding('tf-function', where, message, severity=NOTE if pipeline else STOPS)


def _given() -> FrozenSet[str]:
    """The names of TensorFlow that take tensors of every backend under the launcher, without `tf.`."""
    try:
        names: Any = getattr(import_module('keras_backend.programs.on_keras3.tf_on_keras.dispatch'), 'NAMES')  # noqa: B009
    except ImportError:
        return frozenset()
    return frozenset(names)

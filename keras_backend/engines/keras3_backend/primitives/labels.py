"""Labels of classes, checked: those that Keras computes at once, and those of a compiled K function.

TensorFlow refuses an index that is out of range in its graph. PyTorch computes at once. JAX cannot raise an error in
what it compiles, so a compiled K function returns what its checks have found. Inside of a loop or a branch, and in what
Keras itself compiles, nothing can be returned: there a wrong label costs infinity.
"""

import threading
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional

import numpy as np

from ....errors import IndexOutOfRangeError
from ....kernels.rows import first_place
from ....run_errors import of_label, of_tensorflow
from ..tensors.operations import registered
from ..vendor import BACKEND, COMPUTED, is_symbolic, keras

Tensor = Any
# TensorFlow's errors say the name of the operation that failed.
_NAME = 'keras_backend_labels'


def is_class(labels: Tensor, classes: Tensor) -> Tensor:
    """Whether each label is one of `classes`, the numbers from 0 on. Others are refused where that is possible."""
    if is_symbolic(labels) or is_symbolic(classes):
        return IsClass()(labels, classes)
    return _checked(labels, classes)


@registered
class IsClass(keras.Operation):
    """The same in a graph of Keras."""

    def call(self, labels: Tensor, classes: Tensor) -> Tensor:
        return _checked(labels, classes)

    def compute_output_spec(self, labels: Tensor, classes: Tensor) -> Tensor:
        return keras.KerasTensor(labels.shape, 'bool')


def _checked(labels: Tensor, classes: Tensor) -> Tensor:
    if BACKEND == 'tensorflow' and labels.__class__ not in COMPUTED:
        import tensorflow as tf

        return tf.equal(tf.cast(tf.gather(classes, labels, name=_NAME), labels.dtype), labels)
    size = classes.shape[0]
    known = keras.ops.logical_and(labels >= 0, labels < size)
    if BACKEND == 'jax' and labels.__class__ not in COMPUTED:
        _note(known, labels, size)
    elif not getattr(labels, 'is_meta', False) and not bool(keras.ops.all(known)):
        _refuse(keras.ops.convert_to_numpy(known), keras.ops.convert_to_numpy(labels), size)
    return known


def _refuse(known: Any, labels: Any, size: int) -> None:
    at = first_place(~np.asarray(known))
    error = IndexOutOfRangeError.of_index(np.asarray(labels)[at], size, at=at)
    raise of_label(error).of('sparse_categorical_crossentropy')


@contextmanager
def in_words() -> Iterator[None]:
    """Say the error that TensorFlow raises for a wrong label in words of ours."""
    import tensorflow as tf

    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        said = of_tensorflow(error) if _NAME in str(error) else None
        if said is None:
            raise
        raise of_label(said).of('sparse_categorical_crossentropy') from error


class _Open(threading.local):
    """Of each thread: the trace of the K function that JAX traces, and what was found in it."""

    trace: Any = None
    notes: Optional[List[Any]] = None


_OPEN = _Open()


def _note(known: Tensor, labels: Tensor, size: int) -> None:
    """Note labels of the function itself; what is inside of a loop or a branch may not leave it."""
    if _OPEN.notes is not None and _trace(known) is _OPEN.trace:
        _OPEN.notes.append((known, labels, size))


def _trace(x: Tensor) -> Any:
    """The trace of JAX that a tensor belongs to. Before 0.4.36 each use has an object of its own, of one main trace."""
    trace = getattr(x, '_trace', None)
    return getattr(trace, 'main', trace)


@contextmanager
def noting(tensors: List[Tensor]) -> Iterator[List[Any]]:
    """The list of what checks find meanwhile in the trace of `tensors`: (known, labels, size)."""
    before = _OPEN.trace, _OPEN.notes
    traced = [x for x in tensors if hasattr(x, '_trace')]
    notes: List[Any] = []
    _OPEN.trace, _OPEN.notes = (_trace(traced[0]), notes) if traced else (None, None)
    try:
        yield notes
    finally:
        _OPEN.trace, _OPEN.notes = before


def refuse_noted(notes: List[Any]) -> None:
    """Refuse the labels that checks of a run have found to be no classes."""
    for known, labels, size in notes:
        known = np.asarray(known)
        if not known.all():
            _refuse(known, labels, int(size))

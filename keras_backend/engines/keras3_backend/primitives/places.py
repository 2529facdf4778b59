"""Labels of classes and numbers of rows, checked: those that are computed at once, and those of a compiled K function.

TensorFlow refuses an index that is out of range in its graph. PyTorch computes at once. JAX cannot raise an error in
what it compiles, so a compiled K function returns what its checks have found. Inside of a loop or a branch, and in what
Keras itself compiles, nothing can be returned: there a wrong label costs infinity, and the number of a row is that of
`keras.ops.take`.
"""

import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np

from ....basics.run_errors import of_label, of_tensorflow
from ....errors import ArgumentError, IndexOutOfRangeError
from ....kernels.rows import first_place
from ..tensors.operations import registered
from ..vendor import BACKEND, COMPUTED, is_symbolic, keras

Tensor = Any
Words = Callable[[IndexOutOfRangeError], ArgumentError]


# The names of operations of TensorFlow, whose errors say which one failed.
_LABELS, _ROWS = 'keras_backend_labels', 'keras_backend_rows'
_WORDS: Dict[str, Words] = {
    _LABELS: lambda error: of_label(error).of('sparse_categorical_crossentropy'),
    _ROWS: lambda error: error.of('gather'),
}


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

        return tf.equal(tf.cast(tf.gather(classes, labels, name=_LABELS), labels.dtype), labels)
    return _known(labels, classes.shape[0], _LABELS)


def rows(x: Tensor, indices: Tensor) -> Tensor:
    """The rows of a tensor with these numbers: `keras.ops.take` without numbers from the end."""
    if BACKEND == 'tensorflow':
        import tensorflow as tf

        with in_words():
            return tf.gather(x, indices, name=_ROWS)
    if BACKEND == 'torch' and x.is_cpu:
        try:
            return x.index_select(0, indices.reshape(-1)).reshape((*indices.shape, *x.shape[1:]))
        except (IndexError, RuntimeError):  # PyTorch has either for an index out of range, and for other things
            _known(indices, x.shape[0], _ROWS)
            raise
    _known(indices, x.shape[0], _ROWS)
    return keras.ops.take(x, indices, axis=0)


def _known(places: Tensor, size: int, kind: str) -> Tensor:
    """Which places are from 0 to `size` - 1. Others are refused, or noted for the end of the run."""
    if BACKEND == 'jax' and places.__class__ in COMPUTED:
        # In NumPy: while JAX traces, its own answer has no value.
        places = np.asarray(places)
        known = (places >= 0) & (places < size)
        if not known.all():
            _refuse(known, places, size, kind)
        return known
    known = keras.ops.logical_and(places >= 0, places < size)
    if BACKEND == 'jax':
        _note(known, places, size, kind)
    elif not getattr(places, 'is_meta', False) and not bool(keras.ops.all(known)):
        _refuse(keras.ops.convert_to_numpy(known), keras.ops.convert_to_numpy(places), size, kind)
    return known


def _refuse(known: Any, places: Any, size: int, kind: str) -> None:
    at = first_place(~np.asarray(known))
    raise _WORDS[kind](IndexOutOfRangeError.of_index(np.asarray(places)[at], size, at=at))


@contextmanager
def in_words() -> Iterator[None]:
    """Say the error that TensorFlow raises for a place out of range in words of ours."""
    import tensorflow as tf

    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        kinds = [kind for kind in _WORDS if kind in str(error)]
        message = of_tensorflow(error) if kinds else None
        if message is None:
            raise
        raise _WORDS[kinds[0]](message) from error


class _Open(threading.local):
    """Of each thread: the trace of the K function that JAX traces, and what was found in it."""

    trace: Any = None
    notes: Optional[List[Any]] = None


_OPEN = _Open()


def _note(known: Tensor, places: Tensor, size: int, kind: str) -> None:
    """Note places of the function itself; what is inside of a loop or a branch may not leave it."""
    if _OPEN.notes is not None and _trace(known) is _OPEN.trace:
        # A compiled function returns numbers.
        _OPEN.notes.append((known, places, size, list(_WORDS).index(kind)))


def _trace(x: Tensor) -> Any:
    """The trace of JAX that a tensor belongs to. Before 0.4.36 each use has an object of its own, of one main trace."""
    trace = getattr(x, '_trace', None)
    return getattr(trace, 'main', trace)


@contextmanager
def noting(tensors: List[Tensor]) -> Iterator[List[Any]]:
    """The list of what checks find meanwhile in the trace of `tensors`: (known, places, size, number of the kind)."""
    before = _OPEN.trace, _OPEN.notes
    traced = [x for x in tensors if hasattr(x, '_trace')]
    notes: List[Any] = []
    _OPEN.trace, _OPEN.notes = (_trace(traced[0]), notes) if traced else (None, None)
    try:
        yield notes
    finally:
        _OPEN.trace, _OPEN.notes = before


def refuse_noted(notes: List[Any]) -> None:
    """Refuse the places that checks of a run have found to be out of range."""
    for known, indices, size, kind in notes:
        known = np.asarray(known)
        if not known.all():
            _refuse(known, indices, int(size), list(_WORDS)[int(kind)])

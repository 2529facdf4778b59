"""Crossentropies of the results of sigmoid and softmax: from their logits, which tell more than probabilities of 0."""

import weakref
from typing import Any, Dict, Tuple

from ....front import Front
from ..tensors.operations import registered
from ..vendor import BACKEND, COMPUTED, in_symbolic_scope, is_symbolic, keras, node_of

Tensor = Any
# The activations, as types of operations of TensorFlow.
_TYPES = {'sigmoid': 'Sigmoid', 'softmax': 'Softmax'}


def left_logits(probabilities: Tensor, activation: str) -> Any:
    """The logits whose sigmoid, or softmax over the last axis, is `probabilities`; None if they are not known.

    On TensorFlow the graph knows. Keras leaves a note on computed tensors, which names neither activation nor axis, so
    they are computed again. The tensors of JAX take no note, so those that K makes are listed here.
    """
    if in_symbolic_scope():
        return None
    if BACKEND == 'jax':
        found = _TRACED.get(id(probabilities))
        return found[1] if found is not None and found[0] == activation else None
    if BACKEND == 'tensorflow' and probabilities.__class__ not in COMPUTED:
        operation = getattr(probabilities, 'op', None)
        return operation.inputs[0] if operation is not None and operation.type == _TYPES[activation] else None
    logits = getattr(probabilities, '_keras_logits', None)
    if logits is None or tuple(logits.shape) != tuple(probabilities.shape) or logits.dtype != probabilities.dtype:
        return None
    again = keras.ops.sigmoid(logits) if activation == 'sigmoid' else keras.ops.softmax(logits, axis=-1)
    return logits if bool(keras.ops.all(keras.ops.equal(again, probabilities))) else None


def list_logits(probabilities: Tensor, activation: str, logits: Tensor) -> None:
    """Let `left_logits` find the logits of a tensor that JAX traces, as long as it is there."""
    place = id(probabilities)
    _TRACED[place] = activation, logits, weakref.ref(probabilities, lambda _: _TRACED.pop(place, None))


_TRACED: Dict[int, Tuple[str, Tensor, Any]] = {}


def may_have_logits(x: Any, activation: str) -> bool:
    """Whether only the run knows if the KerasTensor `x` has logits, because a layer or a model makes it."""
    if not is_symbolic(x) or hasattr(x, '_k_logits'):
        return False
    node = node_of(x)
    return node is not None and (
        isinstance(node.operation, (keras.layers.Layer, Activation))
        or type(node.operation).__name__.lower() == activation
    )


@registered
class Activation(keras.Operation):
    """A sigmoid or a softmax between layers, whose logits the run knows. TensorFlow's graph knows them without it."""

    _front: Any = None

    def __init__(self, kind: str, name: Any = None) -> None:
        super().__init__(name=name)
        self.kind = kind

    def call(self, x: Tensor) -> Tensor:
        return getattr(self._front, self.kind)(x)

    def compute_output_spec(self, x: Tensor) -> Tensor:
        return keras.KerasTensor(x.shape, x.dtype)


@registered
class Crossentropy(keras.Operation):
    """A crossentropy that looks in the run for the logits of its probabilities."""

    _front: Any = None

    def __init__(self, kind: str, axis: int = -1, ignore_class: Any = None, name: Any = None) -> None:
        super().__init__(name=name)
        self.kind, self.axis, self.ignore_class = kind, axis, ignore_class

    def call(self, target: Tensor, output: Tensor) -> Tensor:
        return getattr(self._front, self.kind)(target, output, *self._arguments())

    def compute_output_spec(self, target: Tensor, output: Tensor) -> Tensor:
        # The shape and the dtype do not depend on whether the run finds logits.
        made = getattr(Front, self.kind)(self._front, target, output, *self._arguments())
        return keras.KerasTensor(made.shape, made.dtype)

    def _arguments(self) -> Tuple[Any, ...]:
        """The arguments after the target and the output."""
        if self.kind == 'binary_crossentropy':
            return ()
        return (False, self.axis) if self.ignore_class is None else (False, self.axis, self.ignore_class)

"""Parts of a graph as models that a layer holds: the step of a loop, the branch of a choice."""

import threading
from typing import Any, List, Optional, Sequence

from ..tensors.sparse import correct_sparse
from ..vendor import keras
from .functional_graph import reached


class _Recorded(threading.local):
    """What this thread knows of each step and branch that it records, the innermost last."""

    def __init__(self) -> None:
        # A tensor of the step: what a step makes of nothing is new in every step.
        self.steps: List[Any] = []
        # A tensor from before the step.
        self.outside: List[Any] = []
        # A tensor of the step or the branch: what reads variables there is made beside it.
        self.inside: List[Any] = []


RECORDED = _Recorded()


@keras.saving.register_keras_serializable('keras_backend')
class Given(keras.Operation):
    """A value that depends on nothing, as a tensor of the graph that `anchor` belongs to."""

    def call(self, value: Any, anchor: Any) -> Any:
        return keras.ops.convert_to_tensor(value)

    def compute_output_spec(self, value: Any, anchor: Any) -> Any:
        return keras.KerasTensor(value.shape, keras.backend.standardize_dtype(value.dtype))


@keras.saving.register_keras_serializable('keras_backend')
class Same(keras.Operation):
    """The tensor itself, as another node: what a model returns may be one of its inputs, or the same tensor twice."""

    def call(self, x: Any) -> Any:
        # A size is a number until it leaves the model.
        return x if keras.ops.is_tensor(x) else keras.ops.convert_to_tensor(x)

    def compute_output_spec(self, x: Any) -> Any:
        return keras.KerasTensor(x.shape, x.dtype)


@keras.saving.register_keras_serializable('keras_backend')
class Beside(keras.Operation):
    """The first tensor. The others are inputs of a model that nothing reads, which Keras 3.11 refuses."""

    def call(self, x: Any, *others: Any) -> Any:
        return x

    def compute_output_spec(self, x: Any, *others: Any) -> Any:
        return keras.KerasTensor(x.shape, x.dtype)


def model_from(inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    """A model between tensors of a graph, of which the inputs may be made by others."""
    for t in inputs:
        correct_sparse(t)
    outputs = list(outputs)
    found = reached(outputs)
    unread = [t for t in inputs if id(t) not in found]
    if unread:
        outputs[0] = Beside()(outputs[0], *unread)
    return keras.Model(list(inputs), outputs)


def as_model(given: Any) -> Any:
    """A model, or what a configuration holds of it."""
    return given if isinstance(given, keras.Model) else keras.saving.deserialize_keras_object(given)


def results_of(model: Any, inputs: Sequence[Any], training: Optional[bool]) -> List[Any]:
    """The results of a model for a list of tensors, as a list. Keras gives a single result without a list."""
    found = model(list(inputs), training=training)
    return list(found) if isinstance(found, (list, tuple)) else [found]

"""A metric that is a tensor, as `add_metric` of tf.keras took it from the call of a layer or from a model."""

from contextlib import ExitStack
from typing import Any, Dict

from ...errors import ArgumentValueError
from . import inserted
from .held_metrics import MADE
from .vendor import BACKEND, in_stateless_scope, in_symbolic_scope, keras, unlocked


@keras.saving.register_keras_serializable('keras_backend')
class AddedMetric(inserted.PassThrough):
    """Returns its first argument. The second one is a metric of the model that calls it."""

    def __init__(self, metric: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.metric = metric
        make(self, metric)

    def call(self, y: Any, value: Any) -> Any:
        update(self, value, self.metric)
        return y

    def get_config(self) -> Dict[str, Any]:
        return {'metric': self.metric, 'name': self.name}


def make(layer: Any, name: str) -> Any:
    """The metric of this name of a layer."""
    known: Dict[str, Any] = vars(layer).setdefault(MADE, {})
    if name not in known:
        if in_stateless_scope() and not in_symbolic_scope():
            raise ArgumentValueError(
                f'add_metric: {layer.name} adds the metric {name!r} for the first time in a step that is compiled '
                'already; add it in every call, also where training is false.'
            )
        with unlocked(layer), _outside_of_graphs():
            known[name] = keras.metrics.Mean(name=name)
            # Keras finds the metrics of a layer in its attributes.
            setattr(layer, f'{MADE}_{len(known)}', known[name])
    return known[name]


def update(layer: Any, value: Any, name: str) -> None:
    """Let the metric of this name of a layer be the mean of the values of all batches."""
    make(layer, name).update_state(value)


def add_metric(model: Any, functional: type, value: Any, name: str) -> None:
    """Give a model of the class `functional` a metric: its first output goes through a layer that adds it."""
    inserted.insert(model, functional, AddedMetric(name), value)


def _outside_of_graphs() -> Any:
    if BACKEND != 'tensorflow':
        return ExitStack()
    import tensorflow

    return tensorflow.init_scope()

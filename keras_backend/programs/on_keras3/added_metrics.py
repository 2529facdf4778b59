"""`add_metric` of layers and models, which Keras 3 does not have. What is added is a metric of `fit` and `evaluate`."""

import functools
from typing import Any, Callable

from .classes_of_keras import functional, owner

_RESULT = '_keras_backend_result'


def metrics_of_layers(keras: Any) -> str:
    """Let the call of a layer say `self.add_metric(value, name='norm')`, and a program `model.add_metric(tensor)`."""
    graphs = functional(keras)

    def add_metric(self: Any, value: Any, name: Any = None, aggregation: Any = None, **kwargs: Any) -> None:
        # A result of a metric: Keras finds the metric itself in the attributes of the layer.
        if any(vars(each).pop(_RESULT, None) is value for each in self._metrics):
            return
        if name is None:
            raise ValueError(
                f"{type(self).__name__}.add_metric: name is missing; type add_metric(value, name='mean_activation')."
            )
        from ...engines.keras3_backend import added_metric

        if isinstance(self, graphs) and isinstance(value, keras.KerasTensor):
            added_metric.add_metric(self, graphs, value, name)
        else:
            added_metric.update(self, value, name)

    keras.layers.Layer.add_metric = add_metric
    _remember_arguments(keras)
    keras.metrics.Metric.__call__ = _noted(keras.metrics.Metric.__call__)
    held = ''
    if keras.backend.backend() == 'jax':
        from ...engines.keras3_backend import held_metrics

        held = ', ' + held_metrics.prepare()
    return 'Layer.add_metric, Metric.__call__' + held


def _remember_arguments(keras: Any) -> None:
    """Let a compiled model be compiled again, when its graph has become another one."""
    made = owner(keras.Model, 'compile')
    original = made.compile

    @functools.wraps(original)
    def compile(model: Any, *args: Any, **kwargs: Any) -> Any:
        from ...engines.keras3_backend.inserted import COMPILED

        result = original(model, *args, **kwargs)
        vars(model)[COMPILED] = args, kwargs
        return result

    made.compile = compile


def _noted(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        vars(self)[_RESULT] = result = original(self, *args, **kwargs)
        return result

    return __call__

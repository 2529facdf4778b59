"""A metric function of a program that gives one number for a batch, beside sample weights.

tf.keras counts this number once for each weight: the result is the mean of the numbers of all batches, each weighted by
the sum of its weights. Keras 3 stops there, because it cannot bring the weights to the shape of one number.
"""

import functools
from typing import Any, Callable, List


def weights_of_metrics(keras: Any) -> str:
    """Let the metrics in `weighted_metrics` be functions that give one number, such as K.mean over all."""
    made, model = keras.metrics.Mean, keras.Model
    made.update_state = _with_weights(made.update_state)
    model._flatten_metrics_in_order = _each_once(model._flatten_metrics_in_order)
    return 'Mean.update_state, the list that Model.evaluate returns'


def _with_weights(original: Callable[..., Any]) -> Callable[..., Any]:
    import keras
    from keras import ops

    @functools.wraps(original)
    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        if _rank(sample_weight) and not _rank(values):
            dtype = keras.backend.standardize_dtype(self.dtype)
            sample_weight = ops.sum(ops.cast(sample_weight, dtype))
        return original(self, values, sample_weight=sample_weight)

    return update_state


def _is_of_both_kinds(logs: Any) -> bool:
    return any(f'weighted_{name}' in logs for name in logs)


def _rank(x: Any) -> int:
    return len(getattr(x, 'shape', ()))


def _each_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """The results of all metrics in order, each once. Keras lists one twice that is weighted and not weighted."""

    @functools.wraps(original)
    def flatten(model: Any, logs: Any) -> Any:
        found = original(model, logs)
        if not isinstance(found, list) or not isinstance(logs, dict) or not _is_of_both_kinds(logs):
            return found
        names: List[str] = []
        for metric in [inner for each in model.metrics for inner in getattr(each, 'metrics', [each])]:
            name = metric.name if metric.name not in names else f'weighted_{metric.name}'
            if name in logs and name not in names:
                names.append(name)
        return [logs[name] for name in [*names, *sorted(name for name in logs if name not in names)]]

    return flatten

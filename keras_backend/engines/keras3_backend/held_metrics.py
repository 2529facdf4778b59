"""Metrics that the call of a layer updates, on JAX.

In a step that Keras compiles for JAX, the call of a layer has the values of its weights, not those of metrics: a metric
that is updated there stops with an error. Here its variables are held by the layer, as states are. The results are put
into the logs at the end of the step.
"""

import functools
from typing import Any, Callable, Dict, Iterator, List

from .vendor import hold, keras, layers_below, state_mapping

# The metrics that add_metric has made for a layer, by their names.
MADE = '_keras_backend_metrics'
_HELD = '_keras_backend_held'


def prepare() -> str:
    """Let Keras train with such metrics."""
    metric, model = keras.metrics.Metric, keras.Model
    variables, reset = metric.variables, metric.reset_state
    metric.variables = property(lambda self: [] if _HELD in vars(self) else variables.fget(self))

    @functools.wraps(reset)
    def reset_state(self: Any) -> None:
        reset(self)
        for variable in vars(self).get(_HELD, ()):
            variable.assign(keras.ops.zeros(variable.shape, variable.dtype))

    metric.reset_state = reset_state
    for name, wrap in (('reset_metrics', _holding), ('train_step', _with_results), ('test_step', _with_results)):
        owner = next(each for each in model.__mro__ if name in vars(each))
        setattr(owner, name, wrap(vars(owner)[name]))
    return 'Metric.variables, Metric.reset_state, Model.reset_metrics, Model.train_step, Model.test_step'


def _of_calls(model: Any) -> Iterator[Any]:
    """Pairs of a layer and a metric that its call updates. The metrics of a model itself belong to its steps."""
    for layer in layers_below(model):
        own = vars(layer).get(MADE, {}).values() if isinstance(layer, keras.Model) else layer._metrics
        for each in own:
            yield layer, each


def _holding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`reset_metrics`, which Keras calls before it collects the variables of a step."""

    @functools.wraps(original)
    def reset_metrics(model: Any, *args: Any, **kwargs: Any) -> Any:
        for layer, metric in _of_calls(model):
            if _HELD not in vars(metric):
                variables = list(metric.variables)
                vars(metric)[_HELD] = variables
                vars(metric)['result'] = _if_known(metric.result, variables)
                hold(layer, variables)
        return original(model, *args, **kwargs)

    return reset_metrics


def _if_known(result: Callable[..., Any], variables: List[Any]) -> Callable[..., Any]:
    """The result of a metric; 0 where its variables have no values, as in a part of a compiled step."""

    @functools.wraps(result)
    def of_values(*args: Any, **kwargs: Any) -> Any:
        known = state_mapping()
        if any(variable._value is None and id(variable) not in known for variable in variables):
            return keras.ops.zeros(())
        return result(*args, **kwargs)

    return of_values


def _with_results(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def step(model: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        logs, state = original(model, state, *args, **kwargs)
        held = [metric for _, metric in _of_calls(model) if _HELD in vars(metric)]
        if not held or not isinstance(logs, dict):
            return logs, state
        found: Dict[str, Any] = dict(logs)
        with keras.StatelessScope(state_mapping=list(zip(model.non_trainable_variables, state[1]))):
            for metric in held:
                result = metric.result()
                found.update(result if isinstance(result, dict) else {metric.name: result})
        return found, state

    return step

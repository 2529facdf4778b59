"""Losses and metrics that are tensors, as `add_loss` and `add_metric` of tf.keras took them."""

import functools
from contextlib import ExitStack
from typing import Any, Callable, Dict, Iterator, List

from ...errors import ArgumentValueError
from .tensors.operations import OwnLayer, registered
from .vendor import BACKEND, hold, in_stateless_scope, in_symbolic_scope, keras, layers_below, state_mapping, unlocked

# -- a layer that takes note -------------------------------------------------------------------------------------------
# A layer that is put before the first output of a model: it passes the output on and takes note of another tensor.


# The arguments of the last `compile` of a model.
COMPILED = '_keras_backend_compiled'


class PassThrough(OwnLayer):
    """Returns its first argument."""

    def compute_output_spec(self, y: Any, value: Any) -> Any:
        """The shape and the dtype of the first argument."""
        return keras.KerasTensor(y.shape, y.dtype)


def insert(model: Any, functional: type, layer: PassThrough, value: Any) -> None:
    """Let the first output of a model of the class `functional` go through the layer, which is given `value`, too."""
    names = list(model.output_names)
    outputs = keras.tree.flatten(model._outputs_struct)
    outputs[0] = layer(outputs[0], value)
    outputs = keras.tree.pack_sequence_as(model._outputs_struct, outputs)
    compiled = vars(model).get(COMPILED)
    functional.__init__(model, model._inputs_struct, outputs, name=model.name)  # type: ignore[misc]
    # Losses and metrics are told for the outputs by these names.
    model.output_names = names
    if compiled is not None:
        model.compile(*compiled[0], **compiled[1])


# -- losses ------------------------------------------------------------------------------------------------------------
# A loss that is a tensor of the graph of a model, as `model.add_loss` of tf.keras took it.


@registered
class AddedLoss(PassThrough):
    """Returns its first argument and adds the second one to the losses of the model that calls it."""

    def call(self, y: Any, loss: Any) -> Any:
        self.add_loss(loss)
        return y

    def get_config(self) -> Dict[str, Any]:
        return {'name': self.name}


def add_loss(model: Any, functional: type, loss: Any) -> None:
    """Give a model of the class `functional` the loss: its first output goes through a layer that adds it."""
    insert(model, functional, AddedLoss(), loss)


# -- metrics -----------------------------------------------------------------------------------------------------------
# A metric that is a tensor, as `add_metric` of tf.keras took it from the call of a layer or from a model.


@registered
class AddedMetric(PassThrough):
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
    insert(model, functional, AddedMetric(name), value)


def _outside_of_graphs() -> Any:
    if BACKEND != 'tensorflow':
        return ExitStack()
    import tensorflow

    return tensorflow.init_scope()


# -- metrics in the call of a layer ------------------------------------------------------------------------------------
# Metrics that the call of a layer updates, on JAX.
#
# In a step that Keras compiles for JAX, the call of a layer has the values of its weights, not those of metrics: a
# metric that is updated there stops with an error. Here its variables are held by the layer, as states are. The
# results are put into the logs at the end of the step.


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
        owner = next(base for base in model.__mro__ if name in vars(base))
        setattr(owner, name, wrap(vars(owner)[name]))
    return 'Metric.variables, Metric.reset_state, Model.reset_metrics, Model.train_step, Model.test_step'


def _of_calls(model: Any) -> Iterator[Any]:
    """Pairs of a layer and a metric that its call updates. The metrics of a model itself belong to its steps."""
    for layer in layers_below(model):
        own = vars(layer).get(MADE, {}).values() if isinstance(layer, keras.Model) else layer._metrics
        for metric in own:
            yield layer, metric


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
        # JAX keeps the order of the results of an OrderedDict.
        results: Dict[str, Any] = logs.copy()
        with keras.StatelessScope(state_mapping=list(zip(model.non_trainable_variables, state[1]))):
            for metric in held:
                result = metric.result()
                results.update(result if isinstance(result, dict) else {metric.name: result})
        return results, state

    return step

"""Metrics: `add_metric`, and the names of outputs and of results."""

import functools
import inspect
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from ..launcher.cures import around, replacing
from .names import compiled_with, functional, owner, prepare_classes, put_around

# -- add_metric --------------------------------------------------------------------------------------------------------
# `add_metric` of layers and models, which Keras 3 does not have. What is added is a metric of `fit` and `evaluate`.


_RESULT = '_keras_backend_result'


def metrics_of_layers(keras: Any) -> str:
    """Let the call of a layer say `self.add_metric(value, name='norm')`, and a program `model.add_metric(tensor)`."""
    graphs = functional(keras)

    def add_metric(self: Any, value: Any, name: Any = None, aggregation: Any = None, **kwargs: Any) -> None:
        # A result of a metric: Keras finds the metric itself in the attributes of the layer.
        if any(vars(metric).pop(_RESULT, None) is value for metric in self._metrics):
            return
        if name is None:
            raise ValueError(
                f"{type(self).__name__}.add_metric: name is missing; type add_metric(value, name='mean_activation')."
            )
        from ...engines.keras3_backend import added

        if isinstance(self, graphs) and isinstance(value, keras.KerasTensor):
            added.add_metric(self, graphs, value, name)
        else:
            added.update(self, value, name)

    keras.layers.Layer.add_metric = add_metric
    _remember_arguments(keras)
    keras.metrics.Metric.__call__ = _noted(keras.metrics.Metric.__call__)
    held = ''
    if keras.backend.backend() == 'jax':
        from ...engines.keras3_backend import added

        held = ', ' + added.prepare()
    return 'Layer.add_metric, Metric.__call__' + held


def _remember_arguments(keras: Any) -> None:
    """Let a compiled model be compiled again, when its graph has become another one."""

    @replacing(owner(keras.Model, 'compile'), 'compile')
    def compile(original: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
        from ...engines.keras3_backend.added import COMPILED

        result = original(model, *args, **kwargs)
        vars(model)[COMPILED] = args, kwargs
        return result


@around
def _noted(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    vars(self)[_RESULT] = result = original(self, *args, **kwargs)
    return result


# -- reset_states ------------------------------------------------------------------------------------------------------
# `reset_states` of metrics, which is `reset_state` since TensorFlow 2.5.


_OF_PROGRAM = '_keras_backend_of_program'


def reset_states(keras: Any) -> str:
    """Give metrics `reset_states`; where a metric of a program defines it alone, Keras calls it between epochs."""
    metric = keras.metrics.Metric
    if hasattr(metric, 'reset_states'):
        return ''

    def reset(self: Any) -> None:
        """Set the metric back, as `reset_state` does."""
        states = [vars(base)['reset_state'] for base in type(self).__mro__ if 'reset_state' in vars(base)]
        # A method of a program that is called so comes here again by `super()`.
        next(state for state in states if not hasattr(state, _OF_PROGRAM))(self)

    reset.__name__ = 'reset_states'
    metric.reset_states = reset
    prepare_classes(metric, _prepare_metric)
    return 'Metric.reset_states'


def _prepare_metric(made: Any) -> None:
    if 'reset_states' in vars(made) and 'reset_state' not in vars(made):

        def reset_state(self: Any) -> None:
            self.reset_states()

        vars(reset_state)[_OF_PROGRAM] = True
        made.reset_state = reset_state


def loss_of_own_steps(keras: Any) -> str:
    """Let `history['loss']` be what a `train_step` of a program returns, where it leaves Keras's own mean untouched.

    Keras 3 gives that mean, which is 0 then, wherever the step returns the names of all metrics.
    """
    name = '_get_metrics_result_or_logs'
    if not hasattr(keras.Model, name):
        return ''

    @replacing(owner(keras.Model, name), name)
    def results(original: Any, model: Any, logs: Any) -> Any:
        chosen = original(model, logs)
        tracker: Any = getattr(model, '_loss_tracker', None)
        is_shown = tracker is not None and any(metric is tracker for metric in model.metrics)
        is_untouched = is_shown and float(tracker.count) == 0
        return (
            {**chosen, 'loss': logs['loss']} if is_untouched and isinstance(logs, dict) and 'loss' in logs else chosen
        )

    return f'Model.{name}'


def compiled_metrics(keras: Any) -> str:
    """Give `model.compiled_metrics` the list `metrics`: those that the model was compiled with."""
    holder = owner(keras.Model, 'compiled_metrics') if hasattr(keras.Model, 'compiled_metrics') else None
    prop = vars(holder)['compiled_metrics'] if holder is not None else None
    if holder is None or not isinstance(prop, property) or prop.fget is None:
        return ''
    original = prop.fget

    def get(model: Any) -> Any:
        compiled = original(model)
        if compiled is not None and not hasattr(compiled, 'metrics'):
            compiled.metrics = compiled_with(model)
        return compiled

    holder.compiled_metrics = property(get, doc=prop.__doc__)
    return 'Model.compiled_metrics.metrics'


# -- names of outputs and results --------------------------------------------------------------------------------------
# Outputs of models: those of Sequential, metrics and weights of several, and the names of the results.


_TAKING_WEIGHTS = ('fit', 'evaluate', 'train_on_batch', 'test_on_batch')
_METRICS = ('metrics', 'weighted_metrics')
# The order of the results of a model, from one `compile` to the next. To ask for it computes all results.
_ORDER = '_keras_backend_order'


def outputs_of_sequential(keras: Any) -> str:
    """Give `Sequential` the attributes `input` and `output` before it is called, as its `inputs` and `outputs` are."""
    changed = []
    for name in ('input', 'output'):
        if not isinstance(vars(keras.Sequential).get(name), property):
            setattr(keras.Sequential, name, property(_only(name)))
            changed.append(f'Sequential.{name}')
    return ', '.join(changed)


def _only(name: str) -> Callable[[Any], Any]:
    def get(model: Any) -> Any:
        tensors = getattr(model, name + 's', None)
        if not tensors:
            raise AttributeError(f'The model {model.name} has no {name} before it is built.')
        return tensors[0] if len(tensors) == 1 else tensors

    return get


def names_of_shared_outputs(keras: Any) -> str:
    """Give each output of a model a name of its own: `dense`, `dense_1` for two calls of one layer, as tf.keras does.

    In Keras 3 both are `dense`. Their losses and metrics are then one, which has the numbers of the last output.
    """
    graph_class = functional(keras)
    original = graph_class.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        names = getattr(self, 'output_names', ())
        # The keys of a dict are names already.
        if len(set(names)) < len(names) and not isinstance(self.output, dict):
            self.output_names = _numbered(names)

    # Keras looks for the arguments of a model where it makes one of a configuration.
    vars(__init__)['__signature__'] = inspect.signature(original)
    graph_class.__init__ = __init__
    return 'Model.output_names'


def _numbered(names: Sequence[str]) -> List[str]:
    known: List[str] = []
    for name in names:
        number, new = 0, name
        while new in known:
            number += 1
            new = f'{name}_{number}'
        known.append(new)
    return known


def metrics_of_all_outputs(keras: Any) -> str:
    """Let `metrics=['mae']` count for each output, as in tf.keras. Keras 3 takes one of the list for each output.

    The results of a metric that is named by its class have the usual name of the metric: 'MeanSquaredError' gives
    'mean_squared_error' in `history`, and 'MeanSquaredError' in Keras 3.
    """
    return put_around(keras.Model, ('compile',), _for_each_output)


def losses_of_some_outputs(keras: Any) -> str:
    """Let `history` have 'a_loss' where `a` is the only one of several outputs that has a loss, as in tf.keras."""
    losses = getattr(import_module('keras.src.trainers.compile_utils'), 'CompileLoss', None)
    return '' if losses is None else put_around(losses, ('build',), _with_the_only_one, keras.metrics.Mean)


@around
def _with_the_only_one(original: Any, mean: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    result = original(self, *args, **kwargs)
    name = getattr(self._flat_losses[0], 'name', None) if len(self._flat_losses) == 1 else None
    if name and len(self.output_names or ()) > 1 and not self._metrics:
        # Keras makes such means where there are several losses, and updates those that are here.
        self._metrics.append(mean(name=f'{name}_loss'))
    return result


def weights_by_names(keras: Any) -> str:
    """Let `sample_weight={'main': w}` name outputs; the others have weights of 1."""
    return put_around(keras.Model, _TAKING_WEIGHTS, _by_names)


def metrics_names(keras: Any) -> str:
    """Let `model.metrics_names` name the results, and `evaluate` give those of several outputs in their order.

    Keras 3 has 'compile_metrics' for all metrics, and puts the results of several outputs in the order of the alphabet.
    """
    model = keras.Model
    owner(model, 'metrics_names').metrics_names = property(_names_of_results)
    model._flatten_metrics_in_order = _by_outputs(model._flatten_metrics_in_order)
    return 'Model.metrics_names, the list that Model.evaluate returns'


@around
def _by_outputs(original: Any, model: Any, logs: Any) -> Any:
    if isinstance(logs, dict) and len(_names(model) or _keys(model)) > 1:
        names = vars(model).get(_ORDER, ())
        if set(names) != set(logs):
            names = vars(model)[_ORDER] = _names_of_results(model)
        if set(names) == set(logs):
            return [logs[name] for name in names]
    return original(model, logs)


def _for_each_output(original: Callable[..., Any]) -> Callable[..., Any]:
    parameters = list(inspect.signature(original).parameters)[1:]

    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:
        # All that was given by position up to the metrics.
        kwargs.update(zip(parameters, args))
        vars(self).pop(_ORDER, None)
        names = _names(self) or []
        for name in _METRICS:
            if kwargs.get(name):
                kwargs[name] = _of_each(self, names, _of_classes(kwargs[name]))
        loss = kwargs.get('loss')
        weights = kwargs.get('loss_weights')
        if len(names) > 1 and isinstance(weights, (list, tuple, dict)) and not _is_nested(loss):
            # One loss for all outputs, and weights for each.
            by_name = isinstance(weights, dict)
            kwargs['loss'] = dict.fromkeys(names, loss) if by_name else [loss] * len(names)
        if isinstance(loss, dict) and set(loss) <= set(names) and not isinstance(self.output, dict):
            if any(loss.get(name) is None for name in names):
                # Keras 3 takes None in a list alone.
                kwargs['loss'] = [loss.get(name) for name in names]
                if isinstance(weights, dict):
                    kwargs['loss_weights'] = [weights.get(name, 1.0) for name in names]
        return original(self, **kwargs)

    return compile


def _of_each(model: Any, names: List[str], metrics: Any) -> Any:
    """The metrics of each output, where one list is given for all of them."""
    if len(names) < 2 or not isinstance(metrics, list) or any(map(_is_nested, metrics)):
        return metrics
    copies = [metrics, *[[_again(metric) for metric in metrics] for _ in names[1:]]]
    return dict(zip(names, copies)) if isinstance(model.output, dict) else copies


def _of_classes(metrics: Any) -> Any:
    """The same metrics, with objects in the place of names of classes."""
    if isinstance(metrics, dict):
        return {key: _of_classes(value) for key, value in metrics.items()}
    if isinstance(metrics, (list, tuple)):
        return [_of_classes(value) for value in metrics]
    metric_class = getattr(import_module('keras').metrics, metrics, None) if isinstance(metrics, str) else None
    # tf.keras chooses one of several functions for 'Accuracy', as Keras 3 does.
    if not isinstance(metric_class, type) or metrics == 'Accuracy':
        return metrics
    return metric_class(name='kullback_leibler_divergence') if metrics == 'KLDivergence' else metric_class()


def _is_nested(metric: Any) -> bool:
    return metric is None or isinstance(metric, (list, tuple, dict))


def _again(metric: Any) -> Any:
    """The same metric for another output: a metric that counts needs a count of its own."""
    return type(metric).from_config(metric.get_config()) if hasattr(metric, 'update_state') else metric


def _by_names(original: Callable[..., Any]) -> Callable[..., Any]:
    parameters = list(inspect.signature(original).parameters)[1:]
    at = parameters.index('sample_weight')

    @functools.wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(args[at] if len(args) > at else kwargs.get('sample_weight'), dict):
            kwargs.update(zip(parameters, args))
            args, names = (), _names(self)
            # Keras takes names where the outputs of the model have them.
            if names and not isinstance(self.output, dict) and set(kwargs['sample_weight']) <= set(names):
                targets = kwargs.get('y')
                listed = [targets[name] for name in names] if isinstance(targets, dict) else targets
                kwargs['y'], kwargs['sample_weight'] = _in_order(names, listed, kwargs['sample_weight'])
        return original(self, *args, **kwargs)

    return call


def _in_order(names: List[str], targets: Any, weights: Dict[str, Any]) -> Any:
    """(targets, weights), with as many of each as the model has outputs."""
    if len(names) == 1:
        return targets[0] if isinstance(targets, list) else targets, next(iter(weights.values()), None)
    return targets, [weights[n] if n in weights else np.ones(len(y), 'float32') for n, y in zip(names, targets)]


def _names(model: Any) -> Optional[List[str]]:
    """The names of the outputs; None of a model that is not made of them."""
    names: Optional[List[str]] = getattr(model, 'output_names', None)
    # A dict of outputs has names of its own, and `output_names` those of the layers.
    return sorted(model.output) if names and isinstance(model.output, dict) else names


def _keys(model: Any) -> List[str]:
    """The keys of the outputs of a model with a `call` of its own, in the order of tf.keras, where they have losses."""
    loss: Any = getattr(model, '_compile_loss', None)
    if not isinstance(getattr(loss, '_y_pred_build_structure', None), dict):
        return []
    return sorted([metric.name[: -len('_loss')] for metric in loss.metrics if metric.name.endswith('_loss')])


def _names_of_results(self: Any) -> List[str]:
    # Metrics that have seen no batch do not know their names.
    if not all([getattr(metric, 'built', True) for metric in self.metrics]):
        return []
    results, outputs = list(self.get_metrics_result()), _names(self) or _keys(self)
    losses = ['loss', *[f'{name}_loss' for name in outputs]]

    def place(name: str) -> int:
        fits = [output for output in outputs if name.startswith(output + '_')]
        return outputs.index(max(fits, key=len)) if fits else len(outputs)

    rest = sorted([name for name in results if name not in losses], key=place)
    return [*[name for name in losses if name in results], *rest]

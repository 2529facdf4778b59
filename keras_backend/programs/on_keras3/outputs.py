"""Models with several outputs: their names, losses, metrics and weights, and the names and the order of results."""

import functools
import inspect
import sys
from collections import OrderedDict
from importlib import import_module
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ..launcher.cures import around
from .names import functional, owner, put_around

# -- names of outputs and results --------------------------------------------------------------------------------------
# Outputs of models: those of Sequential, metrics and weights of several, and the names of the results.


_TAKING_WEIGHTS = ('fit', 'evaluate', 'train_on_batch', 'test_on_batch')
_METRICS = ('metrics', 'weighted_metrics')
# The arguments of `compile` by position in tf.keras. In Keras 3 the weights of losses come before the metrics.
_OF_COMPILE = ('optimizer', 'loss', 'metrics', 'loss_weights', 'weighted_metrics', 'run_eagerly', 'steps_per_execution')
# The names of the results of a model in Keras 3, and those of tf.keras in their order, from one `compile` to the next.
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
    """Name losses and metrics of outputs as tf.keras does, where Keras 3 has no names for the outputs.

    `history` has 'a_loss' where `a` is the only one of several outputs that has a loss. The outputs of a class of
    models that gives a list are `output_1`, `output_2`; one list of metrics counts for each of them.
    """
    compiled = import_module('keras.src.trainers.compile_utils')
    losses, metrics = getattr(compiled, 'CompileLoss', None), getattr(compiled, 'CompileMetrics', None)
    if losses is None or metrics is None:
        return ''
    put_around(metrics, ('build',), _metrics_of_a_list)
    return put_around(losses, ('build',), _losses_of_a_list, keras.metrics.Mean) + ', CompileMetrics.build'


@around
def _losses_of_a_list(original: Any, mean: Any, self: Any, y_true: Any, y_pred: Any) -> Any:
    _name_outputs(self, y_pred)
    result = original(self, y_true, y_pred)
    name = getattr(self._flat_losses[0], 'name', None) if len(self._flat_losses) == 1 else None
    if name and isinstance(y_pred, (list, tuple, dict)) and len(y_pred) > 1 and not self._metrics:
        # Keras makes such means where there are several losses, and updates those that are here.
        self._metrics.append(mean(name=f'{name}_loss'))
    return result


@around
def _metrics_of_a_list(original: Any, self: Any, y_true: Any, y_pred: Any) -> Any:
    _name_outputs(self, y_pred)
    keys = sorted(y_pred) if self.output_names is None and isinstance(y_pred, dict) else self.output_names
    for name in ('_user_metrics', '_user_weighted_metrics'):
        given = getattr(self, name, None)
        if given and keys:
            setattr(self, name, _of_each(isinstance(y_pred, dict), keys, given))
    return original(self, y_true, y_pred)


def _name_outputs(compiled: Any, y_pred: Any) -> None:
    if compiled.output_names is None and isinstance(y_pred, (list, tuple)) and len(y_pred) > 1:
        compiled.output_names = [f'output_{number}' for number in range(1, len(y_pred) + 1)]


def weights_by_names(keras: Any) -> str:
    """Let `sample_weight={'main': w}` name outputs; the others have weights of 1."""
    return put_around(keras.Model, _TAKING_WEIGHTS, _by_names)


def metrics_names(keras: Any) -> str:
    """Let logs, `history` and `evaluate` have the results under the names and in the order of tf.keras.

    Keras 3 has them in the order of the alphabet, by the keys of a dict of outputs, where tf.keras takes the names of
    layers, and `metrics_names` has 'compile_metrics' for all metrics.
    """
    model = keras.Model
    owner(model, 'metrics_names').metrics_names = property(_names_of_results)
    model._flatten_metrics_in_order = _as_named(model._flatten_metrics_in_order)
    changed = [put_around(model, ('get_metrics_result',), _named), *_in_the_order_of_logs()]
    return ', '.join(['Model.metrics_names, the list that Model.evaluate returns', *changed])


def _in_the_order_of_logs() -> Iterable[str]:
    """Let the function that makes numbers of logs leave them in their order."""
    name = 'pythonify_logs'
    original = getattr(import_module('keras.src.utils.python_utils'), name, None)
    if original is None:
        return
    changed = _unsorted(original)
    for module in [m for home, m in sys.modules.items() if home.startswith('keras.src.')]:
        if vars(module).get(name) is original:
            setattr(module, name, changed)
            yield f'{module.__name__}.{name}'


@around
def _unsorted(original: Any, logs: Any) -> Any:
    numbers = original(logs)
    return {**{name: numbers[name] for name in logs or () if name in numbers}, **numbers}


@around
def _as_named(original: Any, model: Any, logs: Any) -> Any:
    names = list(vars(model).get(_ORDER, {}).values())
    if isinstance(logs, dict) and len(names) > 1 and set(names) == set(logs):
        return [logs[name] for name in names]
    return original(model, logs)


@around
def _named(original: Any, model: Any) -> Any:
    results = original(model)
    order: Dict[str, str] = vars(model).get(_ORDER, {})
    if order.keys() != results.keys():
        order = vars(model)[_ORDER] = _order(model, list(results))
    # JAX sorts the keys of other dicts that a compiled step returns.
    return OrderedDict([(new, results[name]) for name, new in order.items()])


def _for_each_output(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.update(zip(_OF_COMPILE, args))
        vars(self).pop(_ORDER, None)
        names = _names(self) or []
        for name in _METRICS:
            if kwargs.get(name):
                metrics = _of_classes(_of_sequential(self, kwargs[name]))
                metrics = [metrics] if isinstance(metrics, str) or callable(metrics) else metrics
                kwargs[name] = _of_each(isinstance(getattr(self, 'output', None), dict), names, metrics)
        loss = kwargs['loss'] = _of_sequential(self, kwargs.get('loss'))
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


def _of_sequential(model: Any, given: Any) -> Any:
    """What is given for the output of a `Sequential` by the name of its last layer."""
    is_named = isinstance(given, dict) and not getattr(model, 'output_names', None) and hasattr(model, 'pop')
    return given[model.layers[-1].name] if is_named and list(given) == [model.layers[-1].name] else given


def _of_each(by_keys: bool, names: List[str], metrics: Any) -> Any:
    """The metrics of each output, where one list is given for all of them."""
    if len(names) < 2 or not isinstance(metrics, (list, tuple)) or any(map(_is_nested, metrics)):
        return metrics
    copies = [list(metrics), *[[_again(metric) for metric in metrics] for _ in names[1:]]]
    return dict(zip(names, copies)) if by_keys else copies


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


def targets_of_outputs(model: Any, y: Any, y_pred: Any) -> Any:
    """Targets that are given by names, for a model with one output, or with outputs that have no loss and no target.

    Keras 3 asks for a target of each output. One without a loss and metrics may be any tensor: it is not read.
    """
    if not isinstance(y, dict):
        return y
    names = getattr(model, 'output_names', None)
    if not isinstance(y_pred, (list, tuple, dict)):
        return _of_sequential(model, y) if not names else y.get(names[0], y)
    outputs = y_pred if isinstance(y_pred, dict) else dict(zip(names or (), y_pred))
    compiled = getattr(model, '_compile_metrics', None)
    given = [model.loss, getattr(compiled, '_user_metrics', None), getattr(compiled, '_user_weighted_metrics', None)]
    unread = {name: x for name, x in outputs.items() if name not in y and not any(_has(g, name, names) for g in given)}
    return {**y, **unread}


def _has(given: Any, name: str, names: Any) -> bool:
    """Whether something is given for the output of this name."""
    if isinstance(given, dict):
        return given.get(name) is not None
    if isinstance(given, (list, tuple)) and names and len(given) == len(names):
        return given[list(names).index(name)] is not None
    return given is not None


def _outputs(model: Any) -> List[Tuple[str, str]]:
    """The outputs of a model in the order of tf.keras: the name in Keras 3, and the one in tf.keras."""
    names: List[str] = list(getattr(model, 'output_names', None) or ())
    if names:
        keys = _names(model) or names
        # tf.keras has the names of the layers for the results, and the keys for all that is given.
        return list(zip(keys, _numbered(names) if isinstance(model.output, dict) else keys))
    loss: Any = getattr(model, '_compile_loss', None)
    structure = getattr(loss, '_y_pred_build_structure', None)
    keys = sorted(structure) if isinstance(structure, dict) else list(getattr(loss, 'output_names', None) or ())
    return list(zip(keys, keys))


def _order(model: Any, results: List[str]) -> Dict[str, str]:
    """The names of results in Keras 3 in the order of tf.keras, and the names there."""
    outputs = _outputs(model)
    if len(outputs) < 2:
        listed = model._flatten_metrics_in_order({name: name for name in results})
        listed = listed if isinstance(listed, list) else [listed]
        return {name: name for name in (listed if sorted(listed) == sorted(results) else results)}
    named = dict(outputs)
    keys = list(named)
    losses = ['loss', *[f'{key}_loss' for key in keys]]
    # The output of each result. One name of an output may begin another one.
    of_output = {
        name: max([key for key in keys if name.startswith(key + '_')], key=len, default='') for name in results
    }

    def place(name: str) -> int:
        return keys.index(of_output[name]) if of_output[name] else len(keys)

    rest = sorted([name for name in results if name not in losses], key=place)
    own = _names_of_others(model)
    return {
        name: named[of_output[name]] + name[len(of_output[name]) :] if of_output[name] and name not in own else name
        for name in [*[loss for loss in losses if loss in results], *rest]
    }


def _names_of_others(model: Any) -> List[str]:
    """The names of the metrics that the model was not compiled with."""
    compiled, losses = getattr(model, '_compile_metrics', None), getattr(model, '_compile_loss', None)
    of_losses = [id(metric) for metric in getattr(losses, 'metrics', ())]
    return [metric.name for metric in model.metrics if metric is not compiled and id(metric) not in of_losses]


def _names_of_results(self: Any) -> List[str]:
    # Metrics and losses of several outputs do not know their names before they have seen a batch.
    losses = [getattr(self, '_compile_loss', None)] if len(_outputs(self)) > 1 else []
    if not all([getattr(known, 'built', True) for known in [*losses, *self.metrics]]):
        return []
    return list(self.get_metrics_result())

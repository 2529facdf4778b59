"""Metrics: `add_metric`, and those that a model was compiled with."""

from typing import Any

from ..launcher.cures import around, replacing
from .names import compiled_with, functional, owner, prepare_classes

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

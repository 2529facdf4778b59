"""Targets and outputs have the ranks in losses and metrics that they have in tf.keras.

Where an output is of shape (n, 1), tf.keras gives targets of shape (n,) another axis. Keras 3 hands them to metrics as
they are. A metric of one's own then compares each target with each output: a matrix of (n, n), a wrong number, and no
error.
"""

import functools
import inspect
from typing import Any, Callable


def ranks_of_targets(keras: Any) -> str:
    """Give targets of one axis a second one where outputs have two, and metrics equal ranks."""
    for name in ('compute_loss', 'compute_metrics'):
        setattr(keras.Model, name, _with_ranks(getattr(keras.Model, name)))
    made = keras.metrics.MeanMetricWrapper
    made.update_state = _of_equal_ranks(made.update_state)
    return 'Model.compute_loss, Model.compute_metrics, MeanMetricWrapper.update_state'


def _with_ranks(original: Callable[..., Any]) -> Callable[..., Any]:
    parameters = inspect.signature(original)

    @functools.wraps(original)
    def compute(*args: Any, **kwargs: Any) -> Any:
        given = parameters.bind(*args, **kwargs).arguments
        if given.get('y') is not None and given.get('y_pred') is not None:
            names = getattr(given['self'], 'output_names', None)
            given['y'] = _ranked(given['y'], given['y_pred'], names)
        return original(**given)

    return compute


def _ranked(y: Any, y_pred: Any, names: Any = None) -> Any:
    """Targets, a structure of them, for the outputs."""
    if isinstance(y, dict):
        if not isinstance(y_pred, dict):
            y_pred = dict(zip(names or (), y_pred if isinstance(y_pred, (list, tuple)) else [y_pred]))
        return {name: _ranked(each, y_pred[name]) if name in y_pred else each for name, each in y.items()}
    if isinstance(y, (list, tuple)):
        outputs = y_pred if isinstance(y_pred, (list, tuple)) else [y_pred]
        if isinstance(y_pred, dict) or len(outputs) != len(y):
            return y
        return type(y)([_ranked(*pair) for pair in zip(y, outputs)])
    if isinstance(y_pred, (list, tuple)) and len(y_pred) == 1:
        y_pred = y_pred[0]
    return y[:, None] if (_rank(y), _rank(y_pred)) == (1, 2) else y


def _rank(x: Any) -> Any:
    return len(x.shape) if getattr(x, 'shape', None) is not None else None


def _of_equal_ranks(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def update_state(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        ranks = _rank(y_true), _rank(y_pred)
        if None not in ranks and abs(ranks[0] - ranks[1]) == 1:
            if ranks[0] > ranks[1] and y_true.shape[-1] == 1:
                y_true = y_true[..., 0]
            elif ranks[0] < ranks[1] and y_pred.shape[-1] == 1:
                y_pred = y_pred[..., 0]
        return original(self, y_true, y_pred, sample_weight=sample_weight)

    return update_state

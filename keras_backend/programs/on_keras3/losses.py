"""Losses and weights of samples as tf.keras counts them."""

import functools
import inspect
import math
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from ...errors import ArgumentValueError
from ..launcher.cures import around
from .names import put_around
from .outputs import targets_of_outputs
from .training import after_epochs

# -- ranks of targets --------------------------------------------------------------------------------------------------
# Targets and outputs have the ranks in losses and metrics that they have in tf.keras.
#
# Where an output is of shape (n, 1), tf.keras gives targets of shape (n,) another axis. Keras 3 hands them to metrics
# as they are. A metric of one's own then compares each target with each output: a matrix of (n, n), a wrong number,
# and no error.


def ranks_of_targets(keras: Any) -> str:
    """Give targets of one axis a second one where outputs have two, and metrics equal ranks."""
    for name in ('compute_loss', 'compute_metrics'):
        setattr(keras.Model, name, _with_ranks(getattr(keras.Model, name)))
    metric_class = keras.metrics.MeanMetricWrapper
    metric_class.update_state = _of_equal_ranks(metric_class.update_state)
    return 'Model.compute_loss, Model.compute_metrics, MeanMetricWrapper.update_state'


def _with_ranks(original: Callable[..., Any]) -> Callable[..., Any]:
    parameters = inspect.signature(original)

    @functools.wraps(original)
    def compute(*args: Any, **kwargs: Any) -> Any:
        arguments = parameters.bind(*args, **kwargs).arguments
        if arguments.get('y') is not None and arguments.get('y_pred') is not None:
            model = arguments['self']
            y = targets_of_outputs(model, arguments['y'], arguments['y_pred'])
            arguments['y'] = _ranked(y, arguments['y_pred'], getattr(model, 'output_names', None))
        return original(**arguments)

    return compute


def _ranked(y: Any, y_pred: Any, names: Any = None) -> Any:
    """Targets, a structure of them, for the outputs."""
    if isinstance(y, dict):
        if not isinstance(y_pred, dict):
            y_pred = dict(zip(names or (), y_pred if isinstance(y_pred, (list, tuple)) else [y_pred]))
        return {name: _ranked(target, y_pred[name]) if name in y_pred else target for name, target in y.items()}
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


@around
def _of_equal_ranks(original: Any, self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
    ranks = _rank(y_true), _rank(y_pred)
    if None not in ranks and abs(ranks[0] - ranks[1]) == 1:
        if ranks[0] > ranks[1] and y_true.shape[-1] == 1:
            y_true = y_true[..., 0]
        elif ranks[0] < ranks[1] and y_pred.shape[-1] == 1:
            y_pred = y_pred[..., 0]
    return original(self, y_true, y_pred, sample_weight=sample_weight)


# -- train_on_batch ----------------------------------------------------------------------------------------------------
# `train_on_batch` and `test_on_batch` give losses and metrics what `fit` gives them.
#
# Keras 3 hands the arrays of the program on: on TensorFlow as float64, on PyTorch as arrays. A metric stops at
# `y_true * y_pred`, or changes the data by `y_true *= 2`.


def targets_of_batches(keras: Any) -> str:
    """Let metrics of `train_on_batch` and `test_on_batch` be given tensors of the usual dtype."""
    return put_around(keras.Model, ('train_on_batch', 'test_on_batch'), _with_tensors, keras)


def _with_tensors(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    is_torch = keras.backend.backend() == 'torch'

    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in 'biuf':
            return value
        if value.dtype == np.float64:
            value = value.astype(keras.config.floatx() if keras.config.floatx() != 'bfloat16' else 'float32')
        return keras.ops.convert_to_tensor(value) if is_torch else value

    @functools.wraps(original)
    def call(model: Any, x: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        return original(model, x, keras.tree.map_structure(tensor, y), *args, **kwargs)

    return call


# -- add_loss ----------------------------------------------------------------------------------------------------------
# The loss in `history` and `evaluate` of a model that is compiled without a loss, and learns by `add_loss`.
#
# tf.keras takes the mean over batches there, the smaller last one counting as much as the others. Where `add_loss`
# gets one number for each sample, their sum is trained, and their mean over all samples is told. Keras 3 weights
# batches by their sizes, and tells the sum.


# How many numbers the losses of the batch are, in the metric of the loss.
_COUNT = '_keras_backend_count'


def means_of_losses(keras: Any) -> str:
    """Let the loss of a model that is compiled without one be the mean over batches, as in tf.keras."""
    keras.Model.compute_loss = _counting(keras.Model.compute_loss)
    keras.metrics.Mean.update_state = _by_count(keras.metrics.Mean.update_state)
    put_around(keras.Model, ('compile',), _without_loss)
    return 'Model.compute_loss, Model.compile, Mean.update_state'


@around
def _counting(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    loss = original(self, *args, **kwargs)
    tracker = getattr(self, '_loss_tracker', None)
    if tracker is not None:
        vars(tracker)[_COUNT] = _count(self.losses) if getattr(self, 'loss', None) is None else None
    return loss


def _count(losses: Sequence[Any]) -> Any:
    """How many numbers each of the losses is: 1, or the number of samples where all of them have an axis."""
    from keras import ops

    shapes = [ops.shape(loss) for loss in losses]
    return functools.reduce(lambda a, b: a * b, shapes[0]) if shapes and all(shapes) else 1


@around
def _by_count(original: Any, self: Any, values: Any, sample_weight: Any = None) -> Any:
    from keras import ops

    count = vars(self).get(_COUNT)
    if count is not None:
        count = ops.cast(count, self.dtype)
        values, sample_weight = ops.cast(values, self.dtype) / count, count
    return original(self, values, sample_weight=sample_weight)


def _without_loss(original: Callable[..., Any]) -> Callable[..., Any]:
    at = list(inspect.signature(original).parameters).index('loss') - 1

    @functools.wraps(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) > at and _is_empty(args[at]):
            args = (*args[:at], None, *args[at + 1 :])
        elif _is_empty(kwargs.get('loss')):
            kwargs['loss'] = None
        return original(self, *args, **kwargs)

    return compile


def _is_empty(loss: Any) -> bool:
    return isinstance(loss, (list, tuple, dict)) and not loss


# -- class_weight ------------------------------------------------------------------------------------------------------
# `class_weight` beside weights of samples, and beside a generator of batches.
#
# tf.keras multiplies both weights. Keras 3 refuses the two together, and refuses `class_weight` of a Python generator.


def weights_of_classes(keras: Any) -> str:
    """Let `fit` and `train_on_batch` take `class_weight` together with weights of samples, and of generators."""
    sequence = keras.utils.PyDataset
    fit = put_around(keras.Model, ('fit',), _fit, sequence, _weighted_sequences(sequence))
    return f'{fit}, {put_around(keras.Model, ("train_on_batch",), _train_on_batch)}'


def _named(original: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call of a method by their names."""
    return {**dict(zip(_parameters(original), args)), **kwargs}


@functools.lru_cache(maxsize=None)
def _parameters(method: Callable[..., Any]) -> List[str]:
    """The names of its parameters after `self`. To ask for them takes as long as the call of a small layer."""
    return list(inspect.signature(method).parameters)[1:]


@around
def _train_on_batch(original: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
    named = _named(original, args, kwargs)
    if named.get('class_weight') is None or named.get('sample_weight') is None:
        return original(model, *args, **kwargs)
    classes = named.pop('class_weight')
    named['sample_weight'] = _product(named.get('y'), named['sample_weight'], classes)
    return original(model, **named)


@around
def _fit(original: Any, sequence: Any, weighted_sequence: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
    named = _named(original, args, kwargs)
    classes: Any = named.get('class_weight')
    batches: Any = named.get('x')
    if classes is None:
        return original(model, *args, **kwargs)
    if hasattr(batches, '__next__'):
        named['x'] = (_weighted(batch, classes) for batch in batches)
    elif isinstance(batches, sequence):
        named['x'] = weighted_sequence(batches, classes)
    elif named.get('sample_weight') is not None:
        _keep_validation(named)
        named['sample_weight'] = _product(named.get('y'), named['sample_weight'], classes)
    else:
        return original(model, *args, **kwargs)
    del named['class_weight']
    return original(model, **named)


def _keep_validation(named: Dict[str, Any]) -> None:
    """Split what `validation_split` is to split: the weights of classes are for the training alone."""
    import keras

    share = named.get('validation_split') or 0.0
    if not share or named.get('validation_data') is not None:
        return
    arrays = named['x'], named['y'], named['sample_weight']
    at = math.floor(len(named['y']) * (1.0 - share))
    named['validation_data'] = tuple(keras.tree.map_structure(lambda part: part[at:], list(arrays)))
    named['x'], named['y'], named['sample_weight'] = keras.tree.map_structure(lambda part: part[:at], list(arrays))
    del named['validation_split']


def _weighted(batch: Any, classes: Dict[int, float]) -> Tuple[Any, Any, Any]:
    """(x, y, weights) of a batch that a program makes."""
    if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
        raise ArgumentValueError(
            'fit: class_weight needs batches (x, y) or (x, y, sample_weight), and a batch is '
            f'{type(batch).__name__}{f" of {len(batch)} parts" if isinstance(batch, (tuple, list)) else ""}; '
            'leave out class_weight, or let the generator give targets.'
        )
    x, y = batch[:2]
    return x, y, _product(y, batch[2] if len(batch) == 3 else None, classes)


def _product(y: Any, weights: Any, classes: Dict[int, float]) -> Any:
    """The weights of samples, each times the weight of its class. A class without a weight has 1, as in Keras 3."""
    y, weights = _single(y), _single(weights)
    targets = np.asarray(y)
    if targets.ndim > 2:
        raise ArgumentValueError(
            f'class_weight: the targets have {targets.ndim} axes, and a sample has to have one class; '
            'give sample_weight alone.'
        )
    numbers = targets.argmax(-1) if targets.ndim == 2 and targets.shape[-1] > 1 else targets.reshape(-1)
    of_classes = np.array([classes.get(int(number), 1.0) for number in numbers], 'float32')
    if weights is None:
        return of_classes
    weights = np.asarray(weights)
    return weights * of_classes.reshape((-1,) + (1,) * (weights.ndim - 1))


def _single(value: Any) -> Any:
    """The part for the only output of a model."""
    is_of_outputs = isinstance(value, dict) or (isinstance(value, (list, tuple)) and hasattr(value[0], 'shape'))
    if not is_of_outputs:
        return value
    values: List[Any] = list(value.values() if isinstance(value, dict) else value)
    if len(values) != 1:
        raise ArgumentValueError(
            f'class_weight: the model has {len(values)} outputs, and class_weight is for models with one; give '
            'sample_weight a list with one array for each output.'
        )
    return values[0]


def _weighted_sequences(sequence: Any) -> Any:
    """The class of sequences whose batches have the weights of their classes."""

    class WeightedSequence(sequence):
        def __init__(self, batches: Any, classes: Dict[int, float]) -> None:
            super().__init__(batches.workers, batches.use_multiprocessing, batches.max_queue_size)
            self._batches, self._classes = batches, classes

        @property
        def num_batches(self) -> Any:
            return self._batches.num_batches

        def __len__(self) -> int:
            return len(self._batches)

        def __getitem__(self, index: int) -> Any:
            return _weighted(self._batches[index], self._classes)

        def on_epoch_begin(self) -> None:
            self._batches.on_epoch_begin()

        @after_epochs
        def on_epoch_end(self) -> None:
            self._batches.on_epoch_end()

    return WeightedSequence


# -- metrics of programs -----------------------------------------------------------------------------------------------
# A metric function of a program that gives one number for a batch, beside sample weights.
#
# tf.keras counts this number once for each weight: the result is the mean of the numbers of all batches, each weighted
# by the sum of its weights. Keras 3 stops there, because it cannot bring the weights to the shape of one number.


def weights_of_metrics(keras: Any) -> str:
    """Let the metrics in `weighted_metrics` be functions that give one number, such as K.mean over all."""
    mean, model = keras.metrics.Mean, keras.Model
    mean.update_state = _with_weights(mean.update_state)
    model._flatten_metrics_in_order = _each_once(model._flatten_metrics_in_order)
    return 'Mean.update_state, the list that Model.evaluate returns'


def _with_weights(original: Callable[..., Any]) -> Callable[..., Any]:
    import keras
    from keras import ops

    @functools.wraps(original)
    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        if _known_rank(sample_weight) and not _known_rank(values):
            dtype = keras.backend.standardize_dtype(self.dtype)
            sample_weight = ops.sum(ops.cast(sample_weight, dtype))
        return original(self, values, sample_weight=sample_weight)

    return update_state


def _is_of_both_kinds(logs: Any) -> bool:
    return any(f'weighted_{name}' in logs for name in logs)


def _known_rank(x: Any) -> int:
    return len(getattr(x, 'shape', ()))


@around
def _each_once(original: Any, model: Any, logs: Any) -> Any:
    """The results of all metrics in order, each once. Keras lists one twice that is weighted and not weighted."""
    results = original(model, logs)
    if not isinstance(results, list) or not isinstance(logs, dict) or not _is_of_both_kinds(logs):
        return results
    names: List[str] = []
    for metric in [inner for outer in model.metrics for inner in getattr(outer, 'metrics', [outer])]:
        name = metric.name if metric.name not in names else f'weighted_{metric.name}'
        if name in logs and name not in names:
            names.append(name)
    return [logs[name] for name in [*names, *sorted(name for name in logs if name not in names)]]

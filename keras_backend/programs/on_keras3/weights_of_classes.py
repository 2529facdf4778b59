"""`class_weight` beside weights of samples, and beside a generator of batches.

tf.keras multiplies both weights. Keras 3 refuses the two together, and refuses `class_weight` of a Python generator.
"""

import functools
import inspect
import math
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ...errors import ArgumentValueError
from .classes_of_keras import owner
from .ends_of_epochs import after_epochs


def weights_of_classes(keras: Any) -> str:
    """Let `fit` and `train_on_batch` take `class_weight` together with weights of samples, and of generators."""
    model = keras.Model
    made = owner(model, 'fit')
    made.fit = _fit(made.fit, keras.utils.PyDataset, _weighted_sequences(keras.utils.PyDataset))
    made = owner(model, 'train_on_batch')
    made.train_on_batch = _train_on_batch(made.train_on_batch)
    return 'Model.fit, Model.train_on_batch'


def _named(original: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call of a method by their names."""
    names = list(inspect.signature(original).parameters)[1:]
    return {**dict(zip(names, args)), **kwargs}


def _train_on_batch(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def train_on_batch(model: Any, *args: Any, **kwargs: Any) -> Any:
        named = _named(original, args, kwargs)
        if named.get('class_weight') is None or named.get('sample_weight') is None:
            return original(model, *args, **kwargs)
        classes = named.pop('class_weight')
        named['sample_weight'] = _product(named.get('y'), named['sample_weight'], classes)
        return original(model, **named)

    return train_on_batch


def _fit(original: Callable[..., Any], sequence: Any, weighted_sequence: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
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

    return fit


def _keep_validation(named: Dict[str, Any]) -> None:
    """Split what `validation_split` is to split: the weights of classes are for the training alone."""
    import keras

    share = named.get('validation_split') or 0.0
    if not share or named.get('validation_data') is not None:
        return
    parts = named['x'], named['y'], named['sample_weight']
    at = math.floor(len(named['y']) * (1.0 - share))
    named['validation_data'] = tuple(keras.tree.map_structure(lambda part: part[at:], list(parts)))
    named['x'], named['y'], named['sample_weight'] = keras.tree.map_structure(lambda part: part[:at], list(parts))
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
    parts: List[Any] = list(value.values() if isinstance(value, dict) else value)
    if len(parts) != 1:
        raise ArgumentValueError(
            f'class_weight: the model has {len(parts)} outputs, and class_weight is for models with one; give '
            'sample_weight a list with one array for each output.'
        )
    return parts[0]


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

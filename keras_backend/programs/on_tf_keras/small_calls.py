"""A short way for one batch of arrays in tf_keras: `fit`, `evaluate`, `predict`, `train_on_batch`, `test_on_batch`.

tf_keras makes a tf.data pipeline for each call, which takes tens of milliseconds. Reinforcement learning calls it with
one row, thousands of times. Here one batch of arrays goes to the model's own step as it is. The model's functions,
callbacks, counters and errors stay those of tf_keras. All other data takes tf_keras's way.

A step is traced for each way, and random numbers begin anew in each trace. A seeded program has to draw what it draws
on tf_keras alone. There a model keeps to its first trace: that of a pipeline, or that of single batches. For the latter
a pipeline is taken apart.

The parts of tf_keras that give the data are replaced for the process: `get_data_handler` and `single_batch_iterator` of
its module `data_adapter`. What they return is used as `DataHandler` and an iterator are used, which a run shows.
"""

import contextlib
import functools
import inspect
import weakref
from importlib import import_module
from types import FrameType
from typing import Any, Callable, Dict, Iterator, MutableMapping, Optional, Tuple

import numpy as np
import tensorflow as tf

DEFAULT_BATCH_SIZE = 32
# The arguments of a call that have the data.
NAMES = ('x', 'y', 'sample_weight')
# What `tf.compat.v1.get_seed(0)` gives as the global seed where no one has set any.
NO_SEED = 87654321
# Variables on one device.
_VARIABLES = import_module('tensorflow.python.ops.resource_variable_ops').BaseResourceVariable
_STEPS = ('train_function', 'test_function', 'predict_function')
# True and False alone. Nothing tracks them.
_FLAGS = ('stop_training', '_self_setattr_tracking', '_called')

# {model: {step: whether its trace is that of single batches}}
_traces: MutableMapping[Any, Dict[str, bool]] = weakref.WeakKeyDictionary()


class BatchSpec(tf.TypeSpec):
    """The type of a Batch for `tf.function`."""

    def __init__(self, specs: Any) -> None:
        self._specs = specs
        self._hash: Optional[int] = None

    # A traced function is looked up by its types in each call, and those of TensorFlow are hashed anew each time.
    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def __eq__(self, other: Any) -> bool:
        return self is other or super().__eq__(other)

    @property
    def value_type(self) -> type:
        return Batch

    @property
    def _component_specs(self) -> Any:
        return self._specs

    def _serialize(self) -> Tuple[Any]:
        return (self._specs,)

    def _to_components(self, value: 'Batch') -> Any:
        return value.data

    def _from_components(self, components: Any) -> 'Batch':
        return Batch(components, self)


class Batch(tf.__internal__.CompositeTensor):
    """An iterator that gives the same batch each time. A `tf.function` takes it as it takes an iterator of tf.data."""

    def __init__(self, data: Any, spec: BatchSpec) -> None:
        self.data, self._spec = data, spec

    @property
    def _type_spec(self) -> BatchSpec:
        return self._spec

    def __iter__(self) -> 'Batch':
        return self

    def __next__(self) -> Any:
        return self.data


def batch(data: Any, any_size: bool) -> Batch:
    """A Batch of tensors, whose number of rows is open in a traced step if `any_size`."""
    if type(data) is tuple and all(isinstance(tensor, tf.Tensor) for tensor in data):
        return Batch(data, _spec(tuple((tuple(tensor.shape), tensor.dtype) for tensor in data), any_size))
    return Batch(
        data, BatchSpec(tf.nest.map_structure(lambda tensor: _of_tensor(tensor.shape, tensor.dtype, any_size), data))
    )


@functools.lru_cache(maxsize=256)
def _spec(tensors: Tuple[Tuple[Tuple[int, ...], Any], ...], any_size: bool) -> BatchSpec:
    return BatchSpec(tuple(_of_tensor(shape, dtype, any_size) for shape, dtype in tensors))


def _of_tensor(shape: Any, dtype: Any, any_size: bool) -> Any:
    return tf.TensorSpec([None, *shape[1:]] if any_size else shape, dtype)


class OneBatch:
    """What `fit`, `evaluate` and `predict` ask of their data: epochs of one step."""

    inferred_steps = 1
    step_increment = 0
    should_sync = False
    _initial_step = 0

    def __init__(self, data: Any, epochs: int, initial_epoch: int, orders: Optional[np.ndarray]) -> None:
        self._data, self._epochs, self._initial_epoch, self._orders = data, epochs, initial_epoch, orders

    def enumerate_epochs(self) -> Iterator[Tuple[int, Batch]]:
        for epoch in range(self._initial_epoch, self._epochs):
            data = self._data
            if self._orders is not None:
                data = _in_order(data, self._orders[epoch - self._initial_epoch])
            yield epoch, batch(data, any_size=True)

    def steps(self) -> Iterator[int]:
        yield from range(self._initial_step, 1)

    @contextlib.contextmanager
    def catch_stop_iteration(self) -> Iterator[None]:
        yield


class ManyBatches:
    """A DataHandler of tf_keras whose steps get single batches."""

    def __init__(self, handler: Any) -> None:
        vars(self).update(handler=handler, iterator=None, batch=None)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)['handler'], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(vars(self)['handler'], name, value)

    def enumerate_epochs(self) -> Iterator[Tuple[int, Any]]:
        for epoch, iterator in self.handler.enumerate_epochs():
            specs = iterator.element_spec
            is_dense = all(type(spec) is tf.TensorSpec for spec in tf.nest.flatten(specs))
            vars(self).update(iterator=iterator, batch=Batch(None, BatchSpec(specs)) if is_dense else None)
            yield epoch, self.batch or iterator

    def steps(self) -> Iterator[int]:
        for step in self.handler.steps():
            if self.batch is not None:
                self.batch.data = _next(self.iterator)
            yield step


def _next(iterator: Any) -> Any:
    """The next batch. The end is the error that a step in a graph raises there."""
    try:
        return next(iterator)
    except StopIteration:
        raise tf.errors.OutOfRangeError(None, None, 'End of sequence') from None


def _in_order(data: Any, order: np.ndarray) -> Any:
    return tf.nest.map_structure(lambda tensor: tf.gather(tensor, order), data)


def _tensors(data: Any) -> Any:
    """NumPy arrays as tf_keras makes tensors of them: floats get the dtype `floatx`, and lists become tuples."""
    if isinstance(data, (list, tuple)):
        return tuple(_tensors(element) for element in data)
    if isinstance(data, dict):
        return {key: _tensors(element) for key, element in data.items()}
    if isinstance(data, np.ndarray) and data.dtype.kind == 'f':
        return tf.constant(data, tf.keras.backend.floatx())
    return tf.convert_to_tensor(data)


def _arrays(data: Any) -> Iterator[Any]:
    """The leaves of lists, tuples and dicts. Other containers are leaves."""
    if type(data) in (list, tuple):
        for element in data:
            yield from _arrays(element)
    elif type(data) is dict:
        for element in data.values():
            yield from _arrays(element)
    else:
        yield data


def _plain(array: Any) -> bool:
    """A NumPy array of numbers or a tensor that has a value, with rows."""
    if type(array) is np.ndarray:
        return array.dtype.kind in 'fiub' and array.ndim > 0
    return isinstance(array, tf.Tensor) and hasattr(array, 'numpy') and array.shape.rank > 0


def _rows(*data: Any) -> int:
    """The number of rows of all arrays in `data`, 0 if they differ or if tf_keras has to look at them."""
    arrays = [array for values in data if values is not None for array in _arrays(values)]
    if not arrays or not all(_plain(array) for array in arrays):
        return 0
    sizes = {int(array.shape[0]) for array in arrays}
    return sizes.pop() if len(sizes) == 1 else 0


def _seed() -> Optional[int]:
    """The global seed of TensorFlow, None if there is none."""
    seed = int(tf.compat.v1.get_seed(0)[0])
    if seed != NO_SEED:
        return seed
    try:
        # Without an argument the function draws a number where there is a seed.
        return None if tf.compat.v1.get_seed(None)[0] is None else seed
    except RuntimeError:  # there is none, and the program asks for determinism
        return None


@functools.lru_cache(maxsize=256)
def _seeded_orders(seed: int, rows: int, epochs: int) -> np.ndarray:
    """The orders in which tf_keras visits rows. They depend on the global seed alone, and begin anew in each call."""
    orders = tf.data.Dataset.range(1).repeat(epochs).map(lambda _: tf.random.shuffle(tf.range(rows)))
    return np.stack([order.numpy() for order in orders])


def _orders(seed: Optional[int], rows: int, epochs: int) -> Optional[np.ndarray]:
    """The orders of the rows in each epoch, (epochs, rows). None for one row."""
    if seed is None:
        tf.compat.v1.get_seed(None)  # where the program asks for determinism, this is the error for a missing seed
    if rows == 1:
        return None
    if seed is None:
        generator = np.random.default_rng()
        return np.stack([generator.permutation(rows) for _ in range(epochs)])
    return _seeded_orders(seed, rows, epochs)


def _is_whole(arguments: Dict[str, Any], rows: int) -> bool:
    """Whether a call takes all of its rows as one batch, as they are."""
    others = ('class_weight', 'steps_per_epoch', 'pss_evaluation_shards')
    return 0 < rows <= (arguments.get('batch_size') or DEFAULT_BATCH_SIZE) and not any(map(arguments.get, others))


def _is_plain(arguments: Dict[str, Any]) -> bool:
    """Whether a call makes one step at a time, on one device."""
    steps = arguments.get('steps_per_execution')
    if tf.distribute.has_strategy():
        return False
    return steps is None or int(_value(steps) if isinstance(steps, _VARIABLES) else steps) == 1


def _one_batch(arguments: Dict[str, Any], rows: int, seed: Optional[int]) -> OneBatch:
    data = [arguments.get(name) for name in NAMES]
    initial, epochs = arguments.get('initial_epoch', 0), arguments.get('epochs', 1)
    orders = _orders(seed, rows, max(epochs - initial, 1)) if arguments.get('shuffle') else None
    tensors = (None if values is None else _tensors(values) for values in data)
    return OneBatch(tf.keras.utils.pack_x_y_sample_weight(*tensors), epochs, initial, orders)


def _step(arguments: Dict[str, Any]) -> str:
    """Which step of the model a call is for."""
    return 'train' if 'shuffle' in arguments else 'predict' if arguments.get('y') is None else 'test'


def _data_handler(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def get_data_handler(**arguments: Any) -> Any:
        x, step, of_model = arguments['x'], _step(arguments), _traces.setdefault(arguments['model'], {})
        rows = 0 if x is None else _rows(*(arguments.get(name) for name in NAMES))
        seed, is_plain = _seed(), _is_plain(arguments)
        is_small = is_plain and _is_whole(arguments, rows)
        is_short = of_model.setdefault(step, is_small)
        if is_small and (is_short or seed is None):
            return _one_batch(arguments, rows, seed)
        handler = original(**arguments)
        return ManyBatches(handler) if is_short and is_plain and seed is not None else handler

    return get_data_handler


def _has_seeded_pipeline(caller: Optional[FrameType]) -> bool:
    """Whether the model that calls has, in a seeded program, the trace of a pipeline, which serves the call, too."""
    if caller is None or _seed() is None:
        return False
    # The iterator is asked for without the model that it is for.
    steps = _traces.get(caller.f_locals.get('self'), {})
    return not steps.get(caller.f_code.co_name.partition('_')[0], True)


def _single_batch(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def single_batch_iterator(
        strategy: Any, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None
    ) -> Any:
        is_plain = class_weight is None and not tf.distribute.has_strategy()
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        if not is_plain or _has_seeded_pipeline(caller) or not _rows(x, y, sample_weight):
            return original(strategy, x, y, sample_weight, class_weight)
        given = (x,) if y is None else (x, y) if sample_weight is None else (x, y, sample_weight)
        return batch(_tensors(given), any_size=False)

    return single_batch_iterator


# -- what a call does beside its step ---------------------------------------------------------------------------------
#
# The means of metrics are set to 0 and read in each call. tf_keras goes through the layers of TensorFlow that serve all
# kinds of variables, devices and graphs, which takes as long as the step. The operations are the same here.


def _value(variable: Any) -> Any:
    return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype)


@functools.lru_cache(maxsize=None)
def _zero(dtype: Any) -> Any:
    return tf.zeros((), dtype)


def _is_zero(variable: Any, value: Any) -> bool:
    """Whether a variable that is one number, on one device, is to be set to 0."""
    is_number = isinstance(variable, _VARIABLES) and (variable.dtype.is_floating or variable.dtype.is_integer)
    return is_number and variable.shape.rank == 0 and type(value) is int and value == 0


def _values_at_once(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def batch_set_value(tuples: Any) -> Any:
        is_short = type(tuples) is list and tf.executing_eagerly()
        if not is_short or not all(_is_zero(variable, value) for variable, value in tuples):
            return original(tuples)
        for variable, _ in tuples:
            tf.raw_ops.AssignVariableOp(resource=variable.handle, value=_zero(variable.dtype))
        return None

    return batch_set_value


def _is_mean(metric: Any) -> bool:
    """Whether the result of a metric is the sum of its values through their number."""
    mean = tf.keras.metrics.Mean
    # Each metric has a `result` of its own, around that of its class.
    return (
        isinstance(metric, mean)
        and type(metric).result is mean.result
        and getattr(metric.result, '__qualname__', '').endswith('result_fn')
        and isinstance(metric.total, _VARIABLES)
        and isinstance(metric.count, _VARIABLES)
    )


def _results_at_once(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def get_metrics_result(self: Any) -> Any:
        metrics = self.metrics if tf.executing_eagerly() else []
        if not metrics or not all(map(_is_mean, metrics)):
            return original(self)
        return {metric.name: tf.raw_ops.DivNoNan(x=_value(metric.total), y=_value(metric.count)) for metric in metrics}

    return get_metrics_result


def _short_attributes(original: Callable[..., None]) -> Callable[..., None]:
    """Sets in a short way what each call sets anew: a model looks through its other objects each time."""

    @functools.wraps(original)
    def set_attribute(self: Any, name: str, value: Any) -> None:
        of_object = vars(self)
        if name in _FLAGS and type(value) is bool and type(of_object.get(name)) is bool:
            of_object[name] = value
        elif name not in _STEPS or value is None or of_object.get(name) is not value:
            original(self, name, value)

    return set_attribute


def install(data_adapter: Any) -> str:
    """Gives tf_keras's module `data_adapter` the short way, and says so."""
    data_adapter.get_data_handler = _data_handler(data_adapter.get_data_handler)
    data_adapter.single_batch_iterator = _single_batch(data_adapter.single_batch_iterator)
    return 'fit, evaluate, predict, train_on_batch, test_on_batch'


def install_metrics(keras: Any) -> str:
    """Gives tf_keras the short way to the means of metrics, and says so."""
    backend: Any = import_module('tf_keras.src.backend')
    backend.batch_set_value = _values_at_once(backend.batch_set_value)
    keras.Model.get_metrics_result = _results_at_once(keras.Model.get_metrics_result)
    keras.Model.__setattr__ = _short_attributes(keras.Model.__setattr__)
    return 'metrics of fit, evaluate, train_on_batch, test_on_batch'

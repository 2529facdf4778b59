"""Arguments and calls of 2019 to 2023 that Keras 3 no longer takes."""

import functools
import inspect
from typing import Any, Callable, Iterable

from ..launcher.cures import around, replacing
from .names import SHORT, functional, put_around
from .optimizer_updates import set_decay

# -- arguments ---------------------------------------------------------------------------------------------------------
# Arguments of 2019 to 2023 that Keras 3 no longer has. It does without what most of them say.


# Of threads and queues, which the data sets of Keras 3 have themselves.
_QUEUES = ('max_queue_size', 'workers', 'use_multiprocessing', 'pickle_safe', 'max_q_size', 'nb_worker')
# Of how TensorFlow runs, and of weights for each step of time, which Keras 3 takes anyway.
_OF_COMPILE = (
    'experimental_run_tf_function experimental_steps_per_execution sample_weight_mode target_tensors distribute '
    'options run_metadata'
).split()
_OF_BATCHES = ('train_on_batch', 'test_on_batch', 'predict_on_batch')
# Of layers, where the value says what Keras 3 does anyway.
_OF_LAYERS = {'dynamic': (True, False, None), 'fused': (True, False, None), 'time_major': (False, None)}


def arguments_of_models(keras: Any) -> str:
    """Let `fit` and the like take `workers`, `compile` arguments about TensorFlow, `train_on_batch` `reset_metrics`."""
    loops = put_around(keras.Model, ('fit', 'evaluate', 'predict'), _without, _QUEUES)
    compile_and_batches = put_around(keras.Model, ('compile',), _without, _OF_COMPILE)
    return f'{loops}, {compile_and_batches}, {put_around(keras.Model, _OF_BATCHES, _resetting)}'


def without(made: Any, name: str, gone: Iterable[str]) -> None:
    """Let a method of a class take arguments that are gone. They mean nothing."""
    setattr(made, name, _without(getattr(made, name), gone))


@around
def _without(original: Any, gone: Iterable[str], *args: Any, **kwargs: Any) -> Any:
    if not kwargs:  # a step calls `assign` for each variable
        return original(*args)
    return original(*args, **{key: value for key, value in kwargs.items() if key not in gone})


@around
def _resetting(original: Any, model: Any, *args: Any, reset_metrics: bool = True, **kwargs: Any) -> Any:
    if reset_metrics:
        return original(model, *args, **kwargs)
    # Keras resets them at the beginning of the call.
    vars(model)['reset_metrics'] = lambda: None
    try:
        return original(model, *args, **kwargs)
    finally:
        del vars(model)['reset_metrics']


def arguments_of_layers(keras: Any) -> str:
    """Let layers take `weights`, `batch_input_shape`, and arguments that say what Keras 3 does anyway."""
    layer_class = keras.layers.Layer
    # Keras reads the parameters of this method, and takes no positional ones here.
    original = layer_class.__init__

    @functools.wraps(original)
    def __init__(self: Any, **kwargs: Any) -> None:
        for name, values in _OF_LAYERS.items():
            if name in kwargs and kwargs[name] in values:
                del kwargs[name]
        weights = kwargs.pop('weights', None)
        batch_shape = kwargs.pop('batch_input_shape', None)
        original(self, **kwargs)
        if weights is not None:
            _set_when_built(self, weights)
        if batch_shape is not None:
            self._batch_input_shape = tuple(batch_shape)

    layer_class.__init__ = __init__
    _with_inputs(keras)
    return 'Layer.__init__, Sequential.add'


def _set_when_built(layer: Any, weights: Any) -> None:
    @replacing(layer, 'build')
    def build(original: Any, *args: Any, **kwargs: Any) -> None:
        original(*args, **kwargs)
        layer.set_weights(weights)


def _with_inputs(keras: Any) -> None:
    """Let `add` of a Sequential begin with an Input where the first layer tells the shape of a batch."""

    @replacing(keras.Sequential, 'add')
    def add(original: Any, model: Any, layer: Any, *args: Any, **kwargs: Any) -> None:
        shape = getattr(layer, '_batch_input_shape', None)
        if shape is not None and not model._layers:
            original(model, keras.Input(batch_shape=shape), *args, **kwargs)
        original(model, layer, *args, **kwargs)


def arguments_of_callbacks(keras: Any) -> str:
    """Let `ModelCheckpoint` take `period`, and `TensorBoard` arguments for what it no longer writes."""
    callbacks = keras.callbacks

    @replacing(callbacks.ModelCheckpoint, '__init__')
    def __init__(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        self._period, self._epochs = int(kwargs.pop('period', 1) or 1), 0
        kwargs.pop('load_weights_on_restart', None)
        original(self, *args, **kwargs)

    @replacing(callbacks.ModelCheckpoint, 'on_epoch_end')
    def on_epoch_end(original: Any, self: Any, epoch: int, logs: Any = None) -> None:
        self._epochs += 1
        if self._epochs >= self._period:
            self._epochs = 0
            original(self, epoch, logs)

    known = inspect.signature(callbacks.TensorBoard.__init__).parameters
    without(callbacks.TensorBoard, '__init__', [name for name in _OF_TENSORBOARD if name not in known])
    return 'ModelCheckpoint, TensorBoard'


def rates_in_logs(keras: Any) -> str:
    """Let the logs of an epoch, and so `history.history`, call the learning rate `lr`."""
    classes = keras.callbacks.LearningRateScheduler, keras.callbacks.ReduceLROnPlateau
    return ', '.join(put_around(callback_class, ('on_epoch_end',), _with_lr) for callback_class in classes)


@around
def _with_lr(original: Any, self: Any, epoch: int, logs: Any = None) -> None:
    logs = {} if logs is None else logs
    original(self, epoch, logs)
    if 'learning_rate' in logs:
        logs['lr'] = logs.pop('learning_rate')


_OF_TENSORBOARD = ('write_grads', 'batch_size', 'embeddings_layer_names', 'embeddings_data')


# -- calls -------------------------------------------------------------------------------------------------------------
# Calls of 2019 to 2023 that Keras 3 refuses, though it can do what they ask for. They are no part of K.


def arguments_of_optimizers(keras: Any) -> str:
    """Let optimizers take `lr`, the older name of `learning_rate`, and `decay`, by which it falls with each step."""
    base = keras.optimizers.Optimizer
    changed = []
    for name in sorted(vars(keras.optimizers)):
        member = getattr(keras.optimizers, name)
        if isinstance(member, type) and issubclass(member, base) and member is not base and _has_a_rate(member):
            setattr(member, '__init__', _with_older_names(vars(member)['__init__']))  # noqa: B010
            changed.append(name)
    return ', '.join(changed)


def _has_a_rate(optimizer: type) -> bool:
    original = vars(optimizer).get('__init__')
    return original is not None and 'learning_rate' in inspect.signature(original).parameters


@around
def _with_older_names(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    if 'lr' in kwargs and not args and 'learning_rate' not in kwargs:
        kwargs['learning_rate'] = kwargs.pop('lr')
    decay = kwargs.pop('decay', None)
    original(self, *args, **kwargs)
    if decay:
        set_decay(self, decay)


def generators(keras: Any) -> str:
    """Give models `fit_generator`, `evaluate_generator`, `predict_generator`: `fit` and the others take generators."""
    changed = []
    for name in ('fit', 'evaluate', 'predict'):
        older = f'{name}_generator'
        if not hasattr(keras.Model, older):
            setattr(keras.Model, older, _of_generator(name))
            changed.append(f'Model.{older}')
    return ', '.join(changed)


def _of_generator(name: str) -> Callable[..., Any]:
    def call(model: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        # The arguments after the generator are in another order than those of `fit`.
        for parameter, value in zip(_ORDER[name], args):
            kwargs[parameter] = value
        return getattr(model, name)(generator, **kwargs)

    call.__name__ = f'{name}_generator'
    return call


_ORDER = {
    'fit': ('steps_per_epoch', 'epochs', 'verbose', 'callbacks', 'validation_data', 'validation_steps'),
    'evaluate': ('steps', 'callbacks'),
    'predict': ('steps', 'callbacks'),
}


def operations_in_files(keras: Any) -> str:
    """Let `load_model` find the operations of Keras in files `.h5`, which hold their bare names."""
    classes = {}
    waiting = [keras.Operation]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if not issubclass(kind, keras.layers.Layer):
                waiting.append(kind)
                if kind.__module__.partition('.')[0] == 'keras':
                    classes[kind.__name__] = kind
    objects = keras.saving.get_custom_objects()
    new = {name: kind for name, kind in classes.items() if name not in objects and not hasattr(keras.layers, name)}
    objects.update(new)
    return f'{len(new)} operations' if new else ''


def losses_in_files(keras: Any) -> str:
    """Let `load_model` find 'mse' and other short names of losses and metrics in files `.h5`."""
    objects = keras.saving.get_custom_objects()
    new = []
    for short, name in SHORT.items():
        for spelling in (short, short.upper()):
            if spelling not in objects:
                objects[spelling] = getattr(keras.losses, name)
                new.append(spelling)
    return ', '.join(new)


def losses_of_graphs(keras: Any) -> str:
    """Let `model.add_loss` take a tensor of the graph of the model, which Keras 3 takes in the call of a layer only."""
    graphs = functional(keras)

    @replacing(graphs, 'add_loss')
    def add_loss(original: Any, model: Any, losses: Any, *others: Any, **named: Any) -> None:
        tensors = losses if isinstance(losses, (list, tuple)) else [losses]
        if not tensors or not all([isinstance(loss, keras.KerasTensor) for loss in tensors]):
            original(model, losses, *others, **named)
            return
        from ...engines.keras3_backend import added

        for loss in tensors:
            added.add_loss(model, graphs, loss)

    return 'Model.add_loss'

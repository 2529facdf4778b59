"""What Keras 2 changed from version to version, without a word: names of cells, EarlyStopping, texts of objects.

The rows of tests/programs/tf_keras that differed without these functions are the list of what is here.
"""

import functools
import re
import threading
from importlib import import_module
from typing import Any, Callable

from ..launcher.cures import around

# Modules and classes that make a cell of their own, in the package tf_keras.src.layers.rnn.
_WITH_CELLS = 'lstm.LSTM lstm_v1.LSTM gru.GRU gru_v1.GRU simple_rnn.SimpleRNN base_conv_lstm.ConvLSTM'.split()
_OF_OBJECTS = 'activations initializers regularizers constraints losses metrics layers optimizers'.split()
# Modules whose `get` hands an unknown name back as it came.
_OF_STRINGS = {'metrics': 'metric function', 'regularizers': 'regularizer'}


def numbers_of_cells(tf_keras: Any) -> str:
    """Count the cells of recurrent layers in the names of weights: `lstm_1/lstm_cell_1/kernel:0`."""
    base: Any = import_module('tf_keras.src.layers.rnn.base_rnn').RNN
    paths = [path.split('.') for path in _WITH_CELLS]
    kinds = tuple(getattr(import_module(f'tf_keras.src.layers.rnn.{module}'), name) for module, name in paths)
    original = base.__init__

    @functools.wraps(original)
    def __init__(self: Any, cell: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(self, kinds):  # others get their cell from the program, with its name
            cell._init_set_name(None)
        original(self, cell, *args, **kwargs)

    base.__init__ = __init__
    return 'tf_keras.layers.RNN.__init__'


def early_stopping_of_2_10(tf_keras: Any) -> str:
    """Let EarlyStopping look at its patience after an epoch that brought something, too, but for the first epoch."""
    return _early_stopping(tf_keras, lambda self, epoch: self.wait >= self.patience and epoch > 0)


def early_stopping_of_2_6(tf_keras: Any) -> str:
    """The same after the first epoch: without patience that is the only one."""
    return _early_stopping(tf_keras, lambda self, epoch: self.wait >= self.patience)


def early_stopping_of_2_4(tf_keras: Any) -> str:
    """Let EarlyStopping begin with the baseline as its best, and look at its patience after epochs without progress."""
    kind: Any = tf_keras.callbacks.EarlyStopping
    kind.on_train_begin = _from_baseline(kind.on_train_begin)
    return _early_stopping(tf_keras, lambda self, epoch: self.wait >= max(1, self.patience))


@around
def _from_baseline(original: Any, self: Any, logs: Any = None) -> None:
    original(self, logs)
    if self.baseline is not None:
        self.best = self.baseline


def _early_stopping(tf_keras: Any, is_over: Callable[[Any, int], bool]) -> str:
    """Replace the end of an epoch. is_over: whether a callback stops the training after an epoch."""

    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        current = self.get_monitor_value(logs)
        if current is None or epoch < getattr(self, 'start_from_epoch', 0):
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights = self.model.get_weights()
        self.wait += 1
        _compare(self, epoch, current)
        if is_over(self, epoch):
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.restore_best_weights:
                if self.verbose > 0:
                    print(f'Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.')
                self.model.set_weights(self.best_weights)

    tf_keras.callbacks.EarlyStopping.on_epoch_end = on_epoch_end
    return 'tf_keras.callbacks.EarlyStopping.on_epoch_end'


def _compare(callback: Any, epoch: int, current: Any) -> None:
    """Note the value of an epoch if it is the best one."""
    if not callback.monitor_op(current - callback.min_delta, callback.best):
        return
    callback.best, callback.best_epoch = current, epoch
    if callback.restore_best_weights:
        callback.best_weights = callback.model.get_weights()
    if callback.baseline is None or callback.monitor_op(current - callback.min_delta, callback.baseline):
        callback.wait = 0


def metrics_reset_after_batches(tf_keras: Any) -> str:
    """Let `train_on_batch` and `test_on_batch` set the metrics to 0 after a batch rather than before it.

    So the next call begins with what `evaluate` and `fit` have left.
    """
    tf_keras.Model.train_on_batch = _reset_after(tf_keras.Model.train_on_batch, 4)
    tf_keras.Model.test_on_batch = _reset_after(tf_keras.Model.test_on_batch, 3)
    return 'tf_keras.Model.train_on_batch, tf_keras.Model.test_on_batch'


@around
def _reset_after(original: Any, position: int, self: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """position: that of `reset_metrics`, without the model."""
    given = list(args)
    if len(given) >= position:
        is_wanted, given[position - 1] = given[position - 1], False
    else:
        is_wanted, kwargs['reset_metrics'] = kwargs.get('reset_metrics', True), False
    result = original(self, x, *given, **kwargs)
    if is_wanted:
        self.reset_metrics()
    return result


def softmax_of_matrices(tf_keras: Any) -> str:
    """Let `activations.softmax` of a matrix take the last axis, whatever is asked for."""
    tf_keras.activations.softmax = _of_last_axis(tf_keras.activations.softmax)
    return 'tf_keras.activations.softmax'


@around
def _of_last_axis(original: Any, x: Any, axis: int = -1) -> Any:
    return original(x, -1 if len(x.shape) == 2 else axis)


def refusals_of_names(tf_keras: Any) -> str:
    """Let `metrics.get` and `regularizers.get` refuse a name that nobody knows, rather than hand it back."""
    for module, noun in _OF_STRINGS.items():
        for holder in (getattr(tf_keras, module), import_module(f'tf_keras.src.{module}')):
            vars(holder)['get'] = _refusing(vars(holder)['get'], noun)
    return ', '.join(f'tf_keras.{module}.get' for module in _OF_STRINGS)


@around
def _refusing(function: Any, noun: str, identifier: Any) -> Any:
    result = function(identifier)
    if isinstance(result, str):
        raise ValueError(f'Unknown {noun}: {result}. Please ensure that it is passed in `custom_objects`.')
    return result


def older_texts_of_objects(tf_keras: Any) -> str:
    """Let `serialize` and `get_config` give what they gave: class and configuration, functions by name.

    Files with the texts of today do not come back: an array as the value of an initializer, a registered activation.
    """
    for module in _OF_OBJECTS:
        for holder in (getattr(tf_keras, module), import_module(f'tf_keras.src.{module}')):
            vars(holder)['serialize'] = _legacy(vars(holder)['serialize'])
    library, archives = (import_module(f'tf_keras.src.saving.{name}') for name in ('serialization_lib', 'saving_lib'))
    older: Any = import_module('tf_keras.src.saving.legacy.serialization')
    names = vars(library)
    names['serialize_keras_object'] = _legacy_inside(names['serialize_keras_object'], older.serialize_keras_object)
    tf_keras.utils.serialize_keras_object = names['serialize_keras_object']
    vars(archives)['save_model'] = _with_texts_of_today(vars(archives)['save_model'])
    return ', '.join(f'tf_keras.{module}.serialize' for module in _OF_OBJECTS)


@around
def _legacy(function: Any, *args: Any, **kwargs: Any) -> Any:
    if len(args) < 2 and not _archive.is_written:
        kwargs.setdefault('use_legacy_format', True)
    return function(*args, **kwargs)


class _Archive(threading.local):
    """Whether this thread writes an archive `.keras`, which has the texts of today."""

    is_written = False


_archive = _Archive()


@around
def _legacy_inside(function: Any, older: Any, instance: Any) -> Any:
    is_object = instance is None or hasattr(instance, 'get_config') or hasattr(instance, '__name__')
    return older(instance) if is_object and not _archive.is_written else function(instance)


@around
def _with_texts_of_today(function: Any, *args: Any, **kwargs: Any) -> Any:
    _archive.is_written = True
    try:
        return function(*args, **kwargs)
    finally:
        _archive.is_written = False


def softmax_of_arrays(tf_keras: Any) -> str:
    """Let `K.softmax` take arrays, as every other function of K does."""
    backend: Any = tf_keras.backend
    original = backend.softmax
    tensorflow: Any = import_module('tensorflow')

    @tensorflow.autograph.experimental.do_not_convert
    @functools.wraps(original)
    def softmax(x: Any, axis: int = -1) -> Any:
        return original(x if hasattr(getattr(x, 'shape', None), 'rank') else tensorflow.convert_to_tensor(x), axis)

    backend.softmax = softmax
    return 'tf_keras.backend.softmax'


def older_format_of_keras_files(tf_keras: Any) -> str:
    """Write `model.save('model.keras')` as HDF5: the archive of 2.12 and later loses the state of older optimizers."""
    tf_keras.Model.save = _as_hdf5(tf_keras.Model.save)
    tf_keras.models.save_model = _as_hdf5(tf_keras.models.save_model)
    return 'tf_keras.Model.save, tf_keras.models.save_model'


@around
def _as_hdf5(
    function: Any, model: Any, filepath: Any, overwrite: bool = True, save_format: Any = None, **kwargs: Any
) -> Any:
    # HDF5 holds no model that is a class of its own.
    if save_format is None and str(filepath).endswith('.keras') and getattr(model, '_is_graph_network', False):
        save_format = 'h5'
    return function(model, filepath, overwrite, save_format, **kwargs)


def phases_that_were_read(tf_keras: Any) -> str:
    """Let the first layer or function that asks for the phase set it to 0, which a default `training=True` yields to.

    That was so in 2.10, and neither in 2.6 nor in 2.15: `call(self, x, training=True)` runs in training when it is
    called alone, and no more after a `Dropout`, a `BatchNormalization` or K.in_train_phase has asked.
    """
    inside: Any = import_module('tf_keras.src.backend')
    for names in (vars(inside), vars(tf_keras.backend)):
        names['learning_phase'] = _setting(names['learning_phase'], inside)
    return 'tf_keras.backend.learning_phase'


@around
def _setting(function: Any, inside: Any) -> Any:
    phase = function()
    tensorflow: Any = import_module('tensorflow')
    # In graphs the phase is an input of each run.
    if tensorflow.compat.v1.executing_eagerly_outside_functions() and not inside.global_learning_phase_is_set():
        with tensorflow.init_scope():
            inside.deprecated_internal_set_learning_phase(0)
    return phase


def schedules_of_experiments(tf_keras: Any) -> str:
    """Give `tf.keras.experimental` LinearCosineDecay and NoisyLinearCosineDecay."""
    # It needs NumPy.
    from ..on_keras3.older_modules import linear_cosine_decay

    tensorflow: Any = import_module('tensorflow')
    plain = linear_cosine_decay(tf_keras.optimizers.schedules.LearningRateSchedule, tensorflow)

    class NoisyLinearCosineDecay(plain):  # type: ignore[misc, valid-type]
        """The same with noise on the line, whose variance goes down with the steps."""

        def __init__(
            self,
            initial_learning_rate: float,
            decay_steps: int,
            initial_variance: float = 1.0,
            variance_decay: float = 0.55,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            super().__init__(initial_learning_rate, decay_steps, *args, **kwargs)
            self.initial_variance, self.variance_decay = initial_variance, variance_decay

        def _line(self, progress: Any) -> Any:
            deviation = tensorflow.sqrt(
                self.initial_variance / (1.0 + progress * self.decay_steps) ** self.variance_decay
            )
            return super()._line(progress) + tensorflow.random.normal(progress.shape, stddev=deviation)

    for kind in (plain, NoisyLinearCosineDecay):
        setattr(tf_keras.experimental, kind.__name__, kind)
    return 'tf_keras.experimental.LinearCosineDecay, tf_keras.experimental.NoisyLinearCosineDecay'


def older_names_of_layers(tf_keras: Any) -> str:
    """Let a number in the name of a class begin a word with the letter before it: ConvLSTM2D is `conv_lst_m2d`."""
    utils: Any = import_module('tf_keras.src.utils.generic_utils')
    utils.to_snake_case = _in_words
    return 'tf_keras.src.utils.generic_utils.to_snake_case'


def _in_words(name: str) -> str:
    words = re.sub(r'(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    words = re.sub(r'([a-z])([A-Z])', r'\1_\2', words).lower()
    return f'private{words}' if words.startswith('_') else words

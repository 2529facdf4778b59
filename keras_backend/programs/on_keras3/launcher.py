"""What is done for programs that take K from Keras 3 itself, and when: `keras_backend.keras3.launcher` is the door."""

import functools
import os
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Tuple

from ...contract import CONTRACT
from ...engines import process
from ...errors import ArgumentTypeError
from ..launcher import child_processes, imports
from ..launcher.cures import Cure, action, around, explanation, import_to_explain
from . import (
    arguments,
    backend_functions,
    layers,
    legacy_optimizers,
    libraries,
    losses,
    masks,
    metrics,
    minimize,
    names,
    older_layers,
    older_modules,
    optimizer_updates,
    optimizers,
    program_code,
    saved_models,
    schedules,
    stand_in,
    tensors,
    training,
    values_of_tensors,
    wrappers_of_sklearn,
)
from .tf_on_keras import dispatch, gradients, seeds

# What the child processes of a program import.
DOOR = 'keras_backend.keras3.launcher'
# Where K with the names of tf.keras is defined. Those that are not usable on Keras 3 are replaced.
LEGACY = 'keras._tf_keras.keras.backend'


def names_of_k() -> Dict[str, Any]:
    """The names of K that Keras 3 does not have itself. Its own, such as `floatx`, stay as they are."""
    if not _names:
        K = import_module('keras_backend.engines.keras3_backend')
        kept = set(vars(sys.modules['keras.backend']))
        functions = {name: getattr(K, name) for name in CONTRACT if name not in kept}
        if sys.modules['keras'].backend.backend() != 'tensorflow':
            legacy = vars(import_module(LEGACY))
            functions = {name: _either(f, legacy[name]) if name in legacy else f for name, f in functions.items()}
        functions['set_floatx'] = import_module('keras_backend.engines.keras3_backend.vendor').set_floatx
        functions['resize_images'] = backend_functions.from_centres(functions['resize_images'])
        functions['ctc_decode'] = backend_functions.as_wide_as_time(functions['ctc_decode'])
        functions['get_value'] = _of_numbers(functions['get_value'])
        functions['gradients'] = optimizer_updates.of_losses(functions['gradients'])
        fused = backend_functions.with_variance_of_a_sample
        functions['normalize_batch_in_training'] = fused(functions['normalize_batch_in_training'])
        functions['clear_session'] = _forgetting(vars(sys.modules['keras.backend'])['clear_session'])
        _names.update(functions)
    return _names


_names: Dict[str, Any] = {}


@around
def _either(ours: Any, legacy: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of K that leaves TensorFlow's tensors to TensorFlow where Keras runs on something else."""
    if _holds_tensors_of_tensorflow(list(args) + list(kwargs.values())):
        return legacy(*args, **kwargs)
    return ours(*args, **kwargs)


def _of_numbers(get_value: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """K.get_value as in tf.keras: of a number, such as `optimizer.momentum` in Keras 3, it is the number itself."""

    import numpy as np

    @functools.wraps(get_value)
    def value_or_number(x: Any) -> Any:
        if x is None:
            raise ArgumentTypeError(
                'K.get_value: x is None; an optimizer is there once the program has called compile: compile the model.'
            )
        return x if isinstance(x, (int, float, np.ndarray, np.generic)) else get_value(x)

    return value_or_number


def _holds_tensors_of_tensorflow(values: Any) -> bool:
    tensorflow = sys.modules.get('tensorflow')
    if tensorflow is None or isinstance(tensorflow, stand_in.StandIn) or not hasattr(tensorflow, 'is_tensor'):
        return False
    return any(
        _holds_tensors_of_tensorflow(value) if isinstance(value, (list, tuple)) else tensorflow.is_tensor(value)
        for value in values
    )


def _give(module: ModuleType) -> str:
    if not _is_of_keras_3(module):
        return ''
    names = names_of_k()
    new = sum(name not in vars(module) for name in names)
    vars(module).update(names)
    return f'{new} names that were missing, {len(names) - new} that were for tensors of TensorFlow only'


def _is_of_keras_3(module: ModuleType) -> bool:
    """Whether a module is one of the Keras that is imported: `tensorflow.keras` may be tf_keras."""
    home = os.path.dirname(os.path.abspath(sys.modules['keras'].__file__ or ''))
    return os.path.abspath(module.__file__ or '').startswith(home + os.sep)


def names_in_keras(module: ModuleType) -> str:
    """Give `keras.backend` the names of K."""
    return _give(module)


def names_in_tf_keras(module: ModuleType) -> str:
    """Give `tf.keras.backend` the names of K."""
    return _give(module)


def names_in_the_second_copy(module: ModuleType) -> str:
    """Give the names of K to the second copy of the module, which `import tensorflow.keras.backend` makes."""
    return _give(module)


@around
def _forgetting(original: Any, *args: Any, **kwargs: Any) -> None:
    """Keras's `clear_session`, which forgets what K.set_learning_phase has said as well."""
    import_module('keras_backend.engines.keras3_backend').clear_session()
    original(*args, **kwargs)


def tensors_of_tensorflow(module: ModuleType) -> str:
    """Leave tensors of TensorFlow to the functions of Keras's `tf.keras.backend` where Keras runs on something else."""
    backend = sys.modules['keras'].backend.backend()
    return '' if backend == 'tensorflow' else f'Keras runs on {backend}'


def learning_rate(keras: Any) -> str:
    """Give optimizers the attribute `lr`, the older name of `learning_rate`."""
    if hasattr(keras.optimizers.Optimizer, 'lr'):
        return ''

    def get(optimizer: Any) -> Any:
        rate = optimizer_updates.rate_of_step(optimizer)
        return optimizer.learning_rate if rate is None else rate

    def put(optimizer: Any, value: Any) -> None:
        if not optimizer_updates.set_rate(optimizer, value):
            optimizer.learning_rate = value

    keras.optimizers.Optimizer.lr = property(get, put)
    return 'Optimizer.lr'


def eager_mode(tensorflow: ModuleType) -> str:
    """Leave eager mode on, which Keras 3 needs: `tf.compat.v1.disable_eager_execution` does nothing and says so."""
    if isinstance(tensorflow, stand_in.StandIn):
        return ''
    changed = []
    for path in ('tensorflow.compat.v1', 'tensorflow._api.v2.compat.v1', 'tensorflow.python.framework.ops'):
        module: Any = tensorflow.compat.v1 if path == 'tensorflow.compat.v1' else sys.modules.get(path)
        for name in ('disable_eager_execution', 'disable_v2_behavior'):
            if hasattr(module, name):
                setattr(module, name, _left_on(name))
                changed.append(f'tf.compat.v1.{name}')
    return ', '.join(sorted(set(changed)))


def _left_on(name: str) -> Callable[[], None]:
    def stays() -> None:
        if not _told and sys.stderr is not None:
            sys.stderr.write(
                f'keras_backend.keras3: tf.compat.v1.{name}() does nothing here. Keras 3 needs eager mode, and '
                'K.gradients and K.function work with it.\n'
            )
            _told.append(name)

    stays.__name__ = name
    return stays


_told: List[str] = []

CURES: Tuple[Cure, ...] = (
    Cure('keras.backend', names_in_keras, 'from keras import backend as K'),
    Cure(LEGACY, names_in_tf_keras, 'from tensorflow.keras import backend as K; tf.keras.backend'),
    Cure('tensorflow.keras.backend', names_in_the_second_copy, 'import tensorflow.keras.backend as K'),
    Cure(LEGACY, tensors_of_tensorflow, 'K functions in the map of a tf.data.Dataset'),
    Cure('keras', metrics.outputs_of_sequential, 'K.gradients(model.output[:, c], layer.output) of a Sequential'),
    Cure('keras', learning_rate, 'K.get_value(model.optimizer.lr), K.set_value(model.optimizer.lr, rate)'),
    Cure('keras', arguments.arguments_of_optimizers, 'keras.optimizers.SGD(lr=0.01, decay=1e-6, momentum=0.9)'),
    Cure('keras', names.older_defaults, "ConvLSTM2D(8, 3); l1_l2(l1=1e-4); Dense(8, activation='hard_sigmoid')"),
    *[Cure(place, names.rates_of_l1_l2, 'l1_l2(l1=1e-4)') for place in names.REGULARIZERS],
    Cure(
        'keras', optimizer_updates.rates_beside_decay, 'SGD(lr=0.1, decay=1e-3); K.set_value(model.optimizer.lr, rate)'
    ),
    *[
        Cure(place, legacy_optimizers.legacy_optimizers, 'keras.optimizers.legacy.Adam(lr=1e-3, decay=1e-6)')
        for place in legacy_optimizers.PLACES
    ],
    Cure('keras', names.names_of_programs, "get_custom_objects().update({'swish2': swish2})"),
    *[
        Cure(place, names.names_of_programs_in_the_second_copy, "tf.keras.activations.get('swish2')")
        for place in names.REGISTRIES
    ],
    Cure('keras', arguments.generators, 'model.fit_generator(batches, steps_per_epoch=100, epochs=5)'),
    Cure('keras', arguments.losses_of_graphs, 'vae.add_loss(K.mean(reconstruction_loss + kl_loss))'),
    Cure('keras', metrics.metrics_of_layers, "self.add_metric(K.mean(x), name='mean', aggregation='mean')"),
    Cure('keras', arguments.arguments_of_models, 'model.fit(batches, workers=4, use_multiprocessing=True)'),
    Cure('keras', arguments.arguments_of_layers, 'Dense(8, weights=[kernel, bias], batch_input_shape=(4, 3))'),
    Cure('keras', saved_models.weights_of_any_name, "model.save_weights('w.h5'); model.save_weights('checkpoint')"),
    Cure('keras', arguments.arguments_of_callbacks, "ModelCheckpoint('w.h5', period=5)"),
    Cure('keras', saved_models.models_in_folders, "model.save('folder')"),
    Cure(
        'keras', older_modules.paths_of_modules, 'from keras.layers.core import Dense; from keras.utils import np_utils'
    ),
    Cure(
        'keras', older_modules.attributes_of_older_paths, "layers.experimental.preprocessing.RandomFlip('horizontal')"
    ),
    *[Cure(place, names.names_of_layers, 'from keras.layers import CuDNNLSTM') for place in names.LAYERS],
    Cure('keras', minimize.minimize, 'self.optimizer.minimize(loss, self.trainable_variables, tape=tape)'),
    Cure('keras', schedules.steps_of_schedules, 'def __call__(self, step): return tf.math.rsqrt(step), of a schedule'),
    Cure('keras', schedules.rates_of_functions, 'LearningRateScheduler(lambda epoch, lr: lr * tf.math.exp(-0.1))'),
    Cure('keras', optimizers.own_optimizers, 'class AdaBound(Optimizer): def get_updates(self, loss, params)'),
    Cure('keras', tensors.names_of_variables, 'var.dtype.base_dtype; m.assign(m_t, use_locking=False)'),
    Cure('keras', names.methods_of_models, 'model.predict_classes(x)'),
    Cure('keras', names.names_with_slashes, "Dense(8, name='block1/dense')"),
    Cure('keras', tensors.shapes_of_tensors, 'x.shape.as_list(); x.get_shape()[1:].as_list()'),
    Cure('keras', tensors.shapes_in_build, 'def build(self, input_shape): input_shape.as_list()'),
    *[Cure(place, training.models_of_several_gpus, 'multi_gpu_model(model, gpus=2)') for place in training.PLACES],
    *[Cure(place, names.functions_of_losses, 'from keras.losses import mse') for place in names.PLACES],
    Cure('keras', older_layers.names_of_weights, "self.add_weight('kernel', shape=(3, 4))"),
    Cure('keras', saved_models.weights_in_order, 'model.set_weights(pickle.load(stream)), a list of tf.keras'),
    Cure('keras', saved_models.numbers_as_weights, 'model.set_weights([kernel, 0.5]), of a weight without axes'),
    Cure('keras', losses.ranks_of_targets, 'model.fit(x, y) where y is of shape (n,), with a metric of one'),
    Cure('keras', metrics.reset_states, 'metric.reset_states() after each epoch; metrics that define it'),
    Cure('keras', metrics.loss_of_own_steps, "return {'loss': loss}, of a train_step"),
    Cure('keras', metrics.compiled_metrics, 'return [self.loss_tracker] + self.compiled_metrics.metrics'),
    Cure('keras', metrics.names_of_shared_outputs, 'Model(i, [dense(a), dense(b)]), trained by both outputs'),
    Cure('keras', metrics.metrics_of_all_outputs, "metrics=['mae'] of a model with two outputs"),
    Cure('keras', losses.weights_of_classes, 'model.fit(x, y, class_weight={0: 1., 1: 5.}, sample_weight=w)'),
    Cure('keras', metrics.weights_by_names, "model.fit(x, [y, z], sample_weight={'main': w})"),
    Cure('keras', metrics.metrics_names, 'dict(zip(model.metrics_names, model.evaluate(x, y)))'),
    Cure('keras', losses.weights_of_metrics, "model.compile('sgd', 'mse', weighted_metrics=[f])"),
    Cure('keras', losses.means_of_losses, "vae.compile('adam'), of a model with add_loss"),
    Cure('keras', backend_functions.variances_of_images, 'BatchNormalization() of images; fused=False'),
    Cure('keras', arguments.rates_in_logs, "history.history['lr'], of a LearningRateScheduler"),
    Cure('keras', training.ends_of_epochs, 'def on_epoch_end(self): of a keras.utils.Sequence that shuffles'),
    Cure('keras', older_layers.values_of_metrics, 'def result(self): return self.total, of a metric'),
    Cure('keras', older_layers.losses_of_layers, 'self.add_loss(loss, inputs=inputs)'),
    Cure('keras', older_layers.updates_of_layers, 'self.add_update(K.moving_average_update(mean, new, 0.9), inputs)'),
    Cure('keras', older_layers.momenta_of_steps, 'layer.momentum = 1 / (batch + 1), in a callback'),
    Cure('keras', older_layers.places_of_layers, 'if len(layer.output_shape) == 4; layer.get_output_at(0)'),
    Cure('keras', layers.calls_while_building, 'def call(self, x): return self.inner(x)'),
    Cure('keras', layers.phases_of_calls, 'def call(self, x): of a model with Dropout or BatchNormalization'),
    Cure('keras', layers.phases_of_inner_layers, 'self.base(x, training=False), before self.dropout(x)'),
    Cure('keras', layers.steps_that_change_state, 'RNN(cell), where the cell has a Dropout, on JAX'),
    Cure('keras', masks.masks_of_several_inputs, 'if mask is not None: in a layer of two inputs'),
    Cure('keras', masks.masks_of_merges, 'concatenate([masked, x]); add([masked, x])'),
    Cure('keras', masks.masks_of_steps, 'model.fit(x, y) of a Masking layer, with metrics, on JAX'),
    Cure('keras', masks.masks_of_losses, 'model.fit(x, y) of an output with four axes and a mask'),
    Cure('keras', masks.masks_beside_other_tensors, 'GRU(8)(masked, initial_state=state)'),
    *[
        Cure(place, older_layers.layers_without_sharing, 'from keras.layers import LocallyConnected2D')
        for place in names.LAYERS
    ],
    Cure('keras', wrappers_of_sklearn.wrappers_of_sklearn, 'from keras.wrappers.scikit_learn import KerasClassifier'),
    Cure('keras', program_code.operators_in_place, 'e *= K.cast(mask, K.floatx()), in a layer or a loss'),
    Cure('keras', losses.targets_of_batches, 'model.train_on_batch(x, y), with own metrics'),
    Cure('keras', tensors.negative_steps, 'K.shape(feats)[1:3][::-1], in a layer or a loss on PyTorch'),
    Cure('keras', tensors.indices_of_numpy, 'model.output[:, np.argmax(predictions[0])]'),
    *[
        Cure(place, tensors.factors_on_torch, 'K.cast_to_floatx(l2) * K.sum(w), on PyTorch')
        for place in ('keras.backend', LEGACY, 'tensorflow.keras.backend')
    ],
    Cure('keras', training.weights_in_callbacks, 'K.get_value(optimizer.lr) in a callback, on JAX'),
    Cure('keras', tensors.products_of_numbers, 'h = Attention()(x * 2), on TensorFlow'),
    Cure('keras', values_of_tensors.values_on_jax, 'model(x).numpy(), on JAX; np.exp(x) and `if x > 0` in a layer'),
    Cure('keras', values_of_tensors.values_on_torch, 'model(x).numpy(), on PyTorch; np.exp(x) in a layer'),
    Cure('keras', tensors.operators_on_torch, 'K.square(model(x) - y) of an array y, on PyTorch'),
    Cure('keras', masks.outputs_of_steps, 'LSTM(8, return_sequences=True)(masked, initial_state=states)'),
    Cure('keras', layers.states_of_layers, 'LSTM(8, stateful=True), on JAX'),
    Cure('keras', layers.states_that_are_set, 'model.reset_states(); layer.reset_states(states)'),
    Cure('keras', arguments.operations_in_files, "load_model('model.h5') of a model with a mask"),
    Cure('keras', arguments.losses_in_files, "load_model('model.h5') of a model that was compiled with 'mse'"),
    Cure(
        'keras', saved_models.files_of_older_keras, "load_model('model.h5') of Keras 2, with a Lambda or a hard_sigmoid"
    ),
    Cure('tensorflow.keras.models', saved_models.files_of_older_keras_in_the_second_copy, 'tf.keras.models.load_model'),
    Cure('tensorflow', eager_mode, 'programs that call K.gradients or K.function with TensorFlow 2.0 to 2.15'),
    Cure('tensorflow', dispatch.tensors_of_keras, 'tf.reduce_mean(K.square(y - x)), on JAX and PyTorch'),
    Cure('tensorflow', dispatch.operators_beside_tensors_of_keras, 'x * tf.constant(2.), on JAX and PyTorch'),
    Cure('tensorflow', gradients.decorators, '@tf.custom_gradient; @tf.function, on JAX and PyTorch'),
    Cure('tensorflow', seeds.seeds, 'tf.random.set_seed(1), for initial weights and dropout; np.random.seed(2)'),
    Cure('tensorflow', gradients.gradient_tapes, 'with tf.GradientTape() as tape, on PyTorch'),
    Cure('keras', gradients.steps_with_tapes, 'def train_step(self, data), on JAX and PyTorch'),
    Cure('tensorflow', names.private_copy, 'from tensorflow.python.keras import backend as K'),
    Cure('tensorflow', stand_in.in_its_place, 'programs that import tensorflow for tf.keras alone, without TensorFlow'),
)

# The module of a cure may have another name, too.
PLACES = [(cure.module, cure) for cure in CURES] + [
    ('tensorflow.compat.v2.keras.backend', cure) for cure in CURES if cure.apply is names_in_the_second_copy
]

# What can be done to TensorFlow before Keras is there. All else waits for Keras.
_BEFORE_KERAS = (eager_mode, names.private_copy, stand_in.in_its_place)


class _State:
    """What has been done: watching imports, completing Keras; and the modules that came before Keras, by place."""

    watching = False
    ready = False
    waiting: Dict[str, ModuleType] = {}
    # Modules are imported in several threads. No cure is applied while this is held.
    lock = threading.Lock()


def _when_complete(place: str, module: ModuleType) -> None:
    """Apply the cures of a module that was imported. What waits for Keras is done when Keras is complete."""
    with _State.lock:
        ready = _State.ready
        if not ready:
            _State.waiting[place] = module
    for path, cure in PLACES:
        if path == place and (ready or cure.apply in _BEFORE_KERAS):
            action(cure)(module)


def _when_keras_is_complete(module: ModuleType) -> None:
    """Apply the cures of Keras and of all that waited. This belongs to the import of Keras: other threads wait."""
    stand_in.keras_is_complete()
    dispatch.keras_is_complete()
    names_of_k()
    with _State.lock:
        _State.ready = True
        modules = {**_State.waiting, 'keras': module}
        _State.waiting.clear()
    for path, cure in PLACES:
        if path in modules and cure.apply not in _BEFORE_KERAS:
            action(cure)(modules[path])


def watch() -> None:
    """Give the names when the modules are imported, or now if they are imported already. A second call does nothing."""
    if _State.watching:
        return
    _State.watching = True
    libraries.watch()
    program_code.watch()
    stand_in.watch()
    imports.before('tensorflow', process.before_tensorflow)
    imports.during('tensorflow', functools.partial(process.held_back, '2', os.environ.get(process.LOG_LEVEL)))
    for path in dict.fromkeys(path for path, _ in PLACES if path != 'keras'):
        imports.after(path, functools.partial(_when_complete, path))
    imports.after('keras', _when_keras_is_complete)


def prepare() -> None:
    """Prepare this process and its children for programs that take K from Keras."""
    if not child_processes.is_child(DOOR):  # the parent has checked it, and a child should start fast
        libraries.check_installed()
    watch()
    child_processes.prepare(DOOR)


def explain() -> str:
    """The text of `--explain`."""
    keras = import_to_explain(['keras', 'tensorflow', 'tensorflow.keras.backend', *libraries.modules()])
    return explanation(f'Keras {keras.__version__} on {keras.backend.backend()}', (*CURES, *libraries.CURES))

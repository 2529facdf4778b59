"""TensorFlow 1 for programs that mix it with Keras: a view of TensorFlow 2, seen by this process alone."""
import importlib.abc
import importlib.machinery
import sys
from collections.abc import MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any, Dict, Iterator, List, Optional

from . import keras_cures

VERSION = '1.15.5'

# What was in tf.contrib and elsewhere and has a successor, with what to write instead.
REPLACED = {
    'contrib.layers.xavier_initializer': 'tf.glorot_uniform_initializer()',
    'contrib.layers.xavier_initializer_conv2d': 'tf.glorot_uniform_initializer()',
    'contrib.layers.variance_scaling_initializer': 'tf.variance_scaling_initializer()',
    'contrib.layers.l2_regularizer': 'keras.regularizers.l2',
    'contrib.layers.l1_regularizer': 'keras.regularizers.l1',
    'contrib.layers.flatten': 'keras.layers.Flatten()',
    'contrib.layers.fully_connected': 'keras.layers.Dense',
    'contrib.layers.conv2d': 'keras.layers.Conv2D',
    'contrib.layers.batch_norm': 'keras.layers.BatchNormalization()',
    'contrib.layers.layer_norm': 'a layer with K.mean and K.var over the last axis',
    'contrib.layers.instance_norm': 'a layer with K.mean and K.var over the axes of space',
    'contrib.layers.embed_sequence': 'keras.layers.Embedding',
    'contrib.layers.optimize_loss': 'tf.train.AdamOptimizer(...).minimize(loss)',
    'contrib.framework.nest': 'tf.nest',
    'contrib.framework.argsort': 'tf.argsort',
    'contrib.framework.sort': 'tf.sort',
    'contrib.framework.arg_scope': 'keyword arguments at each layer',
    'contrib.image.rotate': 'scipy.ndimage.rotate in a tf.py_func',
    'contrib.image.transform': 'tf.raw_ops.ImageProjectiveTransformV3',
    'contrib.rnn.BasicLSTMCell': 'keras.layers.LSTMCell',
    'contrib.rnn.LSTMCell': 'keras.layers.LSTMCell',
    'contrib.rnn.GRUCell': 'keras.layers.GRUCell',
    'contrib.rnn.MultiRNNCell': 'keras.layers.StackedRNNCells',
    'contrib.seq2seq.sequence_loss': 'K.sparse_categorical_crossentropy with weights',
    'contrib.losses.metric_learning.triplet_semihard_loss': 'a loss written with K.maximum',
    'contrib.distributions': 'tf.random_normal, tf.random_uniform and the formulas of the density',
    'contrib.metrics.streaming_mean_iou': 'tf.metrics.mean_iou',
    'contrib.metrics.streaming_auc': 'tf.metrics.auc',
    'contrib.opt.AdamWOptimizer': 'keras.optimizers.Adam with weight decay in the updates',
    'contrib.crf': 'a layer with K.rnn and K.logsumexp',
    'contrib.util.make_tensor_proto': 'tf.make_tensor_proto',
    'contrib.training.HParams': 'types.SimpleNamespace',
    'contrib.data': 'tf.data',
    'contrib.eager': 'tf.executing_eagerly and K.eager',
    'contrib.slim': 'keras.layers',
    'contrib.keras': 'keras',
    'contrib.learn': 'keras.models.Model.fit',
    'contrib.estimator': 'keras.models.Model.fit',
    'contrib.tensorboard': 'keras.callbacks.TensorBoard',
    'contrib.tpu': 'keras.models.Model',
    'layers': 'keras.layers',
    'estimator': 'keras.models.Model.fit',
    'nn.rnn_cell': 'keras.layers.LSTMCell and its like',
    'examples.tutorials.mnist': 'keras.datasets.mnist',
}


def gone(path: str) -> str:
    """The sentence that says that a part of TensorFlow 1 is gone, and what to write instead where that is known."""
    parts = path.split('.')
    known = next((REPLACED['.'.join(parts[:n])] for n in range(len(parts), 0, -1)
                  if '.'.join(parts[:n]) in REPLACED), None)
    return (f'tf.{path} is gone: TensorFlow {real().__version__} does not have it. '
            + (f'Write instead: {known}.' if known else
               'Write it with K or tf functions, or see docs/legacy-keras.md for what replaced tf.contrib.'))


class _Gone(ModuleType):
    """A part of TensorFlow 1 that is gone: every use of it says so."""

    def __init__(self, path: str) -> None:
        super().__init__('tensorflow.' + path, gone(path))
        self._path = path
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        path = f'{self._path}.{name}'
        if name.startswith('__'):
            raise AttributeError(name)
        if any(known.startswith(path + '.') for known in REPLACED):
            return _Gone(path)
        raise AttributeError(gone(path))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(gone(self._path))


class TensorFlow1(ModuleType):
    """TensorFlow with the names of version 1 before those of version 2. What is set on it is set on it alone."""

    def __getattr__(self, name: str) -> Any:
        if name in ('contrib', 'layers', 'estimator', 'examples'):
            return _Gone(name)
        if name == 'keras':
            return sys.modules['keras']
        tensorflow = real()
        if name.startswith('__') or name in ('compat', 'python', 'core', '_api', 'tools', 'lite'):
            return getattr(tensorflow, name)
        try:
            return getattr(tensorflow.compat.v1, name)
        except AttributeError:
            pass
        try:
            return getattr(tensorflow, name)
        except AttributeError:
            raise AttributeError(f"module 'tensorflow' has no attribute {name!r}") from None

    def __dir__(self) -> List[str]:
        return sorted(set(vars(self)) | set(dir(real())) | set(dir(real().compat.v1)))


_real: Optional[ModuleType] = None


def real() -> ModuleType:
    """TensorFlow itself."""
    assert _real is not None
    return _real


def view(keras: ModuleType) -> str:
    """Let `import tensorflow as tf` give the names of TensorFlow 1 (tf.Session, tf.placeholder ...)."""
    global _real
    module = sys.modules.get('tensorflow')
    if module is None or isinstance(module, TensorFlow1):
        return ''
    _real = module
    seen = TensorFlow1('tensorflow', TensorFlow1.__doc__)
    vars(seen).update({name: getattr(module, name) for name in ('__path__', '__spec__', '__file__', '__loader__',
                                                               '__package__')})
    vars(seen).update(__version__=VERSION, VERSION=VERSION, Variable=_variable_class(module))
    sys.modules['tensorflow'] = seen
    return f'TensorFlow {module.__version__} as {VERSION}'


def _variable_class(tensorflow: ModuleType) -> type:
    """`tf.Variable` of version 1, which the variables of K are instances of, too."""
    Variable = tensorflow.compat.v1.Variable

    class Kind(type(Variable)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, tensorflow.Variable)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return Variable(*args, **kwargs)
    return Kind('Variable', (Variable,), {'__doc__': Variable.__doc__})


def dimensions(keras: ModuleType) -> str:
    """Let `x.shape[1]` be a size with `.value`, as in TensorFlow 1."""
    tf = real().compat.v1
    if tf.TensorShape([1])[0] != 1 or hasattr(tf.TensorShape([1])[0], 'value'):
        return ''
    tf.disable_v2_tensorshape()
    return 'x.get_shape()[1].value'


class _Aliases(importlib.abc.Loader):
    """Finds `tensorflow.keras` and what is below it: Keras 2; and says what became of `tensorflow.contrib`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """A spec whose loader gives the module of Keras."""
        parts = name.split('.')
        if parts[:2] == ['tensorflow', 'keras']:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if parts[0] == 'tensorflow' and parts[1:2] in (['contrib'], ['examples'], ['estimator']):
            if name in STUBS:
                return importlib.machinery.ModuleSpec(name, self, is_package=True)
            if name in ('tensorflow.contrib', 'tensorflow.examples', 'tensorflow.examples.tutorials'):
                return importlib.machinery.ModuleSpec(name, self, is_package=True)
            raise ModuleNotFoundError(gone('.'.join(parts[1:])), name=name)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module of Keras, as it is, or what stands for a part that is gone."""
        if spec.name in STUBS:
            return ModuleType(spec.name)
        if spec.name.startswith('tensorflow.keras'):
            # A module has one spec, its own; this one stands for it.
            return _Alias(import_module(spec.name[len('tensorflow.'):]))
        return _Gone(spec.name[len('tensorflow.'):])

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of Keras into the place of what stands for it."""
        if isinstance(module, _Alias):
            sys.modules[module.__name__] = module.target
        elif module.__name__ in STUBS:
            vars(module).update(STUBS[module.__name__])


class _Alias(ModuleType):
    def __init__(self, target: ModuleType) -> None:
        super().__init__('tensorflow.' + target.__name__)
        self.target = target
        self.__path__: List[str] = []


class _ProjectorConfig:
    """What `keras.callbacks.TensorBoard` fills in for embeddings."""

    def __init__(self) -> None:
        self.embeddings = _Embeddings()


class _Embeddings(List[Any]):
    def add(self) -> Any:
        """A new entry, with the attributes that are set on it."""
        self.append(type('EmbeddingInfo', (), {})())
        return self[-1]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write `projector_config.pbtxt` beside the events, as the projector of TensorBoard reads it."""
    import os
    logdir = summary_writer if isinstance(summary_writer, str) else summary_writer.get_logdir()
    lines = []
    for embedding in config.embeddings:
        lines.append('embeddings {')
        lines += [f'  {key}: "{getattr(embedding, key)}"' for key in ('tensor_name', 'metadata_path')
                  if getattr(embedding, key, None)]
        lines.append('}')
    folder = logdir.decode() if isinstance(logdir, bytes) else logdir
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'projector_config.pbtxt'), 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(lines) + '\n')


_PROJECTOR = ModuleType('projector', 'The projector of TensorBoard, as far as Keras uses it.')
vars(_PROJECTOR).update(ProjectorConfig=_ProjectorConfig, visualize_embeddings=visualize_embeddings)
STUBS: Dict[str, Dict[str, Any]] = {'tensorflow.contrib.tensorboard': {},
                                    'tensorflow.contrib.tensorboard.plugins': {'projector': _PROJECTOR}}


def aliases(keras: ModuleType) -> str:
    """Let `from tensorflow.keras import ...` give Keras 2, and `import tensorflow.contrib` say what replaced it."""
    if any(isinstance(finder, _Aliases) for finder in sys.meta_path):
        return ''
    sys.meta_path.insert(0, _Aliases())
    return 'tensorflow.keras as keras'


def projector(keras: ModuleType) -> str:
    """Let `keras.callbacks.TensorBoard` find the projector of TensorBoard where that is not installed."""
    from .. import _installed
    if _installed.spec('tensorboard') is not None or 'tensorboard' in sys.modules:
        return ''
    tensorboard, plugins = ModuleType('tensorboard'), ModuleType('tensorboard.plugins')
    for package in tensorboard, plugins:
        package.__path__ = []
        sys.modules[package.__name__] = package
    vars(tensorboard)['plugins'] = plugins
    vars(plugins)['projector'] = _PROJECTOR
    sys.modules['tensorboard.plugins.projector'] = _PROJECTOR
    return 'tensorboard.plugins.projector'


def names_in_keras(keras: ModuleType) -> str:
    """Let the modules of Keras that have parts for TensorFlow alone have it: tf.train optimizers, TensorBoard."""
    changed = []
    for name in sorted(sys.modules):
        module = sys.modules[name]
        if name.startswith(keras_cures.SHORT_NAME_FOR) and not hasattr(module, 'tf'):
            setattr(module, 'tf', sys.modules['tensorflow'])  # noqa: B010
            changed.append(name)
    return ', '.join(changed)


def length_of_tensors(keras: ModuleType) -> str:
    """Take `__len__` from tensors, so that `hasattr(x, '__len__')` tells lists from tensors as it did."""
    Tensor = real().Tensor
    for cls in Tensor.__mro__:
        if '__len__' in vars(cls):
            del cls.__len__
            return 'tf.Tensor.__len__'
    return ''


def _private(path: str) -> Any:
    def get() -> Any:
        return import_module(path)
    return get


def private_modules(keras: ModuleType) -> str:
    """Give `K.tf`, `K.control_flow_ops`, `K.ctc` and other modules that Keras 2 has there from its own imports."""
    ops = 'tensorflow.python.ops.'
    names: keras_cures.Names = {
        'tf': lambda: sys.modules['tensorflow'], 'control_flow_ops': _private(ops + 'control_flow_ops'),
        'tensor_array_ops': _private(ops + 'tensor_array_ops'), 'functional_ops': _private(ops + 'functional_ops'),
        'ctc': _private(ops + 'ctc_ops'), 'tf_math_ops': _private(ops + 'math_ops'),
        'tf_state_ops': _private(ops + 'state_ops'), 'tf_image_ops': _private(ops + 'image_ops'),
        'tf_ops': _private('tensorflow.python.framework.ops'), 'tfdev': _private('tensorflow.python.framework.device'),
        'moving_averages': _private('tensorflow.python.training.moving_averages'),
        'device_lib': _private('tensorflow.python.client.device_lib'),
        'config_pb2': _private('tensorflow.core.protobuf.config_pb2'),
        'context': _private('tensorflow.python.eager.context')}
    for module in sys.modules['keras.backend'], keras_cures.backend_module():
        keras_cures.look_up(module, names)
    return ', '.join('K.' + name for name in names)


# Modules of TensorFlow that programs import by their path, and names in them that are elsewhere today.
MOVED = {
    'tensorflow.python.ops.control_flow_ops': ('while_loop', 'cond', 'case'),
    'tensorflow.python.framework.graph_util': ('convert_variables_to_constants', 'extract_sub_graph',
                                               'remove_training_nodes', 'must_run_on_cpu'),
}


def moved_names(keras: ModuleType) -> str:
    """Give names back to TensorFlow's modules that have moved: `control_flow_ops.while_loop`, `cond`, `case` ..."""
    given = []
    for path, names in MOVED.items():
        module, short = import_module(path), path.rpartition('.')[2]
        for name in names:
            for place in real().compat.v1, real().compat.v1.graph_util:
                if not hasattr(module, name) and hasattr(place, name):
                    setattr(module, name, getattr(place, name))
                    given.append(f'{short}.{name}')
    return ', '.join(given)


class _LearningPhases(MutableMapping):  # type: ignore[type-arg]
    """`K._GRAPH_LEARNING_PHASES`: the learning phase of each graph. To set one is K.set_learning_phase there."""

    def __init__(self, K: ModuleType) -> None:
        self._K = K
        self._set: Dict[Any, Any] = {}

    def __getitem__(self, graph: Any) -> Any:
        with graph.as_default():
            return self._K.learning_phase()

    def __setitem__(self, graph: Any, phase: Any) -> None:
        with graph.as_default():
            self._K.set_learning_phase(phase)
        self._set[graph] = phase

    def __delitem__(self, graph: Any) -> None:
        del self._set[graph]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._set)

    def __len__(self) -> int:
        return len(self._set)


def private_functions(keras: ModuleType) -> str:
    """Give `K.tensorflow_backend._get_available_gpus`, `_to_tensor`, `_GRAPH_LEARNING_PHASES` and their like."""
    K, module = sys.modules['keras.backend'], keras_cures.backend_module()
    names = _functions(K)
    vars(module).update(names)
    phases = _LearningPhases(K)
    for each in K, module:
        vars(each).update(_GRAPH_LEARNING_PHASES=phases)
    keras_cures.look_up(module, {'_SESSION': K.get_session, '_LOCAL_DEVICES': _devices})
    return ', '.join(names)


def _devices() -> List[str]:
    return [f'/job:localhost/replica:0/task:0/device:{device.name.split(":", 1)[1]}'
            for device in real().config.list_physical_devices()]


def _functions(K: ModuleType) -> Dict[str, Any]:
    tf = sys.modules['tensorflow']

    def _get_available_gpus() -> List[str]:
        """The names of the GPUs of this machine."""
        return [name for name in _devices() if 'device:GPU' in name]

    def _to_tensor(x: Any, dtype: Any) -> Any:
        """A value as a tensor of a dtype."""
        return tf.convert_to_tensor(x, dtype=dtype)

    def _preprocess_padding(padding: str) -> str:
        """'same' and 'valid' as TensorFlow spells them."""
        return padding.upper()

    def _spatial(format_name: str) -> Any:
        rank = len(format_name)

        def preprocess(x: Any, data_format: str, force_transpose: bool = False) -> Any:
            """An input with its channels last, and the name of that order."""
            if data_format == 'channels_first':
                x = K.permute_dimensions(x, (0,) + tuple(range(2, rank)) + (1,))
            return x, format_name
        return preprocess

    def normalize_in_training(x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3) -> Any:
        """K.normalize_batch_in_training."""
        return K.normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon)

    def transpose_shape(shape: Any, target_format: str, spatial_axes: Any) -> Any:
        """A shape with its channels last, as the target has them: before the axes of space if it says so."""
        if target_format == 'channels_first':
            return tuple(shape[:spatial_axes[0]]) + (shape[-1],) + tuple(shape[axis] for axis in spatial_axes)
        return tuple(shape)
    return {'_get_available_gpus': _get_available_gpus, '_to_tensor': _to_tensor,
            '_preprocess_padding': _preprocess_padding, '_preprocess_conv1d_input': _spatial('NWC'),
            '_preprocess_conv2d_input': _spatial('NHWC'), '_preprocess_conv3d_input': _spatial('NDHWC'),
            '_regular_normalize_batch_in_training': normalize_in_training,
            '_broadcast_normalize_batch_in_training': normalize_in_training,
            '_fused_normalize_batch_in_training': normalize_in_training,
            '_has_nchw_support': lambda: bool(_get_available_gpus()), '_is_tf_1': lambda: True,
            '_has_compat_v1': lambda: True, '_get_current_tf_device': lambda: None,
            '_is_current_explicit_device': lambda device_type: False, 'get_graph': tf.get_default_graph,
            'transpose_shape': transpose_shape}

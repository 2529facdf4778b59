"""TensorFlow 1 for programs that mix it with Keras: a view of TensorFlow 2, in this process only."""

import importlib.abc
import importlib.machinery
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Dict, List, Optional

from . import tensorboard_projector

VERSION = '1.15.5'

# A part of TensorFlow 1 that is gone -> what to write instead.
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
    """The sentence that a part of TensorFlow 1 is gone. It says what to write instead, if that is known."""
    parts = path.split('.')
    known = next(
        (REPLACED['.'.join(parts[:n])] for n in range(len(parts), 0, -1) if '.'.join(parts[:n]) in REPLACED), None
    )
    return f'tf.{path} is gone: TensorFlow {real().__version__} does not have it. ' + (
        f'Write instead: {known}.' if known else 'Write it with K functions or tf functions.'
    )


class _Gone(ModuleType):
    """A part of TensorFlow 1 that is gone. Each use of it raises an error that says so."""

    def __init__(self, path: str) -> None:
        super().__init__('tensorflow.' + path, gone(path))
        self._path = path
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        path = f'{self._path}.{name}'
        if name.startswith('__'):
            raise AttributeError(name)
        if path == 'contrib.keras':
            return sys.modules['keras']
        if any(known.startswith(path + '.') for known in REPLACED):
            return _Gone(path)
        raise AttributeError(gone(path))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(gone(self._path))


class TensorFlow1(ModuleType):
    """TensorFlow with the names of version 1 before those of version 2. Setting a name does not change TensorFlow."""

    def __getattr__(self, name: str) -> Any:
        if name in ('contrib', 'layers', 'estimator', 'examples'):
            return _Gone(name)
        if name == 'keras':
            return sys.modules['keras']
        if name == 'python':  # TensorFlow 2 imports it, and hides the name
            return sys.modules['tensorflow.python']
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
    vars(seen).update(
        {name: getattr(module, name) for name in ('__path__', '__spec__', '__file__', '__loader__', '__package__')}
    )
    vars(seen).update(__version__=VERSION, VERSION=VERSION, Variable=_variable_class(module))
    sys.modules['tensorflow'] = seen
    return f'TensorFlow {module.__version__} as {VERSION}'


def _variable_class(tensorflow: ModuleType) -> type:
    """`tf.Variable` of version 1. Variables of K are instances of it, too."""
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


class _Parts(importlib.abc.Loader):
    """Finds the parts of TensorFlow 1 that are gone as modules, so that their import says what replaced them."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a part of TensorFlow 1 that is gone."""
        parts = name.split('.')
        if parts[0] == 'tensorflow' and parts[1:2] in (['contrib'], ['examples'], ['estimator']):
            if name in STUBS:
                return importlib.machinery.ModuleSpec(name, self, is_package=True)
            if name in ('tensorflow.contrib', 'tensorflow.examples', 'tensorflow.examples.tutorials'):
                return importlib.machinery.ModuleSpec(name, self, is_package=True)
            raise ModuleNotFoundError(gone('.'.join(parts[1:])), name=name)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module for a part that is gone."""
        if spec.name in STUBS:
            return ModuleType(spec.name)
        return _Gone(spec.name[len('tensorflow.') :])

    def exec_module(self, module: ModuleType) -> None:
        """Fill the modules that are not gone."""
        if module.__name__ in STUBS:
            vars(module).update(STUBS[module.__name__])


STUBS: Dict[str, Dict[str, Any]] = {
    'tensorflow.contrib.tensorboard': {},
    'tensorflow.contrib.tensorboard.plugins': {'projector': tensorboard_projector.PROJECTOR},
}


def parts(keras: ModuleType) -> str:
    """Let `import tensorflow.contrib` say what replaced it."""
    if any(isinstance(finder, _Parts) for finder in sys.meta_path):
        return ''
    sys.meta_path.insert(0, _Parts())
    return 'tensorflow.contrib'


def length_of_tensors(keras: ModuleType) -> str:
    """Remove `__len__` from tensors, so that `hasattr(x, '__len__')` is true for lists only, as before."""
    # The engine puts a sentence of its own in front of what TensorFlow says, on its variables, too.
    KVariable = import_module('keras_backend.engines.tensorflow_backend.variables.variables').KVariable
    having = {cls for kind in (real().Tensor, KVariable) for cls in kind.__mro__ if '__len__' in vars(cls)}
    for cls in having:
        del cls.__len__
    return 'tf.Tensor.__len__' if having else ''


# A module of TensorFlow that programs import by its path -> names that it no longer has.
MOVED = {
    'tensorflow.python.ops.control_flow_ops': ('while_loop', 'cond', 'case'),
    'tensorflow.python.framework.graph_util': (
        'convert_variables_to_constants',
        'extract_sub_graph',
        'remove_training_nodes',
        'must_run_on_cpu',
    ),
}


def moved_names(keras: ModuleType) -> str:
    """Give back names that TensorFlow has moved to other modules: `control_flow_ops.while_loop`, `cond`, `case` ..."""
    given = []
    for path, names in MOVED.items():
        module, short = import_module(path), path.rpartition('.')[2]
        for name in names:
            for place in real().compat.v1, real().compat.v1.graph_util:
                if not hasattr(module, name) and hasattr(place, name):
                    setattr(module, name, getattr(place, name))
                    given.append(f'{short}.{name}')
    return ', '.join(given)

"""TensorFlow 1 for programs that mix it with Keras: a view of TensorFlow 2, with Keras 2 in it."""

import contextlib
import functools
import importlib.abc
import importlib.machinery
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Dict, List, Optional

from ...basics import installed
from ..launcher.imports import MadeUp, Ready
from .tensorflow1 import table
from .tensorflow1.table import PRIVATE_MODULES, REPLACED

# -- TensorBoard's projector -------------------------------------------------------------------------------------------
# The part of TensorBoard's projector that `keras.callbacks.TensorBoard` uses, if TensorBoard is not installed.


class _ProjectorConfig:
    """The settings for embeddings that `keras.callbacks.TensorBoard` fills in."""

    def __init__(self) -> None:
        self.embeddings = _Embeddings()


class _Embeddings(List[Any]):
    def add(self) -> Any:
        """A new entry. The caller sets its attributes."""
        self.append(type('EmbeddingInfo', (), {})())
        return self[-1]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write `projector_config.pbtxt` beside the events. The projector of TensorBoard reads it."""
    logdir = summary_writer if isinstance(summary_writer, str) else summary_writer.get_logdir()
    lines = []
    for embedding in config.embeddings:
        lines.append('embeddings {')
        lines += [
            f'  {key}: "{getattr(embedding, key)}"'
            for key in ('tensor_name', 'metadata_path')
            if getattr(embedding, key, None)
        ]
        lines.append('}')
    folder = logdir.decode() if isinstance(logdir, bytes) else logdir
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'projector_config.pbtxt'), 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(lines) + '\n')


PROJECTOR = ModuleType('projector', 'The projector of TensorBoard, as far as Keras uses it.')
vars(PROJECTOR).update(ProjectorConfig=_ProjectorConfig, visualize_embeddings=visualize_embeddings)


def projector(keras: ModuleType) -> str:
    """Let `keras.callbacks.TensorBoard` find a projector if TensorBoard is not installed."""
    if installed.spec('tensorboard') is not None or 'tensorboard' in sys.modules:
        return ''
    tensorboard, plugins = ModuleType('tensorboard'), ModuleType('tensorboard.plugins')
    for package in tensorboard, plugins:
        package.__path__ = []
        sys.modules[package.__name__] = package
    vars(tensorboard)['plugins'] = plugins
    vars(plugins)['projector'] = PROJECTOR
    sys.modules['tensorboard.plugins.projector'] = PROJECTOR
    return 'tensorboard.plugins.projector'


VERSION = '1.15.5'


def gone(path: str) -> str:
    """The sentence that a part of TensorFlow 1 is gone. It says what to write instead, if that is known."""
    words = path.split('.')
    known = next(
        (REPLACED['.'.join(words[:n])] for n in range(len(words), 0, -1) if '.'.join(words[:n]) in REPLACED), None
    )
    return f'tf.{path} is gone: TensorFlow {real().__version__} does not have it. ' + (
        f'Write instead: {known}.' if known else 'Write it with K functions or tf functions.'
    )


class TensorFlow1(ModuleType):
    """TensorFlow with the names of version 1 before those of version 2. Setting a name does not change TensorFlow."""

    def __getattr__(self, name: str) -> Any:
        if name in ('contrib', 'layers', 'nn', 'examples'):
            return import_module('tensorflow.' + name)
        if name == 'estimator':
            raise AttributeError(gone(name))
        if name == 'keras':
            return import_module('tensorflow.keras')
        if name == 'python':  # TensorFlow 2 imports it, and hides the name
            return sys.modules['tensorflow.python']
        if name == 'compat':
            return _compat['tensorflow.compat']
        if name == 'lite':
            return import_module('tensorflow.contrib.lite')
        tensorflow = real()
        if name.startswith('__') or name in ('core', '_api', 'tools'):
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


class Compat(ModuleType):
    """`tf.compat` of TensorFlow, with the names of version 1 in `tf.compat.v1` that TensorFlow 2 has lost."""

    def __getattr__(self, name: str) -> Any:
        return _compat['tensorflow.compat.v1'] if name == 'v1' else getattr(real().compat, name)

    def __dir__(self) -> List[str]:
        return dir(real().compat)


_real: Optional[ModuleType] = None
# `tensorflow.compat` and `tensorflow.compat.v1`, as programs see them.
_compat: Dict[str, ModuleType] = {}


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
    tensorflow: Any = module
    seen = _seen(TensorFlow1('tensorflow', TensorFlow1.__doc__), module)
    names = {'__version__': VERSION, 'VERSION': VERSION, 'Variable': _variable_class(module)}
    vars(seen).update(names, _itself=module)
    sys.modules['tensorflow'] = seen
    v1 = _seen(TensorFlow1('tensorflow.compat.v1', TensorFlow1.__doc__), tensorflow.compat.v1)
    vars(v1).update(names)
    _compat['tensorflow.compat.v1'] = v1
    _compat['tensorflow.compat'] = _seen(Compat('tensorflow.compat', Compat.__doc__), tensorflow.compat)
    for name in [name for name in _compat if name in sys.modules]:
        sys.modules[name] = _compat[name]
    return f'TensorFlow {module.__version__} as {VERSION}'


def _seen(view_of_module: ModuleType, module: ModuleType) -> ModuleType:
    """A view with the files of a module, below which others are found."""
    for name in '__path__', '__spec__', '__file__', '__loader__', '__package__':
        setattr(view_of_module, name, getattr(module, name))
    return view_of_module


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


_V1 = 'compat.v1.'


class _Parts(importlib.abc.Loader):
    """Finds the parts of TensorFlow 1 that are given back as modules. A part that is gone is an error."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a part of TensorFlow 1."""
        top, _, rest = name.partition('.')
        if top != 'tensorflow' or not rest or (rest + '.').startswith('contrib.keras.'):
            return None
        if name in _compat:
            return importlib.machinery.ModuleSpec(name, Ready(_compat[name]))
        if rest.startswith(_V1):
            rest = rest[len(_V1) :]
            if table.is_part(rest):
                return importlib.machinery.ModuleSpec(name, Ready(import_module(f'tensorflow.{rest}')))
        if name in STUBS or table.is_part(rest):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if rest.partition('.')[0] in ('contrib', 'examples', 'estimator'):
            if table.is_part(rest.rpartition('.')[0]):
                # `from tensorflow.contrib.layers import name` would hide a ModuleNotFoundError.
                raise ImportError(gone(rest), name=name)
            raise ModuleNotFoundError(gone(rest), name=name)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module for a part of TensorFlow 1."""
        if spec.name in STUBS:
            return ModuleType(spec.name)
        path = spec.name[len('tensorflow.') :]
        return table.Part(path, gone, real().compat.v1.nn if path == 'nn' else None)

    def exec_module(self, module: ModuleType) -> None:
        """Fill the modules that have no table of names."""
        if module.__name__ in STUBS:
            vars(module).update(STUBS[module.__name__])


def private_parts(keras: ModuleType) -> str:
    """Let `from tensorflow.python.ops import rnn_cell` and `tensorflow.python.layers` give cells and layers, too."""
    modules = {}
    for path in PRIVATE_MODULES:  # all of them first, because they import each other
        with contextlib.suppress(ImportError):  # a later TensorFlow may not have it
            modules[path] = import_module(path)
    for path, module in modules.items():
        parent, _, name = path.rpartition('.')
        sys.modules[path] = table.Part(PRIVATE_MODULES[path], gone, module)
        setattr(sys.modules[parent], name, sys.modules[path])
    return ', '.join(modules)


STUBS: Dict[str, Dict[str, Any]] = {
    'tensorflow.contrib.tensorboard': {},
    'tensorflow.contrib.tensorboard.plugins': {'projector': PROJECTOR},
}


def given_parts(keras: ModuleType) -> str:
    """Let `tf.contrib`, `tf.layers`, `tf.nn.rnn_cell` give the parts of TensorFlow 1 that have a short equivalent."""
    if any(isinstance(finder, _Parts) for finder in sys.meta_path):
        return ''
    sys.meta_path.insert(0, _Parts())
    return 'tensorflow.contrib, tensorflow.layers, tensorflow.nn.rnn_cell'


def length_of_tensors(keras: ModuleType) -> str:
    """Remove `__len__` from tensors, so that `hasattr(x, '__len__')` is true for lists only, as before."""
    # The engine puts a sentence of its own in front of what TensorFlow says, on its variables, too.
    KVariable = import_module('keras_backend.engines.tensorflow_backend.variables').KVariable
    having = {cls for kind in (real().Tensor, KVariable) for cls in kind.__mro__ if '__len__' in vars(cls)}
    for cls in having:
        del cls.__len__
    return 'tf.Tensor.__len__' if having else ''


def moved_names(keras: ModuleType) -> str:
    """Give back names that TensorFlow has moved to other modules: `control_flow_ops.while_loop`, `cond`, `case` ..."""
    restored = []
    for path, names in table.NAMES['moved'].items():
        module, short = import_module(path), path.rpartition('.')[2]
        for name in names.split():
            for namespace in real().compat.v1, real().compat.v1.graph_util:
                if not hasattr(module, name) and hasattr(namespace, name):
                    setattr(module, name, getattr(namespace, name))
                    restored.append(f'{short}.{name}')
    return ', '.join(restored)


# -- tensorflow.keras --------------------------------------------------------------------------------------------------
# Keras 2 under the names that it has inside TensorFlow 1: `tensorflow.keras`, `tensorflow.python.keras` and others.


# The names of the package in TensorFlow 1.2 to 1.15. The longest come first, because some are inside others.
PACKAGES = (
    'tensorflow.python.keras._impl.keras',
    'tensorflow.python.keras',
    'tensorflow.contrib.keras.python.keras',
    'tensorflow.contrib.keras.api.keras',
    'tensorflow.contrib.keras',
    'tensorflow.compat.v1.keras',
    'tensorflow.keras',
)

# Packages between those names that have no code.
_EMPTY = ('tensorflow.python.keras._impl', 'tensorflow.contrib.keras.python', 'tensorflow.contrib.keras.api')

# Helpers that only TensorFlow's copy has. They have no layers and no models, so they serve Keras 2, too.
_HELPERS = [f'keras.utils.{name}' for name in ('tf_utils', 'tf_inspect', 'tf_contextlib', 'control_flow_util')]

# The modules of the copy that TensorFlow has loaded for itself, by name.
_of_tensorflow: Dict[str, ModuleType] = {}


def name_in_keras(name: str) -> Optional[str]:
    """The module of Keras that a module of TensorFlow's copy is: 'keras.layers' for 'tensorflow.python.keras.layers'.

    None for other modules.
    """
    for package in PACKAGES:
        if name == package or name.startswith(package + '.'):
            return 'keras' + name[len(package) :]
    return None


class _Finder:
    """Finds the modules of Keras 2 under the names of TensorFlow's copy."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a module of Keras; or of TensorFlow's copy where Keras has no such module."""
        if name in _EMPTY:
            return importlib.machinery.ModuleSpec(name, MadeUp(lambda: ModuleType(name)), is_package=True)
        if name in _HELPERS and not _is_there(name):
            # `from tensorflow.python.keras.utils import tf_utils` asks `keras.utils` for it.
            return self.find_spec(f'tensorflow.python.{name}')
        in_keras = name_in_keras(name)
        if in_keras is None:
            return None
        if _is_there(in_keras):
            return importlib.machinery.ModuleSpec(name, Ready(import_module(in_keras)))
        if name in _of_tensorflow:
            return importlib.machinery.ModuleSpec(name, Ready(_of_tensorflow[name]))
        return _in_files_of_tensorflow(name)


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return True
    above = module.rpartition('.')[0]
    if not _is_there(above):
        return False
    return importlib.machinery.PathFinder.find_spec(module, getattr(import_module(above), '__path__', [])) is not None


def _in_files_of_tensorflow(name: str) -> Optional[importlib.machinery.ModuleSpec]:
    words = name.split('.')
    folders = [os.path.join(folder, *words[1:-1]) for folder in real().__path__ if folder]
    return importlib.machinery.PathFinder.find_spec(name, folders)


def aliases(keras: ModuleType) -> str:
    """Let `from tensorflow.keras import ...` and `from tensorflow.python.keras import ...` give Keras 2."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return ''
    # The parts of TensorFlow 1 that use its copy are loaded first, and keep what they have of it.
    tf = real().compat.v1
    for submodule in 'train', 'nn', 'saved_model', 'feature_column':
        getattr(tf, submodule)
    for name in [name for name in sys.modules if (name + '.').startswith('tensorflow.python.keras.')]:
        _of_tensorflow[name] = sys.modules.pop(name)
    sys.meta_path.insert(0, _Finder())
    python: Any = import_module('tensorflow.python')
    python.keras = keras
    return 'tensorflow.keras, tensorflow.python.keras, tensorflow.contrib.keras'


def whole_shapes(keras: ModuleType) -> str:
    """Let `compute_output_shape` of a layer return a `TensorShape`, as it may in TensorFlow's copy of Keras."""
    Layer: Any = import_module('keras.layers').Layer
    documented = getattr(Layer, '_add_inbound_node', None)
    if documented is None or hasattr(documented, '_of_keras2'):
        return ''  # Keras 1 has another method

    @functools.wraps(documented)
    def _add_inbound_node(self: Any, *args: Any, **kwargs: Any) -> Any:
        if 'output_shapes' in kwargs:
            kwargs['output_shapes'] = _whole(kwargs['output_shapes'])
        return documented(self, *args, **kwargs)

    _add_inbound_node._of_keras2 = True  # type: ignore[attr-defined]
    Layer._add_inbound_node = _add_inbound_node
    return 'keras.layers.Layer.compute_output_shape'


def _whole(shape: Any) -> Any:
    """A shape, or a list of shapes, with sizes that are integers of Python or None."""
    tf = real().compat.v1
    if isinstance(shape, tf.TensorShape):
        return tuple(shape.as_list()) if shape.ndims is not None else shape
    if isinstance(shape, list):
        return [_whole(inner_shape) for inner_shape in shape]
    if isinstance(shape, tuple):
        return tuple([size.value if isinstance(size, tf.Dimension) else size for size in shape])
    return shape

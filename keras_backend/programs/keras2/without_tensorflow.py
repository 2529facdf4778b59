"""`import tensorflow as tf` of programs on other engines: what sets memory, threads or seeds does nothing."""

import ast
import contextlib
import sys
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Any, Dict, Iterator, List, Optional, Type

from ...basics import installed
from ...basics.sessions import Nothing
from ..launcher import imports, rewriting
from . import keras_cures
from .tensorflow_cures import VERSION


class Neutral(Nothing):
    """An object that takes every argument and attribute, and does nothing: options, a device, a graph."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        vars(self).update(kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        value = Neutral()
        setattr(self, name, value)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> 'Neutral':
        return self

    def __enter__(self) -> 'Neutral':
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        return None


class Session(Neutral):
    """A session that is given to K.set_session. It runs tensors of K, and what has nothing to do, as first values."""

    __module__ = 'tensorflow'  # K takes the sessions of TensorFlow on other engines, too

    def run(self, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None, *args: Any, **kwargs: Any) -> Any:
        """The values of tensors, as `K.get_session().run` gives them."""
        return import_module('keras.backend').get_session().run(fetches, feed_dict)

    def close(self) -> None:
        """Do nothing."""


def _nothing(*args: Any, **kwargs: Any) -> Any:
    return Neutral()


def _no_devices(*args: Any, **kwargs: Any) -> List[Any]:
    return []


# What a name gives. The values of other names are those of the installed TensorFlow.
NAMES: Dict[str, Any] = {
    **dict.fromkeys(('ConfigProto', 'GPUOptions', 'OptimizerOptions', 'RunOptions', 'Graph', 'device'), Neutral),
    **dict.fromkeys(('Session', 'InteractiveSession'), Session),
    **dict.fromkeys(('get_default_graph', 'reset_default_graph', 'set_random_seed', 'random.set_seed'), _nothing),
    **dict.fromkeys(('random.set_random_seed', 'disable_eager_execution', 'disable_v2_behavior'), _nothing),
    **dict.fromkeys([f'{kind}_variables_initializer' for kind in ('global', 'local')], _nothing),
    **dict.fromkeys([f'initialize_{kind}_variables' for kind in ('all', 'local')], _nothing),
    **dict.fromkeys(('tables_initializer', 'get_logger', 'autograph.set_verbosity'), _nothing),
    **dict.fromkeys(('config.list_physical_devices', 'config.experimental.list_physical_devices'), _no_devices),
    **dict.fromkeys(('config.set_visible_devices', 'config.experimental.set_memory_growth'), _nothing),
    'logging': Neutral(),
    'test.is_gpu_available': lambda *args, **kwargs: False,
    'test.is_built_with_cuda': lambda: False,
    'test.gpu_device_name': lambda: '',
    '__version__': VERSION,
    'VERSION': VERSION,
}
_PARTS = {name[:index] for name in NAMES for index, letter in enumerate(name) if letter == '.'} | {
    'compat',
    'compat.v1',
}


def is_neutral(name: str) -> bool:
    """Whether a name below `tensorflow`, such as 'Session.run', changes nothing on other engines."""
    plain = name[len('compat.v1.') :] if name.startswith('compat.v1.') else name
    words = plain.split('.')
    return plain in _PARTS or any('.'.join(words[:count]) in NAMES for count in range(1, len(words) + 1))


# -- what Keras 2.3 imports --------------------------------------------------------------------------------------------
#
# Its module for saving imports TensorFlow where that is installed, on every engine, for files of Google's cloud. On
# PyTorch, JAX or NumPy that takes two seconds and 600 MB.

_FILES_OF_CLOUD = 'tensorflow.python.lib.io.file_io'


class _OnDemand(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


@contextlib.contextmanager
def files_of_cloud_on_demand() -> Iterator[None]:
    """While Keras imports its module for saving, TensorFlow is a package with one module, which is not imported yet."""
    is_there = 'tensorflow' in sys.modules or installed.spec('tensorflow') is None
    if is_there or keras_cures.short_name() == 'tensorflow':
        yield
        return
    package, _, last = _FILES_OF_CLOUD.rpartition('.')
    words = package.split('.')
    packages = {name: ModuleType(name) for name in ('.'.join(words[:count]) for count in range(1, len(words) + 1))}
    setattr(packages[package], last, _OnDemand(_FILES_OF_CLOUD))
    sys.modules.update(packages)
    try:
        yield
    finally:
        for name, module in packages.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


# -- what programs import ----------------------------------------------------------------------------------------------


def _needs(name: str) -> str:
    return (
        f'{name} needs the engine TensorFlow, and this program runs on {keras_cures.short_name()}; '
        'set KERAS_BACKEND=tensorflow, or leave --engine out'
    )


class TensorFlow(ModuleType):
    """TensorFlow as a program of Keras 2 sees it on another engine."""

    def __getattr__(self, name: str) -> Any:
        full = f'{self.__name__}.{name}'.partition('.')[2]
        full = full[len('compat.v1.') :] if full.startswith('compat.v1.') else full
        if full in NAMES:
            return NAMES[full]
        if full in _PARTS:
            return TensorFlow(f'tensorflow.{full}')
        if name.startswith('__'):
            raise AttributeError(name)
        if full == 'keras':
            return import_module('keras')
        if installed.spec('tensorflow') is None:
            raise AttributeError(_needs(f'tf.{full}'))
        value: Any = import_module('tensorflow')
        for word in full.split('.'):
            value = getattr(value, word)
        return value


MODULE = TensorFlow('tensorflow')


def part(path: str) -> Any:
    """What `import tensorflow.PATH as name` binds, or `from tensorflow import PATH`."""
    value: Any = MODULE
    for word in path.split('.') if path else ():
        value = getattr(value, word)
    return value


# -- the imports of the program ----------------------------------------------------------------------------------------

_PREFIX = '_keras_backend_'


class _Imports(ast.NodeTransformer):
    """Lets the imports of TensorFlow in a program bind what is here."""

    count = 0

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """A program that handles a missing TensorFlow learns that it is missing."""
        if installed.spec('tensorflow') is not None:
            self.generic_visit(node)
        return node

    def visit_Import(self, node: ast.Import) -> Any:
        """`import tensorflow as tf`, `import tensorflow.compat.v1 as tf`."""
        ours = [alias for alias in node.names if _is_ours(alias.name, bool(alias.asname))]
        others = [alias for alias in node.names if alias not in ours]
        kept = [ast.copy_location(ast.Import(others), node)] if others else []
        path = [alias.name.partition('.')[2] if alias.asname else '' for alias in ours]
        return kept + [self._bound(node, alias.asname or 'tensorflow', path[i]) for i, alias in enumerate(ours)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """`from tensorflow import ConfigProto`."""
        above = (node.module or '').partition('.')[2]
        paths = [(above + '.' if above else '') + alias.name for alias in node.names]
        is_tensorflow = (node.module or '').partition('.')[0] == 'tensorflow' and not node.level
        if not is_tensorflow or not all(map(is_neutral, paths)):
            return node
        return [self._bound(node, alias.asname or alias.name, path) for alias, path in zip(node.names, paths)]

    def _bound(self, node: ast.AST, name: str, path: str) -> ast.AST:
        self.count += 1
        statement = ast.parse(f'{name} = {_PREFIX}part({path!r})').body[0]
        return ast.copy_location(statement, node)


def _is_ours(module: str, is_named: bool) -> bool:
    """Whether an import binds TensorFlow itself, or a part that is here."""
    first, _, rest = module.partition('.')
    return first == 'tensorflow' and (not rest or (is_named and is_neutral(rest)))


def _wants(source: bytes, is_installed: bool) -> bool:
    if is_installed or b'tensorflow' not in source:
        return False
    with imports.kept():  # the default engine depends on what is installed
        return keras_cures.short_name() != 'tensorflow'


def _changed(tree: ast.Module, is_installed: bool) -> bool:
    return rewriting.calls_are_written(_Imports(), tree, part, _PREFIX)


CHANGE = rewriting.Change(_wants, _changed)


# -- cures -------------------------------------------------------------------------------------------------------------


def imports_of_tensorflow(sys: ModuleType) -> str:
    """On engines other than TensorFlow, let `tf.ConfigProto`, `tf.Session`, `tf.set_random_seed` change nothing."""
    rewriting.watch([CHANGE])
    return 'the code of the program, where the engine is not TensorFlow'


def names_in_k(keras: ModuleType) -> str:
    """On engines other than TensorFlow, give `K.tf` and `keras.backend.tensorflow_backend`, for `K.tf.ConfigProto`."""
    import sys

    if keras_cures.short_name() in ('tensorflow', 'keras'):
        return ''
    K, module = sys.modules['keras.backend'], keras_cures.backend_module()
    names: keras_cures.Names = {
        'tf': lambda: MODULE,
        'tensorflow_backend': lambda: module,
        '_get_available_gpus': lambda: _no_devices,
    }
    for owner in K, module:
        keras_cures.look_up(owner, names)
    sys.modules['keras.backend.tensorflow_backend'] = module
    return ', '.join('K.' + name for name in names)

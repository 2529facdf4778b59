"""Names and habits that Keras 2 keeps for its own engines, given to the engines of keras_backend."""

import contextlib
import functools
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, cast

from ... import loader
from ...basics.live import NAMES, Namespace, reading
from ...config import settings
from ...contract import CONTRACT
from ...engines.table import ENGINES, Engine
from ...errors import WrongKeras
from ..launcher import imports
from ..launcher.cures import on_one_device, replacing, warn_once
from . import batch_dot, versions

# Modules of Keras that ask which engine runs, and do the right thing for its short name. All other modules of Keras get
# the name of the module that is the engine. They then leave the decisions to the engine.
SHORT_NAME_FOR = ('keras.callbacks', 'keras.metrics', 'keras.optimizers', 'keras.utils.multi_gpu_utils')

# Modules of Keras that write the name into files. The name says which layout the kernels of convolutions have in the
# file. All engines of keras_backend have TensorFlow's layout.
KERNELS_OF_TENSORFLOW_FOR = ('keras.engine.network', 'keras.engine.saving', 'keras.engine.topology')

# Modules of Keras 1 that ask whether an engine has separable convolutions and shapes. All of ours have them.
LAYERS_OF_TENSORFLOW_FOR = ('keras.engine', 'keras.layers.convolutional', 'keras.layers.core')

# Packages that expect the name of the module that is the engine.
MODULE_NAME_FOR = ('keras', 'keras_applications', 'keras_backend')


def engine_module() -> str:
    """The module that is the configured engine."""
    setting = settings.get('backend')
    return loader.find(setting.value, setting.source, setting.danger).module


def short_name() -> str:
    """The name by which programs know the configured engine."""
    module = engine_module()
    entry = _entry(module)
    return module if entry is None else entry.name


def title(module: str) -> str:
    """The title of an engine; the name of the module for an engine of the user's own."""
    entry = _entry(module)
    return module if entry is None else entry.title


def _entry(module: str) -> Optional[Engine]:
    """The entry of the engine that a module is; None for an engine of the user's own."""
    return next((engine for engine in ENGINES.values() if engine.module == module), None)


class _NamingTheEngine:
    """The standard error while Keras is imported. Its line "Using ... backend." names the engine, not the module."""

    def __init__(self, stream: Any, module: str) -> None:
        self._stream, self._line = stream, f'Using {module} backend.'
        self._told = f'Using {title(module)} backend.'

    def write(self, text: str) -> Any:
        return self._stream.write(text.replace(self._line, self._told))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def import_keras() -> str:
    """Import Keras on the configured engine. KERAS_BACKEND is the same before and after."""
    before = os.environ.get('KERAS_BACKEND')
    # Keras imports a name with a dot as a module. It takes any other name for one of its own engines.
    os.environ['KERAS_BACKEND'] = module = engine_module()
    version = versions.of_keras()
    if version is not None and not versions.takes_modules(version):
        versions.install(module, title(module), version)
    try:
        with contextlib.redirect_stderr(cast(Any, _NamingTheEngine(sys.stderr, module))):
            keras = import_module('keras')
            import_module('keras.backend')
    finally:
        if before is None:
            del os.environ['KERAS_BACKEND']
        else:
            os.environ['KERAS_BACKEND'] = before
    runs_on = sys.modules['keras.backend'].backend()
    if runs_on != module:
        raise WrongKeras(
            f'Keras was imported before keras_backend.keras2 and runs on its own engine {runs_on!r}; '
            f'start Python again, and put `import keras_backend.keras2` before `import keras`.'
        )
    return f'Keras {keras.__version__} on {module}'


def _keras_backend() -> ModuleType:
    return sys.modules['keras.backend']


# `run` sets it for a program whose images have their channels first, and that does not say so.
CHANNELS = 'KERAS_BACKEND_CHANNELS'


def order_of_channels(keras: ModuleType) -> str:
    """Take images with the channels where `run` has seen that the program has them."""
    order = os.environ.get(CHANNELS, '')
    if order not in ('first', 'last'):
        return ''
    keras.backend.set_image_data_format(f'channels_{order}')
    return f'images with channels {order}'


def name_of_engine(keras: ModuleType) -> str:
    """Let `K.backend()` be 'tensorflow', not the name of the module that is the engine."""
    K = _keras_backend()
    if hasattr(K.backend, '_of_keras2'):
        return ''
    module, short, keras_1 = engine_module(), short_name(), versions.is_keras_1(keras.__version__)

    def backend() -> str:
        """The name of the engine that Keras runs on."""
        caller = sys._getframe(1).f_globals.get('__name__') or ''
        if caller in KERNELS_OF_TENSORFLOW_FOR or (keras_1 and caller.startswith(LAYERS_OF_TENSORFLOW_FOR)):
            return 'tensorflow'
        if caller.split('.')[0] in MODULE_NAME_FOR and not caller.startswith(SHORT_NAME_FOR):
            return module
        return short

    backend._of_keras2 = True  # type: ignore[attr-defined]
    setattr(K, 'backend', backend)  # noqa: B010
    return f'{short!r} for {module!r}'


def reloading(keras: ModuleType) -> str:
    """Let `reload(K)` leave `keras.backend` as it is. If it was meant to change the engine, it raises an error."""
    running = engine_module()

    def refuse_another() -> None:
        if engine_module() != running:
            raise WrongKeras(
                f'Keras runs on {running}, and a running process cannot change to {engine_module()}; set '
                f'KERAS_BACKEND before the first import of Keras.'
            )

    imports.before('keras.backend', refuse_another)
    return 'keras.backend'


def names_of_k(keras: ModuleType) -> str:
    """Give `keras.backend` names that Keras 2.3 has on its own engines only: `K.clear_session`, `K.get_session` ..."""
    K = _keras_backend()
    engine = sys.modules[engine_module()]
    missing = [name for name in CONTRACT if not hasattr(K, name) and hasattr(engine, name)]
    for name in missing:
        setattr(K, name, getattr(engine, name))
    return ', '.join('K.' + name for name in missing)


class _OldBackend(Namespace):
    """A module of Keras with names whose values are made at the first use: see `look_up`."""

    _BACKEND = reading('_BACKEND', lambda: short_name())

    def __getattr__(self, name: str) -> Any:
        for names in _lazy_names.get(self.__name__, ()):
            if name in names:
                return names[name]()
        raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')

    def __dir__(self) -> List[str]:
        return sorted(set(super().__dir__()).union(*_lazy_names.get(self.__name__, ())))


Names = Dict[str, Callable[[], Any]]
_lazy_names: Dict[str, List[Names]] = {}


def look_up(module: ModuleType, names: Names) -> None:
    """Give a module names whose values are made when they are used."""
    module.__class__ = _OldBackend
    known = _lazy_names.setdefault(module.__name__, [])
    if names not in known:
        known.append(names)


def names_of_helpers(keras: ModuleType) -> str:
    """Give `keras.backend` the names of Keras 2.2 and before that are no functions of K: `K.np`, `K._FLOATX` ..."""
    import builtins
    from collections import defaultdict

    import numpy

    names: Names = {'np': lambda: numpy, 'defaultdict': lambda: defaultdict, 'has_arg': _has_arg}
    names.update({f'py_{name}': functools.partial(getattr, builtins, name) for name in ('all', 'any', 'sum', 'slice')})
    for module in _keras_backend(), backend_module():
        look_up(module, names)
    return ', '.join('K.' + name for name in [*names, *NAMES])


def _has_arg() -> Any:
    return import_module('keras.utils.generic_utils').has_arg


def backend_module() -> ModuleType:
    """The module `keras.backend.tensorflow_backend`, made from the engine that runs."""
    K = _keras_backend()
    name = f'{short_name()}_backend'
    full = f'keras.backend.{name}'
    if '.' in short_name():
        return K
    if not isinstance(sys.modules.get(full), _OldBackend):
        module = _OldBackend(full, K.__doc__)
        vars(module).update({key: value for key, value in vars(K).items() if not key.startswith('__')})
        module.__package__ = 'keras.backend'
        sys.modules[full] = module
        setattr(K, name, module)
    return sys.modules[full]


def replace_in_k(**functions: Any) -> None:
    """Put functions in the place of those of K, under both names that K has. They pickle by the first."""
    for name, function in functions.items():
        function.__module__, function.__qualname__ = 'keras.backend', name
    for module in _keras_backend(), backend_module():
        vars(module).update(functions)


def module_of_engine(keras: ModuleType) -> str:
    """Let `keras.backend.tensorflow_backend` be the engine that runs. Keras's own module of this name is not in use."""
    return backend_module().__name__


def test_decorator(tools: ModuleType) -> str:
    """Give `keras.utils.test_utils.keras_test`, which Keras 2.3 removed: the session is cleared after a test."""
    if hasattr(tools, 'keras_test'):
        return ''
    K = _keras_backend()

    def keras_test(func: Callable[..., Any]) -> Callable[..., Any]:
        """Clear the session of Keras after the test."""

        @functools.wraps(func)
        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return func(*args, **kwargs)
            finally:
                K.clear_session()

        return run

    setattr(tools, 'keras_test', keras_test)  # noqa: B010
    return 'keras.utils.test_utils.keras_test'


def old_batch_dot(keras: ModuleType) -> str:
    """Let `K.batch_dot` of Keras before 2.2.5 multiply stacks of matrices. Keras 2.2.5 gave it another meaning."""
    K = _keras_backend()
    if versions.numbers(keras.__version__) >= (2, 2, 5) or hasattr(K.batch_dot, '_of_keras2'):
        return ''
    function = batch_dot.of_keras_22(K, K.batch_dot)
    function._of_keras2 = True  # type: ignore[attr-defined]
    replace_in_k(batch_dot=function)
    return 'K.batch_dot'


def kernels_of_theano(keras: ModuleType) -> str:
    """Let Keras flip the kernels in files of Theano. Its own function for this needs NumPy before 1.23."""
    import numpy

    keras_1 = versions.is_keras_1(keras.__version__)
    path = 'keras.utils.np_utils' if keras_1 else 'keras.utils.conv_utils'
    try:
        import_module(path).convert_kernel(numpy.zeros((1, 1, 1, 1)))
        return ''
    except IndexError:
        pass
    K = _keras_backend()

    def convert_kernel(kernel: Any, dim_ordering: Optional[str] = None) -> Any:
        """A kernel, flipped along its spatial axes: its first axes, or with 'th' of Keras 1 its last."""
        kernel = numpy.asarray(kernel)
        if not 3 <= kernel.ndim <= 5:
            raise ValueError(f'Invalid kernel shape: {kernel.shape}; a kernel has 3 to 5 axes.')
        order = dim_ordering or (K.image_dim_ordering() if keras_1 else 'tf')
        first = 2 if order == 'th' else 0
        return numpy.flip(kernel, tuple(range(first, first + kernel.ndim - 2))).copy()

    for name, module in sorted(sys.modules.items()):
        if name.startswith('keras.') and hasattr(module, 'convert_kernel'):
            setattr(module, 'convert_kernel', convert_kernel)  # noqa: B010
    return f'{path}.convert_kernel'


def losses_in_double(keras: ModuleType) -> str:
    """Let Keras average losses in float64, as before NumPy 2. `json.dump(history.history, file)` needs it."""
    import numpy

    if type(numpy.float32(1) * 2) is numpy.float64 or hasattr(keras.callbacks.BaseLogger.on_batch_end, '_of_keras2'):
        return ''

    def doubled(value: Any) -> Any:
        return numpy.float64(value) if isinstance(value, numpy.float32) else value

    logged = keras.callbacks.BaseLogger.on_batch_end

    @functools.wraps(logged)
    def on_batch_end(self: Any, batch: int, logs: Any = None) -> Any:
        return logged(self, batch, {key: doubled(value) for key, value in (logs or {}).items()})

    on_batch_end._of_keras2 = True  # type: ignore[attr-defined]
    keras.callbacks.BaseLogger.on_batch_end = on_batch_end

    # A function since Keras 2.2, and a method before.
    holder: Any = import_module('keras.engine.training')
    holder, name = getattr(holder, 'training_arrays', None), 'test_loop'
    if holder is None:
        holder, name = keras.models.Model, '_test_loop'
    loop = getattr(holder, name)

    @functools.wraps(loop)
    def test_loop(*args: Any, **kwargs: Any) -> Any:
        losses = loop(*args, **kwargs)
        return [doubled(value) for value in losses] if isinstance(losses, list) else doubled(losses)

    setattr(holder, name, test_loop)
    return 'history.history, model.evaluate'


def several_gpus(keras: ModuleType) -> str:
    """Let `multi_gpu_model` give a model that computes the same on one device, if the machine has too few GPUs."""
    utils = import_module('keras.utils')
    documented = getattr(utils, 'multi_gpu_model', None)
    if documented is None or hasattr(documented, '_of_keras2'):
        return ''

    @functools.wraps(documented)
    def multi_gpu_model(model: Any, gpus: Any = None, *args: Any, **kwargs: Any) -> Any:
        count = len(gpus) if isinstance(gpus, (list, tuple)) else gpus
        if (count is not None and count <= 1) or (count is not None and count <= _gpus()):
            return documented(model, gpus, *args, **kwargs)
        warn_once(
            f'multi_gpu_model asks for {"all" if count is None else count} GPUs and {_gpus()} are here; the '
            f'model runs on one device.'
        )
        return on_one_device(model)

    multi_gpu_model._of_keras2 = True  # type: ignore[attr-defined]
    setattr(utils, 'multi_gpu_model', multi_gpu_model)  # noqa: B010
    for name in 'keras.utils.multi_gpu_utils', 'keras.utils.training_utils':  # Keras 2.2 has both, 2.3 the first
        try:
            setattr(import_module(name), 'multi_gpu_model', multi_gpu_model)  # noqa: B010
        except ImportError:
            pass
    return 'keras.utils.multi_gpu_model'


def _gpus() -> int:
    counted = getattr(backend_module(), '_get_available_gpus', None)
    return len(counted()) if counted is not None else 0


def cudnn_layers(keras: ModuleType) -> str:
    """Let `CuDNNLSTM` and `CuDNNGRU` make an `LSTM` and a `GRU` that compute the same, and load files of both kinds."""
    layers = import_module('keras.layers')
    # Keras has them since 2.0.9.
    if hasattr(getattr(layers, 'CuDNNLSTM', None), '_of_keras2') or not hasattr(layers, 'CuDNNLSTM'):
        return ''
    for name, plain, fixed in (('CuDNNLSTM', layers.LSTM, {}), ('CuDNNGRU', layers.GRU, {'reset_after': True})):
        layer_class = _plain_class(name, plain, dict(fixed, activation='tanh', recurrent_activation='sigmoid'))
        for module in layers, sys.modules.get('keras.layers.cudnn_recurrent'):
            if module is not None:
                setattr(module, name, layer_class)
    return 'keras.layers.CuDNNLSTM, CuDNNGRU'


def _plain_class(name: str, plain: Any, fixed: Dict[str, Any]) -> type:
    def make(cls: type, units: int, *args: Any, **kwargs: Any) -> Any:
        warn_once(f'{name} runs as a {plain.__name__} with recurrent_activation="sigmoid", which computes the same.')
        kwargs.update(zip(arguments, args))
        return plain(units, **dict(fixed, **kwargs))

    def from_config(cls: type, config: Dict[str, Any]) -> Any:
        return cls(**config)

    # In the order of the documents of Keras.
    arguments = (
        'kernel_initializer recurrent_initializer bias_initializer unit_forget_bias kernel_regularizer '
        'recurrent_regularizer bias_regularizer activity_regularizer kernel_constraint recurrent_constraint '
        'bias_constraint return_sequences return_state stateful'
    ).split()
    if name == 'CuDNNGRU':
        arguments.remove('unit_forget_bias')
    return type(
        name,
        (),
        {
            '__new__': make,
            'from_config': classmethod(from_config),
            '_of_keras2': True,
            '__doc__': f'{plain.__name__} with the settings that are fixed in cuDNN.',
        },
    )


def scikit_learn_wrappers(wrappers: ModuleType) -> str:
    """Let `KerasClassifier` and `KerasRegressor` tell scikit-learn 1.6 and later that they are estimators."""
    changed = []
    for name, mixin in ('KerasClassifier', 'ClassifierMixin'), ('KerasRegressor', 'RegressorMixin'):
        wrapper = getattr(wrappers, name)
        if not hasattr(wrapper, '__sklearn_tags__'):
            wrapper.__sklearn_tags__ = functools.partialmethod(_tags_of_estimator, mixin)
            wrapper.__sklearn_is_fitted__ = lambda self: hasattr(self, 'model')
            changed.append(name)
    return ', '.join(changed)


def _tags_of_estimator(wrapper: Any, mixin: str) -> Any:
    """The tags of a scikit-learn estimator of the same kind. Scikit-learn is imported here alone: it takes time."""
    base = import_module('sklearn.base')
    return type(type(wrapper).__name__, (getattr(base, mixin), base.BaseEstimator), {})().__sklearn_tags__()


def folds_of_wrappers(module: ModuleType) -> str:
    """Let `cv=3` cut the rows of a `KerasClassifier` in their order, as when it told scikit-learn no kind."""
    from sklearn.pipeline import Pipeline

    def is_classifier(original: Any, estimator: Any) -> bool:
        last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) and estimator.steps else estimator
        # The wrapper of Keras 2 has no `_estimator_type`. Programs that vote over networks set it.
        of_keras = type(last).__name__ == 'KerasClassifier' and type(last).__module__.startswith('keras.')
        return bool(original(estimator)) and (not of_keras or getattr(last, '_estimator_type', None) == 'classifier')

    if not hasattr(import_module('sklearn.base').BaseEstimator, '__sklearn_tags__'):
        return ''
    replacing(module, 'is_classifier')(is_classifier)
    return f'{module.__name__}.is_classifier'

"""Names that Keras 3 has no more, or elsewhere: classes, functions, defaults, and names that programs register."""

import functools
import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ...basics.tables import beside
from ..launcher import imports
from ..launcher.cures import around, predict_classes

# -- defaults ----------------------------------------------------------------------------------------------------------
# Defaults and formulas of tf.keras that Keras 3 changed without an error: ConvLSTM, `l1_l2`, `hard_sigmoid`.


_CONV_LSTM = ('ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D')


def older_defaults(keras: Any) -> str:
    """Let ConvLSTM have the activation 'hard_sigmoid', `l1_l2` rates of 0.01, `hard_sigmoid` the slope of tf.keras."""
    for name in _CONV_LSTM:
        _set_default(getattr(keras.layers, name).__init__, 'recurrent_activation', 'hard_sigmoid')
    # The function stays the object that it is: layers, files and other modules hold it, and name it by that.
    keras.activations.hard_sigmoid.__code__ = hard_sigmoid.__code__
    changed = [*_CONV_LSTM, 'hard_sigmoid']
    for package in HOMES:
        module = sys.modules.get(f'{package}.regularizers')
        if module is not None:
            changed.append(rates_of_l1_l2(module))
    return ', '.join(changed)


def rates_of_l1_l2(module: ModuleType) -> str:
    """Let `regularizers.l1_l2` have 0.01 for the rates that are not given."""
    vars(module)['l1_l2'] = l1_l2
    return f'{module.__name__}.l1_l2'


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> Any:
    """The regularizer L1L2, with the defaults that the function has in tf.keras. The class has 0."""
    return import_module('keras').regularizers.L1L2(l1=l1, l2=l2)


def hard_sigmoid(x: Any) -> Any:
    """0.2 x + 0.5, between 0 and 1. Keras 3 has x / 6 + 0.5."""
    from keras import ops

    return ops.clip(ops.add(ops.multiply(x, 0.2), 0.5), 0.0, 1.0)


def _set_default(function: Any, name: str, value: Any) -> None:
    """Change a default. Keras reads the parameters of `__init__` of a layer, so no other function may stand for it."""
    parameters = inspect.signature(function).parameters
    defaults = [value if p.name == name else p.default for p in parameters.values() if p.default is not p.empty]
    function.__defaults__ = tuple(defaults)


# -- where a cure finds what it changes --------------------------------------------------------------------------------
# Where Keras 3 has what a cure changes.


# Under which names programs import Keras 3.
HOMES = ('keras', 'keras._tf_keras.keras', 'tensorflow.keras')


def owner(made: Any, name: str) -> Any:
    """The class that has the method of this name, which is to be changed: `made`, or one that it derives from."""
    return next(base for base in made.__mro__ if name in vars(base))


def put_around(made: Any, names: Sequence[str], wrapper: Callable[..., Any], *given: Any) -> str:
    """Put a wrapper around methods of a class, in the class that defines each of them; returns their names."""
    for name in names:
        holder = owner(made, name)
        setattr(holder, name, wrapper(vars(holder)[name], *given))
    return ', '.join(f'{made.__name__}.{name}' for name in names)


def functional(keras: Any) -> Any:
    """The class of models that are graphs of layers."""
    return next(subclass for subclass in keras.Model.__subclasses__() if subclass.__name__ == 'Functional')


# -- classes and functions ---------------------------------------------------------------------------------------------
# Names of classes and functions that Keras 3 has no more, or under other names.


_TABLE = beside(__file__, 'older_names.json')
# Short names of losses that are metrics as well, and those of today.
SHORT: Dict[str, str] = _TABLE['short_losses']
# Other names that losses had, and those of today.
_OTHER: Dict[str, str] = _TABLE['other_losses']
# Names that `compile` took as strings, and those of the functions today.
OLDER: Dict[str, str] = _TABLE['losses_of_compile']
_OF_METRICS: List[str] = _TABLE['functions_of_metrics']


def functions_of_losses(module: ModuleType) -> str:
    """Give `losses` and `metrics` the functions under the names of Keras 2, such as `mse`, also below `tf.keras`."""
    losses, metrics = import_module('keras.losses'), import_module('keras.metrics')
    functions: Dict[str, Any] = {name: f for name, f in vars(losses).items() if _is_function(name, f)}
    functions.update((name, vars(losses)[full]) for name, full in {**SHORT, **_OTHER}.items() if full in vars(losses))
    functions.update((name.upper(), vars(losses)[full]) for name, full in {**SHORT, 'kld': 'kl_divergence'}.items())
    if module.__name__.endswith('metrics'):
        functions.update((name, vars(metrics)[name]) for name in _OF_METRICS if name in vars(metrics))
    new = {name: f for name, f in functions.items() if name not in vars(module)}
    vars(module).update(new)
    return ', '.join(sorted(new))


def _is_function(name: str, value: Any) -> bool:
    return not name.startswith('_') and callable(value) and not isinstance(value, (type, ModuleType)) and name.islower()


_LAYERS: Dict[str, str] = _TABLE['layers']


def names_of_layers(module: ModuleType) -> str:
    """Give `layers` `CuDNNLSTM` and `CuDNNGRU`, which are LSTM and GRU here, and other second names."""
    layers = import_module('keras.layers')
    new = {name: vars(layers)[today] for name, today in _LAYERS.items() if name not in vars(module)}
    vars(module).update(new)
    return ', '.join(sorted(new))


def methods_of_models(keras: Any) -> str:
    """Give models `predict_classes`, `predict_proba`, `updates`, `compiled_loss`; layers `get_output_shape_at`."""
    model, layer = keras.Model, keras.layers.Layer
    attributes: Dict[str, Any] = {
        'predict_classes': predict_classes,
        'predict_proba': lambda self, x, *args, **kwargs: self.predict(x, *args, **kwargs),
        'uses_learning_phase': True,
        'updates': property(lambda self: []),
        'state_updates': property(lambda self: []),
        '_make_predict_function': lambda self: None,
        '_make_train_function': lambda self: None,
        'compiled_metrics': property(_CompiledMetrics),
        'compiled_loss': property(lambda self: functools.partial(_compiled_loss, self)),
    }
    changed = []
    for name, value in attributes.items():
        if not hasattr(model, name):
            setattr(model, name, value)
            changed.append(f'Model.{name}')
    for side in ('input', 'output'):
        name = f'get_{side}_shape_at'
        if not hasattr(layer, name):
            setattr(layer, name, _shape_at(side))
            changed.append(f'Layer.{name}')
    return ', '.join(changed)


class _CompiledMetrics:
    """The metrics of a model, which its own `train_step` updates."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def metrics(self) -> Any:
        return compiled_with(self._model)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        self._model.compute_metrics(None, y_true, y_pred, sample_weight)


def compiled_with(model: Any) -> List[Any]:
    """The metrics that a model was compiled with; none before the first batch, as in tf.keras."""
    inner = getattr(model, '_compile_metrics', None)
    return list(inner.metrics) if inner is not None and inner.built else []


def _compiled_loss(
    model: Any, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
) -> Any:
    """The loss that the model was compiled with; Keras 3 adds the losses of layers itself."""
    loss = model.compute_loss(None, y_true, y_pred, sample_weight)
    return loss if regularization_losses is not None else loss - sum(model.losses)


def _shape_at(side: str) -> Callable[..., Any]:
    def get(layer: Any, node_index: int) -> Any:
        tensors = getattr(layer, f'get_{side}_at')(node_index)
        return [tuple(x.shape) for x in tensors] if isinstance(tensors, (list, tuple)) else tuple(tensors.shape)

    get.__name__ = f'get_{side}_shape_at'
    return get


def allowed_name(name: Any) -> Any:
    """A name that Keras 3 takes for what was called `name`: `/` and, on PyTorch, `.` become `_`."""
    if not isinstance(name, str):
        return name
    name = name.replace('/', '_')
    return name.replace('.', '_') if import_module('keras').backend.backend() == 'torch' else name


def names_with_slashes(keras: Any) -> str:
    """Let layers have names with slashes, which Keras 3 refuses, and with dots. `get_layer` finds them by these."""
    layer, model = keras.layers.Layer, keras.Model
    create, get = layer.__init__, model.get_layer

    def __init__(self: Any, **kwargs: Any) -> None:
        if 'name' in kwargs:
            kwargs['name'] = allowed_name(kwargs['name'])
        create(self, **kwargs)

    def get_layer(self: Any, name: Any = None, index: Any = None) -> Any:
        return get(self, name=allowed_name(name), index=index)

    layer.__init__, model.get_layer = __init__, get_layer
    return 'Layer.__init__, Model.get_layer'


# -- tensorflow.python.keras -------------------------------------------------------------------------------------------
# `tensorflow.python.keras`, which programs of 2017 to 2022 import: here it is `tensorflow.keras`.
#
# TensorFlow 2 has an old copy of Keras there, of which parts are gone. Its layers do not go into models of Keras 3.


PRIVATE, PUBLIC = 'tensorflow.python.keras', 'tensorflow.keras'
_ABOVE = 'tensorflow.python'


def private_copy(tensorflow: Any) -> str:
    """Let `tensorflow.python.keras`, and each module below it, be what `tensorflow.keras` has."""
    # The stand-in has no module of this name. TensorFlow itself has, and keeps what it has loaded of the copy.
    imports.instead(_ABOVE, _empty)
    imports.replaced(PRIVATE, PUBLIC)
    return PRIVATE


def _empty() -> ModuleType:
    return ModuleType(_ABOVE, 'The name above tensorflow.python.keras.')


# -- names that a program registers ------------------------------------------------------------------------------------
# Names that a program has registered: `get_custom_objects().update({'swish2': f})`, `custom_object_scope`.
#
# Keras 3 looks initializers and optimizers up among them, and no other functions and classes.


_REGISTRIES = ('activations', 'losses', 'metrics', 'regularizers', 'constraints')
_FUNCTIONS = ('get', 'deserialize')
# The functions of Keras 3, and ours.
_CURED: List[Tuple[Any, Any]] = []


def names_of_programs(keras: Any) -> str:
    """Let `Dense(8, activation='swish2')`, `loss='my_loss'` and the like find what the program has registered."""
    changed = []
    for name in _REGISTRIES:
        home = import_module(f'keras.src.{name}')
        for function in _FUNCTIONS:
            original = vars(home)[function]
            _CURED.append((original, _also_registered(original, keras)))
        for package in ('keras.src', *HOMES):
            module = sys.modules.get(f'{package}.{name}')
            if module is not None and names_of_programs_in_the_second_copy(module):
                changed.append(f'{package}.{name}')
    return ', '.join(changed)


def names_of_programs_in_the_second_copy(module: ModuleType) -> str:
    """Let the functions of the second copy of a module do the same, which `import tensorflow.keras.losses` makes."""
    changed = []
    for function in _FUNCTIONS:
        for original, cured in _CURED:
            if vars(module).get(function) is original:
                setattr(module, function, cured)
                changed.append(f'{module.__name__}.{function}')
    return ', '.join(changed)


@around
def _also_registered(original: Any, keras: Any, identifier: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(identifier, str):
        registered = keras.saving.get_registered_object(identifier)
        # Functions and classes of Keras itself are registered for files. Elsewhere they mean what they meant.
        if registered is not None and (is_of_a_program(registered) or not hasattr(registered, '__qualname__')):
            return registered() if inspect.isclass(registered) else registered
        if identifier == 'l1_l2' and original.__module__.startswith('keras.src.regularizers'):
            return l1_l2()
        older = OLDER.get(identifier)
        if older is not None and original.__module__.startswith(('keras.src.losses', 'keras.src.metrics')):
            return getattr(keras.losses, older)
    return original(identifier, *args, **kwargs)


# -- classes of programs -----------------------------------------------------------------------------------------------
# Classes that a program derives from those of Keras.


def is_of_a_program(made: Any) -> bool:
    """Whether a class or a function is neither of Keras nor of this package."""
    return str(getattr(made, '__module__', '')).partition('.')[0] not in ('keras', 'keras_backend')


def prepare_classes(base: Any, prepare: Callable[[Any], None]) -> None:
    """Call `prepare` with each class that a program derives from `base`, when it is made, after earlier ones."""
    before = vars(base).get('__init_subclass__')

    def __init_subclass__(made: Any, **kwargs: Any) -> None:
        if before is None:
            super(base, made).__init_subclass__(**kwargs)
        else:
            before.__func__(made, **kwargs)
        if is_of_a_program(made):
            prepare(made)

    base.__init_subclass__ = classmethod(__init_subclass__)

"""Modules of Keras under the paths that programs of 2017 to 2023 import, with the names of the modules of today."""

import functools
import math
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List

from ...basics.tables import beside
from ..launcher import imports
from . import older_layers, stand_in
from .check.rules import GONE
from .names import HOMES

_TABLE = beside(__file__, 'older_names.json')
# The path below Keras -> the modules of Keras 3 that have its names, the first before the others.
MODULES: Dict[str, List[str]] = _TABLE['modules']
# Helpers that Keras 3 does not have: the path -> names and values.
_OWN: Dict[str, Dict[str, Any]] = {
    **dict.fromkeys(('utils.conv_utils', 'utils.tf_utils'), vars(older_layers)),
    'mixed_precision.experimental': {'get_layer_policy': lambda layer: layer.dtype_policy},
}
# Where a name is another one today.
_RENAMED: Dict[str, str] = _TABLE['renamed']


def paths_of_modules(keras: Any) -> str:
    """Let the older paths be imported, below `keras` and `tensorflow.keras`, which the stand-in has by a third name."""
    for home in ('keras', 'tensorflow.keras', stand_in.TF_KERAS):
        for path in MODULES:
            imports.instead(f'{home}.{path}', lambda home=home, path=path: _Older(home, path))  # type: ignore[misc]
    return f'{len(MODULES)} paths'


# The modules that had older ones as attributes.
_PLACES = [
    f'{home}.{parent}'.rstrip('.')
    for home in HOMES
    for parent in dict.fromkeys(path.rpartition('.')[0] for path in MODULES)
    if parent not in MODULES
]


def attributes_of_older_paths(keras: Any) -> str:
    """Let the older modules be attributes: programs write `layers.experimental.preprocessing` without an import."""
    for place in _PLACES:
        imports.after(place, _with_older_ones)
    return f'{len(MODULES)} paths'


def _with_older_ones(module: ModuleType) -> None:
    name = module.__name__
    homes = [home for home in HOMES if name == home or name.startswith(f'{home}.')]
    if not homes:
        return
    path = name[len(max(homes, key=len)) + 1 :]
    before = vars(module).get('__getattr__')

    def __getattr__(attribute: str) -> Any:
        if f'{path}.{attribute}'.lstrip('.') in MODULES:
            return import_module(f'{name}.{attribute}')
        if before is not None:
            return before(attribute)
        raise AttributeError(f'module {name!r} has no attribute {attribute!r}')

    vars(module)['__getattr__'] = __getattr__


class _Older(ModuleType):
    """A module whose names are those of the modules of today."""

    def __init__(self, home: str, path: str) -> None:
        super().__init__(f'{home}.{path}', f'The names of {", ".join(MODULES[path])}.')
        self._path, self._found = path, MODULES[path]
        if path in _OWN:
            vars(self).update((name, value) for name, value in _OWN[path].items() if not name.startswith('__'))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith('__'):
            path = f'{vars(self)["_path"]}.{name}'
            if path in MODULES:
                return import_module(f'{self.__name__}.{name}')
            _still_there(path)
            if path.startswith('experimental.') and named(name) is not None:
                return named(name)
            for path in vars(self)['_found']:
                module = import_module(f'keras.{path}'.rstrip('.'))
                for spelled in (name, _RENAMED.get(name, name)):
                    if hasattr(module, spelled):
                        return getattr(module, spelled)
        raise AttributeError(f'{self.__name__} has no {name} in Keras 3.')


# -- experimental names ------------------------------------------------------------------------------------------------
# The names of `keras.experimental`: models and a cell over Keras 3, schedules, and files of models.


def named(name: str) -> Any:
    """What `keras.experimental` has under a name; None where it is to be looked for among the schedules."""
    _still_there(f'experimental.{name}')
    return _names().get(name)


def _still_there(path: str) -> None:
    words = path.split('.')
    gone = next(
        (start for start in map('.'.join, (words[:end] for end in range(1, len(words) + 1))) if start in GONE), ''
    )
    if gone:
        raise AttributeError(f'keras.{path}: Keras 3 does not have it; {GONE[gone]}.')


@functools.lru_cache(maxsize=None)
def _names() -> Dict[str, Any]:
    keras: Any = import_module('keras')
    return {
        **_schedules(keras),
        **_models(keras),
        'PeepholeLSTMCell': _cell(keras),
        'export_saved_model': _export_saved_model,
        'load_from_saved_model': _load_from_saved_model,
        'terminate_keras_multiprocessing_pools': lambda *args, **kwargs: None,
    }


def _export_saved_model(model: Any, saved_model_path: Any, *args: Any, **kwargs: Any) -> None:
    model.save(saved_model_path)


def _load_from_saved_model(saved_model_path: Any, custom_objects: Any = None) -> Any:
    # The launcher has its own, which programs see under this name.
    return import_module('keras').models.load_model(saved_model_path, custom_objects=custom_objects)


def _schedules(keras: Any) -> Dict[str, Any]:
    return {'LinearCosineDecay': linear_cosine_decay(keras.optimizers.schedules.LearningRateSchedule, keras.ops)}


def linear_cosine_decay(schedule: Any, ops: Any) -> Any:
    """The class LinearCosineDecay. schedule: the class of all schedules. ops: `keras.ops`, or TensorFlow."""

    class LinearCosineDecay(schedule):
        """A rate that falls linearly and by a cosine: rate * ((alpha + 1 - t) * cosine(periods) + beta)."""

        def __init__(
            self,
            initial_learning_rate: float,
            decay_steps: int,
            num_periods: float = 0.5,
            alpha: float = 0.0,
            beta: float = 0.001,
            name: Any = None,
        ) -> None:
            self.initial_learning_rate, self.decay_steps, self.name = initial_learning_rate, decay_steps, name
            self.num_periods, self.alpha, self.beta = num_periods, alpha, beta

        def _line(self, progress: Any) -> Any:
            """What falls linearly, from 1 to 0. progress: the part of the steps that is done."""
            return 1.0 - progress

        def __call__(self, step: Any) -> Any:
            rate = self.initial_learning_rate
            progress = ops.minimum(ops.cast(step, getattr(rate, 'dtype', 'float32')) / self.decay_steps, 1.0)
            cosine = 0.5 * (1.0 + ops.cos(math.pi * 2.0 * self.num_periods * progress))
            return rate * ((self.alpha + self._line(progress)) * cosine + self.beta)

        def get_config(self) -> Dict[str, Any]:
            return {name: value for name, value in vars(self).items() if not name.startswith('_')}

    return LinearCosineDecay


def _models(keras: Any) -> Dict[str, Any]:
    class LinearModel(keras.Model):
        """activation(sum of input * kernel + bias), with a kernel for each input."""

        def __init__(
            self,
            units: int = 1,
            activation: Any = None,
            use_bias: bool = True,
            kernel_initializer: Any = 'zeros',
            bias_initializer: Any = 'zeros',
            kernel_regularizer: Any = None,
            bias_regularizer: Any = None,
            **kwargs: Any,
        ) -> None:
            super().__init__(**kwargs)
            self.units, self.use_bias = units, use_bias
            self.activation = keras.activations.get(activation)
            self.kernel_initializer = keras.initializers.get(kernel_initializer)
            self.bias_initializer = keras.initializers.get(bias_initializer)
            self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
            self.bias_regularizer = keras.regularizers.get(bias_regularizer)

        def build(self, input_shape: Any) -> None:
            shapes = list(input_shape.values()) if isinstance(input_shape, dict) else input_shape
            shapes = shapes if isinstance(shapes[0], (list, tuple)) else [shapes]
            self.kernels = [
                self.add_weight(
                    shape=(shape[-1], self.units),
                    initializer=self.kernel_initializer,
                    regularizer=self.kernel_regularizer,
                    name='kernel' if len(shapes) == 1 else f'kernel_{number}',
                )
                for number, shape in enumerate(shapes)
            ]
            if self.use_bias:
                self.bias = self.add_weight(
                    shape=(self.units,),
                    initializer=self.bias_initializer,
                    regularizer=self.bias_regularizer,
                    name='bias',
                )
            self.built = True

        def call(self, inputs: Any) -> Any:
            total = sum(keras.ops.matmul(x, kernel) for x, kernel in zip(keras.tree.flatten(inputs), self.kernels))
            return self.activation(total + self.bias if self.use_bias else total)

    class WideDeepModel(keras.Model):
        """activation(linear_model(x) + dnn_model(y)), where `y` is `x` if one input is given."""

        def __init__(self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.linear_model, self.dnn_model = linear_model, dnn_model
            self.activation = keras.activations.get(activation)

        def call(self, inputs: Any, training: Any = None) -> Any:
            several = isinstance(inputs, (list, tuple)) and len(inputs) == 2
            wide, deep = inputs if several else (inputs, inputs)
            return self.activation(self.linear_model(wide) + self.dnn_model(deep, training=training))

        def compile(self, optimizer: Any = 'rmsprop', *args: Any, **kwargs: Any) -> None:
            if isinstance(optimizer, (list, tuple)):
                optimizer = _of_parts(keras)([keras.optimizers.get(choice) for choice in optimizer], self.linear_model)
            super().compile(optimizer, *args, **kwargs)

    return {'LinearModel': LinearModel, 'WideDeepModel': WideDeepModel}


@functools.lru_cache(maxsize=None)
def _of_parts(keras: Any) -> Callable[..., Any]:
    class OfParts(keras.optimizers.Optimizer):
        """An optimizer for the weights of one part of a model, and another one for the others."""

        def __init__(self, parts: Any, first: Any) -> None:
            super().__init__(learning_rate=0.0)
            self._parts, self._first = list(parts), first

        @property
        def variables(self) -> Any:
            return list(super().variables) + [v for optimizer in self._parts for v in optimizer.variables]

        def _split(self, variables: Any, values: Any) -> Any:
            own = {id(v) for v in self._first.trainable_variables}
            sides: Any = ([], [])
            for variable, value in zip(variables, values):
                sides[id(variable) not in own].append(value)
            return sides

        def build(self, variables: Any) -> None:
            super().build(variables)
            for optimizer, some in zip(self._parts, self._split(variables, variables)):
                optimizer.build(some)

        def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
            variables = self._trainable_variables if trainable_variables is None else list(trainable_variables)
            if not self.built:
                self.build(variables)
            sides = zip(self._parts, self._split(variables, grads), self._split(variables, variables))
            for optimizer, some, of in sides:
                optimizer.apply(some, of)
            self.iterations.assign_add(1)
            return self.iterations

    return OfParts


def _cell(keras: Any) -> Any:
    ops = keras.ops

    class PeepholeLSTMCell(keras.layers.LSTMCell):
        """An LSTM cell whose gates see the state of the cell, too."""

        def build(self, input_shape: Any) -> None:
            super().build(input_shape)
            names = 'input_gate_peephole_weights', 'forget_gate_peephole_weights', 'output_gate_peephole_weights'
            self.peepholes = [
                self.add_weight(shape=(self.units,), name=name, initializer=self.kernel_initializer) for name in names
            ]

        def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
            h, c = states
            z = ops.matmul(inputs, self.kernel) + ops.matmul(h, self.recurrent_kernel)
            gates = ops.split(z + self.bias if self.use_bias else z, 4, axis=-1)
            of_input, of_forget, of_output = self.peepholes
            kept = self.recurrent_activation(gates[1] + c * of_forget) * c
            c = kept + self.recurrent_activation(gates[0] + c * of_input) * self.activation(gates[2])
            h = self.recurrent_activation(gates[3] + c * of_output) * self.activation(c)
            return h, [h, c]

    return PeepholeLSTMCell

"""K of tf_keras, completed: the names that it lacks, and what it refuses while eager execution is on.

`tf_keras.backend` changes, and no module that tf_keras itself uses. Where a program switches eager execution off, the
functions are those of tf_keras.
"""

import functools
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ...config import follow
from ...engines.names_of_tf_keras import is_symbolic, missing_names
from ...errors import ArgumentTypeError, ArgumentValueError
from ..launcher.cures import around

# The names of arguments that K has beside those of tf.keras.
SPELLED = {'batch_get_value': ('ops', 'tensors'), 'set_epsilon': ('e', 'value'), 'set_floatx': ('floatx', 'value')}


def names_of_k(tf_keras: Any) -> str:
    """Give `keras.backend` the names of K that tf_keras does not have, and what it refuses in eager mode."""
    inside = vars(import_module('tf_keras.src.backend'))
    public = tf_keras.backend
    follow(public)
    return ', '.join(f'K.{name}' for name in complete(public, inside))


def names_of_tensorflow_1(backend: ModuleType) -> str:
    """Give the names of K to `tf.compat.v1.keras.backend`, too."""
    return ', '.join(f'K.{name}' for name in complete(backend, vars(import_module('tf_keras.src.backend'))))


def complete(backend: Any, inside: Dict[str, Any]) -> List[str]:
    """Complete one module of K; returns the names that are new or changed."""
    names = vars(backend)
    new = missing_names(names, inside)
    changed = {name: wrap(names[name]) for name, wrap in _CHANGED.items() if name in names}
    changed.update({name: _with_spelling(names[name], *words) for name, words in SPELLED.items() if name in names})
    # AutoGraph would rewrite them in each step that calls them; it leaves the functions of tf_keras as they are.
    unconverted: Any = import_module('tensorflow').autograph.experimental.do_not_convert
    changed = {name: unconverted(function) for name, function in changed.items()}
    names.update({**new, **changed})
    return sorted({**new, **changed})


# -- spellings ---------------------------------------------------------------------------------------------------------


@around
def _with_spelling(function: Any, classic: str, name: str, *args: Any, **kwargs: Any) -> Any:
    """A function that takes an argument by its name in K, too."""
    if classic in kwargs:
        kwargs[name] = kwargs.pop(classic)
    return function(*args, **kwargs)


# -- tensors -----------------------------------------------------------------------------------------------------------


def _eager() -> bool:
    executing: bool = import_module('tensorflow').executing_eagerly()
    return executing


def _holds_symbolic(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_symbolic(entry) for entry in value)
    return is_symbolic(value)


def _listed(value: Any) -> List[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _inputs_of(tensors: Sequence[Any]) -> List[Any]:
    """The inputs that tensors of the functional API are made of, each once."""
    source: Any = import_module('tf_keras').utils.get_source_inputs
    inputs: Dict[int, Any] = {}
    for tensor in tensors:
        for entry in source(tensor):
            inputs.setdefault(id(entry), entry)
    return list(inputs.values())


# -- updates -----------------------------------------------------------------------------------------------------------


class Update:
    """An update that `K.function` carries out: a variable, and the tensor of the functional API that it gets."""

    def __init__(self, variable: Any, value: Any) -> None:
        self.variable, self.value = variable, value


def _deferred(change: Callable[[Any, Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """K.update and its kind. What a tensor of the functional API is for is known when K.function runs."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def update(x: Any, value: Any) -> Any:
            return Update(x, change(x, value)) if is_symbolic(value) else function(x, value)

        return update

    return wrap


@around
def _averaged(function: Any, x: Any, value: Any, momentum: Any) -> Any:
    if is_symbolic(value):
        return Update(x, _read(x, value) * momentum + value * (1.0 - momentum))
    return function(x, value, momentum)


def _read(variable: Any, beside: Any) -> Any:
    """The value of a variable as a tensor of the functional API, read at each run."""
    identity: Any = import_module('tensorflow').identity
    return _layer(lambda values: identity(variable))(beside)


def _layer(compute: Callable[[Any], Any]) -> Any:
    """A layer that computes a function. It does not keep the variables that the function reads."""

    class Computed(import_module('tf_keras').layers.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            return compute(inputs)

    return Computed()


def _pairs(updates: Any) -> List[Tuple[Any, Any]]:
    pairs = []
    for update in _listed(updates):
        variable, value = (update.variable, update.value) if isinstance(update, Update) else _pair(update)
        if hasattr(value, 'numpy'):
            raise ArgumentValueError(
                'K.function: an update has a value that was computed when it was written, because eager execution is '
                'on; type tf.compat.v1.disable_eager_execution() at the start of the program, or compute it from a '
                'placeholder.'
            )
        pairs.append((variable, value))
    return pairs


def _pair(update: Any) -> Tuple[Any, Any]:
    if isinstance(update, (list, tuple)) and len(update) == 2:
        return update[0], update[1]
    raise ArgumentValueError(
        'K.function: an update is carried out already, because eager execution is on; type '
        'tf.compat.v1.disable_eager_execution() at the start of the program.'
    )


# -- functions and gradients -------------------------------------------------------------------------------------------


@around
def _function(
    original: Any, inputs: Any, outputs: Any, updates: Any = None, name: Optional[str] = None, **kwargs: Any
) -> Any:
    entries, results = _listed(inputs), _listed(outputs)
    if not _eager() or not _holds_symbolic([*entries, *results]):
        return original(inputs, outputs, updates=updates, name=name, **kwargs)
    phases = [entry for entry in entries if not is_symbolic(entry)]
    if not updates and not phases:
        return original(inputs, outputs, name=name)
    return Function(entries, outputs, _pairs(updates))


class Function:
    """K.function in eager mode, of tensors of the functional API: with updates, and a phase among the inputs."""

    def __init__(self, inputs: List[Any], outputs: Any, updates: List[Tuple[Any, Any]]) -> None:
        results = [*_listed(outputs), *[value for _, value in updates]]
        constants = [None if is_symbolic(result) else result for result in results]
        model: Any = import_module('tf_keras').Model
        symbolic = [entry for entry in inputs if is_symbolic(entry)]
        self._model = model(symbolic, [result for result in results if is_symbolic(result)])
        self._places = [is_symbolic(entry) for entry in inputs]
        self._constants, self._alone = constants, not isinstance(outputs, (list, tuple))
        self._variables = [variable for variable, _ in updates]

    def __call__(self, inputs: Any) -> Any:
        values = _listed(inputs)
        if len(values) != len(self._places):
            raise ArgumentValueError(f'K.function: it takes {len(self._places)} inputs, and got {len(values)}.')
        fed = [value for value, symbolic in zip(values, self._places) if symbolic]
        phases = [value for value, symbolic in zip(values, self._places) if not symbolic]
        convert: Any = import_module('tensorflow').convert_to_tensor
        given = [convert(value, entry.dtype) for value, entry in zip(fed, self._model.inputs)]
        computed = iter(_listed(self._model(given, training=bool(phases[-1]) if phases else None)))
        results = [next(computed) if constant is None else convert(constant) for constant in self._constants]
        count = len(results) - len(self._variables)
        for variable, value in zip(self._variables, results[count:]):
            variable.assign(value)
        arrays = [result.numpy() for result in results[:count]]
        return arrays[0] if self._alone else arrays


@around
def _gradients(original: Any, loss: Any, variables: Any) -> Any:
    if not _eager() or not _holds_symbolic([loss, variables]):
        return original(loss, variables)
    if not is_symbolic(loss):
        raise ArgumentTypeError(
            'K.gradients: the loss is a number already, because eager execution is on; use tf.GradientTape.'
        )
    of_list = isinstance(variables, (list, tuple))
    slopes = _slopes(loss, _listed(variables))
    return slopes if of_list else slopes[0]


def _slopes(loss: Any, variables: List[Any]) -> List[Any]:
    """The gradients as tensors of the functional API: the layers between the inputs and the loss run under a tape."""
    keras: Any = import_module('tf_keras')
    tf: Any = import_module('tensorflow')
    symbolic = [variable for variable in variables if is_symbolic(variable)]
    inputs = _inputs_of([loss, *symbolic])
    model = keras.Model(inputs, [loss, *symbolic])
    connected: List[bool] = []

    def compute(values: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            given = [tf.identity(value) for value in _listed(values)]
            tape.watch([value for value in given if value.dtype.is_floating])
            target, *intermediate = model(given)
            found = iter(intermediate)
            sources = [next(found) if is_symbolic(variable) else variable for variable in variables]
        slopes = tape.gradient(target, sources)
        connected[:] = [slope is not None for slope in slopes]
        return [tf.zeros_like(source) if slope is None else tf.convert_to_tensor(slope)
                for slope, source in zip(slopes, sources)]  # fmt: skip

    layer = _layer(compute)
    computed = _listed(layer(inputs if len(inputs) > 1 else inputs[0]))
    return [slope if there else None for slope, there in zip(computed, connected)]


# -- branches and maps -------------------------------------------------------------------------------------------------


@around
def _switch(original: Any, condition: Any, then_expression: Any, else_expression: Any) -> Any:
    if is_symbolic(condition) and callable(then_expression) and callable(else_expression):
        # A branch that is a function may hold tensors of the functional API, which TensorFlow cannot see.
        then_expression, else_expression = then_expression(), else_expression()
    return original(condition, then_expression, else_expression)


@around
def _map(original: Any, fn: Any, elems: Any, name: Optional[str] = None, dtype: Any = None) -> Any:
    if not _holds_symbolic(elems):
        return original(fn, elems, name=name, dtype=dtype)
    layer: Any = import_module('tf_keras').layers.Lambda
    return layer(lambda values: original(fn, values, dtype=dtype), name=name)(elems)


_CHANGED: Dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    'function': _function,
    'gradients': _gradients,
    'map_fn': _map,
    'moving_average_update': _averaged,
    'switch': _switch,
    'update': _deferred(lambda variable, value: value),
    'update_add': _deferred(lambda variable, value: _read(variable, value) + value),
    'update_sub': _deferred(lambda variable, value: _read(variable, value) - value),
}

"""Which functions of TensorFlow Keras computes: for its tensors, and for the names of the stand-in."""

import functools
import sys
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Tuple

from ....basics.tables import beside

# -- the function of Keras for a name ----------------------------------------------------------------------------------
# The function of Keras for a name of TensorFlow.


_made: Dict[str, Callable[..., Any]] = {}


def over_keras(name: str) -> Callable[..., Any]:
    """The function `tf.NAME` over keras.ops and K. NAME is one of `names.NAMES`."""
    if name not in _made:
        _made[name] = _make(name)
    return _made[name]


def _make(name: str) -> Callable[..., Any]:
    last = name.rpartition('.')[2]
    for module, listed in FUNCTIONS.items():
        if name in listed:
            function: Callable[..., Any] = getattr(import_module(f'{__package__}.{module}'), last)
            return function
    ops = import_module('keras.ops')
    arithmetic = import_module(f'{__package__}.arithmetic')
    kinds = (
        (arithmetic.reduction, (REDUCTIONS, REDUCTIONS_IN_MATH)),
        (arithmetic.of_two, (OF_TWO, OF_TWO_IN_MATH)),
        (arithmetic.of_one, (OF_ONE, OF_ONE_IN_MATH, OF_ONE_IN_NN)),
    )
    for make, tables in kinds:
        for names in tables:
            if last in names:
                operation: Callable[..., Any] = make(last, getattr(ops, names[last]))
                return operation
    raise KeyError(name)


# -- names -------------------------------------------------------------------------------------------------------------
# The names of TensorFlow that are there over Keras: each is a rule of one of the tables, or a function of a module.
#
# This module imports nothing of Keras, so that a program can be checked without Keras.


_TABLE = beside(__file__, 'functions.json')
# tf.X, also in tf.math, of one tensor: the name of TensorFlow -> that of keras.ops.
OF_ONE: Dict[str, str] = _TABLE['of_one']
# In tf.math alone.
OF_ONE_IN_MATH: Dict[str, str] = _TABLE['of_one_in_math']
# Of two tensors, as above.
OF_TWO: Dict[str, str] = _TABLE['of_two']
OF_TWO_IN_MATH: Dict[str, str] = _TABLE['of_two_in_math']
# tf.reduce_X, also in tf.math: the name of TensorFlow -> that of keras.ops.
REDUCTIONS: Dict[str, str] = _TABLE['reductions']
REDUCTIONS_IN_MATH: Dict[str, str] = _TABLE['reductions_in_math']
# tf.nn.X of one tensor.
OF_ONE_IN_NN: Dict[str, str] = _TABLE['of_one_in_nn']

# The functions of a module, by the names of TensorFlow. A function has the last part of the name.
FUNCTIONS: Dict[str, List[str]] = _TABLE['modules']
# What programs compute shapes by.
OF_SIZES: FrozenSet[str] = frozenset(
    [name for table in (OF_ONE, OF_TWO, REDUCTIONS) for key in table for name in (key, 'math.' + key)]
    + [f'math.{name}' for table in (OF_ONE_IN_MATH, OF_TWO_IN_MATH) for name in table]
    + _TABLE['of_sizes']
)
# What is a class or a decorator of TensorFlow.
OTHERS = 'function', 'custom_gradient', 'GradientTape', 'random.set_seed'


def _names() -> FrozenSet[str]:
    both = [*OF_ONE, *OF_TWO, *REDUCTIONS]
    supported = set(both) | {f'math.{name}' for name in both} | set(OTHERS)
    supported |= {f'math.{name}' for table in (OF_ONE_IN_MATH, OF_TWO_IN_MATH, REDUCTIONS_IN_MATH) for name in table}
    supported |= {f'nn.{name}' for name in OF_ONE_IN_NN}
    return frozenset(supported.union(*FUNCTIONS.values()))


NAMES = _names()


# -- tensors -----------------------------------------------------------------------------------------------------------
# Whether arguments of TensorFlow's functions are tensors of Keras, and TensorFlow's own tensors as arrays.
#
# TensorFlow computes what has to do with its own tensors alone: a pipeline of `tf.data`, a loop that trains by it.


# So many elements of a list are looked at: a list of numbers may be long.
_MOST = 64

_types: List[Tuple[type, ...]] = []


def keras_is_complete() -> None:
    """Note the classes of tensors of Keras, for which TensorFlow's functions are replaced from now on."""
    import keras

    backend = keras.backend.backend()
    types: List[Any] = [keras.KerasTensor]
    if backend == 'jax':
        import jax

        types += [jax.Array, keras.Variable]
    elif backend == 'torch':
        import torch

        types += [torch.Tensor, torch.dtype, keras.Variable]
    _types[:] = [tuple(types)]


def is_no_stand_in(tensorflow: Any) -> bool:
    """Whether a module is TensorFlow itself."""
    return '__file__' in vars(tensorflow)


def is_on_another() -> bool:
    """Whether Keras runs on another library than TensorFlow."""
    return len(_types[0]) > 1


def any_of_keras(args: Iterable[Any], kwargs: Any) -> bool:
    """Whether a tensor of Keras is among arguments, or a function of Keras runs that is not on TensorFlow."""
    if not _types:
        return False
    types = _types[0]
    values = (*args, *kwargs.values()) if kwargs else args
    if _holds(values, types):
        return True
    return len(types) > 1 and is_inside() and not any(_of_a_graph(value) for value in values)


def _holds(values: Iterable[Any], types: Tuple[type, ...]) -> bool:
    for number, value in enumerate(values):
        if isinstance(value, types):
            return True
        kind = value.__class__
        if (kind is list or kind is tuple) and value and _holds(value, types):
            return True
        if kind.__name__ == '_DimExpr':  # a size while JAX infers shapes
            return True
        if number == _MOST:
            return False
    return False


def is_inside() -> bool:
    """Whether a layer is called, or a compiled step of Keras runs: what TensorFlow draws there would be a constant."""
    from ....engines.keras3_backend.vendor import call_context, in_stateless_scope

    return call_context() is not None or bool(in_stateless_scope())


def _of_a_graph(value: Any) -> bool:
    """Whether a value is a tensor of a graph of TensorFlow, as in the map of a data set."""
    tensorflow = sys.modules['tensorflow']
    return isinstance(value, tensorflow.Tensor) and not hasattr(value, 'numpy')


def without_tensorflow(value: Any, name: str) -> Any:
    """The value, with TensorFlow's own tensors in it as arrays, its shapes as tuples and its dtypes as names."""
    if isinstance(value, (list, tuple)) and not hasattr(value, '_fields'):
        return type(value)([without_tensorflow(element, name) for element in value])
    tensorflow = sys.modules.get('tensorflow')
    if tensorflow is None or not type(value).__module__.startswith('tensorflow'):
        return value
    if isinstance(value, tensorflow.TensorShape):
        return tuple(value.as_list())
    if isinstance(value, tensorflow.DType):
        return value.name
    if isinstance(value, tensorflow.Variable):
        import keras

        raise TypeError(
            f'tf.{name} was given a tf.Variable beside a tensor of Keras on {keras.backend.backend()}, where it would '
            'not be trained; write self.add_weight(...) in a layer, or K.variable(...).'
        )
    if tensorflow.is_tensor(value):
        if _of_a_graph(value):
            raise TypeError(
                f'tf.{name} was given a tensor of a graph of TensorFlow beside a tensor of Keras; make both in the '
                'same place, in the data set or in the model.'
            )
        return value.numpy()
    return value


# -- functions of TensorFlow -------------------------------------------------------------------------------------------
# The functions of TensorFlow, which leave tensors of Keras to Keras.


_PARTS = 'math', 'nn', 'linalg', 'image', 'random', 'signal', 'debugging', 'bitwise', 'strings', 'sparse', 'ragged'
# They take anything, and compute nothing.
_HARMLESS = frozenset(
    'print is_tensor get_static_value executing_eagerly name_scope device init_scope no_op group type_spec_from_value '
    'constant_initializer grad_pass_through is_symbolic_tensor function custom_gradient'.split()
)


def tensors_of_keras(tensorflow: Any) -> str:
    """Let functions of `tf` take tensors of Keras on JAX and PyTorch, and those of a model that is built.

    A function that has no counterpart raises an error that says so.
    """
    if not is_no_stand_in(tensorflow):
        return ''
    changed = 0
    for prefix, module in _places(tensorflow):
        for name, original in list(vars(module).items()):
            if name.startswith('_') or not isinstance(original, FunctionType):
                continue
            full = prefix + name
            if full in NAMES and full not in OTHERS:
                setattr(module, name, _over_keras(full, original))
                changed += 1
            elif name not in _HARMLESS:
                setattr(module, name, _refusing(full, original))
    return f'{changed} functions'


def _places(tensorflow: Any) -> Iterator[Tuple[str, ModuleType]]:
    yield '', tensorflow
    for name in _PARTS:
        module = getattr(tensorflow, name, None)
        if isinstance(module, ModuleType):
            yield name + '.', module


def _over_keras(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if any_of_keras(args, kwargs) and not _called_by_keras():
            return computed(name, args, kwargs)
        return original(*args, **kwargs)

    return function


def _called_by_keras() -> bool:
    """Whether code of Keras calls the function: its layers of texts compute by TensorFlow on JAX and PyTorch, too.

    Its layers and functions of older versions, such as ThresholdedReLU, call it in models that JAX traces.
    """
    module = sys._getframe(2).f_globals.get('__name__') or ''
    is_of_keras = module.partition('.')[0] == 'keras' and not module.startswith('keras.src.legacy.')
    return is_of_keras and is_on_another()


def computed(name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """The result of `tf.NAME` of tensors of Keras. Its operators are those of K where a model is built."""
    from ....engines.keras3_backend.tensors.operations import as_k_tensor

    args = tuple([without_tensorflow(argument, name) for argument in args])
    kwargs = {key: without_tensorflow(argument, name) for key, argument in kwargs.items()}
    result = as_k_tensor(over_keras(name)(*args, **kwargs))
    if name in OF_SIZES and sys.modules['keras'].backend.backend() == 'jax':
        result = import_module(f'{__package__}.arguments').as_numbers(over_keras(name), result, args, kwargs)
    return result


def _refusing(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if any_of_keras(args, kwargs) and not _called_by_keras():
            for value in (*args, *kwargs.values()):
                refuse(name, value)
        return original(*args, **kwargs)

    return function


def refuse(name: str, value: Any) -> None:
    """Raise TypeError if TensorFlow cannot compute with a value, which may be a list."""
    if isinstance(value, (list, tuple)):
        for element in value:
            refuse(name, element)
        return
    import keras

    kind = ''
    if isinstance(value, keras.KerasTensor):
        kind = f'the KerasTensor {value.name}, which has no value while the model is built'
    elif keras.backend.backend() == 'jax' and is_traced(value):
        kind = 'a tensor that JAX traces'
    elif getattr(value, 'requires_grad', False):
        kind = 'a tensor of PyTorch that has a gradient'
    if kind:
        raise TypeError(f'tf.{name} was given {kind}; write {_instead(name)}, or set KERAS_BACKEND=tensorflow.')


def is_traced(value: Any) -> bool:
    """Whether JAX traces a value."""
    return isinstance(value, sys.modules['jax'].core.Tracer)


def _instead(name: str) -> str:
    last = name.rpartition('.')[2]
    ops, K = import_module('keras.ops'), import_module('keras_backend.engines.keras3_backend')
    for replacement, module in ((f'K.{last}', K), (f'keras.ops.{last}', ops)):
        if hasattr(module, last):
            return replacement
    return 'it by functions of K or keras.ops'


# -- operators ---------------------------------------------------------------------------------------------------------
# Operators between a tensor of TensorFlow and one of Keras on JAX or PyTorch: Keras computes them.


# Those of Python -> those of Keras, which take KerasTensors beside any tensor, as JAX does not.
_NAMES = {
    **{name: name for name in 'add matmul mod'.split()},
    **{'sub': 'subtract', 'mul': 'multiply', 'truediv': 'true_divide', 'floordiv': 'floor_divide', 'pow': 'power'},
}
_COMPARISONS = {
    **{'lt': 'less', 'le': 'less_equal', 'gt': 'greater', 'ge': 'greater_equal'},
    **{'eq': 'equal', 'ne': 'not_equal'},
}


def operators_beside_tensors_of_keras(tensorflow: Any) -> str:
    """Let `tf.constant(2.) * x` be a tensor of Keras where `x` is one, on JAX and PyTorch."""
    if not is_no_stand_in(tensorflow) or not is_on_another():
        return ''
    tensor = tensorflow.Tensor
    ops = import_module('keras.ops')
    for name, of_keras in _NAMES.items():
        function = getattr(ops, of_keras)
        _replace(tensor, f'__{name}__', function)
        _replace(tensor, f'__r{name}__', _swapped(function))
    for name, of_keras in _COMPARISONS.items():
        _replace(tensor, f'__{name}__', getattr(ops, of_keras))
    return 'the operators of tf.Tensor'


def _replace(tensor: Any, name: str, function: Callable[[Any, Any], Any]) -> None:
    original = getattr(tensor, name)

    @functools.wraps(original)
    def operate(x: Any, y: Any) -> Any:
        if type(y).__module__.partition('.')[0] not in _OTHERS and any_of_keras((y,), None):
            from ....engines.keras3_backend.tensors.operations import as_k_tensor

            convert_to_tensor = import_module(f'{__package__}.creation').convert_to_tensor
            return as_k_tensor(function(convert_to_tensor(without_tensorflow(x, name)), y))
        return original(x, y)

    setattr(tensor, name, operate)


_OTHERS = 'tensorflow', 'numpy', 'builtins'


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(y, x)

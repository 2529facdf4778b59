"""Tensors and variables as tf.keras has them: operators, shapes, names, numbers of NumPy."""

import functools
import operator
import sys
import threading
from typing import Any, Callable, ContextManager, List, Set

import numpy as np

from ..launcher.cures import around, being_true, replacing
from .arguments import without
from .names import prepare_classes
from .tf_on_keras.types import Shape, dtype_by_name

# -- arrays beside tensors ---------------------------------------------------------------------------------------------
# Operators between tensors of PyTorch and arrays of NumPy, as TensorFlow has them: the array becomes a tensor.


_ARITHMETIC = ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'matmul')
_COMPARISONS = ('lt', 'le', 'gt', 'ge', 'eq', 'ne')
OPERATORS = [*_ARITHMETIC, *('r' + name for name in _ARITHMETIC), *_COMPARISONS]


def operators_on_torch(keras: Any) -> str:
    """Let `y_pred - y` of an array `y` keep the gradient of `y_pred`.

    PyTorch has no such operator, so NumPy would make an array of the tensor, and the gradient would be lost.
    """
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    for name in OPERATORS:
        method = f'__{name}__'
        setattr(torch.Tensor, method, _with_arrays(getattr(torch.Tensor, method)))
    return 'operators of torch.Tensor'


def _with_arrays(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def operator(tensor: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            other = _tensor(other, tensor)
        return original(tensor, other)

    return operator


def _tensor(array: Any, beside: Any) -> Any:
    """An array as a tensor with the dtype of the tensor beside it, where that holds its numbers."""
    import torch

    tensor = torch.as_tensor(array, device=beside.device)
    fits = beside.is_floating_point() or not tensor.is_floating_point()
    return tensor.to(beside.dtype) if fits and beside.dtype != torch.bool else tensor


# -- operators in place ------------------------------------------------------------------------------------------------
# `x *= y` in layers, losses and metrics makes a new tensor, as it did in tf.keras.
#
# PyTorch changes `x` itself. Where `x` is what another layer has made, or what the next metric is given, all of these
# see it changed, and no error says so. `program_code` makes the code of a program call `operate`.


# The classes of tensors of PyTorch, once Keras is there and runs on it.
TENSORS: Set[Any] = set()


class _Computing(threading.local):
    """Whether a loss or a metric is being computed in this thread."""

    busy = False


_COMPUTING = _Computing()


def in_a_step() -> bool:
    """Whether a layer, a loss or a metric is being computed."""
    from ...engines.keras3_backend.vendor import call_context

    return _COMPUTING.busy or call_context() is not None


def operate(name: str, x: Any, y: Any) -> Any:
    """`x *= y` for the name 'mul', and so on: a new tensor in a step of a model, else what Python does."""
    is_new = x.__class__ in TENSORS and in_a_step()
    return getattr(operator, name if is_new else 'i' + name)(x, y)


def mark_steps(keras: Any) -> None:
    """Let losses and metrics of models be known as steps while they are computed."""
    for name in ('compute_loss', 'compute_metrics'):
        setattr(keras.Model, name, _marked(getattr(keras.Model, name)))


@around
def _marked(original: Any, *args: Any, **kwargs: Any) -> Any:
    with being_true(_COMPUTING, 'busy'):
        return original(*args, **kwargs)


# -- values ------------------------------------------------------------------------------------------------------------
# `np.squeeze(model(x))`: NumPy calls methods of the tensor where it has any, and those of JAX and PyTorch give tensors
# or take other arguments. A tensor of TensorFlow has no such methods, so that NumPy computes with its value.
#
# `program_code` makes the code of a program call `value_of`.


# The classes of tensors with a value.
VALUES: Set[Any] = set()
# So many elements of a list are looked at.
_MOST = 64


def values_for_numpy(keras: Any) -> str:
    """Let `np.squeeze(model(x))` and other functions of NumPy take the values of tensors of JAX and PyTorch."""
    if keras.backend.backend() == 'tensorflow':
        return ''
    VALUES.update(_of_backend(keras)[:-1] if keras.backend.backend() == 'jax' else TENSORS)
    return 'the code of the program'


def value_of(x: Any) -> Any:
    """The value of a tensor, or a list with the values of those in it, outside of a step; anything else itself."""
    if x.__class__ in VALUES:
        return x if in_a_step() else sys.modules['keras'].ops.convert_to_numpy(x)
    if x.__class__ in _LISTS and any([_may_have_values(element) for element in x[:_MOST]]):
        return x.__class__([value_of(element) for element in x])
    return x


_LISTS = (list, tuple)


def _may_have_values(x: Any) -> bool:
    return x.__class__ in VALUES or (x.__class__ in _LISTS and any([_may_have_values(element) for element in x[:1]]))


# -- negative steps ----------------------------------------------------------------------------------------------------
# `x[::-1]` of a tensor of PyTorch, which PyTorch refuses and the other backends take.
#
# `program_code` makes the code of a program call `item` where a step is written that may be negative.


_PLAIN = (int, slice, type(None), type(Ellipsis))


def negative_steps(keras: Any) -> str:
    """Give tensors of PyTorch slices with a negative step, beside integers, other slices, None and the ellipsis."""
    return 'the code of the program' if keras.backend.backend() == 'torch' else ''


def item(x: Any, key: Any) -> Any:
    """`x[key]`."""
    if x.__class__ not in TENSORS:
        return x[key]
    from ...engines.keras3_backend.tensors.indexing import taken

    entries = key if isinstance(key, tuple) else (key,)
    for entry in entries:
        if entry.__class__ is slice and entry.step.__class__ is int and entry.step < 0:
            if all([isinstance(index, _PLAIN) and not isinstance(index, bool) for index in entries]):
                return taken(x, list(entries))
    return x[key]


# -- numbers of NumPy --------------------------------------------------------------------------------------------------
# Numbers of NumPy where Keras 3 or PyTorch takes those of Python alone.


def indices_of_numpy(keras: Any) -> str:
    """Let a KerasTensor take an index that NumPy has computed, such as that of `np.argmax`."""

    def plain(entry: Any) -> Any:
        if isinstance(entry, slice):
            return slice(plain(entry.start), plain(entry.stop), plain(entry.step))
        return int(entry) if isinstance(entry, np.integer) else entry

    @replacing(keras.KerasTensor, '__getitem__')
    def __getitem__(original: Any, x: Any, key: Any) -> Any:
        return original(x, tuple([plain(entry) for entry in key]) if isinstance(key, tuple) else plain(key))

    return 'KerasTensor.__getitem__'


def factors_on_torch(module: Any) -> str:
    """Let `K.cast_to_floatx` of a number be one that PyTorch multiplies. An array on the left is none."""
    if sys.modules['keras'].backend.backend() != 'torch':
        return ''

    @replacing(module, 'cast_to_floatx')
    def cast_to_floatx(original: Any, x: Any) -> Any:
        floats = original(x)
        return floats[()] if isinstance(floats, np.ndarray) and floats.ndim == 0 else floats

    return 'K.cast_to_floatx'


# -- shapes ------------------------------------------------------------------------------------------------------------
# Shapes of tensors in the code of a program: tuples with `as_list`, `ndims` and the like, as TensorFlow has them.


# Libraries see the shapes that they made: a subclass of a tuple is another thing than a tuple in trees of JAX.
_OF_LIBRARIES = frozenset('jax jaxlib torch keras keras_backend tensorflow numpy optree functorch triton'.split())


def shapes_of_tensors(keras: Any) -> str:
    """Give tensors `get_shape`, and their shapes in the code of a program `as_list`, `ndims` and the like."""
    from ...engines.keras3_backend.vendor import KerasVariable

    changed = []
    for kind in [keras.KerasTensor, *_of_backend(keras)]:
        kind.shape = property(_of_programs(kind.shape.__get__))
        kind.get_shape = _get_shape
        changed.append(f'{kind.__name__}.shape, {kind.__name__}.get_shape')
    KerasVariable.get_shape = _get_shape
    if keras.backend.backend() != 'tensorflow':
        KerasVariable.shape = property(_of_programs(KerasVariable.shape.__get__))
    return ', '.join(changed)


def _of_backend(keras: Any) -> List[Any]:
    """The classes of tensors and of what stands for them in compiled steps. Those of TensorFlow have all of it."""
    backend = keras.backend.backend()
    if backend == 'torch':
        import torch

        return [torch.Tensor]
    if backend == 'jax':
        import jax

        from ...engines.keras3_backend.vendor import COMPUTED

        return [*COMPUTED, jax.core.Tracer]
    return []


def _of_programs(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def shape(tensor: Any) -> Any:
        sizes = get(tensor)
        return sizes if _is_of_library(sys._getframe(1).f_globals.get('__name__') or '') else Shape(sizes)

    return shape


@functools.lru_cache(maxsize=None)
def _is_of_library(module: str) -> bool:
    return module.partition('.')[0] in _OF_LIBRARIES


def _get_shape(tensor: Any) -> Any:
    return Shape(tensor.shape)


def shapes_in_build(keras: Any) -> str:
    """Let `build` and `compute_output_shape` of a program's layer be given shapes with `as_list` and the like."""
    prepare_classes(keras.layers.Layer, _with_shapes)
    return 'Layer.__init_subclass__'


def _with_shapes(made: Any) -> None:
    for name in ('build', 'compute_output_shape'):
        if callable(vars(made).get(name)):
            setattr(made, name, _given_shapes(vars(made)[name]))


@around
def _given_shapes(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    return original(self, *[_shapes(x) for x in args], **{name: _shapes(x) for name, x in kwargs.items()})


def _shapes(value: Any) -> Any:
    """A shape, or several of them, in the form of TensorFlow."""
    if isinstance(value, dict):
        return {key: _shapes(shape) for key, shape in value.items()}
    if type(value) not in (tuple, list):
        return value
    if all(size is None or isinstance(size, int) for size in value):
        # Files have lists.
        return Shape(value)
    return type(value)([_shapes(shape) for shape in value])


# -- sparse tensors ----------------------------------------------------------------------------------------------------
# `x * 2` of a tensor between layers is dense, as `x` is. Keras 3.15 says that it is sparse.
#
# A layer of a program that is called with it on TensorFlow is then given a SparseTensor, which few functions take.


_ELEMENTWISE = ('Multiply', 'Divide', 'TrueDivide', 'Add', 'Subtract')


def products_of_numbers(keras: Any) -> str:
    """Let `x * 2` of a dense tensor between layers be dense."""
    changed = []
    for operation in keras.Operation.__subclasses__():
        if operation.__name__ in _ELEMENTWISE and operation.__module__.partition('.')[0] == 'keras':
            operation.compute_output_spec = _dense(operation.compute_output_spec, keras)
            changed.append(operation.__name__)
    return ', '.join(sorted(changed))


@around
def _dense(original: Any, keras: Any, self: Any, x1: Any, x2: Any) -> Any:
    output = original(self, x1, x2)
    if output.sparse and not any(getattr(x, 'sparse', False) for x in (x1, x2)):
        return keras.KerasTensor(output.shape, output.dtype)
    return output


# -- texts -------------------------------------------------------------------------------------------------------------


def texts_of_lookups(keras: Any) -> str:
    """Let `StringLookup(invert=True)` of numbers be a tensor of texts, which TensorFlow alone has."""
    if keras.backend.backend() == 'tensorflow':
        return ''

    @replacing(keras.layers.StringLookup, '__call__')
    def __call__(original: Any, self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        is_tensor = keras.ops.is_tensor(inputs) and not isinstance(inputs, keras.KerasTensor)
        if self.invert and (is_tensor or isinstance(inputs, (int, list, tuple, np.ndarray, np.generic))):
            array = keras.ops.convert_to_numpy(inputs) if is_tensor else np.asarray(inputs)
            inputs = sys.modules['tensorflow'].constant(array)
        return original(self, inputs, *args, **kwargs)

    return 'StringLookup.__call__'


# -- variables ---------------------------------------------------------------------------------------------------------
# What code of tf.keras asks of variables: `dtype.base_dtype`, `device`, `use_locking`, names with paths.


# Arguments of assignments about graphs and locks, which mean nothing here.
_GONE = ('use_locking', 'read_value', 'name')


class _Names(threading.local):
    """Whether variables are named by their paths in this thread."""

    paths = False


_NAMES = _Names()


def paths_as_names() -> ContextManager[None]:
    """A context in which `variable.name` is 'dense/kernel:0', as in tf.keras. Optimizers choose variables by it."""
    return being_true(_NAMES, 'paths')


def names_of_variables(keras: Any) -> str:
    """Give variables `dtype.base_dtype` and `device`, and let `assign` take `use_locking` and `read_value`."""
    from ...engines.keras3_backend.state.variable import check_kept
    from ...engines.keras3_backend.vendor import KerasVariable

    name, dtype = KerasVariable.name, KerasVariable.dtype
    KerasVariable.name = property(lambda self: f'{self.path}:0' if _NAMES.paths else name.fget(self))
    KerasVariable.dtype = property(lambda self: dtype_by_name(dtype.fget(self)))
    if not hasattr(KerasVariable, 'device'):
        KerasVariable.device = ''
    for method in ('assign', 'assign_add', 'assign_sub'):
        without(KerasVariable, method, _GONE)
        if keras.backend.backend() == 'jax':
            setattr(KerasVariable, method, _kept(getattr(KerasVariable, method), check_kept))
    return 'Variable.dtype, Variable.device, Variable.assign'


@around
def _kept(original: Any, check: Callable[[Any], None], variable: Any, *args: Any, **kwargs: Any) -> Any:
    check(variable)
    return original(variable, *args, **kwargs)

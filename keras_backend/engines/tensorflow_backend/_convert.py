"""From what users pass to tensors of this graph, with the dtypes that docs/semantics.md promises."""

import re

import numpy as np

from ... import config, dtypes
from ...arrays import foreign, numbers, plain
from ...errors import ForeignTensorError, ShapeError
from ...graph.tensor import Tensor as ForeignTensor
from ...shapes import normalize_axis
from ._graph import check, describe, graph
from ._library import EagerTensor, executing_eagerly, tf, tf2

Tensor, Variable, SparseTensor = tf2.Tensor, tf2.Variable, tf2.SparseTensor


def as_dtype(dtype):
    """A TensorFlow dtype; None means floatx."""
    if dtype is None:
        dtype = config.floatx()
    try:
        return tf.as_dtype(dtype).base_dtype
    except TypeError:
        raise TypeError(
            f'{dtype!r} is no dtype of tensors; use a name such as float32, float64, int32, int64 or bool.'
        ) from None


def is_tensor(x):
    """Whether `x` is a tensor or variable of TensorFlow, dense or sparse."""
    return isinstance(x, (Tensor, Variable, SparseTensor))


def is_float(dtype):
    return dtype.is_floating or dtype.is_complex


def operand(x, dtype=None):
    """`x` as a dense tensor: itself, the value of a variable, or a constant of `dtype` (None: what fits the value)."""
    if isinstance(x, Tensor):
        if x.__class__ is EagerTensor and not executing_eagerly():
            graph()
            return tf.constant(x.numpy(), x.dtype)
        if x.__class__ is not EagerTensor:
            check(x)
        return x
    if isinstance(x, Variable):
        return read(x)
    if isinstance(x, SparseTensor):
        raise TypeError(f'{describe(x)} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).')
    if x is None:
        raise TypeError('None was given where a tensor is needed.')
    if isinstance(x, (list, tuple)) and any([is_tensor(e) for e in x]):
        parts = together(*x) if dtype is None else [operand(e, dtype) for e in x]
        return tf.stack(parts)
    return constant(x, dtype)


def read(variable):
    """The value of a variable, as a tensor."""
    if not getattr(variable, '_in_graph_mode', True):
        if executing_eagerly():
            return tf.convert_to_tensor(variable)
        raise ForeignTensorError(
            f'{variable.name} is an eager variable of TensorFlow and has no place in the graph of K; make it '
            'with K.variable, from its value read inside of a K.eager function.'
        )
    check(variable)
    return tf.convert_to_tensor(variable)


def constant(value, dtype=None, name=None):
    """An array, number or nested list as a constant tensor."""
    if isinstance(value, tf.IndexedSlices):
        return operand(tf.convert_to_tensor(value))
    value = plain(value)
    own(value)
    if dtype is None:
        dtype = natural_dtype(value)
    array = as_array(value, dtype)
    if not executing_eagerly():
        graph()
    return tf.constant(array, dtype, name=scope_name(name))


def own(value):
    """Refuse a tensor of another library."""
    if foreign(value) and not is_tensor(value):
        raise ForeignTensorError(
            '%s is no tensor of TensorFlow; pass a K tensor of this engine, an array or a number.'
            % (getattr(value, 'name', None) or repr(value))
        )


def _refuse_foreign(value, dtype=None, name=None, as_ref=False):
    own(value)
    raise ForeignTensorError(f'{value!r} cannot be converted to a tensor of TensorFlow.')


# So that operators of TensorFlow and functions of its own say it, too.
tf.register_tensor_conversion_function(ForeignTensor, _refuse_foreign)


def as_array(value, dtype):
    """A number, list or array as an array for a tensor of this dtype; words and None are no numbers."""
    if dtype == tf.string:
        return np.asarray(value, object)
    array = np.asarray(value)
    if array.dtype != dtype.as_numpy_dtype:
        array = numbers(array, 'fiubc')
    return array.astype(dtype.as_numpy_dtype, copy=False)


def natural_dtype(value):
    """The dtype of the tensor that a number, list or array becomes beside no other tensor."""
    array = np.asarray(value)
    kind = np.asarray(plain(array)).dtype.kind
    if kind in 'OUS':
        return tf.string
    if isinstance(value, (np.ndarray, np.generic)) or kind in 'bc':
        return tf.as_dtype(array.dtype)
    return tf.int32 if kind in 'iu' else as_dtype(None)


def scope_name(name):
    """`name` with what TensorFlow does not accept in names replaced."""
    if name is None:
        return None
    name = re.sub(r'[^A-Za-z0-9_.\\/>-]', '_', str(name))
    return name if re.match(r'[A-Za-z0-9.]', name) else 'x' + name


def floating(x):
    """`x` as a tensor of a float dtype."""
    x = operand(x)
    if x.dtype == tf.string:
        raise TypeError(f'{describe(x)} holds strings, which K cannot calculate with.')
    return x if is_float(x.dtype) else tf.cast(x, config.floatx())


def cast(x, dtype):
    """The tensor `x` in another dtype, itself if it has it."""
    return x if x.dtype == dtype else tf.cast(x, dtype)


def promote(a, b):
    """The dtype in which tensors of dtypes `a` and `b` meet."""
    if a == b:
        return a
    if tf.bfloat16 in (a, b):
        other = b if a == tf.bfloat16 else a
        return tf.float32 if other == tf.float16 else other if is_float(other) else tf.bfloat16
    if tf.string in (a, b) or a.is_complex or b.is_complex:
        if a.is_complex != b.is_complex and tf.string not in (a, b):
            return a if a.is_complex else b
        raise TypeError(f'Tensors of dtypes {a.name} and {b.name} cannot be combined.')
    return tf.as_dtype(dtypes.promote(a.name, b.name))


def together(*values):
    """Tensors of one dtype (semantics.md, "Mixed dtypes")."""
    values = [operand(v) if isinstance(v, (list, tuple)) and any([is_tensor(e) for e in v]) else v for v in values]
    if not values:
        raise ValueError('An empty list was given where at least one tensor is needed.')
    tensors = [v for v in values if is_tensor(v)]
    if not tensors:
        values = tensors = [operand(v) for v in values]
    dtype = tensors[0].dtype.base_dtype
    for t in tensors[1:]:
        dtype = promote(dtype, t.dtype.base_dtype)
    for v in values:
        if not is_tensor(v) and not is_float(dtype) and dtype != tf.string:
            v = plain(v)
            v = v if isinstance(v, (int, float, np.ndarray, np.generic)) else np.asarray(v)
            dtype = tf.as_dtype(dtypes.beside(dtype.name, v))
    return [cast(operand(v, dtype), dtype) for v in values]


def size(value):
    """One size as an int if it is known, else as an int32 scalar; None becomes -1."""
    if isinstance(value, tf.Dimension):  # of a shape of TensorFlow 1
        value = value.value
    if value is None:
        return -1
    if is_tensor(value):
        value = operand(value)
        static = tf2.get_static_value(value)
        return cast(tf.reshape(value, ()), tf.int32) if static is None else int(static)
    return int(value)


def sizes(shape):
    """A shape, or another collection of sizes, as a list of ints if all are known, else as an int32 vector."""
    if is_tensor(shape):
        shape = operand(shape)
        static = tf2.get_static_value(shape)
        if static is not None:
            return [int(d) for d in np.reshape(static, -1)]
        return cast(shape, tf.int32)
    if isinstance(shape, tf.TensorShape):
        shape = shape.as_list()
    entries = [size(d) for d in (shape if isinstance(shape, (list, tuple, np.ndarray)) else [shape])]
    return tf.stack(entries) if any([is_tensor(d) for d in entries]) else entries


def static_shape(x):
    """The shape of a tensor as a tuple of ints and Nones."""
    shape = x.shape
    if shape.rank is None:
        raise ShapeError(f'The number of axes of {describe(x)} is not known; tell it by x.set_shape(...).')
    return tuple(shape.as_list())


def static_size(x, axis):
    """The size of an axis as an int, None if it is not known."""
    # Where tf.disable_v2_tensorshape() was called, x.shape[axis] is a Dimension.
    return x.shape.as_list()[axis]


def axis_of(x, axis, more=0):
    """An axis of `x` (with `more` axes than it has) counted from the front, or as given where `x` has no rank yet."""
    rank = x.shape.rank
    return axis if rank is None else normalize_axis(axis, rank + more)

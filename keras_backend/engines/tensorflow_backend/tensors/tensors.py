"""Tensors of TensorFlow as K uses them: what they are, their shapes, constants, and what is fed for them."""

import re
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

import numpy as np

from .... import config
from ....basics.dtypes import WIDER, fitting, foreign, numbers, plain
from ....basics.library import StaticShape
from ....basics.shapes import entries_of, no_size
from ....basics.shapes import size_of as size_given
from ....errors import ArgumentTypeError, FeedError, ForeignTensorError, ShapeError
from ....graph.nodes.tensor import Tensor as ForeignTensor
from ..vendor import EagerTensor, UnreadVariable, executing_eagerly, tf, tf2
from .graph import check, describe, graph

Tensor, Variable, SparseTensor = tf2.Tensor, tf2.Variable, tf2.SparseTensor
# The gradient of a lookup is a tensor, too: the few rows that it touches.
_TENSORS = (Tensor, Variable, SparseTensor, tf.IndexedSlices)


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor or variable of TensorFlow, dense or sparse."""
    return isinstance(x, _TENSORS)


def is_variable(x: Any) -> bool:
    """Whether `x` is a variable itself rather than the result of an update."""
    return isinstance(x, Variable) and not isinstance(x, UnreadVariable)


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse tensor."""
    return isinstance(x, SparseTensor)


def used(x: Any) -> Any:
    """The tensor `x` as an operand: a variable stands for its value, an eager tensor for a constant."""
    if isinstance(x, Tensor):
        if x.__class__ is not EagerTensor:
            check(x)
        elif not executing_eagerly():
            graph()
            return tf.constant(x.numpy(), x.dtype)
        return x
    if isinstance(x, Variable):
        own_variable(x)
    else:
        check(x)
        if isinstance(x, SparseTensor):
            return x
    return tf.convert_to_tensor(x)


def own_variable(x: Any) -> None:
    """Refuse a variable that cannot be used here and now."""
    if getattr(x, '_in_graph_mode', True):
        check(x)
    elif not executing_eagerly():
        raise ForeignTensorError(
            f'{x.name} is an eager variable of TensorFlow and has no place in the graph of K; make it '
            'with K.variable, from its value read inside of a K.eager function.'
        )


def as_dtype(dtype: Any) -> Any:
    """A TensorFlow dtype; None means floatx."""
    if dtype is None:
        dtype = config.floatx()
    try:
        return tf.as_dtype(dtype).base_dtype
    except TypeError:
        raise ArgumentTypeError(
            f'{dtype!r} is no dtype of tensors; use a name such as float32, float64, int32, int64 or bool.'
        ) from None


def constant(value: Any, dtype: Any, name: Optional[str] = None) -> Any:
    """An array, number or nested list as a constant tensor."""
    value = plain(value)
    refuse_foreign(value)
    dtype = tf.as_dtype(dtype)
    array = as_array(value, dtype)
    if not executing_eagerly():
        graph()
    return tf.constant(array, dtype, name=scope_name(name))


def refuse_foreign(value: Any) -> None:
    """Refuse a tensor of another library."""
    if foreign(value) and not is_tensor(value):
        raise ForeignTensorError(
            '%s is no tensor of TensorFlow; pass a K tensor of this engine, an array or a number.'
            % (getattr(value, 'name', None) or repr(value))
        )


def _refuse_foreign(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    refuse_foreign(value)
    raise ForeignTensorError(f'{value!r} cannot be converted to a tensor of TensorFlow.')


# So that operators of TensorFlow and functions of its own say it, too.
tf.register_tensor_conversion_function(ForeignTensor, _refuse_foreign)


def as_array(value: Any, dtype: Any) -> Any:
    """A number, list or array as an array for a tensor of this dtype; words and None are no numbers."""
    array_dtype = dtype.as_numpy_dtype
    if value.__class__ is np.ndarray and value.dtype == array_dtype:
        return value
    if dtype == tf.string:
        return _text(value)
    return fitting(numbers(value, 'fiubc' if dtype.is_complex else 'fiub'), array_dtype)


def _text(value: Any) -> Any:
    """Words, or a nested list of them, as an array for a tensor of strings."""
    array = np.asarray(value, object)
    for word in array.flat:
        if not isinstance(word, (str, bytes)):
            raise ArgumentTypeError(f'{word!r} is no string, so no tensor of strings can hold it.')
    return array


def scope_name(name: object) -> Optional[str]:
    """`name` with what TensorFlow does not accept in names replaced."""
    if name is None:
        return None
    # TensorFlow's Python code accepts a backslash, and a > at the end. The session then refuses the whole graph.
    # It takes a name that ends in / as it is, so a second tensor of this name would be an error.
    name = re.sub(r'[^A-Za-z0-9_./-]', '_', str(name).rstrip('/'))
    return name if re.match(r'[A-Za-z0-9.]', name) else 'x' + name


def converted(x: Any, dtype: Any) -> Any:
    """The tensor `x` in another dtype, itself if it has it."""
    return x if x.dtype == dtype else tf.cast(x, dtype)


_WIDER = {tf.as_dtype(narrow): tf.as_dtype(wider) for narrow, wider in WIDER.items()}


def wide(x: Any) -> Any:
    """Integers in a dtype that TensorFlow has most kernels for."""
    return tf.cast(x, _WIDER.get(x.dtype, x.dtype))


def widened(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of tensors of one dtype, which then also takes integers that TensorFlow has no kernel for."""

    def of_any(*tensors: Any, **named: Any) -> Any:
        dtype = tensors[0].dtype
        wider = _WIDER.get(dtype)
        if wider is None:
            return function(*tensors, **named)
        return tf.cast(function(*[tf.cast(x, wider) for x in tensors], **named), dtype)

    return of_any


def size(value: Any) -> Any:
    """One size as an int if it is known, else as an int32 scalar; None becomes -1."""
    if isinstance(value, tf.Dimension):  # of a shape of TensorFlow 1
        value = value.value
    if value is None:
        return -1
    if not is_tensor(value):
        return size_given(value)
    value = used(value)
    if not (value.dtype.is_integer and value.shape.num_elements() in (1, None)):
        raise no_size(describe(value), value.shape, value.dtype.name)
    static = tf2.get_static_value(value)
    if static is not None:
        return int(static.item())
    return _narrow(value if value.shape.rank == 0 else tf.reshape(value, ()))


def _narrow(sizes: Any) -> Any:
    """Sizes as int32. Those that it cannot hold stay too large, or too small, for any tensor."""
    if sizes.dtype in (tf.int64, tf.uint32, tf.uint64):
        sizes = tf.clip_by_value(sizes, max(sizes.dtype.min, tf.int32.min), tf.int32.max)
    return converted(sizes, tf.int32)


def sizes(shape: Any) -> Any:
    """A collection of sizes as a tuple of ints if all are known, else as an int32 vector."""
    if is_tensor(shape):
        shape = _vector(shape)
        static = tf2.get_static_value(shape)
        return _narrow(shape) if static is None else tuple(np.reshape(static, -1).tolist())
    entries = items(shape)
    return tf.stack(entries) if any([is_tensor(d) for d in entries]) else tuple(entries)


def items(shape: Any) -> Any:
    """A collection of sizes, or a vector, as a list: ints where known, else scalar tensors."""
    if is_tensor(shape):
        shape = _vector(shape)
        known = _entries(shape)
        return [_narrow(shape[i]) if d is None else int(d) for i, d in enumerate(known)]
    shape = entries_of(shape)
    if len(shape) == 1 and isinstance(shape[0], tf.TensorShape):
        shape = shape[0]
    return [size(d) for d in shape]


def _vector(shape: Any) -> Any:
    """The tensor `shape`, if it can be one."""
    shape = used(shape)
    if shape.shape.rank not in (1, None) or not shape.dtype.is_integer:
        raise ArgumentTypeError(
            f'{describe(shape)} of shape {shape.shape} and dtype {shape.dtype.name} is no vector of integers.'
        )
    return shape


def _entries(vector: Any) -> Any:
    """The entries of an integer vector that are known before a run, None for the others."""
    if vector.op.type == 'Shape':
        return static_shape(vector.op.inputs[0])
    static = tf.get_static_value(vector, partial=True)
    return np.full(static_shape(vector), None) if static is None else static


def static_shape(x: Any) -> StaticShape:
    """The shape of a tensor as a tuple of ints and Nones."""
    shape = x.shape
    if shape.rank is None:
        raise ShapeError.of_unknown_rank(describe(x), ', or tell it by x.set_shape(...)')
    return tuple(shape.as_list())


def size_of(x: Any, axis: int) -> Any:
    """The size of an axis: an int if it is known, else a scalar tensor."""
    # Where tf.disable_v2_tensorshape() was called, x.shape[axis] is a Dimension.
    static = x.shape.as_list()[axis]
    return tf.shape(x)[axis] if static is None else static


def constant_value(t: Any) -> Any:
    """The array that a constant holds, None for any other tensor. It can still be fed afterwards.

    `tf.get_static_value` forbids to feed what it was asked for.
    """
    return tf.make_ndarray(t.op.get_attr('value')) if not isinstance(t, EagerTensor) and t.op.type == 'Const' else None


# -- what is fed -------------------------------------------------------------------------------------------------------
# Fed values as arrays that TensorFlow takes. They are checked here: TensorFlow itself checks almost nothing.


if TYPE_CHECKING:
    from typing import NoReturn

# TensorFlow takes over memory that begins at a multiple of this without copying it.
_ALIGNMENT = 64
_LARGE = 1 << 14


def private_copy(array: np.ndarray) -> np.ndarray:
    """A copy that TensorFlow may keep, aligned so that it does not make a second one."""
    if array.nbytes < _LARGE or array.dtype.hasobject:
        # To look where the memory begins takes longer than a copy of so little.
        return array.copy()
    memory = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Feed:
    """Turns what is fed for one tensor into an array of its dtype and shape.

    `keep`: into a private one.
    """

    def __init__(self, tensor: Any, keep: bool = False) -> None:
        self.name, self.label = describe(tensor), tensor.dtype.name
        self.type, self.wanted = tensor.dtype, np.dtype(tensor.dtype.as_numpy_dtype)
        self.sizes: Optional[StaticShape] = None if tensor.shape.rank is None else tuple(tensor.shape.as_list())
        self.keep = keep
        # The dtype and the shape of the array that was fed the last time. An array that has both needs no check.
        self.dtype: Optional[np.dtype] = None
        self.shape: Optional[Tuple[int, ...]] = None

    def convert(self, value: Any) -> np.ndarray:
        """`value` as an array."""
        if is_tensor(value):
            self.refuse(f'the symbolic tensor {describe(value)}; feed its value')
        if hasattr(value, 'toarray'):
            self.refuse('a sparse matrix; make the placeholder with sparse=True')
        try:
            array = as_array(value, self.type)
        except (TypeError, ValueError) as error:  # both mean that NumPy makes no array of it; raises
            self.refuse(f'{type(value).__name__}: {str(error).rstrip(".")}')
        if not self.fits(array.shape):
            self.refuse(f'an array of shape {array.shape}')
        if self.keep:
            return private_copy(array)
        self.dtype, self.shape = self.wanted, array.shape
        return array

    def fits(self, shape: Tuple[int, ...]) -> bool:
        """Whether an array of this shape may be fed."""
        sizes = self.sizes
        return sizes is None or (len(sizes) == len(shape) and all([d is None or d == n for d, n in zip(sizes, shape)]))

    def refuse(self, reason: str) -> 'NoReturn':
        """Raise the error that names the tensor."""
        raise FeedError(f'{self.name} of shape {self.sizes} and dtype {self.label} cannot be fed with {reason}.')


class UnusedFeed(Feed):
    """Takes whatever is fed for a tensor that nothing depends on: targets of a loss that does not look at them."""

    def __init__(self, tensor: Any) -> None:
        super().__init__(tensor)
        nothing = b'' if self.wanted.hasobject else 0
        self._array = np.full([1 if n is None else n for n in self.sizes or ()], nothing, self.wanted)

    def convert(self, value: Any) -> np.ndarray:
        """An array of no meaning."""
        return self._array

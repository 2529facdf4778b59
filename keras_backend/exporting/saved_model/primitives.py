"""Primitives of the K graph in operations of TensorFlow, in whatever graph is open.

The TensorFlow engine has most of these for its own graph. It switches TensorFlow to graphs for the whole process, which
writing a file may not do.
"""

import sys
from typing import Any, Callable, Dict, List, Sequence, Tuple

from .itself import tf

Kernel = Callable[..., Any]
Spec = Tuple[Any, ...]


def shape_vector(shape: Any) -> Any:
    """A shape, given as a tuple or as a vector, as a vector of int32."""
    return tf.cast(shape, tf.int32) if tf.is_tensor(shape) else tf.constant(list(shape), tf.int32)


def adjoint(function: Callable[[Any], Any], shape: Any, g: Any) -> Any:
    """The adjoint of a linear function of a tensor of `shape`, at `g`. Of the function itself nothing is computed."""
    source = tf.zeros(shape_vector(shape), g.dtype)
    (gradient,) = tf.gradients(function(source), [source], [g])
    return tf.convert_to_tensor(gradient)


# -- element-wise --------------------------------------------------------------------------------------------------
def _wide(function: Kernel) -> Kernel:
    """`function`, with float16 calculated in float32; the dtype of the first tensor tells."""

    def kernel(x: Any, *others: Any, **attrs: Any) -> Any:
        if x.dtype != tf.float16:
            return function(x, *others, **attrs)
        wider = [tf.cast(y, tf.float32) if getattr(y, 'dtype', None) == tf.float16 else y for y in others]
        return tf.cast(function(tf.cast(x, tf.float32), *wider, **attrs), tf.float16)

    return kernel


def _of_bools(function: Kernel) -> Kernel:
    """A comparison, which TensorFlow has for numbers only."""
    return lambda x, y: function(*[tf.cast(v, tf.int32) if v.dtype == tf.bool else v for v in (x, y)])


def _either(numeric: Kernel, logical: Kernel) -> Kernel:
    return lambda x, y: logical(x, y) if x.dtype == tf.bool else numeric(x, y)


def _divided(function: Kernel) -> Kernel:
    """A division; of integers 0 where the divisor is 0."""

    def kernel(x: Any, y: Any) -> Any:
        if x.dtype.is_floating:
            return function(x, y)
        zero = tf.equal(y, tf.zeros((), y.dtype))
        return tf.where(zero, tf.zeros((), x.dtype), function(x, tf.where(zero, tf.ones((), y.dtype), y)))

    return kernel


def _of_floats(function: Kernel) -> Kernel:
    return lambda x: function(x) if x.dtype.is_floating else tf.identity(x)


def _printed(x: Any, message: str) -> Any:
    """`x`, after the message and its value have been written to standard error."""
    mark = '{the value}'
    text = tf.strings.format(message.replace(mark, '') + mark, [x], placeholder=mark, summarize=-1)
    with tf.control_dependencies([tf.print(text, output_stream=sys.stderr)]):
        return tf.identity(x)


ELEMENTWISE: Dict[str, Kernel] = {
    **{
        name: getattr(tf, name)
        for name in (
            'abs exp sin cos tanh sign square sigmoid identity add pow equal not_equal logical_and logical_or '
            'logical_not where'
        ).split()
    },
    **{name: getattr(tf.math, name) for name in ('log', 'expm1', 'log1p')},
    **{name: getattr(tf.nn, name) for name in ('relu', 'softplus')},
    **{name: _of_floats(getattr(tf, name)) for name in ('round', 'floor')},
    **{name: _of_bools(getattr(tf, name)) for name in ('greater', 'greater_equal', 'less', 'less_equal')},
    'neg': tf.negative,
    'sqrt': lambda x: tf.sqrt(tf.maximum(x, tf.zeros((), x.dtype))),
    'stop_gradient': tf.identity,
    'print': _printed,
    'cast': lambda x, dtype: tf.cast(x, dtype),
    'sub': tf.subtract,
    'mul': tf.multiply,
    'div': tf.truediv,
    'floordiv': _divided(tf.math.floordiv),
    'mod': _divided(tf.math.floormod),
    'maximum': _either(tf.maximum, tf.logical_or),
    'minimum': _either(tf.minimum, tf.logical_and),
    'tanh_grad': lambda y, g: g * (1 - tf.square(y)),
    'sigmoid_grad': lambda y, g: g * (y * (1 - y)),
    'relu_grad': lambda y, g: tf.where(y > 0, g, tf.zeros((), g.dtype)),
}


# -- along axes ----------------------------------------------------------------------------------------------------
def _over(function: Kernel) -> Kernel:
    return lambda x, axes, keepdims=False: function(x, axes if axes is None else list(axes), keepdims)


def _place(function: Kernel) -> Kernel:
    return lambda x, axis: function(tf.cast(x, tf.int32) if x.dtype == tf.bool else x, axis, tf.int64)


def sum_to(x: Any, shape: Any) -> Any:
    """`x` summed over the axes along which `shape` is 1, and over those in front that it lacks."""
    target = shape_vector(shape)
    axes, _none = tf.raw_ops.BroadcastGradientArgs(s0=target, s1=tf.shape(x))
    return tf.reshape(_sum(x, axes), target)


_sum = _wide(tf.reduce_sum)
REDUCTION: Dict[str, Kernel] = {
    'sum': _wide(_over(tf.reduce_sum)),
    'mean': _wide(_over(tf.reduce_mean)),
    **{name: _over(getattr(tf, f'reduce_{name}')) for name in ('prod', 'max', 'min', 'any', 'all')},
    'argmax': _place(tf.argmax),
    'argmin': _place(tf.argmin),
    'cumsum': _wide(lambda x, axis: tf.cumsum(x, axis)),
    'cumprod': lambda x, axis: tf.math.cumprod(x, axis),
    'softmax': _wide(lambda x, axis: tf.nn.softmax(x, axis)),
    'log_softmax': _wide(lambda x, axis: tf.nn.log_softmax(x, axis)),
    'sum_to': sum_to,
    'tensordot': _wide(lambda x, y, axes_x, axes_y: tf.tensordot(x, y, [list(axes_x), list(axes_y)])),
    'matmul': _wide(
        lambda x, y, transpose_x=False, transpose_y=False: tf.matmul(
            x, y, transpose_a=transpose_x, transpose_b=transpose_y
        )
    ),
}


# -- places --------------------------------------------------------------------------------------------------------
def getitem(x: Any, *indices: Any, spec: Spec) -> Any:
    """x[spec], basic and with integer tensors as NumPy has it."""
    if not indices:
        return x[tuple([slice(*s[1:]) if isinstance(s, tuple) else s for s in spec])]
    # First what is basic. Beside arrays NumPy takes a number as one more array.
    basic: List[Any] = []
    arrays: List[Tuple[int, Any]] = []
    axis = 0
    taken = len([s for s in spec if s is not None and s is not Ellipsis])
    for s in spec:
        if s is Ellipsis:
            axis += x.shape.rank - taken
            basic.append(s)
        elif s is None or (isinstance(s, tuple) and s[0] == 'slice'):
            basic.append(s if s is None else slice(*s[1:]))
            axis += 1
        else:
            basic.append(slice(None))
            # axes of the basic result: those that None makes are counted, too
            arrays.append((axis, indices[s[1]] if isinstance(s, tuple) else tf.constant(s)))
            axis += 1
    return _at_places(x[tuple(basic)], arrays)


def _at_places(x: Any, places: Sequence[Tuple[int, Any]]) -> Any:
    axes = [axis for axis, _p in places]
    shape = tf.shape(x)
    wide = [tf.cast(p, tf.int32) for _axis, p in places]
    wide = [tf.where(p < 0, p + shape[axis], p) for axis, p in zip(axes, wide)]
    total = wide[0]
    for p in wide[1:]:
        total = total + p
    rank = total.shape.rank
    index = tf.stack([tf.broadcast_to(p, tf.shape(total)) for p in wide], -1)
    rest = [i for i in range(x.shape.rank) if i not in axes]
    gathered = tf.gather_nd(tf.transpose(x, axes + rest), index)
    if axes != list(range(axes[0], axes[0] + len(axes))):
        return gathered
    # arrays side by side leave their axes where they were
    before = len([i for i in rest if i < axes[0]])
    order = list(range(rank, rank + before)) + list(range(rank)) + list(range(rank + before, rank + len(rest)))
    return tf.transpose(gathered, order)


def getitem_grad(g: Any, *given: Any, spec: Spec, shape: Any = None) -> Any:
    """Zeros of `shape`, which may come before the indices, with `g` added at the places that `spec` reads."""
    indices = given if shape is not None else given[1:]
    shape = given[0] if shape is None else shape
    count = len(shape) if isinstance(shape, tuple) else shape.shape[0]

    def read(x: Any) -> Any:
        x.set_shape([None] * int(count))
        return getitem(x, *indices, spec=spec)

    return adjoint(read, shape, g)


def slice_axis(x: Any, start: Any, stop: Any, axis: int) -> Any:
    """x[start:stop] along `axis`."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


def slice_axis_grad(g: Any, shape: Any, start: Any, axis: int) -> Any:
    """Zeros of `shape` with `g` at `start` along `axis`."""
    start, whole = tf.cast(start, tf.int32), shape_vector(shape)[axis]
    pair = tf.stack([start, whole - start - tf.shape(g)[axis]])
    nothing = tf.zeros((2,), tf.int32)
    return tf.pad(g, tf.stack([pair if i == axis else nothing for i in range(g.shape.rank)]))


def scatter_add(indices: Any, updates: Any, size: Any) -> Any:
    """Zeros of (size,) + tail with `updates` added at `indices`."""
    return tf.math.unsorted_segment_sum(updates, indices, tf.cast(size, tf.int32))


def rows(size: Any, *given: Any) -> Tuple[None, Any]:
    """The sum of what `scatter_add` makes of indices, updates, indices, updates ...; all rows of it."""
    sums = [scatter_add(i, updates, size) for i, updates in zip(given[::2], given[1::2])]
    return None, tf.add_n(sums)


def arange(start: Any, stop: Any, step: Any, dtype: str) -> Any:
    """start, start + step, ... before `stop`."""
    bounds = [tf.convert_to_tensor(n) for n in (start, stop, step)]
    counted = tf.float64 if any([b.dtype.is_floating for b in bounds]) else tf.int32
    first, last, by = [tf.cast(b, counted) for b in bounds]
    # A range that ends before it starts is empty. The kernel refuses it.
    last = tf.where(by > 0, tf.maximum(first, last), tf.minimum(first, last))
    return tf.cast(tf.range(first, last, by), dtype)


SHAPE: Dict[str, Kernel] = {
    f.__name__: f for f in (getitem, getitem_grad, slice_axis, slice_axis_grad, scatter_add, rows, arange)
}
SHAPE.update(
    shape=tf.shape,
    reshape=lambda x, shape: tf.reshape(x, shape_vector(shape)),
    broadcast_to=lambda x, shape: tf.broadcast_to(x, shape_vector(shape)),
    tile=lambda x, reps: tf.tile(x, shape_vector(reps)),
    transpose=lambda x, perm: tf.transpose(x, perm),
    expand_dims=lambda x, axis: tf.expand_dims(x, axis),
    squeeze=lambda x, axis: tf.squeeze(x, [axis]),
    concatenate=lambda *xs, axis: tf.concat(xs, axis),
    stack=lambda *xs, axis: tf.stack(xs, axis),
    repeat=lambda x, repeats, axis: tf.repeat(x, repeats, axis),
    reverse=lambda x, axes: tf.reverse(x, [axis % x.shape.rank for axis in axes]),
    pad=lambda x, widths, value: tf.pad(x, [list(pair) for pair in widths], constant_values=value),
    one_hot=lambda indices, num_classes, dtype: tf.one_hot(tf.cast(indices, tf.int64), num_classes, dtype=dtype),
    gather=tf.gather,
    nonzero=lambda x: tf.reshape(tf.where(x), [-1]),
    add_rows=lambda x, _places, sums: x + sums,
    sub_rows=lambda x, _places, sums: x - sums,
)


# -- draws ---------------------------------------------------------------------------------------------------------
def _drawn(draw: Kernel) -> Kernel:
    def kernel(_stream: Any, shape_: Any = None, shape: Any = None, dtype: str = '') -> Any:
        return draw(shape_vector(shape if shape_ is None else shape_), dtype=dtype)

    return kernel


RANDOM: Dict[str, Kernel] = {
    'random_uniform': _drawn(tf.random.uniform),
    'random_normal': _drawn(tf.random.normal),
    'truncated_normal': _drawn(tf.random.truncated_normal),
}

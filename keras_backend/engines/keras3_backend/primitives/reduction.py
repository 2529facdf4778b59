"""Reductions and running sums, products, and sparse matrices."""

from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from ....basics.shapes import reduce
from ....errors import ShapeError, UnsupportedByEngine
from ..tensors.dtypes import cast, comparing, keeping, name_of, storable_dtype
from ..tensors.operations import Alike, Dense, registered
from ..tensors.sizes import SizeTensor, items
from ..vendor import BACKEND, is_symbolic, keras
from .wide import of_keras_or_wide as wide

# -- axes --------------------------------------------------------------------------------------------------------------
# Axes of a reduction in the words that a backend takes in the shortest time.


def short_axes(x: Any, axes: Tuple[int, ...]) -> Optional[Union[int, Tuple[int, ...]]]:
    """One axis as a number, all axes as None."""
    return axes[0] if len(axes) == 1 else None if len(axes) == len(x.shape) else axes


ops = keras.ops
Tensor = Any
_mean_of, _prod_of, _cumprod_of = wide('mean'), wide('prod'), wide('cumprod')
Axes = Tuple[int, ...]
Slope = Callable[[Tensor], Any]

if BACKEND == 'tensorflow':
    # Products of floats, with gradients that are right where an entry is 0. Those of TensorFlow's running product
    # divide by the entries. Its product has them in its second gradient.
    import tensorflow as tf

    def product(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
        """The product of floats along axes."""
        rank = len(x.shape)
        kept = [i for i in range(rank) if i not in axes]
        sizes = tf.gather(tf.shape(x), tf.constant(kept, 'int32'))
        # Not left to the reshape, which cannot find it out where there are no entries.
        count = tf.reduce_prod(tf.gather(tf.shape(x), tf.constant(axes, 'int32')))
        y = _product(tf.reshape(tf.transpose(x, [*kept, *axes]), tf.concat([sizes, [count]], 0)))
        y.set_shape([x.shape[i] for i in kept])
        for i in sorted(axes) if keepdims else ():
            y = tf.expand_dims(y, i)
        return y

    @tf.custom_gradient
    def _product(x: Tensor) -> Tuple[Tensor, Slope]:
        def slope(g: Tensor) -> Tensor:
            after = tf.reverse(_before(tf.reverse(x, [-1])), [-1])
            return g[..., None] * _before(x) * after

        return tf.reduce_prod(x, -1), slope

    def _before(x: Tensor) -> Tensor:
        """For each entry the product of those before it."""
        return _running(tf.concat([tf.ones_like(x[..., :1]), x[..., :-1]], -1))

    def running_product(x: Tensor, axis: int) -> Tensor:
        """For each entry of floats the product of those up to it."""
        if axis in (-1, len(x.shape) - 1):
            return _running(x)
        order = [i for i in range(len(x.shape)) if i != axis] + [axis]
        return tf.transpose(_running(tf.transpose(x, order)), [order.index(i) for i in range(len(order))])

    @tf.custom_gradient
    def _running(x: Tensor) -> Tuple[Tensor, Slope]:
        def slope(g: Tensor) -> Tensor:
            if x.shape[-1] is None:
                return _slope_of_unknown(x, g)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = _doubled(x)
            return tape.gradient(y, x, g)

        return tf.math.cumprod(x, -1), slope

    def _doubled(x: Tensor) -> Tensor:
        """The running product by multiplications alone, each of twice as many entries as the one before.

        Of a, b, c, d: the first gives a, ab, bc, cd, the second a, ab, abc, abcd.
        """
        reach = 1
        while reach < x.shape[-1]:
            x = tf.concat([x[..., :reach], x[..., reach:] * x[..., :-reach]], -1)
            reach *= 2
        return x

    def _slope_of_unknown(x: Tensor, g: Tensor) -> Tensor:
        """The slope where the number of entries n is known in the run alone. It needs n * n numbers."""
        indices = tf.range(tf.shape(x)[-1])
        # In row i, 1 stands for entry i: the products of the others.
        others = _running(tf.where(tf.equal(indices[:, None], indices[None, :]), tf.ones((), x.dtype), x[..., None, :]))
        late = tf.cast(indices[:, None] <= indices[None, :], x.dtype)
        return tf.reduce_sum(others * late * g[..., None, :], -1)


def _reduction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduced(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
        return function(x, axis=axes, keepdims=keepdims)

    return reduced


def _prod(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    if isinstance(x, SizeTensor) and x.entries is not None and not keepdims:
        # JAX takes it as a size.
        total = 1
        for size in items(x):
            total = total * size
        return total
    if _sloped(x):
        return product(x, axes, keepdims) if not is_symbolic(x) else Product(axes, keepdims)(x)
    return _prod_of(x, axis=axes if len(axes) > 1 else axes[0], keepdims=keepdims)


def _cumprod(x: Tensor, axis: int) -> Tensor:
    if _sloped(x):
        return running_product(x, axis) if not is_symbolic(x) else RunningProduct(axis)(x)
    return _cumprod_of(x, axis=axis)


def _sloped(x: Tensor) -> bool:
    """Whether the product has gradients that the backend has wrong."""
    return BACKEND == 'tensorflow' and 'float' in name_of(x)


@registered
class Product(keras.Operation):
    """The product of floats along axes, on TensorFlow."""

    def __init__(self, axes: Axes, keepdims: bool, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.axes, self.keepdims = tuple(axes), keepdims

    def call(self, x: Tensor) -> Tensor:
        return _prod(ops.convert_to_tensor(x), self.axes, self.keepdims)

    def compute_output_spec(self, x: Tensor) -> Tensor:
        return keras.KerasTensor(reduce(tuple(x.shape), self.axes, self.keepdims), name_of(x))


@registered
class RunningProduct(Alike):
    """The product of the floats up to each, on TensorFlow."""

    def __init__(self, axis: int, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.axis = axis

    def call(self, x: Tensor) -> Tensor:
        return _cumprod(ops.convert_to_tensor(x), self.axis)


@registered
class Extreme(keras.Operation):
    """The largest or smallest elements along axes. Of none it is what loses against everything, as in TensorFlow."""

    def __init__(self, function: str, axes: Axes, keepdims: bool, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.function, self.axes, self.keepdims = function, tuple(axes), keepdims

    def call(self, x: Tensor) -> Tensor:
        if 0 not in tuple(x.shape):
            return getattr(ops, self.function)(x, axis=self.axes, keepdims=self.keepdims)
        dtype = name_of(x)
        if 'float' in dtype:
            least = -np.inf if self.function == 'max' else np.inf
        else:
            least = getattr(np.iinfo(dtype), 'min' if self.function == 'max' else 'max')
        shape = reduce(tuple(ops.shape(x)), self.axes, self.keepdims)
        return ops.full(shape, least, dtype)

    def compute_output_spec(self, x: Tensor) -> Tensor:
        return keras.KerasTensor(reduce(tuple(x.shape), self.axes, self.keepdims), name_of(x))


def _extreme(function: str) -> Callable[..., Tensor]:
    def extreme(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
        if is_symbolic(x):
            return Extreme(function, axes, keepdims)(x)
        return Extreme(function, axes, keepdims).call(x)

    return extreme


def _mean(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    dtype = name_of(x)
    if dtype in ('float16', 'bfloat16'):
        # Sums of halves overflow from 65504 on.
        x = cast(x, 'float32')
    return cast(_mean_of(x, axis=axes, keepdims=keepdims), dtype)


def _nan_beyond(x: Tensor, dtype: str, above: bool) -> Tensor:
    """`x` with NaN as the number above or below all others. Kernels of TensorFlow pass it by."""
    most = tf.as_dtype(dtype).max
    finite = ops.minimum(x, most) if above else ops.maximum(x, -most)
    return ops.where(ops.isnan(x), ops.cast(np.inf if above else -np.inf, dtype), finite)


def _place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    wide = comparing(function)

    def place(x: Tensor, axis: int) -> Tensor:
        dtype = name_of(x)
        if BACKEND != 'torch' and 'float' in dtype:
            # There -0 is less than 0.
            x = ops.where(ops.equal(x, 0), ops.zeros((), dtype), x)
        if BACKEND == 'tensorflow' and 'float' in dtype:
            x = _nan_beyond(x, dtype, function is ops.argmax)
        return cast(wide(cast(x, 'int32') if dtype == 'bool' else x, axis=axis), 'int64')

    return place


# -- products, and sparse matrices -------------------------------------------------------------------------------------
# Products of tensors, and sparse matrices, which Keras has on TensorFlow and JAX.


_matrix_product, _tensordot_of = wide('matmul'), wide('tensordot')


def _tensordot(x: Tensor, y: Tensor, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if axes_x == (len(x.shape) - 1,) and axes_y == (max(len(y.shape) - 2, 0),) and len(y.shape) == 2:
        return _matrix_product(x, y)
    return _tensordot_of(x, y, axes=(list(axes_x), list(axes_y)))


def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    # ops.matmul would repeat a batch of one.
    check_batches(x, y)
    x = ops.transpose(x, (0, 2, 1)) if transpose_x else x
    y = ops.transpose(y, (0, 2, 1)) if transpose_y else y
    return _matrix_product(x, y)


def check_batches(x: Tensor, y: Tensor) -> None:
    """Refuse batches of different sizes."""
    m, n = x.shape[0], y.shape[0]
    if isinstance(m, int) and isinstance(n, int) and m != n:
        raise ShapeError(f'x has {m} samples, and y has {n}.')


def _ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    raise UnsupportedByEngine(
        'ctc_label_dense_to_sparse',
        'Keras 3',
        'it has no sparse tensors of labels',
        'K.ctc_batch_cost and K.ctc_decode take dense ones.',
    )


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    'sum': keeping(_reduction(wide('sum'))),
    'prod': keeping(_prod),
    'mean': _mean,
    'max': keeping(_extreme('max')),
    'min': keeping(_extreme('min')),
    'any': _reduction(ops.any),
    'all': _reduction(ops.all),
    'argmax': _place(ops.argmax),
    'argmin': _place(ops.argmin),
    'cumsum': keeping(wide('cumsum')),
    'cumprod': keeping(_cumprod),
    'softmax': keeping(ops.softmax),
    'log_softmax': keeping(ops.log_softmax),
    # -- products, and sparse matrices --
    'tensordot': keeping(_tensordot),
    'matmul': keeping(_matmul),
    'ctc_sparse': _ctc_sparse,
    'to_dense': lambda x: Dense()(x),
    'sparse_cast': lambda x, dtype: ops.cast(x, storable_dtype(dtype)),
    'sparse_dot': lambda x, y, transpose: ops.matmul(ops.transpose(x) if transpose else x, y),
    'sparse_concatenate': lambda *xs, axis: ops.concatenate(list(xs), axis=axis),
}

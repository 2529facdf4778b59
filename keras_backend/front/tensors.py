"""Making tensors and asking about them."""

import math
from typing import Any, Optional, Tuple

import numpy as np

from ..basics import dtypes
from ..basics.dtypes import array_of, numbers
from ..basics.library import StaticShape, Tensor
from ..basics.shapes import array_shape, entries_of, product, size_of, spatial
from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from .base import Api, Operands, check_sizes


class Tensors(Operands):
    def variable(self, value: Any, dtype: Any = None, name: Optional[str] = None, constraint: Any = None) -> Tensor:
        if value is None:
            raise ArgumentTypeError('value has to be what the variable starts with, got None.')
        return self.library.variable(value, self.library.dtype_name(dtype), name, constraint)

    def constant(self, value: Any, dtype: Any = None, shape: Any = None, name: Optional[str] = None) -> Tensor:
        library, dtype = self.library, self.library.dtype_name(dtype)
        if library.is_tensor(value):
            value = self.converted(self.operand(value), dtype)
            return value if shape is None else self.F.broadcast_to(value, shape)
        if shape is not None:
            shape = library.sizes(shape)
            if library.is_tensor(shape):
                return self.F.broadcast_to(library.constant(value, dtype), shape)
            value, shape = array_of(value), array_shape(shape)
            # A single number fills the shape; as many as it holds are taken in order.
            if value.size not in (1, product(shape)):
                raise ShapeError(f'value of shape {value.shape} does not fill shape={shape}.')
            value = np.broadcast_to(value.reshape(()), shape) if value.size == 1 else value.reshape(shape)
        return library.constant(value, dtype, name)

    def placeholder(
        self, shape: Any = None, ndim: Optional[int] = None, dtype: Any = None, sparse: bool = False, name: Any = None
    ) -> Tensor:
        if shape is None and ndim is None and not sparse:
            placeholder = self.library.placeholder(None, self.library.dtype_name(dtype), False, name)
            placeholder._uses_learning_phase = False
            return placeholder
        if shape is None:
            shape = (None,) * (2 if ndim is None else ndim)
        shape = entries_of(self.library.static(shape))
        sizes = tuple([None if d is None else size_of(d) for d in shape])
        if any([d is not None and d < 0 for d in sizes]):
            raise ShapeError(f'shape={tuple(shape)} is not possible; sizes are 0 or more, or None.')
        if sparse and len(sizes) != 2:
            raise ShapeError(f'a sparse placeholder is a matrix, got shape={tuple(shape)}.')
        placeholder = self.library.placeholder(sizes, self.library.dtype_name(dtype), bool(sparse), name)
        placeholder._keras_shape = sizes
        placeholder._uses_learning_phase = False
        return placeholder

    def is_keras_tensor(self, x: Any) -> bool:
        if not self.library.is_tensor(x):
            raise ArgumentValueError(f'x has to be a K tensor, got {type(x).__name__}; K.constant makes one.')
        return hasattr(x, '_keras_history')

    def is_tensor(self, x: Any) -> bool:
        return self.library.is_tensor(x) and self.library.is_own(x)

    def is_symbolic(self, x: Any) -> bool:
        return self.is_tensor(x)

    def is_variable(self, x: Any) -> bool:
        return self.is_tensor(x) and self.library.is_variable(x)

    def is_placeholder(self, x: Any) -> bool:
        return self.is_tensor(x) and self.library.is_placeholder(x)

    def is_sparse(self, tensor: Any) -> bool:
        return self.library.is_sparse(tensor)

    def to_dense(self, tensor: Any) -> Tensor:
        return self.F.to_dense(tensor) if self.library.is_sparse(tensor) else self.operand(tensor)

    def shape(self, x: Any) -> Tensor:
        x = x if self.library.is_sparse(x) else self.operand(x)
        # Sizes that are known need no run, so they have a value where nothing is fed.
        static = self.library.shape(x)
        if static is not None and None not in static:
            return self.constant(static, 'int32')
        return self.F.shape(self.to_dense(x))

    def int_shape(self, x: Any) -> StaticShape:
        if self.library.is_tensor(x):
            # A layer may know more than the graph does.
            keras_shape = getattr(x, '_keras_shape', None)
            static: Any = tuple(keras_shape) if keras_shape else self.library.shape(x)
        else:
            static = np.shape(_given(x))
        shape: StaticShape = static
        return shape

    def ndim(self, x: Any) -> int:
        # Of the tensor itself: a layer may have said another shape. It is None where the rank is not known.
        rank: Any = self.library.rank(x) if self.library.is_tensor(x) else np.ndim(_given(x))
        ndim: int = rank
        return ndim

    def size(self, x: Any, name: Optional[str] = None) -> Tensor:
        x = x if self.library.is_sparse(x) else self.operand(x)
        static = self.library.shape(x)
        count = None if static is None else product(static)
        if count is not None:
            return self.library.constant(count, 'int32', name)
        return self.F.prod(self.shape(x), axes=(0,), keepdims=False)

    def dtype(self, x: Any) -> str:
        return self.library.dtype(x) if self.library.is_tensor(x) else np.asarray(_given(x)).dtype.name

    def eval(self, x: Any) -> Any:
        if not self.library.is_tensor(x):
            return np.array(array_of(x))
        return self.library.evaluate(x)

    def zeros(self, shape: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled(self, 0, shape, dtype, name)

    def ones(self, shape: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled(self, 1, shape, dtype, name)

    def zeros_like(self, x: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled_like(self, 0, x, dtype)

    def ones_like(self, x: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled_like(self, 1, x, dtype)

    def identity(self, x: Any, name: Optional[str] = None) -> Tensor:
        return self.library.identity(self.operand(x), name)

    def arange(self, start: Any, stop: Any = None, step: Any = 1, dtype: Any = 'int32') -> Tensor:
        for what, bound in (('start', start), ('stop', stop), ('step', step)):
            if isinstance(bound, float) and not math.isfinite(bound):
                raise ArgumentValueError(f'{what} has to be finite, got {bound}.')
        if isinstance(step, (int, float, np.generic)) and not step:
            raise ArgumentValueError('step has to differ from 0.')
        if stop is None:
            start, stop = 0, start
        bounds = [b if self.library.is_tensor(b) else numbers(b) for b in (start, stop, step)]
        if not any([self.library.is_tensor(b) or b.shape for b in bounds]):
            try:
                array = np.arange(*[b.item() for b in bounds])
                # 'int32' is the default, and stands for whatever the bounds are.
                if dtype == 'int32' and array.dtype.kind == 'f':
                    dtype = self.floatx()
                elif dtype == 'int32' and any([isinstance(b, np.int64) for b in (start, stop, step)]):
                    dtype = 'int64'
                return self.constant(array, dtype)
            except (ValueError, OverflowError, MemoryError):
                raise ArgumentValueError(f'no array holds what lies from {start} to {stop} by {step}.') from None
        bounds = [
            self.operand(b)
            if self.library.is_tensor(b)
            else self.library.constant(b, 'int32' if dtypes.is_integer(b.dtype.name) else self.floatx())
            for b in bounds
        ]
        for what, bound in zip(('start', 'stop', 'step'), bounds):
            if self.library.dims(bound):
                raise ShapeError(f'{what} has to be a number, got {self.library.describe(bound)}.')
        natural, dtype = self.library.dtype(bounds[0]), self.library.dtype_name(dtype)
        for bound in bounds[1:]:
            natural = dtypes.promote(natural, self.library.dtype(bound))
        if dtype == 'int32':
            dtype = natural if dtypes.is_integer(natural) or dtypes.is_float(natural) else dtype
        return self.F.arange(*bounds, dtype=dtype)

    def cast(self, x: Any, dtype: Any) -> Tensor:
        dtype = self.library.dtype_name(dtype)
        if not self.library.is_sparse(x):
            return self.converted(self.operand(x), dtype)
        x = self.library.used(x)
        return x if self.library.dtype(x) == dtype else self.F.sparse_cast(x, dtype=dtype)


def _given(x: Any) -> Any:
    if x is None:
        raise ArgumentTypeError('x has to be a tensor, got None.')
    return array_of(x)


def _filled(K: Operands, value: float, shape: Any, dtype: Any, name: Optional[str]) -> Tensor:
    library, dtype = K.library, K.library.dtype_name(dtype)
    sizes = library.sizes(K.shape_given(shape))
    if library.is_tensor(sizes):
        return K.F.broadcast_to(library.constant(value, dtype), sizes)
    check_sizes(shape, sizes)
    return library.filled_variable(array_shape(sizes), value, dtype, name)


def _filled_like(K: Operands, value: float, x: Any, dtype: Any) -> Tensor:
    library, x = K.library, K.operand(x)
    return library.filled_like(x, value, library.dtype(x) if dtype is None else library.dtype_name(dtype))


# -- said in other K functions -----------------------------------------------------------------------------------------


class ComposedTensors(Api):
    def get_variable_shape(self, x: Any) -> Tuple[int, ...]:
        shape: Tuple[int, ...] = self.int_shape(x)
        return shape

    def count_params(self, x: Any) -> int:
        static = self.int_shape(x)
        count = product(static)
        if count is None:
            raise ShapeError(
                f'The elements of a tensor of shape {static} cannot be counted before a run; K.size counts them in one.'
            )
        return int(count)

    def eye(self, size: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        rows, columns = spatial(size, 2, 'size', 0)
        array_shape((rows, columns), 'size')
        return self.variable(np.eye(rows, columns), dtype=dtype, name=name)

    def random_uniform_variable(
        self, shape: Any, low: Any, high: Any, dtype: Any = None, name: Optional[str] = None, seed: Optional[int] = None
    ) -> Tensor:
        low, high = _finite(low, 'low'), _finite(high, 'high')
        return self.variable(_draws(seed).uniform(low, high, array_shape(shape)), dtype=dtype, name=name)

    def random_normal_variable(
        self,
        shape: Any,
        mean: Any,
        scale: Any,
        dtype: Any = None,
        name: Optional[str] = None,
        seed: Optional[int] = None,
    ) -> Tensor:
        mean, scale = _finite(mean, 'mean'), _finite(scale, 'scale')
        if scale < 0:
            raise ArgumentValueError(f'scale has to be at least 0, got {scale!r}.')
        return self.variable(_draws(seed).normal(mean, scale, array_shape(shape)), dtype=dtype, name=name)


def _draws(seed: Optional[int]) -> Any:
    if seed is None:
        return np.random
    if not 0 <= seed < 1 << 32:
        raise ArgumentValueError(f'seed has to be at least 0 and less than 2**32, got {seed!r}.')
    return np.random.RandomState(seed)


def _finite(value: Any, what: str) -> Any:
    if not np.isfinite(float(value)):
        raise ArgumentValueError(f'{what} has to be finite, got {value!r}.')
    return value

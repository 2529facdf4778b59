"""Making tensors and asking about them, said in other K functions."""

from typing import Any, Optional

import numpy as np

from ...arrays import array_of
from ...errors import ArgumentValueError, ShapeError, UnsupportedByEngine
from ...library import StaticShape, Tensor
from ...shapes import array_shape, known, product, spatial
from ..api import Api
from .sizes import fill, sizes


class ComposedTensors(Api):
    needs = {
        'constant': 'identity variable',
        'int_shape': '',
        'get_variable_shape': 'int_shape',
        'ndim': 'int_shape',
        'dtype': '',
        'shape': 'constant int_shape',
        'size': 'constant int_shape prod shape',
        'count_params': 'int_shape',
        'zeros': 'arange cast int_shape reshape variable',
        'ones': 'arange cast int_shape reshape variable',
        'zeros_like': 'arange cast constant dtype int_shape reshape shape variable',
        'ones_like': 'arange cast constant dtype int_shape reshape shape variable',
        'eye': 'variable',
        'identity': 'int_shape reshape shape',
        'arange': 'constant',
        'random_uniform_variable': 'variable',
        'random_normal_variable': 'variable',
        'is_keras_tensor': 'is_tensor',
        'is_symbolic': 'is_tensor',
        'is_sparse': '',
        'to_dense': 'is_sparse',
    }

    def constant(self, value: Any, dtype: Any = None, shape: Any = None, name: Optional[str] = None) -> Tensor:
        value = array_of(value)
        if shape is not None:
            shape = tuple(shape)
            if value.size == 1:
                value = np.full(shape, value.reshape(()))
            elif value.size == product(shape):
                value = value.reshape(shape)
            else:
                raise ShapeError(f'{value.size} values do not fill a constant of shape {shape}.')
        return self.identity(self.variable(value, dtype=dtype, name=name))

    def int_shape(self, x: Any) -> StaticShape:
        shape = getattr(x, '_keras_shape', None)
        return tuple([int(size) if known(size) else None for size in (x.shape if shape is None else shape)])

    def get_variable_shape(self, x: Any) -> StaticShape:
        return self.int_shape(x)

    def ndim(self, x: Any) -> Optional[int]:
        # Of the tensor itself where it says so: a layer may have said another shape.
        try:
            return len(x.shape)
        except (AttributeError, TypeError):
            return len(self.int_shape(x))

    def dtype(self, x: Any) -> str:
        return getattr(x.dtype, 'name', str(x.dtype))

    def shape(self, x: Any) -> Tensor:
        static = self.int_shape(x)
        if None in static:
            raise UnsupportedByEngine(
                'shape',
                self.backend(),
                f'the shape {static} is not known before a run',
                'Give the placeholders a full shape.',
            )
        return self.constant(np.array(static, 'int32'), dtype='int32')

    def size(self, x: Any, name: Optional[str] = None) -> Tensor:
        count = product(self.int_shape(x))
        return self.prod(self.shape(x)) if count is None else self.constant(count, dtype='int32', name=name)

    def count_params(self, x: Any) -> int:
        static = self.int_shape(x)
        count = product(static)
        if count is None:
            raise ShapeError(
                f'The elements of a tensor of shape {static} cannot be counted before a run; K.size counts them in one.'
            )
        return int(count)

    def zeros(self, shape: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled(self, 0, shape, dtype, name)

    def ones(self, shape: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled(self, 1, shape, dtype, name)

    def zeros_like(self, x: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled_like(self, 0, x, dtype, name)

    def ones_like(self, x: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        return _filled_like(self, 1, x, dtype, name)

    def eye(self, size: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        rows, columns = spatial(size, 2, 'size', 0)
        array_shape((rows, columns), 'size')
        return self.variable(np.eye(rows, columns), dtype=dtype, name=name)

    def identity(self, x: Any, name: Optional[str] = None) -> Tensor:
        return self.reshape(x, fill(sizes(self.int_shape(x), self.shape, x)))

    def arange(self, start: Any, stop: Any = None, step: Any = 1, dtype: Any = 'int32') -> Tensor:
        start, stop = (0, start) if stop is None else (start, stop)
        if not all(isinstance(bound, (int, float, np.generic)) for bound in (start, stop, step)):
            raise UnsupportedByEngine(
                'arange',
                self.backend(),
                'it cannot make a range whose bounds are tensors',
                'Use numbers, from K.int_shape(x) for instance.',
            )
        return self.constant(np.arange(start, stop, step), dtype=dtype)

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

    def is_keras_tensor(self, x: Any) -> bool:
        if not self.is_tensor(x):
            raise ValueError(
                f'{type(x).__name__!r} is no tensor of the {self.backend()} engine, so it cannot be asked whether '
                'a layer returned it.'
            )
        return hasattr(x, '_keras_history')

    def is_symbolic(self, x: Any) -> bool:
        return bool(self.is_tensor(x))

    def is_sparse(self, tensor: Any) -> bool:
        return False

    def to_dense(self, tensor: Any) -> Tensor:
        if self.is_sparse(tensor):
            raise UnsupportedByEngine(
                'to_dense',
                self.backend(),
                'it knows that a tensor is sparse but not how to make it dense',
                'Feed an array.',
            )
        return tensor


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


def _filled(K: Api, value: Any, shape: Any, dtype: Any, name: Optional[str]) -> Tensor:
    if isinstance(shape, (tuple, list, np.ndarray)):
        entries = list(shape)
    else:
        entries = [shape] if known(shape) else [shape[i] for i in range(K.int_shape(shape)[0])]
    if any(size is None for size in entries):
        raise ShapeError(
            f'None is no size to make a tensor of, in {tuple(entries)}; use K.shape(x)[i] for a size known only in a '
            'run.'
        )
    if all(known(size) for size in entries):
        return K.variable(np.full(tuple(entries), value), dtype=dtype, name=name)
    count = 1
    for entry in entries:
        count = entry * count
    return K.cast(K.reshape(K.arange(count) * 0 + value, entries), K.floatx() if dtype is None else dtype)


def _filled_like(K: Api, value: Any, x: Any, dtype: Any, name: Optional[str]) -> Tensor:
    dtype = K.dtype(x) if dtype is None else dtype
    static = K.int_shape(x)
    if None in static:
        return _filled(K, value, sizes(static, K.shape, x), dtype, name)
    return K.constant(np.full(static, value), dtype=dtype, name=name)

"""K over a namespace of the Python array API standard: all functions, and gradients, since it runs the K graph.

ARRAY_API_NAMESPACE names it: array_api_strict where nothing is said, numpy, array_api_compat.cupy ... Its functions do
what they can. keras_backend composes other primitives of these. NumPy does what is left: draws, CTC, sparse matrices,
gradients of convolutions, dtypes that the namespace lacks, and sums of bools, which the standard lacks.
"""

import importlib
import os
from builtins import slice as span  # K has functions of such names, too

import numpy as np

from keras_backend.engines.part_of_arrays import kernels
from keras_backend.graph.install import install
from keras_backend.kernels import PRIMITIVES

xp = importlib.import_module(os.environ.get('ARRAY_API_NAMESPACE', 'array_api_strict'))
DTYPES = 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64'
SAME = 'abs cos exp expm1 floor log log1p round sign sin square tanh equal greater greater_equal less less_equal '
SAME += 'not_equal logical_and logical_not logical_or maximum minimum pow where'
REDUCED = 'all any max min prod sum'
host = getattr(xp, 'asnumpy', np.asarray)  # CuPy copies only where it is told to


def ints(shape):
    return tuple([int(n) for n in host(shape)])


def reduced(name):
    def run(x, axes, keepdims=False):
        same = {'dtype': x.dtype} if name in ('sum', 'prod') else {}  # integers of 32 bits stay so
        return getattr(xp, name)(x, axis=axes, keepdims=keepdims, **same)

    return run


def take(x, places):
    if not (xp.all(places >= 0) and xp.all(places < x.shape[0])):
        return xp.asarray(PRIMITIVES['gather'](host(x), host(places)))  # it knows what to say
    taken = xp.take(x, xp.reshape(xp.astype(places, xp.int64), (-1,)), axis=0)
    return xp.reshape(taken, places.shape + x.shape[1:])


def part(x, *places, spec):
    if places or Ellipsis in spec or [e for e in spec if isinstance(e, tuple) and (e[3] or 1) < 0]:
        return xp.asarray(PRIMITIVES['getitem'](host(x), *[host(each) for each in places], spec=spec))
    axes, index = iter(x.shape), []
    for entry in spec:  # the standard says nothing of slices that reach beyond the end
        size = None if entry is None else next(axes)
        index.append(span(*span(*entry[1:]).indices(size)) if isinstance(entry, tuple) else entry)
    return x[(*index, ...)]


def sum_to(x, shape):
    lead = x.ndim - len(ints(shape))
    axes = tuple([i for i, n in enumerate(x.shape) if i < lead or n != ints(shape)[i - lead]])
    return xp.reshape(xp.sum(x, axis=axes, dtype=x.dtype), ints(shape))


def matmul(x, y, transpose_x=False, transpose_y=False):
    return xp.matmul(xp.matrix_transpose(x) if transpose_x else x, xp.matrix_transpose(y) if transpose_y else y)


own = {**{name: getattr(xp, name) for name in SAME.split()}, **{name: reduced(name) for name in REDUCED.split()}}
own.update(add=xp.add, sub=xp.subtract, mul=xp.multiply, div=xp.divide, floordiv=xp.floor_divide, mod=xp.remainder)
own.update(
    {'neg': xp.negative, 'gather': take, 'getitem': part, 'sum_to': sum_to, 'matmul': matmul},
    cast=lambda x, dtype: xp.astype(x, getattr(xp, dtype)),
    sqrt=lambda x: xp.sqrt(xp.where(x < 0, xp.zeros_like(x), x)),
    reshape=lambda x, shape: xp.reshape(x, ints(shape)),
    broadcast_to=lambda x, shape: xp.broadcast_to(x, ints(shape)),
    transpose=lambda x, perm: xp.permute_dims(x, perm),
    concatenate=lambda *xs, axis: xp.concat(xs, axis=axis),
    reverse=lambda x, axes: xp.flip(x, axis=axes),
    tensordot=lambda x, y, axes_x, axes_y: xp.tensordot(x, y, axes=(axes_x, axes_y)),
)
there = [name for name in DTYPES.split() if hasattr(xp, name)]
made = kernels(own, array=type(xp.asarray(0.0)), make=xp.asarray, host=host, dtypes=there)
install(globals(), name='array_api', title=f'Array API ({xp.__name__})', kernels=made)

"""The primitives of a module, be they said in its K functions or derived, beside the kernels of NumPy."""

import numpy as np
import pytest
from kernel_examples import EXAMPLES, drawer

import keras_backend.engines.numpy_backend as numpy_engine
from keras_backend.basics.library import PRIMITIVES
from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.kernels import PRIMITIVES as KERNELS
from keras_backend.user_module.front import Adapted

from .engine.tiny_engine import NAMES

LIBRARIES = {
    'of all functions': Adapted(
        {name: getattr(numpy_engine, name) for name in CONTRACT if name not in SETTINGS}, 'full', 'Full', '', {}
    ).library,
    'of few functions': Adapted({name: getattr(numpy_engine, name) for name in NAMES}, 'few', 'Few', '', {}).library,
    'of conv2d alone': Adapted(
        {name: getattr(numpy_engine, name) for name in [*NAMES, 'conv2d']}, 'images', 'Images', '', {}
    ).library,
}
# What K says of no module: draws have tests of their own, as have sparse matrices.
NOT_HERE = {'logical_and', 'logical_or', 'nonzero', 'random_uniform', 'random_normal', 'truncated_normal', 'shape'}
NOT_HERE |= {'sparse_cast', 'sparse_concatenate', 'sparse_dot', 'ctc_sparse', 'to_dense', 'slice_axis', 'arange'}


def possible(name, arrays, attrs):
    """Whether a module is asked for this: the front asks for products and indices of some kinds alone."""
    if name == 'getitem':
        return not [entry for entry in attrs['spec'] if isinstance(entry, tuple) and entry[0] == 'tensor']
    if name == 'tensordot':
        ranks = [array.ndim for array in arrays]
        return (attrs['axes_x'], attrs['axes_y']) == ((ranks[0] - 1,), (max(ranks[1] - 2, 0),))
    return name != 'matmul' or arrays[0].ndim == 3


@pytest.mark.parametrize(
    ('name', 'functions'),
    [
        (name, functions)
        for name in PRIMITIVES
        if name not in NOT_HERE
        for functions in LIBRARIES
        if functions != 'of conv2d alone' or 'conv' in name
    ],
)
def test_primitive_of_a_module(name, functions):
    """A primitive gives the shape, the dtype and the numbers of the kernel."""
    library, count = LIBRARIES[functions], 0
    for example in [e for e in EXAMPLES if e.name == name]:
        attrs = dict(example.attrs)
        for dtype in sorted({example.dtypes[0], example.dtypes[-1]} - ({'bool'} if 'pool' in name else set())):
            numpy_engine.clear_session()
            arrays = example.make(drawer(dtype))
            if not possible(name, arrays, attrs):
                continue
            expected = np.asarray(KERNELS[name](*arrays, **attrs))
            tensors = [numpy_engine.constant(array, dtype=array.dtype.name) for array in arrays]
            got = np.asarray(numpy_engine.eval(getattr(library.F, name)(*tensors, **attrs)))
            count += 1
            assert (expected.shape, expected.dtype) == (got.shape, got.dtype), (dtype, attrs)
            tolerance = {'float16': 4e-3, 'float32': 1e-5, 'float64': 1e-12}.get(got.dtype.name, 0)
            np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=f'{dtype} {attrs}')
    assert count

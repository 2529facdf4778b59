"""The kernels of the JAX engine beside those of NumPy, which are the reference."""

from functools import partial

import jax
import numpy as np
import pytest
from kernel_examples import EXAMPLES, drawer

import keras_backend.engines.jax_backend  # noqa: F401 (it turns 64-bit numbers on)
from keras_backend.engines.jax_backend.primitives import DRAWS, ON_HOST, PRIMITIVES
from keras_backend.kernels import PRIMITIVES as REFERENCE
from keras_backend.kernels import specialize

# `rows` and what reads its result have another form here.
ELSEWHERE = DRAWS | ON_HOST | {'print', 'rows', 'add_rows', 'sub_rows'}
CASES = [e for e in EXAMPLES if e.name not in ELSEWHERE and e.name in PRIMITIVES]
BOUNDS = {'float16': 4e-3, 'float32': 2e-5, 'float64': 1e-12}


def test_every_kernel_is_there():
    """The engine has a kernel of its own for each primitive."""
    assert set(REFERENCE) == set(PRIMITIVES)


def reference(case, arrays):
    """NumPy's kernel for an example."""
    special = specialize(case.name, tuple([a.ndim for a in arrays]), case.attrs, tuple([a.dtype.name for a in arrays]))
    return special or partial(REFERENCE[case.name], **case.attrs)


@pytest.mark.parametrize('number', range(len(CASES)), ids=[f'{e.name}-{i}' for i, e in enumerate(CASES)])
def test_kernel_beside_the_reference(number):
    """Shape, dtype and numbers are those of NumPy's kernel, for every dtype."""
    case = CASES[number]
    for dtype in case.dtypes:
        arrays = case.make(drawer(dtype))
        with np.errstate(all='ignore'):
            wanted = np.asarray(reference(case, arrays)(*arrays))
        on_device = [jax.numpy.asarray(a) if a.dtype.kind == 'f' else a for a in arrays]
        found = np.asarray(PRIMITIVES[case.name](*on_device, **case.attrs))
        assert (wanted.shape, wanted.dtype) == (found.shape, found.dtype)
        if wanted.dtype.kind == 'f':
            bound = BOUNDS[wanted.dtype.name]
            np.testing.assert_allclose(found, wanted, rtol=bound, atol=bound)
        else:
            np.testing.assert_array_equal(found, wanted)


NUMBERS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, 3.0, -3.0, np.inf, -np.inf, np.nan, 1e30, 1e-30]


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize(
    'name', 'floordiv mod div pow maximum minimum add sub mul equal not_equal less greater_equal'.split()
)
def test_pairs_of_special_numbers(name, dtype):
    """Infinities, NaN and zeros of both signs give what they give on NumPy."""
    x, y = [each.reshape(-1).astype(dtype) for each in np.meshgrid(NUMBERS, NUMBERS)]
    if name == 'floordiv':
        # Where quotients are not exact, NumPy itself differs from version to version.
        kept = (np.abs(x) < 1e20) | ~np.isfinite(x) | (y == 0)
        x, y = x[kept], y[kept]
    with np.errstate(all='ignore'):
        wanted = REFERENCE[name](x, y)
    found = np.asarray(PRIMITIVES[name](jax.numpy.asarray(x), jax.numpy.asarray(y)))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, err_msg=str(list(zip(x, y))))
    if name in ('mod', 'div', 'mul', 'add', 'sub') and wanted.dtype.kind == 'f':
        there = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[there], np.signbit(wanted)[there])


@pytest.mark.parametrize('name', 'exp log sqrt sigmoid softplus tanh relu sign round floor abs log1p expm1'.split())
def test_special_numbers(name):
    """One operand: infinities, NaN, zeros."""
    x = np.array(NUMBERS[:-2], 'float32')
    with np.errstate(all='ignore'):
        wanted = REFERENCE[name](x)
    found = np.asarray(PRIMITIVES[name](jax.numpy.asarray(x)))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize('dtype', ['int8', 'uint8', 'int32', 'int64', 'uint32'])
@pytest.mark.parametrize('name', 'floordiv mod add sub mul pow maximum'.split())
def test_pairs_of_integers(name, dtype):
    """Division by zero gives 0, what does not fit is cut off, and the signs are those of NumPy."""
    limits = np.iinfo(dtype)
    numbers = np.array([0, 1, 2, 3, 7, limits.max, limits.min, limits.max - 1], dtype)
    if limits.min < 0:
        numbers = np.append(numbers, np.array([-1, -2, -7], dtype))
    x, y = [each.reshape(-1) for each in np.meshgrid(numbers, numbers)]
    kept = (y >= 0) & (y < 8) if name == 'pow' else np.ones(x.shape, bool)
    x, y = x[kept], y[kept]
    with np.errstate(all='ignore'):
        wanted = REFERENCE[name](x, y)
    found = np.asarray(PRIMITIVES[name](jax.numpy.asarray(x), jax.numpy.asarray(y)))
    np.testing.assert_array_equal(found, wanted)


def test_products_have_the_precision_of_their_dtype():
    """JAX would let a GPU round the factors. A program may still ask for less."""
    x, w, image, taps = (
        np.ones((2, 3), 'f'),
        np.ones((3, 2), 'f'),
        np.ones((1, 4, 4, 2), 'f'),
        np.ones((2, 2, 2, 1), 'f'),
    )
    how = {'strides': (1, 1), 'padding': 'valid', 'dilation': (1, 1)}

    def all_of_them(x, w, image, taps):
        grad = PRIMITIVES['conv_input_grad'](PRIMITIVES['conv'](image, taps, **how), taps, shape=image.shape, **how)
        return PRIMITIVES['tensordot'](x, w, (1,), (0,)), PRIMITIVES['matmul'](x, w), grad

    def said():
        return str(jax.make_jaxpr(all_of_them)(x, w, image, taps)).count('Precision.HIGHEST, Precision.HIGHEST')

    assert said() == 4
    with jax.default_matmul_precision('tensorfloat32'):
        assert said() == 0

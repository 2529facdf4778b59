"""Products of the NumPy kernels against sums over explicit indices."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_backend.kernels import PRIMITIVES, specialize

k = PRIMITIVES
LETTERS = 'abcdefgh'


@st.composite
def products(draw):
    """Shapes of two arrays and pairs of axes of equal size."""
    summed = draw(st.lists(st.integers(0, 3), max_size=2))
    free_x, free_y = draw(st.lists(st.integers(0, 3), max_size=2)), draw(st.lists(st.integers(0, 3), max_size=2))
    perm_x = draw(st.permutations(range(len(summed) + len(free_x))))
    perm_y = draw(st.permutations(range(len(summed) + len(free_y))))
    x, y = summed + free_x, summed + free_y
    axes_x, axes_y = [tuple(perm.index(i) for i in range(len(summed))) for perm in (perm_x, perm_y)]
    return tuple([x[i] for i in perm_x]), tuple([y[i] for i in perm_y]), axes_x, axes_y


@given(products(), st.sampled_from(['float64', 'int32']))
def test_tensordot(case, dtype):
    """Every order of axes, sizes of zero included; specialised or not."""
    shape_x, shape_y, axes_x, axes_y = case
    random = np.random.RandomState(0)
    x, y = [np.asarray(random.randint(-5, 5, s)).astype(dtype) for s in (shape_x, shape_y)]
    names_x, names_y = list(LETTERS[: x.ndim]), list('mnopqrst'[: y.ndim])
    for i, j in zip(axes_x, axes_y):
        names_y[j] = names_x[i]
    kept = [n for i, n in enumerate(names_x) if i not in axes_x] + [n for j, n in enumerate(names_y) if j not in axes_y]
    expected = np.einsum('{},{}->{}'.format(*tuple(map(''.join, (names_x, names_y, kept)))), x, y)
    special = specialize('tensordot', (x.ndim, y.ndim), {'axes_x': axes_x, 'axes_y': axes_y}, (dtype, dtype))
    for made in k['tensordot'](x, y, axes_x, axes_y), special(x, y):
        assert made.shape == expected.shape
        assert made.dtype == dtype
        np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize('name', ['tensordot', 'matmul'])
def test_float16_is_multiplied_in_float32(name):
    """A sum of products that float16 would lose."""
    x = np.full((1, 1, 4000), 1, 'float16')
    attrs = {'axes_x': (2,), 'axes_y': (2,)} if name == 'tensordot' else {'transpose_x': False, 'transpose_y': True}
    made = k[name](x, x, **attrs)
    assert made.dtype == 'float16'
    assert made.ravel().tolist() == [4000]


@pytest.mark.parametrize('transpose_x', [False, True])
@pytest.mark.parametrize('transpose_y', [False, True])
@pytest.mark.parametrize('batch', [(), (3,), (2, 3), (0,)])
def test_matmul(batch, transpose_x, transpose_y):
    """Each matrix of the batch, either transposed, in every memory order."""
    random = np.random.RandomState(0)
    x, y = random.randn(*batch + (4, 5)), random.randn(*batch + (5, 2))
    expected = np.einsum('...ij,...jk->...ik', x, y)
    x = x.swapaxes(-1, -2) if transpose_x else x
    y = y.swapaxes(-1, -2) if transpose_y else y
    for order in permutations(range(x.ndim)):
        back = tuple(order.index(i) for i in range(x.ndim))
        p, q = [np.ascontiguousarray(a.transpose(order)).transpose(back) for a in (x, y)]
        np.testing.assert_allclose(k['matmul'](p, q, transpose_x, transpose_y), expected, 1e-12)


def test_matmul_of_a_broadcast_array():
    """A view whose elements share memory is multiplied as any other."""
    x = np.broadcast_to(np.array([1.0, 2, 3])[:, None], (4, 3, 5))
    np.testing.assert_array_equal(k['matmul'](x, x, True, False), np.full((4, 5, 5), 14))


def test_batches_that_differ():
    """Batch sizes are equal; 1 is not repeated."""
    with pytest.raises(ValueError, match='have to be equal'):
        k['matmul'](np.ones((1, 2, 3)), np.ones((4, 3, 2)))

"""Places that the engine checks itself where PyTorch does not: on a GPU a wrong one ends all work of the process."""

from math import inf as INF
from math import nan as NAN

import pytest
import torch

from keras_backend.engines.pytorch_on_gpu import check_index, check_places, to_integers
from keras_backend.engines.torch_backend.primitives import PRIMITIVES
from keras_backend.engines.torch_backend.primitives import windows as module
from keras_backend.engines.torch_backend.primitives.windows import full_precision
from keras_backend.errors import IndexOutOfRangeError


@pytest.mark.parametrize(('places', 'size', 'least'), [([3], 3, 0), ([-1, 0], 3, 0), ([0, -4], 3, -3), ([0], 0, 0)])
def test_a_wrong_place_is_refused(places, size, least):
    """The first wrong place is named, and the places that exist."""
    wrong = next(p for p in places if not least <= p < size)
    with pytest.raises(IndexOutOfRangeError, match=f'Index {wrong} is out of range for an axis of size {size}'):
        check_places(torch.tensor(places), size, least)


def test_right_places_pass():
    check_places(torch.tensor([[0, 2], [1, 1]]), 3)
    check_places(torch.tensor([], dtype=torch.int64), 0)
    check_places(torch.tensor(-3), 3, -3)


ALL = slice(None)


@pytest.mark.parametrize(
    ('key', 'wrong'),
    [
        (lambda i: (i,), 4),
        (lambda i: (ALL, i), -6),
        (lambda i: (None, Ellipsis, i), 6),
        (lambda i: (0, i, Ellipsis), 5),
    ],
)
def test_each_tensor_of_an_index_is_checked_beside_its_axis(key, wrong):
    """x has the sizes 4, 5, 6."""
    x = torch.zeros(4, 5, 6)
    for index in (torch.tensor([0, 3, -4]), torch.tensor(1)):
        check_index(x, key(index))
    with pytest.raises(IndexOutOfRangeError, match=f'Index {wrong} is'):
        check_index(x, key(torch.tensor([0, wrong])))


@pytest.mark.parametrize('dtype', ['uint8', 'int8', 'int16', 'int32', 'int64'])
@pytest.mark.parametrize('given', ['float16', 'float32', 'float64'])
def test_integers_of_large_numbers(given, dtype):
    """They are those of a CPU, at its fixed places in the middle of an array."""
    numbers = [-2.0, -1.5, NAN, INF, -INF, 300.0, 256.0, -0.5, 0.5, 3e4, 2.0**31, -(2.0**31), 1e10, 1e20, 127.9]
    x = torch.tensor(numbers, dtype=getattr(torch, given))
    expected = PRIMITIVES['cast'](x.repeat(4), dtype)[: len(numbers)]
    assert to_integers(x, getattr(torch, dtype)).tolist() == expected.tolist()


class _OnGpu:
    """What `full_precision` asks of a tensor."""

    device, dtype = torch.device('cuda'), torch.float32


def test_a_convolution_is_not_rounded_to_fewer_bits():
    """cuDNN is told so for the time of the block, however many threads are in it."""
    before = module._precision()
    with full_precision(_OnGpu()):
        assert module._precision() in ('ieee', False)
        with full_precision(_OnGpu()):
            pass
        assert module._precision() in ('ieee', False)
    assert module._precision() == before


def test_a_program_may_allow_fewer_bits():
    before = module._precision()
    torch.set_float32_matmul_precision('high')
    try:
        with full_precision(_OnGpu()):
            assert module._precision() == before
    finally:
        torch.set_float32_matmul_precision('highest')
    with full_precision(torch.ones(2, device='cpu')):
        assert module._precision() == before

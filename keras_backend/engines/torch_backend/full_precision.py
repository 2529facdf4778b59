"""Convolutions of a GPU in float32.

cuDNN may round the factors of float32 to 10 bits (TF32), and PyTorch lets it do so for convolutions. Results then have
three digits. The engine takes all 24 bits, unless the program has allowed less for products of matrices:
`torch.set_float32_matmul_precision('high')`.
"""

from contextlib import contextmanager
from threading import Lock
from typing import Any, Iterator

import torch
from torch import Tensor

_cudnn: Any = torch.backends.cudnn
_lock, _inside, _before = Lock(), 0, None


def _precision(value: Any = None) -> Any:
    """What cuDNN may do in a convolution, after it is set to `value`. PyTorch 2.9 has a new name for it."""
    owner, name = (_cudnn.conv, 'fp32_precision') if hasattr(_cudnn, 'conv') else (_cudnn, 'allow_tf32')
    if value is not None:
        setattr(owner, name, value)
    return getattr(owner, name)


@contextmanager
def full_precision(x: Tensor) -> Iterator[None]:
    """Convolutions of `x` in this block are computed in its dtype."""
    global _inside, _before
    if x.device.type != 'cuda' or x.dtype != torch.float32 or torch.get_float32_matmul_precision() != 'highest':
        yield
        return
    # The setting belongs to the process: the first of several threads changes it, and the last one restores it.
    with _lock:
        if not _inside:
            _before = _precision()
            _precision('ieee' if hasattr(_cudnn, 'conv') else False)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _precision(_before)

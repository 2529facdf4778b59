"""Average pooling: valid windows of CNTK over what `pad` puts around. Max pooling is NumPy's: CNTK's drops NaN."""

from typing import Dict

import numpy as np

from ....basics import shapes
from ....kernels.common import Array, Ints
from ..graph import Builder, Graph, Symbol
from ..vendor import cntk_py
from .conv import channels_first, channels_last, outputs_of, padding_of
from .work import Fits


def avg_pool(g: Graph, x: Symbol, window: Ints, strides: Ints, padding: str) -> Symbol:
    out = x.shape[:1] + x.shape[-1:] + outputs_of(x.shape, window, strides, padding)
    around = channels_first(g, g.pad(x, padding_of(x.shape, window, strides, padding)))
    none = [False] * (len(window) + 1)
    y = channels_last(
        g,
        g.on_batch(
            lambda v: cntk_py.pooling(
                v, cntk_py.PoolingType_Average, tuple(window), tuple(strides), none, False, False, ''
            ),
            out,
            around,
        ),
    )
    counts = _counts(x.shape[1:-1], window, strides, padding)
    if np.all(counts == shapes.product(window)):
        return y
    # the zeros around do not count
    return g.elementwise(cntk_py.element_times, y, g.known(shapes.product(window) / counts[..., None]))


def _counts(size: Ints, window: Ints, strides: Ints, padding: str) -> Array:
    """How many real entries every window meets."""
    counts = np.ones(())
    for n, k, s in zip(size, window, strides):
        lo = shapes.pads(padding, n, k, s)[0]
        first = np.arange(shapes.conv_output_length(n, k, s, padding)) * s - lo
        counts = counts[..., None] * (np.minimum(first + k, n) - np.maximum(first, 0))
    return counts


BUILDERS: Dict[str, Builder] = {'avg_pool': avg_pool}
FITS: Dict[str, Fits] = {}

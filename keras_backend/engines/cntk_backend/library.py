"""Functions of the engine for the graph (see `graph.run.kernels`). Values are NumPy arrays."""

import ctypes
import os
from typing import Any, Dict, Optional

import numpy as np

from ...kernels.common import Array
from .. import cntk_libraries as libraries
from ..numpy_backend.library import (  # noqa: F401
    CHANGES,
    IN_PLACE,
    VIEWS,
    Stream,
    asarray,
    backwards,
    feed,
    feed_host,
    feed_sparse,
    guard,
    hand_out,
    is_whole,
    private_copy,
    sparse,
    specialize,
    stack_steps,
    to_numpy,
)
from ..numpy_backend.library import PRIMITIVES as _OF_NUMPY
from . import vendor  # noqa: F401  loads what MKL needs
from .plan import compile_with_graphs as compile  # noqa: F401

# -- functions of MKL --------------------------------------------------------------------------------------------------
# Functions that MKL computes faster than NumPy. CNTK brings MKL along.


# up to this many elements NumPy is called sooner
_FEW = 256


def _functions() -> Dict[np.dtype, Any]:
    """The hyperbolic tangents of MKL's vector library, by dtype."""
    try:
        library = ctypes.CDLL(os.path.join(libraries.folder(), 'libmklml_intel.so'))
        functions = {np.dtype('float32'): library.vsTanh, np.dtype('float64'): library.vdTanh}
    except (OSError, AttributeError):
        return {}  # not of this name on other systems
    for function in functions.values():
        function.argtypes, function.restype = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p], None
    return functions


_TANH = _functions()


def tanh(x: Array, out: Optional[Array] = None) -> Array:
    """The hyperbolic tangent. `out`: an array like `x` for it."""
    function = _TANH.get(x.dtype)
    if function is None or x.size <= _FEW or not x.flags.c_contiguous:
        return np.tanh(x, out=out)
    result = out if out is not None and out.flags.c_contiguous else np.empty(x.shape, x.dtype)
    function(x.size, x.ctypes.data, result.ctypes.data)
    return result


PRIMITIVES = dict(_OF_NUMPY, tanh=tanh)

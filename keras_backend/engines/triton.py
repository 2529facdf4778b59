"""Triton, which comes with PyTorch, beside TensorFlow.

Both hold LLVM. Triton after TensorFlow ends the process: "Option 'bitcode-mdindex-threshold' registered more than
once". Triton before TensorFlow works.
"""

import contextlib
import sys
from importlib import import_module

from ..basics.installed import spec
from ..config import settings


def before_tensorflow() -> None:
    """Import Triton if this process has PyTorch, or Keras will run on it: the compiler of PyTorch imports it later."""
    if 'tensorflow' in sys.modules or spec('triton') is None:
        return
    if 'torch' in sys.modules or settings.get('backend').value == 'torch':
        # A Triton that is broken is PyTorch's to tell of, which does without it.
        with contextlib.suppress(Exception):
            import_module('triton')

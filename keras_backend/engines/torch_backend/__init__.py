"""The PyTorch engine: K on the graph of keras_backend, run by PyTorch without its autograd."""

import os

from ...errors import EngineNotInstalled
from ...graph.install import install
from ..table import ENGINES

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != 'torch':
        raise
    raise EngineNotInstalled(ENGINES['torch'].not_installed, 'torch') from error

from . import library
from .module import as_module  # noqa: F401

install(globals(), name='torch', title='PyTorch', kernels=library)
if hasattr(os, 'register_at_fork'):
    # PyTorch would wait for ever for threads that a forked child does not have.
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))

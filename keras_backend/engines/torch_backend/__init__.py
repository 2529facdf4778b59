"""The PyTorch engine: K on the graph of keras_backend, run by PyTorch without its autograd."""

from ...errors import EngineNotInstalled
from ...graph.install import install
from ..table import ENGINES

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != 'torch':
        raise
    raise EngineNotInstalled(ENGINES['torch'].not_installed, 'torch') from error

from . import library
from ._module import as_module  # noqa: F401

install(globals(), name='torch', title='PyTorch', kernels=library)

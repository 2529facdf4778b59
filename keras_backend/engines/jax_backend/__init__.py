"""The JAX engine: K on the graph of keras_backend, a function compiled by XLA."""

from ...errors import EngineImportFailed, EngineNotInstalled
from ...graph.install import install
from ..table import ENGINES

try:
    import jax
except ImportError as error:
    if getattr(error, 'name', None) != 'jax':
        raise
    raise EngineNotInstalled(ENGINES['jax'].not_installed, 'jax') from error

if jax.__version_info__ < (0, 4, 30):
    raise EngineImportFailed(
        f'The jax engine needs JAX 0.4.30 or newer, this is {jax.__version__}; type: pip install --upgrade jax', 'jax'
    )

# K has float64 and int64. JAX has them only where this is set, for the whole process.
jax.config.update('jax_enable_x64', True)

from . import library  # noqa: E402
from .interop import as_function, explain  # noqa: E402, F401
from .mesh import use_mesh  # noqa: E402, F401

install(globals(), name='jax', title='JAX', kernels=library)

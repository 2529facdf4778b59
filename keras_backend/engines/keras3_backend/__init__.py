"""The engine of Keras 3: K on what `keras.ops` takes, so K mixes freely with layers, losses and metrics of Keras 3.

Keras says what runs below, TensorFlow, JAX or PyTorch, and holds the settings. Nothing switches eager mode off. Users
import it as `keras_backend.keras3`.
"""

from typing import TYPE_CHECKING, Any

from ...basics.installed import requirement
from ...binding import bind
from ...errors import EngineNotInstalled

try:
    import keras  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != 'keras':
        raise
    raise EngineNotInstalled(
        f'keras_backend.keras3 needs Keras 3, which is not installed; type: pip install "{requirement("keras3")}"',
        'keras3',
    ) from error

from .engine import engine

bind(engine, globals())

if TYPE_CHECKING:
    # The names of K, for our own modules that call them.
    def __getattr__(name: str) -> Any: ...

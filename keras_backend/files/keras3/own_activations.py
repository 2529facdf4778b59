"""Activations with another meaning in Keras 3. A model with one opens after `import keras_backend.files.keras3`."""

from typing import Any, Callable, Dict

from .library import keras, registered


@registered
def hard_sigmoid_of_keras_2(x: Any) -> Any:
    """0.2 * x + 0.5, clipped to [0, 1]. That of Keras 3 is x / 6 + 0.5."""
    return keras.ops.cast(keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0), x.dtype)


# Names of Keras 2 that have another meaning in Keras 3.
ACTIVATIONS: Dict[str, Callable[[Any], Any]] = {'hard_sigmoid': hard_sigmoid_of_keras_2}

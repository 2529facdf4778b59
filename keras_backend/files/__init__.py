"""Files of Keras 1, 2 and 3, read without running anything that they contain."""

from typing import Any, Mapping, Optional, Union

from .function import ModelFunction, function
from .reading.read import read
from .structure import File, Layer, Model

__all__ = ['File', 'Layer', 'Model', 'ModelFunction', 'function', 'load', 'read']


def load(
    path: Union[str, File],
    weights: Optional[str] = None,
    lambdas: Optional[Mapping[str, Any]] = None,
    custom_objects: Optional[Mapping[str, Any]] = None,
    compile: bool = True,
    engine: Optional[str] = None,
) -> Any:
    """The model of a file as a `keras.Model` of Keras 3. See `keras_backend.files.keras3.load`."""
    from .keras3.loading import load as load_model

    return load_model(path, weights, lambdas, custom_objects, compile, engine)

"""Keras 2, as the launcher has imported it, and its K."""

import sys
from typing import Any

from ...errors import WrongKeras
from ..dialects.dialect import numbers


def _imported() -> Any:
    found: Any = sys.modules.get('keras')
    version = getattr(found, '__version__', '')
    if numbers(version)[:1] != (2,) or numbers(version) >= (2, 4):
        raise WrongKeras(
            f'keras_backend.files.keras2 makes models of Keras 2.0 to 2.3 under the launcher, and '
            f'{"no Keras" if found is None else "Keras " + version} is imported. Type: '
            'python -m keras_backend.keras2 PROGRAM. keras_backend.files.function needs no Keras.'
        )
    return found


keras: Any = _imported()


def k_of_keras() -> Any:
    """K of Keras 2."""
    return keras.backend


def has_argument(function: Any, name: str) -> bool:
    """Whether a method of a layer has an argument of this name."""
    return bool(keras.utils.generic_utils.has_arg(function, name))

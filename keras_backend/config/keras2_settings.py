"""Keras 2 as a client. It has its own settings, in `keras.backend`, and the engine that it runs on follows them."""

import sys
from types import ModuleType
from typing import Optional

SHARED = 'epsilon', 'floatx', 'image_data_format'


def client() -> Optional[ModuleType]:
    """The `keras.backend` of a Keras 2 that runs on an engine of ours, or None."""
    # Looked up each time. Keras may be imported before the engine or after it, and it has no settings while it is being
    # imported.
    keras = sys.modules.get('keras.backend')
    try:
        engine = sys.modules.get(keras.backend()) if keras is not None else None
    except (AttributeError, TypeError):
        return None
    there = '_engine' in getattr(engine, '__dict__', ()) and all(hasattr(keras, 'set_' + key) for key in SHARED)
    return keras if there else None

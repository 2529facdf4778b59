"""Keras 2 as a client: it has settings of its own, in `keras.backend`, and an engine that it runs on goes by them."""

import sys
from types import ModuleType
from typing import Optional

SHARED = 'epsilon', 'floatx', 'image_data_format'


def client() -> Optional[ModuleType]:
    """The `keras.backend` of a Keras 2 that runs on an engine of ours, or None."""
    # Found anew each time: Keras may come before the engine or after it, and while it is being imported it has no
    # settings yet.
    keras = sys.modules.get('keras.backend')
    try:
        engine = sys.modules.get(keras.backend()) if keras is not None else None
    except (AttributeError, TypeError):
        return None
    there = '_engine' in getattr(engine, '__dict__', ()) and all(hasattr(keras, 'set_' + key) for key in SHARED)
    return keras if there else None

"""Keras as a client, with settings of its own, and the backend of Keras 3, which reads the same file."""

import json
import os
import sys
from typing import Any

from . import keras_json

SHARED = 'epsilon', 'floatx', 'image_data_format'

_followed: Any = None


def follow(settings: Any) -> None:
    """From now on, let the settings be those of this object: what Keras 3 says, below our engine."""
    global _followed
    _followed = settings


def may_be_there() -> bool:
    """Whether anybody else may hold settings; costs next to nothing."""
    return _followed is not None or 'keras.backend' in sys.modules


def client() -> Any:
    """Who holds the settings: the `keras.backend` of a Keras 2 that runs on an engine of ours, or Keras 3; or None."""
    if _followed is not None:
        return _followed
    # Looked up each time. Keras may be imported before the engine or after it, and it has no settings while it is being
    # imported.
    keras = sys.modules.get('keras.backend')
    try:
        engine = sys.modules.get(keras.backend()) if keras is not None else None
    except (AttributeError, TypeError):  # Keras is being imported, or is no Keras
        return None
    there = '_engine' in getattr(engine, '__dict__', ()) and all(hasattr(keras, 'set_' + key) for key in SHARED)
    # The `keras.backend` that we make for older versions of Keras has the settings of the engine itself.
    return keras if there and keras is not None and keras.epsilon is not getattr(engine, 'epsilon', None) else None


# -- the backend of Keras 3 --------------------------------------------------------------------------------------------
# The backend of Keras 3, which reads the same file as K and has names of its own in it.


def configured_backend() -> str:
    """The backend that Keras will read: of the environment, or of its file of settings."""
    try:
        with open(keras_json.location(), encoding='utf-8') as file:
            saved = json.load(file)
    except (OSError, ValueError):  # no file, or one that Keras cannot read either
        saved = {}
    return os.environ.get('KERAS_BACKEND') or (saved.get('backend') if isinstance(saved, dict) else '') or 'tensorflow'

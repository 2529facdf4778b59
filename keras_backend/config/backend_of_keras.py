"""The backend of Keras 3, which reads the same file as K and has names of its own in it."""

import json
import os

from . import keras_json


def configured_backend() -> str:
    """The backend that Keras will read: of the environment, or of its file of settings."""
    try:
        with open(keras_json.location(), encoding='utf-8') as file:
            said = json.load(file)
    except (OSError, ValueError):  # no file, or one that Keras cannot read either
        said = {}
    return os.environ.get('KERAS_BACKEND') or (said.get('backend') if isinstance(said, dict) else '') or 'tensorflow'

"""Keras 3, as this package imports it, and K inside it."""

from importlib import import_module
from typing import Any

from ...basics import installed
from ...errors import EngineError, WrongKeras


def _imported() -> Any:
    version = installed.version(['keras'])
    if version is None or int(version.partition('.')[0]) < 3:
        raise WrongKeras(
            'keras_backend.files.load makes a model of Keras 3.12.1 or later, and '
            f'{"no Keras" if version is None else "Keras " + version} is installed. Type: pip install "keras>=3.12.1". '
            'keras_backend.files.function needs no Keras.'
        )
    return import_module('keras')


keras: Any = _imported()
registered: Any = keras.saving.register_keras_serializable('keras_backend')


def check_eager_mode() -> None:
    """Keras 3 on TensorFlow runs in eager mode, which the TensorFlow engine of K turns off. Error: EngineError."""
    if keras.backend.backend() == 'tensorflow' and not import_module('tensorflow').executing_eagerly():
        raise EngineError(
            'A model of Keras 3 on TensorFlow needs eager mode, which K on the TensorFlow engine has turned off in '
            'this process: `from keras_backend import files` and `import keras_backend as K` start it. Type '
            '`import keras_backend.files`, or use keras_backend.files.function, which needs no Keras.',
            'tensorflow',
        )


def k_inside_keras() -> Any:
    """K over what Keras 3 hands around, whatever engine `keras_backend` has."""
    return import_module('keras_backend.keras3')

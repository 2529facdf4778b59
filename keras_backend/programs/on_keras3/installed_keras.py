"""Whether the launcher can run here: Keras 3, its backend, and tf.keras."""

import os

from ...basics import installed
from ...config import configured_backend
from ...errors import WrongKeras


def check() -> None:
    """Raise WrongKeras if Keras 3 or its backend is not installed, or if tf.keras is not Keras 3 here."""
    version = installed.version(['keras'])
    if version is None or int(version.partition('.')[0]) < 3:
        here = 'none' if version is None else f'Keras {version}'
        raise WrongKeras(
            f'keras_backend.keras3 needs Keras 3.12.1 or later, and {here} is installed; '
            'type: pip install "keras>=3.12.1".'
        )
    if installed.spec('tensorflow') is None and configured_backend() == 'tensorflow':
        others = [name for name in ('jax', 'torch') if installed.spec(name)]
        advice = f'KERAS_BACKEND={others[0]} python ...' if others else 'pip install tensorflow, jax or torch.'
        raise WrongKeras(
            'Keras 3 runs on TensorFlow where KERAS_BACKEND names no other backend, and TensorFlow is not installed; '
            f'type: {advice}'
        )
    if os.environ.get('TF_USE_LEGACY_KERAS', '').strip().lower() in ('1', 'true'):
        raise WrongKeras(
            'TF_USE_LEGACY_KERAS makes tf.keras the older Keras, tf_keras, which has the names of K itself; type '
            '`python` instead of `python -m keras_backend.keras3`, or unset TF_USE_LEGACY_KERAS to run on Keras 3.'
        )

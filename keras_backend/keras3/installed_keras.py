"""Whether the launcher can run here: Keras 3, its backend, and tf.keras."""

import json
import os

from .. import installed
from ..errors import WrongKeras


def _backend() -> str:
    """The backend that Keras will read: of the environment, or of its file of settings."""
    home = os.environ.get('KERAS_HOME') or os.path.join(os.path.expanduser('~'), '.keras')
    try:
        with open(os.path.join(home, 'keras.json'), encoding='utf-8') as file:
            said = json.load(file)
    except (OSError, ValueError):
        said = {}
    return os.environ.get('KERAS_BACKEND') or (said.get('backend') if isinstance(said, dict) else '') or 'tensorflow'


def check() -> None:
    """Raise WrongKeras if Keras 3 or its backend is not installed, or if tf.keras is not Keras 3 here."""
    version = installed.version(['keras'])
    if version is None or int(version.partition('.')[0]) < 3:
        raise WrongKeras(
            f'keras_backend.keras3 needs Keras 3.11 or later, and {"none" if version is None else "Keras " + version} '
            'is installed; type: pip install "keras>=3.11".'
        )
    if installed.spec('tensorflow') is None and _backend() == 'tensorflow':
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

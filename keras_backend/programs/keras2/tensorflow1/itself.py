"""`tf.compat.v1` of TensorFlow itself: what programs see as `tensorflow.compat.v1` has names of this folder, too."""

from importlib import import_module
from typing import Any

# Under the launcher `tensorflow` is the view of programs, which keeps TensorFlow.
_tensorflow: Any = import_module('tensorflow')
tf: Any = vars(_tensorflow).get('_itself', _tensorflow).compat.v1

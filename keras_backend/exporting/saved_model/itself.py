"""TensorFlow itself. Under a launcher `import tensorflow` is a view with the names of TensorFlow 1, which keeps it."""

from typing import Any

import tensorflow

tf: Any = vars(tensorflow).get('_itself', tensorflow)

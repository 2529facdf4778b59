"""TensorFlow 1 for programs of tf.keras: its names, graphs and sessions, and tf_keras as its Keras."""

import functools
import inspect
from importlib import import_module
from typing import Any

from ..keras2 import tensorflow_cures
from . import modules

# What `tf.keras.__version__` was in TensorFlow 1.15.
VERSION = '2.2.4-tf'
# What the launcher of Keras 2 does for the same programs on its own Keras, too.
_CURES = ('view', 'dimensions', 'given_parts', 'private_parts', 'moved_names')


def show(tensorflow: Any) -> None:
    """Let `import tensorflow` give TensorFlow 1 from now on. tensorflow: the module, which is imported.

    `tf.enable_eager_execution()` of a program switches on again what is switched off here.
    """
    tensorflow.compat.v1.disable_v2_behavior()
    # It takes its own names from TensorFlow as it is.
    import_module('tf_keras')
    keras: Any = modules.keras_of_tensorflow_1()
    keras.__version__ = VERSION
    for name in _CURES:
        getattr(tensorflow_cures, name)(keras)
    _count_steps_of_validation(tensorflow, keras)


def _count_steps_of_validation(tensorflow: Any, keras: Any) -> None:
    """Let `fit(dataset, validation_data=dataset)` of graphs do without `validation_steps`, as TensorFlow 1.15 did."""
    model: Any = import_module('tf_keras.src.engine.training_v1').Model
    original = model.fit
    signature = inspect.signature(original)

    @functools.wraps(original)
    def fit(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        dataset = given.get('validation_data')
        is_dataset = isinstance(dataset, (tensorflow.data.Dataset, tensorflow.compat.v1.data.Dataset))
        if is_dataset and given.get('validation_steps') is None:
            batches = int(keras.backend.get_value(tensorflow.data.experimental.cardinality(dataset)))
            if batches >= 0:  # neither without an end nor unknown
                kwargs['validation_steps'] = batches
        return original(*args, **kwargs)

    model.fit = fit

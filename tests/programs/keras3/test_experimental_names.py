"""`tf.keras.layers.experimental` and the other modules of that name, as attributes: TensorFlow 2.3 to 2.10 had them."""

import pytest
from keras3_backends import BACKENDS, passes

# The names are those that TensorFlow 2.4, 2.6 and 2.10 list. What Keras 3 lacks is refused with advice.
PROGRAM = """
import numpy as np
import tensorflow as tf
import keras
from tensorflow.keras import layers, mixed_precision, optimizers

model = tf.keras.Sequential([
    layers.experimental.preprocessing.Rescaling(0.5, input_shape=(2, 2, 1)),
    layers.experimental.preprocessing.RandomFlip('horizontal'),
])
np.testing.assert_allclose(model.predict(np.ones((1, 2, 2, 1)), verbose=0), np.full((1, 2, 2, 1), 0.5))

there = {
    layers.experimental: 'EinsumDense',
    tf.keras.layers.experimental.preprocessing: (
        'CategoryEncoding CenterCrop Discretization HashedCrossing Hashing IntegerLookup Normalization '
        'PreprocessingLayer RandomContrast RandomCrop RandomFlip RandomRotation RandomTranslation RandomZoom '
        'Rescaling Resizing StringLookup TextVectorization'
    ),
    optimizers.experimental: 'Adadelta Adagrad Adam AdamW Adamax Ftrl Nadam Optimizer RMSprop SGD',
    mixed_precision.experimental: 'LossScaleOptimizer Policy get_layer_policy global_policy set_policy',
    tf.keras.callbacks.experimental: 'BackupAndRestore',
    tf.keras.experimental: 'CosineDecay CosineDecayRestarts LinearCosineDecay LinearModel WideDeepModel',
    keras.experimental: 'CosineDecay',
    keras.layers.experimental.preprocessing: 'RandomFlip',
}
for module, names in there.items():
    for name in names.split():
        assert callable(getattr(module, name)), (module, name)
assert optimizers.experimental.Adam is optimizers.Adam
assert 'float32' == mixed_precision.experimental.get_layer_policy(layers.Dense(1)).name

import tensorflow.keras.layers as second
assert second.experimental.preprocessing.RandomFlip is layers.RandomFlip
import keras.layers.experimental.preprocessing as imported
assert imported is keras.layers.experimental.preprocessing
assert keras.utils.np_utils.to_categorical is keras.utils.to_categorical

advice = {
    'RandomZoom': lambda: layers.experimental.preprocessing.RandomHeight,
    'HashedCrossing': lambda: layers.experimental.preprocessing.CategoryCrossing,
    'synchronized=True': lambda: layers.experimental.SyncBatchNormalization,
    'fit': lambda: tf.keras.utils.experimental.DatasetCreator,
    'train_step': lambda: tf.keras.models.experimental.SharpnessAwareMinimization,
    "no attribute 'nothing'": lambda: layers.nothing,
}
for text, name in advice.items():
    try:
        name()
    except AttributeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_experimental_names(tmp_path, backend):
    """Each name is the one of Keras 3 today, whether the module is imported or is an attribute."""
    passes(PROGRAM, backend, tmp_path)

"""The import of K inside Keras 3 leaves Keras as it was, and `K.set_floatx` holds for layers that are made after it."""

import keras
import pytest
from processes import run

import keras_backend.keras3 as K
from keras_backend.engines.keras3_backend.tensors.dtypes import FLOAT32
from keras_backend.engines.keras3_backend.vendor import COMPUTED

AFTER_IMPORT = """
import os
import random
import numpy as np
import {first}
import keras
random.seed(7)
import keras_backend.keras3 as K

assert random.Random(7).random() == random.random()
backend = keras.backend.backend()
if backend == 'tensorflow':
    import tensorflow as tf
    tf.config.threading.set_inter_op_parallelism_threads(3)
    tf.config.set_visible_devices([], 'GPU')
elif backend == 'jax':
    import jax
    os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=2'
    assert 2 == jax.device_count()
else:
    import torch
    assert not torch.cuda.is_initialized()
assert 'keras_tensor' == keras.KerasTensor((2,)).name
{there}.set_floatx('float64')
layer = keras.layers.Dropout(0.5)
assert 'dropout' == layer.name
assert 'float64' == layer.dtype == keras.config.floatx() == K.floatx()
{there}.set_floatx('float32')
assert 'float32' == keras.layers.Dense(1).dtype == K.floatx()
keras.config.set_dtype_policy('mixed_float16')
{there}.set_floatx('float64')
assert 'float16' == keras.layers.Dense(1).compute_dtype
row = {there}.resize_images(np.array([1, 2, 3], 'float32').reshape(1, 1, 3, 1), 1, 2, 'channels_last', 'bilinear')
assert np.allclose({row}, K.get_value(row).ravel())
print('passed')
"""


@pytest.mark.parametrize(
    ('first', 'there', 'row'),
    [
        ('keras', 'K', [1, 1.5, 2, 2.5, 3, 3]),
        ('keras_backend.keras3.launcher', 'keras.backend', [1, 1.25, 1.75, 2.25, 2.75, 3]),
    ],
)
def test_import_leaves_keras_as_it_was(first, there, row, tmp_path):
    """Names, random numbers, devices and dtypes are as if the program had imported Keras alone.

    A program may choose its devices until the first tensor is there. A layer has the floatx of its time, as in tf.keras
    2.10, where a policy has not been set. The launcher's K has the pixels of tf.keras.
    """
    code = AFTER_IMPORT.format(first=first, there=there, row=row)
    assert run(code, home=tmp_path, backend=keras.backend.backend()).endswith('passed\n')


def test_classes_and_dtypes_that_were_not_taken_from_a_tensor():
    """They are those of the tensors that Keras makes."""
    made = keras.ops.zeros((), 'float32')
    assert made.__class__ in COMPUTED
    assert made.dtype is FLOAT32
    assert K.is_tensor(made)

"""K.set_value, K.batch_set_value and K.variable take tensors that have their values, and variables."""

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K
from keras_backend.errors import KerasBackendError


@pytest.mark.parametrize('dtype', ['float32', 'float16', 'bfloat16', 'int32'])
def test_variable_is_set_to_a_tensor(dtype):
    """The product of a variable and a number, a tensor of keras.ops and a variable are numbers."""
    v, w = K.variable([4.0, 8.0]), keras.Variable([1, 2], dtype=dtype, trainable=False)
    K.set_value(v, v * 0.5)
    np.testing.assert_array_equal(K.get_value(v), [2, 4])
    K.set_value(v, keras.ops.convert_to_tensor([3, 5], dtype=dtype))
    np.testing.assert_array_equal(K.get_value(v), [3, 5])
    K.set_value(v, w)
    np.testing.assert_array_equal(K.get_value(v), [1, 2])
    K.batch_set_value([(v, w + w)])
    np.testing.assert_array_equal(K.get_value(v), [2, 4])
    for value in (w, w + w, v * 3.0):
        made = K.variable(value)
        np.testing.assert_array_equal(K.get_value(made), np.array(keras.ops.convert_to_numpy(value), 'float32'))


def test_variable_keeps_its_own_value():
    """What it was set from may change."""
    v, w = K.variable([1.0, 2.0]), K.variable([3.0, 4.0])
    made = K.variable(w)
    K.set_value(v, w)
    K.update_add(w, [1.0, 1.0])
    np.testing.assert_array_equal(K.get_value(v), [3, 4])
    np.testing.assert_array_equal(K.get_value(made), [3, 4])


def test_variable_is_not_set_to_a_keras_tensor():
    """A tensor without a value is refused, and so is one of another shape."""
    v = K.variable([1.0, 2.0])
    for value in (keras.Input((2,)), K.constant([1.0, 2.0, 3.0])):
        with pytest.raises(KerasBackendError):
            K.set_value(v, value)

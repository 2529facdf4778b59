"""Functions of K in layers: Keras 2 stores the code of a function, and runs it in a module of its own when it loads."""

import copy
import inspect
import pickle

import keras
import numpy as np
import pytest
from keras import backend as K
from keras import layers as L

# A K function of one tensor, its other arguments, and the shape of a sample. The second half has old spellings, too.
CASES = [
    ('relu', {}, (3,)),
    ('relu', {'alpha': 0.3}, (3,)),
    ('exp', {}, (3,)),
    ('abs', {}, (3,)),
    ('argmax', {'axis': 1}, (3,)),
    ('softmax', {}, (3,)),
    ('sum', {'axis': 1, 'keepdims': True}, (3,)),
    ('l2_normalize', {'axis': 1}, (3,)),
    ('reshape', {'shape': (-1, 3, 2)}, (2, 3)),
    ('permute_dimensions', {'pattern': (0, 2, 1)}, (2, 3)),
    ('cast', {'dtype': 'float16'}, (2,)),
    ('repeat', {'n': 2}, (3,)),
    ('expand_dims', {'axis': 2}, (3,)),
    ('expand_dims', {'dim': 1}, (3,)),
    ('temporal_padding', {'padding': [1, 2]}, (2, 3)),
    ('spatial_2d_padding', {'padding': [[1, 1], [0, 2]], 'data_format': 'channels_last'}, (2, 3, 1)),
    ('spatial_3d_padding', {'data_format': 'channels_first'}, (1, 2, 2, 2)),
    ('resize_images', {'height_factor': 2, 'width_factor': 1, 'data_format': 'channels_last'}, (2, 2, 1)),
    ('resize_volumes', {'depth_factor': 1, 'height_factor': 2, 'width_factor': 1, 'data_format': 'tf'}, (1, 2, 2, 1)),
    ('pool2d', {'pool_size': [2, 2], 'data_format': 'channels_last'}, (4, 4, 1)),
    ('pool3d', {'pool_size': [2, 2, 2], 'data_format': 'channels_first', 'pool_mode': 'avg'}, (1, 2, 2, 2)),
]


def case_name(case):
    return f'{case[0]}-{"-".join(sorted(case[1]))}'


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize('case', CASES, ids=case_name)
def test_lambda_of_a_function_of_k(case):
    """A model with a K function in a Lambda is stored, loaded and cloned, and predicts the same."""
    name, arguments, sample = case
    shape = K.int_shape(getattr(K, name)(K.placeholder((None, *sample)), **arguments))
    layer = L.Lambda(getattr(K, name), input_shape=sample, output_shape=shape[1:], arguments=arguments, name='it')
    model = keras.models.Sequential([layer])
    x = np.random.RandomState(3).normal(size=(2, *sample))
    expected = model.predict(x)
    for again in keras.models.model_from_json(model.to_json()), keras.models.clone_model(model):
        np.testing.assert_array_equal(expected, again.predict(x))


@pytest.mark.parametrize('name', ['relu', 'expand_dims', 'conv2d', 'function', 'batch_normalization'])
def test_functions_are_plain_functions(name):
    """A K function is a function, pickles and copies as itself, takes attributes, and tells its arguments."""
    function = getattr(K, name)
    assert inspect.isfunction(function)
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    function.my = 1
    del function.my
    assert 'legacy' not in inspect.signature(function).parameters

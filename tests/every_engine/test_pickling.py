"""Copies and pickles of tensors, variables and functions: what belongs to a graph says so, on every engine."""

import copy
import pickle

import numpy as np
import pytest
from processes import ENGINE

import keras_backend as K

if ENGINE == 'theano':
    pytest.skip('the variables and functions of Theano can be pickled and copied', allow_module_level=True)


def made():
    """A variable, a tensor and a function of it."""
    variable = K.variable(np.ones(3))
    tensor = variable * 2.0
    return {'variable': variable, 'tensor': tensor, 'function': K.function([], [tensor])}


@pytest.mark.parametrize('what', ['variable', 'tensor', 'function'])
@pytest.mark.parametrize('how', [pickle.dumps, copy.deepcopy])
def test_pickles_and_deep_copies_say_what_to_keep(what, how):
    """The error names the object and the function of K that gives the values."""
    thing = made()[what]
    with pytest.raises((TypeError, NotImplementedError)) as caught:
        how(thing)
    assert 'K.batch_get_value' in str(caught.value)
    assert thing.name in str(caught.value)


def test_copies_are_as_good_as_the_thing():
    """A shallow copy of a tensor is the tensor, and that of a function runs."""
    things = made()
    assert (np.full(3, 2.0) == copy.copy(things['function'])([])[0]).all()
    assert (np.full(3, 2.0) == K.eval(copy.copy(things['tensor']))).all()
    K.set_value(copy.copy(things['variable']), np.zeros(3))
    assert (np.zeros(3) == K.get_value(things['variable'])).all()

"""What the front asks of a library, said in the K functions of a module: which function, and with which arguments."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.errors import UnsupportedByEngine
from keras_backend.user_module.front import Adapted


class Told:
    """A module whose functions return their names and what they were given."""

    def __init__(self, *names, **functions):
        self.asked = []
        own = {name: self._function(name) for name in names}
        self.library = Adapted({**own, **functions}, 'told', 'Told', '', {}).library

    def _function(self, name):
        def function(*args):
            self.asked.append((name, *args))
            return (name, *args)

        return function


@pytest.mark.parametrize(
    ('method', 'arguments', 'name', 'given'),
    [
        ('variable', (1.0, 'float32', 'w', 'limit'), 'variable', (1.0, 'float32', 'w', 'limit')),
        ('placeholder', ((2, None), 'int32', True, 'x'), 'placeholder', ((2, None), None, 'int32', True, 'x')),
        ('update', ('x', 'new'), 'update', ('x', 'new')),
        ('function', ('inputs', 'outputs', 'updates'), 'function', ('inputs', 'outputs', 'updates')),
        ('gradients', ('loss', 'variables'), 'gradients', ('loss', 'variables')),
        ('choice', ('condition', ('yes', 'no')), 'switch', ('condition', 'yes', 'no')),
        ('ctc_greedy', ('scores', 'lengths'), 'ctc_decode', ('scores', 'lengths')),
        ('ctc_beam', ('scores', 'lengths', 3, 2, True), 'ctc_decode', ('scores', 'lengths', False, 3, 2, True)),
        ('clear', (), 'clear_session', ()),
        ('set_session', ('session',), 'set_session', ('session',)),
        ('initialise_manually', (True,), 'manual_variable_initialization', (True,)),
        ('set_learning_phase', (1,), 'set_learning_phase', (1,)),
        ('reset_uids', (), 'reset_uids', ()),
        ('evaluate', ('x',), 'eval', ('x',)),
    ],
)
def test_function_that_the_front_asks_for(method, arguments, name, given):
    module = Told(name)
    result = getattr(module.library, method)(*arguments)
    assert module.asked == [(name, *given)]
    assert result in (None, (name, *given))
    assert (result is None) == (name.startswith(('set_', 'clear_', 'manual_', 'reset_')))


def test_a_module_that_cannot_set_a_value():
    """An update of the variable by what is fed does it."""
    asked = []

    def function(inputs, outputs, updates):
        asked.append((inputs, outputs, updates))
        return asked.append

    module = Told('placeholder', 'update', function=function)
    x = np.zeros((2, 3), 'float32')
    module.library.assign([(x, 'value')])
    new = ('placeholder', (2, 3), None, 'float32')
    assert asked == [([new], [], [module.asked[1]]), ['value']]
    assert module.asked[1][0] == 'update'
    assert module.asked[1][1] is x
    assert module.asked[1][2] == new
    setting = Told('set_value')
    setting.library.assign([('x', 1), ('y', 2)])
    assert setting.asked == [('set_value', 'x', 1), ('set_value', 'y', 2)]


def test_values_without_the_functions_for_them():
    module = Told(function=lambda inputs, outputs: lambda fed: [('value of', *outputs)])
    assert module.library.evaluate('x') == ('value of', 'x')
    assert module.library.values(['x', 'y']) == [('value of', 'x'), ('value of', 'y')]
    assert Told('get_value').library.values(['x']) == [('get_value', 'x')]


def test_answers_without_the_functions_for_them():
    library = Told().library
    assert library.is_own('anything')
    assert library.is_variable('anything')
    assert not library.is_sparse('anything')
    told = Told(is_variable=lambda x: 0, is_sparse=lambda x: 1).library
    assert (told.is_variable('x'), told.is_sparse('x')) == (False, True)


def test_functions_that_a_module_lacks():
    with pytest.raises(UnsupportedByEngine, match='clear_session'):
        Told().library.clear()


def test_filled_numbers_beside_a_tensor():
    """K.switch of a module takes two expressions, and no number."""
    names = {name: getattr(K, name) for name in CONTRACT if name not in SETTINGS}
    library = Adapted(names, 'full', 'Full', '', {}).library
    condition = K.constant([True, False])
    x = K.constant([1.0, 2.0])
    np.testing.assert_array_equal(K.eval(library.F.where(condition, x, 7.0)), [1, 7])
    np.testing.assert_array_equal(K.eval(library.F.where(condition, 7.0, x)), [7, 2])

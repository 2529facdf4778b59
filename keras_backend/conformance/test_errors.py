"""Tensors of different engines, and arguments that no function can take."""

import sys
import types

import numpy as np
import pytest

from ..engines.numpy_backend import library
from ..errors import KerasBackendError
from ..graph.install import install
from ..loader import load
from ._check import close, covers


@pytest.fixture(scope='module')
def other(request):
    """Another engine in this process: NumPy, or a second engine on the NumPy kernels if NumPy is tested."""
    K, numpy = request.config.conformance_K, load('numpy')
    if not numpy.is_tensor(K.placeholder(())):
        yield numpy
        return
    name = 'keras_backend_conformance_second_engine'
    module = sys.modules[name] = types.ModuleType(name)
    install(vars(module), name='second', title='Second', kernels=library)
    yield module
    del sys.modules[name]


MIXES = {
    'operator': lambda K, mine, theirs: mine + theirs,
    'reflected operator': lambda K, mine, theirs: theirs * mine,
    'function': lambda K, mine, theirs: K.exp(theirs),
    'function of two': lambda K, mine, theirs: K.dot(mine, theirs),
    'list': lambda K, mine, theirs: K.concatenate([mine, theirs]),
    'input': lambda K, mine, theirs: K.function([theirs], [mine]),
    'output': lambda K, mine, theirs: K.function([mine], [theirs]),
    'update': lambda K, mine, theirs: K.function([], [], updates=[(K.variable(np.ones((2, 2))), theirs)]),
    'gradients': lambda K, mine, theirs: K.gradients(K.sum(mine), [theirs]),
}


@covers('placeholder')
@pytest.mark.parametrize('mix', sorted(MIXES))
def test_tensors_of_two_engines(K, other, mix):
    """A tensor of another engine raises an error when the call is made. The message names the tensor."""
    mine, theirs = K.placeholder((2, 2), name='of_mine'), other.placeholder((2, 2), name='of_theirs')
    try:
        with pytest.raises(KerasBackendError) as caught:
            MIXES[mix](K, mine, theirs)
    finally:
        other.clear_session()
    assert isinstance(caught.value, ValueError)
    assert 'of_theirs' in str(caught.value) or 'of_mine' in str(caught.value)


@covers('placeholder')
def test_two_engines_side_by_side(K, other):
    """A second engine in the process does not change the first."""
    x, y = K.placeholder((2,)), other.placeholder((2,))
    mine, theirs = K.function([x], [K.exp(x)]), other.function([y], [other.exp(y)])
    for function in (mine, theirs, mine):
        close(function([[0.0, 1.0]])[0], np.exp([0.0, 1.0]))
    other.clear_session()
    close(mine([[0.0, 1.0]])[0], np.exp([0.0, 1.0]))


BAD_ARGUMENTS = {
    'exp': ('exp', lambda K: K.exp(None)),
    'exp of a string': ('exp', lambda K: K.exp('x')),
    'sum of None': ('sum', lambda K: K.sum(None)),
    'axis of a string': ('sum', lambda K: K.sum(K.placeholder((2, 3)), axis='rows')),
    'fractional axis': ('sum', lambda K: K.sum(K.placeholder((2, 3)), axis=0.5)),
    'dot with None': ('dot', lambda K: K.dot(K.placeholder((2, 3)), None)),
    'empty concatenation': ('concatenate', lambda K: K.concatenate([])),
    'empty stack': ('stack', lambda K: K.stack([])),
    'reshape to a word': ('reshape', lambda K: K.reshape(K.placeholder((2, 3)), 'flat')),
    'gather by floats': ('gather', lambda K: K.gather(K.placeholder((2, 3)), K.placeholder((2,), dtype='float32'))),
    'one_hot of no classes': ('one_hot', lambda K: K.one_hot(K.placeholder((2,), dtype='int32'), -1)),
    'cast to nothing': ('cast', lambda K: K.cast(K.placeholder((2,)), 'float23')),
    'placeholder of a word': ('placeholder', lambda K: K.placeholder('large')),
    'placeholder of a negative size': ('placeholder', lambda K: K.placeholder((2, -3))),
    'variable of None': ('variable', lambda K: K.variable(None)),
    'variable of a word': ('variable', lambda K: K.variable('x')),
    'function of no list': ('function', lambda K: K.function(K.placeholder((2,)), None)),
    'rnn without a tensor': ('rnn', lambda K: K.rnn(lambda x, s: (x, s), None, [])),
    'switch without a tensor': ('switch', lambda K: K.switch(None, K.constant(1.0), K.constant(2.0))),
    'repeat_elements zero times': ('repeat_elements', lambda K: K.repeat_elements(K.placeholder((2, 3)), -1, 0)),
    'count_params of None': ('count_params', lambda K: K.count_params(None)),
    'int_shape of None': ('int_shape', lambda K: K.int_shape(None)),
    'get_value of a placeholder': ('get_value', lambda K: K.get_value(K.placeholder((2,)))),
}


@pytest.mark.parametrize(
    'case', [pytest.param(name, marks=covers(BAD_ARGUMENTS[name][0])) for name in sorted(BAD_ARGUMENTS)]
)
def test_bad_arguments(K, case):
    """Arguments that make no sense raise ValueError or TypeError with a message, when the call is made."""
    with pytest.raises((ValueError, TypeError)) as caught:
        BAD_ARGUMENTS[case][1](K)
    assert str(caught.value).strip()

"""What a function of a file would be refused, found without a call."""

import base64
import marshal
import types

import pytest
from attacks import REACH
from lambda_sources import CASES
from shares import one_in
from test_lambdas import PYTHONS, RECORDED

import keras_backend as K
from keras_backend.errors import RefusedCodeError
from keras_backend.files import lambdas
from keras_backend.files.python_code import values


def stored(source):
    module = compile(source, 'attack.py', 'exec')
    code = next(one for one in module.co_consts if isinstance(one, types.CodeType))
    return base64.b64encode(marshal.dumps(code)).decode('ascii')


def found(source, **given):
    return [(one.line, one.name) for one in lambdas.refusals(stored(source), K, **given)]


# They raise an error themselves, where their arguments are wrong.
RAISE = ['assertion', 'raises']


@pytest.mark.parametrize('name', one_in(3, sorted(CASES)))
def test_functions_that_run_are_not_refused(name):
    """For each function and Python: something is listed where the interpreter refuses the function, and only there."""
    for python in PYTHONS:
        if name in RECORDED[python]:
            code, _, closure = RECORDED[python][name]
            listed = lambdas.refusals(code, K, closure, CASES[name][2].get('names'))
            if name in RAISE:
                assert [one.name for one in listed] == ['raise'] * (len(listed) or 1)
            else:
                assert bool(listed) == ('refused' in CASES[name][2]), (python, listed)


SOURCES = {
    'lambda x: K.sum(K.eval(x)) + open(x)': [(1, 'K.eval'), (1, 'open')],
    'def f(x):\n    import os\n    return os.system(x)': [(2, 'import os'), (3, '.system')],
    'def f(x):\n    from . import a\n    return a': [(2, 'import .')],
    'def f(x):\n    import tensorflow as t\n    return t.py_func(x) + t.nn.relu(t.nn.nothing)': [
        (3, 'tf.py_func'), (3, 'tf.nn.nothing'),
    ],
    'def f(x):\n    from keras.backend import sum, eval as e\n    return sum(e)': [(2, 'K.eval')],
    'def f(x):\n    import numpy as a\n    def g():\n        return a.load(x)\n    return g': [(4, 'np.load')],
    'def f(x):\n    import numpy as a\n    a = x\n    return a.shape': [],
    'lambda x: K.sum.__globals__': [(1, 'K.sum.__globals__')],
    'lambda x: (lambda y: y.__class__)(x)': [(1, '.__class__')],
    'def f(x):\n    if x:\n        raise ValueError(x)\n    return helper(x)': [(3, 'raise'), (4, 'helper')],
    'def f(x):\n    global y\n    y = x': [(3, 'global')],
    'async def f(x):\n    return x': [(1, 'async')],
    'def f(x):\n    return getattr(x, x)': [],
}  # fmt: skip


@pytest.mark.parametrize('source', SOURCES)
def test_what_is_refused(source):
    assert found(source) == SOURCES[source]


def test_names_that_are_given():
    source = 'lambda x: helper(x) + other'
    assert found(source, names={'helper': abs}) == [(1, 'other')]
    inner = compile('def f(n, m):\n    return lambda x: x * n * m', '', 'exec').co_consts[0].co_consts
    code = marshal.dumps(next(one for one in inner if isinstance(one, types.CodeType)))
    assert [one.name for one in lambdas.refusals(code, K, closure=[1])] == ['n']
    assert lambdas.refusals(code, K, closure=[1], names={'n': 2}) == []


def test_reasons_are_those_of_the_interpreter():
    source = 'lambda x: K.eval(x)'
    (one,) = lambdas.refusals(stored(source), K)
    with pytest.raises(RefusedCodeError) as caught:
        lambdas.function(stored(source), K)(K.ones((2,)))
    assert one.reason in str(caught.value)
    assert one.function == '<lambda>'


@pytest.mark.filterwarnings('ignore:.*not callable')
def test_most_attacks_are_seen():
    """Those that are not seen depend on values: `getattr(x, name)`, a call of a number, an argument."""
    seen = [name for name in REACH if found(REACH[name], names={'KEPT': 1, 'LIST': []})]
    assert len(seen) > 0.6 * len(REACH)


def test_attributes_that_values_have():
    """Each attribute of the table is one that the interpreter gives to some value."""
    given = [K.ones((2, 3)), K.ones((2, 3)).shape, [1], (1,), {'a': 1}, {1}, 'a', 1, __import__('numpy').ones(2)]
    given.append(values.attribute(given[0], 'shape', values.Tensors(K)))
    for name in values.ATTRIBUTES:
        done = 0
        for value in given:
            try:
                values.attribute(value, name, values.Tensors(K))
                done += 1
            except Exception:
                continue
        assert done, name

"""How users get their functions: copies of the contract over a front, and what completes a module of few functions."""

import copy
import inspect
import pickle
import sys
import types
import warnings

import numpy as np
import pytest

from keras_backend import binding, config
from keras_backend.contract import CONTRACT
from keras_backend.errors import ClearedSessionError, KerasBackendError, UnsupportedByEngine
from keras_backend.front import nn

THREE = ('placeholder', 'variable', 'function')


@pytest.fixture
def engine(monkeypatch):
    """Makes an engine module of functions, completes it, and returns it."""

    def make(**functions):
        module = types.ModuleType('engine_for_the_test')
        monkeypatch.setitem(sys.modules, module.__name__, module)
        for name in THREE:
            functions.setdefault(name, lambda *args, **kwargs: None)
        vars(module).update(functions)
        binding.complete(vars(module), title='Test', name='test')
        return module

    return make


def test_error_of_ours_in_the_words_of_a_library():
    """A library that catches an error of ours, and raises one with words of its own, does not change its class."""
    library = {'__name__': 'lib'}
    exec(
        'def call(function):\n'
        '    try:\n'
        '        function()\n'
        '    except Exception as error:\n'
        '        raise ValueError(f"Tried to convert it: {error}") from None\n',
        library,
    )

    def gone():
        raise ClearedSessionError('its graph is gone')

    with pytest.raises(ValueError, match='Tried') as caught:
        library['call'](gone)
    reworded = caught.value.with_traceback(caught.tb.tb_next)
    found = binding._refusal_of_library(reworded, {'lib'}, 'Lib')
    assert isinstance(found, ClearedSessionError)
    assert str(found.of('dot')) == 'K.dot: its graph is gone'


# -- complete ----------------------------------------------------------------------------------------------------------


def test_precedence(engine):
    """An engine's own function stays, composed functions fill what they can, and settings are never the engine's."""

    def softsign(x):
        return 'mine'

    K = engine(softsign=softsign, abs=abs, epsilon=lambda: 5, floatx='nonsense')
    assert K.softsign is softsign
    assert 'engine' == K._engine.origins['softsign']
    assert 'setting' == K._engine.origins['epsilon']
    assert config.epsilon() == K.epsilon()
    assert 'float32' == K.floatx()
    assert 'missing' == K._engine.origins['conv2d']
    assert set(CONTRACT) == set(K._engine.origins) == set(K.__all__)
    assert all(hasattr(K, name) for name in CONTRACT)
    without = engine(abs=lambda x: 3.0)
    assert 'composed' == without._engine.origins['softsign']
    assert 0.25 == without.softsign(1)


def test_composed_of_composed(engine):
    """What is composed of composed functions is there when the primitives at the bottom are, and missing with them."""
    functions = dict.fromkeys(('sin', 'cast', 'exp', 'maximum', 'abs'), lambda *args: 1.0)
    assert {'composed'} == {engine(**functions)._engine.origins[name] for name in ('cos', 'minimum', 'sigmoid', 'tanh')}
    del functions['exp']
    info = engine(**functions)._engine
    assert {'cos': 'composed', 'sigmoid': 'missing', 'tanh': 'missing', 'elu': 'missing'} == {
        name: info.origins[name] for name in ('cos', 'sigmoid', 'tanh', 'elu')
    }
    assert 'it is composed of K.tanh, which the engine lacks' == info.reasons['elu']


def test_missing_functions_say_why(engine):
    """A missing function raises a typed error with reason and way out, and looks like the real one."""
    K = engine(
        UNSUPPORTED={
            'ctc_decode': 'the library has no loops; decode on the host with numpy',
            'softsign': 'it is too slow here',
        },
        abs=abs,
    )
    for name, reason, between, way_out in [
        ('ctc_decode', 'the library has no loops', ';', 'decode on the host with numpy.'),
        ('softsign', 'it is too slow here', '.', 'python -m keras_backend lists the engines.'),
        ('reshape', 'the engine does not define it', '.', 'Define it in the engine'),
    ]:
        function = getattr(K, name)
        with pytest.raises(UnsupportedByEngine) as caught:
            function(*range(CONTRACT[name].required))
        error = caught.value
        assert isinstance(error, NotImplementedError)
        assert isinstance(error, KerasBackendError)
        assert (name, 'Test', reason) == (error.function, error.engine, error.reason)
        assert way_out in error.way_out
        # Only a capital letter begins a sentence.
        assert str(error).startswith(f'K.{name} is not available on the Test engine: {reason}{between} ')
        assert not K._engine.supports(name)
        assert K._engine.reasons[name].startswith(reason)
        assert CONTRACT[name].signature == inspect.signature(function)
        assert CONTRACT[name].doc == function.__doc__
        assert (name, K.__name__) == (function.__name__, function.__module__)
        assert pickle.loads(pickle.dumps(function)) is function


def test_supports(engine):
    """`supports` tells what works from what is missing, and says no to what is no name of K."""
    info = engine(abs=abs)._engine
    assert [True, True, True, False, False] == [
        info.supports(name) for name in ('abs', 'softsign', 'floatx', 'conv2d', 'nonsense')
    ]


def test_functions_are_the_contracts(engine):
    """A function belongs to its engine, pickles by name, and has the text of the contract."""
    K = engine(abs=lambda x: 1 / 0)
    assert K.__name__ == K.softsign.__module__
    assert pickle.loads(pickle.dumps(K.softsign)) is K.softsign
    assert copy.deepcopy(K.softsign) is K.softsign
    assert inspect.isfunction(K.softsign)
    assert K.softsign.__code__ is CONTRACT['softsign'].function.__code__
    assert CONTRACT['softsign'].doc == K.softsign.__doc__
    with pytest.raises(ZeroDivisionError) as caught:
        K.softsign(1)
    assert nn.__file__ in [str(entry.path) for entry in caught.traceback]


def test_contract_is_one_statement_of_k():
    """The body of each function uses no other global than K, which is what Keras 2 needs to load it again."""
    for name, entry in CONTRACT.items():
        code = entry.function.__code__
        assert ('K', name) == code.co_names, name


def test_docstrings_and_old_spellings(engine):
    """An engine's own function gets the contract's docstring and takes the first-generation spellings."""

    def expand_dims(x, axis=-1):
        return x, axis

    K = engine(expand_dims=expand_dims)
    assert CONTRACT['expand_dims'].doc == K.expand_dims.__doc__
    with pytest.warns(DeprecationWarning, match='K.expand_dims: dim= is now axis='):
        assert ('x', 1) == K.expand_dims('x', dim=1)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert ('x', 1) == K.expand_dims('x', 1)


def test_backend_is_the_engine_of_the_namespace(engine):
    """A namespace names its own engine, whatever is configured, since composed functions put the name into messages."""
    K = engine()
    assert 'test' == K.backend()
    assert pickle.loads(pickle.dumps(K.backend)) is K.backend


def test_cast_to_floatx_takes_tensors(engine):
    """Tensors are cast by the engine, everything else becomes an array."""
    K = engine(is_tensor=lambda x: x == 'tensor', cast=lambda x, dtype: (x, dtype))
    assert ('tensor', 'float32') == K.cast_to_floatx('tensor')
    assert 'float32' == K.cast_to_floatx(3).dtype.name
    assert np.float32 == engine().cast_to_floatx([1.0]).dtype


def test_deviating_signatures(engine):
    """Signatures that are not the contract's are found by name, kind and default; annotations are free."""

    def dot(x: 'np.ndarray', y: int) -> str:
        return x

    def exp(value):
        return value

    K = engine(dot=dot, exp=exp, max=lambda x, axis=None, keepdims=True: x)
    deviations = {name: found for name, found in K._engine.deviations.items() if name not in THREE}
    assert {
        'exp': ('(value)', '(x)'),
        'max': ('(x, axis=None, keepdims=True)', '(x, axis=None, keepdims=False)'),
    } == deviations
    assert deviations == {n: found for n, found in binding.check_signatures(vars(K)).items() if n not in THREE}

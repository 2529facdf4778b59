"""How a namespace becomes complete: copied composites, stubs for what is missing, settings, docstrings."""

import dis
import inspect
import os
import pickle
import sys
import types
import warnings

import numpy as np
import pytest

from keras_backend import binding, config
from keras_backend.composites import nn
from keras_backend.contract import CONTRACT, SETTINGS
from keras_backend.errors import KerasBackendError, UnsupportedByEngine

THREE = ('placeholder', 'variable', 'function')


def module_of(source, name='composites_for_the_test', **names):
    """A module made of source text, importable by its name."""
    module = types.ModuleType(name)
    vars(module).update(names)
    exec(compile(inspect.cleandoc(source), name + '.py', 'exec'), vars(module))
    return module


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


# -- rebind ------------------------------------------------------------------------------------------------------------

SOURCE = '''
    import math
    K = None
    HALF = 0.5

    def softsign(x, *, scale=2, offset=HALF):
        """Doc."""
        return K.abs(x) * scale + _shift(offset)

    def abs(x):
        return K.negate(x)

    def negate(x):
        return -abs(x)

    def _shift(x):
        return K.shift(x) + math.floor(HALF)
'''


def test_copies_see_the_scope():
    """Copies see the scope, the constants and imports of their module, and each other's private helpers."""
    source = module_of(SOURCE)
    K = types.SimpleNamespace(abs=lambda x: x + 10, shift=lambda x: x + 100)
    copies = binding.rebind(source, {'K': K}, 'my.engine')
    assert (1 + 10) * 2 + 100.5 == copies['softsign'](1)
    assert (1 + 10) * 3 + 101 == copies['softsign'](1, scale=3, offset=1)
    assert source.K is None


def test_public_functions_do_not_shadow_builtins():
    """A copy that says `abs` means Python's, though its module defines an `abs` of K."""
    copies = binding.rebind(module_of(SOURCE), {'K': None})
    assert -3 == copies['negate'](-3)


def test_copies_look_like_the_original():
    """A copy keeps name, docstring, signature and place in the source, and belongs to the engine's module."""
    original = module_of(SOURCE).softsign
    copy = binding.rebind(module_of(SOURCE), {}, 'my.engine')['softsign']
    assert (original.__name__, original.__doc__, 'my.engine') == (copy.__name__, copy.__doc__, copy.__module__)
    assert inspect.signature(original) == inspect.signature(copy)
    assert original.__code__ == copy.__code__
    assert not hasattr(copy, '__wrapped__')


def test_two_engines_do_not_mix():
    """Two copies of a module answer from their own engine each."""
    source = module_of(SOURCE)
    one = binding.rebind(source, {'K': types.SimpleNamespace(abs=lambda x: 1, shift=lambda x: 0)})
    two = binding.rebind(source, {'K': types.SimpleNamespace(abs=lambda x: 2, shift=lambda x: 0)})
    assert (2, 4) == (one['softsign'](None), two['softsign'](None))


def test_template_gives_public_functions():
    """A template's functions see all that is given, and private helpers stay private."""
    source = module_of('def scale(x):\n    return G.factor * x\n\ndef _secret():\n    pass')
    functions = binding.template(source, {'__name__': 'my.engine'}, K=None, G=types.SimpleNamespace(factor=7))
    assert ['scale'] == list(functions)
    assert 21 == functions['scale'](3)
    assert 'my.engine' == functions['scale'].__module__


# -- needs -------------------------------------------------------------------------------------------------------------


def test_needs_of_a_function():
    """Names of K are found in calls, attributes, nested functions, comprehensions, and helpers of helpers."""
    module = module_of("""
        import math
        K = None

        def plain(x):
            f = K.exp
            return f(K.log(x)) + math.sqrt(2)

        def nested(x):
            def step(y):
                return [K.sum(z) for z in (lambda: K.max(y))()]
            return step

        def helped(x):
            return _first(x)

        def _first(x):
            return _second(x) if x else K.min(x)

        def _second(x):
            return K.mean(_first(x))

        def none(K, x):
            return K.dot(x, x)
    """)
    needs = {name: binding.needs(vars(module)[name]) for name in ('plain', 'nested', 'helped', 'none')}
    assert {'plain': {'exp', 'log'}, 'nested': {'sum', 'max'}, 'helped': {'min', 'mean'}, 'none': set()} == needs


def test_needs_beyond_256_names():
    """Names whose numbers do not fit into a byte are found, too."""
    lines = ''.join(f'    x.name_{i}\n' for i in range(300))
    module = module_of('K = None\ndef long(x):\n' + lines + '    return K.tanh(x)')
    assert 'EXTENDED_ARG' in [instruction.opname for instruction in dis.get_instructions(module.long)]
    assert {'tanh'} == binding.needs(module.long)


def test_composites_name_only_k():
    """Every composite is a name of K, and is made of names of K."""
    recipes = binding.composite_needs()
    assert 'softsign' in recipes
    assert set(recipes) <= set(CONTRACT)
    for module in binding._composite_modules():
        for name, function in binding._own_functions(module).items():
            assert binding.needs(function) <= set(CONTRACT) | {'_engine'}, name


# -- complete ----------------------------------------------------------------------------------------------------------


def test_precedence(engine):
    """An engine's own function stays, composites fill what they can, and settings are never the engine's."""

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
    assert 'composite' == without._engine.origins['softsign']
    assert 0.25 == without.softsign(1)


def test_composites_of_composites(engine):
    """What is composed of composites is there when the primitives at the bottom are, and missing with them."""
    recipes = binding.composite_needs()
    chains = [
        (name, inner)
        for name, inners in recipes.items()
        for inner in inners
        if inner in recipes and inner != name and name not in recipes[inner]
    ]
    assert chains
    name, inner = sorted(chains)[0]
    everything = {n: (lambda *args, **kwargs: None) for n in CONTRACT if n not in (name, inner)}
    assert 'composite' == engine(**everything)._engine.origins[name]
    lacking = [n for n in binding.composite_needs()[inner] if n not in binding.composite_needs() and n not in SETTINGS]
    if lacking:
        del everything[lacking[0]]
        info = engine(**everything)._engine
        assert 'missing' == info.origins[inner]
        assert 'missing' == info.origins[name]
        assert 'K.' + lacking[0] in info.reasons[inner]
        assert 'K.' + inner in info.reasons[name]


def test_missing_functions_say_why(engine):
    """A missing function raises a typed error with reason and way out, and looks like the real one."""
    K = engine(
        UNSUPPORTED={
            'ctc_decode': 'the library has no loops; decode on the host with numpy',
            'softsign': 'it is too slow here',
        },
        abs=abs,
    )
    for name, reason, way_out in [
        ('ctc_decode', 'the library has no loops', 'decode on the host with numpy.'),
        ('softsign', 'it is too slow here', 'python -m keras_backend lists the engines.'),
        ('reshape', 'the engine does not define it', 'Define it in the engine'),
    ]:
        function = getattr(K, name)
        with pytest.raises(UnsupportedByEngine) as caught:
            function(1, 2)
        error = caught.value
        assert isinstance(error, NotImplementedError)
        assert isinstance(error, KerasBackendError)
        assert (name, 'Test', reason) == (error.function, error.engine, error.reason)
        assert way_out in error.way_out
        assert str(error).startswith(f'K.{name} is not available on the Test engine: {reason}. ')
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


def test_composite_stays_reachable(engine):
    """An engine that overrules a function reaches the composed form of it."""
    K = engine(abs=lambda x: 3.0, softsign=lambda x: 'mine')
    assert 'mine' == K.softsign(1)
    assert 0.25 == binding.composite(vars(K), 'softsign')(1)


def test_bound_composites(engine):
    """A bound composite belongs to its engine, pickles by name, and its traceback points to the composite."""
    K = engine(abs=lambda x: 1 / 0)
    assert K.softsign.__globals__['K'] is K
    assert nn.K is None
    assert K.__name__ == K.softsign.__module__
    assert pickle.loads(pickle.dumps(K.softsign)) is K.softsign
    assert os.path.samefile(inspect.getsourcefile(K.softsign), nn.__file__)
    assert CONTRACT['softsign'].doc == K.softsign.__doc__
    with pytest.raises(ZeroDivisionError) as caught:
        K.softsign(1)
    assert nn.__file__ in [str(entry.path) for entry in caught.traceback]


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
    """A namespace names its own engine, whatever is configured, since composites put the name into messages."""
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

"""Several engines in one process: the same code on each, and where the values first differ."""

import doctest
import importlib.util
import inspect
import io
import itertools
import sys

import numpy as np
import pytest
from documents import blocks

import keras_backend
from keras_backend import comparison, errors, loader
from keras_backend.config import settings
from keras_backend.engines.table import ENGINES

ENGINE = settings.get('backend').value

# The NumPy engine with mistakes in it, as somebody's module.
WRONG = """
    from keras_backend.engines.numpy_backend import *
    from keras_backend.engines import numpy_backend as K

    def tanh(x):
        y = K.tanh(x)
        return y + K.cast(K.greater(x, 2.5), K.dtype(x)) * 0.25

    def cumsum(x, axis=0):
        return K.cast(K.cumsum(x, axis), 'float64')

    def relu(x, alpha=0., max_value=None, threshold=0.):
        raise NotImplementedError('no rectifier here')

    def flatten(x):
        return K.expand_dims(K.flatten(x))

    def update_sub(x, decrement):
        return K.update(x, x - 2. * decrement)
"""

X = np.arange(12.0).reshape(3, 4).astype('float32') / 2.0


@pytest.fixture
def wrong(tmp_path, monkeypatch):
    """The name of an engine that computes some things wrongly."""
    (tmp_path / 'my_wrong.py').write_text(inspect.cleandoc(WRONG))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield 'my_wrong'
    for module in ('my_wrong', 'keras_backend.external.my_wrong'):
        sys.modules.pop(module, None)
    loader._loaded.pop('my_wrong', None)


def compared(*args, **kwargs):
    """The result of a comparison and the report it printed, which ends with a newline."""
    out = io.StringIO()
    result = keras_backend.compare(*args, file=out, **kwargs)
    assert f'{result}\n' == out.getvalue()
    return result, out.getvalue()[:-1]


def training(K, steps_name='update_sub'):
    """A linear model with a training function of its own."""
    x, y = K.placeholder((None, 4)), K.placeholder((None, 2))
    w = K.variable(np.random.uniform(-1, 1, (4, 2)))
    loss = K.mean(K.square(K.dot(x, w) - y))
    gradient = K.gradients(loss, [w])[0]
    return K.function([x, y], [loss], updates=[getattr(K, steps_name)(w, 0.1 * gradient)])


# -- equal -------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(ENGINE == 'numpy', reason='needs a second engine')
def test_this_engine_beside_numpy():
    """Without engines named, the configured one is compared with NumPy, and both live in this process."""
    result, report = compared(lambda K, x: {'y': K.softmax(K.tanh(x)), 'z': [K.sum(x), K.argmax(x)]}, [X])
    assert ('numpy', ENGINE) == result.engines
    assert result
    assert result.first is None
    assert not result.errors
    assert report == f'numpy, {ENGINE}: 3 values are equal'
    assert ['y', 'z, output 0', 'z, output 1'] == list(result.values[ENGINE])
    assert 33.0 == result.values[ENGINE]['z, output 0']
    assert [3, 3, 3] == result.values['numpy']['z, output 1'].tolist()
    assert compared(training, [X, X[:, :2]], steps=3)[0]


@pytest.mark.parametrize('pair', list(itertools.combinations(sorted(ENGINES), 2)), ids='-'.join)
def test_every_pair(pair):
    """Two engines whose libraries are installed train the same model in one process; of others it is said why not."""
    absent = [
        name for name in pair if not any(importlib.util.find_spec(each.module) for each in ENGINES[name].libraries)
    ]
    if absent:
        with pytest.raises(errors.EngineNotInstalled, match='not installed.*(pip install|and cannot be)'):
            compared(training, [X, X[:, :2]], engines=pair)
    else:
        result, report = compared(training, [X, X[:, :2]], engines=pair, steps=3)
        assert result, report
        a, b = [loader.load(name) for name in pair]
        for one, other in ((a, b), (b, a)):
            for made in one.variable(1.0), one.placeholder((2,)):
                assert not any(getattr(other, 'is_' + kind)(made) for kind in ('tensor', 'variable', 'placeholder'))
            with pytest.raises((TypeError, ValueError)):
                other.eval(other.square(one.variable(1.0)) + other.constant(1.0))


@pytest.mark.skipif(ENGINE != 'tensorflow', reason='the draws of the other engines are those of NumPy')
def test_random_numbers_differ():
    """Engines draw different numbers from one seed, and it is the call that draws which is told."""

    def build(K, x):
        noise = K.random_uniform((3, 4), seed=3)
        return K.sum(x + noise)

    result, _report = compared(build, [X])
    assert not result
    assert result.first.name.startswith('K.random_uniform at ' + __file__)


def test_weights_are_drawn_alike():
    """Weights drawn from numpy.random are equal on each engine, and the stream goes on as after one build."""
    np.random.seed(1)
    result, _ = compared(lambda K: K.variable(np.random.normal(size=3)), engines=['numpy', 'numpy', 'numpy'])
    assert result
    assert ('numpy', 'numpy (2)', 'numpy (3)') == result.engines
    follow = np.random.normal()
    np.random.seed(1)
    assert follow == np.random.normal(size=4)[3]


def test_python_numbers_are_floatx():
    """Floats of Python are fed as floatx; arrays keep their dtype."""
    result, _ = compared(lambda K, x, y: [x, y], [[1.5], np.ones(2)], ['numpy'])
    assert ['float32', 'float64'] == [v.dtype.name for v in result.values['numpy'].values()]


def test_default_is_numpy_alone_or_the_pair(capsys):
    """The report goes to standard output; NumPy is not compared with itself."""
    assert keras_backend.compare(lambda K: K.constant(1.0))
    assert capsys.readouterr().out == (
        'numpy: 1 values are equal\n' if ENGINE == 'numpy' else f'numpy, {ENGINE}: 1 values are equal\n'
    )


# -- different ---------------------------------------------------------------------------------------------------------


def test_first_differing_call_is_named(wrong):
    """A value that differs is traced to the first call of K that gave another one, with its place and both values."""

    def build(K, x):
        h = K.tanh(x)
        return {'mean': K.mean(x), 'loss': K.sum(K.square(h))}

    line = inspect.getsourcelines(build)[1] + 1
    result, report = compared(build, [X], ['numpy', wrong])
    assert not result
    assert ('loss', 'value', ()) == (result.outputs.name, result.outputs.kind, result.outputs.index)
    first = result.first
    assert ('my_wrong', 'numpy', 'value', (1, 2)) == (first.engine, first.reference, first.kind, first.index)
    assert f'K.tanh at {__file__}:{line}' == first.name
    np.testing.assert_allclose([np.tanh(3.0) + 0.25, np.tanh(3.0)], [first.value, first.expected], rtol=1e-6)
    last = report.splitlines()[-1]
    assert last.startswith(f'the first difference: {first.name}[1, 2]: my_wrong has 1.24')
    assert 'numpy has 0.9' in last


def test_weights_are_drawn_alike_where_a_call_is_looked_for(wrong):
    """The second build of each engine draws the same numbers as the first, so the weights are no difference."""

    def build(K, x):
        w = K.variable(np.random.normal(size=(4, 4)))
        return K.sum(K.tanh(3.0 + K.square(K.dot(x, w))))

    result, _report = compared(build, [X], ['numpy', wrong])
    assert result.first.name.startswith('K.tanh at ')


@pytest.mark.parametrize(
    ('build', 'kind', 'value', 'expected'),
    [
        (lambda K, x: K.cumsum(x), 'dtype', 'float64', 'float32'),
        (lambda K, x: K.flatten(x), 'shape', (12, 1), (12,)),
        (lambda K, x: [x] * (2 if K.backend() == 'numpy' else 1), 'number', ['output 0'], ['output 0', 'output 1']),
    ],
)
def test_kinds_of_differences(wrong, build, kind, value, expected):
    """A dtype, a shape or a number of results that differs is told as such."""
    result, report = compared(build, [X], ['numpy', wrong])
    found = result.first
    assert (kind, value, expected) == (found.kind, found.value, found.expected)
    assert kind in report


def test_a_refusal_is_a_difference(wrong):
    """What one engine raises and the other computes is a difference, and what all raise is raised."""
    result, report = compared(lambda K, x: K.relu(x), [X], ['numpy', wrong])
    assert 'the run: my_wrong raises NotImplementedError: no rectifier here, numpy gives values' == report
    assert [wrong] == list(result.errors)
    assert result.first.kind == 'error'

    def stops_halfway(K):
        w = K.variable(1.0)
        y = K.relu(w)
        K.set_value(w, 2.0)
        return y

    result, report = compared(stops_halfway, engines=['numpy', wrong])
    assert 1 == len(report.splitlines())
    assert result.first is result.outputs
    with pytest.raises(NameError):
        compared(lambda K, x: undefined(x), [X], ['numpy', wrong])  # noqa: F821


def test_steps(wrong):
    """Functions with updates run several times; the step that differs is named."""
    result, _report = compared(training, [X, X[:, :2]], ['numpy', wrong], steps=4)
    assert 'step 1, output 0' == result.outputs.name
    assert 'K.variable' in result.first.name
    assert compared(training, [X, X[:, :2]], ['numpy', wrong], steps=1)[0]


def test_tolerance():
    """Floats may differ by rounding of the largest value, by default as the dtype rounds; NaN equals NaN."""
    differ = comparison.differ
    a = np.array([1000.0, 1.0, np.nan, np.inf], 'float32')
    assert differ(a + np.float32(0.005), a, None) is None
    assert ('value', (0,)) == differ(a + np.float32(0.05), a, None)[:2]
    assert differ(a + np.float32(0.05), a, 1e-3) is None
    assert ('value', (2,)) == differ(np.nan_to_num(a), a, 1e-3)[:2]
    assert ('value', (1,), 2, 3) == differ(np.array([1, 2]), np.array([1, 3]), 1.0)
    assert ('value', (), True, False) == differ(np.array(True), np.array(False), None)


def test_inner_tensors_are_left_out():
    """What a step function makes cannot be fetched from outside and is no intermediate value."""

    def build(K, x):
        last, _outputs, _states = K.rnn(
            lambda t, s: (K.tanh(t + s[0]), [K.tanh(t)]), K.expand_dims(x), [K.zeros_like(x[:, :1])]
        )
        return last

    run = comparison._Run('numpy', loader.load('numpy'), build, [X], 1, traced=True)
    names = [name.partition(' at ')[0] for name, _ in run.intermediate()]
    assert ['K.expand_dims', 'K.zeros_like', 'K.rnn', 'K.rnn', 'K.rnn'] == names
    assert all(isinstance(value, np.ndarray) for _, value in run.intermediate())


def test_engines_that_are_not_there():
    """An engine that cannot live in this process is refused with the loader's reason."""
    with pytest.raises(errors.EngineNotFound, match='nowhere'):
        keras_backend.compare(lambda K: K.constant(1.0), engines=['numpy', 'nowhere'])
    with pytest.raises(ValueError, match='at least one'):
        keras_backend.compare(lambda K: K.constant(1.0), engines=[])


# -- code with the import line -----------------------------------------------------------------------------------------


def test_module_on_another_engine(tmp_path, monkeypatch):
    """A module written with `import keras_backend as K` runs on a second engine, with what it imports beside it."""
    package = tmp_path / 'my_layers'
    package.mkdir()
    (package / '__init__.py').write_text('')
    (package / 'common.py').write_text('import keras_backend as K\ndef half(x): return K.sum(x) / 2.\n')
    (package / 'layer.py').write_text(
        'import keras_backend as K\nfrom keras_backend import square\nfrom .common import half\nfrom . import common\n'
        'class Layer(object):\n    def __call__(self, x):\n        return half(square(x)) + common.half(K.abs(x))\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import my_layers.layer as module

    N = keras_backend.load('numpy')
    copy = comparison.on(N, module)
    assert copy.K is N
    assert copy.common.K is N
    assert copy.half.__globals__['K'] is N
    assert module.K is keras_backend
    assert module.common.K is keras_backend
    assert 1.0 + 1.5 == N.eval(copy.Layer()(N.constant([1.0, -1.0]))) + 0.5
    result, _ = compared(lambda K, x: comparison.on(K, module).Layer()(x), [X], ['numpy', ENGINE])
    assert result
    for name in [name for name in sys.modules if name.startswith('my_layers')]:
        del sys.modules[name]


def test_supports_of_a_second_namespace():
    """`supports` is there in each namespace, and speaks of it."""
    assert keras_backend.load('numpy').supports('dot')
    assert not keras_backend.load('numpy').supports('nonsense')


def test_document_on_two_engines():
    """The code of docs/two-engines.md runs; TensorFlow stands there for the engine that is tested."""
    scope = {}
    for block in blocks('two-engines.md', 'python'):
        exec(block.replace("'tensorflow'", repr(ENGINE)), scope)
    assert scope['found'].engines[0] == 'numpy'


def test_examples_in_docstrings():
    """The examples of the module run as shown."""
    found = doctest.testmod(comparison)
    assert 0 == found.failed
    assert found.attempted > 5


def test_progress_of_a_comparison(monkeypatch):
    """On a terminal one line tells engine and step, and is gone at the end. Elsewhere nothing is told."""
    seen = []
    for terminal in True, False:
        stream = io.StringIO()
        stream.isatty = lambda terminal=terminal: terminal
        monkeypatch.setattr(sys, 'stderr', stream)
        compared(lambda K, x: K.exp(x), [X], ['numpy'], steps=2)
        seen.append(stream.getvalue())
    steps = ['numpy ...', 'numpy: step 1 of 2', 'numpy: step 2 of 2', '']
    assert steps == [part.strip() for part in seen[0].split('\r')[1:-1]]
    assert seen[0].endswith('\r' + ' ' * len(steps[2]) + '\r')
    assert '' == seen[1]

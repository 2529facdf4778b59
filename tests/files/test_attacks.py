"""No function of a file gets out, hangs, fills the memory, or leaves a trace.

The sources of tests/files/attacks.py are compiled by this Python and never run. tests/files/code_attacks.py has byte
code that no compiler writes.
"""

import base64
import builtins
import faulthandler
import gc
import marshal
import os
import sys
import threading
import types

import numpy as np
import pytest
from attacks import ATTACKS, IMPORTS, OF_PYTHON_2
from code_attacks import DATA
from shares import one_in

import keras_backend as K
from keras_backend.errors import KerasBackendError, RefusedCodeError, UnreadableCodeError
from keras_backend.files import lambdas
from keras_backend.files.lambdas import function
from keras_backend.files.python_code import limits

ORDINARY = (KerasBackendError, TypeError, ValueError, LookupError, ArithmeticError, NameError)
SECONDS = 600  # what hangs ends with the places of all threads
MEMORY = 1 << 30
LIST = []

pytestmark = pytest.mark.filterwarnings('ignore:.*not callable')


@pytest.fixture(scope='module', autouse=True)
def guarded():
    """What hangs or fills the memory ends the run instead of the machine."""
    resource = pytest.importorskip('resource') if os.name == 'posix' else None
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    if resource is not None and sys.platform == 'linux':
        before = resource.getrlimit(resource.RLIMIT_AS)
        with open('/proc/self/statm') as stream:
            used = int(stream.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    yield
    if resource is not None and sys.platform == 'linux':
        resource.setrlimit(resource.RLIMIT_AS, before)
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def untouched(tmp_path, monkeypatch):
    """The world as it was, after an attack."""
    monkeypatch.chdir(tmp_path)
    kept = np.zeros(2)

    def world():
        return {
            'modules': {name: sys.modules[name] for name in [*sys.modules] if name.split('.')[0] in IMPORTS},
            'builtins': dict(vars(builtins)), 'files': os.listdir('.'),
            'environment': {name: value for name, value in os.environ.items() if name != 'PYTEST_CURRENT_TEST'},
            'K': {name: getattr(K, name) for name in ('sum', 'ones', 'eval', 'config')},
            'kept': (kept.tolist(), [*LIST]),
            'settings': (K.floatx(), K.epsilon(), K.image_data_format()),
            'streams': (sys.stdout, sys.stderr), 'limit': sys.getrecursionlimit(),
            'running': getattr(limits._state, 'budget', None),
            'threads': threading.active_count(),
        }  # fmt: skip

    before = world()
    yield kept
    assert world() == before


def x():
    return K.constant(np.ones((2, 3)))


def compiled(source):
    """The code of the only function in a source, which is not run."""
    module = compile(source, 'attack.py', 'exec')
    return next(const for const in module.co_consts if isinstance(const, types.CodeType))


def stored(source):
    return base64.b64encode(marshal.dumps(compiled(source))).decode('ascii')


@pytest.fixture
def quickly(monkeypatch):
    """A tenth of the limits, for a test that runs into them again and again."""
    for name in ('MOST_STEPS', 'MOST_ELEMENTS', 'MOST_OF_ARRAYS'):
        monkeypatch.setattr(limits, name, getattr(limits, name) // 10)


@pytest.mark.parametrize('name', one_in(2, list(ATTACKS)))
def test_attack_by_a_program(name, untouched, quickly):
    attack(name, untouched)


@pytest.mark.slow
@pytest.mark.parametrize('name', ATTACKS)
def test_attack_within_the_limits(name, untouched):
    attack(name, untouched)


def called_twice(text, defaults, kept):
    read = function(text, K, defaults, names={'KEPT': kept, 'LIST': LIST})
    for _ in range(2):
        read(x())


def attack(name, untouched):
    defaults = [[]] if 'a=None' in ATTACKS[name] else None
    with pytest.raises(ORDINARY) as caught:
        called_twice(stored(ATTACKS[name]), defaults, untouched)
    said = str(caught.value)
    assert said.isprintable() or '\n' in said
    assert len(said) < 2000


@pytest.mark.parametrize('name', OF_PYTHON_2)
def test_attack_by_a_program_of_python_2(name, untouched, quickly):
    read = function(stored(OF_PYTHON_2[name]), K)
    read.world = read.world._replace(program=read.world.program._replace(pythons=((2, 7),)))
    with pytest.raises(ORDINARY) as caught:
        read(x())
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize('name', one_in(2, list(DATA)))
def test_attack_by_byte_code(name, untouched, quickly):
    data = DATA[name]() if callable(DATA[name]) else DATA[name]
    for text in (base64.b64encode(data).decode('ascii'), data):
        with pytest.raises(ORDINARY) as caught:
            function(text, K)()
        assert str(caught.value).isprintable()


def test_attacks_are_many():
    assert len(ATTACKS) + len(DATA) > 60


@pytest.mark.parametrize(
    'text', [None, 10**10, 1.5, [1], {}, '', 'a', '\ud800', '\u4e2d', 'A' * (1 << 24), '===='], ids=type
)
def test_text_that_is_no_function(text):
    with pytest.raises(UnreadableCodeError):
        function(text, K)


def test_function_cut_anywhere():
    """A part of a function is no function."""
    data = marshal.dumps(compiled('lambda x: K.sum(x * 2, axis=-1)'))
    for end in range(len(data)):
        with pytest.raises(UnreadableCodeError):
            function(data[:end], K)


@pytest.mark.slow
def test_deep_defaults():
    value = []
    for _ in range(100000):
        value = [value]
    with pytest.raises(UnreadableCodeError, match='nested deeper'):
        function(stored('lambda x, a: x'), K, [value])
    while value:
        value = value.pop()
    gc.collect()


def test_names_that_are_modules():
    """A module that a program gives by accident is none for the code of a file."""
    read = function(stored('lambda x: os.getcwd()'), K, names={'os': os})
    with pytest.raises(RefusedCodeError, match='uses the name os'):
        read(x())


def test_calls_begin_anew():
    """A default or a variable of a closure that one call changes is for the next call as it was."""
    source = 'def attack(x, a=None):\n    a.append(1)\n    return len(a)'
    read = function(stored(source), K, [[]])
    assert [read(0), read(0)] == [1, 1]
    outer = compile(
        'def f():\n    n = [0]\n    def g():\n        n.append(1)\n        return len(n)\n    return g', '', 'exec'
    )
    inner = [
        one for one in next(c for c in outer.co_consts if hasattr(c, 'co_consts')).co_consts if hasattr(one, 'co_code')
    ]
    read = function(marshal.dumps(inner[0]), K, closure=[[0]])
    assert [read(), read()] == [2, 2]


def test_values_that_are_given_stay():
    """Lists and arrays of the caller and of the program are as they were, and a second call finds them so."""
    source = 'def attack(x, y):\n    x += [1]\n    y += 1\n    LIST.append(1)\n    return len(x) + len(LIST) + y[0]'
    names = {'LIST': []}
    read = function(stored(source), K, names=names)
    values, array = [5], np.zeros(2)
    assert [read(values, array), read(values, y=array)] == [4, 4]
    assert (values, array.tolist(), names) == ([5], [0, 0], {'LIST': []})


def test_variable_that_is_not_given():
    """The error tells the layer whose function needs a variable of a function around it."""
    outer = compiled('def f(n):\n    return lambda x: x * n')
    inner = next(one for one in outer.co_consts if hasattr(one, 'co_code'))
    with pytest.raises(RefusedCodeError, match='<lambda> of the layer encode is not run, because it uses the name n'):
        function(marshal.dumps(inner), K, layer='encode')
    assert function(marshal.dumps(inner), K, names={'n': 5}, layer='encode')(2) == 10


@pytest.mark.slow
def test_budget_after_an_error():
    """A call that was refused leaves nothing to the next one, in this thread or in another."""
    endless = function(stored(ATTACKS['endless_loop']), K)
    fine = function(stored('lambda x: sum([i for i in range(5000)])'), K)
    found = []

    def run():
        for _ in range(2):
            with pytest.raises(RefusedCodeError, match='300000 steps'):
                endless(1)
            found.append(fine(1))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [12497500] * 6


HONEST = [
    ('lambda x: K.clip(x, -1e9, 1e9) * -2**32', -(2.0**32)),
    ('lambda x: -10000000.0 * x', -1e7),
    ('lambda x: K.clip(x, 0, 10**20) + (1 - x) * -10**9', 1.0),
    ('lambda x: x * len([i for i in range(5000)])', 5000.0),
    ('lambda x: sum([K.sum(x) for i in range(2000)]) / 2000 / 6 * x', 1.0),
    ('lambda x: K.concatenate([x] * 3000, axis=1)[:, :3]', 1.0),
    ('lambda x: K.mean(K.stack([x + i for i in range(1000)]), axis=0)', 500.5),
    ('lambda x: x * np.linspace(-1e9, 1e9, 5)[4]', 1e9),
    ('lambda x: x * np.concatenate([np.zeros((30000,)), np.ones((30000,)), np.ones((30000,))])[-1]', 1.0),
    ('lambda x: x * np.dot(np.ones((1000, 1000)), np.ones((1000, 10)))[0, 0]', 1000.0),
    ('lambda x: x * np.array([1.5] * 3, dtype=float)', 1.5),
    ('lambda x: x * K.eye(3)[0, 0]', 1.0),
    ('lambda x: K.tile(x, (1000, 1000))[:2, :3]', 1.0),
    ('lambda x: x * len([a.pop() for a in [list(range(3000))] for i in range(3000)])', 3000.0),
    ('lambda x: x * len({str(i): i for i in range(2000)})', 2000.0),
    ('lambda x: x * (999999 in range(10**6))', 1.0),
    ('lambda x: K.map_fn(K.abs, x)', 1.0),
    ('lambda x: K.foldl(K.maximum, x) * x', 1.0),
    ('lambda x: tf.add_n([tf.multiply(x, 2.0), x])', 3.0),
    ('lambda x: sorted([3, 1, 2], key=lambda i: -i)[0] * x', 3.0),
    ('lambda x: round(2.567, 2) * x', 2.57),
    ('lambda x: {"a": 1.0}.get("a") * x', 1.0),
    ('lambda x: x * dict((i, i + 1.0) for i in range(2000))[1999]', 2000.0),
    ('lambda x: x * np.arange(12).reshape(3, 4).T.astype("float32").sum(axis=0)[0]', 6.0),
    ('lambda x: x * len(np.ones((300, 300)).tolist())', 300.0),
    ('def attack(x):\n    a = []\n    for i in range(3000):\n        a += [i]\n    return x * len(a)', 3000.0),
    (
        'def attack(x):\n    a = np.zeros((300, 300))\n    for i in range(9):\n        a += 1\n    return x * a[0, 0]',
        9.0,
    ),
    ('lambda x: tf.image.resize_bilinear(K.ones((1, 4, 4, 1)), (400, 400))[0, 0, 0, 0] * x', 1.0),
    ('lambda x: tf.pad(x, [[50, 50], [50, 50]])[50:52, 50:53]', 1.0),
    ('lambda x: tf.add_n(tf.unstack(tf.stack([x] * 100)))', 100.0),
    ('lambda x: tf.nn.lrn(tf.ones((1, 9, 9, 96)), 5, 0.0, 1.0)[0, 0, 0, 50] * x', 11**-0.5),
    ('lambda x: tf.concat(tf.split(x, 3, 1), 1)', 1.0),
]


@pytest.mark.parametrize(('source', 'value'), HONEST, ids=[source for source, value in HONEST])
def test_limits_are_for_attacks(source, value):
    """Programs that mean no harm stay far from the limits."""
    found = K.eval(function(stored(source), K)(x()))
    np.testing.assert_allclose(found, np.full((2, 3), value), rtol=1e-6)


def test_functions_of_k_that_change():
    """The tables of K are made once, and again where a function of K is another."""
    module = types.SimpleNamespace(**vars(K))
    assert K.eval(function(stored('lambda x: K.sum(x)'), module)(x())) == 6
    tables = lambdas._spaces(module)
    assert lambdas._spaces(module) is tables
    module.sum = lambda x, axis=None, keepdims=False: K.max(x, axis, keepdims)
    assert K.eval(function(stored('lambda x: K.sum(x)'), module)(x())) == 1
    assert lambdas._spaces(K) is not tables


def test_names_of_all_languages():
    """Python 3 writes the names of variables in UTF-8."""
    read = function(stored('lambda größe, maß="ü": größe * len(maß)'), K, ['ü'])
    assert read(3) == read(größe=3) == 3

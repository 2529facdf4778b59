"""The text of functions in files: it means what the original means, for the code of nine Pythons.

The texts are compiled here, in the test alone. Their truth is that of `test_lambdas`: the numbers of the original text,
run by this Python, or those of NumPy for names of TensorFlow. Where this Python can run neither (names of TensorFlow,
Python 2), the text has the syntax tree of the original.
"""

import ast
import marshal
import sys
import types

import numpy as np
import pytest
from attacks import ATTACKS, OF_PYTHON_2
from code_attacks import DATA
from lambda_sources import CASES
from mutants_of_functions import mutant
from shares import one_in
from test_lambdas import PYTHONS, RECORDED, expected, native, numbers_of

import keras_backend as K
from keras_backend.errors import KerasBackendError, RefusedCodeError, UnreadableCodeError, UnsupportedByEngine
from keras_backend.files import lambdas
from keras_backend.files.pseudo_code.source import CUT, HANDLERS, LISTED
from keras_backend.files.python_code import limits

ORDINARY = (KerasBackendError, TypeError, ValueError, LookupError, ArithmeticError, NameError)
# `try` is no statement that is recognised.
LISTINGS = ['handler']
# Texts in Python 2 whose numbers are others in this Python, which is why their syntax is compared.
IN_PYTHON_2 = {
    'old_division_of_sizes': 'lambda x: x[:, :K.int_shape(x)[1] / 2]',
    'old_division_of_tensors': 'lambda x: x * K.cast(K.shape(x)[1] / 4, K.floatx()) + x / 2',
    'old_division': 'lambda x, n=7: x * (n / 2) + 0',
    'unpacked_argument': 'lambda (a, b): a - b',
    'print_statement': "def f(x):\n    print('shape')\n    print(K.int_shape(x))\n    return x",
    'old_names': """def f(x):
    if isinstance('a', basestring) and isinstance('a', unicode) and isinstance(3, long) and 1 != 2:
        x = x * sum([i for i in xrange(4)]) + reduce(lambda a, b: a * b, [1, 2, 3])
    options = {'a': 1}
    for name, value in options.iteritems():
        x = x + value
    return x + len(map(lambda i: i, [1, 2])) + zip([1], [2])[0][1] + options.has_key('a')""",
    'lists_of_python_2': """def f(x):
    sizes = range(3) + [7] + filter(lambda i: i > 1, [1, 2, 3]) + map(abs, [-1])
    return x * sizes[-1] + sum(sizes) + round(2.5) / 2""",
    'xrange': 'lambda x: sum([x * i for i in xrange(3)])',
    'leaking_variable': 'def f(x):\n    parts = [x * i for i in range(4)]\n    return parts[1] + i',
}


def text_of(name, python):
    """The text of a recorded function."""
    code, defaults, closure = RECORDED[python][name]
    return lambdas.source(code, defaults, closure, [tuple([int(part) for part in python.split('.')])])


def function_of(text):
    """A text as one that defines `f`."""
    return '\n'.join(['f = ' + line if line.startswith('lambda') else line for line in text.split('\n')])


def code_of(text):
    """The code of the first function in a text, marshalled."""
    module = compile(text, 'text', 'exec', dont_inherit=True)
    return marshal.dumps(next(one for one in module.co_consts if isinstance(one, types.CodeType)))


def same(name, found, truth):
    options = CASES[name][2]
    if 'python' in options or truth is None or truth is UnsupportedByEngine or found is UnsupportedByEngine:
        return bool(found == truth)
    if options.get('random'):
        return found.shape == truth.shape
    return found.shape == truth.shape and np.allclose(found, truth, rtol=1e-5, atol=1e-5)


# test_lambdas.py takes the other half.
@pytest.mark.parametrize('name', one_in(4, sorted(CASES), first=1))
def test_meaning_of_texts(name):
    options = CASES[name][2]
    pythons = [python for python in PYTHONS if name in RECORDED[python]]
    texts = {}
    for python in pythons:
        text = text_of(name, python)
        if name in LISTINGS:
            assert LISTED in text
            continue
        assert LISTED not in text, python
        if python == '2.7' and name in IN_PYTHON_2:
            assert text == IN_PYTHON_2[name]
        else:
            texts.setdefault(text, python)
    for text, python in texts.items():
        if options.get('since', (3, 0)) > sys.version_info[:2]:
            continue  # syntax that this Python has not
        if 'refused' in options:
            ast.parse(text)
        elif 'truth' in options:
            read = lambdas.function(code_of(text), K, RECORDED[python][name][1], names=options.get('names'))
            found = numbers_of(name, read)
            assert found is UnsupportedByEngine or same(name, found, expected(name, python)), text
        elif options.get('native') and 'walrus' not in name and 'positional' not in name:
            # It uses attributes that tensors of other engines have.
            assert syntax(function_of(text)) == syntax(CASES[name][1])
        else:
            assert same(name, numbers_of(name, native(name, function_of(text))), expected(name, python)), text


def syntax(text):
    return ast.dump(ast.parse(text))


@pytest.mark.slow
def test_most_texts_are_those_that_people_wrote():
    """But for constants that Python computes, `continue` at the end of a branch, and brackets, they are the same."""
    count = same_count = 0
    for python in PYTHONS:
        for name in RECORDED[python]:
            try:
                original = syntax(CASES[name][1])
            except SyntaxError:  # of Python 2
                continue
            count += 1
            code, defaults, _ = RECORDED[python][name]
            text = lambdas.source(code, None if defaults is None else [_tuple(value) for value in defaults])
            same_count += LISTED not in text and 'lambda (' not in text and syntax(function_of(text)) == original
    assert same_count > 0.9 * count


def _tuple(value):
    """A default as it was before JSON made a list of it. No function of the sources has a list."""
    return tuple([_tuple(one) for one in value]) if isinstance(value, list) else value


def text(source, **given):
    """The text of a source that this Python compiled."""
    return lambdas.source(code_of(source), **given)


# As this Python writes them, the text is the source.
SAME = [
    'lambda: 0',
    'lambda x: (lambda y: y + x)(1)',
    'lambda x: sorted(x, key=lambda v: -v)[0]',
    'lambda x: -x ** 2 + (-x) ** 2 - (x - 1) - -x',
    'lambda x: (x + 1) * 2 ** -x ** (x + 1)',
    'lambda x: (x if x else 1) + (x and 2) * (x or 3)',
    'lambda x: not x == 1 and not (x or x.y)',
    'lambda x: x.y(1)(2)[3].z',
    'lambda x: (1).real + 1.5.real',
    'lambda x: x[1:2, ..., None, ::2, 1:, :-1]',
    'lambda x: x[1,] + x[()] + x[x:]',
    'lambda x: f(*x, 1, *x, a=1, **x, b=2)',
    'lambda x: [*x, 1] + [(1, 2), (x,), ()]',
    'lambda x: {x: 1, **x, 2: {x, 3}}',
    'lambda: lambda *a, b, c=1, **d: a',
    'lambda: (lambda a, /, b=1, *, c: a)()',
    'lambda x: [y for z in x if z if not x for y in z]',
    'lambda x: {a: b for a, b in x} or {a for a in x} or sum(a for a in x)',
    'lambda x: (yield x)',
    'lambda x: [i for i in (x if x else [])]',
    'lambda x: (y := x) + y',
    'lambda x: x in {1, 2, 3}',
    "lambda x: f'a{x}b{x + 1!s}{{}}'",
    "lambda x: 'a\\n\\x1b\\u202e' + b'\\x00'.z",
    'def f(x):\n    """A text of "quotes" and \\\\."""\n    return x',
    'def f(x):\n    x[1] += x\n    x[0], y = y, x[0] = x\n    return y',
    'def f(x):\n    a, b = b, a = x\n    a, b = b, a\n    (a, b), *c = x\n    return a, b, c',
    'def f(x):\n    import a\n    import a.b\n    import a.b.c as d\n    from a import b, c as e\n'
    '    from .. import g\n    return a',
    'def f(x):\n    @x.y\n    @x\n    def g(y: int, z=1) -> x:\n        nonlocal x\n        x = y\n'
    '        return x\n    return g',
    'def f(x):\n    for i, (j, x[0]) in x:\n        for k in i:\n            if k:\n'
    '                break\n            j()\n        else:\n            continue_\n    return x',
    'def f(x):\n    while x:\n        x -= 1\n        if x == 5:\n            break\n    else:\n'
    '        x = 3\n    return x',
    'def f(x):\n    while True:\n        x -= 1\n        if x == 5:\n            break\n    return x',
    'def f(x):\n    while x and (x > 1 or x < 0):\n        x += 1\n    return x',
    'def f(x):\n    if x:\n        pass\n    return x',
    'def f(x):\n    assert x > 1, x\n    assert x\n    raise x from x.y',
    'def f(x):\n    yield x\n    y = yield x, 1\n    return y',
    'def f(x):\n    y = [i for i in x]\n    del x\n    return y',
]


# Python 3.10 copies a short end of a function into each branch before it, so that the code says it twice.
TWICE = {'lambda x: [i for i in (x if x else [])]': 'lambda x: [i for i in x] if x else [i for i in []]'}


def is_of_this_python(source):
    """Whether this Python has the syntax of a text."""
    try:
        return bool(compile(source, '', 'exec'))
    except SyntaxError:
        return False


def with_names(code, names):
    """The code with other names of globals and attributes."""
    if sys.version_info >= (3, 8):
        return code.replace(co_names=names)
    parts = (
        'argcount kwonlyargcount nlocals stacksize flags code consts names varnames filename name firstlineno lnotab'
    )
    values = [getattr(code, f'co_{part}') for part in [*parts.split(), 'freevars', 'cellvars']]
    values[7] = names
    return types.CodeType(*values)


@pytest.mark.parametrize('source', [source for source in SAME if is_of_this_python(source)])
def test_text_is_the_source(source):
    found = text(source)
    wanted = TWICE.get(source, source) if sys.version_info[:2] == (3, 10) else source
    assert syntax(found) == syntax(wanted), found


def test_text_has_no_more_brackets_than_the_source():
    for source in SAME[:8]:
        assert text(source) == source


def test_values_beside_a_function():
    """Defaults and the values of closures are shown, and long and unknown ones are not."""
    source = 'def outer(scale, name):\n    def f(x, a, b=1):\n        return x * scale + len(name)\n    return f'
    outer = compile(source, '', 'exec').co_consts[0]
    inner = next(one for one in outer.co_consts if isinstance(one, types.CodeType))
    found = lambdas.source(marshal.dumps(inner), [[1.5, None]], ['\x1b[2J', 2])
    assert found.split('\n')[:3] == ["name = '\\x1b[2J'", 'scale = 2', 'def f(x, a, b=[1.5, None]):']
    found = lambdas.source(marshal.dumps(inner), [object(), {'a': (1,)}], ['a' * 10000, float('nan')])
    assert 'a=... ' not in found
    assert "a='... a value of the kind object', b={'a': (1,)}" in found
    assert '10000 characters' in found
    assert len(found) < 1000


def test_names_that_are_no_names():
    """A name of byte code may be any text, for instance one that looks like harmless code."""
    inner = compile('lambda x: evil(x)', '', 'eval').co_consts[0]
    for word in ('x) # (', 'a.b', 'lambda', '', '\uff25vil'):
        found = lambdas.source(marshal.dumps(with_names(inner, (word,))))
        assert LISTED in found
        assert found.isprintable() or '\n' in found


def test_variables_of_other_functions():
    """A global name that is a variable in the text would mean the variable there."""
    inner = compile('lambda x: x + y', '', 'eval').co_consts[0]
    assert LISTED in lambdas.source(marshal.dumps(with_names(inner, ('x',))))


def test_text_with_names_of_all_languages():
    assert text('lambda größe: größe * maß') == 'lambda größe: größe * maß'


def test_handlers_are_told():
    """Python 3.11 and later keep them beside the code, which is read without them. Before, they are instructions."""
    source = 'def f(x):\n    try:\n        return x\n    except ValueError:\n        return 1'
    assert (HANDLERS if sys.version_info >= (3, 11) else LISTED) in text(source)


def test_python_of_a_function():
    for python in PYTHONS:
        assert tuple([int(part) for part in python.split('.')]) in lambdas.python_of(RECORDED[python]['whiten'][0])


def nested(count):
    """Functions in functions, each made several times."""
    made = 'lambda: 1'
    for _ in range(count):
        made = f'lambda: [{made}, {made}]'
    return made


LARGE = {
    'branches': 'def f(x):\n' + '    if x == 1:\n        x = 2\n' * 450,
    'branches_in_branches': 'def f(x):\n    if x:\n        x = 2\n' + '    elif x == 3:\n        x = 4\n' * 400,
    'returns': 'def f(x):\n' + '    if x == 1: return x + 2\n' * 450,
    'tests': 'lambda x: ' + ' and '.join([f'x > {i % 50}' for i in range(400)]),
    'mixed_tests': 'lambda x: ' + ' or '.join(['x and y'] * 400),
    'loops': 'def f(x):\n' + '    for i in x:\n        if i: continue\n        x += 1\n' * 150,
    'while': 'def f(x):\n' + '    while x < 3:\n        x += 1\n        if x == 3: break\n' * 150,
    'sum': 'lambda x: ' + ' + '.join('x' * 800),
    'calls': 'lambda x: ' + 'f(' * 80 + 'x' + ')' * 80,
    'lines': 'def f(x):\n' + '    x = x + 1\n' * 2500,
    'long_text': 'lambda x: "' + 'a' * 100000 + '"',
    'long_tuple': 'lambda x: (' + '"a", ' * 9000 + ')',
    'functions': 'def f(x):\n' + '    x = (lambda y: y)(x)\n' * 300,
    'functions_in_functions': nested(7),
}


@pytest.mark.slow
@pytest.mark.parametrize('name', LARGE)
def test_large_functions(name):
    """They end, and their text is short or says that it is cut."""
    found = text(LARGE[name])
    assert len(found) < 110_000
    if LISTED not in found and CUT not in found:
        ast.parse(found)


def checked(data):
    """The text of data, None where it is no function. A terminal shows it as it is."""
    try:
        found = lambdas.source(data)
    except UnreadableCodeError:
        return None
    assert all([line.isprintable() for line in found.split('\n')])
    assert len(found) < 110_000
    if LISTED not in found and CUT not in found and ('/' not in found or sys.version_info >= (3, 8)):
        ast.parse(found)
    return found


@pytest.mark.filterwarnings('ignore:.*not callable')
def test_text_of_attacks():
    """Functions that want to get out have a text, too: it shows what they want."""
    listed = 0
    for source in [*ATTACKS.values(), *OF_PYTHON_2.values()]:
        listed += LISTED in checked(code_of(source))
    assert listed < 0.05 * len(ATTACKS)
    assert checked(code_of(ATTACKS['dunder_bases'])) == ATTACKS['dunder_bases']


@pytest.mark.parametrize('name', DATA)
def test_text_of_byte_code(name):
    checked(DATA[name]() if callable(DATA[name]) else DATA[name])


def outcome(read):
    """What a function gives, or the type of its error."""
    x = K.constant(np.arange(6.0).reshape(2, 3))
    arguments = [x, 2, [x, x], (1, 'a'), {'a': x}, 1.5]
    count = read.code.argcount
    try:
        found = read(*(arguments * (count // 6 + 1))[:count])
        return 'function' if isinstance(found, lambdas.Function) else repr(numbers_in(found))[:300]
    except ORDINARY as error:
        return type(error)


def numbers_in(value):
    if isinstance(value, (list, tuple)):
        return [numbers_in(one) for one in value]
    return K.eval(value).tolist() if K.is_tensor(value) else value


# Codes that no compiler writes, whose text means nearly the same: the interpreter has no `''.join`, says otherwise that
# something is not allowed, or finds it earlier.
NEARLY = ("''.join", 'slice(', '**')


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('first', one_in(6, range(0, 3000, 500)))
def test_text_of_mutants(first, monkeypatch):
    """The texts of functions that were changed at random do what the functions do, where they are no listings."""
    for limit, value in (('MOST_STEPS', 5000), ('MOST_ELEMENTS', 50000), ('MOST_OF_ARRAYS', 100000)):
        monkeypatch.setattr(limits, limit, value)
    count = 0
    for seed in range(first, first + 500):
        data = mutant(seed)
        found = checked(data)
        if found is None or LISTED in found or CUT in found or HANDLERS in found:
            continue
        try:
            read = lambdas.function(data, K)
        except RefusedCodeError:  # a variable is not there
            continue
        if read.world.program.is_python_2 or any([one in found for one in NEARLY]):
            continue
        if '/' in found and sys.version_info < (3, 8):  # perhaps that behind arguments
            continue
        assert outcome(read) == outcome(lambdas.function(code_of(found), K)), (seed, found)
        count += 1
    K.clear_session()
    assert count > 10

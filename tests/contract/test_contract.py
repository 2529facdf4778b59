"""The contract against the list of names and signatures it was written from, and the files made from it."""

import ast
import doctest
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
import warnings

import pytest
from checkout import ROOT, TESTS

import keras_backend.contract
from keras_backend.binding import bind
from keras_backend.contract import ADDED, CONTRACT, REQUIRED, SETTINGS, TOPICS, kinds
from keras_backend.contract.kinds import Kind, kind_of
from keras_backend.front.base import Api

CONTRACT_FOLDER = os.path.dirname(keras_backend.contract.__file__)

# The order numpydoc asks for.
SECTIONS = ['Parameters', 'Returns', 'Raises', 'See Also', 'Notes', 'References', 'Examples']

with open(os.path.join(TESTS, 'data', 'api.json'), encoding='utf-8') as file:
    SIGNATURES = json.load(file)

every_name = pytest.mark.parametrize('name', list(CONTRACT))


def sections(name):
    """{title: lines} of a docstring; what stands before the first title is under None."""
    lines = inspect.cleandoc(CONTRACT[name].doc).splitlines()
    found, title = {None: []}, None
    for line, following in zip(lines, lines[1:] + ['']):
        if following and set(following) == {'-'}:
            title = line
            assert len(following) == len(title)
            found[title] = []
        elif not (line and set(line) == {'-'}):
            found[title].append(line)
    return found


def items(lines):
    """The lines of a section that begin an entry, such as 'x : tensor'."""
    return [line for line in lines if line and not line.startswith(' ')]


# -- names and signatures ----------------------------------------------------------------------------------------------


def test_names_of_the_contract():
    """The contract holds the names of the API. It may hold more."""
    assert len(SIGNATURES) == 162
    assert set(SIGNATURES) <= set(CONTRACT)


@pytest.mark.parametrize('name', list(SIGNATURES))
def test_signature(name):
    """A name has the signature of the API, argument by argument and default by default, but for later arguments."""
    whole = CONTRACT[name].signature
    kept = [p for p in whole.parameters.values() if p.name not in ADDED.get(name, ())]
    assert SIGNATURES[name] == name + str(whole.replace(parameters=kept))
    assert all(whole.parameters[later].default is None for later in ADDED.get(name, ()))


@every_name
def test_entry(name):
    """An entry knows its name, topic, category and arguments."""
    entry = CONTRACT[name]
    assert (name, name) == (entry.name, entry.function.__name__)
    assert 'keras_backend.contract.' + entry.topic == entry.function.__module__
    assert entry.category == sys.modules[entry.function.__module__].TITLE
    arguments = [p.name for p in entry.signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert arguments == list(entry.parameters)


def test_special_names_are_names():
    """Settings and required names are names of the contract."""
    assert set(SETTINGS) | set(REQUIRED) <= set(CONTRACT)


def test_topics_hold_stubs_only():
    """A topic file holds a docstring, a title and functions of one statement, so that nothing is said twice."""
    for module in TOPICS:
        with open(module.__file__, encoding='utf-8') as source:
            docstring, *imports = ast.parse(source.read()).body
        place = [isinstance(statement, ast.ImportFrom) for statement in imports].index(False)
        title, *functions = imports[place:]
        assert isinstance(docstring, ast.Expr)
        assert isinstance(title, ast.Assign)
        for function in functions:
            assert isinstance(function, ast.FunctionDef)
            assert [ast.Expr, ast.Return] == [type(statement) for statement in function.body]


def test_import_is_light():
    """The contract is on the way of `import keras_backend`, so it loads neither NumPy nor inspect."""
    program = (
        'import sys, types\n'
        'package = types.ModuleType("keras_backend"); package.__path__ = [sys.argv[1]]\n'
        'sys.modules["keras_backend"] = package\n'
        'import keras_backend.contract\n'
        'print([name for name in ("numpy", "inspect") if name in sys.modules])\n'
    )
    output = subprocess.check_output([sys.executable, '-S', '-E', '-c', program, os.path.dirname(CONTRACT_FOLDER)])
    assert '[]' == output.decode().strip()


# -- docstrings --------------------------------------------------------------------------------------------------------


@every_name
def test_docstring_form(name):
    """A docstring begins with a one-line summary and has known sections in the usual order."""
    found = sections(name)
    summary, *rest = found.pop(None)
    assert summary.endswith('.')
    assert len(summary) <= 110
    assert not any(rest)
    assert [title for title in SECTIONS if title in found] == list(found)
    assert all(any(lines) for lines in found.values())


@every_name
def test_docstring_parameters(name):
    """The section Parameters describes exactly the arguments, in order, and says which are optional."""
    parameters = CONTRACT[name].signature.parameters.values()
    described = items(sections(name).get('Parameters', []))
    stars = {inspect.Parameter.VAR_KEYWORD: '**'}
    assert [stars.get(p.kind, '') + p.name for p in parameters] == [line.split(' : ')[0] for line in described]
    for parameter, line in zip(parameters, described):
        if parameter.kind is not parameter.VAR_KEYWORD:
            assert ' : ' in line
            assert (parameter.default is not parameter.empty) == line.endswith(', optional')


@every_name
def test_docstring_returns(name):
    """The section Returns says what comes back; what sets something gives None."""
    returns = items(sections(name)['Returns'])
    assert returns
    if name.startswith('set_') or name in ('batch_set_value', 'clear_session', 'reset_uids'):
        assert ['None'] == returns


@every_name
def test_docstring_references_to_names(name):
    """Names of K that a docstring mentions exist."""
    mentioned = set(re.findall(r'\bK\.(\w+)', CONTRACT[name].doc))
    also = {line.split(' : ')[0] for line in items(sections(name).get('See Also', []))}
    assert mentioned | also <= set(CONTRACT)


@every_name
def test_docstring_example(name):
    """There are examples: they compile, call the function, and print nothing that differs between NumPy versions."""
    text = '\n'.join(sections(name)['Examples'])
    examples = doctest.DocTestParser().get_examples(text)
    assert f'K.{name}(' in ''.join(example.source for example in examples)
    for example in examples:
        compile(example.source, name, 'single')
        assert not re.search(r'array\(|dtype|<|np\.', example.want)


# -- type stubs --------------------------------------------------------------------------------------------------------


def load_make_stubs():
    return runpy.run_path(os.path.join(ROOT, 'tools', 'make_stubs.py'))


def test_stubs_are_up_to_date():
    """keras_backend/__init__.pyi is what tools/make_stubs.py makes of the contract."""
    tool = load_make_stubs()
    with open(tool['STUBS'], encoding='utf-8') as stubs:
        assert tool['render']() == stubs.read(), 'run: python tools/make_stubs.py'


def test_stubs_have_the_names():
    """The type stubs take each name from the file that defines it, and its docstring with it."""
    with open(load_make_stubs()['STUBS'], encoding='utf-8') as stubs:
        tree = ast.parse(stubs.read())
    places = {
        alias.asname: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    defined = {name: f'contract.{entry.topic}' for name, entry in CONTRACT.items()}
    others = {'compare': 'comparison', 'export': 'exporting.export', 'load': 'loader', 'Tensor': 'contract.kinds'}
    assert {**defined, **others, 'errors': None} == places
    assert ['supports'] == [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


@every_name
def test_arguments_have_kinds(name):
    """Each argument says its kind, as it is or as Optional, and None is possible where it is the default."""
    entry = CONTRACT[name]
    for parameter in entry.parameters:
        kind, optional = kind_of(entry.function.__annotations__[parameter])
        assert isinstance(kind, Kind), parameter
        if parameter in entry.defaults and entry.defaults[parameter] is None:
            assert optional or kind is kinds.Anything, parameter
    assert 'return' in entry.function.__annotations__


def test_kinds_are_used():
    """No kind is said for nothing, and each has a type for type checkers."""
    used = {
        kind_of(entry.function.__annotations__[parameter])[0]
        for entry in CONTRACT.values()
        for parameter in entry.parameters
    }
    assert {kind for kind in vars(kinds).values() if isinstance(kind, Kind)} == used


# -- first-generation spellings ----------------------------------------------------------------------------------------


def call(*args, **kwargs):
    return args, kwargs


class Spy(Api):
    """An engine whose functions return the arguments that they get."""

    name = title = 'spy'
    checked = False


for _name in CONTRACT:
    setattr(Spy, _name, staticmethod(lambda *args, **kwargs: (args, kwargs)))
SPY = {'__name__': 'spies'}
bind(Spy(), SPY)


# Name, call in the old spelling, the same call today, what the warning has to say.
SPELLINGS = [
    (
        'batch_normalization',
        call('x', 'm', std=3.0, beta='b', gamma='g'),
        call('x', 'm', 9.0, 'b', 'g'),
        'std= is now var=',
    ),
    ('batch_normalization', call('x', 'm', 3.0, 'b', 'g', 0.5), call('x', 'm', 9.0, 'b', 'g', epsilon=0.5), 'now var'),
    (
        'resize_images',
        call(X='x', height_factor=2, width_factor=3, dim_ordering='th'),
        call('x', 2, 3, 'channels_first'),
        "X= is now x=, dim_ordering= is now data_format=, 'th' is now 'channels_first'",
    ),
    ('resize_images', call('x', 2, 3, 'tf'), call('x', 2, 3, 'channels_last'), "'tf' is now 'channels_last'"),
    (
        'resize_volumes',
        call(X='x', depth_factor=1, height_factor=2, width_factor=3, dim_ordering='tf'),
        call('x', 1, 2, 3, 'channels_last'),
        'X= is now x=',
    ),
    ('expand_dims', call('x', dim=1), call('x', 1), 'dim= is now axis='),
    ('temporal_padding', call('x', 2), call('x', (2, 2)), 'padding=n is now padding=(n, n)'),
    ('temporal_padding', call('x', padding=2), call('x', (2, 2)), 'padding=n is now padding=(n, n)'),
    ('spatial_2d_padding', call('x', (1, 2), 'th'), call('x', ((1, 1), (2, 2)), 'channels_first'), '((m, m), (n, n))'),
    (
        'spatial_3d_padding',
        call('x', padding=(1, 2, 3), dim_ordering='tf'),
        call('x', ((1, 1), (2, 2), (3, 3)), 'channels_last'),
        'dim_ordering= is now data_format=',
    ),
    ('batch_get_value', call(xs=['v']), call(['v']), 'xs= is now ops='),
    (
        'conv2d',
        call(
            'x',
            'k',
            border_mode='same',
            dim_ordering='th',
            image_shape=(1, 1, 5, 5),
            filter_shape=None,
            filter_dilation=(2, 2),
        ),
        call('x', 'k', padding='same', data_format='channels_first', dilation_rate=(2, 2)),
        'border_mode= is now padding=',
    ),
    (
        'conv2d',
        call('x', 'k', (2, 2), 'same', 'th', (None, 1, 5, 5), None, (2, 1)),
        call('x', 'k', (2, 2), 'same', 'channels_first', (2, 1)),
        'image_shape is no longer needed',
    ),
    (
        'conv2d',
        call('x', 'k', (2, 2), 'same', 'channels_last', None),
        call('x', 'k', (2, 2), 'same', 'channels_last'),
        'image_shape is no longer needed',
    ),
    (
        'conv2d',
        call('x', 'k', (2, 2), 'same', 'tf', (2, 1)),
        call('x', 'k', (2, 2), 'same', 'channels_last', (2, 1)),
        "'tf' is now 'channels_last'",
    ),
    (
        'conv3d',
        call('x', 'k', (2, 2, 2), 'same', 'tf', (None, 5, 5, 5, 1), (3, 3, 3, 1, 1)),
        call('x', 'k', (2, 2, 2), 'same', 'channels_last'),
        'filter_shape is no longer needed',
    ),
    (
        'conv3d',
        call('x', 'k', border_mode='same', dim_ordering='th', volume_shape=None, filter_shape=None),
        call('x', 'k', padding='same', data_format='channels_first'),
        'volume_shape is no longer needed',
    ),
    (
        'pool2d',
        call('x', (2, 2), border_mode='same', dim_ordering='th'),
        call('x', (2, 2), padding='same', data_format='channels_first'),
        'border_mode= is now padding=',
    ),
    ('bias_add', call('x', 'b', data_format='th'), call('x', 'b', 'channels_first'), "'th' is now 'channels_first'"),
]


@pytest.mark.parametrize(('name', 'old', 'new', 'phrase'), SPELLINGS)
def test_adapter_takes_old_spelling(name, old, new, phrase):
    """A first-generation call does what today's call does, with one warning at the caller's line that names both."""
    function = SPY[name]
    with pytest.warns(DeprecationWarning, match=f'K.{name}: ') as record:
        assert function(*new[0], **new[1]) == function(*old[0], **old[1])
    assert 1 == len(record)
    assert __file__ == record[0].filename
    message = str(record[0].message)
    assert message.startswith(f'K.{name}: ')
    assert phrase in message


ADAPTED = [
    name for name, entry in CONTRACT.items() if name not in SETTINGS and {'data_format', 'ops'} & set(entry.parameters)
]
ADAPTED += ['batch_normalization', 'expand_dims', 'temporal_padding']


@every_name
def test_adapted_functions(name):
    """Functions with an old spelling say so, and all have the signature and docstring of the contract."""
    assert (name in ADAPTED) == CONTRACT[name].is_legacy
    assert CONTRACT[name].signature == inspect.signature(SPY[name])
    assert CONTRACT[name].doc == SPY[name].__doc__


@pytest.mark.parametrize('name', ADAPTED)
def test_modern_call_is_silent(name):
    """A call in today's spelling gives no warning and arrives unchanged, positional or by keyword."""
    arguments = [p.name if p.default is p.empty else p.default for p in CONTRACT[name].signature.parameters.values()]
    keywords = dict(zip(CONTRACT[name].parameters, arguments))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert (tuple(arguments), {}) == SPY[name](*arguments) == SPY[name](**keywords)


@pytest.mark.parametrize(
    ('name', 'old'),
    [
        ('conv2d', call('x', 'k', border_mode='same', padding='same')),
        ('conv2d', call('x', 'k', (1, 1), 'same', border_mode='same')),
        ('conv3d', call('x', 'k', data_format='channels_last', dim_ordering='tf')),
        ('expand_dims', call('x', 1, dim=1)),
        ('batch_normalization', call('x', 'm', 2.0, std=2.0, beta=None, gamma=None)),
        ('batch_get_value', call([], xs=[])),
    ],
)
def test_adapter_refuses_both_spellings(name, old):
    """Giving an argument by its old and its new name is a TypeError that names both."""
    with pytest.raises(TypeError, match='the old and the new name'):
        SPY[name](*old[0], **old[1])


def test_unknown_keyword_is_left_to_the_function():
    """What is no spelling of any generation fails as for any function."""
    with pytest.raises(TypeError, match='nonsense'):
        SPY['conv2d']('x', 'k', nonsense=1)


def test_one_warning_per_call_site():
    """Under Python's default filter a call site warns once however often it runs, and a second one warns again."""
    expand_dims = SPY['expand_dims']
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter('default')
        for dim in range(3):
            expand_dims('x', dim=dim)
        expand_dims('x', dim=0)
    assert 2 == len(record)

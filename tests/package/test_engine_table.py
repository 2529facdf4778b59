"""The table of engines says what the folders, pyproject.toml, tox.ini and the workflow say."""

import configparser
import itertools
import os
import re

import pytest
from checkout import ROOT
from processes import ENGINE

from keras_backend import loader
from keras_backend.engines import table
from keras_backend.engines.table import ENGINES, Pythons

PYTHONS = [(3, minor) for minor in range(6, 16)]
# Extras of pyproject.toml that belong to no engine.
OTHER_EXTRAS = {'sparse', 'notebooks', 'files', 'export', 'examples', 'test', 'keras2', 'keras3', 'tf-keras', 'docs'}
# Environments of tox in which none of our engines runs, or several of them.
OTHER_ENVIRONMENTS = ['lint', 'docs', 'readme', 'original', 'original224', 'py313-engines', 'py313-tfkeras']
OTHER_ENVIRONMENTS += [f'py313-keras3-{name}' for name in ('tensorflow', 'jax', 'torch')]


def text(*path):
    """The text of a file of the checkout."""
    with open(os.path.join(ROOT, *path), encoding='utf-8') as stream:
        return stream.read()


# -- the entries -------------------------------------------------------------------------------------------------------


def test_every_folder_has_an_entry():
    """The engines of the table are the folders beside it."""
    beside = os.path.dirname(table.__file__)
    folders = [name for name in os.listdir(beside) if os.path.isfile(os.path.join(beside, name, '__init__.py'))]
    # That of Keras 3 is chosen by an import; KERAS_BACKEND belongs to Keras there.
    named = {engine.module for engine in ENGINES.values()}
    assert named | {table.INSIDE_KERAS_3} == {f'keras_backend.engines.{name}' for name in folders}


def test_engine_says_what_the_table_says():
    """The engine that is tested here has the name and the title of its entry."""
    info = loader.load(ENGINE)._engine
    assert (ENGINE, ENGINES[ENGINE].title) == (info.name, info.title)


@pytest.mark.parametrize(
    ('pythons', 'words', 'included'),
    [
        (Pythons((3, 9)), 'Python 3.9 or later', [(3, 9), (3, 10), (4, 0)]),
        (Pythons((3, 8), (3, 9)), 'Python 3.8 to 3.9', [(3, 8), (3, 9)]),
        (Pythons((3, 8), (3, 8)), 'Python 3.8', [(3, 8)]),
    ],
)
def test_pythons(pythons, words, included):
    """A range of Pythons says in words what it is, and which versions are in it."""
    assert words == str(pythons)
    assert included == [version for version in ((3, 7), (3, 8), (3, 9), (3, 10), (4, 0)) if pythons.include(version)]


# -- pyproject.toml ----------------------------------------------------------------------------------------------------


def requirements(section, key):
    """The requirements in a list of pyproject.toml, as tuples (distribution, marker)."""
    part = re.search(rf'^\[{re.escape(section)}\]$(.*?)(?=^\[)', text('pyproject.toml'), re.M | re.S).group(1)
    listed = re.search(rf'^{key} = \[\n(.*?)^\]', part, re.M | re.S).group(1)
    found = re.findall(r'^ *"([\w.-]+)([^";]*)(?:; *([^"]*))?"', listed, re.M)
    assert found
    return [(name, marker) for name, _versions, marker in found]


def holds(marker, version):
    """Whether a marker such as python_version < '3.12' holds on a Python."""
    if not marker:
        return True
    operator, wanted = re.fullmatch(r"python_version (<|>=|==) '([\d.]+)'", marker).groups()
    wanted = tuple(int(part) for part in wanted.split('.'))
    return {'<': version < wanted, '>=': version >= wanted, '==': version == wanted}[operator]


def test_extras():
    """pyproject.toml has the extras of the engines, and no others but those known here."""
    part = text('pyproject.toml').partition('[project.optional-dependencies]')[2].partition('\n[')[0]
    extras = re.findall(r'^([\w-]+) = \[', part, re.M)
    assert sorted(extras) == sorted(OTHER_EXTRAS.union(*[engine.extras for engine in ENGINES.values()]))


@pytest.mark.parametrize('name', ENGINES)
def test_extras_install_the_library(name):
    """On each Python an extra of an engine installs the library that the table has for it, and on others none."""
    engine = ENGINES[name]
    lists = [requirements('project.optional-dependencies', extra) for extra in engine.extras]
    for listed in lists or [requirements('project', 'dependencies')]:
        for version in PYTHONS:
            given = {wanted for wanted, marker in listed if holds(marker, version)}
            for library in engine.libraries:
                assert library.pythons.include(version) == bool(given & set(library.distributions)), (version, library)


def test_oldest_python():
    """An engine runs on the oldest Python that this package asks for, and no library on an older one."""
    oldest = re.search(r'requires-python = ">=([\d.]+)"', text('pyproject.toml')).group(1)
    versions = [library.pythons.oldest for engine in ENGINES.values() for library in engine.libraries]
    assert oldest == '{}.{}'.format(*min(versions))


# -- tox.ini -----------------------------------------------------------------------------------------------------------


def expanded(words):
    """What the braces of tox stand for: 'py{36, 313}-numpy' is ['py36-numpy', 'py313-numpy']."""
    found = []
    for word in re.findall(r'(?:[^\s,{}]|\{[^{}]*\})+', words):
        parts = [part.strip('{}').split(',') if part[:1] == '{' else [part] for part in re.split(r'(\{.*?\})', word)]
        found += [''.join(choice).replace(' ', '') for choice in itertools.product(*parts)]
    return found


def tox():
    """{name of an environment: its settings} for the environments of tox.ini, without that of the linters."""
    parser = configparser.RawConfigParser()
    parser.read_string(text('tox.ini'))
    sections = {}
    for section in parser.sections():
        for name in expanded(section.partition(':')[2]):
            sections[name] = dict(parser['testenv'], **dict(parser[section]))
    names = [name for name in expanded(parser['tox']['env_list']) if name not in OTHER_ENVIRONMENTS]
    return {name: sections.get(name, dict(parser['testenv'])) for name in names}


def lines(environment, name, key):
    """The lines of a setting that hold for an environment, with their conditions taken off."""
    found = []
    for line in environment[key].splitlines():
        condition, colon, rest = line.partition(': ')
        if not colon or not re.fullmatch(r'[\w{},]+', condition):
            found.append(line.strip())
        elif set(expanded(condition)) & set(name.split('-')):
            found.append(rest.strip())
    return found


ENVIRONMENTS = tox()


def python_of(name):
    """The Python of an environment: 'py313-numpy' has (3, 13)."""
    digits = re.search(r'\bpy(\d)(\d+)\b', name)
    return int(digits.group(1)), int(digits.group(2))


def engine_of(name):
    """The engine of an environment: its KERAS_BACKEND, for clients the module."""
    values = [
        line.partition(' = ')[2] for line in lines(ENVIRONMENTS[name], name, 'set_env') if 'KERAS_BACKEND' in line
    ]
    assert 1 == len(values), name
    return next(engine for engine in ENGINES.values() if values[0] in (engine.name, engine.module))


@pytest.mark.parametrize('name', ENVIRONMENTS)
def test_environment(name):
    """An environment of tox runs on an engine of the table, installs it, on a Python that it has a library for."""
    engine = engine_of(name)
    assert any(library.pythons.include(python_of(name)) for library in engine.libraries)
    if engine.extras:
        assert set(engine.extras) & set(lines(ENVIRONMENTS[name], name, 'extras'))
    if not name.startswith('clients-'):
        commands = lines(ENVIRONMENTS[name], name, 'commands')
        # pytest by itself, in the checkout, runs the conformance tests on NumPy, too: a share of them.
        by_itself = r'^pytest --rotate=\S+ {posargs}$'
        check = rf'{{\[suite\]check}} {engine.name}( -|$)|-m keras_backend check {engine.name}$|{by_itself}'
        assert [line for line in commands if re.search(check, line)]


@pytest.mark.parametrize('backend', ['tensorflow', 'jax', 'torch'])
def test_environment_inside_keras_3(backend):
    """An environment inside Keras 3 runs the conformance tests on the engine of the table, on its backend."""
    parser = configparser.RawConfigParser()
    parser.read_string(text('tox.ini'))
    settings, name = dict(parser['testenv:py313-keras3-{tensorflow,jax,torch}']), f'py313-keras3-{backend}'
    check = f'{{[suite]check}} {table.INSIDE_KERAS_3}'
    assert 1 == len([line for line in lines(settings, name, 'commands') if line.startswith(check)])
    assert f'KERAS_BACKEND = {backend}' in lines(dict(parser['testenv']), name, 'set_env')
    assert backend in ''.join(lines(settings, name, 'extras'))


@pytest.mark.parametrize('name', ENGINES)
def test_engine_is_tested(name):
    """tox tests each library of an engine, on the oldest Python that the table has for the engine."""
    pythons = [python_of(each) for each in ENVIRONMENTS if engine_of(each).name == name]
    assert min(library.pythons.oldest for library in ENGINES[name].libraries) in pythons
    for library in ENGINES[name].libraries:
        assert any(library.pythons.include(version) for version in pythons)


@pytest.mark.skipif(not os.path.isdir(os.path.join(ROOT, '.github')), reason='is not in the source distribution')
def test_workflow_runs_all_environments():
    """The workflow runs every environment of tox."""
    listed = re.findall(r'environment: ([\w-]+), python: "([\d.]+)"', text('.github', 'workflows', 'ci.yml'))
    assert sorted(list(ENVIRONMENTS) + OTHER_ENVIRONMENTS) == sorted(name for name, _ in listed)
    for name, python in listed:
        if name in ENVIRONMENTS:
            assert '{}.{}'.format(*python_of(name)) == python

"""What holds for the files of the tests: one name for one test, and folders that conftest.py can choose."""

import ast
import collections
import os
import re

from checkout import ROOT, TESTS

from keras_backend.contract import CONTRACT

CONFORMANCE = os.path.join(ROOT, 'keras_backend', 'conformance')


def modules(folder):
    """Paths of the modules of tests below `folder`."""
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if name.startswith('test_') and name.endswith('.py'))


_TEST = re.compile(r'^ *(?:async )?def (test_\w+)', re.MULTILINE)


def written(path):
    """The names of the tests in a module, and of those in the programs that it writes out."""
    with open(path, encoding='utf-8') as stream:
        return _TEST.findall(stream.read())


def functions(path):
    """The names of the tests in a module."""
    with open(path, encoding='utf-8') as stream:
        tree = ast.parse(stream.read())
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith('test_')]


def test_names_of_tests_are_unique():
    """The name of a failing test leads to one function: no other own test has it, and no conformance test."""
    places = collections.defaultdict(list)
    for path in modules(TESTS):
        for name in written(path):
            places[name].append(path)
    conformance = {name for path in modules(CONFORMANCE) for name in written(path)}
    assert 500 < len(places)
    assert 300 < len(conformance)
    twice = {name: paths for name, paths in places.items() if len(paths) > 1 or name in conformance}
    # A name in a program is none of ours. To tell, a module is parsed, which takes longer.
    own = {path: functions(path) for paths in twice.values() for path in paths}
    twice = {
        name: [path for path in sorted(set(paths)) for _ in range(own[path].count(name))]
        for name, paths in twice.items()
    }
    assert {} == {name: paths for name, paths in twice.items() if len(paths) > (name not in conformance)}


def test_names_of_test_modules_are_unique():
    """Modules of tests and their helpers are imported by their bare names, so two of one name would be one."""
    places = {os.path.dirname(path) for path in modules(TESTS)} | {
        os.path.join(TESTS, 'tools'),
        os.path.join(ROOT, 'tools'),
    }
    names = [name for place in places for name in os.listdir(place) if name.endswith('.py')]
    # Nobody imports a record.py: it is a command.
    counts = collections.Counter(name for name in names if name not in ('__init__.py', 'conftest.py', 'record.py'))
    assert {'test_house.py', 'checkout.py', 'coverage_by_room.py'} <= set(counts)
    assert [] == [name for name, count in counts.items() if count > 1]


def test_folders_of_engines():
    """Every engine has a folder of tests, every such folder an engine, and nothing else lies among them."""
    engines = os.listdir(os.path.join(ROOT, 'keras_backend', 'engines'))
    wanted = {name[: -len('_backend')] for name in engines if name.endswith('_backend')}
    assert wanted == {name for name in os.listdir(os.path.join(TESTS, 'engines')) if name != '__pycache__'}


def test_programs_inside_strings_import_what_is_there():
    """The lines that import from the package, in the programs that tests and tools write out, lead somewhere.

    A module that moves is a red test at once, rather than in the environment that starts the program.
    """
    # The tests of "How to add" make these.
    written = ['keras_backend.engines.autograd_backend', 'keras_backend.exporting.steps']
    lost, seen = [], 0
    for folder in (TESTS, CONFORMANCE, os.path.join(ROOT, 'tools'), os.path.join(ROOT, 'benchmarks')):
        for path in python_files(folder):
            for line in set(_IMPORTED.findall(lines(path))):
                seen += 1
                lost += [f'{os.path.relpath(path, ROOT)}: {name}' for name in missing(*line) if name not in written]
    assert 100 < seen
    assert [] == lost


_NAME = r'\w+(?: as \w+)?'
_IMPORTED = re.compile(rf'^[ \'"]*from (keras_backend\.[\w.]+) import ({_NAME}(?:, *{_NAME})*)', re.MULTILINE)


def python_files(folder):
    """Paths of all Python files below `folder`."""
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if name.endswith('.py'))


def lines(path):
    """The text of a file with the ends of lines inside strings as ends of lines, so that programs are seen, too."""
    with open(path, encoding='utf-8') as stream:
        return stream.read().replace('\\n', '\n')


def missing(module, names):
    """What of `from module import names` is not there, read from the files alone."""
    place = os.path.join(ROOT, *module.split('.'))
    folder = os.path.isdir(place)
    path = os.path.join(place, '__init__.py') if folder else place + '.py'
    if not os.path.isfile(path):
        return [module]
    with open(path, encoding='utf-8') as stream:
        words = set(re.findall(r'\w+', stream.read()))
    if module.endswith('_backend'):  # an engine has the functions of K
        words |= set(CONTRACT)
    beside = {os.path.splitext(name)[0] for name in os.listdir(place)} if folder else set()
    return [f'{module}.{name}' for name in re.findall(r'(\w+)(?: as \w+)?', names) if name not in words | beside]

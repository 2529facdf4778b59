"""What a change can reach: the environments of tox to run, and the tests in them.

    python tools/affected.py                      what the commits of the last 36 hours before HEAD reach
    python tools/affected.py FILE ...             what a change of these files reaches
    python tools/affected.py --tests FILE ...     the files of tests that it reaches on NumPy
    python tools/affected.py --plan FILE NAME ... which of these environments run; writes FILE for conftest.py

A module reaches a test that imports it, by way of other modules too, that starts it, or whose engine imports it. A file
that is neither a module, nor a test, nor a page reaches all. 36 hours, so that nothing slips through that another run
was to verify.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

import import_graph

ROOT = import_graph.ROOT
HOURS = 36
# Environments that are quick, or test what each change may touch.
ALWAYS = ('readme', 'lint', 'docs', 'original', 'original224')
# Folders of tests that run on each engine: conftest.py chooses them.
ON_EVERY_ENGINE = 'every_engine misuse files examples documents benchmarks original smoke'.split()
CLIENTS = ['clients', 'programs']
# What nobody maintains: where a change does not reach it, a first look is all that runs.
UNMAINTAINED = ('theano', 'pytensor', 'cntk')
ENGINES = {'pytensor': 'theano', **{name: name for name in 'numpy tensorflow torch jax theano cntk'.split()}}
# Tests that run what lies elsewhere: programs, and the code of pages.
RUN_BY = {
    'tests/documents/': ('docs', 'README.md'),
    'tests/examples/': ('examples',),
    'tests/external_engines/': ('examples',),
    'tests/notebooks/': ('examples',),
    'tests/benchmarks/': ('benchmarks',),
    'tests/programs/': ('tests/programs',),
    'tests/clients/': ('tests/clients',),
}
SMOKE = 'tests/smoke/'
CONFORMANCE = 'keras_backend/conformance/'
_PAGES = re.compile(r'docs/.*|[A-Z_]+\.md|CITATION\.cff|LICENSE')


class Change(NamedTuple):
    """What is changed. `unknown`: a file that reaches all, or ''. The paths are those of the checkout."""

    modules: FrozenSet[str]
    tests: FrozenSet[str]
    pages: bool
    unknown: str


class Environment(NamedTuple):
    """What runs in an environment of tox. `folders`: of tests. `engines`: the modules that all of its tests import."""

    folders: List[str]
    engines: List[str]


def environment(name: str) -> Environment:
    """That of a name: its factors say what it is."""
    factors = name.split('-')
    engines = [ENGINES[word] for word in (re.sub(r'\d+$', '', factor) for factor in factors) if word in ENGINES]
    roots = [f'keras_backend.engines.{engine}_backend' for engine in engines]
    if 'tfkeras' in factors:
        return Environment(['programs/tf_keras'], ['keras_backend.programs.on_tf_keras.launcher'])
    if 'keras3' in factors:
        return Environment(['programs/keras3', 'engines/keras3', 'notebooks'], ['keras_backend.engines.keras3_backend'])
    if name == 'py313-engines':
        every = [f'keras_backend.engines.{engine}_backend' for engine in sorted(set(ENGINES.values()) - {'cntk'})]
        return Environment(['every_engine', 'programs/keras3', 'notebooks'], every)
    if factors[0] == 'clients':
        return Environment(CLIENTS, roots)
    own = [f'engines/{engine}' for engine in engines]
    # The oldest libraries run the tests of their engines.
    return Environment(own if factors[0] == 'py310' else [*ON_EVERY_ENGINE, *CLIENTS, *own], roots)


class Reach:
    """What the tests of this checkout reach."""

    def __init__(self) -> None:
        self.known, self.edges = import_graph.of_package(import_graph.FOLDER)
        self.texts = {path: _text(path) for path in _tracked('tests') if path.endswith('.py')}
        self.named = {path: import_graph.named(text, self.known) for path, text in self.texts.items()}
        self.run_by = {folder: self._named_in(places) for folder, places in RUN_BY.items()}
        self.found: Dict[FrozenSet[str], Set[str]] = {}
        self.helpers = {os.path.basename(path)[:-3]: path for path in self.texts if not _is_test(path)}

    def _named_in(self, places: Sequence[str]) -> Set[str]:
        """The modules that programs and pages name."""
        paths = [path for place in places for path in _tracked(place) if path.endswith(('.py', '.md', '.ipynb'))]
        texts = [_text(path) for path in paths if not _is_test(path)]
        return {name for text in texts for name in import_graph.named(text, self.known)}

    def files_of(self, test: str) -> Set[str]:
        """A file of tests, and those beside tests that it imports or starts, by way of others too."""
        seen: Set[str] = set()
        todo = [test]
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo += [self.helpers[word] for word in _imported(self.texts[path]) & set(self.helpers)]
        return seen

    def modules_of(self, test: str, engines: Sequence[str]) -> Set[str]:
        """The modules of the package that a file of tests reaches on some engines."""
        starts = set(engines)
        for path in self.files_of(test):
            starts |= self.named[path]
        for folder, names in self.run_by.items():
            if test.startswith(folder):
                starts |= names
        key = frozenset(starts)
        if key not in self.found:
            self.found[key] = import_graph.reached(self.edges, key)
        return self.found[key]

    def is_reached(self, test: str, change: Change, engines: Sequence[str]) -> bool:
        """Whether a change can make a difference to a file of tests."""
        if change.unknown or change.tests & self.files_of(test):
            return True
        if any(os.path.dirname(path) == os.path.dirname(test) and not _is_test(path) for path in change.tests):
            return True
        if change.pages and '/documents/' in test:
            return True
        return bool(change.modules & self.modules_of(test, engines))

    def known_to_tests(self, change: Change) -> Change:
        """The change itself, or, where no test reaches a module by what can be read of it, one that reaches all."""
        engines = [f'keras_backend.engines.{name}_backend' for name in [*ENGINES.values(), 'keras3']]
        seen = {name for test in self.texts if _is_test(test) for name in self.modules_of(test, engines)}
        dark = sorted(change.modules - seen)
        return change._replace(unknown=dark[0]) if dark else change

    def on_numpy(self) -> List[str]:
        """The folders of tests that run on NumPy."""
        folders = {path.split('/')[1] for path in self.texts} - {'engines', 'tools', 'site', *CLIENTS}
        return sorted(folders) + ['engines/numpy']

    def plan(self, name: str, change: Change) -> Optional[Dict[str, object]]:
        """What runs of an environment: all ({}), all but what is left out, or nothing (None)."""
        if name in ALWAYS or change.unknown:
            return {}
        if not change.modules and not change.tests:
            return None
        if re.fullmatch(r'py\d+-(numpy|numpy117|onnx)', name):
            return {}
        folders, engines = environment(name)
        tests = [path for path in self.texts if _is_test(path) and path.startswith(_in(folders))]
        left = [path for path in tests if not self.is_reached(path, change, engines)]
        conformance = bool(change.modules & import_graph.reached(self.edges, [*engines, 'keras_backend']))
        conformance = conformance or any(path.startswith(CONFORMANCE) for path in change.tests)
        if not conformance and set(name.split('-')) & set(UNMAINTAINED) and not name.startswith('clients'):
            left = [path for path in tests if not path.startswith(SMOKE)]
        elif not conformance and len(left) == len(tests):
            return None
        return {'left_out': left, 'conformance': conformance}


def _in(folders: Sequence[str]) -> Tuple[str, ...]:
    return tuple(f'tests/{folder}/' for folder in folders)


def _imported(text: str) -> Set[str]:
    """The names of what a text imports or starts as a file."""
    lines = re.findall(r'^\s*(?:import|from) (\w+)|(\w+)\.py\b', text, re.M)
    return {name for pair in lines for name in pair if name}


def _is_test(path: str) -> bool:
    return os.path.basename(path).startswith('test_')


def _text(path: str) -> str:
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as file:
        return file.read()


def _git(*arguments: str) -> List[str]:
    said = subprocess.check_output(['git', '-c', 'core.quotepath=off', *arguments], cwd=ROOT)
    return [line for line in said.decode().splitlines() if line]


def _tracked(folder: str) -> List[str]:
    return _git('ls-files', folder)


def changed(hours: int = HOURS) -> Optional[List[str]]:
    """The files that the commits of the last hours before HEAD touched. None where the history does not tell."""
    if _git('rev-parse', '--is-shallow-repository') != ['false']:
        return None
    at = int(_git('show', '-s', '--format=%ct', 'HEAD')[0])
    since = f'--since={at - hours * 3600}'
    return sorted(set(_git('log', '-m', since, '--name-only', '--no-renames', '--format=', 'HEAD')))


def change_of(paths: Sequence[str]) -> Change:
    """What a change of these files is. A module that is there no more is unknown, too."""
    modules, tests, pages = set(), set(), False
    for path in paths:
        if path.startswith(CONFORMANCE):
            tests.add(path)
        elif path.startswith('keras_backend/') and path.endswith('.py') and os.path.exists(os.path.join(ROOT, path)):
            modules.add(path[:-3].replace('/', '.').replace('.__init__', ''))
        elif path.startswith(('tools/', '.github/')) or (path.startswith('tests/') and path.endswith('.py')):
            # The tests of tools run on NumPy.
            tests.add(path)
        elif _PAGES.fullmatch(path) or path.endswith('.pyi'):
            pages = True
        else:
            return Change(frozenset(modules), frozenset(tests), pages, path)
    return Change(frozenset(modules), frozenset(tests), pages, '')


def _say(plans: Dict[str, Optional[Dict[str, object]]], change: Change) -> None:
    """What runs, what does not and why, for people."""
    if change.unknown:
        print(f'Nobody can tell what {change.unknown} reaches: all runs.')
        return
    print(f'{len(change.modules)} modules and {len(change.tests)} files of tests were changed.')
    for name, plan in plans.items():
        if plan is None:
            print(f'{name}: does not run, no test of it is reached')
        elif plan:
            left: List[str] = list(plan['left_out'])  # type: ignore[call-overload]
            print(f'{name}: without {len(left)} files of tests{"" if plan["conformance"] else ", without conformance"}')
        else:
            print(f'{name}: runs')


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Print what is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='FILE', help='what is changed; with --plan the environments')
    parser.add_argument('--tests', action='store_true', help='print files of tests, for pytest')
    parser.add_argument('--plan', metavar='FILE', help='where the plan for conftest.py goes')
    options = parser.parse_args(arguments)
    paths = options.names if options.names and not options.plan else changed()
    change = change_of(paths) if paths is not None else Change(frozenset(), frozenset(), True, 'a part of the history')
    reach = Reach()
    change = reach.known_to_tests(change)
    if options.tests:
        engines = ['keras_backend.engines.numpy_backend']
        tests = [path for path in sorted(reach.texts) if _is_test(path) and path.startswith(_in(reach.on_numpy()))]
        print('\n'.join(path for path in tests if reach.is_reached(path, change, engines)))
        return 0
    names = options.names if options.plan else _environments()
    plans = {name: reach.plan(name, change) for name in names}
    if options.plan:
        with open(options.plan, 'w', encoding='utf-8') as file:
            json.dump({name: plan for name, plan in plans.items() if plan}, file)
        print('\n'.join(name for name in names if plans[name] is not None))
    else:
        _say(plans, change)
    return 0


def _environments() -> List[str]:
    """Those that the workflow lists."""
    return re.findall(r'environment: ([\w-]+),', _text('.github/workflows/ci.yml'))


if __name__ == '__main__':
    sys.exit(main())

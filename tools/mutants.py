"""Makes errors in a copy of the package, one at a time, and says which of them `python -m pytest` does not find.

    python tools/mutants.py --seed 1 --count 60
    python tools/mutants.py --seed 1 --count 10 --rooms kernels graph/primitives

An error is a comparison, a boolean, a number or an argument that is another one, or a call that is taken out
(tools/mutations.py). The tests that run the changed line come first, then those that run the file. What survives these
meets all tests. The first run notes which tests run which lines: it takes about twice as long as the tests. What it
notes is kept in the folder for temporary files until the package or a test changes.

It needs Linux or macOS, Python 3.9 or later, coverage, and what the extra `export` brings: without it nothing tests
files of ONNX. The last lines name the survivors. The exit status is 1 if there are any.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from typing import Dict, List, Optional, Sequence, Tuple

from mutations import Mutation, chosen
from readme_commands import copy_to

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = 'keras_backend'
# Those whose code the default tests can run. Libraries run the other engines and formats, old programs the launchers.
ROOMS = ['basics', 'commands', 'config', 'contract', 'derived', 'engines/numpy_backend', 'exporting', 'files', 'front']
ROOMS += ['graph', 'kernels', 'programs/migrate', 'programs/prove', 'user_module', '.']
# Keras 2 and 3 build models of files; the layer of LSTM is that of PyTorch.
OF_LIBRARIES = (
    'exporting/saved_model/',
    'exporting/stablehlo',
    'exporting/torch_export',
    'exporting/tflite',
    'files/building/',
    'files/keras2/',
    'files/keras3/',
    'files/tf_keras/',
    'graph/run/lstm',
    *(f'programs/prove/prove_witness/{name}' for name in ('keras2', 'keras3', 'models', 'updates')),
)
LIMIT = 900  # seconds: an error may be a loop that never ends
MEMORY = 6 * 2**30  # bytes: or one that takes all there is
MOST = 150  # tests of a line that run at first
SETTINGS = """[run]
source_pkgs = keras_backend
parallel = true
patch = subprocess
context = ${COVERAGE_CONTEXT-}
disable_warnings = no-data-collected, module-not-measured, module-not-imported
"""
# {file: {line: the numbers of tests}}, and the tests. Number 0 is no test: the import.
Lines = Dict[str, Dict[str, List[int]]]


def tracked() -> List[str]:
    """The files that git tracks."""
    names = subprocess.check_output(['git', 'ls-files', '-z'], cwd=ROOT).decode().split('\0')
    return [name for name in names if name and os.path.isfile(os.path.join(ROOT, name))]


def run(folder: str, arguments: Sequence[str], **variables: str) -> Tuple[int, str]:
    """Run Python in a folder; return the exit status and what it says."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(('KERAS_', 'PYTEST_', 'TEST_'))}
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**left, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    except subprocess.TimeoutExpired:
        return 1, 'FAILED it never ends'
    return done.returncode, done.stdout.decode(errors='replace')


def noted(copy: str, names: Sequence[str]) -> Tuple[Lines, List[str]]:
    """Which tests run which lines."""
    digest = hashlib.sha256(sys.version.encode())
    for name in names:
        if name.endswith('.py'):
            with open(os.path.join(ROOT, name), 'rb') as file:
                digest.update(name.encode() + file.read())
    path = os.path.join(tempfile.gettempdir(), f'keras_backend_tests_of_lines_{digest.hexdigest()[:16]}.json')
    if not os.path.exists(path):
        print('the tests run once, to note which lines they run', flush=True)
        note(copy, path)
    with open(path, encoding='utf-8') as file:
        lines, tests = json.load(file)
    return lines, tests


def note(copy: str, path: str) -> None:
    """Run the tests with coverage, and write to `path` which of them run which lines."""
    import coverage

    with tempfile.TemporaryDirectory() as folder:
        settings = os.path.join(folder, 'settings')
        with open(settings, 'w', encoding='utf-8') as file:
            file.write(SETTINGS)
        variables = {
            'COVERAGE_PROCESS_START': settings,
            'COVERAGE_FILE': os.path.join(folder, 'coverage'),
            'COVERAGE_CORE': 'ctrace',
            'PYTHONPATH': os.path.join(ROOT, 'tools'),
        }
        command = ['-m', 'coverage', 'run', '--rcfile', settings, '-m', 'pytest', '-q', '-p', 'which_tests']
        status, said = run(copy, command, **variables)
        if status:
            raise SystemExit(f'The tests fail without an error of ours:\n{said[-3000:]}')
        measured = coverage.Coverage(data_file=variables['COVERAGE_FILE'], config_file=settings)
        measured.combine([folder])
        data = measured.get_data()
        numbers: Dict[str, int] = {'': 0}
        lines: Lines = {}
        for name in data.measured_files():
            relative = os.path.relpath(name, os.path.realpath(copy)).replace(os.sep, '/')
            of_file = lines.setdefault(relative, {})
            for line, contexts in data.contexts_by_lineno(name).items():
                ids = {context.strip('|').split('|')[-1] for context in contexts}
                of_file[str(line)] = sorted({numbers.setdefault(test, len(numbers)) for test in ids})
    with open(path, 'w', encoding='utf-8') as file:
        json.dump([lines, list(numbers)], file)


def near(mutation: Mutation, lines: Lines, tests: Sequence[str]) -> List[List[str]]:
    """Groups of tests, in the order in which they are tried."""
    of_file = lines.get(mutation.path, {})
    of_line = [number for number in of_file.get(str(mutation.line), []) if number]
    rest = sorted({number for numbers in of_file.values() for number in numbers if number} - set(of_line))
    groups = [spread(of_line, MOST)]
    groups.append([number for number in of_line if number not in set(groups[0])])
    # An import runs the line: any test of the file may see it.
    groups.append(spread(rest, MOST) if not of_line else [])
    return [[tests[number] for number in group] for group in groups if group]


def spread(numbers: Sequence[int], most: int) -> List[int]:
    """At most so many of them, from all places."""
    step = max(len(numbers) / most, 1)
    return [numbers[int(place * step)] for place in range(int(len(numbers) / step))]


def finder(copy: str, groups: Sequence[Sequence[str]]) -> Tuple[Optional[str], int]:
    """The first test that fails, or None, and how many were named."""
    count = 0
    for group in [*groups, []]:
        count += len(group)
        status, said = run(copy, ['-m', 'pytest', '-x', '-q', '-p', 'no:cacheprovider', *group])
        if status:
            named = re.findall(r'^(?:FAILED|ERROR) (.+?)(?: - |$)', said, re.M)
            # A loop that never ends may end for want of memory.
            return (named or [f'it ends with {status}: {said[-200:].strip()}'])[0], count
    return None, count


def write(path: str, text: str, second: int) -> None:
    """Write a module as of a second. By the second and the size Python knows whether a compiled file is of the source."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.utime(path, (second, second))


def paths_in(room: str, paths: Sequence[str]) -> List[str]:
    """The files of a room; those of '.' are beside the folders."""
    if room == '.':
        found = [path for path in paths if path.count('/') == 1]
    else:
        found = [path for path in paths if path.startswith(f'{PACKAGE}/{room}')]
    if not found:
        raise SystemExit(f'There is no file {PACKAGE}/{room}*.')
    return found


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Try the errors, print a line for each, and return 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--rooms', nargs='+', default=ROOMS, help='starts of paths in the package, . for its modules')
    options = parser.parse_args(arguments)
    names = tracked()
    texts = {}
    for name in names:
        inside = name[len(PACKAGE) + 1 :] if name.startswith(PACKAGE + '/') else ''
        if inside.endswith('.py') and not inside.startswith(('conformance/', *OF_LIBRARIES)):
            with open(os.path.join(ROOT, name), encoding='utf-8') as file:
                texts[name] = file.read()
    rooms = [paths_in(room, sorted(texts)) for room in options.rooms]
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, 'a copy')
        copy_to(copy)
        lines, tests = noted(copy, names)
        second = int(time.time())
        for mutation in chosen(texts, rooms, options.count, options.seed):
            started, second = time.monotonic(), second + 2
            path = os.path.join(copy, mutation.path)
            write(path, mutation.applied(texts[mutation.path]), second)
            test, count = finder(copy, near(mutation, lines, tests))
            write(path, texts[mutation.path], second + 1)
            words = mutation.words(texts[mutation.path])
            if test is None:
                survivors.append(f'{words}  ({count} tests that run it, and then all)')
            print(f'{time.monotonic() - started:6.1f} s  {words}  {test or "SURVIVES"}', flush=True)
    killed = options.count - len(survivors)
    print(f'seed {options.seed}: {options.count} errors, {killed} found ({100 * killed / options.count:.0f} %)')
    print('\n'.join(['survivors:', *survivors] if survivors else ['no survivors']))
    return bool(survivors)


if __name__ == '__main__':
    sys.exit(main())

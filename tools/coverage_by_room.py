"""Adds up the lines that all environments of tox have run, and compares each room of the package with its floor.

    tox run -e py313-tensorflow,py313-torch ...
    python tools/coverage_by_room.py .tox           # needs the package coverage and Python 3.11 or later
    python tools/coverage_by_room.py .tox --lines   # with the lines that nothing runs

A room is a folder of the package, or of its engines and programs. [tool.coverage_by_room] of pyproject.toml has a floor
for each, in percent of its lines. The exit status is 1 where a room is below its floor, or is not listed.
"""

import argparse
import collections
import glob
import os
import sys

import coverage
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, 'keras_backend')
FOLDERS_OF_ROOMS = ('engines', 'programs')


def room_of(path):
    """The room of a file: 'graph', 'engines/torch_backend', or '.' for the modules beside the folders."""
    parts = os.path.relpath(path, PACKAGE).replace(os.sep, '/').split('/')[:-1]
    return '/'.join(parts[: 2 if parts and parts[0] in FOLDERS_OF_ROOMS else 1]) or '.'


def floors():
    """The floors by room."""
    with open(os.path.join(ROOT, 'pyproject.toml'), 'rb') as stream:
        return tomllib.load(stream)['tool']['coverage_by_room']


def files():
    """The modules of the package that are measured."""
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            if name.endswith('.py') and not (os.path.basename(folder) == 'conformance' and name.startswith('test_')):
                yield os.path.join(folder, name)


def measured(folder):
    """(file, numbers of lines, numbers of lines that nothing ran) of each module."""
    found = coverage.Coverage(data_file=None, config_file=os.path.join(ROOT, 'pyproject.toml'))
    found.combine(glob.glob(os.path.join(folder, 'coverage-*')), keep=True)
    for path in sorted(files()):
        _, lines, _, missing, _ = found.analysis2(path)
        yield path, lines, missing


def main(arguments=None):
    """Print a line for each room; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', help='where the environments have left their data')
    parser.add_argument('--lines', action='store_true', help='print the lines that nothing runs')
    options = parser.parse_args(arguments)
    lines, missing, wanted = collections.Counter(), collections.Counter(), floors()
    os.chdir(ROOT)
    for path, all_lines, left in measured(os.path.abspath(options.folder)):
        lines[room_of(path)] += len(all_lines)
        missing[room_of(path)] += len(left)
        if options.lines and left:
            print(f'{os.path.relpath(path, ROOT)}: {", ".join(map(str, left))}')
    low = []
    for room in sorted(room for room in lines if lines[room]):
        share = 100 * (1 - missing[room] / lines[room])
        floor = wanted.get(room, 100)
        print(f'{room:30} {lines[room]:6} lines {share:6.1f} % run, at least {floor} wanted')
        if share < floor:
            low.append(room)
    if low:
        print(f'Fewer lines are run than [tool.coverage_by_room] of pyproject.toml asks for: {", ".join(low)}.')
    return 1 if low else 0


if __name__ == '__main__':
    sys.exit(main())

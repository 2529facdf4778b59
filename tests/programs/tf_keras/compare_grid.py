"""Says how the rows of two files differ, by group.

    python compare_grid.py RECORD NOW [--known FILE] [--rows]
    python compare_grid.py --delta RECORD NOW OUT.json.gz

An argument, a member, or a key of a configuration that came later is no difference, and neither are other words of the
same error. Floats may differ by 1e-4 of their size. `--known` names a table of rows with their reasons; such rows are
counted, and not listed.
`--delta` writes what NOW has other than RECORD; `read` puts both together again.
"""

import argparse
import collections
import fnmatch
import gzip
import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
BASE = os.path.join(FOLDER, 'tensorflow_2_10.json.gz')
FULL = 1e-4, 2e-6  # relative and absolute: the kernels of TensorFlow add in another order from version to version
HALF = 4e-3, 1e-3  # of numbers with eleven bits
# What versions say of an argument that they do not have.
OF_ARGUMENTS = ('nexpected keyword', 'rgument not understood', 'nrecognized keyword', 'nrecognized argument')


def load(path):
    """The content of a JSON file, packed or not."""
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt', encoding='utf-8') as stream:
        return json.load(stream)


def read(path):
    """The rows of a file; those of a delta together with the ones that it is a delta to."""
    content = load(path)
    if 'rows' not in content:
        return content
    rows = dict(load(os.path.join(os.path.dirname(path), content['since'])), **content['rows'])
    return {name: value for name, value in rows.items() if name not in content['without']}


def write(path, content):
    """Writes packed JSON, the same bytes for the same content."""
    with open(path, 'wb') as stream, gzip.GzipFile('', 'wb', 9, stream, mtime=0) as packed:
        packed.write(json.dumps(content, sort_keys=True, separators=(',', ':')).encode('utf-8'))


def delta(record, now):
    """What rows are other ones, new ones or gone, for a file of a later or an earlier version."""
    changed = {
        name: value for name, value in now.items() if name not in record or not same(name, record[name], value, True)
    }
    return {'since': os.path.basename(BASE), 'rows': changed, 'without': sorted(set(record) - set(now))}


def same_numbers(first, second, size=1.0, bounds=FULL):
    """Whether two numbers are the same up to rounding."""
    return abs(first - second) <= bounds[1] * max(1.0, size) + bounds[0] * max(abs(first), abs(second))


def same_array(first, second, bounds=FULL):
    """Whether two arrays are the same; values beside large ones are rounded as those."""
    if (first['dtype'], first['shape']) != (second.get('dtype'), second.get('shape')):
        return False
    floats = 'float' in first['dtype']
    for key in first:
        if not floats or key in ('dtype', 'shape'):
            if first[key] != second.get(key):
                return False
    size = first.get('absolute', 1.0) if floats else 1.0
    if floats and 'weighted' in first and not same_numbers(first['weighted'], second['weighted'], size * 10, bounds):
        return False
    return not floats or all(same_value(one, two, False, bounds) for one, two in zip(first['values'], second['values']))


def same_value(first, second, exact=False, bounds=FULL):
    """Whether two plain values are the same."""
    if isinstance(first, dict):
        if not isinstance(second, dict):
            return False
        if 'raises' in first:
            return first['raises'] == second.get('raises')
        if 'dtype' in first and 'values' in first:
            return same_array(first, second, bounds)
        keys = set(first) | set(second) if exact else set(first)
        return all(
            key in first and key in second and same_value(first[key], second[key], exact, bounds) for key in keys
        )
    if isinstance(first, list):
        if not isinstance(second, list) or len(first) != len(second):
            return False
        return all(same_value(one, two, exact, bounds) for one, two in zip(first, second))
    if isinstance(first, (int, float)) and isinstance(second, (int, float)):
        return same_numbers(first, second, 1.0, bounds)
    return first == second


def came_later(name, first, second):
    """Whether a row failed then for want of a name or an argument that is there now."""
    if not isinstance(first, dict) or 'raises' not in first or second == {'missing': True}:
        return False
    if first['raises'] == 'AttributeError' and 'has no attribute' in first['says']:
        return True
    return any(words in first['says'] for words in OF_ARGUMENTS) and 'nonsense' not in name


def same(name, first, second, exact=False):
    """Whether two rows are the same; rows of names may have more than they had."""
    if not exact and came_later(name, first, second):
        return True
    if not exact and name.startswith('names ') and isinstance(first, list):
        return isinstance(second, list) and set(first) <= set(second)
    if not exact and name.startswith('names name ') and isinstance(first, dict) and isinstance(second, dict):
        if 'kind' not in first or first['kind'] != second.get('kind'):
            return False
        now = second.get('arguments')
        taken = (
            now is None or '**kwargs' in now or set(first.get('arguments') or ()) <= set(now) | {'**kwargs', '*args'}
        )
        return taken and all(
            same_value(value, second['defaults'][key])
            for key, value in first.get('defaults', {}).items()
            if key in second.get('defaults', ())
        )
    if 'float16' in name or "'float16'" in repr(first):
        return same_value(first, second, exact, HALF)
    return same_value(first, second, exact)


def differing(record, now):
    """Rows of the record that are other ones now, as {name: (then, now)}."""
    missing = {'missing': True}
    return {
        name: (value, now.get(name, missing))
        for name, value in record.items()
        if name not in now or not same(name, value, now[name])
    }


def group_of(name):
    """The group in which a row is counted: its topic, and of names the kind of row."""
    words = name.split(' ')
    return ' '.join(words[:2]) if words[0] == 'names' else words[0]


def known_reasons(path):
    """The table of known differences, {pattern: reason}."""
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def reason_for(name, table):
    """The sentence for a row that is known to differ, or None."""
    return next((reason for pattern, reason in table.items() if fnmatch.fnmatchcase(name, pattern)), None)


def short(value):
    """A row in one line."""
    text = json.dumps(value, sort_keys=True)
    return text if len(text) < 300 else text[:300] + '...'


def report(record, now, known, rows, out=sys.stdout):
    """Prints the counts by group, and the rows that differ without a reason."""
    counts, others = collections.Counter(map(group_of, record)), differing(record, now)
    unknown = {name: pair for name, pair in others.items() if reason_for(name, known) is None}
    several, unexplained = collections.Counter(map(group_of, others)), collections.Counter(map(group_of, unknown))
    for group in sorted(counts):
        print(
            f'{group:24}{counts[group]:6} rows{several[group]:6} differ{unexplained[group]:6} without a reason',
            file=out,
        )
    equal = len(record) - len(others)
    print(
        f'{"all":24}{len(record):6} rows{len(others):6} differ{len(unknown):6} without a reason; '
        f'{100.0 * equal / max(1, len(record)):.2f} % equal',
        file=out,
    )
    if rows:
        for name, (then, today) in sorted(unknown.items()):
            print(f'\n{name}\n    then: {short(then)}\n    now:  {short(today)}', file=out)
    return unknown


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('record')
    parser.add_argument('now')
    parser.add_argument('out', nargs='?')
    parser.add_argument('--delta', action='store_true')
    parser.add_argument('--known')
    parser.add_argument('--rows', action='store_true')
    options = parser.parse_args()
    if options.delta:
        write(options.out, delta(read(options.record), read(options.now)))
        return
    report(read(options.record), read(options.now), known_reasons(options.known) if options.known else {}, options.rows)


if __name__ == '__main__':
    main()

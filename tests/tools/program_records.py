"""Programs whose numbers are recorded: what their first lines say, what they print, where two results differ.

The last line of output of such a program is `RESULT ` and a JSON object of numbers and lists of numbers. Python 3.6 and
the standard library are enough here: the scripts that record run where the original does.
"""

import json
import os
import re

TOLERANCE = 1e-4


def programs(folder):
    """The names of all programs in a folder."""
    names = [name[:-3] for name in sorted(os.listdir(folder)) if name.endswith('.py')]
    return [name for name in names if name != '__init__' and not name.startswith(('record', 'test_'))]


def headers(path, keys):
    """The lines `# KEY: words` of a program: a dict of lists of words."""
    with open(path, encoding='utf-8') as stream:
        found = re.findall('^# ({}): *(.*)$'.format('|'.join(keys)), stream.read(), re.MULTILINE)
    assert len(found) == len(dict(found)), path + ' says a header twice'
    return {key: value.split() for key, value in found}


def result(output):
    """The object of the last line of a program's output."""
    lines = output.strip().splitlines()
    assert lines, 'nothing was printed'
    assert lines[-1].startswith('RESULT '), f'the last line is no RESULT: {lines[-1]!r}'
    return json.loads(lines[-1][len('RESULT ') :])


def differences(found, expected, name=''):
    """The places where two results differ by more than 1e-4, or 1e-4 of the number, as sentences."""
    if isinstance(expected, dict) and isinstance(found, dict):
        told = [f'{key} is in one only' for key in sorted(set(expected) ^ set(found))]
        pairs = [(found[key], expected[key], key) for key in sorted(set(expected) & set(found))]
    elif isinstance(expected, list) and isinstance(found, list):
        told = [] if len(found) == len(expected) else [f'{name} has {len(found)} items, not {len(expected)}']
        pairs = [(left, right, f'{name}[{i}]') for i, (left, right) in enumerate(zip(found, expected))]
    elif isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        close = abs(found - expected) <= TOLERANCE * max(1, abs(expected))  # False for NaN
        return [] if close else [f'{name} is {found!r}, not {expected!r}']
    else:
        return [] if found == expected else [f'{name} is {found!r}, not {expected!r}']
    return told + [line for pair in pairs for line in differences(*pair)]


def recorded(path):
    """All that is in a record: name -> version -> result."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def write(record, path):
    """Write a record: one line for a program and version, so that two people can add programs."""
    lines = []
    for name in sorted(record):
        versions = [
            f'  "{version}": {json.dumps(record[name][version], sort_keys=True)}' for version in sorted(record[name])
        ]
        lines.append(' "{}": {{\n{}\n }}'.format(name, ',\n'.join(versions)))
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write('{{\n{}\n}}\n'.format(',\n'.join(lines)))

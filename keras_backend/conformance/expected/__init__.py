"""Expected failures: one text file an engine, with one `test id: reason` a line. `#` starts a comment.

An id without its `[parameters]` means all parameters. A listed test runs and has to fail. The run fails if a listed
test passes, or if an entry matches no test. So no entry stays longer than its reason.
"""

import os

HERE = os.path.dirname(os.path.abspath(__file__))


def path_for(engine_name):
    """The file of a built-in engine, or None if it has none."""
    path = os.path.join(HERE, engine_name + '.txt')
    return path if os.path.exists(path) else None


def read(path):
    """The entries of a file, as a dict: test id -> reason."""
    entries = {}
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith('#'):
                continue
            test, separator, reason = line.partition(': ')
            if not separator or not reason.strip():
                raise ValueError(f'{path}, line {number}: {line!r} is not of the form "test id: reason".')
            if test in entries:
                raise ValueError(f'{path}, line {number}: {test} is listed twice.')
            entries[test] = reason.strip()
    return entries


def match(entries, test):
    """The entry for a test id: its own, or the one for all parameters. None if the test is not listed."""
    if test in entries:
        return test
    every = test.split('[', 1)[0]
    return every if every in entries else None

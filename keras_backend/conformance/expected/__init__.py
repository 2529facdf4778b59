"""Expected failures: one text file an engine, with one `test id: reason` a line. `#` starts a comment.

An id without its `[parameters]` means all parameters. A `*` in an id stands for any text. A listed test runs and has to
fail. The run fails if a listed test passes, or if an entry matches no test. So no entry stays longer than its reason.

An engine that runs on several libraries has a file for what fails on all of them, and one more for each library. What
fails where functions run as files of a format is in `through_` and its name.
"""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def paths_for(engine_name, library=''):
    """The files of a built-in engine on a library, as a list: for all its libraries, and for this one.

    `library` may have a version behind its name: the file for PyTensor 3.3.8 is theano_pytensor.txt.
    """
    of_library = f'{engine_name}_{library.partition(" ")[0].lower()}'
    paths = [os.path.join(HERE, name + '.txt') for name in (engine_name, of_library)]
    return [path for path in paths if os.path.exists(path)]


def paths_through(form):
    """The files for the functions of any engine that run as files of a format (see `_through`)."""
    paths = [os.path.join(HERE, f'through_{form}.txt')]
    return [path for path in paths if os.path.exists(path)]


def read(*paths):
    """The entries of files, as a dict: test id -> reason."""
    entries = {}
    for path in paths:
        entries.update(_read(path, entries))
    return entries


def _read(path, before):
    entries = {}
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith('#'):
                continue
            test, separator, reason = line.partition(': ')
            if not separator or not reason.strip():
                raise ValueError(f'{path}, line {number}: {line!r} is not of the form "test id: reason".')
            if test in entries or test in before:
                raise ValueError(f'{path}, line {number}: {test} is listed twice.')
            entries[test] = reason.strip()
    return entries


def match(entries, test):
    """The entry for a test id: its own, the one for all parameters, or one with a `*`. None if it is not listed."""
    every = test.split('[', 1)[0]
    for name in (test, every):
        if name in entries:
            return name
    for entry in entries:
        if '*' in entry and re.fullmatch('.*'.join([re.escape(literal) for literal in entry.split('*')]), test):
            return entry
    return None

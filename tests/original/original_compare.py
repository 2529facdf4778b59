"""Our engine beside the record: what differs, and what is listed as different.

A line of differences.txt is

    id or pattern [engines]: anchor

where the pattern is one of fnmatch's, the engines, if not all, are names with spaces between, and the anchor names the
row of docs/differences.md. A question mark after an engine says that it depends on the processor whether its result
differs: libraries choose their kernels by it. Lines that start with # are comments.
"""

import fnmatch
import os
import re
import sys
import tempfile

import original_run as run

FOLDER = os.path.dirname(os.path.abspath(__file__))
DIFFERENCES = os.path.join(FOLDER, 'differences.txt')
LINE = re.compile(r'^(\S+?)(?: \[([a-z? ]+)\])?: *(\S.*)$')


def listed(path):
    """The lines of a list, as (pattern, engines or None, anchor)."""
    lines = []
    with open(path, encoding='utf-8') as stream:
        for text in stream:
            if text.strip() and not text.startswith('#'):
                found = LINE.match(text.rstrip())
                if not found:
                    raise ValueError(
                        f'{os.path.basename(path)}: no line of the form "pattern [engines]: anchor": {text!r}'
                    )
                pattern, engines, anchor = found.groups()
                lines.append((pattern, engines and engines.split(), anchor))
    return lines


def by_id(cases, lines):
    """The line that lists each case, by id and engine; '*' stands for all engines."""
    exact, patterns = {}, []
    for line in lines:
        if set('*?[') & set(line[0]):
            patterns.append((re.compile(fnmatch.translate(line[0])).match, line))
        else:
            exact.setdefault(line[0], []).append(line)
    found = {}
    for case in cases:
        for line in exact.get(case.id, []) + [line for matches, line in patterns if matches(case.id)]:
            for engine in line[1] or ['*']:
                found[case.id, engine.rstrip('?')] = line
    return found


def depends_on_processor(line, engine):
    """Whether a listed case differs on some processors only."""
    return engine + '?' in (line[1] or [])


def ours():
    """A runner for our engine."""
    os.environ.setdefault('KERAS_HOME', tempfile.mkdtemp(prefix='keras_home_'))
    os.environ.setdefault('KERAS_BACKEND', 'numpy')
    os.environ['KERAS_BACKEND_QUIET'] = '1'
    run.quiet()
    import keras_backend as K

    return run.Runner(K)


def program(case):
    """The case as somebody would write it."""
    return '\n'.join([given.text(name) for name, given in case.inputs.items()] + [case.program])


def main(cases, write_to):
    """Writes ours.txt, or prints what differs and is not listed."""
    import record

    engine = os.environ.get('KERAS_BACKEND', 'numpy')
    lists = by_id(cases, listed(DIFFERENCES))
    recorded = run.read(record.RECORD)
    if write_to:
        assert engine == 'numpy', 'ours.txt is what the NumPy engine gives'
        cases = [case for case in cases if (case.id, '*') in lists or (case.id, 'numpy') in lists]
    found = record.outcomes(ours(), cases)
    if write_to:
        record.write(
            write_to, found, 'What the NumPy engine gives for the cases listed as different, by record.py --ours'
        )
        return 0
    for case in cases:
        difference = run.unlike(recorded[case.id], found[case.id])
        listing = lists.get((case.id, engine)) or lists.get((case.id, '*'))
        if difference and not listing:
            text = case.program.replace('\n', '; ')
            print(f'{case.id} [{engine}]: {difference}\t{text}\t{recorded[case.id][:150]}\t{found[case.id][:150]}')
        elif listing and not difference and not depends_on_processor(listing, engine):
            print(f'# {case.id} is listed and does not differ', file=sys.stderr)
    return 0

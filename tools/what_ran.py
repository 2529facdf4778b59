"""Say what ran in the environments of tox, which suites are missing, and what failed: the last lines of .ci/run.

    tox config -k commands > commands
    python tools/what_ran.py .tox commands

A suite is a command with a closing line of its own: of pytest, of the conformance tests, or of a record of the
original. What failed comes last, in at most LENGTH letters: of a long run often the end alone is kept. The exit status
is 1 where a command failed or a suite did not run.
"""

import argparse
import glob
import os
import re
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional

SUITES = re.compile(r'pytest|keras_backend check|keras_backend\.conformance|verify\.py')
CLOSING = re.compile(r'^=* ?(\d+ passed.* in [\d.]+s|\d+ (?:cases|programs) give what is recorded)', re.MULTILINE)
# What a suite says that the change does not reach. It counts where tools/affected.py has made a plan.
NOT_REACHED = re.compile(
    r'^(The change does not reach the conformance tests|=* ?(?:no tests ran|\d+ deselected).* in [\d.]+s)', re.MULTILINE
)
# What tells of a failure: the summary of pytest, the lines of an exception, and the words of a tool.
TELLING = re.compile(r'^(?:FAILED|ERROR|E  |\w*Error\b|=+ .*\b(?:failed|errors?)\b)')
LENGTH = 9000
LINES_OF_ONE = 40


class Log(NamedTuple):
    """A command that tox ran: what it is, how it ended, and what it printed."""

    environment: str
    command: str
    exit_code: int
    text: str


def read(path: str) -> Log:
    """The log of one command, as tox writes it: a head of `name: value` lines, then the output."""
    with open(path, encoding='utf-8', errors='replace') as file:
        text = file.read()
    head = dict(re.findall(r'^(name|cmd|exit_code): (.*)$', text, re.MULTILINE)[:3])
    # A command that was stopped has no exit code.
    code = head.get('exit_code', '')
    return Log(head.get('name', '?'), head.get('cmd', '?'), int(code) if code.lstrip('-').isdigit() else -1, text)


def place(path: str) -> int:
    """The number of a command in its environment."""
    return int(os.path.basename(path).partition('-')[0])


def logs(folder: str, environment: str) -> Iterator[Log]:
    """The logs of an environment, in the order in which its commands ran."""
    found = glob.glob(os.path.join(glob.escape(folder), environment, 'log', '[0-9]*-*.log'))
    for path in sorted(found, key=place):
        yield read(path)


def wanted(text: str) -> Dict[str, int]:
    """How many suites each environment has, from what `tox config -k commands` prints."""
    counts: Dict[str, int] = {}
    for line in text.splitlines():
        section = re.match(r'\[testenv:(.+)\]$', line)
        if section:
            environment = section.group(1)
            counts[environment] = 0
        elif counts and SUITES.search(line):
            counts[environment] += 1
    return counts


def failure(log: Log) -> List[str]:
    """The lines that tell why a command failed: those of pytest, or else the last ones."""
    lines = log.text.splitlines()
    telling = [line for line in lines if TELLING.match(line)]
    return [f'{log.environment}: exit status {log.exit_code} of {log.command[:150]}'] + [
        '    ' + line[:300] for line in (telling or lines)[-LINES_OF_ONE:]
    ]


def shortened(text: str) -> str:
    """The text in at most LENGTH letters, its beginning and its end."""
    half = LENGTH // 2
    return text if len(text) <= LENGTH else f'{text[:half]}\n[...]\n{text[-half:]}'


def report(folder: str, counts: Dict[str, int]) -> List[str]:
    """Print a line for each environment; returns what failed, a text for each."""
    failed = []
    for environment, count in counts.items():
        ran = list(logs(folder, environment))
        closing = [found for log in ran for found in CLOSING.findall(log.text)]
        print(f'{environment}: {"; ".join(closing)}')
        failed += ['\n'.join(failure(log)) for log in ran if log.exit_code]
        ended = len(closing)
        if os.environ.get('TEST_PLAN'):
            ended += sum(len(NOT_REACHED.findall(log.text)) for log in ran)
        if ended < count:
            failed.append(f'{environment}: {ended} of {count} test suites came to their end')
    return failed


def main(arguments: Optional[List[str]] = None) -> int:
    """Print what ran, then what failed; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', help='the working folder of tox')
    parser.add_argument('commands', help='a file with what `tox config -k commands` prints')
    options = parser.parse_args(arguments)
    with open(options.commands, encoding='utf-8') as file:
        counts = wanted(file.read())
    failed = report(options.folder, counts)
    if failed:
        print(shortened('What failed:\n' + '\n'.join(failed)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

"""Type the first commands of README.md as a newcomer does: in a copy of the checkout, in an empty virtual environment.

    python tools/readme_commands.py
    python tools/readme_commands.py --python python3.6
    python tools/readme_commands.py --measure FILE    # the lines that the tests run; needs Python 3.12 or later
    python tools/readme_commands.py --write           # README.md says afterwards how many tests ran, and how long

The copy has the files that git tracks, in a temporary folder with a space in its name. pip needs its index. The script
ends with 1 if a command fails, or if it does not print what README.md says. A number of tests that is a tenth below or
above that of README.md is not what it says. The time is that of this machine: it is written, and not compared.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Dict, List, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The line for the pip of Python 3.6.
CURE = re.compile(r'on 3\.6, first type `(pip install [^`]*)`')
# What README.md says of the tests.
CLAIM = re.compile(r'The second runs ([\d,]+) tests, in [a-z]+ minutes?\.')
MINUTES = ['a minute', *(f'{number} minutes' for number in ('two', 'three', 'four', 'five', 'six', 'seven', 'eight'))]
# What decides on engines and on tests is not the newcomer's. The pip of Python 3.6 stops at `PIP_NO_CACHE_DIR=1`.
FOREIGN = ('KERAS_', 'PYTEST_', 'PYTHON', 'TEST_', 'SITE', 'VIRTUAL_ENV', 'COV', 'TOX', 'PIP_NO_CACHE_DIR')


class Failed(Exception):
    """A command failed, or printed something else than README.md says."""


def readme() -> str:
    """The text of README.md."""
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        return file.read()


def commands(python: str) -> List[str]:
    """The lines of the first commands of README.md; on a Python 3.6, after the line for its pip."""
    text = readme()
    (first, *_) = re.findall(r'^```bash\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    version = subprocess.check_output([python, '-c', 'import sys; print(*sys.version_info[:2])']).decode().split()
    cure = CURE.findall(text) if version == ['3', '6'] else []
    return [*cure, *first.splitlines()]


def copy_to(folder: str) -> None:
    """Copy the files that git tracks."""
    listed = subprocess.check_output(['git', 'ls-files', '-z'], cwd=ROOT).decode('utf-8').split('\0')
    for name in listed:
        if not os.path.isfile(os.path.join(ROOT, name)):  # removed, and not committed yet
            continue
        target = os.path.join(folder, *name.split('/'))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, *name.split('/')), target)


def environment(venv: str, settings: str) -> Dict[str, str]:
    """The variables of a shell in which the virtual environment is active and nothing was chosen."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    programs = os.path.join(venv, 'Scripts' if os.name == 'nt' else 'bin')
    # The settings of whoever runs this would choose an engine.
    kept.update(PATH=programs + os.pathsep + kept['PATH'], KERAS_HOME=settings, PYTHONIOENCODING='utf-8')
    return kept


def type_in(command: str, cwd: str, env: Dict[str, str]) -> str:
    """Run a command, show what it prints, and return that."""
    print(f'$ {command}', flush=True)
    started, lines = time.time(), []
    process = subprocess.Popen(command, shell=True, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line.decode('ascii', 'backslashreplace'))  # any terminal can show it
        sys.stdout.write(lines[-1])
        sys.stdout.flush()
    status = process.wait()
    print(f'-- {time.time() - started:.0f} s', flush=True)
    if status:
        raise Failed(f'{command!r} ended with {status}')
    return ''.join(lines)


def check(command: str, printed: str) -> None:
    """Compare what a command printed with what README.md says of it."""
    if 'keras_backend demo' in command:
        losses = [float(loss) for loss in re.findall(r'^epoch .* loss (\S+)', printed, re.MULTILINE)]
        if len(losses) < 2 or losses[-1] > losses[0] / 2:
            raise Failed(f'the demo prints no losses that fall: {losses}')
        if not re.search(r'^\d+ of \d+ digits are read right', printed, re.MULTILINE):
            raise Failed('the demo does not say how many digits are read right')
        if re.search(r'[a-z]Warning\b', printed):
            raise Failed('there is a warning on the way')
    if 'pytest' in command:
        if 'slow tests were left out' not in printed.splitlines()[-1]:
            raise Failed('the last line does not say how many slow tests were left out')


def of_tests(printed: str) -> Tuple[int, float]:
    """How many tests passed, and in how many seconds."""
    found = re.search(r'^=* ?(\d+) passed.* in ([\d.]+)s', printed, re.MULTILINE)
    if found is None:
        raise Failed('pytest does not say how many tests passed')
    return int(found.group(1)), float(found.group(2))


def check_claim(passed: int, text: str) -> None:
    """Compare the number of tests with that of a text."""
    claim = CLAIM.search(text)
    if claim is None:
        raise Failed('README.md does not say how many tests there are')
    said = int(claim.group(1).replace(',', ''))
    if not 0.9 * said <= passed <= 1.1 * said:
        raise Failed(f'{passed} tests passed, and README.md says {said}: type python tools/readme_commands.py --write')


def write_claim(passed: int, seconds: float, text: str) -> str:
    """A text with another number of tests, in hundreds, and their minutes."""
    minutes = MINUTES[max(round(seconds / 60), 1) - 1]
    return CLAIM.sub(f'The second runs {round(passed, -2):,} tests, in {minutes}.', text)


def run(python: str, folder: str, measure: str = '', write: bool = False) -> None:
    """Type all of the commands, in a folder, and compare what README.md says of the tests, or write it.

    `measure` is the file for the lines that the tests run, or ''.
    """
    clone, venv = os.path.join(folder, 'a clone'), os.path.join(folder, 'venv')
    copy_to(clone)
    subprocess.check_call([python, '-m', 'venv', venv])
    variables = environment(venv, os.path.join(folder, 'settings'))
    for command in commands(python):
        measured = {}
        if measure and 'pytest' in command:
            type_in('pip install --quiet "coverage >=7.10"', clone, variables)
            measured = {'COVERAGE_PROCESS_START': os.path.join(ROOT, 'pyproject.toml'), 'COVERAGE_FILE': measure}
        printed = type_in(command, clone, {**variables, **measured})
        check(command, printed)
        if 'pytest' in command:
            passed, seconds = of_tests(printed)
            if write:
                text = write_claim(passed, seconds, readme())
                with open(os.path.join(ROOT, 'README.md'), 'w', encoding='utf-8') as file:
                    file.write(text)
            else:
                check_claim(passed, readme())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--python', default=sys.executable, help='the Python of the environment (this one)')
    parser.add_argument('--measure', default='', metavar='FILE', help='where coverage writes which lines the tests run')
    parser.add_argument('--write', action='store_true', help='write the number of tests and their time into README.md')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(options.python, folder, options.measure and os.path.abspath(options.measure), options.write)
        except Failed as error:
            print(f'The first commands of README.md: {error}', file=sys.stderr)
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""What tox does beyond tox.ini: it finds the Pythons of pyenv, says what a run costs, and what it has left out.

tox loads this file by its name. The first tox that runs may be any version. It installs the one that tox.ini asks for
and starts it, which loads this file again. Only that one speaks.
"""

import atexit
import glob
import os
import re

from tox.plugin import impl
from tox.tox_env.errors import Skip
from tox.tox_env.python.api import NoInterpreter

try:
    from importlib.metadata import version
except ImportError:  # Python 3.7; tox brings it along there
    from importlib_metadata import version

RUNS = ('run', 'r', 'run-parallel', 'p', 'legacy', 'le')
COST = (
    'All environments together take about two hours on two cores, and up to 20 GB of disk in {folder}.\n'
    'For one engine, type for example: tox run -e py313-numpy (some minutes, and 1 GB)\n'
    'The tests that find most errors take two minutes: python -m pytest'
)


def add_pyenv():
    """Put the Pythons of pyenv at the end of PATH. Its own commands show only those that are activated."""
    root = os.environ.get('PYENV_ROOT') or os.path.join(os.path.expanduser('~'), '.pyenv')
    # PYENV_ROOT of pyenv for Windows ends in pyenv-win, and its Pythons lie in the folders themselves.
    places = glob.glob(os.path.join(root, 'versions', '*', 'bin')) or glob.glob(os.path.join(root, 'versions', '*'))
    known = os.environ.get('PATH', '').split(os.pathsep)
    os.environ['PATH'] = os.pathsep.join(known + [place for place in sorted(places) if place not in known])


def spelled(python):
    """The Python that an environment asks for, as people write it: py36 and python3.6 are Python 3.6."""
    return re.sub(r'^py(?:thon)?(\d)\.?(\d+)$', r'Python \1.\2', python)


def left_out(state):
    """The environments that cannot run here, as a dict from name to the Python that was not found."""
    found = {}
    for name in state.envs.iter():
        try:
            state.envs[name].base_python  # noqa: B018  # the question is whether it raises
        except (Skip, NoInterpreter):  # whether it is an error is for tox to say
            found[name] = spelled(state.envs[name].conf['base_python'][0])
    return found


def report(state):
    """Say which environments did not run, and what to do about it."""
    absent = left_out(state)
    if absent:
        print('These environments did NOT run, because their Python was not found:')
        for name, python in absent.items():
            print(f'  {name:42} {python}')
        pythons = sorted(set(absent.values()))
        print(f'To run them, install {", ".join(pythons)}, for example with pyenv: tox finds its Pythons by itself.')


@impl
def tox_add_core_config(core_conf, state):
    """Once for each run, before anything is installed."""
    asked = {requirement.name: requirement.specifier for requirement in core_conf['requires']}
    other_tox_follows = not all(asked[name].contains(version(name), prereleases=True) for name in asked)
    options = state.conf.options
    if options.command not in RUNS or other_tox_follows:
        return
    if options.env.is_default_list:
        print(COST.format(folder=core_conf['work_dir']))
    atexit.register(report, state)


add_pyenv()

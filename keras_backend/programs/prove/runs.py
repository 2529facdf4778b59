"""The processes: one for each engine, and one for the original."""

import json
import os
import subprocess
import sys
import time
from typing import Any, Dict, NamedTuple, Optional, Sequence

from .programs import Program

WITNESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'prove_witness')
# The folder that keras_backend lies in.
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..', '..'))

ORIGINAL = 'original'


class Options(NamedTuple):
    """What is asked of each run.

    Attributes
    ----------
    steps : int
        How many calls of each function are recorded.
    stop : bool
        Whether the program ends after so many steps of training.
    seed : int
        The seed of all draws.
    """

    steps: int = 20
    stop: bool = False
    seed: int = 1


class Run(NamedTuple):
    """A process that has ended.

    Attributes
    ----------
    name : str
        The engine, or ORIGINAL.
    folder : str
        Where its record is.
    status : int
        What the process returned.
    seconds : float
        How long it took.
    output : str
        What it printed, errors included.
    """

    name: str
    folder: str
    status: int
    seconds: float
    output: str


def run(
    program: Program,
    name: str,
    python: str,
    folder: str,
    options: Options,
    trace: Optional[Sequence[Any]] = None,
    control: int = 0,
) -> Run:
    """Run a program in a process of its own.

    Parameters
    ----------
    program : Program
        The program.
    name : str
        The engine, or ORIGINAL.
    python : str
        The interpreter of the original. Engines run in the interpreter of this process.
    folder : str
        An empty folder for the record.
    options : Options
        What is recorded.
    trace : sequence, optional
        The name of a function and the number of a call: the event at which the results of K are written down.
    control : int
        Above 0: the last digits of initial values and inputs are changed, in other places for each number.

    Returns
    -------
    Run
        The process, which may have failed.
    """
    work, record = os.path.join(folder, 'work'), os.path.join(folder, 'record')
    os.makedirs(record)
    _fill(work)
    is_original = name == ORIGINAL
    settings = {
        'record': record,
        'program': program.script,
        'home': os.path.dirname(os.path.abspath(program.path)),
        'arguments': program.arguments,
        'kind': program.kind,
        'launcher': [] if is_original else program.launched(),
        'original': is_original,
        'steps': options.steps,
        'stop': options.stop,
        'seed': options.seed,
        'trace': list(trace) if trace else None,
        'control': control,
    }
    path = os.path.join(folder, 'settings.json')
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(settings, stream)
    start = time.time()
    done = subprocess.run(
        [python if is_original else sys.executable, WITNESS, path],
        env=_environment(name, program.kind),
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output = done.stdout.decode('utf-8', 'replace')
    return Run(name, record, done.returncode, time.time() - start, output)


def _fill(work: str) -> None:
    """A working folder with links to what is in the current one.

    Programs save weights, and load them if they are there. A run must not find those of the run before.
    """
    os.makedirs(work)
    here = os.getcwd()
    for entry in os.listdir(here):
        try:
            os.symlink(os.path.join(here, entry), os.path.join(work, entry))
        except OSError:  # Windows needs a privilege for links
            continue


def _environment(name: str, kind: str) -> Dict[str, str]:
    environment = dict(os.environ)
    if name == ORIGINAL:
        # What leads to our packages and settings is not for another interpreter.
        environment = {key: value for key, value in environment.items() if not key.startswith(('KERAS_', 'PYTHON'))}
        environment['KERAS_BACKEND'] = 'tensorflow'
    else:
        environment['KERAS_BACKEND'] = name
        paths = [path for path in environment.get('PYTHONPATH', '').split(os.pathsep) if path]
        environment['PYTHONPATH'] = os.pathsep.join(paths if ROOT in paths else [ROOT, *paths])
    environment['PYTHONHASHSEED'] = '0'
    environment['PYTHONIOENCODING'] = 'utf-8'
    environment['PYTHONDONTWRITEBYTECODE'] = '1'
    environment.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
    return environment
